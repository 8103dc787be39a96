/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_busy.c - a runtime's counters: each layout, torn words, and what two looks say together.
 */
#include "config.h"
#include "telemetry/busy.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define CORES 152
#define NOW   (UINT64_C(5) << 32)

static void put64(uint32_t *words, unsigned at, uint64_t value)
{
	words[at / 4] = (uint32_t)value;
	words[at / 4 + 1] = (uint32_t)(value >> 32);
}

/* One queue of layout B, of whose 100 cores `busy` work since `since`; 0: none does. */
static void make_b(uint32_t *words, uint64_t now, uint64_t busy, uint64_t work, uint64_t since,
	uint32_t under_way)
{
	memset(words, 0, 4 * BUSY_CORE_WORDS);
	words[0] = 1;
	words[1] = 0x44495350;
	put64(words, 24, now);
	put64(words, 40, busy);
	put64(words, 48, since);
	put64(words, 56, since ? since : now - 1000);
	put64(words, 120, work);
	words[184 / 4] = 100 - under_way;
	words[216 / 4] = 100;
}

static void make_a(uint32_t *words, uint64_t now, uint64_t work, uint64_t since, uint32_t under_way)
{
	memset(words, 0, 4 * BUSY_CORE_WORDS);
	words[0] = 1;
	words[1] = 0x44495350;
	put64(words, 24, now);
	put64(words, 40, since ? since : now - 1000);
	words[104 / 4] = 2;
	put64(words, 168, work);
	words[232 / 4] = 100 - under_way;
	words[264 / 4] = 100;
}

static enum busy_source parse(const uint32_t *first, const uint32_t *second, struct busy_queue *q)
{
	return busy_parse_core(first, second, CORES, q);
}

/* A look at one queue, from a block and the same 50 ticks later. */
static struct busy look(const uint32_t *words)
{
	struct busy b = { .source = BUSY_FIRST, .cores = CORES, .control = { 0x19800, 1, { 1 } } };
	uint32_t later[BUSY_CORE_WORDS];

	memcpy(later, words, sizeof(later));
	later[24 / 4] += 50;
	assert_int_equal(parse(words, later, &b.queue[0]), BUSY_FIRST);
	return b;
}

static void a_control_block_names_cores_or_says_why_not(void **state)
{
	static const struct {
		const char *what;
		uint8_t at, byte;		/* set in the block of two queues */
		enum busy_source source;
	} cases[] = {
		{ "as it should be", 0, 1, BUSY_FIRST },
		{ "signature", 4, 0, BUSY_NO_RUNTIME },
		{ "version", 0, 2, BUSY_LAYOUT },
		{ "slow dispatch", 8, 1, BUSY_SLOW_DISPATCH },
		{ "another flag", 8, 2, BUSY_LAYOUT },
		{ "four queues", 13, 4, BUSY_LAYOUT },
		{ "no queue", 13, 0, BUSY_NO_COUNTERS },
		{ "address", 9, 1, BUSY_LAYOUT },
		{ "far address", 12, 1, BUSY_LAYOUT },
	};
	uint8_t bytes[4 * BUSY_CONTROL_WORDS] = { 1, 0, 0, 0, 0x5f, 'C', 'M', 'S', 0,
		0x00, 0x98, 0x01, 0x00, 3, 2, 0, 1, 0, 3, 0, 1, 0, 0xff, 0xff, 0xff, 0xff,
		2, 0, 2, 0, 3, 0, 2, 0 };
	uint32_t words[BUSY_CONTROL_WORDS];
	struct busy_control c;

	(void)state;
	memset(bytes + 34, 0xff, 18);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const uint8_t before = bytes[cases[i].at];

		bytes[cases[i].at] = cases[i].byte;
		memcpy(words, bytes, sizeof(words));
		if (busy_parse_control(words, &c) != cases[i].source)
			fail_msg("%s: %d", cases[i].what, (int)busy_parse_control(words, &c));
		bytes[cases[i].at] = before;
	}
	memcpy(words, bytes, sizeof(words));
	assert_int_equal(busy_parse_control(words, &c), BUSY_FIRST);
	assert_int_equal(c.n, 2);
	assert_int_equal(c.at, 0x19800);
	assert_int_equal(c.core[0], 1u << 16 | 3);
	assert_int_equal(c.core[1], 2u << 16 | 3);
	memset(words, 0xff, sizeof(words));
	assert_int_equal(busy_parse_control(words, &c), BUSY_UNREADABLE);
	memset(words, 0, sizeof(words));
	assert_int_equal(busy_parse_control(words, &c), BUSY_NO_RUNTIME);
}

/* Idle, or with work under way, each layout is told from the other. */
static void exactly_one_layout_is_plausible(void **state)
{
	uint32_t first[BUSY_CORE_WORDS];
	struct busy b;

	(void)state;
	make_b(first, NOW, 4000, 40000, 0, 0);
	b = look(first);
	assert_true(b.queue[0].counts_any);
	assert_int_equal(b.queue[0].now, NOW + 50);
	make_b(first, NOW, 0, 0, 0, 0);
	assert_true(look(first).queue[0].counts_any);
	make_b(first, NOW, 4000, 40000, NOW - 70, 30);
	assert_true(look(first).queue[0].counts_any);
	/* Behind the block the runtime keeps counts of its launches. */
	first[67] = 10;
	assert_true(look(first).queue[0].counts_any);
	first[66] = 10;
	assert_true(look(first).queue[0].counts_any);
	make_a(first, NOW, 40000, 0, 0);
	assert_false(look(first).queue[0].counts_any);
	make_a(first, NOW, 40000, NOW - 70, 30);
	assert_false(look(first).queue[0].counts_any);
}

static void what_cannot_be_is_unknown(void **state)
{
	uint32_t good[BUSY_CORE_WORDS], first[BUSY_CORE_WORDS], second[BUSY_CORE_WORDS];
	static const struct {
		const char *what;
		uint16_t at;			/* set in both readings */
		uint32_t word;
		enum busy_source source;
	} cases[] = {
		{ "version", 0, 2, BUSY_LAYOUT },
		{ "a prefetch core", 4, 0x50524546, BUSY_LAYOUT },
		{ "more cores done than work", 184, 101, BUSY_LAYOUT },
		{ "more cores than the chip has", 216, 153, BUSY_LAYOUT },
		{ "busy for longer than the clock", 44, 6, BUSY_LAYOUT },
		{ "work begun after now", 52, 6, BUSY_LAYOUT },
		{ "work under way that never began", 48, 0, BUSY_LAYOUT },
		{ "work of a part without cores", 128, 1, BUSY_LAYOUT },
		{ "more work than cores can do", 124, 0xffffff, BUSY_LAYOUT },
		{ "a clock of all ones", 28, UINT32_MAX, BUSY_LAYOUT },
	};
	struct busy_queue q;

	(void)state;
	make_b(good, NOW, 4000, 40000, NOW - 70, 30);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		memcpy(first, good, sizeof(first));
		first[cases[i].at / 4] = cases[i].word;
		if (cases[i].at == 48)
			first[13] = 0;
		memcpy(second, first, sizeof(second));
		second[24 / 4] += 50;
		if (parse(first, second, &q) != cases[i].source)
			fail_msg("%s: %d", cases[i].what, (int)parse(first, second, &q));
	}
	assert_int_equal(parse(good, good, &q), BUSY_STOPPED);
	memset(first, 0xff, sizeof(first));
	assert_int_equal(parse(first, first, &q), BUSY_UNREADABLE);
	memset(first + 2, 0, sizeof(first) - 8);
	memcpy(first, good, 8);
	assert_int_equal(parse(first, first, &q), BUSY_NO_COUNTERS);
	/* The runtime has begun, and has given out no cores. */
	first[6] = 7;
	assert_int_equal(parse(first, first, &q), BUSY_NO_COUNTERS);
}

/* Each 64-bit word, with one half of the next value or of the one before. */
static void a_torn_word_is_never_taken(void **state)
{
	static const uint16_t halves[] = { 28, 44, 52, 60, 124 };
	uint32_t good[BUSY_CORE_WORDS], first[BUSY_CORE_WORDS], second[BUSY_CORE_WORDS];
	struct busy_queue q;

	(void)state;
	make_b(good, NOW + 70, UINT64_C(3) << 32, UINT64_C(8) << 32, NOW, 30);
	for (size_t i = 0; i < ARRAY_LEN(halves); i++)
		for (int step = -1; step <= 1; step += 2)
			for (int which = 0; which < 2; which++) {
				memcpy(first, good, sizeof(first));
				memcpy(second, good, sizeof(second));
				second[24 / 4] += 50;
				(which ? second : first)[halves[i] / 4] += (uint32_t)step;
				if (parse(first, second, &q) == BUSY_FIRST)
					fail_msg("word at %u, %d, %d", halves[i], step, which);
			}
}

static void shares_are_of_the_time_between_two_looks(void **state)
{
	uint32_t words[BUSY_CORE_WORDS];
	struct busy_shares x;
	struct busy was, is;

	(void)state;
	make_b(words, NOW, 0, 0, 0, 0);
	was = look(words);
	/* A quarter of the time, with half of the cores. */
	make_b(words, NOW + 100000, 25000, UINT64_C(25000) * 76, 0, 0);
	is = look(words);
	assert_int_equal(busy_compare(&was, &is, &x), BUSY_COUNTERS);
	assert_int_equal(x.any, 25000);
	assert_int_equal(x.cores, 12500);
	/* All the time with 3 cores of 152: under way at both looks. */
	make_b(words, NOW, 0, 0, NOW - 10, 3);
	was = look(words);
	make_b(words, NOW + 100000, 0, 0, NOW - 10, 3);
	is = look(words);
	assert_int_equal(busy_compare(&was, &is, &x), BUSY_COUNTERS);
	assert_int_equal(x.any, 100000);
	assert_int_equal(x.cores, 1974);
	assert_int_equal(busy_compare(&is, &was, &x), BUSY_RESTARTED);
	/* Layout A counts the cores alone. */
	make_a(words, NOW, 0, 0, 0);
	was = look(words);
	make_a(words, NOW + 100000, UINT64_C(50000) * 76, 0, 0);
	is = look(words);
	assert_int_equal(busy_compare(&was, &is, &x), BUSY_CORES);
	assert_true(x.any < 0);
	assert_int_equal(x.cores, 25000);
}

static void a_share_is_never_clamped(void **state)
{
	uint32_t words[BUSY_CORE_WORDS];
	struct busy_shares x;
	struct busy was, is, other;

	(void)state;
	make_b(words, NOW, 5000, 5000, 0, 0);
	was = look(words);
	make_b(words, NOW + 1000, 6001, 5000, 0, 0);
	is = look(words);
	assert_int_equal(busy_compare(&was, &is, &x), BUSY_IMPLAUSIBLE);
	make_b(words, NOW + 1000, 4999, 5000, 0, 0);
	is = look(words);
	assert_int_equal(busy_compare(&was, &is, &x), BUSY_IMPLAUSIBLE);
	make_b(words, NOW + 1000, 5000, 5001 + 1000 * CORES, 0, 0);
	is = look(words);
	assert_int_equal(busy_compare(&was, &is, &x), BUSY_IMPLAUSIBLE);
	make_b(words, NOW + 1000, 5000, 5000, 0, 0);
	words[216 / 4] = words[184 / 4] = 99;
	is = look(words);
	assert_int_equal(busy_compare(&was, &is, &x), BUSY_DIVIDED);
	words[216 / 4] = words[184 / 4] = 100;
	words[32 / 4] = 50;
	is = look(words);
	assert_int_equal(busy_compare(&was, &is, &x), BUSY_DIVIDED);
	words[32 / 4] = 0;
	is = look(words);
	assert_int_equal(busy_compare(&was, &is, &x), BUSY_COUNTERS);
	other = is;
	other.control.core[0] = 2;
	assert_int_equal(busy_compare(&was, &other, &x), BUSY_RESTARTED);
}

static void several_queues_give_the_least_share(void **state)
{
	uint32_t words[BUSY_CORE_WORDS];
	struct busy_shares x;
	struct busy was, is;

	(void)state;
	make_b(words, NOW, 0, 0, 0, 0);
	was = look(words);
	was.control.n = 2;
	was.queue[1] = was.queue[0];
	make_b(words, NOW + 1000, 400, 400 * 100, 0, 0);
	is = look(words);
	is.control.n = 2;
	make_b(words, NOW + 1000, 700, 700 * 52, 0, 0);
	is.queue[1] = look(words).queue[0];
	assert_int_equal(busy_compare(&was, &is, &x), BUSY_LEAST);
	assert_int_equal(x.any, 70000);
	assert_int_equal(x.cores, 50263);
	/* One that does nothing leaves the other's share exact. */
	is.queue[0] = was.queue[0];
	is.queue[0].now += 1000;
	assert_int_equal(busy_compare(&was, &is, &x), BUSY_COUNTERS);
	assert_int_equal(x.any, 70000);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_control_block_names_cores_or_says_why_not),
		cmocka_unit_test(exactly_one_layout_is_plausible),
		cmocka_unit_test(what_cannot_be_is_unknown),
		cmocka_unit_test(a_torn_word_is_never_taken),
		cmocka_unit_test(shares_are_of_the_time_between_two_looks),
		cmocka_unit_test(a_share_is_never_clamped),
		cmocka_unit_test(several_queues_give_the_least_share),
	};

	return cmocka_run_group_tests_name("busy", tests, NULL, NULL);
}

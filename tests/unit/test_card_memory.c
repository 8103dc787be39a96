/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The test of a card's memory: each fault that was put between tool and memory
 * is found and gets its name, whatever the seed, and a good card has none.  On
 * the simulator the same through its windows.
 */
#include "config.h"
#include "tests/rig/fake_dram.h"
#include "base/clock.h"
#include "base/mem.h"
#include "burnin/kernels/stopwatch.h"
#include "burnin/memory/card_check.h"
#include "burnin/memory/card_memory.h"
#include "device/kind.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#define FLIP_ITERATIONS 5	/* more than 2 * 10^6 words */

static struct fake_dram f;
static char gaps[300];

static uint32_t all_of(enum device_chip chip)
{
	return (1u << kind_of(chip)->n_dram) - 1;
}

static bool always(void *arg)
{
	(void)arg;
	return true;
}

/* Test a channel of the fake, or all; the faults in found[]. */
static size_t test_once(struct device *d, uint32_t channels, uint64_t seed, uint64_t iterations,
	struct card_memory *m, struct memory_finding found[MEMORY_CHANNELS * MEMORY_FINDINGS])
{
	const struct card_memory_plan plan = { .enabled = all_of(d->chip), .channels = channels,
		.size = CARD_MEMORY_LEAST, .seed = seed, .iterations = iterations };
	struct error e = { 0 };

	memset(m, 0, sizeof(*m));
	if (card_memory_run(d, &plan, m, always, NULL, &e) < 0)
		fail_msg("seed %llu: %s", (unsigned long long)seed, e.text);
	return card_memory_judge(m, found);
}

static size_t test(struct device *d, uint32_t channels, uint64_t seed, uint64_t iterations,
	struct card_memory *m, struct memory_finding found[MEMORY_CHANNELS * MEMORY_FINDINGS])
{
	const size_t n = test_once(d, channels, seed, iterations, m, found);

	assert_int_equal(m->iterations, iterations);
	return n;
}

/* All that was asked for was done, and none of it twice. */
static bool is_met(const struct card_memory *m, uint32_t channels, uint64_t size)
{
	const struct card_memory_plan plan = { .channels = channels, .size = size };
	struct ledger l = { .asked = { 0 } };

	card_memory_ask(&plan, 0, &l);
	card_memory_count(&plan, m, &l);
	ledger_put_gaps(&l, gaps, sizeof(gaps));
	return ledger_is_met(&l);
}

/* Every endpoint wrote and read, in each size, and nothing was wrong. */
static void check_good(struct device *d, uint32_t channels)
{
	struct memory_finding found[MEMORY_CHANNELS * MEMORY_FINDINGS];
	static struct card_memory m;

	assert_int_equal(test(d, channels, 7, 1, &m, found), 0);
	if (!is_met(&m, channels, CARD_MEMORY_LEAST))
		fail_msg("%s", gaps);
	for (unsigned c = 0; c < MEMORY_CHANNELS; c++)
		for (unsigned p = 0; p < MEMORY_PORTS; p++) {
			const struct memory_tally *t = &m.tally[c][p];

			assert_int_equal(t->wrong, 0);
			assert_int_equal(t->words > 0, channels >> c & 1);
			for (unsigned w = 0; w < MEMORY_PORTS; w++)
				assert_int_equal(t->written[w] > 0, channels >> c & 1);
		}
}

static void a_good_card_is_tested_in_every_way(void **state)
{
	static const enum device_chip chips[] = { DEVICE_WORMHOLE, DEVICE_BLACKHOLE };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(chips); i++) {
		fake_dram_open(&f, chips[i]);
		f.posts = true;
		check_good(&f.d, all_of(chips[i]));
		assert_false(f.strayed);
		for (unsigned k = 0; k < CARD_MEMORY_CUTS; k++) {
			assert_true(f.read_sizes & card_memory_cuts[k]);
			assert_true(f.write_sizes & card_memory_cuts[k]);
		}
		for (unsigned c = 0; c < kind_of(chips[i])->n_dram; c++)
			for (unsigned p = 0; p < FAKE_PORTS; p++)
				assert_true(f.reads[c][p] > 0 && f.writes[c][p] > 0);
		fake_dram_close(&f);
	}
}

/* A write that spoils other memory is found wherever that lies: before it, or behind. */
static void what_a_write_spoils_is_found_on_both_sides(void **state)
{
	static const struct {
		enum fake_fault fault;
		unsigned place, other;
		int64_t off;
	} cases[] = {
		{ FAKE_ECHO, 1, 4, 0 }, { FAKE_ECHO, 4, 1, 0 }, { FAKE_DISTURB, 2, 0, 64 },
		{ FAKE_DISTURB, 2, 0, -64 }, { FAKE_DISTURB, 2, 0, 512 },
		{ FAKE_DISTURB, 2, 0, -512 },
	};
	struct memory_finding found[MEMORY_CHANNELS * MEMORY_FINDINGS];
	static struct card_memory m;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases) * 6; i++) {
		const size_t k = i / 6;

		fake_dram_open(&f, i & 1 ? DEVICE_WORMHOLE : DEVICE_BLACKHOLE);
		f.fault = cases[k].fault;
		f.place = cases[k].place;
		f.other = cases[k].other;
		f.off = cases[k].off;
		f.bit = 7;
		if (test_once(&f.d, all_of(f.d.chip), i, 1, &m, found) == 0)
			fail_msg("case %zu, seed %zu", k, i);
		fake_dram_close(&f);
	}
}

/* The firmware moves a channel that is switched off to the last place, which nobody touches. */
static void a_channel_that_is_switched_off_is_never_touched(void **state)
{
	static const struct {
		uint32_t enabled;
		unsigned channel;
		uint8_t x, y;		/* of its first endpoint */
	} places[] = {
		{ 0xff, 0, 17, 12 }, { 0xff, 3, 17, 21 }, { 0xff, 4, 18, 12 }, { 0xff, 7, 18, 21 },
		{ 0xf7, 0, 18, 12 }, { 0xf7, 2, 18, 18 }, { 0xf7, 4, 17, 12 }, { 0xf7, 7, 17, 21 },
		{ 0xfe, 1, 18, 12 }, { 0xfe, 3, 18, 18 }, { 0xfe, 4, 17, 21 }, { 0xfe, 5, 17, 12 },
		{ 0xdf, 0, 17, 12 }, { 0xdf, 1, 17, 21 }, { 0xdf, 2, 17, 15 }, { 0xdf, 7, 18, 18 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		const struct reg_addr at = kind_dram(&kind_blackhole, places[i].enabled,
			places[i].channel, 2, 64);

		if (at.x != places[i].x || at.y != places[i].y + 2 || at.addr != 64)
			fail_msg("case %zu: %u-%u", i, at.x, at.y);
	}
	for (unsigned off = 0; off < 8; off++) {
		const struct card_memory_plan plan = { .enabled = 0xff & ~(1u << off),
			.channels = 0xff, .size = CARD_MEMORY_LEAST, .iterations = 1 };
		const struct card_check_plan look = { .enabled = plan.enabled, .channels = 0xff,
			.size = CARD_CHECK_USUAL };
		static struct card_memory m;
		static struct card_check c;

		memset(&m, 0, sizeof(m));
		fake_dram_open(&f, DEVICE_BLACKHOLE);
		assert_int_equal(card_memory_run(&f.d, &plan, &m, always, NULL, NULL), 0);
		assert_int_equal(card_check_run(&f.d, &look, &c, NULL), 0);
		assert_false(f.strayed);
		for (unsigned p = 0; p < FAKE_PORTS; p++) {
			assert_int_equal(f.reads[7][p] + f.writes[7][p], 0);
			assert_int_equal(m.tally[off][p].words, 0);
		}
		for (unsigned c2 = 0; c2 < 7; c2++)
			assert_true(f.reads[c2][0] > 0);
		fake_dram_close(&f);
	}
}

/* The controllers' own, a different one in two channels: fleet.md. */
static const struct memory_kept own = { { 4, 1, 1, 1, 4, 4, 4, 4 } };

static void endpoints_that_are_kept_are_never_touched_and_not_asked_for(void **state)
{
	const struct card_memory_plan plan = { .enabled = 0xff, .channels = 0xff, .kept = own,
		.size = CARD_MEMORY_LEAST, .iterations = 3 };
	const struct card_check_plan look = { .enabled = 0xff, .channels = 0xff, .kept = own,
		.size = CARD_CHECK_USUAL };
	struct ledger l = { .asked = { 0 } }, looked = { .asked = { 0 } };
	static struct card_memory m;
	static struct card_check c;

	(void)state;
	fake_dram_open(&f, DEVICE_BLACKHOLE);
	assert_int_equal(card_memory_run(&f.d, &plan, &m, always, NULL, NULL), 0);
	assert_int_equal(card_check_run(&f.d, &look, &c, NULL), 0);
	for (unsigned i = 0; i < FAKE_CHANNELS * FAKE_PORTS; i++) {
		const uint64_t n = f.reads[i / FAKE_PORTS][i % FAKE_PORTS] +
			f.writes[i / FAKE_PORTS][i % FAKE_PORTS];

		assert_int_equal(n == 0, memory_kept_has(&own, i / FAKE_PORTS, i % FAKE_PORTS));
	}
	assert_int_equal(m.wrong, 0);
	card_memory_ask(&plan, 0, &l);
	card_memory_count(&plan, &m, &l);
	card_check_ask(&look, DEVICE_BLACKHOLE, 0, &looked);
	card_check_count(&look, &c, &looked);
	assert_int_equal(l.asked[LEDGER_ENDPOINTS], 16);
	assert_int_equal(looked.asked[LEDGER_ENDPOINTS], 16);
	assert_true(ledger_is_met(&l));
	assert_true(ledger_is_met(&looked));
	fake_dram_close(&f);
}

/* Newer firmware counts the ports of channels 4 to 7 from the other end. */
static void the_firmware_says_which_endpoints_are_kept(void **state)
{
	static struct snapshot s = { .chip = DEVICE_BLACKHOLE, .health = SNAPSHOT_OK, .local = -1 };
	struct memory_channels c;
	struct error e = { 0 };
	char text[160];

	(void)state;
	s.r[FIELD_DRAM_TRAINED] = (struct reading){ .state = READING_OK, .value = 0xff };
	assert_int_equal(memory_channels(&s, &c, &e), 0);
	assert_int_equal(memory_kept_rest(&c.kept, 0xff), 24);
	assert_null(memory_kept_text(&c.kept, 0xff, text, sizeof(text)));
	s.r[FIELD_GDDR_PORTS] = (struct reading){ .state = READING_OK, .value = 0x2 };
	assert_int_equal(memory_channels(&s, &c, &e), 0);
	assert_memory_equal(&c.kept, &own, sizeof(own));
	assert_string_equal(memory_kept_text(&c.kept, 0x83, text, sizeof(text)),
		"endpoint 0 of channel 1; endpoint 2 of channels 0, 7");
	/* What is no port is none. */
	s.r[FIELD_GDDR_PORTS].value = 0xffffffff;
	assert_int_equal(memory_channels(&s, &c, &e), 0);
	assert_int_equal(memory_kept_rest(&c.kept, 0xff), 24);
}

static void what_is_left_of_the_channels_is_known(void **state)
{
	static struct snapshot s = { .chip = DEVICE_WORMHOLE, .health = SNAPSHOT_OK, .local = -1 };
	struct memory_channels c;
	struct error e = { 0 };

	(void)state;
	s.r[FIELD_DRAM_TRAINED] = (struct reading){ .state = READING_OK, .value = 0x2d };
	s.r[FIELD_DRAM_FAILED] = (struct reading){ .state = READING_OK, .value = 0x2 };
	assert_int_equal(memory_channels(&s, &c, &e), 0);
	assert_int_equal(memory_channels_failed(&s), 0x2);
	s.r[FIELD_DRAM_ENABLED] = (struct reading){ .state = READING_OK, .value = 0x3d };
	assert_int_equal(memory_channels_failed(&s), 0);
	s.r[FIELD_DRAM_ENABLED].state = READING_ABSENT;
	assert_int_equal(memory_channels_choose(&c, 0xff, false, &e), 0);
	assert_int_equal(c.chosen, 0x2d);
	assert_int_equal(c.left, 0x12);
	assert_int_equal(memory_channels_choose(&c, 0x41, true, &e), -EINVAL);
	assert_string_equal(e.text, "memory channel 6 is switched off, or the card has none of "
		"this number");
	assert_int_equal(memory_channels_choose(&c, 0x12, true, &e), -ENODATA);
	assert_int_equal(c.left, 0x12);
	s.r[FIELD_DRAM_TRAINED].value = 0;
	assert_int_equal(memory_channels(&s, &c, &e), 0);
	assert_int_equal(memory_channels_choose(&c, 0x41, false, &e), -ENODATA);
	assert_string_equal(e.text, "no memory channel is trained");
	assert_int_equal(c.left, 0x1);
}

/* A card with a fault at a random place. */
/* Eight are each chip in each of its states; the soak asks for a hundred. */
static uint64_t seeds(uint64_t usual)
{
	const char *asked = getenv("CARD_MEMORY_SEEDS");

	return asked ? strtoul(asked, NULL, 10) : usual;
}

static void put_fault(enum fake_fault fault, uint64_t seed)
{
	fake_dram_open(&f, seed & 1 ? DEVICE_BLACKHOLE : DEVICE_WORMHOLE);
	fake_dram_reset(&f, seed);
	f.fault = fault;
	f.place = (unsigned)(fake_dram_draw(&f) % kind_of(f.d.chip)->n_dram);
	f.port = (unsigned)(fake_dram_draw(&f) % FAKE_PORTS);
	f.lane = (unsigned)(fake_dram_draw(&f) % 4);
	f.phase = (unsigned)(seed / 2 % 2);
	f.bit = (unsigned)(fake_dram_draw(&f) % 32);
	f.at = fake_dram_draw(&f) % 1024 * 4;
	do
		f.of = fake_dram_draw(&f) % 4096 * 4;
	while (f.of == f.at);
	if (fault == FAKE_ALIAS || fault == FAKE_LINE)
		f.bit = 2 + f.bit % 29;
	f.other = (f.place + 1 + (unsigned)(fake_dram_draw(&f) % (kind_of(f.d.chip)->n_dram - 1))) %
		(unsigned)kind_of(f.d.chip)->n_dram;
	f.after = 10000 + fake_dram_draw(&f) % 50000;
}

/* What is to be found of a fault; -1: any endpoint may be named, or none. */
static const struct expected {
	const char *name;
	enum fake_fault fault;
	enum memory_kind kind;
	enum memory_path path;
	bool alone;		/* the endpoint is named */
	bool one_bit, one_lane;
} expected[] = {
	{ "lane late", FAKE_LANE, MEMORY_SHIFTED, MEMORY_READ, false, false, true },
	{ "stuck bit", FAKE_STUCK, MEMORY_STUCK, MEMORY_UNKNOWN, false, true, true },
	{ "rare flip", FAKE_FLIP, MEMORY_TRANSIENT, MEMORY_READ, false, true, true },
	{ "address line", FAKE_ALIAS, MEMORY_ALIASED, MEMORY_UNKNOWN, false, false, false },
	{ "two addresses", FAKE_PAIR, MEMORY_ALIASED, MEMORY_UNKNOWN, false, false, false },
	{ "one endpoint", FAKE_ENDPOINT, MEMORY_TRANSIENT, MEMORY_READ, true, false, false },
	{ "write path", FAKE_WRITE, MEMORY_RANDOMLY, MEMORY_WRITE, false, false, false },
	{ "one writer", FAKE_WRITER, MEMORY_RANDOMLY, MEMORY_WRITE, true, false, false },
};

/* Faults that are known by all channels together, or by what one write lost. */
static const struct {
	const char *name;
	enum fake_fault fault;
	enum memory_kind kind;
	enum memory_path path;
	bool alone, of_two;
} paths_astray[] = {
	{ "two channels one", FAKE_TWIN, MEMORY_SHARED, MEMORY_UNKNOWN, false, true },
	{ "endpoint astray", FAKE_STRAY, MEMORY_ASTRAY, MEMORY_BOTH, true, true },
	{ "endpoints crossed", FAKE_CROSS, MEMORY_CROSSED, MEMORY_UNKNOWN, true, true },
	{ "endpoint elsewhere", FAKE_ELSEWHERE, MEMORY_ASTRAY, MEMORY_BOTH, true, false },
	{ "endpoint without a line", FAKE_LINE, MEMORY_ALIASED, MEMORY_BOTH, true, false },
	{ "endpoint loses writes", FAKE_DEAF, MEMORY_LOST, MEMORY_WRITE, true, false },
	{ "one write lost", FAKE_BURST, MEMORY_RANDOMLY, MEMORY_WRITE, false, false },
	{ "channel of ones", FAKE_DUMB, MEMORY_CONSTANT, MEMORY_UNKNOWN, false, false },
	{ "chip of ones", FAKE_DARK, MEMORY_DARK, MEMORY_UNKNOWN, false, false },
};

static bool is_of_two(const struct memory_finding *found)
{
	const bool is_either = f.fault == FAKE_TWIN || f.fault == FAKE_CROSS;

	return (found->channel == f.place && found->other == (int)f.other) ||
		(is_either && found->channel == f.other && found->other == (int)f.place);
}

static bool is_named(const struct memory_finding *found, size_t i)
{
	const bool of_one = found->kind == MEMORY_DARK || found->channel == f.place;

	return found->kind == paths_astray[i].kind && found->path == paths_astray[i].path &&
		found->endpoint == (paths_astray[i].alone ? (int)f.port : MEMORY_ALL) &&
		(paths_astray[i].of_two ? is_of_two(found) : of_one) &&
		/* As often as it happened, not as it was seen. */
		(f.fault != FAKE_BURST || (found->events == 1 && found->wrong == 3 * f.lost));
}

/* Through two endpoints, too, a fault is found and no endpoint is blamed that is not its own. */
static void faults_are_named_beside_endpoints_that_are_kept(void **state)
{
	static const enum fake_fault faults[] = { FAKE_LANE, FAKE_STUCK, FAKE_ENDPOINT,
		FAKE_WRITE };
	struct memory_finding found[MEMORY_CHANNELS * MEMORY_FINDINGS];
	static struct card_memory m;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(faults); i++)
		for (uint64_t seed = 1; seed < 12; seed += 2) {
			struct card_memory_plan plan = { .enabled = 0xff, .channels = 0xff,
				.size = CARD_MEMORY_LEAST, .seed = seed, .iterations = 2 };
			size_t n;

			put_fault(faults[i], seed);
			plan.kept.ports[f.place] = (uint8_t)(1u << (f.port + 1) % MEMORY_PORTS);
			memset(&m, 0, sizeof(m));
			assert_int_equal(card_memory_run(&f.d, &plan, &m, always, NULL, NULL), 0);
			n = card_memory_judge(&m, found);
			assert_int_not_equal(n, 0);
			for (size_t k = 0; k < n; k++) {
				assert_int_equal(found[k].channel, f.place);
				assert_true(found[k].endpoint == MEMORY_ALL ||
					found[k].endpoint == (int)f.port);
			}
			fake_dram_close(&f);
		}
}

static void each_way_astray_gets_its_name(void **state)
{
	struct memory_finding found[MEMORY_CHANNELS * MEMORY_FINDINGS];
	static struct card_memory m;
	char text[200];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(paths_astray); i++)
		for (uint64_t seed = 0; seed < seeds(8); seed++) {
			size_t n;

			put_fault(paths_astray[i].fault, seed);
			f.filled = seed / 4 % 2;
			n = test_once(&f.d, all_of(f.d.chip), seed, 1, &m, found);
			if (n != 1 || !is_named(&found[0], i))
				fail_msg("%s, seed %d: %zu findings, %s", paths_astray[i].name,
					(int)seed, n, n ? memory_finding_text(&found[0], text,
					sizeof(text)) : "");
			assert_true(m.wrong > 0);
			assert_false(f.strayed);
			fake_dram_close(&f);
		}
}

/* All that lies where marks may be, but in the channel that is tested. */
static uint64_t sum_of_others(unsigned tested)
{
	const uint64_t size = kind_of(f.d.chip)->dram_size;
	uint64_t sum = 0;

	for (unsigned c = 0; c < kind_of(f.d.chip)->n_dram; c++)
		for (uint64_t at = 256; c != tested && f.memory[c] && at <= size; at *= 2)
			for (uint64_t k = 0; k < 512; k += 4)
				sum = sum * 31 + f.memory[c][((at < 512 ? 0 : at) % size + k) / 4];
	return sum;
}

static bool a_few_times(void *arg)
{
	int *left = arg;

	return --*left > 0;
}

/* One channel is tested, and all are marked: whose memory it shares, and what others keep. */
static void channels_that_are_not_tested_are_marked_and_put_back(void **state)
{
	static const struct {
		enum fake_fault fault;
		enum memory_kind kind;
		bool is_other;		/* the other one of the two is tested */
	} cases[] = {
		{ FAKE_TWIN, MEMORY_SHARED, false }, { FAKE_TWIN, MEMORY_SHARED, true },
		{ FAKE_STRAY, MEMORY_ASTRAY, false }, { FAKE_STRAY, MEMORY_ASTRAY, true },
		{ FAKE_CROSS, MEMORY_CROSSED, false }, { FAKE_CROSS, MEMORY_CROSSED, true },
		{ FAKE_GOOD, MEMORY_FINE, false }, { FAKE_DEAF, MEMORY_FINE, true },
	};
	struct memory_finding found[MEMORY_CHANNELS * MEMORY_FINDINGS];
	const size_t each = seeds(8);
	static struct card_memory m;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases) * each; i++) {
		const size_t k = i / each;
		struct card_memory_plan plan = { .size = CARD_MEMORY_LEAST, .seed = i,
			.iterations = 1 };
		unsigned tested;
		size_t n;

		put_fault(cases[k].fault, i % each);
		tested = cases[k].is_other ? f.other : f.place;
		plan.enabled = plan.live = all_of(f.d.chip);
		plan.channels = 1u << tested;
		f.filled = i % 2;
		/* Cut short in the middle of the marks, among other places, and then not. */
		for (int steps = 40, left = 0; left <= 0; steps *= 4) {
			left = steps;
			memset(&m, 0, sizeof(m));
			assert_int_equal(card_memory_run(&f.d, &plan, &m, a_few_times, &left, NULL),
				0);
			assert_true(cases[k].fault != FAKE_GOOD || sum_of_others(tested) == 0);
		}
		n = card_memory_judge(&m, found);
		assert_int_equal(n, cases[k].kind != MEMORY_FINE);
		if (n > 0 && (found[0].kind != cases[k].kind || !is_of_two(&found[0])))
			fail_msg("case %zu, seed %zu: %s of channel %u and %d", k, i % each,
				memory_kind_name(found[0].kind), found[0].channel, found[0].other);
		assert_true(n > 0 ? m.wrong > 0 : is_met(&m, plan.channels, plan.size));
		fake_dram_close(&f);
	}
}

static void keep_marks(struct memory_marks *m)
{
	memset(m, 0, sizeof(*m));
	m->places = 2;
	m->tested = (1u << MEMORY_CHANNELS) - 1;
	for (unsigned c = 0; c < MEMORY_CHANNELS; c++)
		for (unsigned i = 0; i < MEMORY_PORTS * MEMORY_PORTS; i++)
			m->shows[c][i / MEMORY_PORTS][i % MEMORY_PORTS][c] = m->places;
}

/* An endpoint that is right when written shows another channel's marks all the same. */
static void marks_tell_which_way_leads_astray(void **state)
{
	struct memory_finding found[MEMORY_FINDINGS];
	static struct memory_marks m;

	(void)state;
	keep_marks(&m);
	for (unsigned c = 0; c < MEMORY_CHANNELS; c++) {
		assert_true(memory_marks_kept(&m, c));
		assert_int_equal(memory_marks_judge(&m, c, found), 0);
	}
	for (unsigned w = 0; w < MEMORY_PORTS; w++) {
		m.shows[4][1][w][4] = 0;
		m.shows[4][1][w][2] = m.places;
	}
	assert_false(memory_marks_kept(&m, 4));
	assert_int_equal(memory_marks_judge(&m, 2, found), 0);
	assert_int_equal(memory_marks_judge(&m, 4, found), 1);
	assert_int_equal(found[0].kind, MEMORY_ASTRAY);
	assert_int_equal(found[0].endpoint, 1);
	assert_int_equal(found[0].other, 2);
	assert_int_equal(found[0].path, MEMORY_READ);
}

static bool has_aliases(const struct memory_finding *found)
{
	const uint64_t a = found->alias_at, b = found->alias_of;

	if (f.fault == FAKE_ALIAS)
		return (a ^ b) == 1ULL << f.bit;
	return f.fault != FAKE_PAIR || (a == f.at && b == f.of) || (a == f.of && b == f.at);
}

static bool has_lanes(const struct memory_finding *found, const struct expected *x)
{
	const unsigned lane = x->one_bit ? f.bit / 8 : f.lane;

	for (unsigned k = 0; x->one_lane && k < MEMORY_LANES; k++)
		if ((found->lane[k] > 0) != (k == lane))
			return false;
	if (x->kind == MEMORY_SHIFTED && (found->late[0] != (f.phase ? 128 : 64) ||
		found->late[1] != (f.phase ? 64 : 128)))
		return false;
	return !x->one_bit || found->bits == 1u << f.bit;
}

static void each_fault_gets_its_name(void **state)
{
	struct memory_finding found[MEMORY_CHANNELS * MEMORY_FINDINGS];
	static struct card_memory m;
	char text[200];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(expected); i++)
		for (uint64_t seed = 0; seed < seeds(24); seed++) {
			const struct expected *x = &expected[i];
			size_t n;

			put_fault(x->fault, seed);
			n = test(&f.d, 1u << f.place, seed, x->fault == FAKE_FLIP ?
				FLIP_ITERATIONS : 1, &m, found);
			if (n != 1)
				fail_msg("%s, seed %d: %zu findings", x->name, (int)seed, n);
			memory_finding_text(&found[0], text, sizeof(text));
			if (found[0].channel != f.place || found[0].kind != x->kind ||
				found[0].path != x->path || found[0].endpoint !=
				(x->alone ? (int)f.port : -1) || !has_aliases(&found[0]) ||
				!has_lanes(&found[0], x))
				fail_msg("%s, seed %d: %s", x->name, (int)seed, text);
			assert_false(f.strayed);
			fake_dram_close(&f);
		}
}

/* Beside the fault's channel the others are right. */
static void other_channels_are_not_blamed(void **state)
{
	struct memory_finding found[MEMORY_CHANNELS * MEMORY_FINDINGS];
	static struct card_memory m;

	(void)state;
	put_fault(FAKE_LANE, 3);
	assert_int_equal(test(&f.d, 0xff, 3, 1, &m, found), 1);
	assert_int_equal(found[0].channel, f.place);
	fake_dram_close(&f);
}

static uint64_t wrong_bytes(uint32_t even, uint32_t odd)
{
	static uint32_t words[16384];
	uint64_t wrong = 0;

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		words[i] = i % 2 ? odd : even;
	for (unsigned k = 0; k < 4; k++)
		assert_int_equal(device_write_block(&f.d, kind_dram(kind_of(f.d.chip), 0xff,
			f.place, 0, k * sizeof(words)), words, ARRAY_LEN(words)), 0);
	for (unsigned k = 0; k < 64; k++) {
		assert_int_equal(device_read(&f.d, kind_dram(kind_of(f.d.chip), 0xff, f.place, 1,
			k * 4096), words, 1024), 0);
		/* Up to the first chunks of all, before which something else was read. */
		for (size_t i = k ? 0 : 32; i < 1024; i++)
			wrong += words[i] != (i % 2 ? odd : even);
	}
	return wrong;
}

static void data_that_repeats_is_blind_to_a_late_lane(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 4; seed++) {
		put_fault(FAKE_LANE, seed);
		assert_int_equal(wrong_bytes(0xa5a5a5a5, 0xa5a5a5a5), 0);
		assert_int_equal(wrong_bytes(0x00000000, 0xffffffff), 0);
		fake_dram_close(&f);
	}
}

static void check(uint64_t seed, struct card_check *c)
{
	const struct card_check_plan plan = { .enabled = all_of(f.d.chip), .seed = seed,
		.channels = 1u << f.place, .size = CARD_CHECK_USUAL };
	struct error e = { 0 };

	memset(c, 0, sizeof(*c));
	if (card_check_run(&f.d, &plan, c, &e) < 0)
		fail_msg("seed %llu: %s", (unsigned long long)seed, e.text);
	for (unsigned p = 0; p < FAKE_PORTS; p++)
		assert_int_equal(f.writes[f.place][p], 0);
}

static void a_late_lane_is_found_without_a_write(void **state)
{
	static struct card_check c;

	(void)state;
	for (uint64_t seed = 0; seed < seeds(24); seed++) {
		const struct card_check_channel *k;
		unsigned late[2] = { 0 };

		put_fault(FAKE_LANE, seed);
		f.filled = true;
		check(seed, &c);
		k = &c.channel[f.place];
		if (card_check_judge(k, false) != CARD_CHECK_DISAGREES)
			fail_msg("seed %d: verdict %d, %d differ", (int)seed,
				(int)card_check_judge(k, false), (int)k->differ);
		if (card_check_kind(k, late) != MEMORY_SHIFTED || late[0] !=
			(f.phase ? 128 : 64) || late[1] != (f.phase ? 64 : 128) ||
			card_check_endpoint(k) != -1)
			fail_msg("seed %d: late by %u and %u", (int)seed, late[0], late[1]);
		for (unsigned lane = 0; lane < MEMORY_LANES; lane++)
			assert_int_equal(k->lane[lane] > 0, lane == f.lane);
		fake_dram_close(&f);
	}
}

static void what_a_check_can_and_cannot_say(void **state)
{
	static struct card_check c;
	const struct card_check_channel *k;

	(void)state;
	for (uint64_t seed = 0; seed < 8; seed++) {
		put_fault(FAKE_GOOD, seed);
		k = &c.channel[f.place];
		/* Memory that is all the same shows nothing, and that is said. */
		check(seed, &c);
		assert_int_equal(card_check_judge(k, false), CARD_CHECK_AGREES);
		assert_true(k->words > 0);
		assert_int_equal(k->blind, k->words);
		f.filled = true;
		check(seed, &c);
		assert_int_equal(card_check_judge(k, false), CARD_CHECK_AGREES);
		assert_int_equal(k->blind, 0);
		/* A program that writes meanwhile is no fault. */
		f.busy = true;
		check(seed, &c);
		assert_int_equal(card_check_judge(k, false), CARD_CHECK_CHANGED);
		f.busy = false;
		/* A cell reads the same through all endpoints. */
		f.fault = FAKE_STUCK;
		check(seed, &c);
		assert_int_equal(card_check_judge(k, false), CARD_CHECK_AGREES);
		f.fault = FAKE_ENDPOINT;
		check(seed, &c);
		assert_int_equal(card_check_judge(k, false), CARD_CHECK_DISAGREES);
		fake_dram_close(&f);
	}
}

/* Beside a program that has the card, only what it cannot have written is proof. */
static void a_program_that_toggles_words_is_no_fault(void **state)
{
	static struct card_check c;

	(void)state;
	for (uint64_t seed = 0; seed < seeds(8); seed++) {
		put_fault(FAKE_GOOD, seed);
		f.filled = f.toggles = true;
		check(seed, &c);
		assert_true(c.channel[f.place].differ > 0);
		assert_int_equal(card_check_judge(&c.channel[f.place], true), CARD_CHECK_CHANGED);
		f.fault = FAKE_ENDPOINT;
		f.toggles = false;
		check(seed, &c);
		assert_int_equal(card_check_judge(&c.channel[f.place], true), CARD_CHECK_CHANGED);
		f.fault = FAKE_LANE;
		check(seed, &c);
		assert_int_equal(card_check_judge(&c.channel[f.place], true), CARD_CHECK_DISAGREES);
		fake_dram_close(&f);
	}
}

static void channels_that_show_the_same_are_told(void **state)
{
	static struct card_check c;
	struct card_check_plan plan = { .size = CARD_CHECK_USUAL / 4 };
	struct error e = { 0 };

	(void)state;
	for (uint64_t seed = 0; seed < seeds(8); seed++) {
		put_fault(FAKE_TWIN, seed);
		plan.enabled = plan.channels = all_of(f.d.chip);
		plan.seed = seed;
		for (int filled = 0; filled < 2; filled++) {
			f.filled = filled;
			memset(&c, 0, sizeof(c));
			assert_int_equal(card_check_run(&f.d, &plan, &c, &e), 0);
			for (unsigned i = 0; i < MEMORY_CHANNELS * MEMORY_CHANNELS; i++) {
				const unsigned a = i / MEMORY_CHANNELS, b = i % MEMORY_CHANNELS;
				const bool here = a < b && (plan.channels >> b & 1) && filled;
				const bool twins = (a == f.place && b == f.other) ||
					(b == f.place && a == f.other);

				assert_int_equal(c.same[a][b].told, here ? 4 : 0);
				assert_int_equal(c.same[a][b].equal, here && twins ? 4 : 0);
			}
		}
		fake_dram_close(&f);
	}
}

/* Each size, written through each endpoint of each channel, and read through all of them. */
static void check_ways(struct device *d)
{
	const struct device_kind *k = kind_of(d->chip);
	static uint32_t out[4096], in[4096];
	unsigned ways = 0;

	for (unsigned i = 0; i < k->n_dram * KIND_PORTS * CARD_MEMORY_CUTS; i++) {
		const unsigned c = i / KIND_PORTS / CARD_MEMORY_CUTS, w = i / CARD_MEMORY_CUTS %
			KIND_PORTS;
		const size_t n = card_memory_cuts[i % CARD_MEMORY_CUTS] / 4;
		const uint64_t addr = (uint64_t)(i + 1) * 0x123400 % (k->dram_size - 16384);

		for (size_t j = 0; j < n; j++)
			out[j] = (uint32_t)(i * 4096 + j) * 2654435761u;
		assert_int_equal(device_write_block(d, kind_dram(k, all_of(d->chip), c, w, addr),
			out, n), 0);
		for (unsigned p = 0; p < KIND_PORTS; p++) {
			assert_int_equal(device_read_block(d, kind_dram(k, all_of(d->chip), c, p,
				addr), in, n), 0);
			assert_memory_equal(in, out, 4 * n);
			ways++;
		}
	}
	assert_int_equal(ways, k->n_dram * 3 * 3 * CARD_MEMORY_CUTS);
}

/* The simulator's own memory through its windows, where the library is at hand. */
static void test_simulator(const char *name)
{
	const char *library = getenv(name);
	const struct bus_config c = { .ttsim = library };
	const enum device_handle how = DEVICE_ACTIVE;
	static struct card_check check;
	struct card_check_plan plan = { .size = CARD_CHECK_USUAL / 4 };
	struct bus *bus = NULL;
	struct error e = { 0 };
	struct device *d;

	if (!library || !*library)
		skip();
	if (bus_open(&c, &bus, &e) < 0 || device_acquire_for(bus->dev, ACCESS_BURN, how, &e) < 0)
		fail_msg("%s", e.text);
	d = bus->dev;
	check_ways(d);
	check_good(d, 1u << 1);
	device_release(d);
	assert_int_equal(device_acquire_for(d, ACCESS_MEMORY, how, &e), 0);
	plan.enabled = plan.channels = all_of(d->chip);
	memset(&check, 0, sizeof(check));
	assert_int_equal(card_check_run(d, &plan, &check, &e), 0);
	for (unsigned i = 0; i < kind_of(d->chip)->n_dram; i++)
		assert_int_equal(card_check_judge(&check.channel[i], false), CARD_CHECK_AGREES);
	bus_close(bus);
}

static void the_memory_of_a_simulated_wormhole(void **state)
{
	(void)state;
	test_simulator("TTSIM_WH");
}

static void the_memory_of_a_simulated_blackhole(void **state)
{
	(void)state;
	test_simulator("TTSIM_BH");
}

static void it_ends_when_it_is_told_to(void **state)
{
	const struct card_memory_plan plan = { .enabled = 0x3f, .channels = 0x3f };
	static struct card_memory m;
	int left = 20;

	(void)state;
	memset(&m, 0, sizeof(m));
	fake_dram_open(&f, DEVICE_WORMHOLE);
	assert_int_equal(card_memory_run(&f.d, &plan, &m, a_few_times, &left, NULL), 0);
	assert_true(!is_met(&m, 0x3f, CARD_MEMORY_LEAST));
	assert_int_equal(m.iterations, 0);
	fake_dram_close(&f);
}

static int transfer(const struct card_transfer_plan *p, bool (*go_on)(void *),
	struct card_transfer *t, struct error *e)
{
	memset(t, 0, sizeof(*t));
	return card_transfer_run(&f.d, p, t, go_on, NULL, e);
}

static bool never(void *arg)
{
	(void)arg;
	return false;
}

/*
 * Gigabytes, of which hardly a page was ever touched: those are read, whole (proc(5): pagemap,
 * whose two highest bits are for pages in memory and swapped).
 */
static void assert_memory_is_zero(const uint32_t *memory, uint64_t bytes)
{
	const int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), words = page / sizeof(*memory);
	uint64_t entries[512];

	for (uint64_t at = 0; at < bytes / page; at++) {
		const uint64_t first = (uintptr_t)memory / page + at;

		if (at % ARRAY_LEN(entries) == 0 && pread(map, entries, sizeof(entries),
			(off_t)(first * sizeof(entries[0]))) != sizeof(entries))
			memset(entries, 0xff, sizeof(entries));
		if (!(entries[at % ARRAY_LEN(entries)] >> 62))
			continue;
		for (size_t i = 0; i < words; i++)
			assert_int_equal(memory[at * words + i], 0);
	}
	if (map >= 0)
		close(map);
}

/* What is moved to a card and back is compared, and what was there before is there again. */
static void what_is_moved_is_compared_and_put_back(void **state)
{
	struct card_transfer_plan p = { .seed = 7 };
	struct card_transfer t;
	struct error e = { 0 };

	(void)state;
	for (enum device_chip chip = DEVICE_WORMHOLE; chip <= DEVICE_BLACKHOLE; chip++) {
		fake_dram_open(&f, chip);
		fake_dram_reset(&f, 1);
		p.enabled = p.channels = all_of(chip);
		assert_int_equal(transfer(&p, always, &t, &e), 0);
		assert_int_equal(t.done, all_of(chip));
		assert_int_equal(t.wrong, 0);
		assert_int_equal(t.bytes[CARD_TRANSFER_TO],
			2 * CARD_TRANSFER_PIECE * kind_of(chip)->n_dram);
		assert_int_equal(t.bytes[CARD_TRANSFER_FROM],
			3 * CARD_TRANSFER_PIECE * kind_of(chip)->n_dram);
		assert_false(f.strayed);
		for (unsigned c = 0; c < kind_of(chip)->n_dram; c++)
			assert_memory_is_zero(f.memory[c], kind_of(chip)->dram_size);
		/* Of channels that are not asked for none is touched. */
		p.channels = 1 << 2;
		fake_dram_reset(&f, 1);
		assert_int_equal(transfer(&p, always, &t, &e), 0);
		assert_int_equal(t.done, 1 << 2);
		assert_int_equal(f.writes[0][0] + f.writes[1][1] + f.writes[3][0], 0);
		assert_int_equal(transfer(&p, never, &t, &e), 0);
		assert_int_equal(t.done, 0);
		fake_dram_close(&f);
	}
}

static const struct transport_ops *fakes;

/* Five milliseconds without a processor, as of a process on a busy host. */
static int read_late(struct device *d, struct reg_addr at, uint32_t *words, size_t n)
{
	nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
	return fakes->read(d, at, words, n);
}

static void time_without_a_processor_is_not_the_cards(void **state)
{
	struct card_transfer_plan p = { .seed = 7 };
	struct transport_ops late;
	struct card_transfer t;
	struct error e = { 0 };
	struct stopwatch watch;

	(void)state;
	fake_dram_open(&f, DEVICE_WORMHOLE);
	fake_dram_reset(&f, 1);
	fakes = f.d.ops;
	late = *fakes;
	late.read_block = read_late;
	f.d.ops = &late;
	p.enabled = p.channels = all_of(DEVICE_WORMHOLE);
	stopwatch_start(&watch);
	assert_int_equal(transfer(&p, always, &t, &e), 0);
	assert_in_range(t.took[CARD_TRANSFER_TO] + t.took[CARD_TRANSFER_FROM], 1,
		stopwatch_cpu(&watch));
	f.d.ops = fakes;
	fake_dram_close(&f);
}

static void what_is_lost_on_the_way_is_found(void **state)
{
	static const enum fake_fault faults[] = { FAKE_WRITE, FAKE_STUCK, FAKE_DARK };
	struct card_transfer_plan p = { .seed = 7 };
	struct card_transfer t;
	struct error e = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
		fake_dram_open(&f, DEVICE_WORMHOLE);
		fake_dram_reset(&f, 1);
		f.fault = faults[i];
		f.place = 3;
		f.at = 256;
		p.enabled = p.channels = all_of(DEVICE_WORMHOLE);
		transfer(&p, always, &t, &e);
		assert_true(t.wrong > 0);
		assert_int_equal(t.first.channel, faults[i] == FAKE_DARK ? 0 : 3);
		assert_int_not_equal(t.first.got, t.first.want);
		fake_dram_close(&f);
	}
}

static uint64_t reads, spoilt;

/* One read, of all, gives one wrong word. */
static int read_once_wrong(struct device *d, struct reg_addr at, uint32_t *words, size_t n)
{
	const int r = fakes->read(d, at, words, n);

	if (++reads == spoilt)
		words[n / 2] ^= 1 << 9;
	return r;
}

/* Whichever read of a good card it is, the word is right when it is read again. */
static void a_word_that_comes_right_is_not_wrong_in_memory(void **state)
{
	struct memory_finding found[MEMORY_CHANNELS * MEMORY_FINDINGS];
	struct card_transfer_plan p = { .seed = 7 };
	static struct card_memory m;
	struct transport_ops once;
	struct card_transfer t;
	struct error e = { 0 };
	uint64_t in_test = 0, in_transfer = 0;

	(void)state;
	fake_dram_open(&f, DEVICE_WORMHOLE);
	fakes = f.d.ops;
	once = *fakes;
	once.read = read_once_wrong;
	p.enabled = p.channels = all_of(DEVICE_WORMHOLE);
	/* The first are those of the marks. */
	for (uint64_t at = 1; at < 40000; at += at < 4200 ? 397 : 9973) {
		size_t n;

		fake_dram_reset(&f, 1);
		f.d.ops = &once;
		reads = 0;
		spoilt = at;
		n = test_once(&f.d, p.enabled, 1, 1, &m, found);
		assert_int_equal(m.wrong, 0);
		assert_true(n == 0 || found[0].kind == MEMORY_TRANSIENT);
		assert_int_equal(n, m.misread);
		in_test += m.misread;
	}
	for (uint64_t at = 1; at < 40; at++) {
		fake_dram_reset(&f, 1);
		f.d.ops = &once;
		reads = 0;
		spoilt = at;
		assert_int_equal(transfer(&p, always, &t, &e), 0);
		assert_int_equal(t.wrong, 0);
		in_transfer += t.misread;
	}
	assert_true(in_test > 0);
	assert_true(in_transfer > 0);
	fake_dram_close(&f);
}

/* All comparisons of the host, as the linker wraps them: right, or not at all. */
enum { IS_RIGHT, SAYS_YES, SAYS_NO, SEES_HALF };
static int comparison;

size_t __real_memory_differ(const uint32_t *got, const uint32_t *want, size_t n);
size_t __wrap_memory_differ(const uint32_t *got, const uint32_t *want, size_t n);

size_t __wrap_memory_differ(const uint32_t *got, const uint32_t *want, size_t n)
{
	switch (comparison) {
	case SAYS_YES:
		return 0;
	case SAYS_NO:
		return n;
	default:
		return __real_memory_differ(got, want, comparison == SEES_HALF ? n / 2 : n);
	}
}

static void a_comparison_that_finds_nothing_is_no_pass(void **state)
{
	static struct card_memory m;
	static struct card_check c;
	struct card_transfer t;

	(void)state;
	for (int kind = SAYS_YES; kind <= SEES_HALF; kind++)
		for (enum device_chip chip = DEVICE_WORMHOLE; chip <= DEVICE_BLACKHOLE; chip++) {
			const uint32_t all = all_of(chip);
			const struct card_memory_plan plan = { .enabled = all, .channels = all,
				.size = CARD_MEMORY_LEAST, .seed = 7, .iterations = 1 };
			const struct card_check_plan looks = { .enabled = all, .channels = all,
				.size = CARD_CHECK_USUAL, .seed = 7 };
			const struct card_transfer_plan moves = { .enabled = all,
				.channels = all, .seed = 7, .duration = CLOCK_MS };
			struct error e[3] = { { 0 } };

			fake_dram_open(&f, chip);
			fake_dram_reset(&f, 1);
			memset(&m, 0, sizeof(m));
			memset(&c, 0, sizeof(c));
			comparison = kind;
			assert_true(card_memory_run(&f.d, &plan, &m, always, NULL, &e[0]) < 0 ||
				!is_met(&m, all, CARD_MEMORY_LEAST));
			assert_int_equal(card_check_run(&f.d, &looks, &c, &e[1]), -EILSEQ);
			assert_int_equal(transfer(&moves, always, &t, &e[2]), -EILSEQ);
			comparison = IS_RIGHT;
			for (size_t i = kind == SAYS_NO; i < ARRAY_LEN(e); i++)
				assert_int_equal(e[i].word, CODE_JUDGE_BLIND);
			fake_dram_close(&f);
		}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_comparison_that_finds_nothing_is_no_pass),
		cmocka_unit_test(what_is_moved_is_compared_and_put_back),
		cmocka_unit_test(what_is_lost_on_the_way_is_found),
		cmocka_unit_test(a_word_that_comes_right_is_not_wrong_in_memory),
		cmocka_unit_test(time_without_a_processor_is_not_the_cards),
		cmocka_unit_test(a_good_card_is_tested_in_every_way),
		cmocka_unit_test(a_channel_that_is_switched_off_is_never_touched),
		cmocka_unit_test(channels_that_are_not_tested_are_marked_and_put_back),
		cmocka_unit_test(each_fault_gets_its_name),
		cmocka_unit_test(endpoints_that_are_kept_are_never_touched_and_not_asked_for),
		cmocka_unit_test(the_firmware_says_which_endpoints_are_kept),
		cmocka_unit_test(what_is_left_of_the_channels_is_known),
		cmocka_unit_test(faults_are_named_beside_endpoints_that_are_kept),
		cmocka_unit_test(each_way_astray_gets_its_name),
		cmocka_unit_test(marks_tell_which_way_leads_astray),
		cmocka_unit_test(other_channels_are_not_blamed),
		cmocka_unit_test(what_a_write_spoils_is_found_on_both_sides),
		cmocka_unit_test(data_that_repeats_is_blind_to_a_late_lane),
		cmocka_unit_test(a_late_lane_is_found_without_a_write),
		cmocka_unit_test(what_a_check_can_and_cannot_say),
		cmocka_unit_test(a_program_that_toggles_words_is_no_fault),
		cmocka_unit_test(channels_that_show_the_same_are_told),
		cmocka_unit_test(it_ends_when_it_is_told_to),
		cmocka_unit_test(the_memory_of_a_simulated_wormhole),
		cmocka_unit_test(the_memory_of_a_simulated_blackhole),
	};

	return cmocka_run_group_tests_name("card_memory", tests, NULL, NULL);
}

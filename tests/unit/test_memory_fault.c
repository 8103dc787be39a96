/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of faults, from recordings of wrong words (tests/fixtures/memory):
 * each recording says which faults it is of, and the classifier sees nothing else.
 * UPDATE_GOLDEN=1 makes the recordings anew from the models of faults below.
 */
#include "config.h"
#include "base/mem.h"
#include "burnin/memory/memory_fault.h"
#include "burnin/kernels/impl.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define KEY   0x5eed
#define WORDS 256u		/* of each endpoint */
#define NAMES 4

/* How a word of a recording goes wrong: what is read, what the next reads give. */
struct read {
	uint32_t got, again, other, last, rewritten;
};
typedef void model(uint64_t addr, unsigned port, struct read *r);

static const struct memory_data data = { MEMORY_RANDOM, KEY };

static uint32_t word(uint64_t addr)
{
	return memory_word(&data, addr);
}

/* A number for each access, the same in every run. */
static uint64_t chance(uint64_t addr, unsigned port, unsigned which)
{
	return impl_mix(addr * 64 + port * 8 + which + 1);
}

static uint32_t with_lane(uint32_t to, uint32_t from, unsigned lane)
{
	const uint32_t mask = 0xffu << 8 * lane;

	return (to & ~mask) | (from & mask);
}

/* On the way out: each read of a block is late, a word that is read again and again is right. */
static void late(uint64_t addr, struct read *r, unsigned lane, unsigned even, unsigned odd)
{
	const uint64_t back = addr / MEMORY_CHUNK & 1 ? odd : even;

	if (addr < back)
		return;
	r->got = with_lane(r->got, word(addr - back), lane);
	r->again = with_lane(r->again, word(addr - back), lane);
	r->other = with_lane(r->other, word(addr - back), lane);
}

static void fine(uint64_t addr, unsigned port, struct read *r)
{
	(void)addr, (void)port, (void)r;
}

static void late_lane(uint64_t addr, unsigned port, struct read *r)
{
	(void)port;
	late(addr, r, 2, 64, 128);
}

static void late_lane_other_phase(uint64_t addr, unsigned port, struct read *r)
{
	(void)port;
	late(addr, r, 0, 128, 64);
}

static void late_at_some(uint64_t addr, unsigned port, struct read *r)
{
	(void)port;
	if (addr / 256 % 4 == 1)
		late(addr, r, 3, 64, 64);
}

static void set_bit(struct read *r, unsigned bit)
{
	r->got |= 1u << bit;
	r->again |= 1u << bit;
	r->other |= 1u << bit;
	r->last |= 1u << bit;
	r->rewritten |= 1u << bit;
}

static void stuck_bit(uint64_t addr, unsigned port, struct read *r)
{
	(void)port;
	if (addr % 128 == 0x44)
		set_bit(r, 13);
}

/* At every 64 bytes, as a mark of bursts would be. */
static void stuck_like_a_pattern(uint64_t addr, unsigned port, struct read *r)
{
	(void)port;
	if (addr % 64 == 0)
		set_bit(r, 31);
}

static void late_and_stuck(uint64_t addr, unsigned port, struct read *r)
{
	late_lane(addr, port, r);
	if (addr % 128 == 0x40)
		set_bit(r, 5);
}

static void two_late_lanes(uint64_t addr, unsigned port, struct read *r)
{
	(void)port;
	late(addr, r, 1, 64, 128);
	late(addr, r, 3, 32, 32);
}

static void late_and_stuck_in_one_lane(uint64_t addr, unsigned port, struct read *r)
{
	(void)port;
	if (addr / 256 % 2)
		late(addr, r, 1, 64, 128);
	else
		set_bit(r, 9);
}

/* Written wrongly: every read gives the same wrong word. */
static void random_when_written(uint64_t addr, unsigned port, struct read *r)
{
	(void)port;
	if (chance(addr, 0, 0) % 4 == 0)
		r->got = r->again = r->other = r->last = (uint32_t)chance(addr, 0, 1);
}

/* One wrong byte in eight is that of 64 bytes before, by chance or not. */
static void random_with_coincidences(uint64_t addr, unsigned port, struct read *r)
{
	random_when_written(addr, port, r);
	if (r->got == word(addr) || addr < 64 || chance(addr, 0, 2) % 8)
		return;
	r->got = r->again = r->other = r->last = word(addr - 64);
}

/* Half of them: too many for chance, too few for a lane that is late. */
static void half_of_it_late(uint64_t addr, unsigned port, struct read *r)
{
	random_when_written(addr, port, r);
	if (r->got == word(addr) || addr < 64 || chance(addr, 0, 2) % 2)
		return;
	r->got = r->again = r->other = r->last = word(addr - 64);
}

static void one_endpoint(uint64_t addr, unsigned port, struct read *r)
{
	if (port == 1 && chance(addr, port, 0) % 4 == 0)
		r->got ^= 1u << chance(addr, port, 1) % 32;
}

static void rare_flip(uint64_t addr, unsigned port, struct read *r)
{
	if (addr == 0x240 + 4 * (uint64_t)port)
		r->got ^= 1u << 22;
}

/* One bit of a few words: as one that is stuck, but for what it is once it is written anew. */
static void flipped_when_written(uint64_t addr, unsigned port, struct read *r)
{
	(void)port;
	if (addr % 128 == 0x40)
		r->got = r->again = r->other = r->last = word(addr) | 1u << 20;
}

/* A word that is wrong once and stays so: a cell, or the way in; nobody can tell. */
static void too_little(uint64_t addr, unsigned port, struct read *r)
{
	(void)port;
	if (addr == 0x138)
		r->got = r->again = r->other = r->last = word(addr) ^ 1;
}

/* Sometimes right when it is read again, sometimes not. */
static void now_and_then(uint64_t addr, unsigned port, struct read *r)
{
	(void)port;
	if (chance(addr, 0, 0) % 4)
		return;
	r->got = r->other = r->last = (uint32_t)chance(addr, 0, 1);
	r->again = chance(addr, 0, 2) % 2 ? r->got : word(addr);
}

/* Another word; one lane of it happens to be what it was 96 bytes before. */
static void another_word(uint64_t addr, unsigned port, struct read *r)
{
	if (port != 1 || addr < 96 || chance(addr, 0, 0) % 8)
		return;
	r->got = with_lane(word(addr) ^ 0x5a9625e7, word(addr - 96), 2);
}

static const struct recording {
	const char *name;
	model *model;
	const char *faults[NAMES];	/* as they are told, up to the words that are counted */
} recordings[] = {
	{ "fine", fine, { NULL } },
	{ "late-lane", late_lane, { "channel 3: byte lane 2: late by 64 and 128 bytes in "
		"alternating chunks (when read): " } },
	{ "late-lane-other-phase", late_lane_other_phase, { "channel 3: byte lane 0: late by 128 "
		"and 64 bytes in alternating chunks (when read): " } },
	{ "late-at-some-addresses", late_at_some, { "channel 3: byte lane 3: late by 64 bytes "
		"(when read): " } },
	{ "stuck-bit", stuck_bit, { "channel 3: byte lane 1, bit 13: a bit is stuck: " } },
	{ "stuck-like-a-pattern", stuck_like_a_pattern, { "channel 3: byte lane 3, bit 31: a bit "
		"is stuck: " } },
	{ "late-and-stuck", late_and_stuck, { "channel 3: byte lane 0, bit 5: a bit is stuck: ",
		"channel 3: byte lane 2: late by 64 and 128 bytes in alternating chunks (when "
		"read): " } },
	{ "two-late-lanes", two_late_lanes, { "channel 3: byte lane 1: late by 64 and 128 bytes in "
		"alternating chunks (when read): ", "channel 3: byte lane 3: late by 32 bytes "
		"(when read): " } },
	{ "late-and-stuck-in-one-lane", late_and_stuck_in_one_lane, { "channel 3: byte lane 1: "
		"wrong, of an unknown kind (when read): " } },
	{ "random-when-written", random_when_written, { "channel 3: all byte lanes: wrong without "
		"a rule (when written): " } },
	{ "random-with-coincidences", random_with_coincidences, { "channel 3: all byte lanes: "
		"wrong without a rule (when written): " } },
	{ "half-of-it-late", half_of_it_late, { "channel 3: all byte lanes: wrong, of an unknown "
		"kind (when read or when written: not known): " } },
	{ "one-endpoint", one_endpoint, { "channel 3, endpoint 1 alone: all byte lanes: read "
		"wrong once, right when read again: " } },
	{ "another-word", another_word, { "channel 3, endpoint 1 alone: all byte lanes: read "
		"wrong once, right when read again: " } },
	{ "rare-flip", rare_flip, { "channel 3: byte lane 2, bit 22: read wrong once, right when "
		"read again: " } },
	{ "flipped-when-written", flipped_when_written, { "channel 3: byte lane 2, bit 20: wrong "
		"without a rule (when written): " } },
	{ "too-little", too_little, { "channel 3: byte lane 0, bit 0: wrong, of an unknown "
		"kind (when read or when written: not known): " } },
	{ "now-and-then", now_and_then, { "channel 3: all byte lanes: wrong, of an unknown "
		"kind (when read or when written: not known): " } },
};

static FILE *open_recording(const char *name, const char *mode)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/fixtures/memory/%s.txt", getenv("top_srcdir"),
		name);
	f = fopen(path, mode);
	if (!f)
		fail_msg("%s: %s", path, strerror(errno));
	return f;
}

static void record(const struct recording *x)
{
	FILE *f = open_recording(x->name, "we");

	fprintf(f, "# endpoint address want got again other last rewritten; of %u "
		"words through each of %d endpoints\n", WORDS, MEMORY_PORTS);
	for (unsigned p = 0; p < MEMORY_PORTS; p++)
		for (uint64_t addr = 0; addr < 4 * WORDS; addr += 4) {
			const uint32_t w = word(addr);
			struct read r = { w, w, w, w, w };

			x->model(addr, p, &r);
			if (r.got != w)
				fprintf(f, "%u 0x%llx %08x %08x %08x %08x %08x %08x\n", p,
					(unsigned long long)addr, w, r.got, r.again, r.other,
					r.last, r.rewritten);
		}
	fclose(f);
}

static uint32_t word_at(const void *arg, uint64_t addr)
{
	(void)arg;
	return word(addr);
}

static size_t replay(const struct recording *x, struct memory_finding found[MEMORY_FINDINGS])
{
	struct memory_tally t[MEMORY_PORTS] = { { 0 } };
	FILE *f = open_recording(x->name, "re");
	unsigned long long addr;
	struct memory_wrong w = { .probed = true, .cut = 4096 };
	char line[160];
	unsigned p;

	for (p = 0; p < MEMORY_PORTS; p++)
		memory_tally_words(&t[p], WORDS, 0);
	while (fgets(line, sizeof(line), f)) {
		if (*line == '#')
			continue;
		assert_int_equal(sscanf(line, "%u %llx %x %x %x %x %x %x", &p, &addr,
			&w.want, &w.got, &w.again, &w.other, &w.last, &w.rewritten), 8);
		assert_true(p < MEMORY_PORTS);
		w.addr = addr;
		assert_int_equal(w.want, word(addr));
		memory_tally_wrong(&t[p], &w);
		memory_tally_event(&t[p], 0, true);
		memory_tally_closely(&t[p], &w, word_at, NULL);
	}
	fclose(f);
	return memory_judge(3, 0, t, found);
}

static void check_names(const struct recording *x)
{
	struct memory_finding found[MEMORY_FINDINGS];
	const size_t n = replay(x, found);
	char text[200];
	size_t wanted = 0;

	while (wanted < NAMES && x->faults[wanted])
		wanted++;
	for (size_t i = 0; i < n; i++) {
		memory_finding_text(&found[i], text, sizeof(text));
		if (i >= wanted || strncmp(text, x->faults[i], strlen(x->faults[i])) != 0)
			fail_msg("%s: '%s', not '%s'", x->name, text,
				i < wanted ? x->faults[i] : "");
		assert_true(found[i].wrong > 0 && found[i].wrong <= found[i].words);
	}
	if (n != wanted)
		fail_msg("%s: %zu faults, not %zu", x->name, n, wanted);
}

static void recorded_faults_get_their_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(recordings); i++) {
		if (getenv("UPDATE_GOLDEN"))
			record(&recordings[i]);
		check_names(&recordings[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded_faults_get_their_names),
	};

	return cmocka_run_group_tests_name("memory_fault", tests, NULL, NULL);
}

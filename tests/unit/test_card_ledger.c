/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_card_ledger.c - each part of a card's burn that is left out is missed: the
 * counters of a burn that did everything pass, and none of them can be taken away.
 */
#include "config.h"
#include "base/mem.h"
#include "base/clock.h"
#include "burnin/cores/card_judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { OFF = 1 << 11 | 1 << 3, CORES = 64, CHANNELS = 6, ODD = 37 };

static struct device wormhole = { .chip = DEVICE_WORMHOLE };
static struct card_shared shared;
static struct card_burn burn;
static struct card_result result;

static struct card_burn_config everything(void)
{
	return (struct card_burn_config){ .device = &wormhole, .off = OFF,
		.kinds = { true, true }, .duration = 60 * CLOCK_SECOND, .enabled = 0x3f,
		.channels = 0x3f, .bursts = true, .reload = 1, .vector = 1 };
}

static void complete_core(struct card_core *c)
{
	for (int k = 0; k < CARD_KINDS; k++)
		atomic_store(&c->blocks[k], 8);
	atomic_store(&c->starts, 2);
	atomic_store(&c->named, 2);
	atomic_store(&c->rechecked, 2);
	atomic_store(&c->vectors, 16);
	atomic_store(&c->brought, 2);
	atomic_store(&c->moved, 2);
}

/* A burn that did all that this asks for. */
static void complete(struct card_burn_config c)
{
	memset(&shared, 0, sizeof(shared));
	burn = (struct card_burn){ .config = c, .shared = &shared, .is_over = true,
		.lasted = 60 * CLOCK_SECOND };
	card_ledger_ask(&c, &burn.asked);
	shared.finished = true;
	atomic_store(&shared.n, CORES);
	atomic_store(&shared.rounds, 6);
	for (size_t i = 0; i < CORES; i++)
		complete_core(&shared.cores[i]);
	for (size_t n = 0; n < CHANNELS; n++) {
		atomic_store(&shared.channels[n].words, 300);
		for (int p = 0; p < MEMORY_PORTS; p++)
			atomic_store(&shared.ports[n][p].words, 100);
	}
}

static void judge(enum verdict verdict, const char *words)
{
	card_judge(&burn, NULL, &result);
	if (result.verdict != verdict || (*words ? !strstr(result.reason, words) : *result.reason))
		fail_msg("%s: '%s', not %s with '%s'", verdict_word(result.verdict),
			result.reason, verdict_word(verdict), words);
	assert_int_equal(result.code == CODE_NONE, verdict == VERDICT_PASS);
}

static void all_of_it_passes(void **state)
{
	struct card_burn_config c = everything();

	(void)state;
	complete(c);
	judge(VERDICT_PASS, "");
	assert_true(ledger_is_met(&result.coverage));
	assert_int_equal(result.coverage.asked[LEDGER_CORES], CORES);
	assert_int_equal(result.coverage.asked[LEDGER_KINDS], 2 * CORES);
	assert_int_equal(result.coverage.asked[LEDGER_ENDPOINTS], MEMORY_PORTS * CHANNELS);
	c.iterations = 3;
	c.duration = 0;
	complete(c);
	judge(VERDICT_PASS, "");
	assert_int_equal(result.coverage.asked[LEDGER_ROUNDS], 3);
	assert_int_equal(result.coverage.asked[LEDGER_TIME], 0);
}

static void no_block_of_a_kind(void)
{
	atomic_store(&shared.cores[ODD].blocks[CARD_MATMUL], 0);
}

static void no_block_by_the_host(void)
{
	atomic_store(&shared.cores[ODD].rechecked, 0);
}

static void a_core_less(void)
{
	atomic_store(&shared.n, CORES - 1);
}

static void no_core(void)
{
	atomic_store(&shared.n, 0);
}

static void a_core_more(void)
{
	atomic_store(&shared.n, CORES + 1);
	complete_core(&shared.cores[CORES]);
}

static void no_vector(void)
{
	atomic_store(&shared.cores[ODD].vectors, 0);
}

static void no_reload(void)
{
	for (size_t i = 0; i < CORES; i++)
		atomic_store(&shared.cores[i].brought, 0);
}

static void no_reload_at_one_start(void)
{
	atomic_store(&shared.cores[ODD].dry, 1);
}

static void no_channel_at_one_start(void)
{
	atomic_store(&shared.channels[4].missed, 1);
}

static void no_mover(void)
{
	atomic_store(&shared.cores[ODD].moved, 0);
}

static void a_mover_that_died_once(void)
{
	atomic_store(&shared.cores[ODD].lame, 1);
}

static void a_core_that_ended_early(void)
{
	atomic_store(&shared.cores[ODD].early, 1);
}

static void no_name_at_one_start(void)
{
	atomic_store(&shared.cores[ODD].named, 1);
}

static void no_channel(void)
{
	atomic_store(&shared.channels[4].words, 0);
}

static void no_endpoint(void)
{
	atomic_store(&shared.ports[4][2].words, 0);
}

static void no_time(void)
{
	burn.lasted = 12700 * CLOCK_MS;
}

static void nothing_asked(void)
{
	memset(&burn.asked, 0, sizeof(burn.asked));
}

static void none_of_it_can_be_left_out(void **state)
{
	static const struct {
		void (*spoil)(void);
		const char *words;
		enum verdict verdict;
	} cases[] = {
		{ no_block_of_a_kind, "matmul did not run on core", VERDICT_INCOMPLETE },
		{ no_block_of_a_kind, "127 of 128 kinds of work", VERDICT_INCOMPLETE },
		{ no_block_by_the_host, "the host compared no block of core", VERDICT_INCOMPLETE },
		{ no_block_by_the_host, "63 of 64 cores were compared", VERDICT_INCOMPLETE },
		{ a_core_less, "63 of 64 cores were compared", VERDICT_INCOMPLETE },
		{ no_core, "no core was started", VERDICT_INCOMPLETE },
		{ a_core_more, "65 of 64 cores were compared", VERDICT_INCOMPLETE },
		{ no_vector, "63 of 64 cores' vector units", VERDICT_INCOMPLETE },
		{ no_reload, "0 of 64 cores had their operands from the card's memory",
			VERDICT_INCOMPLETE },
		{ no_reload_at_one_start, "63 of 64 cores had their operands", VERDICT_INCOMPLETE },
		{ no_mover, "63 of 64 cores' second data movers", VERDICT_INCOMPLETE },
		{ a_mover_that_died_once,
			"1 core had a data mover that stood still or did too little", VERDICT_FAIL },
		{ a_core_that_ended_early, "1 core ended before its time or left blocks out",
			VERDICT_FAIL },
		{ no_name_at_one_start, "63 of 64 cores reported their own coordinates",
			VERDICT_INCOMPLETE },
		{ no_channel, "memory channel 4 was not read", VERDICT_INCOMPLETE },
		{ no_channel_at_one_start, "memory channel 4 was not read by each core at each "
			"start; 5 of 6 memory channels were verified", VERDICT_INCOMPLETE },
		{ no_endpoint, "17 of 18 endpoints", VERDICT_INCOMPLETE },
		{ no_time, "12.70 of 60 s of load", VERDICT_INCOMPLETE },
		{ nothing_asked, "", VERDICT_INCOMPLETE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		complete(everything());
		cases[i].spoil();
		if (*cases[i].words) {
			judge(cases[i].verdict, cases[i].words);
		} else {
			card_judge(&burn, NULL, &result);
			assert_int_equal(result.verdict, cases[i].verdict);
		}
	}
}

/* With a number of rounds it is they that count, and with a first light its stages. */
static void rounds_are_missed(void **state)
{
	struct card_burn_config c = everything();

	(void)state;
	c.duration = 0;
	c.iterations = 4;
	complete(c);
	judge(VERDICT_INCOMPLETE, "3 of 4 rounds");
	/* Of two ends the one that comes first. */
	c.duration = 60 * CLOCK_SECOND;
	complete(c);
	judge(VERDICT_PASS, "");
	burn.lasted--;
	judge(VERDICT_INCOMPLETE, "3 of 4 rounds");
	c.iterations = 3;
	complete(c);
	burn.lasted = CLOCK_SECOND;
	judge(VERDICT_PASS, "");
	c.iterations = 0;
	c.duration = 0;
	c.first_light = true;
	complete(c);
	atomic_store(&shared.rounds, CARD_LIGHT_STAGES - 1);
	judge(VERDICT_INCOMPLETE, "4 of 5 rounds");
	atomic_store(&shared.rounds, CARD_LIGHT_STAGES);
	judge(VERDICT_PASS, "");
}

/* What cannot be had of what was named is missed as well. */
static void a_channel_that_is_left_alone_is_missed(void **state)
{
	struct card_burn_config c = everything();

	(void)state;
	c.channels = 0x1f;
	c.memory_left = 0x20;
	complete(c);
	atomic_store(&shared.channels[5].words, 0);
	for (int p = 0; p < MEMORY_PORTS; p++)
		atomic_store(&shared.ports[5][p].words, 0);
	judge(VERDICT_INCOMPLETE, "memory channel 5 is not trained and was left alone");
	assert_int_equal(result.coverage.asked[LEDGER_CHANNELS], CHANNELS);
	assert_int_equal(result.coverage.done[LEDGER_CHANNELS], CHANNELS - 1);
	/* So is one from which operands alone should have come. */
	c.bursts = false;
	complete(c);
	judge(VERDICT_INCOMPLETE, "memory channel 5 is not trained and was left alone");
	c.channels = 0;
	c.memory_left = 0x3f;
	c.reload = 0;
	complete(c);
	judge(VERDICT_INCOMPLETE, "no memory channel is trained");
}

/* Which rows are off the firmware says, not the number of cores that were started. */
static void the_cores_come_from_the_firmware(void **state)
{
	struct card_burn_config c = everything();

	(void)state;
	c.asks_off = true;
	c.off = 0;
	complete(c);
	judge(VERDICT_INCOMPLETE, "64 of 80 cores were compared");
	atomic_store(&shared.off, OFF);
	judge(VERDICT_PASS, "");
}

/* Operands that are held do not come anew, and are not missed. */
static void what_was_not_asked_for_is_not_missed(void **state)
{
	struct card_burn_config c = everything();

	(void)state;
	c.held = true;
	complete(c);
	no_reload();
	judge(VERDICT_PASS, "");
	c = everything();
	c.bursts = false;
	c.vector = 0;
	complete(c);
	no_channel();
	no_endpoint();
	no_vector();
	judge(VERDICT_PASS, "");
}

/* A counter that cannot be true is no rate, and blames nobody. */
static void more_than_one_product_a_cycle_is_no_rate(void **state)
{
	(void)state;
	complete(everything());
	for (size_t i = 0; i < CORES; i++) {
		atomic_store(&shared.cores[i].mvmuls, i == ODD ? 1000 : 100000);
		atomic_store(&shared.cores[i].cycles, 1000);
	}
	judge(VERDICT_PASS, "");
	assert_int_equal(result.untrue_cores, CORES - 1);
	assert_int_equal(result.rated_cores, 1);
	assert_true(card_judge_rate(&shared.cores[0]) <= 0);
	assert_true(result.median <= 1);
	assert_int_equal(result.slow_cores, 0);
}

/* By cores, by the host of their blocks, by cores of the memory, by the host of the memory. */
static void whoever_finds_a_wrong_word_it_counts(void **state)
{
	(void)state;
	for (unsigned who = 0; who < 16; who++) {
		complete(everything());
		atomic_store(&shared.cores[ODD].errors, who & 1);
		atomic_store(&shared.cores[0].refuted, who & 2);
		atomic_store(&shared.channels[1].errors, who & 4);
		shared.memory.wrong = who & 8;
		card_judge(&burn, NULL, &result);
		assert_int_equal(result.wrong, who);
	}
}

/* Any bit of what the child tells: the judge reads nothing beside it, and ends. */
static void a_flipped_bit_leads_nowhere(void **state)
{
	static const size_t from[] = { 0, offsetof(struct card_shared, memory), 0 };
	static const size_t to[] = { offsetof(struct card_shared, channels),
		offsetof(struct card_shared, cores), sizeof(shared) };
	struct card_burn_config memory = everything();
	uint8_t *bytes = (uint8_t *)&shared;
	uint64_t random = 7;

	(void)state;
	memset(memory.kinds, 0, sizeof(memory.kinds));
	memory.memory = (struct card_memory_plan){ .enabled = 0x3f, .channels = 0x3f,
		.size = 1 << 20 };
	for (int i = 0; i < 30000; i++) {
		const size_t part = (size_t)i % ARRAY_LEN(from);
		size_t at;

		complete(i % 2 ? everything() : memory);
		shared.memory.wrong = 7;
		atomic_store(&shared.cores[ODD].errors, 3);
		atomic_store(&shared.cores[ODD].n_wrong, 3);
		memset(shared.trouble.text, 'x', sizeof(shared.trouble.text));
		random = random * 6364136223846793005 + 1442695040888963407;
		at = from[part] + (random >> 33) % (to[part] - from[part]);
		bytes[at] ^= (uint8_t)(1u << (random >> 20) % 8);
		card_judge(&burn, NULL, &result);
		assert_true(strlen(result.reason) < sizeof(result.reason));
	}
}

static void counts_and_names_are_held_to_their_room(void **state)
{
	(void)state;
	complete(everything());
	atomic_store(&shared.n, SIZE_MAX);
	assert_int_equal(card_cores(&shared), CARD_TILES);
	atomic_store(&shared.cores[0].n_wrong, UINT32_MAX);
	atomic_store(&shared.cores[0].errors, 1);
	shared.cores[0].wrong[0].kind = (enum card_kind)0x40000000;
	assert_int_equal(card_wrong_words(&shared.cores[0]), KERNEL_MISMATCHES);
	assert_string_equal(card_kind_name(shared.cores[0].wrong[0].kind), "?");
	card_judge(&burn, NULL, &result);
	assert_int_equal(result.verdict, VERDICT_FAIL);
	assert_int_equal(result.cores, CARD_TILES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{ "a burn that did all of it passes", all_of_it_passes, NULL, NULL, NULL },
		{ "none of it can be left out", none_of_it_can_be_left_out, NULL, NULL, NULL },
		{ "rounds that are missing are missed", rounds_are_missed, NULL, NULL, NULL },
		{ "a channel that is left alone is missed", a_channel_that_is_left_alone_is_missed,
			NULL, NULL, NULL },
		{ "which cores live comes from the firmware", the_cores_come_from_the_firmware, NULL,
			NULL, NULL },
		{ "what was not asked for is not missed", what_was_not_asked_for_is_not_missed, NULL,
			NULL, NULL },
		{ "more than one product a cycle is no rate",
			more_than_one_product_a_cycle_is_no_rate, NULL, NULL, NULL },
		{ "whoever finds a wrong word, it counts", whoever_finds_a_wrong_word_it_counts, NULL,
			NULL, NULL },
		{ "a flipped bit leads nowhere", a_flipped_bit_leads_nowhere, NULL, NULL, NULL },
		{ "counts and names are held to their room",
			counts_and_names_are_held_to_their_room, NULL, NULL, NULL },
	};

	return cmocka_run_group_tests_name("card_ledger", tests, NULL, NULL);
}

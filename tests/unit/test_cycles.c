/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of the matrix unit's time the kernel uses, by a model of the documented
 * rates (tile_model.h says what it assumes): the kernel's own images run in it,
 * checking included.  Each figure is printed with its assumptions.
 */
#include "config.h"
#include "tests/rig/tile_model.h"
#include "base/mem.h"
#include "burnin/cores/card_data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#define LIMIT 20000000	/* cycles; the longest run takes a tenth */

static const char *name_of(enum device_chip chip)
{
	return chip == DEVICE_BLACKHOLE ? "Blackhole" : "Wormhole";
}

static struct tile_rates rates_of(enum device_chip chip)
{
	return chip == DEVICE_BLACKHOLE ? tile_rates_blackhole : tile_rates_wormhole;
}

/* The part of the cycles from the first product to the last in which one began. */
static double use(enum device_chip chip, const struct tile_rates *rates, const struct card_work *w,
	struct tile_times *t)
{
	struct card_work made = *w;
	struct card_data d;
	struct error e = { 0 };

	/* The model does not calculate, so it may sum up more than is exact. */
	if (w->held)
		made.repeats = made.depth = 1;
	if (card_data_make(&made, &d, &e) < 0)
		fail_msg("%s", e.text);
	d.order.repeats = w->repeats;
	d.order.depth = w->depth;
	d.mvmuls = d.mvmuls / made.repeats / made.depth * w->repeats * w->depth;
	if (!tile_model_run(chip, rates, &d.order, w->vector, LIMIT, t))
		fail_msg("%s, %u phases: the model did not end: %u blocks", name_of(chip),
			w->phases, t->blocks);
	assert_int_equal(t->blocks, w->rows * w->passes);
	assert_int_equal(t->mvmuls, d.mvmuls * t->blocks);
	/* All beside the tests of L1. */
	assert_true(t->traffic.exchange.bytes + t->traffic.exchange.walks > 0);
	/* What the tile says of itself is never more than it made. */
	if (t->told * (double)d.mvmuls > 1)
		fail_msg("%s says that it made %f products a cycle", name_of(chip),
			t->told * (double)d.mvmuls);
	card_data_clear(&d);
	return (double)t->mvmuls / (double)(t->last - t->first + 1);
}

static void print(enum device_chip chip, const struct tile_rates *r, const struct card_work *w,
	const struct tile_times *t, double u)
{
	printf("# %-9s %u phases%s, %u steps a block: %.4f products a cycle, comparing a block"
		" takes %llu of %llu cycles (unpackers %u bytes a cycle each, %u cycles lost at each"
		" fetch, %u until valid; a load takes %u cycles)\n", name_of(chip), w->phases,
		w->held ? " held" : "", w->taps * w->taps * w->depth * w->repeats, u,
		(unsigned long long)t->compare,
		(unsigned long long)((t->last - t->first) / t->blocks), r->unpack_bytes,
		r->unpack_lost, r->unpack_latency, r->load_cycles);
	printf("#   exchange: %u bytes of L1 tested in %llu cycles, %.2f bytes of L1 read and"
		" written a cycle\n", t->traffic.exchange.walks * 65536 + t->traffic.exchange.bytes,
		(unsigned long long)t->cycles, (double)t->exchanged / (double)t->cycles);
}

/*
 * The default work of a burn.  A block is long enough to hide its comparison four times over.
 */
static const struct card_work card_work_usual = { .taps = 3, .depth = 4, .rows = 8, .repeats = 33,
	.phases = 4 };

static struct card_work work(uint32_t phases)
{
	struct card_work w = card_work_usual;

	w.rows = 2;
	w.passes = 2;
	w.phases = phases;
	return w;
}

/* What the burn does unless told otherwise, with checking, is at the matrix unit's rate. */
static void test_usual(void **state)
{
	static const struct {
		unsigned lost, latency;
	} slower[] = { { 0, 0 }, { 8, 16 }, { 24, 32 } };

	(void)state;
	assert_int_equal(card_work_usual.phases, 4);
	for (enum device_chip chip = DEVICE_WORMHOLE; chip <= DEVICE_BLACKHOLE; chip++)
		for (size_t i = 0; i < ARRAY_LEN(slower); i++) {
			struct tile_rates r = rates_of(chip);
			struct card_work w = work(4);
			struct tile_times t;
			double u;

			r.unpack_lost = slower[i].lost;
			r.unpack_latency = slower[i].latency;
			u = use(chip, &r, &w, &t);
			print(chip, &r, &w, &t, u);
			assert_true(u >= 0.99 && u <= 1);
			/* Each block is compared while the next is made, with room to spare. */
			assert_true(t.compare < (t.last - t.first) / t.blocks);
		}
}

/*
 * The other modes: with one phase, Wormhole's unpackers bring half of what it could use.
 * Where they just keep up, it is assumed that an unpack instruction begins when its bank
 * is free, which costs two cycles a step (of 66 and of 34); the documents do not say.
 */
static void test_modes(void **state)
{
	static const struct {
		enum device_chip chip;
		uint32_t phases;
		bool held;
		double least, most;
	} modes[] = {
		{ DEVICE_WORMHOLE, 1, false, 0.49, 0.51 },
		{ DEVICE_WORMHOLE, 2, false, 0.96, 1.00 },
		{ DEVICE_WORMHOLE, 4, true, 0.99, 1.00 },
		{ DEVICE_BLACKHOLE, 1, false, 0.93, 1.00 },
		{ DEVICE_BLACKHOLE, 2, false, 0.99, 1.00 },
		{ DEVICE_BLACKHOLE, 4, true, 0.99, 1.00 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
		struct tile_rates r = rates_of(modes[i].chip);
		struct card_work w = work(modes[i].phases);
		struct tile_times t;
		double u;

		w.held = modes[i].held;
		u = use(modes[i].chip, &r, &w, &t);
		print(modes[i].chip, &r, &w, &t, u);
		assert_true(u >= modes[i].least && u <= modes[i].most);
	}
}

/* The vector unit may work for half of a block's time, and holds up nothing. */
static void test_vector(void **state)
{
	(void)state;
	for (enum device_chip chip = DEVICE_WORMHOLE; chip <= DEVICE_BLACKHOLE; chip++) {
		struct tile_rates r = rates_of(chip);
		struct card_work w = work(4);
		struct tile_times t;
		double u, v;

		w.vector = 64;
		u = use(chip, &r, &w, &t);
		v = (double)t.vector / (double)(t.last - t.first);
		print(chip, &r, &w, &t, u);
		printf("# %-9s the vector unit begins %.3f instructions a cycle\n",
			name_of(chip), v);
		assert_true(u >= 0.99);
		assert_true(v > 0.35 && v < 0.6);
	}
}

/* Why a block is as long as it is: a short one waits until the last was compared. */
static void test_block(void **state)
{
	(void)state;
	for (enum device_chip chip = DEVICE_WORMHOLE; chip <= DEVICE_BLACKHOLE; chip++) {
		struct tile_rates r = rates_of(chip);
		struct card_work w = work(4);
		struct tile_times t;
		uint32_t least = 0;

		w.passes = 8;

		for (uint32_t repeats = 1; repeats <= card_work_usual.repeats; repeats += 4) {
			double u;

			w.repeats = repeats;
			u = use(chip, &r, &w, &t);
			if (repeats == 1) {
				print(chip, &r, &w, &t, u);
				assert_true(u < 0.9);
			}
			if (u >= 0.99 && !least)
				least = repeats;
		}
		printf("# %-9s the least repeats for 0.99 products a cycle: %u; usual: %u\n",
			name_of(chip), least, card_work_usual.repeats);
		assert_true(least > 1 && 2 * least <= card_work_usual.repeats);
	}
}

/* The first block that is compared has a word wrong on purpose: a judge that is blind shows. */
static void test_trial(void **state)
{
	const struct kernel_trial trial = kernel_trial_of(TILE_NAME);

	(void)state;
	for (enum device_chip chip = DEVICE_WORMHOLE; chip <= DEVICE_BLACKHOLE; chip++) {
		struct tile_rates r = rates_of(chip);
		struct card_work w = work(4);
		struct tile_times t;

		w.repeats = 1;
		use(chip, &r, &w, &t);
		assert_int_equal(t.state.b_errors, 1);
		assert_int_equal(t.state.mismatch[0].block, 0);
		assert_int_equal(t.state.mismatch[0].word, trial.word);
		assert_int_equal(t.state.mismatch[0].got, trial.bits);
		assert_int_equal(t.state.mismatch[0].want, 0);
		r.is_blind = true;
		use(chip, &r, &w, &t);
		assert_int_equal(t.state.b_errors, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{ "four phases keep the matrix unit busy, checking included", test_usual, NULL, NULL,
			NULL },
		{ "the other modes are as fast as their operands come", test_modes, NULL, NULL, NULL },
		{ "the vector unit works beside", test_vector, NULL, NULL, NULL },
		{ "a judge shows that it compares", test_trial, NULL, NULL, NULL },
		{ "a usual block is longer than its comparison by far", test_block, NULL, NULL, NULL },
	};

	return cmocka_run_group_tests_name("cycles", tests, NULL, NULL);
}

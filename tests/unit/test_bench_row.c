/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_bench_row.c - a row of the bench of kernels: which samples count, what ratio they make,
 * and that a library which crashes costs its own figures alone.
 */
#include "config.h"
#include "base/mem.h"
#include "tests/bench/row.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void peer_prepare(int threads)
{
	(void)threads;
}

static struct row *row;
static int opened;

static void *open_any(const struct burn_shape *s, enum burn_dtype t, const struct burn_operands *at)
{
	(void)s, (void)t, (void)at;
	return &opened;
}

static void *open_none(const struct burn_shape *s, enum burn_dtype t,
	const struct burn_operands *at)
{
	(void)s, (void)t, (void)at;
	return NULL;
}

static void *open_and_crash(const struct burn_shape *s, enum burn_dtype t,
	const struct burn_operands *at)
{
	(void)s, (void)t, (void)at;
	abort();
}

static void run_well(void *handle)
{
	volatile int sum = 0;

	for (int i = 0; i < 100000; i++)
		sum = sum + *(int *)handle;
}

static void run_and_crash(void *handle)
{
	static int runs;

	(void)handle;
	if (++runs == 5)
		raise(SIGKILL);
}

static void close_it(void *handle)
{
	(void)handle;
}

static const struct peer well = { "well", open_any, run_well, close_it };
static const struct peer missing = { "missing", open_none, run_well, close_it };
static const struct peer crashes = { "crashes", open_any, run_and_crash, close_it };
static const struct peer crashes_at_once = { "at once", open_and_crash, run_well, close_it };

static const struct impl *measure_of(void)
{
	const struct impl *i = impl_best(BURN_MATMUL, BURN_FLOAT32);

	return i->peak ? i : NULL;
}

static bool measure(const struct peer *a, const struct peer *b, const struct peer *c)
{
	const struct peer *const peers[] = { a, b, c, &missing };
	const struct row_work w = { .shape = burn_matmul(64, 64, 64), .dtype = BURN_FLOAT32,
		.ours = impl_find("portable"), .peak = measure_of(), .peers = peers, .threads = 1,
		.rounds = ROW_LEAST };

	return row_measure(&w, row);
}

static void a_library_that_crashes_costs_its_own_figures_alone(void **state)
{
	static const struct {
		const struct peer *peers[3];
		enum row_end ends[3];
	} table[] = {
		{ { &well, &missing, &crashes }, { ROW_RAN, ROW_ABSENT, ROW_CRASHED } },
		{ { &crashes, &well, &missing }, { ROW_CRASHED, ROW_RAN, ROW_ABSENT } },
		{ { &crashes_at_once, &well, &crashes }, { ROW_CRASHED, ROW_RAN, ROW_CRASHED } },
		{ { &crashes, &crashes_at_once, &crashes },
			{ ROW_CRASHED, ROW_CRASHED, ROW_CRASHED } },
		{ { &well, &well, &well }, { ROW_RAN, ROW_RAN, ROW_RAN } },
	};

	(void)state;
	if (!measure_of())
		skip();
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		assert_true(measure(table[i].peers[0], table[i].peers[1], table[i].peers[2]));
		assert_int_equal(row->of[0].end, ROW_RAN);
		assert_true(row->rounds >= ROW_LEAST);
		for (int k = 0; k < 3; k++) {
			assert_int_equal(row->of[k + 1].end, table[i].ends[k]);
			assert_int_equal(row->of[k + 1].samples[row->rounds - 1].rate > 0,
				table[i].ends[k] == ROW_RAN);
		}
		assert_true(row->of[0].samples[row->rounds - 1].rate > 0);
	}
}

static void what_we_lack_is_said(void **state)
{
	const struct peer *const peers[] = { &well, &missing, &missing, &missing };
	const struct row_work w = { .shape = burn_matmul(64, 0, 64), .dtype = BURN_FLOAT32,
		.ours = impl_find("portable"), .peak = measure_of(), .peers = peers, .threads = 1,
		.rounds = ROW_LEAST };

	(void)state;
	if (!measure_of())
		skip();
	assert_false(row_measure(&w, row));
	assert_string_equal(row->trouble, "matmul: a dimension below 1");
}

static void a_sample_counts_where_the_peaks_beside_it_agree(void **state)
{
	static const struct {
		struct row_sample s;
		bool counts;
	} table[] = {
		{ { .rate = 50, .before = 100, .after = 100 }, true },
		{ { .rate = 50, .before = 100, .after = 81 }, true },
		{ { .rate = 50, .before = 81, .after = 100 }, true },
		{ { .rate = 50, .before = 100, .after = 79 }, false },
		{ { .rate = 50, .before = 79, .after = 100 }, false },
		{ { .rate = 50, .before = 100, .after = 100, .lost = true }, false },
		{ { .rate = 0, .before = 100, .after = 100 }, false },
		{ { .rate = 50, .before = 0, .after = 0 }, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		assert_int_equal(row_counts(&table[i].s), table[i].counts);
}

/* Ours takes 3/4 of whatever the peak is, of the peers one 1/2 and one 5/8; our own is no peer. */
static void fill(int rounds, double clock_of_round(int round, int runner))
{
	static const double shares[ROW_RUNNERS] = { 0.75, 0.5, 0.625, 0, 0.7 };

	memset(row, 0, sizeof(*row));
	row->rounds = rounds;
	for (int k = 0; k < ROW_RUNNERS; k++) {
		if (shares[k] <= 0)
			continue;
		row->of[k].end = ROW_RAN;
		for (int i = 0; i < rounds; i++) {
			const double clock = clock_of_round(i, k);

			row->of[k].samples[i] = (struct row_sample){ shares[k] * clock, clock,
				clock, false };
		}
	}
}

static double still(int round, int runner)
{
	(void)round, (void)runner;
	return 100;
}

/* Fast for ours and the worse peer, slow for the better one, and another with each round. */
static double moving(int round, int runner)
{
	return (runner == 2 ? 60 : 100) + 7 * (round % 5);
}

static void a_clock_that_moves_changes_no_ratio(void **state)
{
	double (*const clocks[])(int, int) = { still, moving };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(clocks); i++) {
		struct row_ratio r;

		fill(15, clocks[i]);
		assert_int_equal(row_whole_rounds(row), 15);
		assert_int_equal(row_best_peer(row), 2);
		r = row_compare(&row->of[0], &row->of[2], row->rounds);
		assert_true(r.median > 1.199 && r.median < 1.201 && r.spread < 1e-9);
		assert_int_equal(r.rounds, 15);
		assert_true(row_share(&row->of[0], row->rounds) > 0.7499);
	}
}

static void too_few_samples_are_no_figure(void **state)
{
	(void)state;
	fill(15, still);
	for (int i = 0; i < 11; i++)
		row->of[2].samples[i].lost = true;
	assert_int_equal(row_whole_rounds(row), 4);
	assert_true(row_compare(&row->of[0], &row->of[2], row->rounds).median == 0);
	assert_true(row_rate(&row->of[2], row->rounds) == 0);
	assert_int_equal(row_best_peer(row), 1);
	row->of[2].samples[0].lost = false;
	assert_true(row_compare(&row->of[0], &row->of[2], row->rounds).median > 0);
	/* Who crashed has none, whatever it left. */
	row->of[2].end = ROW_CRASHED;
	assert_int_equal(row_best_peer(row), 1);
	assert_true(row_compare(&row->of[0], &row->of[2], row->rounds).median == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_library_that_crashes_costs_its_own_figures_alone),
		cmocka_unit_test(what_we_lack_is_said),
		cmocka_unit_test(a_sample_counts_where_the_peaks_beside_it_agree),
		cmocka_unit_test(a_clock_that_moves_changes_no_ratio),
		cmocka_unit_test(too_few_samples_are_no_figure),
	};

	row = mem_share(sizeof(*row));
	return cmocka_run_group_tests(tests, NULL, NULL);
}

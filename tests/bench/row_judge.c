/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * row_judge.c - what the samples of a row say.
 */
#include "config.h"
#include "tests/bench/row.h"

#include <math.h>
#include <stdlib.h>

/*
 * Two samples of a peak on either side of a sample: further apart, the clock moved within
 * it.  Where it never stands still (a virtual machine), a narrower limit leaves out the longer
 * rows and makes the others' figures scatter more, not less.
 */
#define PEAKS_AGREE 0.2

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

bool row_counts(const struct row_sample *s)
{
	const double most = fmax(s->before, s->after), least = fmin(s->before, s->after);

	return s->rate > 0 && least > 0 && !s->lost && most - least <= PEAKS_AGREE * most;
}

static double share_of(const struct row_sample *s)
{
	return s->rate / ((s->before + s->after) / 2);
}

static double rate_of(const struct row_sample *s)
{
	return s->rate;
}

int row_whole_rounds(const struct row *row)
{
	int n = 0;

	for (int i = 0; i < row->rounds; i++) {
		bool whole = true;

		for (int k = 0; k < ROW_RUNNERS; k++)
			if (row->of[k].end == ROW_RAN)
				whole = whole && row_counts(&row->of[k].samples[i]);
		n += whole;
	}
	return n;
}

static double median_of(const struct row_runner *r, int rounds,
	double (*value)(const struct row_sample *s))
{
	double v[ROW_TRIES * ROW_ROUNDS_MOST];
	int n = 0;

	for (int i = 0; i < rounds && r->end == ROW_RAN; i++)
		if (row_counts(&r->samples[i]))
			v[n++] = value(&r->samples[i]);
	if (n < ROW_LEAST)
		return 0;
	qsort(v, (size_t)n, sizeof(*v), by_value);
	return v[n / 2];
}

double row_rate(const struct row_runner *r, int rounds)
{
	return median_of(r, rounds, rate_of);
}

double row_share(const struct row_runner *r, int rounds)
{
	return median_of(r, rounds, share_of);
}

struct row_ratio row_compare(const struct row_runner *ours, const struct row_runner *other,
	int rounds)
{
	struct row_ratio ratio = { 0, 0, 0 };
	double v[ROW_TRIES * ROW_ROUNDS_MOST];

	for (int i = 0; i < rounds && ours->end == ROW_RAN && other->end == ROW_RAN; i++)
		if (row_counts(&ours->samples[i]) && row_counts(&other->samples[i]))
			v[ratio.rounds++] = share_of(&ours->samples[i])
				/ share_of(&other->samples[i]);
	if (ratio.rounds < ROW_LEAST)
		return ratio;
	qsort(v, (size_t)ratio.rounds, sizeof(*v), by_value);
	ratio.median = v[ratio.rounds / 2];
	ratio.spread = (v[ratio.rounds * 3 / 4] - v[ratio.rounds / 4]) / 2;
	return ratio;
}

int row_best_peer(const struct row *row)
{
	double most = 0;
	int best = 0;

	for (int k = 1; k <= ROW_PEERS; k++)
		if (row_share(&row->of[k], row->rounds) > most) {
			most = row_share(&row->of[k], row->rounds);
			best = k;
		}
	return best;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats.h - statistics of a column of numbers, in constant memory.
 *
 * Percentiles come from counting how often each value occurred.  While there
 * are at most STATS_VALUES different ones - true of every temperature, clock
 * and power over any time - they are exact.  Beyond that neighbouring values
 * are counted together, and a percentile is off by less than 1/8192 of the
 * column's range (max - min).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATS_VALUES 32768

struct stats {
	uint64_t n;
	int64_t min, max;
	long double sum;
	uint64_t quantum;	/* values are counted in steps of it, 2^n; 0: nothing yet */
	size_t used, size;	/* of the table */
	struct stats_count {
		int64_t step;	/* value divided by quantum, towards minus infinity */
		uint64_t n;	/* 0: a free place */
	} *table;
};

/* Zero-initialise it. */
void stats_add(struct stats *s, int64_t value);
void stats_clear(struct stats *s);

/* The average; 0 when there is nothing. */
double stats_mean(const struct stats *s);

/* The smallest value that at least `percent` of all are not above (nearest rank); n is not 0. */
int64_t stats_percentile(const struct stats *s, unsigned percent);

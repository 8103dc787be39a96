/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bound.h - how far the results of two correct implementations of one operation may differ,
 * element by element.
 *
 * A sum of K terms a b is rounded at least K times, each time by at most u times the sum so far,
 * where u is 2^-24 for sums in float and 2^-53 in double.  The terms' magnitudes add up to at most
 * ||a|| ||b|| (Cauchy and Schwarz), so a result is off by at most K u ||a|| ||b||, whatever the
 * order of the sum (Higham, Accuracy and Stability, 3.1).  For operands drawn around 0 the error
 * does not grow with K: partial sums grow with the root of their length, and the roundings, each
 * u / sqrt 3, have independent signs.  The standard deviation is then 0.41 u ||a|| ||b||, and
 * 16 u ||a|| ||b|| is 39 of these (Higham and Mary 2020).  Two results differ by at most twice the
 * smaller of the two bounds; bfloat16 adds half a unit of each result, 2^-8 of it.
 */
#pragma once

#include "burnin/kernels/case.h"

#include <stdbool.h>

/* For conv2d, a row is a pixel and a column is a filter. */
struct bound {
	struct burn_shape shape;
	enum burn_dtype dtype;
	double *rows, *cols;		/* ||a|| of each row, ||b|| of each column */
};

struct bound_result {
	double max_abs;			/* the largest difference */
	double share;			/* the largest share of what an element may differ by */
	size_t place;			/* where that is */
};

void bound_init(struct bound *b, const struct burn_shape *s, enum burn_dtype t,
	const struct burn_operands *at);
void bound_clear(struct bound *b);

/* Compare two results of the operation, both of its type. */
void bound_compare(const struct bound *b, const void *one, const void *other,
	struct bound_result *out);

/* True if every element is within its bound. */
bool bound_holds(const struct bound_result *r);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bound.h - how far two right implementations of one operation may be apart, element by element.
 *
 * A sum of K terms a b is rounded K times at least, each time by at most u of the sum so far: u is
 * 2^-24 for sums in float and 2^-53 in double.  The terms' sizes add up to at most ||a|| ||b||
 * (Cauchy and Schwarz), so that a result is off by at most K u ||a|| ||b||, in whatever order it
 * was summed (Higham, Accuracy and Stability, 3.1).  For operands that are drawn about 0 that does
 * not grow with K: partial sums are as large as the root of their length and roundings, u / sqrt 3,
 * have signs of their own, so that the deviation is 0.41 u ||a|| ||b||, and 16 u ||a|| ||b|| is 39
 * of it (Higham and Mary 2020).  Two results are apart by twice the lesser of both at most;
 * bfloat16 adds half a unit of each, 2^-8 of it.
 */
#pragma once

#include "burnin/kernels/case.h"

#include <stdbool.h>

/* A row is a pixel of conv2d, and a column a filter. */
struct bound {
	struct burn_shape shape;
	enum burn_dtype dtype;
	double *rows, *cols;		/* ||a|| of each row, ||b|| of each column */
};

struct bound_result {
	double max_abs;			/* the largest difference */
	double share;			/* the largest, of what its element may differ by */
	size_t place;			/* where that is */
};

void bound_init(struct bound *b, const struct burn_shape *s, enum burn_dtype t,
	const struct burn_operands *at);
void bound_clear(struct bound *b);

/* Two results of the operation, both of its type. */
void bound_compare(const struct bound *b, const void *one, const void *other,
	struct bound_result *out);

/* Whether all elements are as near as they have to be. */
bool bound_holds(const struct bound_result *r);

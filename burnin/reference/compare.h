/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare.h - how far a result is from its golden one.
 *
 * ULP as tt-metal defines it: |calculated - golden| in units of the distance from
 * |golden| to the next larger number of the type.  It explodes near a golden
 * zero, so the largest absolute error and Pearson's correlation are given as well.
 *
 * Each NaN and infinity has to be where golden has the same one.  A place where
 * they differ is counted, but it enters neither the ULP nor the errors.
 */
#pragma once

#include "burnin/kernels/case.h"

#include <stdbool.h>

enum { COMPARE_BINS = 34 };

struct compare {
	size_t n;
	size_t different;	/* elements that are not equal; 0 and -0 are */
	size_t non_finite;	/* one is NaN or infinite and the other not the same */
	size_t worst;		/* where max_ulp is */
	double mean_ulp, max_ulp;
	double max_abs;
	size_t farthest;	/* where max_abs is */
	double relative;	/* |calculated - golden| / |golden|, Euclidean */
	/*
	 * 1 if all are equal.  Else NaN if the golden ones are constant (a single one, for
	 * example), since those correlate with nothing, and 0 if only the calculated ones are.
	 */
	double pcc;
	double worst_share;	/* the largest share of what its element may differ by */
	size_t worst_place;	/* where that is */
	double noise;		/* root mean square of the differences that are smaller than
				   their element */
	size_t strays;		/* larger ones, also above STRAY times noise: a flipped sign */
	double base;		/* what each may differ by, plus a part of its size: below */
	enum burn_dtype type;
	/* By ULP: 0, up to 1, 2, 4 ...; the last also counts non_finite. */
	size_t histogram[COMPARE_BINS];
};

/*
 * An element may differ by `absolute` times the golden results' root mean square plus `relative`
 * times its own size: sums of many terms cancel, and their noise is just as large near 0.
 * float32 leaves room for products of 10 bits, bfloat16 for sums that were rounded on the way.
 */
struct compare_tolerance {
	double absolute, relative;
};

extern const struct compare_tolerance compare_tolerances[BURN_TYPES];

/* Distance from |x| to the next larger number of the type; for the largest, to the one below. */
double compare_ulp(enum burn_dtype t, double x);

/* Compare numbers of type t, which both arrays hold as elements of type `form`. */
void compare_run(enum burn_dtype t, enum burn_dtype form, const void *golden,
	const void *calculated, size_t n, struct compare *out);

/*
 * True if one element is wrong by itself: another NaN or infinity, a stray, or off by more than
 * its tolerance, which pcc may widen, or by more than `ulp` ULP (negative: no limit).
 */
bool compare_is_wrong(const struct compare *c, double golden, double calculated, double pcc,
	double ulp);

/*
 * True if every NaN and infinity is in its place, the correlation (if there is one) is at least
 * pcc, and the relative error is at most 2 sqrt(2 (1 - pcc)), twice the noise that such a
 * correlation stands for.  A correlation alone does not see a factor or an offset.  Neither
 * measure sees a few wrong elements among many, so each element has to keep to the type's
 * tolerance, which a pcc below 0.999 widens like the limit of the relative error, and to `ulp`
 * ULP, unless that is negative.  A tolerance does not see small elements that are wrong, so
 * there must be no strays either.
 */
bool compare_passes(const struct compare *c, double pcc, double ulp);

/*
 * How far the results of two correct implementations of one operation may differ, element by
 * element.
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare.h - how far a result is from its golden one.
 *
 * ULP as tt-metal defines it: |calculated - golden| in units of the distance from
 * |golden| to the next larger number of the type.  It explodes beside a golden
 * zero, so the largest absolute error and Pearson's correlation stand beside it.
 *
 * NaN and infinity: each has to stand where golden has the same one; a place
 * where they differ is counted and no number is made of it.
 */
#pragma once

#include "burnin/kernels/case.h"

#include <stdbool.h>

struct compare {
	size_t n;
	size_t different;	/* elements that are not equal; 0 and -0 are */
	size_t non_finite;	/* one is NaN or infinite and the other not the same */
	size_t worst;		/* where max_ulp is */
	double mean_ulp, max_ulp;
	double max_abs;
	double relative;	/* |calculated - golden| / |golden|, Euclidean */
	double pcc;		/* 1 if all are equal; 0 if one is constant and they differ */
	double worst_share;	/* the largest difference, in what its element may differ by */
	size_t worst_place;	/* where that is */
};

/*
 * An element may differ by `absolute` of the golden results' root mean square and `relative`
 * of its own size: sums of many terms cancel, and their noise is as large beside 0.  float32
 * has room for products of 10 bits, bfloat16 for sums that were rounded on their way.
 */
struct compare_tolerance {
	double absolute, relative;
};

extern const struct compare_tolerance compare_tolerances[BURN_DTYPES];

/* Distance from |x| to the next larger float32 or bfloat16; for the largest, to the one below. */
double compare_ulp(enum burn_dtype t, float x);

/* Both hold numbers of type t in float32 form. */
void compare_run(enum burn_dtype t, const float *golden, const float *calculated, size_t n,
	struct compare *out);

/*
 * Every NaN and infinity in its place, a correlation of at least pcc, and a
 * relative error of at most 2 sqrt(2 (1 - pcc)): twice the noise that such a
 * correlation stands for.  A correlation alone sees no factor and no offset; both are blind for
 * a few wrong elements among many, so that each is held to the type's tolerance, which a pcc
 * below 0.999 widens in the same measure.
 */
bool compare_passes(const struct compare *c, double pcc);

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
	 * 1 if all are equal; where they differ, 0 if the calculated ones are constant, and NaN
	 * if the golden ones are, one alone for example: those correlate with nothing.
	 */
	double pcc;
	double worst_share;	/* the largest difference, in what its element may differ by */
	size_t worst_place;	/* where that is */
	double noise;		/* root mean square of the differences that are less than their
				   element; */
	size_t strays;		/* those that are more, and STRAY times that: a flipped sign */
	double base;		/* what each may differ by, and that of its own size, below */
	enum burn_dtype type;
	/* By ULP: none, up to 1, 2, 4 ... ; the last also has what is not the same NaN. */
	size_t histogram[COMPARE_BINS];
};

/*
 * An element may differ by `absolute` of the golden results' root mean square and `relative`
 * of its own size: sums of many terms cancel, and their noise is as large beside 0.  float32
 * has room for products of 10 bits, bfloat16 for sums that were rounded on their way.
 */
struct compare_tolerance {
	double absolute, relative;
};

extern const struct compare_tolerance compare_tolerances[BURN_TYPES];

/* Distance from |x| to the next larger number of the type; for the largest, to the one below. */
double compare_ulp(enum burn_dtype t, double x);

/* Numbers of type t, which both hold in the form of a wider one, or as they are. */
void compare_run(enum burn_dtype t, const double *golden, const double *calculated, size_t n,
	struct compare *out);
void compare_floats(enum burn_dtype t, const float *golden, const float *calculated, size_t n,
	struct compare *out);
void compare_elements(enum burn_dtype t, const void *golden, const void *calculated, size_t n,
	struct compare *out);

/*
 * Whether one element is wrong by itself: another NaN or infinity, a stray, further away than
 * its tolerance, which pcc widens, or than so many ULP; negative: any number of them.
 */
bool compare_is_wrong(const struct compare *c, double golden, double calculated, double pcc,
	double ulp);

/*
 * Every NaN and infinity in its place, a correlation of at least pcc where there is one, and a
 * relative error of at most 2 sqrt(2 (1 - pcc)): twice the noise that such a
 * correlation stands for.  A correlation alone sees no factor and no offset; both are blind for
 * a few wrong elements among many, so that each is held to the type's tolerance, which a pcc
 * below 0.999 widens in the same measure, and to so many ULP, unless that is negative.  A
 * tolerance is blind for what is small: there are no strays.
 */
bool compare_passes(const struct compare *c, double pcc, double ulp);

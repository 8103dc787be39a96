/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simd_gemm.h - shared by the ways of matmul (simd_gemm.c, simd_double.c).
 */
#pragma once

#include "burnin/kernels/simd/simd.h"

enum {
	PACKED_TERMS = 256,
	PACKED_COLS = 32 * SIMD_LANES	/* of a packed block of B, in the second-level cache */
};

/* The part of the result that one thread computes, and its memory. */
struct simd_part {
	size_t row0, rows, col0, cols;
	size_t pad_rows, pad_cols;	/* padded to whole tiles */
	size_t many, few;		/* packed: panels of SIMD_ROWS, then of SIMD_FEW rows */
	float *sum;			/* the result as floats */
	size_t sum_row;
	int thread;
	bool in_place;			/* tiles of the result, of floats, are made there */
	bool rounds;			/* tiles put their last sums there, rounded */
	float *spare;			/* narrow, in place: a last tile with missing rows */
	float *a, *b;			/* copies of blocks */
};

static inline size_t min(size_t a, size_t b)
{
	return a < b ? a : b;
}

static inline size_t units(size_t n, size_t unit)
{
	return (n + unit - 1) / unit;
}

/* The i-th of `of` nearly equal runs of whole units. */
static inline void share(size_t n, size_t unit, size_t of, size_t i, size_t *first, size_t *len)
{
	const size_t all = units(n, unit);
	const size_t from = min(n, all * i / of * unit), to = min(n, all * (i + 1) / of * unit);

	*first = from;
	*len = to - from;
}

/* How many of k terms to add at a time: at most `most`, in runs of similar length. */
static inline size_t run_of(size_t k, size_t most)
{
	return min(most, units(units(k, units(k, most)), SIMD_FEW) * SIMD_FEW);
}

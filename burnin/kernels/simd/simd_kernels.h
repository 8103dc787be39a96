/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simd_kernels.h - shared by the files of one vector library.
 */
#pragma once

#include "burnin/kernels/simd/simd.h"

extern const struct impl_kernel simd_conv_kernel;
extern const struct impl_kernel simd_gemm_kernel;
extern const struct impl_kernel simd_double_conv;
extern const struct impl_kernel simd_double_gemm;
extern const struct impl_stress simd_stress;
extern const struct impl_check simd_check;
extern const struct impl_memory simd_memory;
uint64_t simd_peak(unsigned rounds);

/*
 * A tile of matmul's result: rows x SIMD_COLS, summed over kc terms and stored,
 * or added to what is there.  All steps are in elements.
 */
struct simd_tile {
	int kc;
	bool add;
	const float *a;			/* packed: [kc][rows]; else rows a_row apart */
	size_t a_row;
	const void *b;			/* [kc] rows, b_row apart: of float, or bfloat16 as asked */
	size_t b_row;
	float *c;
	size_t c_row;
	float *keep;			/* where to leave b packed, [kc][COLS] */
	/*
	 * What to prefetch.  If A is packed: once in ahead_run terms, the tile's
	 * width of a row at `ahead`, and a line of `next`.  Else one step of `ahead`
	 * with each term, and its next row after ahead_run terms (0: never).  Steps
	 * are bytes.
	 */
	const char *ahead, *next;
	size_t ahead_step, ahead_row, next_row;
	int ahead_run;
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dot.h - kernels for instructions that multiply pairs of bfloat16 and add both
 * products to a float: one driver, and an innermost loop for each instruction.
 *
 * All of them read the same blocks.  A block of A is rows of DOT_DEPTH terms, copied side
 * by side or in place in A.  A block of B is [DOT_DEPTH / 2][DOT_COLS][2]: the terms of a
 * pair lie side by side.
 */
#pragma once

#include "burnin/kernels/kernels.h"

enum {
	DOT_ROWS = 32, DOT_COLS = 32, DOT_DEPTH = 32,
	DOT_BLOCK_A = DOT_ROWS * DOT_DEPTH,	/* elements */
	DOT_BLOCK_B = DOT_DEPTH * DOT_COLS
};

/* A tile of the result, [DOT_ROWS][DOT_COLS], and the blocks whose products are added to it. */
struct dot_tile {
	float *sum;
	bool fresh;			/* the sums begin at 0; sum is not read */
	const uint16_t *const *a;	/* where each block's first row lies */
	size_t a_row;			/* elements from row to row */
	const uint16_t *const *b;	/* where each block's first pair of terms lies */
	size_t b_row;			/* elements from pair to pair */
	int blocks;
	int depth, last;		/* terms to use of each block, and of the last one */
	const uint16_t *ahead;		/* rows to prefetch, DOT_DEPTH for each block */
	size_t ahead_row;		/* elements from row to row */
	uint16_t *out;			/* where a direct loop puts rounded sums; NULL: not yet */
	size_t out_row;			/* elements from row to row */
};

/* An implementation's innermost loop. */
struct dot_loop {
	void (*tile)(const struct dot_tile *t);
	bool direct;			/* reads only the used terms of A, and writes to out */
};

/* Compute a thread's part of an operation with an implementation's loop. */
void dot_conv(const struct impl_job *j, int thread, const struct dot_loop *loop);
void dot_gemm(const struct impl_job *j, int thread, const struct dot_loop *loop);

size_t dot_conv_pack_size(const struct burn_shape *s, enum burn_dtype t);
void dot_conv_pack(const struct burn_shape *s, enum burn_dtype t, const void *weight,
	void *packed);
size_t dot_conv_work_size(const struct burn_shape *s, enum burn_dtype t, int threads);
size_t dot_gemm_work_size(const struct burn_shape *s, enum burn_dtype t, int threads);

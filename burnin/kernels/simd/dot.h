/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dot.h - kernels for instructions that multiply pairs of bfloat16 and add both
 * products to a float: one driver for each operation, and an innermost loop for
 * each instruction.
 *
 * A panel of B is [depth / 2][DOT_COLS][2]: the terms of a pair lie side by side.
 */
#pragma once

#include "burnin/kernels/impl.h"

#include <immintrin.h>

enum {
	DOT_ROWS = 32, DOT_COLS = 32, DOT_DEPTH = 32,
	DOT_BLOCK = DOT_ROWS * DOT_DEPTH	/* elements of a tap's weights */
};

/* conv2d: DOT_ROWS filters of a row of pixels, and a block of channels under all taps. */
struct dot_taps {
	float *sum;			/* [DOT_ROWS][DOT_COLS] */
	const uint16_t *a;		/* [BURN_TAPS][DOT_ROWS][DOT_DEPTH] */
	const uint16_t *const *b;	/* where each tap's first pair of channels lies */
	size_t b_row;			/* elements from pair to pair */
	int depth;			/* channels: even */
	uint16_t *out;			/* where a direct loop puts rounded sums; NULL: not yet */
	size_t out_row;			/* elements from filter to filter */
};

/* matmul: some times the rows of a pass of A, and a panel of B. */
struct dot_pass {
	int passes;
	const uint16_t *a;
	size_t a_row;			/* elements from row to row */
	uint16_t *b;			/* the panel */
	const uint16_t *from;		/* rows of B that one direct pass makes it of, or NULL */
	size_t from_row;		/* elements from row to row */
	int depth;			/* terms */
	float *sum;			/* [rows][DOT_COLS] */
	bool fresh;			/* the sums begin at 0; sum is not read */
	uint16_t *out;			/* where a direct loop puts rounded sums; NULL: not yet */
	size_t out_row;			/* elements from row to row */
	/* What to prefetch, a line with every DOT_LINE terms; NULL: the rows of A behind. */
	const uint16_t *ahead;
	size_t ahead_row;		/* elements from line to line */
};

enum { DOT_LINE = 4 };

/* An implementation's innermost loops. */
struct dot_loop {
	void (*taps)(const struct dot_taps *t);
	void (*pass)(const struct dot_pass *p);
	int rows;			/* of a pass; they divide DOT_ROWS */
	int terms;			/* depth is a multiple of it, or zeros fill it up */
	bool direct;			/* makes panels, and writes to out */
};

/* Interleave two rows of DOT_COLS columns. */
static inline void dot_zip(const uint16_t *one, const uint16_t *two, uint16_t *to)
{
	static const uint16_t low[] = { 0, 32, 1, 33, 2, 34, 3, 35, 4, 36, 5, 37, 6, 38, 7, 39,
		8, 40, 9, 41, 10, 42, 11, 43, 12, 44, 13, 45, 14, 46, 15, 47 };
	const __m512i first = _mm512_loadu_si512(low);
	const __m512i second = _mm512_add_epi16(first, _mm512_set1_epi16(DOT_COLS / 2));
	const __m512i x = _mm512_loadu_si512(one), y = _mm512_loadu_si512(two);

	_mm512_storeu_si512(to, _mm512_permutex2var_epi16(x, first, y));
	_mm512_storeu_si512(to + DOT_COLS, _mm512_permutex2var_epi16(x, second, y));
}

/* Compute a thread's part of an operation with an implementation's loops. */
void dot_conv(const struct impl_job *j, int thread, const struct dot_loop *loop);
void dot_gemm(const struct impl_job *j, int thread, const struct dot_loop *loop);

size_t dot_conv_pack_size(const struct burn_shape *s, enum burn_dtype t);
void dot_conv_pack(const struct burn_shape *s, enum burn_dtype t, const void *weight,
	void *packed);
size_t dot_conv_work_size(const struct burn_shape *s, enum burn_dtype t, int threads);
size_t dot_gemm_work_size(const struct burn_shape *s, enum burn_dtype t, int threads);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dot_avx512.c - AVX512-BF16: multiplies a broadcast pair of A with pairs of 16
 * columns of B.  The instruction takes denormals as zero and rounds each addition.
 */
#include "config.h"
#include "burnin/kernels/cpu.h"

#include "burnin/kernels/simd/dot.h"
#include "burnin/kernels/simd/simd.h"

#include <immintrin.h>
#include <string.h>

enum {
	LANES = 16,
	PASS = DOT_DEPTH / DOT_LINE,	/* rows at a time: 16 sums in registers hide the latency */
	STRESS_ROWS = 14,		/* 28 sums: as many as the registers hold */
	FETCH = 32			/* pairs that B is prefetched ahead */
};

static __m512bh pairs_at(const uint16_t *p)
{
	return (__m512bh)_mm512_loadu_si512(p);
}

static __m512bh broadcast(const uint16_t *p)
{
	int pair;

	memcpy(&pair, p, sizeof(pair));
	return (__m512bh)_mm512_set1_epi32(pair);
}

/* PASS rows of sums, two vectors each. */
static inline void load_sums(__m512 c[PASS][2], const float *sum)
{
#pragma GCC unroll 8
	for (int r = 0; r < PASS; r++, sum += DOT_COLS) {
		c[r][0] = _mm512_loadu_ps(sum);
		c[r][1] = _mm512_loadu_ps(sum + LANES);
	}
}

static inline void store_sums(__m512 c[PASS][2], float *sum)
{
#pragma GCC unroll 8
	for (int r = 0; r < PASS; r++, sum += DOT_COLS) {
		_mm512_storeu_ps(sum, c[r][0]);
		_mm512_storeu_ps(sum + LANES, c[r][1]);
	}
}

static inline void store_rounded(__m512 c[PASS][2], uint16_t *out, size_t out_row)
{
#pragma GCC unroll 8
	for (int r = 0; r < PASS; r++, out += out_row)
		_mm512_storeu_si512(out, (__m512i)_mm512_cvtne2ps_pbh(c[r][1], c[r][0]));
}

static inline void add_pair(__m512 c[PASS][2], const uint16_t *a, size_t a_row, __m512bh b0,
	__m512bh b1)
{
#pragma GCC unroll 8
	for (int r = 0; r < PASS; r++) {
		const __m512bh x = broadcast(a + (size_t)r * a_row);

		c[r][0] = _mm512_dpbf16_ps(c[r][0], x, b0);
		c[r][1] = _mm512_dpbf16_ps(c[r][1], x, b1);
	}
}

static void taps(const struct dot_taps *t)
{
	for (int row = 0; row < DOT_ROWS; row += PASS) {
		const uint16_t *a = t->a + (size_t)row * DOT_DEPTH;
		__m512 c[PASS][2];

		load_sums(c, t->sum + row * DOT_COLS);
		for (int tap = 0; tap < BURN_TAPS; tap++, a += DOT_BLOCK) {
			const uint16_t *b = t->b[tap];

			for (int k = 0; k < t->depth; k += 2, b += t->b_row)
				add_pair(c, a + k, DOT_DEPTH, pairs_at(b), pairs_at(b + 2 * LANES));
		}
		if (t->out)
			store_rounded(c, t->out + (size_t)row * t->out_row, t->out_row);
		else
			store_sums(c, t->sum + row * DOT_COLS);
	}
}

/* Lines to prefetch; elements to the next one, and `turn` more after PASS of them. */
struct ahead {
	const uint16_t *at;
	ptrdiff_t row, turn;
};

/* Add all whole pairs; make: the panel is made meanwhile. */
static inline __attribute__((always_inline)) void add_pairs(__m512 c[PASS][2],
	const struct dot_pass *p, const uint16_t *a, struct ahead *ahead, bool make)
{
	const uint16_t *from = p->from;
	uint16_t *b = p->b;

	for (int k = 0; k + 1 < p->depth; k += 2, b += 2 * DOT_COLS) {
		if (k % DOT_LINE == 0) {
			__builtin_prefetch(ahead->at, 0, 3);
			ahead->at += ahead->row;
			if (k % DOT_DEPTH == DOT_DEPTH - DOT_LINE)
				ahead->at += ahead->turn;
		}
		if (make) {
			dot_zip(from, from + p->from_row, b);
			from += 2 * p->from_row;
		}
		add_pair(c, a + k, p->a_row, pairs_at(b), pairs_at(b + 2 * LANES));
	}
}

/* Half a pair is left: it is read alone, since no row need follow. */
static inline __attribute__((always_inline)) void add_last(__m512 c[PASS][2],
	const struct dot_pass *p, const uint16_t *a)
{
	static const uint16_t none[DOT_COLS];
	const int k = p->depth - 1;
	uint16_t *b = p->b + k * DOT_COLS;
	__m512bh b0, b1;

	if (p->from)
		dot_zip(p->from + (size_t)k * p->from_row, none, b);
	b0 = pairs_at(b);
	b1 = pairs_at(b + 2 * LANES);
#pragma GCC unroll 8
	for (int r = 0; r < PASS; r++) {
		const __m512bh x = (__m512bh)_mm512_set1_epi32(a[(size_t)r * p->a_row + (size_t)k]);

		c[r][0] = _mm512_dpbf16_ps(c[r][0], x, b0);
		c[r][1] = _mm512_dpbf16_ps(c[r][1], x, b1);
	}
}

/* The i-th rows of a pass. */
static inline __attribute__((always_inline)) void rows_of_pass(const struct dot_pass *p, int i,
	struct ahead *ahead, bool make)
{
	const uint16_t *a = p->a + (size_t)(i * PASS) * p->a_row;
	float *sum = p->sum + i * PASS * DOT_COLS;
	__m512 c[PASS][2];

	if (!p->ahead)
		*ahead = (struct ahead){ a + PASS * p->a_row, (ptrdiff_t)p->a_row,
			DOT_DEPTH - PASS * (ptrdiff_t)p->a_row };
#pragma GCC unroll 8
	for (int r = 0; r < PASS; r++)
		c[r][0] = c[r][1] = _mm512_setzero_ps();
	if (!p->fresh)
		load_sums(c, sum);
	add_pairs(c, p, a, ahead, make);
	if (p->depth % 2)
		add_last(c, p, a);
	if (p->out)
		store_rounded(c, p->out + (size_t)(i * PASS) * p->out_row, p->out_row);
	else
		store_sums(c, sum);
}

static void pass(const struct dot_pass *p)
{
	struct ahead ahead = { p->ahead, (ptrdiff_t)p->ahead_row, 0 };

	if (p->from)
		rows_of_pass(p, 0, &ahead, true);
	else
		for (int i = 0; i < p->passes; i++)
			rows_of_pass(p, i, &ahead, false);
}

/* The burn's panels: a pair of A for each of STRESS_ROWS rows, pairs of B for DOT_COLS columns. */
static void stress_tile(const void *panel_a, const void *panel_b, int kc, float *to, size_t to_row)
{
	const uint16_t *a = panel_a, *b = panel_b;
	__m512 c[STRESS_ROWS][2];

#pragma GCC unroll 16
	for (int r = 0; r < STRESS_ROWS; r++)
		c[r][0] = c[r][1] = _mm512_setzero_ps();
	for (int k = 0; k < kc; k += 2, a += 2 * STRESS_ROWS, b += 2 * DOT_COLS) {
		const __m512bh b0 = pairs_at(b), b1 = pairs_at(b + 2 * LANES);

		__builtin_prefetch(b + FETCH * 2 * DOT_COLS, 0, 3);
		__builtin_prefetch(b + FETCH * 2 * DOT_COLS + 2 * LANES, 0, 3);
#pragma GCC unroll 16
		for (int r = 0; r < STRESS_ROWS; r++) {
			const __m512bh x = broadcast(a + 2 * r);

			c[r][0] = _mm512_dpbf16_ps(c[r][0], x, b0);
			c[r][1] = _mm512_dpbf16_ps(c[r][1], x, b1);
		}
	}
#pragma GCC unroll 16
	for (int r = 0; r < STRESS_ROWS; r++, to += to_row) {
		_mm512_storeu_ps(to, c[r][0]);
		_mm512_storeu_ps(to + LANES, c[r][1]);
	}
}

/* Registers only. */
static uint64_t peak(unsigned rounds)
{
	enum { SUMS = 24, TURNS = 64 };
	static const uint16_t halves[2 * LANES] = { 0x3f00 };
	const __m512bh x = pairs_at(halves);
	__m512 c[SUMS], all = _mm512_setzero_ps();
	volatile float seen;

#pragma GCC unroll 24
	for (int i = 0; i < SUMS; i++)
		c[i] = _mm512_set1_ps((float)i);
	for (unsigned r = 0; r < rounds * TURNS; r++)
#pragma GCC unroll 24
		for (int i = 0; i < SUMS; i++)
			c[i] = _mm512_dpbf16_ps(c[i], x, x);
#pragma GCC unroll 24
	for (int i = 0; i < SUMS; i++)
		all += c[i];
	seen = all[0];
	(void)seen;
	return (uint64_t)rounds * TURNS * SUMS * LANES * 2 * 2;
}

static const struct impl_stress stress = {
	.rows = STRESS_ROWS, .cols = DOT_COLS, .run_a = 2, .run_b = 2, .pads = true,
	.tile = stress_tile, .check = &simd_check,
};

static const struct dot_loop loop = { .taps = taps, .pass = pass, .rows = PASS, .terms = 1,
	.direct = true };

static void conv(const struct impl_job *j, int thread)
{
	dot_conv(j, thread, &loop);
}

static void gemm(const struct impl_job *j, int thread)
{
	dot_gemm(j, thread, &loop);
}

static const struct impl_kernel conv_kernel = { dot_conv_pack_size, dot_conv_pack,
	dot_conv_work_size, conv };
static const struct impl_kernel gemm_kernel = { .work_size = dot_gemm_work_size, .run = gemm };

const struct impl impl_avx512bf16 = {
	.name = "avx512bf16", .version = "v3", .needs = CPU_AVX512 | CPU_AVX512_BF16,
	.help = "AVX512-BF16: pairs of bfloat16; denormals count as zero", .flushes = true,
	.peak = peak, .stress = &stress,
	.kernels = {
		[BURN_CONV2D] = { [BURN_BFLOAT16] = &conv_kernel },
		[BURN_MATMUL] = { [BURN_BFLOAT16] = &gemm_kernel },
	},
};

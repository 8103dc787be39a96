/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dot_avx512.c - AVX512-BF16: multiplies a broadcast pair of A with pairs of 16
 * columns of B.  The instruction takes denormals as zero and rounds each addition.
 */
#include "config.h"
#include "burnin/kernels/cpu.h"
#include "burnin/kernels/simd/dot.h"
#include "burnin/kernels/simd/simd_kernels.h"

#include <immintrin.h>
#include <string.h>

enum {
	LANES = 16,
	PASS = 8,			/* rows at a time: 16 sums in registers hide the latency */
	STEPS = 2,			/* pairs for each prefetched line */
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

_Static_assert(DOT_DEPTH / 2 / STEPS * (DOT_ROWS / PASS) == DOT_DEPTH, "every line once");

static void rows_of_tile(const struct dot_tile *t, int row)
{
	__m512 c[PASS][2];
	float *sum = t->sum + row * DOT_COLS;

#pragma GCC unroll 8
	for (int r = 0; r < PASS; r++) {
		c[r][0] = t->fresh ? _mm512_setzero_ps() : _mm512_loadu_ps(sum + r * DOT_COLS);
		c[r][1] = t->fresh ? _mm512_setzero_ps()
			: _mm512_loadu_ps(sum + r * DOT_COLS + LANES);
	}
	for (int i = 0; i < t->blocks; i++) {
		const uint16_t *a = t->a[i] + (size_t)row * t->a_row;
		const uint16_t *b = t->b[i];
		const uint16_t *ahead = t->ahead + (size_t)(i * DOT_DEPTH
			+ row / PASS * (DOT_DEPTH / 2 / STEPS)) * t->ahead_row;

		const int depth = i + 1 < t->blocks ? t->depth : t->last;

		for (int k = 0; k < depth; k += 2, b += t->b_row) {
			const __m512bh b0 = pairs_at(b), b1 = pairs_at(b + 2 * LANES);

			if (k % (2 * STEPS) == 0) {
				__builtin_prefetch(ahead, 0, 2);
				ahead += t->ahead_row;
			}
#pragma GCC unroll 8
			for (int r = 0; r < PASS; r++) {
				const __m512bh x = broadcast(a + (size_t)r * t->a_row + k);

				c[r][0] = _mm512_dpbf16_ps(c[r][0], x, b0);
				c[r][1] = _mm512_dpbf16_ps(c[r][1], x, b1);
			}
		}
	}
	if (t->out) {
		uint16_t *out = t->out + (size_t)row * t->out_row;

#pragma GCC unroll 8
		for (int r = 0; r < PASS; r++, out += t->out_row)
			_mm512_storeu_si512(out,
				(__m512i)_mm512_cvtne2ps_pbh(c[r][1], c[r][0]));
		return;
	}
#pragma GCC unroll 8
	for (int r = 0; r < PASS; r++) {
		_mm512_storeu_ps(sum + r * DOT_COLS, c[r][0]);
		_mm512_storeu_ps(sum + r * DOT_COLS + LANES, c[r][1]);
	}
}

static void tile(const struct dot_tile *t)
{
	for (int row = 0; row < DOT_ROWS; row += PASS)
		rows_of_tile(t, row);
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

static const struct dot_loop loop = { .tile = tile, .direct = true };

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

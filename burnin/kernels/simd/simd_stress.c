/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simd_stress.c - the load and the checks that the burn takes from a vector library.
 */
#include "config.h"
#include "burnin/kernels/simd/simd_kernels.h"

enum {
	STEPS = 4,		/* terms per turn of the loop, so that it counts less often */
	FETCH = 32,		/* terms that B is prefetched ahead, from the second level */
	PIECE = 1024		/* words; got's and want's fit well in the first-level cache */
};

/* sum += a[rows] x b[cols] */
static inline __attribute__((always_inline)) void add_term(const float *a, const float *b,
	simd_vec sum[SIMD_ROWS][2])
{
	const simd_vec b0 = simd_load(b), b1 = simd_load(b + SIMD_LANES);

	__builtin_prefetch(b + FETCH * SIMD_COLS, 0, 3);
	if (SIMD_COLS * sizeof(*b) > SIMD_LINE)
		__builtin_prefetch(b + FETCH * SIMD_COLS + SIMD_LANES, 0, 3);
#pragma GCC unroll 16
	for (int r = 0; r < SIMD_ROWS; r++) {
		sum[r][0] += b0 * a[r];
		sum[r][1] += b1 * a[r];
	}
}

static void tile(const void *panel_a, const void *panel_b, int kc, float *c, size_t c_row)
{
	const float *a = panel_a, *b = panel_b;
	simd_vec sum[SIMD_ROWS][2];
	int k = 0;

#pragma GCC unroll 16
	for (int r = 0; r < SIMD_ROWS; r++)
		sum[r][0] = sum[r][1] = (simd_vec){ 0 };
	for (; k + STEPS <= kc; k += STEPS, a += STEPS * SIMD_ROWS, b += STEPS * SIMD_COLS)
#pragma GCC unroll 4
		for (int i = 0; i < STEPS; i++)
			add_term(a + i * SIMD_ROWS, b + i * SIMD_COLS, sum);
	for (; k < kc; k++, a += SIMD_ROWS, b += SIMD_COLS)
		add_term(a, b, sum);
#pragma GCC unroll 16
	for (int r = 0; r < SIMD_ROWS; r++, c += c_row) {
		simd_store(c, sum[r][0]);
		simd_store(c + SIMD_LANES, sum[r][1]);
	}
}

static void narrow(const float *from, uint16_t *to, size_t n)
{
	simd_copy_out(BURN_BFLOAT16, from, to, 0, n);
}

static simd_bits bits_at(const uint32_t *p)
{
	simd_bits v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static bool same(const uint32_t *a, const uint32_t *b, size_t n)
{
	simd_bits different = { 0 };
	uint32_t any = 0;
	size_t i = 0;

	for (; i + SIMD_LANES <= n; i += SIMD_LANES)
		different |= bits_at(a + i) ^ bits_at(b + i);
	for (; i < n; i++)
		any |= a[i] ^ b[i];
	for (int lane = 0; lane < SIMD_LANES; lane++)
		any |= different[lane];
	return !any;
}

/*
 * Compare and invert one piece at a time, while it is in a near cache.  On a difference, restore
 * the pieces before it, which were equal.
 */
static bool equal(uint32_t *got, const uint32_t *want, size_t n)
{
	for (size_t at = 0; at < n; at += PIECE) {
		const size_t left = n - at < PIECE ? n - at : PIECE;
		size_t i = at;

		if (!same(got + at, want + at, left)) {
			memcpy(got, want, at * sizeof(*got));
			return false;
		}
		for (; i + SIMD_LANES <= at + left; i += SIMD_LANES) {
			const simd_bits wrong = ~bits_at(want + i);

			memcpy(got + i, &wrong, sizeof(wrong));
		}
		for (; i < at + left; i++)
			got[i] = ~want[i];
	}
	return true;
}

/* Each lane is rotated by a bit before a word is added, so the words' order counts too. */
static uint64_t sum(const uint32_t *at, size_t n)
{
	simd_bits s = { 0 };
	uint64_t all = 0;
	size_t i = 0;

	for (; i + SIMD_LANES <= n; i += SIMD_LANES)
		s = (s << 1 | s >> 31) + bits_at(at + i);
	for (; i < n; i++)
		all = all * 31 + at[i];
	for (int lane = 0; lane < SIMD_LANES; lane++)
		all = all * 31 + s[lane];
	return all;
}

const struct impl_check simd_check = { .narrow = narrow, .equal = equal, .sum = sum };

const struct impl_stress simd_stress = {
	.rows = SIMD_ROWS, .cols = SIMD_COLS, .run_a = 1, .run_b = 1, .tile = tile,
	.check = &simd_check,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simd_stress.c - what the burn needs of a vector library.
 */
#include "config.h"
#include "burnin/simd_kernels.h"

static void tile(const float *a, const float *b, int kc, float *c, size_t c_row)
{
	const struct simd_tile t = { .kc = kc, .a = a, .b = b, .c = c, .c_row = c_row,
		.ahead = (const char *)c };

	simd_tile_packed(&t, SIMD_ROWS);
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

static bool equal(uint32_t *got, const uint32_t *want, size_t n)
{
	simd_bits different = { 0 };
	uint32_t any = 0;
	size_t i = 0;

	for (; i + SIMD_LANES <= n; i += SIMD_LANES)
		different |= bits_at(got + i) ^ bits_at(want + i);
	for (; i < n; i++)
		any |= got[i] ^ want[i];
	for (int lane = 0; lane < SIMD_LANES; lane++)
		any |= different[lane];
	for (i = 0; !any && i + SIMD_LANES <= n; i += SIMD_LANES) {
		const simd_bits wrong = ~bits_at(want + i);

		memcpy(got + i, &wrong, sizeof(wrong));
	}
	for (; !any && i < n; i++)
		got[i] = ~want[i];
	return !any;
}

/* Each lane is turned by a bit before a word is added: their order counts too. */
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

const struct impl_stress simd_stress = {
	.rows = SIMD_ROWS, .cols = SIMD_COLS,
	.tile = tile, .narrow = narrow, .equal = equal, .sum = sum,
};

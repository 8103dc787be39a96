/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simd_tile.c - the innermost loops of matmul: each term is an element of A,
 * broadcast, times two vectors of B; all sums stay in registers.
 */
#include "config.h"
#include "burnin/simd_kernels.h"

enum source { PACKED, DIRECT, KEEP_FLOAT, KEEP_BFLOAT };

/* rows and how are constant in the callers: the loop over rows unrolls. */
static inline __attribute__((always_inline)) void tile(const struct simd_tile *t, const int rows,
	const enum source how)
{
	simd_vec c[SIMD_ROWS][2];
	const float *a = t->a, *b = t->b;
	const uint16_t *half = t->b;
	const size_t a_row = t->a_row, b_row = t->b_row, c_row = t->c_row;
	const bool add = t->add;
	float *to = t->c;
	const char *ahead = t->ahead, *ahead_row = t->ahead;
	int run = t->ahead_run;
	float *keep = t->keep;

#pragma GCC unroll 16
	for (int r = 0; r < rows; r++)
		c[r][0] = c[r][1] = (simd_vec){ 0 };
	for (int k = 0; k < t->kc; k++) {
		simd_vec b0, b1;

		if (how == KEEP_BFLOAT) {
			b0 = simd_widen(half);
			b1 = simd_widen(half + SIMD_LANES);
			half += b_row;
		} else {
			b0 = simd_load(b);
			b1 = simd_load(b + SIMD_LANES);
			b += how == PACKED ? SIMD_COLS : b_row;
		}
		if (how == KEEP_FLOAT || how == KEEP_BFLOAT) {
			simd_store(keep, b0);
			simd_store(keep + SIMD_LANES, b1);
			keep += SIMD_COLS;
		}
		if (how != PACKED) {
			__builtin_prefetch(ahead, 0, 2);
			ahead += t->ahead_step;
		}
		if ((how == PACKED || how == DIRECT) && --run == 0) {
			run = t->ahead_run;
			if (how == PACKED) {
				__builtin_prefetch(ahead_row, 1, 2);
				__builtin_prefetch(ahead_row + sizeof(b0), 1, 2);
			}
			ahead = ahead_row += t->ahead_row;
		}
#pragma GCC unroll 16
		for (int r = 0; r < rows; r++) {
			const float x = how == PACKED ? a[r] : a[(size_t)r * a_row];

			c[r][0] += b0 * x;
			c[r][1] += b1 * x;
		}
		a += how == PACKED ? rows : 1;
	}
#pragma GCC unroll 16
	for (int r = 0; r < rows; r++, to += c_row) {
		if (add) {
			c[r][0] += simd_load(to);
			c[r][1] += simd_load(to + SIMD_LANES);
		}
		simd_store(to, c[r][0]);
		simd_store(to + SIMD_LANES, c[r][1]);
	}
}

void simd_tile_packed(const struct simd_tile *t, int rows)
{
	if (rows == SIMD_ROWS)
		tile(t, SIMD_ROWS, PACKED);
	else
		tile(t, SIMD_FEW, PACKED);
}

void simd_tile_direct(const struct simd_tile *t)
{
	tile(t, SIMD_FEW, DIRECT);
}

void simd_tile_keep(const struct simd_tile *t, enum burn_dtype b)
{
	if (b == BURN_FLOAT32)
		tile(t, SIMD_FEW, KEEP_FLOAT);
	else
		tile(t, SIMD_FEW, KEEP_BFLOAT);
}

void simd_pack_rows(enum burn_dtype t, const void *a, size_t at, size_t a_row, int rows, int valid,
	int kc, float *to)
{
	int k = 0;

	for (; k + SIMD_LANES <= kc; k += SIMD_LANES)
		for (int r0 = 0; r0 < rows; r0 += SIMD_LANES) {
			simd_vec v[SIMD_LANES];

			for (int r = 0; r < SIMD_LANES; r++) {
				const size_t from = at + (size_t)(r0 + r) * a_row + (size_t)k;

				if (r0 + r >= valid)
					v[r] = (simd_vec){ 0 };
				else if (t == BURN_FLOAT32)
					v[r] = simd_load((const float *)a + from);
				else
					v[r] = simd_widen((const uint16_t *)a + from);
			}
			simd_transpose(v);
			for (int i = 0; i < SIMD_LANES; i++)
				simd_store(to + (size_t)(k + i) * (size_t)rows + r0, v[i]);
		}
	for (; k < kc; k++)
		for (int r = 0; r < rows; r++) {
			float *x = to + (size_t)k * (size_t)rows + r;

			*x = 0;
			if (r < valid)
				simd_copy_in(t, a, at + (size_t)r * a_row + (size_t)k, x, 1);
		}
}

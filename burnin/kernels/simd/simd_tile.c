/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simd_tile.c - the innermost loops of matmul: each term is an element of A,
 * broadcast, times two vectors of B; all sums stay in registers.
 */
#include "config.h"
#include "burnin/kernels/simd/simd_kernels.h"

/* A is packed, or read in place; B is ready as floats, or of this type and left packed. */
enum rows_of { ROWS_PACKED, ROWS_DIRECT };
enum cols_of { COLS_READY, COLS_FLOAT, COLS_BFLOAT };

enum { B_AHEAD = 16 };		/* terms that B is prefetched ahead if its rows lie far apart */

struct cursor {
	const float *a, *b;
	const uint16_t *half;
	float *keep;
	const char *ahead, *ahead_row, *next;
	int run;
};

/* Load both vectors of B for one term. */
static inline __attribute__((always_inline)) void load_b(const struct simd_tile *t,
	struct cursor *at, const enum rows_of rows_of, const enum cols_of cols_of, simd_vec b[2])
{
	if (rows_of == ROWS_PACKED && cols_of != COLS_READY) {
		const size_t ahead = B_AHEAD * t->b_row;

		__builtin_prefetch(cols_of == COLS_FLOAT ? (const void *)(at->b + ahead)
			: at->half + ahead, 0, 3);
		if (cols_of == COLS_FLOAT)
			__builtin_prefetch(at->b + ahead + SIMD_LANES, 0, 3);
	}
	if (cols_of == COLS_BFLOAT) {
		b[0] = simd_widen(at->half);
		b[1] = simd_widen(at->half + SIMD_LANES);
		at->half += t->b_row;
	} else {
		b[0] = simd_load(at->b);
		b[1] = simd_load(at->b + SIMD_LANES);
		at->b += rows_of == ROWS_PACKED && cols_of == COLS_READY ? SIMD_COLS : t->b_row;
	}
	if (cols_of != COLS_READY) {
		simd_store(at->keep, b[0]);
		simd_store(at->keep + SIMD_LANES, b[1]);
		at->keep += SIMD_COLS;
	}
}

static inline __attribute__((always_inline)) void fetch_ahead(const struct simd_tile *t,
	struct cursor *at, const enum rows_of rows_of)
{
	if (rows_of == ROWS_DIRECT) {
		__builtin_prefetch(at->ahead, 0, 2);
		at->ahead += t->ahead_step;
	}
	if (--at->run != 0)
		return;
	at->run = t->ahead_run;
	if (rows_of == ROWS_PACKED) {
		__builtin_prefetch(at->ahead_row, 1, 2);
		__builtin_prefetch(at->ahead_row + sizeof(simd_vec), 1, 2);
		__builtin_prefetch(at->next, 0, 2);
		at->next += t->next_row;
	}
	at->ahead = at->ahead_row += t->ahead_row;
}

/* All but t are constants in every caller: the loop over rows unrolls. */
static inline __attribute__((always_inline)) void tile(const struct simd_tile *t, const int rows,
	const enum rows_of rows_of, const enum cols_of cols_of)
{
	struct cursor at = { .a = t->a, .b = t->b, .half = t->b, .keep = t->keep,
		.ahead = t->ahead, .ahead_row = t->ahead, .next = t->next, .run = t->ahead_run };
	simd_vec c[SIMD_ROWS][2];
	float *to = t->c;

#pragma GCC unroll 16
	for (int r = 0; r < rows; r++)
		c[r][0] = c[r][1] = (simd_vec){ 0 };
	for (int k = 0; k < t->kc; k++) {
		simd_vec b[2];

		load_b(t, &at, rows_of, cols_of, b);
		fetch_ahead(t, &at, rows_of);
#pragma GCC unroll 16
		for (int r = 0; r < rows; r++) {
			const float x = at.a[rows_of == ROWS_PACKED ? (size_t)r
				: (size_t)r * t->a_row];

			c[r][0] += b[0] * x;
			c[r][1] += b[1] * x;
		}
		at.a += rows_of == ROWS_PACKED ? rows : 1;
	}
#pragma GCC unroll 16
	for (int r = 0; r < rows; r++, to += t->c_row) {
		if (t->add) {
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
		tile(t, SIMD_ROWS, ROWS_PACKED, COLS_READY);
	else
		tile(t, SIMD_FEW, ROWS_PACKED, COLS_READY);
}

void simd_tile_packing(const struct simd_tile *t, int rows, enum burn_dtype b)
{
	if (rows == SIMD_ROWS && b == BURN_FLOAT32)
		tile(t, SIMD_ROWS, ROWS_PACKED, COLS_FLOAT);
	else if (rows == SIMD_ROWS)
		tile(t, SIMD_ROWS, ROWS_PACKED, COLS_BFLOAT);
	else if (b == BURN_FLOAT32)
		tile(t, SIMD_FEW, ROWS_PACKED, COLS_FLOAT);
	else
		tile(t, SIMD_FEW, ROWS_PACKED, COLS_BFLOAT);
}

void simd_tile_direct(const struct simd_tile *t)
{
	tile(t, SIMD_FEW, ROWS_DIRECT, COLS_READY);
}

void simd_tile_keep(const struct simd_tile *t, enum burn_dtype b)
{
	if (b == BURN_FLOAT32)
		tile(t, SIMD_FEW, ROWS_DIRECT, COLS_FLOAT);
	else
		tile(t, SIMD_FEW, ROWS_DIRECT, COLS_BFLOAT);
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

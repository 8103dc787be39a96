/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simd_gemm_packed.c - matmul of large matrices.  A block of B stays in the
 * second-level cache while all of A is multiplied with it, some rows (a panel) at
 * a time.  The first panel leaves B packed.  Every other panel is packed just before
 * its turn, from lines prefetched while the panel before it was multiplied.
 */
#include "config.h"
#include "burnin/kernels/simd/simd_gemm.h"

void simd_pack_cols(const struct impl_job *j, size_t k0, size_t kc, size_t from, size_t cols,
	float *to)
{
	const size_t n = (size_t)j->shape.n;

	for (size_t k = 0; k < kc; k++)
		for (size_t c = 0; c < cols; c += SIMD_COLS) {
			const size_t at = (k0 + k) * n + from + c;
			float *panel = to + c * kc + k * SIMD_COLS;

			if (cols - c < SIMD_COLS)
				memset(panel, 0, SIMD_COLS * sizeof(*panel));
			if (cols - c >= SIMD_COLS)
				simd_copy_in(j->dtype, j->at.weight, at, panel, SIMD_COLS);
			else
				simd_copy_in(j->dtype, j->at.weight, at, panel, cols - c);
		}
}

/* The first row of panel i of A. */
static size_t panel_row(const struct simd_part *p, size_t i)
{
	return i < p->many ? i * SIMD_ROWS : p->many * SIMD_ROWS + (i - p->many) * SIMD_FEW;
}

static void pack_panel(const struct impl_job *j, const struct simd_part *p, size_t i, size_t k0,
	const struct simd_tile *t)
{
	const size_t k = (size_t)j->shape.k;
	const size_t row = panel_row(p, i), kc = (size_t)t->kc;
	const int rows = i < p->many ? SIMD_ROWS : SIMD_FEW;
	const int64_t from = trace_now(j->trace);

	simd_pack_rows(j->dtype, j->at.input, (p->row0 + row) * k + k0, k, rows,
		(int)min((size_t)rows, p->rows - row), (int)kc, p->a + row * kc);
	trace_add(j->trace, p->thread, "pack A", from);
}

/*
 * Prefetch the panel of A after i meanwhile: with each tile a line of each of its
 * rows or, if it is packed already, as many lines of the packed panel.
 */
static size_t fetch_next(const struct impl_job *j, const struct simd_part *p, struct simd_tile *t,
	size_t i, size_t k0, bool packed)
{
	const size_t element = burn_dtype_size(j->dtype), row = panel_row(p, i + 1);

	if (packed) {
		t->next = (const char *)(p->a + row * (size_t)t->kc);
		t->next_row = SIMD_LINE;
		return SIMD_ROWS * SIMD_LINE;
	}
	t->next = (const char *)j->at.input + ((p->row0 + row) * (size_t)j->shape.k + k0) * element;
	t->next_row = (size_t)j->shape.k * element;
	return SIMD_LINE;
}

/* Multiply panel i of A with a block of B; the first panel leaves B packed. */
static void multiply_panel(const struct impl_job *j, const struct simd_part *p, struct simd_tile *t,
	size_t i, size_t k0, size_t col)
{
	const size_t n = (size_t)j->shape.n, kc = (size_t)t->kc, row = panel_row(p, i);
	const size_t cols = min(PACKED_COLS, p->cols - col);
	const int rows = i < p->many ? SIMD_ROWS : SIMD_FEW;
	const size_t step = fetch_next(j, p, t, i, k0, col > 0);

	t->a = p->a + row * kc;
	t->ahead_row = p->sum_row * sizeof(float);
	t->ahead_run = t->kc / (2 * rows) + 1;
	for (size_t c = 0; c < cols; c += SIMD_COLS) {
		const bool whole = cols - c >= SIMD_COLS;

		t->c = p->sum + row * p->sum_row + col + c;
		t->ahead = (const char *)t->c;
		t->keep = p->b + c * kc;
		if (i == 0 && whole) {
			t->b = (const char *)j->at.weight
				+ (k0 * n + p->col0 + col + c) * burn_dtype_size(j->dtype);
			t->b_row = n;
			simd_tile_packing(t, rows, j->dtype);
		} else {
			if (i == 0)
				simd_pack_cols(j, k0, kc, p->col0 + col + c, cols - c, t->keep);
			t->b = t->keep;
			simd_tile_packed(t, rows);
		}
		t->next += step;
	}
}

void simd_gemm_packed(const struct impl_job *j, const struct simd_part *p)
{
	const size_t k = (size_t)j->shape.k, run = run_of(k, PACKED_TERMS);

	for (size_t k0 = 0; k0 < k; k0 += run) {
		struct simd_tile t = { .kc = (int)min(run, k - k0), .add = k0 > 0,
			.c_row = p->sum_row };

		for (size_t col = 0; col < p->cols; col += PACKED_COLS)
			for (size_t i = 0; i < p->many + p->few; i++) {
				int64_t from;

				if (col == 0)
					pack_panel(j, p, i, k0, &t);
				from = trace_now(j->trace);
				multiply_panel(j, p, &t, i, k0, col);
				trace_add(j->trace, p->thread, "multiply", from);
			}
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simd_gemm.c - matmul: chooses tiles and their order so that the operands of a
 * tile are in a near cache.  There are three ways:
 *
 *	narrow	at most COLS columns: a block of B stays in the first-level cache
 *		while all of A, read in place, streams past
 *	flat	few rows: B streams past; the first rows of A that are multiplied
 *		with a panel of B leave it packed for the others
 *	packed	A and B are both copied into the order in which tiles read them
 *
 * The result is made in place, or in padded scratch memory when it is of
 * another type or not a whole number of tiles.
 */
#include "config.h"
#include "burnin/kernels/simd/simd_gemm.h"

enum {
	NARROW_TERMS = 256,
	FLAT_TERMS = 192,		/* a panel of AVX-512: three quarters of 32 KiB */
	FLAT_ROWS = 96,			/* up to this many, packing A and B would not pay */
	GAP = 16			/* floats between rows of a copy of A, to vary cache sets */
};

/* Rows of a grid of threads over the result: the grid whose largest part costs least. */
static size_t grid_rows(size_t m, size_t n, size_t threads)
{
	size_t best = 1, best_cost = SIZE_MAX;

	for (size_t r = 1; r <= threads; r++) {
		size_t rows, cols, cost;

		if (threads % r)
			continue;
		rows = units(units(m, SIMD_FEW), r) * SIMD_FEW;
		cols = units(units(n, SIMD_COLS), threads / r) * SIMD_COLS;
		cost = rows * cols + 2 * SIMD_COLS * (rows + cols);
		if (cost < best_cost) {
			best = r;
			best_cost = cost;
		}
	}
	return best;
}

enum way { NARROW, FLAT, WHOLE };

/* The whole shape decides, not a thread's part, because each way sums in its own order. */
static enum way way_of(const struct burn_shape *s)
{
	return s->n <= SIMD_COLS ? NARROW : s->m <= FLAT_ROWS ? FLAT : WHOLE;
}

/* Use a few panels of SIMD_FEW rows if that fills all panels of SIMD_ROWS. */
static void plan_panels(struct simd_part *p)
{
	for (p->few = 0; p->few < SIMD_ROWS && p->few * SIMD_FEW <= p->rows; p->few++)
		if ((p->rows - p->few * SIMD_FEW) % SIMD_ROWS == 0) {
			p->many = (p->rows - p->few * SIMD_FEW) / SIMD_ROWS;
			return;
		}
	p->many = p->rows / SIMD_ROWS;
	p->few = units(p->rows % SIMD_ROWS, SIMD_FEW);
}

static struct simd_part part_of(const struct burn_shape *s, enum burn_dtype t, int threads,
	int thread)
{
	const size_t m = (size_t)s->m, n = (size_t)s->n, all = (size_t)threads;
	const size_t grid = grid_rows(m, n, all);
	struct simd_part p = { 0 };

	share(m, SIMD_FEW, grid, (size_t)thread % grid, &p.row0, &p.rows);
	share(n, SIMD_COLS, all / grid, (size_t)thread / grid, &p.col0, &p.cols);
	p.pad_cols = units(p.cols, SIMD_COLS) * SIMD_COLS;
	p.pad_rows = units(p.rows, SIMD_FEW) * SIMD_FEW;
	if (way_of(s) == WHOLE) {
		plan_panels(&p);
		p.pad_rows = p.many * SIMD_ROWS + p.few * SIMD_FEW;
	}
	p.in_place = t == BURN_FLOAT32 && p.pad_cols == p.cols && p.pad_rows == p.rows;
	return p;
}

/* Floats of a thread's memory: scratch for the result, copies of A, of B. */
static void part_sizes(const struct burn_shape *s, const struct simd_part *p, size_t *sum,
	size_t *a, size_t *b)
{
	*sum = p->in_place ? 0 : p->pad_rows * p->pad_cols;
	switch (way_of(s)) {
	case NARROW:
		*a = SIMD_FEW * (NARROW_TERMS + GAP);
		*b = (size_t)NARROW_TERMS * SIMD_COLS;
		break;
	case FLAT:
		*a = p->pad_rows * (FLAT_TERMS + GAP);
		*b = (size_t)FLAT_TERMS * SIMD_COLS;
		break;
	case WHOLE:
		*a = p->pad_rows * PACKED_TERMS + SIMD_LANES;
		*b = PACKED_TERMS * min(PACKED_COLS, p->pad_cols);
		break;
	}
}

static size_t gemm_work_size(const struct burn_shape *s, enum burn_dtype t, int threads)
{
	size_t most = 0;

	for (int i = 0; i < threads; i++) {
		const struct simd_part p = part_of(s, t, threads, i);
		size_t sum, a, b;

		part_sizes(s, &p, &sum, &a, &b);
		sum += a + b + SIMD_LINE;
		most = sum > most ? sum : most;
	}
	return most * sizeof(float);
}

/* SIMD_FEW rows of A from `row` on for a tile: in place, or as a padded copy. */
static void rows_of_a(const struct impl_job *j, const struct simd_part *p, size_t row, size_t k0,
	size_t kc, float *copy, struct simd_tile *t)
{
	const size_t k = (size_t)j->shape.k;
	const size_t valid = min(SIMD_FEW, p->rows - row), at = (p->row0 + row) * k + k0;

	if (j->dtype == BURN_FLOAT32 && valid == SIMD_FEW) {
		t->a = (const float *)j->at.input + at;
		t->a_row = k;
		return;
	}
	t->a = copy;
	t->a_row = kc + GAP;
	for (size_t r = 0; r < SIMD_FEW; r++)
		if (r < valid)
			simd_copy_in(j->dtype, j->at.input, at + r * k, copy + r * t->a_row, kc);
		else
			memset(copy + r * t->a_row, 0, kc * sizeof(*copy));
}

/* Write complete rows to the result while they are in a near cache. */
static void put_rows(const struct impl_job *j, const struct simd_part *p, size_t first, size_t n)
{
	for (size_t r = first; r < first + n && !p->in_place; r++)
		simd_copy_out(j->dtype, p->sum + r * p->sum_row, j->at.output,
			(p->row0 + r) * (size_t)j->shape.n + p->col0, p->cols);
}

static void gemm_narrow(const struct impl_job *j, const struct simd_part *p)
{
	const size_t k = (size_t)j->shape.k, n = (size_t)j->shape.n;
	const size_t element = burn_dtype_size(j->dtype);
	const size_t run = run_of(k, NARROW_TERMS);
	const bool ready = j->dtype == BURN_FLOAT32 && n == SIMD_COLS;
	int64_t from;

	for (size_t k0 = 0; k0 < k; k0 += run) {
		const size_t kc = min(run, k - k0);
		struct simd_tile t = { .kc = (int)kc, .add = k0 > 0, .b = p->b, .b_row = SIMD_COLS,
			.c_row = p->sum_row, .ahead_step = element * SIMD_FEW,
			.ahead_row = k * element, .ahead_run = (int)units(kc, SIMD_FEW) };

		from = trace_now(j->trace);
		if (ready)
			t.b = (const float *)j->at.weight + k0 * n;
		else
			simd_pack_cols(j, k0, kc, p->col0, p->cols, p->b);
		trace_add(j->trace, p->thread, "pack B", from);
		from = trace_now(j->trace);
		for (size_t r = 0; r < p->rows; r += SIMD_FEW) {
			const bool last = r + SIMD_FEW >= p->rows;
			const size_t next = last ? 0 : r + SIMD_FEW;
			const size_t next_k = last && k0 + kc < k ? k0 + kc : k0;

			rows_of_a(j, p, r, k0, kc, p->a, &t);
			t.c = p->sum + r * p->sum_row;
			t.ahead = (const char *)j->at.input
				+ ((p->row0 + next) * k + next_k) * element;
			simd_tile_direct(&t);
			if (k0 + kc == k)
				put_rows(j, p, r, min(SIMD_FEW, p->rows - r));
		}
		trace_add(j->trace, p->thread, "multiply", from);
	}
}

/*
 * Prefetch the panel of B after this one, or the first of the next run, meanwhile: with the i-th
 * rows of A the i-th line of each of its rows.  A whole run ahead would not fit in 1 MiB.
 */
static void fetch_panel(const struct impl_job *j, const struct simd_part *p, size_t col, size_t k0,
	size_t i, struct simd_tile *t)
{
	const size_t element = burn_dtype_size(j->dtype), n = (size_t)j->shape.n;
	const size_t line = i * SIMD_LINE;
	const bool last = col + SIMD_COLS >= p->cols;
	const size_t row = last ? k0 + (size_t)t->kc : k0, next = last ? 0 : col + SIMD_COLS;

	if (line >= SIMD_COLS * element || row >= (size_t)j->shape.k) {
		t->ahead = (const char *)t->c;
		t->ahead_step = 0;
	} else {
		t->ahead = (const char *)j->at.weight + (row * n + p->col0 + next) * element + line;
		t->ahead_step = n * element;
	}
}

/* Multiply one panel of B, COLS wide, with all rows of A. */
static void flat_panel(const struct impl_job *j, const struct simd_part *p, size_t col,
	struct simd_tile *t, size_t k0)
{
	const size_t n = (size_t)j->shape.n, k = (size_t)j->shape.k;
	const size_t cols = min(SIMD_COLS, p->cols - col), kc = (size_t)t->kc;
	bool packed = cols < SIMD_COLS;

	if (packed)
		simd_pack_cols(j, k0, kc, p->col0 + col, cols, p->b);
	for (size_t r = 0; r < p->rows; r += SIMD_FEW) {
		const bool copied = j->dtype == BURN_BFLOAT16 || p->rows - r < SIMD_FEW;

		t->a = copied ? p->a + r * (kc + GAP)
			: (const float *)j->at.input + (p->row0 + r) * k + k0;
		t->a_row = copied ? kc + GAP : k;
		t->c = p->sum + r * p->sum_row + col;
		fetch_panel(j, p, col, k0, r / SIMD_FEW, t);
		if (packed) {
			t->b = p->b;
			t->b_row = SIMD_COLS;
			simd_tile_direct(t);
		} else {
			t->b = (const char *)j->at.weight
				+ (k0 * n + p->col0 + col) * burn_dtype_size(j->dtype);
			t->b_row = n;
			t->keep = p->b;
			simd_tile_keep(t, j->dtype);
			packed = true;
		}
	}
}

static void gemm_flat(const struct impl_job *j, const struct simd_part *p)
{
	const size_t k = (size_t)j->shape.k;
	const size_t run = run_of(k, FLAT_TERMS);
	int64_t from;

	for (size_t k0 = 0; k0 < k; k0 += run) {
		const size_t kc = min(run, k - k0);
		struct simd_tile t = { .kc = (int)kc, .add = k0 > 0, .c_row = p->sum_row };

		from = trace_now(j->trace);
		for (size_t r = 0; r < p->rows; r += SIMD_FEW)
			if (j->dtype == BURN_BFLOAT16 || p->rows - r < SIMD_FEW) {
				struct simd_tile copied;

				rows_of_a(j, p, r, k0, kc, p->a + r * (kc + GAP), &copied);
			}
		trace_add(j->trace, p->thread, "copy A", from);
		from = trace_now(j->trace);
		for (size_t col = 0; col < p->cols; col += SIMD_COLS)
			flat_panel(j, p, col, &t, k0);
		trace_add(j->trace, p->thread, "pack B, multiply", from);
	}
}

static void gemm_run(const struct impl_job *j, int thread)
{
	const size_t n = (size_t)j->shape.n;
	struct simd_part p = part_of(&j->shape, j->dtype, j->threads, thread);
	size_t sum, a, b;

	if (!p.rows || !p.cols)
		return;
	part_sizes(&j->shape, &p, &sum, &a, &b);
	p.thread = thread;
	p.sum = (float *)(void *)(j->work + j->work_size * (size_t)thread);
	p.sum_row = p.pad_cols;
	p.b = p.sum + units(sum, SIMD_LINE) * SIMD_LINE;
	p.a = p.b + b;
	if (p.in_place) {
		p.sum = (float *)j->at.output + p.row0 * n + p.col0;
		p.sum_row = n;
	}
	switch (way_of(&j->shape)) {
	case NARROW:
		gemm_narrow(j, &p);
		break;
	case FLAT:
		gemm_flat(j, &p);
		put_rows(j, &p, 0, p.rows);
		break;
	case WHOLE:
		simd_gemm_packed(j, &p);
		put_rows(j, &p, 0, p.rows);
		break;
	}
}

const struct impl_kernel simd_gemm_kernel = { .work_size = gemm_work_size, .run = gemm_run };

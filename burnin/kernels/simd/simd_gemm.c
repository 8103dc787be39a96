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

#include "burnin/kernels/cpu.h"
#include "burnin/kernels/simd/simd_kernels.h"

/*
 * The innermost loops: each term is an element of A, broadcast, times two vectors of B; all sums
 * stay in registers.
 */

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

/* A and B are packed; rows is SIMD_ROWS or SIMD_FEW. */
static void simd_tile_packed(const struct simd_tile *t, int rows)
{
	if (rows == SIMD_ROWS)
		tile(t, SIMD_ROWS, ROWS_PACKED, COLS_READY);
	else
		tile(t, SIMD_FEW, ROWS_PACKED, COLS_READY);
}

/* The same, but B is of either type and read in place; it is left packed for later tiles. */
static void simd_tile_packing(const struct simd_tile *t, int rows, enum burn_dtype b)
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

/* SIMD_FEW rows of A, read in place; B is float. */
static void simd_tile_direct(const struct simd_tile *t)
{
	tile(t, SIMD_FEW, ROWS_DIRECT, COLS_READY);
}

/* The same, but B is of either type, and is left packed for later tiles. */
static void simd_tile_keep(const struct simd_tile *t, enum burn_dtype b)
{
	if (b == BURN_FLOAT32)
		tile(t, SIMD_FEW, ROWS_DIRECT, COLS_FLOAT);
	else
		tile(t, SIMD_FEW, ROWS_DIRECT, COLS_BFLOAT);
}

/*
 * Pack kc columns of rows of A into [kc][rows] floats.  Only the first `valid` rows
 * exist; the others become 0.  `to` has room for kc * rows + SIMD_LANES floats.
 */
static void simd_pack_rows(enum burn_dtype t, const void *a, size_t at, size_t a_row, int rows,
	int valid, int kc, float *to)
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

/*
 * Packed: a block of B stays in the second-level cache while all of A is multiplied with it, some
 * rows (a panel) at a time.  The first panel leaves B packed.  Every other panel is packed just
 * before its turn, from lines prefetched while the panel before it was multiplied.
 */

/* Pack cols columns of kc rows of B into panels, [kc][COLS] floats; missing columns are 0. */
static void simd_pack_cols(const struct impl_job *j, size_t k0, size_t kc, size_t from, size_t cols,
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

/* Compute one thread's part if neither A nor B is small. */
static void simd_gemm_packed(const struct impl_job *j, const struct simd_part *p)
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

const struct impl simd_impl = {
	.name = SIMD_NAME, .version = SIMD_VERSION, .help = SIMD_HELP, .needs = SIMD_NEEDS,
	.peak = simd_peak, .stress = &simd_stress, .memory = &simd_memory,
	.kernels = {
		[BURN_CONV2D] = { &simd_conv_kernel, &simd_conv_kernel, &simd_double_conv },
		[BURN_MATMUL] = { &simd_gemm_kernel, &simd_gemm_kernel, &simd_double_gemm },
	},
};

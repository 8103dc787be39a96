/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simd_gemm.c - matmul: chooses tiles and their order so that the operands of a
 * tile are in a near cache.  There are three ways:
 *
 *	narrow	at most SPAN_COLS columns: a block of B stays in the first-level
 *		cache while all of A, read in place, streams past
 *	flat	few rows, read in place: B streams past, a panel at a time; beside
 *		the multiply-adds of a panel, the next one is packed
 *	packed	A and B are both copied into the order in which tiles read them
 *
 * The result is made in place, or in padded scratch memory when it is of
 * another type or not a whole number of tiles.
 */
#include "config.h"
#include "burnin/kernels/simd/simd_gemm.h"

#include "burnin/kernels/cpu.h"
#include "burnin/kernels/simd/simd.h"

enum {
	VECTORS_MOST = 4,		/* of a tile */
	WIDE_COLS = SIMD_WIDE * SIMD_LANES,
	SPAN_COLS = SIMD_SPAN * SIMD_LANES,
	B_AHEAD = 32			/* terms that the first panel of A prefetches B ahead */
};
_Static_assert((int)SIMD_WIDE <= VECTORS_MOST && (int)SIMD_SPAN <= VECTORS_MOST, "held");

/*
 * The innermost loops: each term is some elements of A, broadcast, times some vectors of B; all
 * sums stay in registers.  The loops have instructions to spare, so some terms are accompanied by
 * a step of other work: it prefetches, and may copy or widen what later tiles read.
 */

enum beside_what { BESIDE_FETCH, BESIDE_COPY, BESIDE_WIDEN };

/* Where the next step is. */
struct cursor {
	const char *ahead, *from;	/* prefetch, copy from */
	float *to;
	const char *line;		/* two more lines to prefetch */
};

struct beside {
	enum beside_what what;
	int steps, every;		/* steps; terms from one to the next */
	int pieces;			/* of a step: lines to prefetch, vectors to copy */
	struct cursor at;
	size_t gap, step;		/* bytes of ahead and from, by piece and by step */
	size_t to_gap, to_step;		/* floats */
	size_t line_step;		/* bytes */
};

/*
 * A tile of the result: rows x vectors, summed over kc terms and stored, or added to what is
 * there.  All steps are in elements.
 */
struct tile {
	int kc;
	bool add;
	const float *a;			/* packed: [kc][rows]; else rows a_row apart */
	size_t a_row;
	const float *b;			/* [kc][vectors] */
	float *c;
	size_t c_row;
	uint16_t *out;			/* where rounded sums go instead, or NULL */
	size_t out_row;
	struct beside beside;
};

static inline __attribute__((always_inline)) void step_beside(const struct beside *s,
	struct cursor *at, const enum beside_what what, const int pieces)
{
	/* Numbers, since what is prefetched may be nothing, or beyond the end. */
	const uintptr_t ahead = (uintptr_t)at->ahead, line = (uintptr_t)at->line;

#pragma GCC unroll 8
	for (int i = 0; i < pieces; i++) {
		const size_t gap = (size_t)i * s->gap, to = (size_t)i * s->to_gap;

		__builtin_prefetch((const void *)(ahead + gap), 0, 2);
		if (what == BESIDE_COPY)
			simd_store(at->to + to,
				simd_load((const float *)(const void *)(at->from + gap)));
		else if (what == BESIDE_WIDEN)
			simd_store(at->to + to,
				simd_widen((const uint16_t *)(const void *)(at->from + gap)));
	}
	at->ahead = (const char *)(ahead + s->step);
	__builtin_prefetch((const void *)line, 0, 2);
	__builtin_prefetch((const void *)(line + SIMD_LINE), 0, 2);
	at->line = (const char *)(line + s->line_step);
	if (what != BESIDE_FETCH) {
		at->from += s->step;
		at->to += s->to_step;
	}
}

/* Add one term.  Whichever is fewer stays in registers: the rows of A, or the vectors of B. */
static inline __attribute__((always_inline)) void add_term(simd_vec c[][VECTORS_MOST],
	const float *a, size_t a_row, const float *b, const int rows, const int vectors)
{
	simd_vec held[VECTORS_MOST];

	if (rows < vectors) {
#pragma GCC unroll 16
		for (int r = 0; r < rows; r++)
			held[r] = a[(size_t)r * a_row] - (simd_vec){ 0 };
#pragma GCC unroll 16
		for (int v = 0; v < vectors; v++) {
			const simd_vec x = simd_load(b + v * SIMD_LANES);

#pragma GCC unroll 16
			for (int r = 0; r < rows; r++)
				c[r][v] += held[r] * x;
		}
		return;
	}
#pragma GCC unroll 16
	for (int v = 0; v < vectors; v++)
		held[v] = simd_load(b + v * SIMD_LANES);
#pragma GCC unroll 16
	for (int r = 0; r < rows; r++) {
		const float x = a[(size_t)r * a_row];

#pragma GCC unroll 16
		for (int v = 0; v < vectors; v++)
			c[r][v] += held[v] * x;
	}
}

static inline __attribute__((always_inline)) void put_rounded(simd_vec c[][VECTORS_MOST],
	uint16_t *out, size_t row, const int rows, const int vectors)
{
#pragma GCC unroll 16
	for (int r = 0; r < rows; r++, out += row)
#pragma GCC unroll 16
		for (int v = 0; v < vectors; v += 2)
			if (v + 1 < vectors)
				simd_store_pair(out + v * SIMD_LANES, c[r][v], c[r][v + 1]);
			else
				simd_store_rounded(out + v * SIMD_LANES, c[r][v]);
}

/* The loops read nothing of t, which any store might have changed. */
static inline __attribute__((always_inline)) void put_sums(const struct tile *t,
	simd_vec c[][VECTORS_MOST], const int rows, const int vectors)
{
	const size_t row = t->c_row;
	float *const to = t->c;

	if (t->add)
#pragma GCC unroll 16
		for (int r = 0; r < rows; r++)
#pragma GCC unroll 16
			for (int v = 0; v < vectors; v++)
				c[r][v] += simd_load(to + (size_t)r * row + v * SIMD_LANES);
	if (t->out) {
		put_rounded(c, t->out, t->out_row, rows, vectors);
		return;
	}
#pragma GCC unroll 16
	for (int r = 0; r < rows; r++)
#pragma GCC unroll 16
		for (int v = 0; v < vectors; v++)
			simd_store(to + (size_t)r * row + v * SIMD_LANES, c[r][v]);
}

/* All but t are constants in every caller: the loops over rows and vectors unroll. */
static inline __attribute__((always_inline)) void tile(const struct tile *t, const int rows,
	const int vectors, const bool packed, const enum beside_what what, const int pieces)
{
	simd_vec c[SIMD_ROWS][VECTORS_MOST];
	struct cursor at = t->beside.at;
	const float *a = t->a, *b = t->b;
	const int kc = t->kc;
	int steps = t->beside.steps, wait = steps > 0;

#pragma GCC unroll 16
	for (int r = 0; r < rows; r++)
#pragma GCC unroll 16
		for (int v = 0; v < vectors; v++)
			c[r][v] = (simd_vec){ 0 };
	for (int k = 0; k < kc; k++) {
		if (--wait == 0) {
			step_beside(&t->beside, &at, what, pieces);
			wait = --steps > 0 ? t->beside.every : 0;
		}
		add_term(c, a, packed ? 1 : t->a_row, b, rows, vectors);
		a += packed ? rows : 1;
		b += vectors * SIMD_LANES;
	}
	put_sums(t, c, rows, vectors);
}

static inline __attribute__((always_inline)) void tile_of(const struct tile *t, const int rows,
	const int vectors, const bool packed, const int pieces)
{
	if (t->beside.what == BESIDE_FETCH)
		tile(t, rows, vectors, packed, BESIDE_FETCH, pieces);
	else if (t->beside.what == BESIDE_COPY)
		tile(t, rows, vectors, packed, BESIDE_COPY, pieces);
	else
		tile(t, rows, vectors, packed, BESIDE_WIDEN, pieces);
}

/* A and B are packed: SIMD_ROWS or SIMD_FEW rows of SIMD_COLS columns. */
static void tile_packed(const struct tile *t, int rows)
{
	if (rows == SIMD_ROWS)
		tile_of(t, SIMD_ROWS, 2, true, 2);
	else
		tile_of(t, SIMD_FEW, 2, true, 2);
}

/* B is packed: SIMD_FEW rows of A, read in place, of WIDE_COLS or SIMD_COLS columns. */
static void tile_flat(const struct tile *t, size_t cols)
{
	if (cols == WIDE_COLS && t->beside.pieces == SIMD_WIDE)
		tile_of(t, SIMD_FEW, SIMD_WIDE, false, SIMD_WIDE);
	else if (cols == WIDE_COLS)
		tile_of(t, SIMD_FEW, SIMD_WIDE, false, t->beside.pieces);
	else
		tile_of(t, SIMD_FEW, 2, false, t->beside.pieces);
}

/* B is packed: SIMD_THIN rows of A, read in place, of SPAN_COLS columns. */
static void tile_narrow(const struct tile *t)
{
	tile_of(t, SIMD_THIN, SIMD_SPAN, false, SIMD_THIN);
}

/*
 * Pack kc columns of rows of A into [kc][rows] floats.  Only the first `valid` rows
 * exist; the others become 0.  `to` has room for kc * rows + SIMD_LANES floats.
 */
static void pack_rows(enum burn_dtype t, const void *a, size_t at, size_t a_row, int rows,
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

/*
 * Pack cols columns of kc rows of B, from element `from` of B on, into a panel, [kc][width]
 * floats; missing columns are 0.
 */
static void pack_cols(const struct impl_job *j, size_t from, size_t kc, size_t cols, size_t width,
	float *to)
{
	for (size_t k = 0; k < kc; k++, from += (size_t)j->shape.n)
		for (size_t c = 0; c < width; c += SIMD_LANES, to += SIMD_LANES)
			if (c + SIMD_LANES <= cols) {
				simd_copy_in(j->dtype, j->at.weight, from + c, to, SIMD_LANES);
			} else {
				memset(to, 0, SIMD_LANES * sizeof(*to));
				simd_copy_in(j->dtype, j->at.weight, from + c, to,
					c < cols ? cols - c : 0);
			}
}

/*
 * Copy rows of B beside tiles, each a multiple of SIMD_LANES wide, from element `from` of B on,
 * to [rows][width] floats.
 */
static void beside_cols(const struct impl_job *j, size_t from, size_t width, float *to,
	struct beside *s)
{
	const size_t element = burn_dtype_size(j->dtype);

	s->what = j->dtype == BURN_FLOAT32 ? BESIDE_COPY : BESIDE_WIDEN;
	s->pieces = (int)(width / SIMD_LANES);
	s->at.from = (const char *)j->at.weight + from * element;
	s->at.to = to;
	s->gap = SIMD_LANES * element;
	s->step = (size_t)j->shape.n * element;
	s->to_gap = SIMD_LANES;
	s->to_step = width;
}

/* A tile from this row and column on; terms: how many its sums have afterwards. */
static void place_tile(const struct impl_job *j, const struct simd_part *p, size_t row, size_t col,
	size_t terms, struct tile *t)
{
	const size_t n = (size_t)j->shape.n, at = (p->row0 + row) * n + p->col0 + col;

	t->c = p->sum + row * p->sum_row + col;
	t->c_row = p->sum_row;
	t->out = p->rounds && terms == (size_t)j->shape.k ? (uint16_t *)j->at.output + at : NULL;
	t->out_row = n;
}

/* The first row of panel i of A. */
static size_t panel_row(const struct simd_part *p, size_t i)
{
	return i < p->many ? i * SIMD_ROWS : p->many * SIMD_ROWS + (i - p->many) * SIMD_FEW;
}

static void pack_panel(const struct impl_job *j, const struct simd_part *p, size_t i, size_t k0,
	size_t kc)
{
	const size_t k = (size_t)j->shape.k;
	const size_t row = panel_row(p, i);
	const int rows = i < p->many ? SIMD_ROWS : SIMD_FEW;
	const int64_t from = trace_now(j->trace);

	pack_rows(j->dtype, j->at.input, (p->row0 + row) * k + k0, k, rows,
		(int)min((size_t)rows, p->rows - row), (int)kc, p->a + row * kc);
	trace_add(j->trace, p->thread, "pack A", from);
}

/*
 * Beside the tiles of panel i, prefetch each tile of the result, and the panel of A after i: with
 * each tile a line of each of its rows or, if it is packed already, as many lines of the packed
 * panel.
 */
static void fetch_next(const struct impl_job *j, const struct simd_part *p, size_t i, size_t k0,
	bool packed, struct tile *t)
{
	const size_t element = burn_dtype_size(j->dtype), row = panel_row(p, i + 1);
	const int rows = i < p->many ? SIMD_ROWS : SIMD_FEW;
	struct beside *s = &t->beside;

	s->what = BESIDE_FETCH;
	s->steps = 2 * rows;
	s->every = t->kc / (2 * rows) + 1;
	s->gap = SIMD_LANES * sizeof(float);
	s->step = p->sum_row * sizeof(float);
	s->at.line = (const char *)(p->a + row * (size_t)t->kc);
	s->line_step = SIMD_LINE;
	if (!packed) {
		s->at.line = (const char *)j->at.input
			+ ((p->row0 + row) * (size_t)j->shape.k + k0) * element;
		s->line_step = (size_t)j->shape.k * element;
	}
}

/* Multiply panel i of A with a block of B that is packed. */
static void multiply_panel(const struct impl_job *j, const struct simd_part *p, struct tile *t,
	size_t i, size_t k0, size_t col)
{
	const size_t kc = (size_t)t->kc, row = panel_row(p, i);
	const size_t cols = min(PACKED_COLS, p->cols - col);
	const int rows = i < p->many ? SIMD_ROWS : SIMD_FEW;

	fetch_next(j, p, i, k0, col > 0, t);
	t->a = p->a + row * kc;
	for (size_t c = 0; c < cols; c += SIMD_COLS) {
		t->b = p->b + c * kc;
		place_tile(j, p, row, col + c, k0 + kc, t);
		t->beside.at.ahead = (const char *)t->c;
		tile_packed(t, rows);
		t->beside.at.line += col > 0 ? (size_t)rows * SIMD_LINE : SIMD_LINE;
	}
}

/* Multiply the first panel of A with a block of B; each tile packs the next one's panel of B. */
static void multiply_first(const struct impl_job *j, const struct simd_part *p, struct tile *t,
	size_t k0, size_t col)
{
	const size_t n = (size_t)j->shape.n, kc = (size_t)t->kc;
	const size_t cols = min(PACKED_COLS, p->cols - col), from = k0 * n + p->col0 + col;

	t->a = p->a;
	t->beside.every = 1;
	t->beside.line_step = 0;
	pack_cols(j, from, kc, cols, SIMD_COLS, p->b);
	for (size_t c = 0, next = SIMD_COLS; c < cols; c = next, next += SIMD_COLS) {
		const bool whole = next + SIMD_COLS <= cols;

		t->b = p->b + c * kc;
		place_tile(j, p, 0, col + c, k0 + kc, t);
		beside_cols(j, from + next, SIMD_COLS, p->b + next * kc, &t->beside);
		t->beside.at.ahead = t->beside.at.from + B_AHEAD * t->beside.step;
		t->beside.at.line = (const char *)t->c;
		t->beside.steps = whole ? t->kc : 0;
		tile_packed(t, p->many > 0 ? SIMD_ROWS : SIMD_FEW);
		if (!whole && next < cols)
			pack_cols(j, from + next, kc, cols - next, SIMD_COLS, p->b + next * kc);
	}
}

/* Compute one thread's part if neither A nor B is small. */
static void gemm_packed(const struct impl_job *j, const struct simd_part *p)
{
	const size_t k = (size_t)j->shape.k, run = run_of(k, PACKED_TERMS);

	for (size_t k0 = 0; k0 < k; k0 += run) {
		struct tile t = { .kc = (int)min(run, k - k0), .add = k0 > 0 };

		for (size_t col = 0; col < p->cols; col += PACKED_COLS)
			for (size_t i = 0; i < p->many + p->few; i++) {
				int64_t from;

				if (col == 0)
					pack_panel(j, p, i, k0, (size_t)t.kc);
				from = trace_now(j->trace);
				if (i == 0)
					multiply_first(j, p, &t, k0, col);
				else
					multiply_panel(j, p, &t, i, k0, col);
				trace_add(j->trace, p->thread, "multiply", from);
			}
	}
}

enum {
	NARROW_TERMS = 384,
	FLAT_TERMS = 192,
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
	return s->n <= SPAN_COLS ? NARROW : s->m <= FLAT_ROWS ? FLAT : WHOLE;
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
	const bool narrow = way_of(s) == NARROW;
	const size_t grid = narrow ? all : grid_rows(m, n, all);
	const size_t unit = narrow ? SIMD_THIN : SIMD_FEW, cols = narrow ? SPAN_COLS : SIMD_COLS;
	struct simd_part p = { 0 };
	bool whole;

	share(m, unit, grid, (size_t)thread % grid, &p.row0, &p.rows);
	share(n, cols, all / grid, (size_t)thread / grid, &p.col0, &p.cols);
	p.pad_cols = units(p.cols, cols) * cols;
	p.pad_rows = units(p.rows, unit) * unit;
	if (way_of(s) == WHOLE) {
		plan_panels(&p);
		p.pad_rows = p.many * SIMD_ROWS + p.few * SIMD_FEW;
	}
	whole = p.pad_cols == p.cols && (narrow || p.pad_rows == p.rows);
	p.in_place = whole && t == BURN_FLOAT32;
	p.rounds = whole && t == BURN_BFLOAT16;
	return p;
}

/* Floats of a thread's memory: scratch for the result, copies of A, of B. */
static void part_sizes(const struct burn_shape *s, const struct simd_part *p, size_t *sum,
	size_t *a, size_t *b)
{
	*sum = p->in_place ? SIMD_THIN * SPAN_COLS : p->pad_rows * p->pad_cols;
	switch (way_of(s)) {
	case NARROW:
		*a = 2 * SIMD_THIN * (NARROW_TERMS + GAP);
		*b = (size_t)NARROW_TERMS * SPAN_COLS;
		break;
	case FLAT:
		*a = p->pad_rows * (FLAT_TERMS + GAP);
		*b = (size_t)FLAT_TERMS * 2 * WIDE_COLS;
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

/* Write complete rows to the result while they are in a near cache. */
static void put_rows(const struct impl_job *j, const struct simd_part *p, const float *sum,
	size_t row, size_t first, size_t n)
{
	for (size_t r = first; r < first + n; r++, sum += row)
		simd_copy_out(j->dtype, sum, j->at.output,
			(p->row0 + r) * (size_t)j->shape.n + p->col0, p->cols);
}

/* Rows of A from `row` on for a tile: in place, or as a padded copy of floats. */
static void rows_of_a(const struct impl_job *j, const struct simd_part *p, size_t row, size_t rows,
	size_t k0, float *copy, struct tile *t)
{
	const size_t k = (size_t)j->shape.k, kc = (size_t)t->kc, at = (p->row0 + row) * k + k0;
	const bool in_place = j->dtype == BURN_FLOAT32 && row + rows <= p->rows;

	t->a = in_place ? (const float *)j->at.input + at : copy;
	t->a_row = in_place ? k : kc + GAP;
}

/* Make the copy that rows_of_a() returns, if it returns one. */
static void copy_rows(const struct impl_job *j, const struct simd_part *p, size_t row, size_t rows,
	size_t k0, size_t kc, float *copy)
{
	const size_t k = (size_t)j->shape.k, at = (p->row0 + row) * k + k0;

	if (j->dtype == BURN_FLOAT32 && row + rows <= p->rows)
		return;
	for (size_t r = 0; r < rows; r++, copy += kc + GAP)
		if (row + r < p->rows)
			simd_copy_in(j->dtype, j->at.input, at + r * k, copy, kc);
		else
			memset(copy, 0, kc * sizeof(*copy));
}

/* Beside each tile, prefetch the next one's rows or widen them and prefetch those after them. */
static void beside_rows(const struct impl_job *j, const struct simd_part *p, size_t k0, bool widen,
	struct tile *t)
{
	const size_t element = burn_dtype_size(j->dtype), k = (size_t)j->shape.k;
	struct beside *s = &t->beside;

	s->what = widen ? BESIDE_WIDEN : BESIDE_FETCH;
	s->every = widen ? SIMD_LANES : SIMD_LINE / (int)element;
	s->steps = t->kc / s->every;
	s->gap = k * element;
	s->step = (size_t)s->every * element;
	s->at.from = (const char *)j->at.input + ((p->row0 + SIMD_THIN) * k + k0) * element;
	s->at.ahead = s->at.from + (widen ? SIMD_THIN * s->gap : 0);
	s->to_gap = (size_t)t->kc + GAP;
	s->to_step = SIMD_LANES;
	s->line_step = p->sum_row * sizeof(float);
}

/* Multiply all rows of A with kc rows of B, from k0 on, which t has. */
static void narrow_run(const struct impl_job *j, const struct simd_part *p, struct tile *t,
	size_t k0)
{
	const size_t k = (size_t)j->shape.k, kc = (size_t)t->kc;
	const size_t step = SIMD_THIN * k * burn_dtype_size(j->dtype);
	const bool widens = j->dtype != BURN_FLOAT32, ahead = widens && kc % SIMD_LANES == 0;
	struct cursor *at = &t->beside.at;
	float *copy = p->a, *other = p->a + SIMD_THIN * (kc + GAP);

	beside_rows(j, p, k0, ahead, t);
	if (ahead)
		copy_rows(j, p, 0, SIMD_THIN, k0, kc, copy);
	for (size_t r = 0; r < p->rows; r += SIMD_THIN) {
		const bool whole = r + SIMD_THIN <= p->rows;
		float *const now = copy;

		rows_of_a(j, p, r, SIMD_THIN, k0, now, t);
		if (!whole || (widens && !ahead))
			copy_rows(j, p, r, SIMD_THIN, k0, kc, now);
		if (r + 2 * SIMD_THIN > p->rows)
			t->beside.what = BESIDE_FETCH;
		place_tile(j, p, r, 0, k0 + kc, t);
		if (!whole) {
			t->out = NULL;
			t->c = p->in_place ? p->spare : t->c;
		}
		at->line = (const char *)t->c;
		at->to = other;
		tile_narrow(t);
		if (k0 + kc == k && !(whole && (p->in_place || p->rounds)))
			put_rows(j, p, t->c, p->sum_row, r, min(SIMD_THIN, p->rows - r));
		at->from += step;
		at->ahead += step;
		copy = other;
		other = now;
	}
}

static void gemm_narrow(const struct impl_job *j, const struct simd_part *p)
{
	const size_t k = (size_t)j->shape.k, n = (size_t)j->shape.n;
	const size_t run = run_of(k, NARROW_TERMS);

	for (size_t k0 = 0; k0 < k; k0 += run) {
		struct tile t = { .kc = (int)min(run, k - k0), .add = k0 > 0 };
		int64_t from = trace_now(j->trace);

		t.b = p->b;
		if (n != SPAN_COLS)
			pack_cols(j, k0 * n + p->col0, (size_t)t.kc, p->cols, SPAN_COLS, p->b);
		else if (j->dtype == BURN_FLOAT32)
			t.b = (const float *)j->at.weight + k0 * n;
		else
			simd_copy_in(j->dtype, j->at.weight, k0 * n, p->b, (size_t)t.kc * n);
		trace_add(j->trace, p->thread, "pack B", from);
		from = trace_now(j->trace);
		narrow_run(j, p, &t, k0);
		trace_add(j->trace, p->thread, "multiply", from);
	}
}

/* A panel of B, [kc][cols], rows from k0 on.  They follow by columns, then by runs of terms. */
struct panel {
	size_t k0, kc, col, cols;
};

/* WIDE_COLS, or SIMD_COLS if only those are left, or twice those. */
static size_t panel_cols(size_t left)
{
	return left == SIMD_COLS || left == 2 * SIMD_COLS ? SIMD_COLS : WIDE_COLS;
}

/* After the last panel, one of no rows. */
static struct panel next_panel(const struct impl_job *j, const struct simd_part *p, struct panel at)
{
	at.col += at.cols;
	if (at.col == p->pad_cols) {
		at.col = 0;
		at.k0 += at.kc;
		at.kc = min(at.kc, (size_t)j->shape.k - at.k0);
	}
	at.cols = panel_cols(p->pad_cols - at.col);
	return at;
}

/* The first element of row i of a panel. */
static size_t panel_at(const struct impl_job *j, const struct simd_part *p, const struct panel *b,
	size_t i)
{
	return (b->k0 + i) * (size_t)j->shape.n + p->col0 + b->col;
}

/*
 * Multiply one panel of B with all rows of A.  Each tile copies its share of the next panel, and
 * prefetches the result, and the share of the tile after the next: a whole panel ahead would
 * not fit in a second-level cache if its rows lie a power of 2 apart.
 */
static void flat_panel(const struct impl_job *j, const struct simd_part *p, const struct panel *at,
	const float *b, float *other)
{
	const struct panel next = next_panel(j, p, *at), after = next_panel(j, p, next);
	const size_t kc = at->kc, tiles = p->pad_rows / SIMD_FEW, each = units(next.kc, tiles);
	const size_t element = burn_dtype_size(j->dtype);
	const bool whole = next.col + next.cols <= p->cols;
	struct tile t = { .kc = (int)kc, .add = at->k0 > 0, .b = b };

	beside_cols(j, panel_at(j, p, &next, 0), next.cols, other, &t.beside);
	t.beside.every = each ? (int)(kc / each) : 0;
	t.beside.line_step = p->sum_row * sizeof(float);
	for (size_t i = 0; i < tiles; i++) {
		const size_t first = min(next.kc, i * each), end = min(next.kc, first + each);
		const size_t row = i * SIMD_FEW, soon = (i + 2) * each;

		rows_of_a(j, p, row, SIMD_FEW, at->k0, p->a + row * (kc + GAP), &t);
		place_tile(j, p, row, at->col, at->k0 + kc, &t);
		t.beside.steps = whole ? (int)(end - first) : 0;
		t.beside.at.line = (const char *)t.c;
		t.beside.at.ahead = (const char *)j->at.weight + element * (soon < next.kc ?
			panel_at(j, p, &next, soon) : panel_at(j, p, &after, soon - next.kc));
		tile_flat(&t, at->cols);
		t.beside.at.from += each * t.beside.step;
		t.beside.at.to += each * next.cols;
	}
	if (!whole)
		pack_cols(j, panel_at(j, p, &next, 0), next.kc, p->cols - next.col, next.cols,
			other);
}

static void gemm_flat(const struct impl_job *j, const struct simd_part *p)
{
	const size_t k = (size_t)j->shape.k, size = (size_t)FLAT_TERMS * WIDE_COLS;
	struct panel at = { .kc = min(k, run_of(k, FLAT_TERMS)), .cols = panel_cols(p->pad_cols) };
	size_t i = 0;

	pack_cols(j, panel_at(j, p, &at, 0), at.kc, p->cols, at.cols, p->b);
	while (at.kc > 0) {
		const size_t k0 = at.k0;
		int64_t from = trace_now(j->trace);

		for (size_t r = 0; r < p->rows; r += SIMD_FEW)
			copy_rows(j, p, r, SIMD_FEW, k0, at.kc, p->a + r * (at.kc + GAP));
		trace_add(j->trace, p->thread, "copy A", from);
		from = trace_now(j->trace);
		for (; at.k0 == k0; at = next_panel(j, p, at), i = !i)
			flat_panel(j, p, &at, p->b + i * size, p->b + !i * size);
		trace_add(j->trace, p->thread, "pack B, multiply", from);
	}
}

static void gemm_run(const struct impl_job *j, int thread)
{
	static void (*const ways[])(const struct impl_job *j, const struct simd_part *p) = {
		[NARROW] = gemm_narrow, [FLAT] = gemm_flat, [WHOLE] = gemm_packed };
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
		p.spare = p.sum;
		p.sum = (float *)j->at.output + p.row0 * n + p.col0;
		p.sum_row = n;
	}
	ways[way_of(&j->shape)](j, &p);
	if (!p.in_place && !p.rounds && way_of(&j->shape) != NARROW)
		put_rows(j, &p, p.sum, p.sum_row, 0, p.rows);
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

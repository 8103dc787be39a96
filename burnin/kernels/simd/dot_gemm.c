/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dot_gemm.c - matmul for dot.h.  Of a block of A's rows and a run of k, which stay
 * in the second-level cache, each panel of B is multiplied with a few rows at a time,
 * so that the panel stays in the first-level cache.  The first rows make the panel of
 * B as it lies in memory, if the loop can.  Rows of A are read in place if few panels
 * need them.
 */
#include "config.h"
#include "burnin/kernels/bf16.h"

#include "burnin/kernels/simd/dot.h"
#include "burnin/kernels/simd/simd.h"

#include <string.h>

enum {
	BLOCK = 512,			/* rows of A */
	DEEP = 512,			/* terms of a run */
	AHEAD = DOT_LINE,		/* passes that prefetch a whole panel */
	MANY = 8			/* for this many panels, a copy of A pays */
};
_Static_assert(BLOCK % DOT_ROWS == 0, "whole passes");

/* A thread's part of the result: rows if there are enough tiles of them, else panels. */
struct part {
	int thread, row, end, panel, panels;
	float *sum;			/* [panels][rows of a block][DOT_COLS] */
	uint16_t *a, *b;		/* copied rows, a panel */
};

static int units(int n, int unit)
{
	return (n + unit - 1) / unit;
}

static int min(int a, int b)
{
	return a < b ? a : b;
}

static struct part part_of(const struct burn_shape *s, int threads, int thread)
{
	const int rows = units(s->m, DOT_ROWS), panels = units(s->n, DOT_COLS);
	const bool few = rows < threads && panels > rows;
	const int64_t all = few ? panels : rows;
	const int from = (int)(all * thread / threads), to = (int)(all * (thread + 1) / threads);

	if (few)
		return (struct part){ .thread = thread, .end = s->m, .panel = from,
			.panels = to - from };
	return (struct part){ .thread = thread, .row = from * DOT_ROWS,
		.end = min(to * DOT_ROWS, s->m), .panels = panels };
}

/* Rows of a block in whole passes of any loop. */
static int block_rows(const struct part *p)
{
	return min(BLOCK, units(p->end - p->row, DOT_ROWS) * DOT_ROWS);
}

static size_t sums_of(const struct part *p)
{
	return (size_t)p->panels * (size_t)block_rows(p) * DOT_COLS;
}

/* Elements from one to the next: whole terms of any loop, and a line to vary the sets. */
static size_t copied_row(int depth)
{
	return (size_t)(units(depth, DOT_DEPTH) + 1) * DOT_DEPTH;
}

size_t dot_gemm_work_size(const struct burn_shape *s, enum burn_dtype t, int threads)
{
	size_t most = 0;

	(void)t;
	for (int i = 0; i < threads; i++) {
		const struct part p = part_of(s, threads, i);
		const size_t size = sums_of(&p) * sizeof(float)
			+ ((size_t)DEEP * DOT_COLS + (size_t)block_rows(&p)
				* copied_row(s->k < DEEP ? s->k : DEEP)) * sizeof(uint16_t);

		most = size > most ? size : most;
	}
	return most;
}

/* A block of rows, and a run of k: whole multiples of the loop's terms, or the rest. */
struct run {
	int row, rows, k0, depth;
};

/* Runs of similar length. */
static int depth_at(int k0, int k, const struct dot_loop *loop)
{
	const int left = k - k0, runs = units(left, DEEP);
	const int most = runs ? min(left, units(units(left, DOT_DEPTH), runs) * DOT_DEPTH) : 0;

	return most < loop->terms ? most : most / loop->terms * loop->terms;
}

static const uint16_t *row_of(const struct impl_job *j, const struct run *run, int r)
{
	return (const uint16_t *)j->at.input + (size_t)(run->row + r) * (size_t)j->shape.k
		+ (size_t)run->k0;
}

/*
 * The first row of the block that is copied.  All are where it pays, since in place rows a
 * power of two apart share few sets of a cache, and where a loop needs more terms; else
 * those of a pass that has too few rows.
 */
static int first_copied(const struct part *p, const struct run *run, const struct dot_loop *loop)
{
	if (p->panels >= MANY || run->depth % loop->terms)
		return 0;
	return run->rows / loop->rows * loop->rows;
}

static void copy_a(const struct impl_job *j, const struct part *p, const struct run *run,
	const struct dot_loop *loop)
{
	const int end = units(run->rows, loop->rows) * loop->rows;
	const size_t depth = (size_t)run->depth, row = copied_row(run->depth);
	uint16_t *to = p->a;

	for (int r = first_copied(p, run, loop); r < end; r++, to += row) {
		memset(to, 0, row * sizeof(*to));
		if (r < run->rows)
			memcpy(to, row_of(j, run, r), depth * sizeof(*to));
	}
}

/* Interleave two rows of n columns; two is NULL if there is no second row: zeros. */
static void zip(const uint16_t *one, const uint16_t *two, int n, uint16_t *to)
{
	for (int i = 0; i < n; i++) {
		const uint32_t pair = one[i] | (two ? (uint32_t)two[i] << 16 : 0);

		memcpy(to + 2 * i, &pair, sizeof(pair));
	}
}

static const uint16_t *weight_at(const struct impl_job *j, int k, int col)
{
	return (const uint16_t *)j->at.weight + (size_t)k * (size_t)j->shape.n + (size_t)col;
}

/* Make a panel up to whole DOT_DEPTH terms; zeros fill it. */
static void copy_b(const struct impl_job *j, const struct run *run, int col, uint16_t *to)
{
	const int cols = min(DOT_COLS, j->shape.n - col);
	const int end = units(run->depth, DOT_DEPTH) * DOT_DEPTH;

	for (int k = 0; k < end; k += 2, to += 2 * DOT_COLS) {
		const uint16_t *one = weight_at(j, run->k0 + k, col), *two = one + j->shape.n;

		if (cols == DOT_COLS && k + 1 < run->depth) {
			dot_zip(one, two, to);
			continue;
		}
		memset(to, 0, 2 * DOT_COLS * sizeof(*to));
		if (k < run->depth)
			zip(one, k + 1 < run->depth ? two : NULL, cols, to);
	}
}

static void put_rows(const struct impl_job *j, const float *sum, int row, int rows, int col)
{
	const size_t n = (size_t)j->shape.n;

	for (int r = 0; r < rows; r++, sum += DOT_COLS)
		simd_copy_out(BURN_BFLOAT16, sum, j->at.output, (size_t)(row + r) * n + (size_t)col,
			(size_t)min(DOT_COLS, j->shape.n - col));
}

/* Passes from row r on that are alike: the first makes a panel, the last ones prefetch the next. */
static int passes_at(const struct run *run, int r, const struct dot_loop *loop)
{
	const int whole = (run->rows - r) / loop->rows, left = units(run->rows - r, loop->rows);

	if (r == 0 || whole == 0)
		return 1;
	return left > AHEAD ? left - AHEAD : whole;
}

/*
 * What to prefetch with the rows from r on: with the last ones a part of what the
 * next panel is made of, of this run or the next.
 */
static void look_ahead(const struct impl_job *j, const struct part *p, const struct run *run,
	int panel, int r, const struct dot_loop *loop, struct dot_pass *pass)
{
	const int left = units(run->rows - r, loop->rows);
	const bool next = panel + 1 < p->panels;
	const int k0 = next ? run->k0 : run->k0 + run->depth;

	if (left > AHEAD)
		return;
	pass->ahead = p->b;
	if (k0 + run->depth <= j->shape.k) {
		pass->ahead = weight_at(j, k0 + (AHEAD - left) * (run->depth / DOT_LINE),
			(next ? p->panel + panel + 1 : p->panel) * DOT_COLS);
		pass->ahead_row = (size_t)j->shape.n;
	}
}

static void multiply_run(const struct impl_job *j, const struct part *p, const struct run *run,
	int panel, const struct dot_loop *loop)
{
	const struct burn_shape *s = &j->shape;
	const int col = (p->panel + panel) * DOT_COLS, copied = first_copied(p, run, loop);
	const bool last = run->k0 + run->depth == s->k, whole = col + DOT_COLS <= s->n;
	const bool made = !loop->direct || !whole;
	float *sum = p->sum + (size_t)panel * (size_t)block_rows(p) * DOT_COLS;
	int rows;

	if (made) {
		const int64_t from = trace_now(j->trace);

		copy_b(j, run, col, p->b);
		trace_add(j->trace, p->thread, "copy B", from);
	}
	for (int r = 0; r < run->rows; r += rows, sum += rows * DOT_COLS) {
		const int row = run->row + r, passes = passes_at(run, r, loop);
		struct dot_pass pass = { .passes = passes, .b = p->b, .depth = run->depth,
			.a = row_of(j, run, r), .a_row = (size_t)s->k,
			.sum = sum, .fresh = run->k0 == 0, .out_row = (size_t)s->n };

		rows = passes * loop->rows;
		if (r >= copied) {
			pass.a_row = copied_row(run->depth);
			pass.a = p->a + (size_t)(r - copied) * pass.a_row;
		}
		if (!made && r == 0) {
			pass.from = weight_at(j, run->k0, col);
			pass.from_row = (size_t)s->n;
		}
		if (loop->direct && last && whole && r + rows <= run->rows)
			pass.out = (uint16_t *)j->at.output + (size_t)row * (size_t)s->n
				+ (size_t)col;
		look_ahead(j, p, run, panel, r, loop, &pass);
		loop->pass(&pass);
		if (last && !pass.out)
			put_rows(j, sum, row, min(rows, run->rows - r), col);
	}
}

void dot_gemm(const struct impl_job *j, int thread, const struct dot_loop *loop)
{
	const struct burn_shape *s = &j->shape;
	struct part p = part_of(s, j->threads, thread);
	struct run run;

	p.sum = (float *)(void *)(j->work + j->work_size * (size_t)thread);
	p.b = (uint16_t *)(p.sum + sums_of(&p));
	p.a = p.b + (size_t)DEEP * DOT_COLS;
	for (run.row = p.row; run.row < p.end; run.row += BLOCK) {
		run.rows = min(BLOCK, p.end - run.row);
		for (run.k0 = 0; run.k0 < s->k; run.k0 += run.depth) {
			int64_t from = trace_now(j->trace);

			run.depth = depth_at(run.k0, s->k, loop);
			copy_a(j, &p, &run, loop);
			trace_add(j->trace, thread, "copy A", from);
			from = trace_now(j->trace);
			for (int i = 0; i < p.panels; i++)
				multiply_run(j, &p, &run, i, loop);
			trace_add(j->trace, thread, "multiply", from);
		}
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dot_gemm.c - matmul for dot.h: for a run of k, a thread copies its part of A
 * and, a few panels at a time, its part of B into blocks; zeros fill the last.
 * Rows of A are read in place if they are multiplied with few columns.
 */
#include "config.h"
#include "burnin/kernels/bf16.h"
#include "burnin/kernels/simd/dot.h"
#include "burnin/kernels/simd/simd.h"

#include <string.h>

enum {
	DEEP = 16, WIDE = 16,		/* blocks of k, panels of B at a time */
	FEW = 2				/* for this many panels, a copy of A does not pay */
};

/* A thread's part of the result, in whole tiles: rows if there are enough, else columns. */
struct part {
	int row, rows, panel, panels;
	float *sum;			/* [rows / ROWS][panels] tiles */
	uint16_t *a, *b;		/* [rows / ROWS][DEEP], [WIDE][DEEP] blocks */
};

static int units(int n, int unit)
{
	return (n + unit - 1) / unit;
}

static struct part part_of(const struct burn_shape *s, int threads, int thread)
{
	const int rows = units(s->m, DOT_ROWS), panels = units(s->n, DOT_COLS);
	struct part p = { 0, rows, 0, panels, NULL, NULL, NULL };
	int *first = &p.row, *count = &p.rows, all = rows;

	if (rows < threads && panels > rows) {
		first = &p.panel;
		count = &p.panels;
		all = panels;
	}
	*first = (int)((int64_t)all * thread / threads);
	*count = (int)((int64_t)all * (thread + 1) / threads) - *first;
	return p;
}

static size_t tiles(const struct part *p)
{
	return (size_t)p->rows * (size_t)p->panels;
}

size_t dot_gemm_work_size(const struct burn_shape *s, enum burn_dtype t, int threads)
{
	size_t most = 0;

	(void)t;
	for (int i = 0; i < threads; i++) {
		const struct part p = part_of(s, threads, i);
		const size_t size = tiles(&p) * DOT_ROWS * DOT_COLS * sizeof(float)
			+ ((size_t)p.rows * DEEP * DOT_BLOCK_A + (size_t)WIDE * DEEP * DOT_BLOCK_B)
			* sizeof(uint16_t);

		most = size > most ? size : most;
	}
	return most;
}

/* A run of k: whole blocks, the rest of one, or both. */
struct run {
	int k0, depth;
};

/* Runs of similar length; the rest of a block is a run of its own unless the loop is direct. */
static struct run run_at(int k0, int k, const struct dot_loop *loop)
{
	const int left = k - k0, runs = units(left, DEEP * DOT_DEPTH);
	const int most = runs ? units(units(left, DOT_DEPTH), runs) * DOT_DEPTH : 0;

	if (left < DOT_DEPTH || (loop->direct && left <= most))
		return (struct run){ k0, left };
	return (struct run){ k0, left < most ? left / DOT_DEPTH * DOT_DEPTH : most };
}

static bool in_place(const struct impl_job *j, const struct part *p, int r, struct run run,
	const struct dot_loop *loop)
{
	return p->panels <= FEW && run.depth % (loop->direct ? 2 : DOT_DEPTH) == 0
		&& (p->row + r + 1) * DOT_ROWS <= j->shape.m;
}

static const uint16_t *row_of(const struct impl_job *j, const struct part *p, int r, struct run run)
{
	return (const uint16_t *)j->at.input + (size_t)(p->row * DOT_ROWS + r)
		* (size_t)j->shape.k + (size_t)run.k0;
}

static void copy_row(const uint16_t *from, int depth, uint16_t *to)
{
	for (int k = 0; k < depth; k += DOT_DEPTH, to += DOT_BLOCK_A) {
		const int n = depth - k;

		if (n >= DOT_DEPTH) {
			memcpy(to, from + k, DOT_DEPTH * sizeof(*to));
		} else {
			memset(to, 0, DOT_DEPTH * sizeof(*to));
			memcpy(to, from + k, (size_t)n * sizeof(*to));
		}
	}
}

static void copy_a(const struct impl_job *j, const struct part *p, struct run run,
	const struct dot_loop *loop)
{
	const int blocks = units(run.depth, DOT_DEPTH);

	for (int r = 0; r < p->rows * DOT_ROWS; r++) {
		uint16_t *to = p->a + (size_t)(r / DOT_ROWS) * DEEP * DOT_BLOCK_A
			+ r % DOT_ROWS * DOT_DEPTH;

		if (in_place(j, p, r / DOT_ROWS, run, loop))
			continue;
		if (p->row * DOT_ROWS + r < j->shape.m)
			copy_row(row_of(j, p, r, run), run.depth, to);
		else
			for (int i = 0; i < blocks; i++)
				memset(to + i * DOT_BLOCK_A, 0, DOT_DEPTH * sizeof(*to));
	}
}

/* Interleave two rows of B. */
static void zip_whole(const uint16_t *one, const uint16_t *two, uint16_t *to)
{
	for (int i = 0; i < DOT_COLS; i += SIMD_LANES) {
		const simd_vec v = simd_pairs(one + i, two + i);

		memcpy(to + 2 * i, &v, sizeof(v));
	}
}

/* The same for n columns; two is NULL if there is no second row: zeros. */
static void zip(const uint16_t *one, const uint16_t *two, int n, uint16_t *to)
{
	for (int i = 0; i < n; i++) {
		const uint32_t pair = one[i] | (two ? (uint32_t)two[i] << 16 : 0);

		memcpy(to + 2 * i, &pair, sizeof(pair));
	}
}

/* Copy panels side by side, row by row, as B lies in memory. */
static void copy_b(const struct impl_job *j, int panel, int panels, struct run run, uint16_t *b)
{
	const struct burn_shape *s = &j->shape;
	const int col = panel * DOT_COLS;
	const uint16_t *from = (const uint16_t *)j->at.weight + (size_t)run.k0 * (size_t)s->n
		+ (size_t)col;

	for (int k = 0; k < run.depth; k += 2, from += 2 * (size_t)s->n, b += 2 * DOT_COLS) {
		const uint16_t *two = k + 1 < run.depth ? from + s->n : NULL;

		for (int i = 0; i < panels; i++) {
			uint16_t *to = b + (size_t)i * DEEP * DOT_BLOCK_B;
			const int at = i * DOT_COLS, left = s->n - col - at;

			if (left >= DOT_COLS && two) {
				zip_whole(from + at, two + at, to);
				continue;
			}
			memset(to, 0, 2 * DOT_COLS * sizeof(*to));
			zip(from + at, two ? two + at : NULL, left < DOT_COLS ? left : DOT_COLS,
				to);
		}
	}
}

/* Where a direct loop writes its tile; NULL: it is not whole, or not the last run of k. */
static uint16_t *out_of(const struct impl_job *j, struct run run, int row, int col,
	const struct dot_loop *loop)
{
	const struct burn_shape *s = &j->shape;

	if (!loop->direct || run.k0 + run.depth < s->k || row + DOT_ROWS > s->m
		|| col + DOT_COLS > s->n)
		return NULL;
	return (uint16_t *)j->at.output + (size_t)row * (size_t)s->n + (size_t)col;
}

static void put_tile(const struct impl_job *j, const float *sum, int row, int col)
{
	const struct burn_shape *s = &j->shape;
	const int rows = s->m - row < DOT_ROWS ? s->m - row : DOT_ROWS;
	const int cols = s->n - col < DOT_COLS ? s->n - col : DOT_COLS;
	uint16_t *to = (uint16_t *)j->at.output + (size_t)row * (size_t)s->n + (size_t)col;

	for (int r = 0; r < rows; r++, to += s->n, sum += DOT_COLS)
		simd_copy_out(BURN_BFLOAT16, sum, to, 0, (size_t)cols);
}

/* Panels of B to copy at a time: one if there is only one row of tiles to use it. */
static int wide_of(const struct part *p)
{
	return p->rows == 1 ? 1 : WIDE;
}

/* Multiply, and prefetch what is copied next: the next panel's run, or these panels' next run. */
static void multiply(const struct impl_job *j, const struct part *p, int first, int panels,
	struct run run, const struct dot_loop *loop)
{
	const int blocks = units(run.depth, DOT_DEPTH);
	const struct run then = wide_of(p) == 1 && first + 1 < p->panels ? run
		: run_at(run.k0 + run.depth, j->shape.k, loop);
	const int panel = p->panel + first + (then.k0 == run.k0);
	/* If that run is shorter than this one, do not prefetch it. */
	const uint16_t *next = then.k0 + run.depth > j->shape.k ? NULL
		: (const uint16_t *)j->at.weight + (size_t)then.k0 * (size_t)j->shape.n
			+ (size_t)(panel * DOT_COLS);

	for (int r = 0; r < p->rows; r++) {
		const bool there = in_place(j, p, r, run, loop);
		const uint16_t *rows = there ? row_of(j, p, r * DOT_ROWS, run)
			: p->a + (size_t)r * DEEP * DOT_BLOCK_A;
		const uint16_t *a[DEEP], *b[DEEP];

		for (int i = 0; i < blocks; i++)
			a[i] = rows + i * (there ? DOT_DEPTH : DOT_BLOCK_A);
		for (int i = 0; i < panels; i++) {
			float *sum = p->sum + ((size_t)r * (size_t)p->panels
				+ (size_t)(first + i)) * DOT_ROWS * DOT_COLS;
			const int row = (p->row + r) * DOT_ROWS;
			const int col = (p->panel + first + i) * DOT_COLS;
			uint16_t *out = out_of(j, run, row, col, loop);

			for (int k = 0; k < blocks; k++)
				b[k] = p->b + ((size_t)i * DEEP + (size_t)k) * DOT_BLOCK_B;
			loop->tile(&(struct dot_tile){
				.ahead = next ? next + i * DOT_COLS : p->b,
				.ahead_row = next ? (size_t)j->shape.n : 0,
				.sum = sum, .fresh = run.k0 == 0,
				.a = a, .a_row = there ? (size_t)j->shape.k : DOT_DEPTH,
				.b = b, .b_row = 2 * DOT_COLS, .blocks = blocks,
				.depth = DOT_DEPTH, .out = out, .out_row = (size_t)j->shape.n,
				.last = (run.depth - (blocks - 1) * DOT_DEPTH + 1) / 2 * 2 });
			if (run.k0 + run.depth == j->shape.k && !out)
				put_tile(j, sum, row, col);
		}
		next = NULL;
	}
}

void dot_gemm(const struct impl_job *j, int thread, const struct dot_loop *loop)
{
	const struct burn_shape *s = &j->shape;
	struct part p = part_of(s, j->threads, thread);
	const int wide = wide_of(&p);

	p.sum = (float *)(void *)(j->work + j->work_size * (size_t)thread);
	p.a = (uint16_t *)(p.sum + tiles(&p) * DOT_ROWS * DOT_COLS);
	p.b = p.a + (size_t)p.rows * DEEP * DOT_BLOCK_A;
	for (struct run run = run_at(0, s->k, loop); run.depth > 0;
		run = run_at(run.k0 + run.depth, s->k, loop)) {
		int64_t from = trace_now(j->trace);

		copy_a(j, &p, run, loop);
		trace_add(j->trace, thread, "copy A", from);
		for (int first = 0; first < p.panels; first += wide) {
			const int n = p.panels - first < wide ? p.panels - first : wide;

			from = trace_now(j->trace);
			copy_b(j, p.panel + first, n, run, p.b);
			trace_add(j->trace, thread, "copy B", from);
			from = trace_now(j->trace);
			multiply(j, &p, first, n, run, loop);
			trace_add(j->trace, thread, "multiply", from);
		}
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dot_gemm.c - matmul for dot.h: for a run of k, a thread copies its part of A
 * and, a few panels at a time, its part of B into blocks; zeros fill the last.
 */
#include "config.h"
#include "burnin/bf16.h"
#include "burnin/simd/dot.h"

#include <string.h>

enum { DEEP = 16, WIDE = 8 };		/* blocks of k, panels of B at a time */

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

static void copy_a(const struct impl_job *j, const struct part *p, int k0, int depth)
{
	const struct burn_shape *s = &j->shape;
	const uint16_t *input = j->at.input;
	const int whole = units(depth, DOT_DEPTH) * DOT_DEPTH;

	for (int r = 0; r < p->rows * DOT_ROWS; r++) {
		const int row = p->row * DOT_ROWS + r;
		const uint16_t *from = input + (size_t)row * (size_t)s->k + (size_t)k0;
		uint16_t *to = p->a + (size_t)(r / DOT_ROWS) * DEEP * DOT_BLOCK_A
			+ r % DOT_ROWS * DOT_DEPTH;

		for (int k = 0; k < whole; k += DOT_DEPTH, to += DOT_BLOCK_A) {
			const int left = row < s->m ? depth - k : 0;
			const int n = left < DOT_DEPTH ? left : DOT_DEPTH;

			if (n < DOT_DEPTH)
				memset(to, 0, DOT_DEPTH * sizeof(*to));
			if (n == DOT_DEPTH)
				memcpy(to, from + k, DOT_DEPTH * sizeof(*to));
			else if (n > 0)
				memcpy(to, from + k, (size_t)n * sizeof(*to));
		}
	}
}

/* Two rows of B side by side, n columns of them; no second one: zeros. */
static void zip(const uint16_t *one, const uint16_t *two, int n, uint16_t *to)
{
	for (int i = 0; i < n; i++) {
		const uint32_t pair = one[i] | (two ? (uint32_t)two[i] << 16 : 0);

		memcpy(to + 2 * i, &pair, sizeof(pair));
	}
}

static void copy_b(const struct impl_job *j, int panel, int k0, int depth, uint16_t *to)
{
	const struct burn_shape *s = &j->shape;
	const int col = panel * DOT_COLS, left = s->n - col;
	const uint16_t *from = (const uint16_t *)j->at.weight + (size_t)k0 * (size_t)s->n
		+ (size_t)col;

	if (left < DOT_COLS || depth % DOT_DEPTH)
		memset(to, 0, DEEP * DOT_BLOCK_B * sizeof(*to));
	for (int k = 0; k < depth; k += 2, from += 2 * (size_t)s->n, to += 2 * DOT_COLS) {
		const uint16_t *two = k + 1 < depth ? from + s->n : NULL;

		if (left >= DOT_COLS && two)
			zip(from, two, DOT_COLS, to);
		else
			zip(from, two, left < DOT_COLS ? left : DOT_COLS, to);
	}
}

static void put_tile(const struct impl_job *j, const float *sum, int row, int col)
{
	const struct burn_shape *s = &j->shape;
	uint16_t *output = j->at.output;

	for (int r = 0; r < DOT_ROWS && row + r < s->m; r++)
		for (int c = 0; c < DOT_COLS && col + c < s->n; c++)
			output[(size_t)(row + r) * (size_t)s->n + (size_t)(col + c)] =
				bf16_round(sum[r * DOT_COLS + c]);
}

static void multiply(const struct part *p, int first, int panels, int blocks,
	void (*tile)(const struct dot_tile *t))
{
	for (int r = 0; r < p->rows; r++) {
		const uint16_t *a[DEEP];

		for (int i = 0; i < blocks; i++)
			a[i] = p->a + (size_t)(r * DEEP + i) * DOT_BLOCK_A;
		for (int i = 0; i < panels; i++)
			tile(&(struct dot_tile){ p->sum + ((size_t)r * (size_t)p->panels
				+ (size_t)(first + i)) * DOT_ROWS * DOT_COLS, a,
				p->b + (size_t)i * DEEP * DOT_BLOCK_B, blocks });
	}
}

void dot_gemm(const struct impl_job *j, int thread, void (*tile)(const struct dot_tile *t))
{
	const struct burn_shape *s = &j->shape;
	struct part p = part_of(s, j->threads, thread);

	p.sum = (float *)(void *)(j->work + j->work_size * (size_t)thread);
	p.a = (uint16_t *)(p.sum + tiles(&p) * DOT_ROWS * DOT_COLS);
	p.b = p.a + (size_t)p.rows * DEEP * DOT_BLOCK_A;
	memset(p.sum, 0, tiles(&p) * DOT_ROWS * DOT_COLS * sizeof(*p.sum));
	for (int k0 = 0; k0 < s->k; k0 += DEEP * DOT_DEPTH) {
		const int most = DEEP * DOT_DEPTH, left = s->k - k0;
		const int depth = left < most ? left : most;
		int64_t from = trace_now(j->trace);

		copy_a(j, &p, k0, depth);
		trace_add(j->trace, thread, "copy A", from);
		for (int first = 0; first < p.panels; first += WIDE) {
			const int n = p.panels - first < WIDE ? p.panels - first : WIDE;

			from = trace_now(j->trace);
			for (int i = 0; i < n; i++)
				copy_b(j, p.panel + first + i, k0, depth,
					p.b + (size_t)i * DEEP * DOT_BLOCK_B);
			trace_add(j->trace, thread, "copy B", from);
			from = trace_now(j->trace);
			multiply(&p, first, n, units(depth, DOT_DEPTH), tile);
			trace_add(j->trace, thread, "multiply", from);
		}
	}
	for (int r = 0; r < p.rows; r++)
		for (int i = 0; i < p.panels; i++)
			put_tile(j, p.sum + ((size_t)r * (size_t)p.panels + (size_t)i) * DOT_ROWS
				* DOT_COLS, (p.row + r) * DOT_ROWS, (p.panel + i) * DOT_COLS);
}

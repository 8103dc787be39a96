/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simd_double.c - conv2d and matmul in float64, both as a product of matrices A and B.  Rows of
 * A are read in place; panels of B, two vectors wide, are packed a block of terms at a time.
 * For conv2d, A is the weight and B the input, which is unfolded while it is packed.
 *
 * Padding adds no term to a sum, but zero times an infinite weight would be NaN.  With such a
 * weight, the pixels at the image's edge are computed again, by the definition.
 */
#include "config.h"
#include "burnin/kernels/simd/simd_gemm.h"

#include <math.h>
#include <stdbool.h>

enum { LANES = SIMD_LANES / 2, COLS = 2 * LANES, TERMS = 256 };

typedef double lanes __attribute__((vector_size(SIMD_LANES * 4)));

/* The product, of which a thread computes a part: C[m][n] from A[m][k] and panels of B. */
struct product {
	const struct impl_job *job;
	size_t m, n, k;
	const double *a;
	/* Pack kc terms from k0 on of cols columns from `col` on: [kc][COLS]. */
	void (*pack)(const struct impl_job *j, size_t k0, size_t kc, size_t col, size_t cols,
		double *to);
	const double *start;		/* initial sum of each row; NULL: 0 */
};

struct tile {
	const double *a[SIMD_FEW];	/* its rows; for missing ones, the first */
	const double *b;		/* [kc][COLS] */
	size_t kc;
	lanes sum[SIMD_FEW][2];
};

static inline lanes load_lanes(const double *p)
{
	lanes v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static void multiply_tile(struct tile *t)
{
	lanes c[SIMD_FEW][2] = { 0 };

	for (size_t k = 0; k < t->kc; k++) {
		const lanes b0 = load_lanes(t->b + k * COLS);
		const lanes b1 = load_lanes(t->b + k * COLS + LANES);

#pragma GCC unroll 8
		for (int r = 0; r < SIMD_FEW; r++) {
			c[r][0] += b0 * t->a[r][k];
			c[r][1] += b1 * t->a[r][k];
		}
	}
	memcpy(t->sum, c, sizeof(c));
}

/* Store the tile's sums in rows of the result, or add them to it. */
static void put_tile(const struct product *p, const struct tile *t, size_t row, size_t col,
	bool first)
{
	const size_t rows = min(SIMD_FEW, p->m - row), cols = min(COLS, p->n - col);

	for (size_t r = 0; r < rows; r++) {
		double *to = (double *)p->job->at.output + (row + r) * p->n + col;
		const double start = p->start ? p->start[row + r] : 0;
		double sum[COLS];

		memcpy(sum, t->sum[r], sizeof(sum));
		for (size_t c = 0; c < cols; c++)
			to[c] = (first ? start : to[c]) + sum[c];
	}
}

/* The part of the result that a thread computes. */
struct part {
	size_t row0, rows, col0, cols;
};

/* Multiply a thread's rows with one panel of a block of terms. */
static void multiply_panel(const struct product *p, const struct part *own, size_t col, size_t k0,
	struct tile *t)
{
	for (size_t row = own->row0; row < own->row0 + own->rows; row += SIMD_FEW) {
		for (size_t r = 0; r < SIMD_FEW; r++)
			t->a[r] = p->a + (row + r < p->m ? row + r : row) * p->k + k0;
		multiply_tile(t);
		put_tile(p, t, row, col, k0 == 0);
	}
}

static struct part part_of(const struct product *p, int thread)
{
	const size_t threads = (size_t)p->job->threads, own = (size_t)thread;
	struct part part = { .rows = p->m, .cols = p->n };

	if (units(p->m, SIMD_FEW) > units(p->n, COLS))
		share(p->m, SIMD_FEW, threads, own, &part.row0, &part.rows);
	else
		share(p->n, COLS, threads, own, &part.col0, &part.cols);
	return part;
}

static void multiply_part(const struct product *p, const struct part *own, int thread)
{
	const struct impl_job *j = p->job;
	double *panel = (double *)(void *)(j->work + j->work_size * (size_t)thread);

	for (size_t k0 = 0; k0 < p->k && own->rows > 0; k0 += TERMS) {
		struct tile t = { .b = panel, .kc = min(TERMS, p->k - k0) };

		for (size_t col = own->col0; col < own->col0 + own->cols; col += COLS) {
			int64_t from = trace_now(j->trace);

			p->pack(j, k0, t.kc, col, min(COLS, p->n - col), panel);
			trace_add(j->trace, thread, "pack B", from);
			from = trace_now(j->trace);
			multiply_panel(p, own, col, k0, &t);
			trace_add(j->trace, thread, "multiply", from);
		}
	}
}

static size_t work_size(const struct burn_shape *s, enum burn_dtype t, int threads)
{
	(void)s, (void)t, (void)threads;
	return sizeof(double) * TERMS * COLS;
}

static void pack_columns(const struct impl_job *j, size_t k0, size_t kc, size_t col, size_t cols,
	double *to)
{
	const size_t n = (size_t)j->shape.n;
	const double *from = (const double *)j->at.weight + k0 * n + col;

	memset(to, 0, kc * COLS * sizeof(*to));
	for (size_t k = 0; k < kc; k++)
		memcpy(to + k * COLS, from + k * n, cols * sizeof(*to));
}

static void gemm_run(const struct impl_job *j, int thread)
{
	const struct product p = { .job = j, .m = (size_t)j->shape.m, .n = (size_t)j->shape.n,
		.k = (size_t)j->shape.k, .a = j->at.input, .pack = pack_columns };
	const struct part own = part_of(&p, thread);

	multiply_part(&p, &own, thread);
}

/* Pack pixels of one row of the image, whose width is a multiple of COLS. */
static void pack_pixels(const struct impl_job *j, size_t k0, size_t kc, size_t col, size_t cols,
	double *to)
{
	const struct burn_shape *s = &j->shape;
	const int y = (int)col / s->width, x = (int)col % s->width;

	memset(to, 0, kc * COLS * sizeof(*to));
	for (size_t k = k0; k < k0 + kc; k++, to += COLS) {
		const int iy = y + (int)(k % BURN_TAPS) / 3 - 1, ix = x + (int)(k % 3) - 1;
		const int first = ix < 0, end = ix + (int)cols > s->width ?
			s->width - ix : (int)cols;

		if (iy < 0 || iy >= s->height)
			continue;
		memcpy(to + first, (const double *)j->at.input + k / BURN_TAPS * (size_t)s->m
			+ (size_t)(iy * s->width + ix + first),
			(size_t)(end - first) * sizeof(*to));
	}
}

static double sum_inside(const struct impl_job *j, size_t filter, int y, int x)
{
	const struct burn_shape *s = &j->shape;
	const double *input = j->at.input;
	const double *weight = (const double *)j->at.weight + filter * (size_t)s->k;
	double sum = ((const double *)j->at.bias)[filter];

	for (int c = 0; c < s->channels; c++, input += s->m, weight += BURN_TAPS)
		for (int i = 0; i < BURN_TAPS; i++) {
			const int iy = y + i / 3 - 1, ix = x + i % 3 - 1;

			if (iy >= 0 && iy < s->height && ix >= 0 && ix < s->width)
				sum += input[iy * s->width + ix] * weight[i];
		}
	return sum;
}

static void mend_edge(const struct product *p, const struct part *own)
{
	const int width = p->job->shape.width, height = p->job->shape.height;

	for (size_t filter = own->row0; filter < own->row0 + own->rows; filter++)
		for (size_t at = own->col0; at < own->col0 + own->cols; at++) {
			const int y = (int)at / width, x = (int)at % width;

			if (y == 0 || y == height - 1 || x == 0 || x == width - 1)
				((double *)p->job->at.output)[filter * p->n + at] =
					sum_inside(p->job, filter, y, x);
		}
}

static void conv_run(const struct impl_job *j, int thread)
{
	const struct product p = { .job = j, .m = (size_t)j->shape.n, .n = (size_t)j->shape.m,
		.k = (size_t)j->shape.k, .a = j->at.weight, .pack = pack_pixels,
		.start = j->at.bias };
	const struct part own = part_of(&p, thread);

	multiply_part(&p, &own, thread);
	if (*(const bool *)j->packed)
		mend_edge(&p, &own);
}

static size_t pack_size(const struct burn_shape *s, enum burn_dtype t)
{
	(void)s, (void)t;
	return sizeof(bool);
}

/* Pack only a flag: is any of the weights infinite or NaN? */
static void pack(const struct burn_shape *s, enum burn_dtype t, const void *weight, void *packed)
{
	const size_t n = burn_elements(s, BURN_WEIGHT);
	bool infinite = false;

	(void)t;
	for (size_t i = 0; i < n; i++)
		infinite |= !isfinite(((const double *)weight)[i]);
	*(bool *)packed = infinite;
}

const struct impl_kernel simd_double_gemm = { .work_size = work_size, .run = gemm_run };
const struct impl_kernel simd_double_conv = { .pack_size = pack_size, .pack = pack,
	.work_size = work_size, .run = conv_run };

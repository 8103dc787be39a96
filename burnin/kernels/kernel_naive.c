/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_naive.c - v1: the definition, as one would write it on a board.  Slow;
 * here to be read, and to disagree with the others where they are wrong.
 */
#include "config.h"
#include "burnin/kernels/kernels.h"

#include "burnin/kernels/bf16.h"

static float get(const void *p, enum burn_dtype t, size_t i)
{
	return t == BURN_BFLOAT16 ? bf16_widen(((const uint16_t *)p)[i]) : ((const float *)p)[i];
}

static void put(void *p, enum burn_dtype t, size_t i, float v)
{
	if (t == BURN_BFLOAT16)
		((uint16_t *)p)[i] = bf16_round(v);
	else
		((float *)p)[i] = v;
}

static size_t no_work(const struct burn_shape *s, enum burn_dtype t, int threads)
{
	(void)s, (void)t, (void)threads;
	return 0;
}

/* One output of conv2d: the sum over channels and the 3 x 3 taps that lie on the image. */
static float conv_at(const struct impl_job *j, size_t filter, int y, int x)
{
	const struct burn_shape *s = &j->shape;
	const size_t height = (size_t)s->height, width = (size_t)s->width;
	float sum = get(j->at.bias, j->dtype, filter);

	for (size_t c = 0; c < (size_t)s->channels; c++)
		for (int ky = 0; ky < 3; ky++)
			for (int kx = 0; kx < 3; kx++) {
				const int iy = y + ky - 1, ix = x + kx - 1;
				size_t in, w;

				if (iy < 0 || iy >= s->height || ix < 0 || ix >= s->width)
					continue;
				in = (c * height + (size_t)iy) * width + (size_t)ix;
				w = ((filter * (size_t)s->channels + c) * 3 + (size_t)ky) * 3
					+ (size_t)kx;
				sum += get(j->at.input, j->dtype, in) * get(j->packed, j->dtype, w);
			}
	return sum;
}

/* The threads share the rows of the image. */
static void conv_run(const struct impl_job *j, int thread)
{
	const struct burn_shape *s = &j->shape;

	for (int filter = 0; filter < s->n; filter++)
		for (int y = thread; y < s->height; y += j->threads)
			for (int x = 0; x < s->width; x++)
				put(j->at.output, j->dtype,
					((size_t)filter * (size_t)s->height + (size_t)y)
					* (size_t)s->width + (size_t)x,
					conv_at(j, (size_t)filter, y, x));
}

static void matmul_run(const struct impl_job *j, int thread)
{
	const size_t m = (size_t)j->shape.m, n = (size_t)j->shape.n, k = (size_t)j->shape.k;

	for (size_t r = (size_t)thread; r < m; r += (size_t)j->threads)
		for (size_t c = 0; c < n; c++) {
			float sum = 0;

			for (size_t i = 0; i < k; i++)
				sum += get(j->at.input, j->dtype, r * k + i)
					* get(j->at.weight, j->dtype, i * n + c);
			put(j->at.output, j->dtype, r * n + c, sum);
		}
}

static const struct impl_kernel conv2d = { .work_size = no_work, .run = conv_run };
static const struct impl_kernel matmul = { .work_size = no_work, .run = matmul_run };

const struct impl impl_naive = {
	.name = "naive", .version = "v1", .help = "the definition, one sum after another",
	.kernels = {
		[BURN_CONV2D] = { &conv2d, &conv2d },
		[BURN_MATMUL] = { &matmul, &matmul },
	},
};

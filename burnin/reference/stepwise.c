/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/reference/stepwise.h"
#include "base/mem.h"
#include "burnin/kernels/bf16.h"
#include "burnin/kernels/team.h"

#include <stdlib.h>

struct job {
	const struct burn_shape *shape;
	const float *input, *weight, *bias;
	float *out;
	int threads;
};

static inline float round_step(float f)
{
	return bf16_widen(bf16_round(f));
}

/* Add a product to each of n sums. */
static void add_products(float *sums, float a, const float *b, int n)
{
	for (int i = 0; i < n; i++)
		sums[i] = round_step(sums[i] + round_step(a * b[i]));
}

static void multiply_row(const struct job *j, int m)
{
	const size_t n = (size_t)j->shape->n, k = (size_t)j->shape->k;

	for (size_t i = 0; i < k; i++)
		add_products(j->out + (size_t)m * n, j->input[(size_t)m * k + i],
			j->weight + i * n, j->shape->n);
}

/* One output channel; padding adds zeros, which change no sum. */
static void convolve_channel(const struct job *j, int n)
{
	const int h = j->shape->height, w = j->shape->width;
	float *out = j->out + (size_t)n * (size_t)j->shape->m;

	for (int m = 0; m < j->shape->m; m++)
		out[m] = j->bias[n];
	for (int k = 0; k < j->shape->k; k++) {
		const float *plane = j->input + (size_t)(k / BURN_TAPS) * (size_t)j->shape->m;
		const float a = j->weight[(size_t)n * (size_t)j->shape->k + (size_t)k];
		const int down = k % BURN_TAPS / 3 - 1, right = k % BURN_TAPS % 3 - 1;
		const int from = right < 0 ? 1 : 0, to = right > 0 ? w - 1 : w;

		for (int y = down < 0 ? 1 : 0; y < (down > 0 ? h - 1 : h); y++)
			add_products(out + y * w + from, a, plane + (y + down) * w + from + right,
				to - from);
	}
}

static void work(void *arg, int thread)
{
	const struct job *j = arg;
	const bool conv = j->shape->op == BURN_CONV2D;

	for (int i = thread; i < (conv ? j->shape->n : j->shape->m); i += j->threads)
		if (conv)
			convolve_channel(j, i);
		else
			multiply_row(j, i);
}

float *stepwise_compute(const struct data *d, enum burn_op op, int threads)
{
	const struct burn_shape *s = &d->shapes[op];
	struct job j = { s, d->values[op][BURN_INPUT], d->values[op][BURN_WEIGHT],
		d->values[op][BURN_BIAS],
		mem_calloc(burn_elements(s, BURN_OUTPUT), sizeof(float)), threads };

	team_once(threads, work, &j);
	return j.out;
}

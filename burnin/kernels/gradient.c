/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/kernels/gradient.h"

#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const char *gradient_name(enum burn_op op, enum burn_role by)
{
	if (op == BURN_CONV2D)
		return by == BURN_INPUT ? "dX" : "dW";
	return by == BURN_INPUT ? "dA" : "dB";
}

struct burn_shape gradient_shape(const struct burn_shape *of, enum burn_role by)
{
	if (of->op == BURN_CONV2D)
		return by == BURN_INPUT ?
			burn_conv2d(of->n, of->height, of->width, of->channels) :
			burn_matmul(of->n, of->k, of->m);
	return by == BURN_INPUT ? burn_matmul(of->m, of->k, of->n)
				: burn_matmul(of->k, of->n, of->m);
}

/* size is a constant in every caller. */
static inline __attribute__((always_inline)) void copy_transposed(const char *from, size_t rows,
	size_t cols, const size_t size, char *to)
{
	enum { TILE = 32 };

	for (size_t r0 = 0; r0 < rows; r0 += TILE)
		for (size_t c0 = 0; c0 < cols; c0 += TILE)
			for (size_t r = r0; r < rows && r < r0 + TILE; r++)
				for (size_t c = c0; c < cols && c < c0 + TILE; c++)
					memcpy(to + (c * rows + r) * size,
						from + (r * cols + c) * size, size);
}

static void *transposed(enum burn_dtype t, const void *from, size_t rows, size_t cols)
{
	char *to = mem_calloc(rows * cols, burn_dtype_size(t));

	if (t == BURN_FLOAT64)
		copy_transposed(from, rows, cols, sizeof(double), to);
	else if (t == BURN_BFLOAT16)
		copy_transposed(from, rows, cols, sizeof(uint16_t), to);
	else
		copy_transposed(from, rows, cols, sizeof(float), to);
	return to;
}

/* [filters][channels][taps] to [channels][filters][the taps, the last one first] */
static void *turned_filters(const struct burn_shape *s, enum burn_dtype t, const void *weight)
{
	const size_t filters = (size_t)s->n, channels = (size_t)s->channels;
	const size_t size = burn_dtype_size(t);
	char *to = mem_calloc(filters * channels * BURN_TAPS, size);

	for (size_t f = 0; f < filters; f++)
		for (size_t c = 0; c < channels; c++)
			for (size_t i = 0; i < BURN_TAPS; i++) {
				const size_t here = (c * filters + f + 1) * BURN_TAPS - 1 - i;
				const size_t there = (f * channels + c) * BURN_TAPS + i;

				memcpy(to + here * size, (const char *)weight + there * size, size);
			}
	return to;
}

/* [pixels][channels][taps]: the input under each tap at each pixel; 0 on the padding */
static void *unfolded(const struct burn_shape *s, enum burn_dtype t, const void *input)
{
	const size_t size = burn_dtype_size(t), k = (size_t)s->k;
	char *to = mem_calloc((size_t)s->m * k, size);

	for (int p = 0; p < s->m; p++)
		for (int i = 0; i < BURN_TAPS; i++) {
			const int y = p / s->width + i / 3 - 1, x = p % s->width + i % 3 - 1;
			const char *from = (const char *)input;
			char *at = to + ((size_t)p * k + (size_t)i) * size;

			if (y < 0 || y >= s->height || x < 0 || x >= s->width)
				continue;
			from += (size_t)(y * s->width + x) * size;
			for (int c = 0; c < s->channels; c++, at += BURN_TAPS * size,
				from += (size_t)s->m * size)
				memcpy(at, from, size);
		}
	return to;
}

void gradient_make(struct gradient_operation *o, const struct gradient *g)
{
	const struct burn_shape *s = &g->of;
	const size_t m = (size_t)s->m, n = (size_t)s->n, k = (size_t)s->k;
	const bool is_input = g->by == BURN_INPUT;

	*o = (struct gradient_operation){ .shape = gradient_shape(s, g->by),
		.at = { .input = g->result, .weight = g->result, .output = g->output } };
	if (s->op == BURN_CONV2D && is_input) {
		o->at.weight = o->made[BURN_WEIGHT] = turned_filters(s, g->dtype, g->at.weight);
		o->at.bias = o->made[BURN_BIAS] = mem_calloc((size_t)s->channels,
			burn_dtype_size(g->dtype));
	} else if (s->op == BURN_CONV2D) {
		o->at.weight = o->made[BURN_WEIGHT] = unfolded(s, g->dtype, g->at.input);
	} else if (is_input) {
		o->at.weight = o->made[BURN_WEIGHT] = transposed(g->dtype, g->at.weight, k, n);
	} else {
		o->at.input = o->made[BURN_INPUT] = transposed(g->dtype, g->at.input, m, k);
	}
}

void gradient_clear(struct gradient_operation *o)
{
	for (int role = 0; role < BURN_OUTPUT; role++)
		free(o->made[role]);
	memset(o, 0, sizeof(*o));
}

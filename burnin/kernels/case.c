/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/kernels/case.h"

#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const struct burn_case burn_cases[BURN_CASES] = {
	{ 8, 72 }, { 16, 144 }, { 32, 288 }, { 64, 576 }, { 128, 1152 }, { 256, 2304 },
	{ 512, 4608 }, { 1024, 9216 }, { 2048, 18432 }, { 3072, 27648 }, { 4096, 36864 },
	{ 5120, 46080 }, { 6144, 55296 }, { 7168, 64512 }, { 8192, 73728 },
};

static const char *const dtype_names[BURN_TYPES] = {
	[BURN_BFLOAT16] = "bfloat16",
	[BURN_FLOAT32] = "float32",
	[BURN_FLOAT64] = "float64",
	[BURN_FLOAT16] = "float16",
	[BURN_INTEGER] = "integer",
};

static const char *const op_names[BURN_OPS] = {
	[BURN_CONV2D] = "conv2d",
	[BURN_MATMUL] = "matmul",
};

static const char *const role_names[BURN_OPS][BURN_ROLES] = {
	[BURN_CONV2D] = { "input", "weight", "bias", "output" },
	[BURN_MATMUL] = { "A", "B", NULL, "output" },
};

struct burn_shape burn_conv2d(int channels, int height, int width, int filters)
{
	return (struct burn_shape){ .op = BURN_CONV2D, .channels = channels, .height = height,
		.width = width, .m = height * width, .n = filters, .k = channels * BURN_TAPS };
}

struct burn_shape burn_matmul(int m, int n, int k)
{
	return (struct burn_shape){ .op = BURN_MATMUL, .m = m, .n = n, .k = k };
}

struct burn_shape burn_shape_of(const struct burn_case *c, enum burn_op op)
{
	return op == BURN_CONV2D ? burn_conv2d(c->channels, 32, 32, 32)
				 : burn_matmul(32 * 32, 32, c->k);
}

const struct burn_case *burn_case_find(int channels)
{
	for (int i = 0; i < BURN_CASES; i++)
		if (burn_cases[i].channels == channels)
			return &burn_cases[i];
	return NULL;
}

const char *burn_dtype_name(enum burn_dtype t)
{
	return dtype_names[t];
}

size_t burn_dtype_size(enum burn_dtype t)
{
	return t == BURN_BFLOAT16 ? sizeof(uint16_t) :
	       t == BURN_FLOAT64 ? sizeof(double) : sizeof(float);
}

const char *burn_op_name(enum burn_op op)
{
	return op_names[op];
}

const char *burn_role_name(enum burn_op op, enum burn_role role)
{
	return role_names[op][role];
}

static int conv2d_dims(const struct burn_shape *s, enum burn_role role, size_t dims[static 4])
{
	size_t channels = (size_t)s->channels, height = (size_t)s->height, width = (size_t)s->width,
	       filters = (size_t)s->n;

	switch (role) {
	case BURN_INPUT:
		dims[0] = 1, dims[1] = channels, dims[2] = height, dims[3] = width;
		return 4;
	case BURN_WEIGHT:
		dims[0] = filters, dims[1] = channels, dims[2] = 3, dims[3] = 3;
		return 4;
	case BURN_BIAS:
		dims[0] = filters;
		return 1;
	case BURN_OUTPUT:
		dims[0] = 1, dims[1] = filters, dims[2] = height, dims[3] = width;
		return 4;
	default:
		return 0;
	}
}

static int matmul_dims(const struct burn_shape *s, enum burn_role role, size_t dims[static 4])
{
	size_t m = (size_t)s->m, n = (size_t)s->n, k = (size_t)s->k;

	if (role == BURN_BIAS)
		return 0;
	dims[0] = role == BURN_WEIGHT ? k : m;
	dims[1] = role == BURN_INPUT ? k : n;
	return 2;
}

int burn_dims(const struct burn_shape *s, enum burn_role role, size_t dims[static 4])
{
	return s->op == BURN_CONV2D ? conv2d_dims(s, role, dims) : matmul_dims(s, role, dims);
}

size_t burn_elements(const struct burn_shape *s, enum burn_role role)
{
	size_t dims[4], all = 1;
	int n = burn_dims(s, role, dims);

	for (int i = 0; i < n; i++)
		all *= dims[i];
	return n > 0 ? all : 0;
}

uint64_t burn_flops(const struct burn_shape *s)
{
	return 2 * (uint64_t)s->m * (uint64_t)s->n * (uint64_t)s->k;
}

uint64_t burn_bytes(const struct burn_shape *s, enum burn_dtype t)
{
	uint64_t all = 0;

	for (int role = 0; role < BURN_ROLES; role++)
		all += burn_elements(s, (enum burn_role)role);
	return all * burn_dtype_size(t);
}

uint64_t burn_state_size(const struct burn_shape *s)
{
	return burn_elements(s, BURN_WEIGHT) + burn_elements(s, BURN_BIAS);
}

int burn_pad_tile(int n)
{
	return (n + BURN_TILE - 1) / BURN_TILE * BURN_TILE;
}

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

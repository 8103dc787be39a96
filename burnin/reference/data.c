/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/reference/data.h"
#include "base/mem.h"
#include "burnin/kernels/bf16.h"
#include "burnin/reference/golden.h"
#include "burnin/reference/randn.h"

#include <stdlib.h>
#include <string.h>

void data_init(struct data *d, const struct burn_case *c, enum burn_dtype t)
{
	*d = (struct data){ .c = c, .dtype = t };
	for (int op = 0; op < BURN_OPS; op++)
		d->shapes[op] = burn_shape_of(c, (enum burn_op)op);
}

void data_init_shape(struct data *d, const struct burn_shape *s, enum burn_dtype t)
{
	*d = (struct data){ .dtype = t };
	for (int op = 0; op < BURN_OPS; op++)
		d->shapes[op].op = (enum burn_op)op;
	d->shapes[s->op] = *s;
}

void data_clear(struct data *d)
{
	for (int op = 0; op < BURN_OPS; op++) {
		for (int role = 0; role < BURN_ROLES; role++) {
			free(d->values[op][role]);
			free(d->narrow[op][role]);
			free(d->wide[op][role]);
			d->values[op][role] = NULL;
			d->narrow[op][role] = NULL;
			d->wide[op][role] = NULL;
		}
	}
}

void data_draw(struct data *d)
{
	struct randn g;

	data_clear(d);
	randn_seed(&g, BURN_SEED);
	for (int op = 0; op < BURN_OPS; op++) {
		for (int role = 0; role < BURN_OUTPUT; role++) {
			size_t n = burn_elements(&d->shapes[op], (enum burn_role)role);

			if (n == 0)
				continue;
			d->values[op][role] = mem_realloc(NULL, n * sizeof(float));
			randn_fill(&g, d->values[op][role], n);
		}
	}
	if (d->dtype == BURN_BFLOAT16)
		data_round(d);
}

void data_round(struct data *d)
{
	d->dtype = BURN_BFLOAT16;
	for (int op = 0; op < BURN_OPS; op++) {
		for (int role = 0; role < BURN_OUTPUT; role++) {
			size_t n = burn_elements(&d->shapes[op], (enum burn_role)role);
			float *v = d->values[op][role];

			for (size_t i = 0; i < n; i++)
				v[i] = bf16_widen(bf16_round(v[i]));
		}
		free(d->values[op][BURN_OUTPUT]);
		d->values[op][BURN_OUTPUT] = NULL;
	}
	(void)data_narrow(d);
}

static double *widen(const float *v, const float *below, size_t n)
{
	double *wide = mem_realloc(NULL, n * sizeof(*wide));

	for (size_t i = 0; i < n; i++)
		wide[i] = (double)v[i] + (double)below[i] * 0x1p-24;
	return wide;
}

void data_turn(struct data *d, enum burn_dtype t)
{
	d->dtype = t;
	if (t == BURN_BFLOAT16)
		data_round(d);
	for (int op = 0; op < BURN_OPS && t == BURN_FLOAT64; op++)
		for (int role = 0; role < BURN_OUTPUT; role++) {
			const size_t n = burn_elements(&d->shapes[op], (enum burn_role)role);
			float *below;

			if (n == 0)
				continue;
			below = data_draw_elements(BURN_FLOAT32, BURN_SEED + 1, n);
			free(d->wide[op][role]);
			d->wide[op][role] = widen(d->values[op][role], below, n);
			free(below);
		}
}

void *data_draw_elements(enum burn_dtype t, uint32_t seed, size_t n)
{
	float *v = mem_realloc(NULL, 2 * n * sizeof(*v));
	struct randn g;

	randn_seed(&g, seed);
	randn_fill(&g, v, n);
	if (t == BURN_FLOAT64) {
		double *wide;

		randn_fill(&g, v + n, n);
		wide = widen(v, v + n, n);
		free(v);
		return wide;
	}
	for (size_t i = 0; i < n && t == BURN_BFLOAT16; i++)
		((uint16_t *)v)[i] = bf16_round(v[i]);
	return v;
}

static bool narrow_one(const float *v, uint16_t *out, size_t n)
{
	uint32_t lost = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t bits;

		memcpy(&bits, &v[i], sizeof(bits));
		out[i] = (uint16_t)(bits >> 16);
		lost |= bits & 0xffff;
	}
	return lost == 0;
}

bool data_narrow(struct data *d)
{
	bool exact = true;

	for (int op = 0; op < BURN_OPS; op++) {
		for (int role = 0; role < BURN_OUTPUT; role++) {
			size_t n = burn_elements(&d->shapes[op], (enum burn_role)role);

			if (n == 0)
				continue;
			free(d->narrow[op][role]);
			d->narrow[op][role] = mem_realloc(NULL, n * sizeof(uint16_t));
			exact &= narrow_one(d->values[op][role], d->narrow[op][role], n);
		}
	}
	return exact;
}

static const void *input_of(const struct data *d, enum burn_op op, enum burn_role role)
{
	if (d->dtype == BURN_FLOAT64)
		return d->wide[op][role];
	return d->dtype == BURN_BFLOAT16 ? (const void *)d->narrow[op][role]
					 : (const void *)d->values[op][role];
}

struct burn_operands data_operands(const struct data *d, enum burn_op op, void *output)
{
	return (struct burn_operands){ .input = input_of(d, op, BURN_INPUT),
		.weight = input_of(d, op, BURN_WEIGHT),
		.bias = input_of(d, op, BURN_BIAS),
		.output = output };
}

float *data_compute(const struct data *d, enum burn_op op, int threads)
{
	size_t n = burn_elements(&d->shapes[op], BURN_OUTPUT);
	float *out = mem_realloc(NULL, n * sizeof(float));
	uint16_t *half = mem_realloc(NULL, n * sizeof(uint16_t));
	bool narrow = d->dtype == BURN_BFLOAT16;
	struct burn_operands o = data_operands(d, op, narrow ? (void *)half : (void *)out);

	golden_run(&d->shapes[op], d->dtype, &o, threads);
	for (size_t i = 0; narrow && i < n; i++)
		out[i] = bf16_widen(half[i]);
	free(half);
	return out;
}

void data_golden(struct data *d, enum burn_op op, int threads)
{
	free(d->values[op][BURN_OUTPUT]);
	d->values[op][BURN_OUTPUT] = data_compute(d, op, threads);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data.h - the tensors of one case: drawn, rounded to a type, and their golden results.
 *
 * The generator is seeded anew with BURN_SEED for every case and draws conv2d's
 * input, weight and bias, then matmul's A and B, in float32.  bfloat16 is the
 * same numbers rounded to nearest even.  float64, which is not reference data, is the
 * same numbers plus 2^-24 times others, so that all of its digits count.
 */
#pragma once

#include "burnin/kernels/case.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The normal numbers that PyTorch draws on an x86-64 CPU, bit for bit: torch.manual_seed(seed),
 * then torch.randn() in float32, contiguous, where the CPU has AVX2.  The bits depend on neither
 * compiler, -march nor libm, but in a draw of less than 16 numbers, which the workload never makes.
 */

enum { RANDN_WORDS = 624 };

struct randn {
	uint32_t words[RANDN_WORDS];	/* state of the Mersenne twister */
	int used;		/* of words */
	bool has_spare;
	double spare;		/* the second of a pair; outlives the call, as in PyTorch */
	bool portable;		/* do not use the CPU's FMA: same bits, for tests */
};

void randn_seed(struct randn *g, uint32_t seed);

/* a * b + c, rounded once, without an FMA; not for results near the denormals. */
float randn_fuse(float a, float b, float c);

/* One torch.randn(n): 16 or more go through the vector path with its tail drawn anew. */
void randn_fill(struct randn *g, float *out, size_t n);

/* The tensors. */

struct data {
	const struct burn_case *c;		/* NULL: the shape of one operation */
	enum burn_dtype dtype;
	struct burn_shape shapes[BURN_OPS];	/* m is 0 if there is no such operation */
	float *values[BURN_OPS][BURN_ROLES];	/* in float32 form; NULL: none, or not made yet */
	uint16_t *narrow[BURN_OPS][BURN_ROLES];	/* the inputs in bfloat16, if dtype is that */
	double *wide[BURN_OPS][BURN_ROLES];	/* the same for float64 */
};

/* Empty tensors of a case, or of one shape; data_clear() frees them. */
void data_init(struct data *d, const struct burn_case *c, enum burn_dtype t);
void data_init_shape(struct data *d, const struct burn_shape *s, enum burn_dtype t);
void data_clear(struct data *d);

/* Draw all inputs, in float32, and round them if the type is bfloat16. */
void data_draw(struct data *d);

/* Turn float32 inputs, as drawn, into those of another type; bfloat16 drops golden results. */
void data_turn(struct data *d, enum burn_dtype t);

/* Draw n elements of a type from a seed of their own; the caller frees them. */
void *data_draw_elements(enum burn_dtype t, uint32_t seed, size_t n);

/* Fill narrow from the values that there are; false if one of them is not a bfloat16. */
bool data_narrow(struct data *d);

/* Inputs as a kernel takes them, with the caller's output of the case's type. */
struct burn_operands data_operands(const struct data *d, enum burn_op op, void *output);

/* Compute values[op][BURN_OUTPUT], or a copy of it that the caller frees. */
void data_golden(struct data *d, enum burn_op op, int threads);
float *data_compute(const struct data *d, enum burn_op op, int threads);

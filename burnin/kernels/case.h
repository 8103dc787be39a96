/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * case.h - the burn-in's workload: which operations run on which shapes and types.
 *
 * A case is a number of input channels; each case has a conv2d and a matmul
 * whose sums have the same number of terms, K = channels x 9.  Every tensor is
 * dense and in C order:
 *
 *	conv2d	input channels x 32 x 32, weight 32 x channels x 3 x 3, bias 32,
 *		output 32 x 32 x 32; batch 1, stride 1, padding 1
 *	matmul	A 1024 x K, B K x 32, output 1024 x 32
 *
 * Elements are float, double, or uint16_t that holds a bfloat16 (burnin/kernels/bf16.h).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Types before BURN_DTYPES are those of reference data and burns; types before BURN_COMPUTED
 * are those that the host's kernels compute in.  The others occur only in files to compare.
 */
enum burn_dtype {
	BURN_BFLOAT16, BURN_FLOAT32, BURN_DTYPES,
	BURN_FLOAT64 = BURN_DTYPES, BURN_COMPUTED,
	BURN_FLOAT16 = BURN_COMPUTED, BURN_INTEGER, BURN_TYPES
};
enum burn_op { BURN_CONV2D, BURN_MATMUL, BURN_OPS };

/* The three inputs of an operation and its result; matmul has no bias: A, B, output. */
enum burn_role { BURN_INPUT, BURN_WEIGHT, BURN_BIAS, BURN_OUTPUT, BURN_ROLES };

enum { BURN_CASES = 15, BURN_SEED = 42, BURN_TILE = 32, BURN_TAPS = 9 };

struct burn_case {
	int channels;		/* input channels of conv2d */
	int k;			/* terms of each sum: channels x 9 */
};

extern const struct burn_case burn_cases[BURN_CASES];

/* One operation on one shape: a case's, or any other; m is 0 if there is no operation. */
struct burn_shape {
	enum burn_op op;
	int channels, height, width;	/* of conv2d's input; 0 for matmul */
	int m, n, k;		/* rows or pixels, columns or filters, terms of each sum */
};

/* Where the elements are; bias is NULL for matmul. */
struct burn_operands {
	const void *input;	/* conv2d's input or matmul's A */
	const void *weight;	/* conv2d's weight or matmul's B */
	const void *bias;
	void *output;
};

struct burn_shape burn_conv2d(int channels, int height, int width, int filters);
struct burn_shape burn_matmul(int m, int n, int k);
struct burn_shape burn_shape_of(const struct burn_case *c, enum burn_op op);

/* The case with this many input channels, or NULL. */
const struct burn_case *burn_case_find(int channels);

const char *burn_dtype_name(enum burn_dtype t);		/* "bfloat16" */
size_t burn_dtype_size(enum burn_dtype t);		/* bytes of an element */
const char *burn_op_name(enum burn_op op);		/* "conv2d" */

/* "input", "weight", "bias", "output", or matmul's "A", "B", "output"; NULL if there is none. */
const char *burn_role_name(enum burn_op op, enum burn_role role);

/* Up to four dimensions of a tensor; returns how many, 0 if the operation has no such tensor. */
int burn_dims(const struct burn_shape *s, enum burn_role role, size_t dims[static 4]);
size_t burn_elements(const struct burn_shape *s, enum burn_role role);

/*
 * 2 x m x n x k, as usual: a multiplication and an addition count as two.  This
 * includes conv2d's terms on the padding, though they need not be computed (the
 * burn does not count them); it does not include the bias.
 */
uint64_t burn_flops(const struct burn_shape *s);

/* Bytes of all tensors, each touched once. */
uint64_t burn_bytes(const struct burn_shape *s, enum burn_dtype t);

/* Elements that a model would keep: weight and bias, or B. */
uint64_t burn_state_size(const struct burn_shape *s);

/* n rounded up to whole tiles, as a card needs for its last two dimensions. */
int burn_pad_tile(int n);

/*
 * The backward pass: from the gradient of a result, those of its operands.
 *
 *	conv2d	dX is a conv2d of dY with the filters turned round, dW a matmul of dY and
 *		the unfolded input
 *	matmul	dA = dC B', dB = A' dC
 *
 * The kernels compute each gradient as one of their own operations, on operands made for it.  The
 * result has the layout of the operand that it belongs to.
 */

struct gradient {
	struct burn_shape of;		/* the operation of the forward pass, */
	enum burn_dtype dtype;
	struct burn_operands at;	/* and its operands */
	const void *result;		/* dY, dC */
	enum burn_role by;		/* BURN_INPUT or BURN_WEIGHT */
	void *output;			/* dX, dA, or dW, dB */
	int threads;
};

/* The operation whose result is the gradient. */
struct gradient_operation {
	struct burn_shape shape;
	struct burn_operands at;	/* output is the gradient's */
	void *made[3];			/* operands that were made, to be freed */
};

/* "dX", "dW"; "dA", "dB" */
const char *gradient_name(enum burn_op op, enum burn_role by);

/* The shape of a gradient's operation; the operation with its operands.  Clear only the latter. */
struct burn_shape gradient_shape(const struct burn_shape *of, enum burn_role by);

void gradient_make(struct gradient_operation *o, const struct gradient *g);

void gradient_clear(struct gradient_operation *o);

/* Compute a thread's part by the definition (impl.c); the argument is a struct gradient. */
void gradient_define(void *gradient, int thread);

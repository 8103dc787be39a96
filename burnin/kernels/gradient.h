/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gradient.h - the backward pass: from the gradient of a result, those of its operands.
 *
 *	conv2d	dX is a conv2d of dY with the filters turned round, dW a matmul of dY and
 *		the unfolded input
 *	matmul	dA = dC B', dB = A' dC
 *
 * The kernels compute each gradient as one of their own operations, on operands made for it.  The
 * result has the layout of the operand that it belongs to.  The definition (gradient_define())
 * works on the original operands.
 */
#pragma once

#include "burnin/kernels/case.h"

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

/* Compute a thread's part by the definition (kernel_naive.c); the argument is a struct gradient. */
void gradient_define(void *gradient, int thread);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gradient.h - the backward pass: what the gradient of a result makes of those of its operands.
 *
 *	conv2d	dX is a conv2d of dY with the filters turned round, dW a matmul of dY and
 *		the unfolded input
 *	matmul	dA = dC B', dB = A' dC
 *
 * Each is an operation that there are kernels for, on operands made for it, and its result lies
 * as the operand does that it is the gradient by.  The definition needs none of that.
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

/* An operation whose result the gradient is. */
struct gradient_operation {
	struct burn_shape shape;
	struct burn_operands at;	/* output is the gradient's */
	void *made[3];			/* those of them that were made */
};

/* "dX", "dW"; "dA", "dB" */
const char *gradient_name(enum burn_op op, enum burn_role by);

/* What the operation of a gradient is, and with its operands; clear after the second alone. */
struct burn_shape gradient_shape(const struct burn_shape *of, enum burn_role by);
void gradient_make(struct gradient_operation *o, const struct gradient *g);
void gradient_clear(struct gradient_operation *o);

/* The definition, a thread's part of it (kernel_naive.c); the argument is a struct gradient. */
void gradient_define(void *gradient, int thread);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * golden.h - the results that all others are compared with: the same bits on every
 * host, with every compiler and any number of threads.
 *
 * Each sum runs in double over k ascending (conv2d: channel, row, column of the
 * filter), conv2d's bias is added last, and the result is rounded once, to nearest
 * even, to float32 or bfloat16; for float64 it is the sum itself.  Padding adds no
 * terms, so an infinite weight beside it makes no NaN.
 * A NaN is always the same one: 0x7fc00000, 0x7fc0.
 */
#pragma once

#include "burnin/kernels/case.h"

/* Compute o->output, with at least 1 thread. */
void golden_run(const struct burn_shape *s, enum burn_dtype t, const struct burn_operands *o,
	int threads);

uint16_t golden_round_bfloat16(double sum);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * golden.h - the results that everything else is held to: the same bits on every
 * host, with every compiler and any number of threads.
 *
 * Each sum runs in double over k ascending (conv2d: channel, row, column of the
 * filter), conv2d's bias is added last, and the end is rounded once, to nearest
 * even, to float32 or bfloat16; of float64 it is the sum.  Padding adds no terms: an
 * infinite weight beside it makes no NaN.
 * A NaN is always the same one: 0x7fc00000, 0x7fc0.
 */
#pragma once

#include "burnin/kernels/case.h"

/* Compute o->output; threads of at least 1. */
void golden_run(const struct burn_shape *s, enum burn_dtype t, const struct burn_operands *o,
	int threads);

uint16_t golden_round_bfloat16(double sum);

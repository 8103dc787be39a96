/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stepwise.h - the bfloat16 results of PyTorch before 2.1 on a processor without AVX-512.
 *
 * PyTorch leaves bfloat16 to oneDNN, which needs AVX-512 for it.  Without oneDNN, versions before
 * 2.1 round each product and each sum to bfloat16, k ascending, conv2d's bias first (PyTorch's
 * issue 83863; 1.13 was run).  The error grows with the root of K: 3 % of the results' root mean
 * square at K = 576, 26 % at 73728.  A tolerance this wide would hide a wrong element, but the bits
 * are the same on every processor.
 */
#pragma once

#include "burnin/reference/data.h"

/* Compute the results of d's bfloat16 inputs; the caller frees them. */
float *stepwise_compute(const struct data *d, enum burn_op op, int threads);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * element.h - one element of a tensor of any type that kernels compute in.
 */
#pragma once

#include "burnin/kernels/bf16.h"
#include "burnin/kernels/case.h"

static inline double element_get(enum burn_dtype t, const void *at, size_t i)
{
	if (t == BURN_FLOAT64)
		return ((const double *)at)[i];
	return t == BURN_BFLOAT16 ? (double)bf16_widen(((const uint16_t *)at)[i])
				  : (double)((const float *)at)[i];
}

/* Rounds to nearest even; for bfloat16, it rounds to float32 first. */
static inline void element_set(enum burn_dtype t, void *at, size_t i, double v)
{
	if (t == BURN_FLOAT64)
		((double *)at)[i] = v;
	else if (t == BURN_BFLOAT16)
		((uint16_t *)at)[i] = bf16_round((float)v);
	else
		((float *)at)[i] = (float)v;
}

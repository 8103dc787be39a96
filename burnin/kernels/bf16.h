/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bf16.h - bfloat16 is the upper half of a float: widening is exact, narrowing
 * rounds to nearest, ties to even.  A NaN stays one (made quiet).
 */
#pragma once

#include "burnin/kernels/case.h"

#include <stdint.h>
#include <string.h>

static inline float bf16_widen(uint16_t h)
{
	uint32_t bits = (uint32_t)h << 16;
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static inline uint16_t bf16_round(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	if ((bits & 0x7fffffff) > 0x7f800000)
		return (uint16_t)(bits >> 16 | 0x40);
	return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* One element of a tensor of any type that kernels compute in. */

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

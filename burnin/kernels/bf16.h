/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bf16.h - bfloat16 is the upper half of a float: widening is exact, narrowing
 * rounds to nearest, ties to even.  A NaN stays one (made quiet).
 */
#pragma once

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

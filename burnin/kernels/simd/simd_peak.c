/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simd_peak.c - as many multiply-adds as the processor can do: only in registers,
 * with enough sums at a time to hide the latency of one.
 */
#include "config.h"
#include "burnin/kernels/simd/simd_kernels.h"

enum { SUMS = SIMD_PIXELS == 11 ? 24 : 12, STEPS = 64 };

uint64_t simd_peak(unsigned rounds)
{
	volatile float seed = 0.5f;
	const simd_vec x = seed - (simd_vec){ 0 }, y = seed * 0.5f - (simd_vec){ 0 };
	simd_vec c[SUMS], all = { 0 };

#pragma GCC unroll 24
	for (int i = 0; i < SUMS; i++)
		c[i] = x * (float)i;
	for (unsigned r = 0; r < rounds * STEPS; r++)
#pragma GCC unroll 24
		for (int i = 0; i < SUMS; i++)
			c[i] = c[i] * x + y;
#pragma GCC unroll 24
	for (int i = 0; i < SUMS; i++)
		all += c[i];
	seed = all[0];
	return (uint64_t)rounds * STEPS * SUMS * SIMD_LANES * 2;
}

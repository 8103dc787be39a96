/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * randn.h - the normal numbers that PyTorch draws on an x86-64 CPU, bit for bit.
 *
 * torch.manual_seed(seed) and then torch.randn() in float32, contiguous, where
 * the CPU has AVX2.  The bits depend on neither compiler, -march nor libm, except
 * in a draw of fewer than 16 numbers, which the workload does not make.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANDN_WORDS = 624 };

struct randn {
	uint32_t words[RANDN_WORDS];	/* state of the Mersenne twister */
	int used;		/* of words */
	bool has_spare;
	double spare;		/* the second of a pair; outlives the call, as in PyTorch */
	bool portable;		/* do not use the CPU's FMA: same bits, for tests */
};

void randn_seed(struct randn *g, uint32_t seed);

/* a * b + c, rounded once, without an FMA; not for results near the denormals. */
float randn_fuse(float a, float b, float c);

/* One torch.randn(n): 16 or more go through the vector path with its tail drawn anew. */
void randn_fill(struct randn *g, float *out, size_t n);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu.h - the features of this processor that the system lets programs use.
 *
 * They come from feature bits (CPUID) and the register state that the kernel saves
 * (XGETBV), never from a family, model or brand.  A library that checks those picks
 * a slow kernel on a processor newer than the library.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>

enum cpu_feature {
	CPU_AVX2_FMA = 1 << 0,		/* 256-bit vectors, fused multiply-add */
	CPU_AVX512 = 1 << 1,		/* F, BW, VL: 512-bit vectors and their masks */
	CPU_AVX512_BF16 = 1 << 2,	/* vdpbf16ps */
	CPU_AMX_BF16 = 1 << 3,		/* tiles; the process must still ask for them */
	CPU_NEON = 1 << 4		/* ASIMD, which every AArch64 has */
};

/*
 * Set of enum cpu_feature; absent if the system does not save the registers, or if the level of
 * cpu_read_level() excludes them.  Aborts if that level is unknown: main() reads it first.
 */
unsigned cpu_features(void);

/*
 * The features that TT_SMI_CPU_LEVEL allows, all if it is not set; for tests, to run on this
 * processor what an older one would run.  -EINVAL: unknown level.
 */
int cpu_read_level(unsigned *set, struct error *e);

/* The level that TT_SMI_CPU_LEVEL names; NULL: none is set. */
const char *cpu_level(void);

/* Ask the kernel to let this process use AMX tiles: true if it does. */
bool cpu_ask_tiles(void);

/* "AVX2+FMA AVX-512": the names of a set in a buffer; "none" if it is empty. */
char *cpu_feature_names(unsigned set, char *buf, unsigned size);

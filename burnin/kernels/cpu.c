/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/kernels/cpu.h"

#include "base/mem.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Features that every processor of this kind has. */
#ifdef __aarch64__
enum { CPU_ALWAYS = CPU_NEON };
#else
enum { CPU_ALWAYS = 0 };
#endif

static const unsigned asked = 1u << 31;		/* a bit that is not a feature */

#ifdef __x86_64__
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	LEAF1_ECX = 1u << 12 | 1u << 27 | 1u << 28,	/* FMA, OSXSAVE, AVX */
	LEAF7_EBX_AVX2 = 1u << 5,
	LEAF7_EBX_AVX512 = 1u << 16 | 1u << 30,		/* F, BW */
	LEAF7_EDX_AMX = 1u << 22 | 1u << 24,		/* AMX-BF16, AMX-TILE */
	LEAF7_1_EAX_BF16 = 1u << 5,
	STATE_YMM = 0x6,				/* SSE, upper halves of ymm */
	STATE_ZMM = 0xe6,				/* and masks, zmm */
	STATE_TILE = 0x60000,				/* tile configuration and data */
	ASK_PERMISSION = 0x1023, TILE_DATA = 18		/* of arch_prctl(2) */
};
static const unsigned leaf7_ebx_vl = 1u << 31;

static uint64_t saved_state(void)
{
	uint32_t low, high;

	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return (uint64_t)high << 32 | low;
}

static unsigned ask_features(void)
{
	unsigned eax, ebx, ecx, edx, set = 0;
	const unsigned avx512 = (unsigned)LEAF7_EBX_AVX512 | leaf7_ebx_vl;
	uint64_t state;

	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || (ecx & LEAF1_ECX) != LEAF1_ECX)
		return 0;
	state = saved_state();
	if ((state & STATE_YMM) != STATE_YMM || !__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx))
		return 0;
	if (ebx & LEAF7_EBX_AVX2)
		set |= CPU_AVX2_FMA;
	if (!(set & CPU_AVX2_FMA) || (state & STATE_ZMM) != STATE_ZMM || (ebx & avx512) != avx512)
		return set;
	set |= CPU_AVX512;
	if ((edx & LEAF7_EDX_AMX) == LEAF7_EDX_AMX && (state & STATE_TILE) == STATE_TILE)
		set |= CPU_AMX_BF16;
	if (__get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) && (eax & LEAF7_1_EAX_BF16))
		set |= CPU_AVX512_BF16;
	return set;
}

bool cpu_ask_tiles(void)
{
	return syscall(SYS_arch_prctl, ASK_PERMISSION, TILE_DATA) == 0;
}
#else
static unsigned ask_features(void)
{
	return CPU_ALWAYS;
}

bool cpu_ask_tiles(void)
{
	return false;
}
#endif

const char *cpu_level(void)
{
	const char *name = getenv("TT_SMI_CPU_LEVEL");

	return name && *name ? name : NULL;
}

int cpu_read_level(unsigned *set, struct error *e)
{
	/* Each has one of enum cpu_feature more than the one before. */
	static const char *const levels[] = { "baseline", "avx2", "avx512", "bf16", "amx" };
	const char *name = cpu_level();

	*set = ~0u;
	if (!name)
		return 0;
	for (unsigned i = 0; i < ARRAY_LEN(levels); i++)
		if (strcmp(name, levels[i]) == 0) {
			*set = ((1u << i) - 1) | CPU_ALWAYS;
			return 0;
		}
	return fail_as(e, CODE_BAD_VALUE, -EINVAL, "TT_SMI_CPU_LEVEL: unknown level '%.40s' "
		"(baseline, avx2, avx512, bf16, amx)", name);
}

/* Asked once: in a virtual machine each CPUID costs tens of microseconds. */
unsigned cpu_features(void)
{
	static _Atomic unsigned known;
	unsigned level;

	if (!(known & asked)) {
		if (cpu_read_level(&level, NULL) < 0)
			abort();
		known = (ask_features() & level) | asked;
	}
	return known & ~asked;
}

char *cpu_feature_names(unsigned set, char *buf, unsigned size)
{
	static const char *const names[] = { "AVX2+FMA", "AVX-512", "AVX512-BF16", "AMX-BF16",
		"NEON" };
	unsigned len = 0;

	snprintf(buf, size, "none");
	for (unsigned i = 0; i < ARRAY_LEN(names); i++)
		if (set >> i & 1 && len < size)
			len += (unsigned)snprintf(buf + len, size - len, "%s%s", len ? " " : "",
				names[i]);
	return buf;
}

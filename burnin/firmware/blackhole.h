/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blackhole.h - what the kernel needs to know about a Blackhole (burn-in study 4.4).
 */
#pragma once

#include "burnin/firmware/tensix.h"

enum { MODIFIER_AT = 14 };			/* in MVMUL */
enum { ZERO_WIDE = 1 << 18 };			/* in ZEROACC, as upstream for rows of 32 bits */
enum { SFPU_MODIFIER_AT = 13 };			/* in SFPLOAD and SFPSTORE */
enum { WAIT_MATH = 1 << 4, WAIT_PACKERS = 1 << 3, WAIT_VECTOR = 1 << 11 };

/* ThreadConfig. */
enum {
	STATE_ID = 0, MATH_OFFSET = 1, SRCA_SET = 5, CLEAR_DVALID = 7, MOD_AB = 12,
	MOD_AB_STEP = 1, MOD_DST = 28, MOD_PACK = 37, UNPACK_MISC = 41, MOD_BIAS = 47
};

/* One packer; it takes four of Dst's rows at a time. */
enum {
	PACR_BITS = 0, PACRS = 64, PACK_DATUMS = 16,
	PACK_MOD_STEP = 4, PACK_MOD_CLEAR = PACK_Y_CLEAR
};

enum { INPUT_SHAPE = 113, SETTLE = 124 };

/* A core's data cache is not coherent; a fence drops its contents. */
INLINE void see_memory(void)
{
	__asm__ volatile("fence" : : : "memory");
}

INLINE void set_output(uint32_t at)
{
	set_backend(69, at / 16 - 1);
	settle_backend(69);
}

/* Let this tile's T0 to T2 and NC start where their images are. */
INLINE void set_starts(void)
{
	store(0xffb12228, KERNEL_AT_T0);
	store(0xffb1222c, KERNEL_AT_T1);
	store(0xffb12230, KERNEL_AT_T2);
	store(0xffb12234, 7);
	store(0xffb12238, KERNEL_AT_NC);
	store(0xffb1223c, 1);
}

/*
 * This tile's own coordinates on a network; the translated ones if translation is on.  A simulator
 * translates them although this register does not show it.
 */
INLINE uint32_t own_endpoint(uint32_t network)
{
	uint32_t niu = NIU + network * NIU_STEP;
	uint32_t translated = load(niu + 0x100) >> 14 & 1 || !order()->clean;

	return load(translated ? niu + 0x148 : niu + 0x44) & 0xfff;
}

/*
 * What another program may have left in an interface: requests that count as under way for ever,
 * and the high half of a length, which a simulator does not take.
 */
INLINE void clear_network(uint32_t network)
{
	uint32_t niu = NIU + network * NIU_STEP;

	store(niu + 0x60, (1 << NIU_TAGS) - 1);
	if (order()->clean)
		store(niu + 0x24, 0);
}

/* Copy memory of one endpoint to another one; one of them is our own. */
INLINE void request(uint32_t network, uint32_t kind, const struct copy *c, uint32_t tag)
{
	uint32_t niu = NIU + network * NIU_STEP;

	while (load(niu + 0x40) & 1)
		;
	store(niu, c->at);
	store(niu + 0x4, 0);
	store(niu + 0x8, c->from);
	store(niu + 0xc, c->to_at);
	store(niu + 0x10, 0);
	store(niu + 0x14, c->to);
	store(niu + 0x18, tag << 10);
	store(niu + 0x1c, kind);
	store(niu + 0x20, c->bytes);
	store(niu + 0x40, 1);
}

/* clang-format off */
static const struct setting settings[] = {
	{ 0, 0 }, { 1, BFLOAT16 << 17 | BFLOAT16 << 21 | FLOAT32 << 25 | 3 << 29 }, { 2, 0 },
	/* Dst in bytes: datum 4, row 64, 16 rows 1024, half 32768; read as 32 bits. */
	{ 12, 4 | 64 << 16 }, { 13, 1024u | 32768u << 16 }, { 14, 0 }, { 15, 0 }, { 17, 0 },
	{ 18, 1 }, { 20, 0 }, { 21, 0 }, { 24, 0xffff }, { 25, 0xffff }, { 28, 16 << 8 },
	/* The packer: format, and where in Dst it begins; plain addresses of Dst. */
	{ 68, 0 }, { 70, PACKED }, { 71, 0 }, { 180, 0 }, { 220, 0 },
	/* Weights to SrcA, 1024 at a time, from its row 4 on. */
	{ 50, 1 << 8 }, { 56, 0 }, { 57, 0 }, { 59, 0 }, { 64, SOURCE | 1024 << 16 },
	{ 65, 1 | 1 << 16 }, { 72, UNPACKED }, { 73, 15 }, { 76, KERNEL_AT_WEIGHTS / 16 - 1 },
	{ 77, KERNEL_AT_WEIGHTS / 16 - 1 }, { 84, 64 | 64 << 16 }, { 86, 1024 | 1024 << 16 },
	{ 92, 0 }, { 93, 0 },
	/* Input to SrcB: X is the channel, Y the pixel, Z the row, W 16 channels. */
	{ 112, SOURCE | 16 << 16 }, { 120, UNPACKED }, { 121, 15 },
	{ 124, KERNEL_AT_INPUT / 16 - 1 }, { 125, KERNEL_AT_INPUT / 16 - 1 },
};
/* clang-format on */

/* ThreadConfig settings that only this chip has. */
INLINE void set_math(void)
{
	set_thread(2, 0);	/* formats are those of the unpackers */
	set_thread(3, 0);
}

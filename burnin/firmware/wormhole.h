/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wormhole.h - what the kernel needs to know about a Wormhole (burn-in study 4.4).
 */
#pragma once

#include "burnin/firmware/tensix.h"

enum { MODIFIER_AT = 15 };			/* in MVMUL */
enum { ZERO_WIDE = 1 << 21 };			/* in ZEROACC, as upstream for rows of 32 bits */
enum { SFPU_MODIFIER_AT = 14 };			/* in SFPLOAD and SFPSTORE */
enum { WAIT_MATH = 1 << 7, WAIT_PACKERS = 15 << 3, WAIT_VECTOR = 1 << 14 };

/* ThreadConfig. */
enum {
	STATE_ID = 0, MATH_OFFSET = 1, SRCA_SET = 3, CLEAR_DVALID = 5, MOD_AB = 7, MOD_AB_STEP = 2,
	MOD_DST = 23, MOD_PACK = 31, UNPACK_MISC = 39, MOD_BIAS = 48
};

/* Four packers; each takes 64 of Dst's rows, 16 at a time. */
enum {
	PACR_BITS = 0xf << 8, PACRS = 4, PACK_DATUMS = 256,
	PACK_MOD_STEP = PACK_Z_STEP, PACK_MOD_CLEAR = PACK_Z_CLEAR
};

enum { INPUT_SHAPE = 93, SETTLE = 125 };

/* There is nothing between a core and memory. */
INLINE void see_memory(void)
{
	__asm__ volatile("" : : : "memory");
}

INLINE void set_output(uint32_t at)
{
	static const uint8_t packers[] = { 57, 85, 97, 125 };

	for (uint32_t i = 0; i < 4; i++)
		set_backend(packers[i], at / 16 - 1 + i * (KERNEL_BLOCK_BYTES / 64));
	settle_backend(SETTLE);
}

/* Let this tile's T0 to T2 and NC start where their images are. */
INLINE void set_starts(void)
{
	set_backend(162, KERNEL_AT_NC);
	set_backend(163, 1);
	set_backend(158, KERNEL_AT_T0);
	set_backend(159, KERNEL_AT_T1);
	set_backend(160, KERNEL_AT_T2);
	set_backend(161, 7);
}

/* This tile's own coordinates on a network; they are not translated. */
INLINE uint32_t own_endpoint(uint32_t network)
{
	return load(NIU + network * NIU_STEP + 0x2c) & 0xfff;
}

/* What another program may have left: requests that count as under way for ever. */
INLINE void clear_network(uint32_t network)
{
	store(NIU + network * NIU_STEP + 0x50, (1 << NIU_TAGS) - 1);
}

/*
 * Copy memory of one endpoint to another one; one of them is our own.  The network translates
 * endpoints in place, so write them for each request.
 */
INLINE void request(uint32_t network, uint32_t kind, const struct copy *c, uint32_t tag)
{
	uint32_t niu = NIU + network * NIU_STEP;

	while (load(niu + 0x28) & 1)
		;
	store(niu, c->at);
	store(niu + 0x4, c->from << 4);
	store(niu + 0xc, c->to_at);
	store(niu + 0x10, c->to << 4);
	store(niu + 0x18, tag << 10);
	store(niu + 0x1c, kind);
	store(niu + 0x20, c->bytes);
	store(niu + 0x28, 1);
}

/* clang-format off */
static const struct setting settings[] = {
	{ 0, 0 }, { 1, BFLOAT16 << 17 | BFLOAT16 << 21 | FLOAT32 << 25 | 3 << 29 }, { 2, 0 },
	/* Dst in bytes: datum 4, row 64, 16 rows 1024, half 32768; read as 32 bits. */
	{ 8, 4 | 64 << 12 }, { 9, 1024 | 32768 << 12 }, { 14, 1 }, { 16, 0 }, { 17, 0 },
	{ 20, 0xffff }, { 21, 0xffff }, { 22, 0xffff }, { 23, 0xffff },
	{ 24, 16 << 8 }, { 25, 16 << 8 }, { 26, 16 << 8 }, { 27, 16 << 8 },
	/* Each packer: format, and where in Dst it begins. */
	{ 56, 0 }, { 58, PACKED }, { 59, 0 }, { 84, 0 }, { 86, PACKED }, { 87, 0 },
	{ 96, 0 }, { 98, PACKED }, { 99, 0 }, { 124, 0 }, { 126, PACKED }, { 127, 0 },
	{ 152, 0 }, { 153, 64 }, { 154, 128 }, { 155, 192 },
	/* Weights to SrcA, 1024 at a time, from its row 4 on. */
	{ 41, 1 << 8 }, { 44, 0 }, { 45, 0 }, { 47, 0 }, { 52, SOURCE | 1024 << 16 },
	{ 53, 1 | 1 << 16 }, { 60, UNPACKED }, { 61, 15 }, { 64, KERNEL_AT_WEIGHTS / 16 - 1 },
	{ 65, KERNEL_AT_WEIGHTS / 16 - 1 }, { 72, 64 | 64 << 16 }, { 74, 1024 | 1024 << 16 },
	{ 80, 0 }, { 81, 0 },
	/* Input to SrcB: X is the channel, Y the pixel, Z the row, W 16 channels. */
	{ 92, SOURCE | 16 << 16 }, { 100, UNPACKED }, { 101, 15 },
	{ 104, KERNEL_AT_INPUT / 16 - 1 }, { 105, KERNEL_AT_INPUT / 16 - 1 },
};
/* clang-format on */

/* ThreadConfig settings that only this chip has. */
INLINE void set_math(void)
{
	set_thread(2, 0);	/* the first set of modifiers */
	set_thread(6, 0);	/* fidelity from 0 */
}

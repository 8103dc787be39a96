/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tensix.h - the parts of a Tensix tile that the kernel uses: registers as its
 * RISC-V cores see them, and instructions of the coprocessor.  Differences
 * between the chips are in wormhole.h and blackhole.h; the compiler includes one
 * of them first (public ISA documentation; burn-in study 4.2 to 4.4).
 */
#pragma once

#include "burnin/firmware/mailbox.h"

#define INLINE static inline __attribute__((always_inline))

enum tensix_register {
	SOFT_RESET = 0xffb121b0,
	CLOCK_LOW = 0xffb121f0,		/* reading it keeps the high half for CLOCK_HIGH */
	CLOCK_HIGH = 0xffb121f8,
	MOP_CONFIG = 0xffb80000,	/* 9 words of the thread's own, write only */
	PUSH = 0xffe40000,		/* a store is an instruction */
	THREAD_SYNC = 0xffe80004,
	BACKEND = 0xffef0000,		/* configuration words of bank 0 */
	NIU = 0xffb20000,		/* the tile's interface to network 0 */
	NIU_STEP = 0x10000,		/* from there to that of network 1 */
	NIU_WRITTEN = NIU + 0x204,	/* writes that were acknowledged */
	NIU_RESPONSES = NIU + 0x208,	/* reads that are complete */
	NIU_OUTSTANDING = NIU + 0x240	/* reads under way, by their tag */
};

/*
 * Kinds of request, with an answer, on the virtual channels that upstream's kernels take: 1 all the
 * way for reads.
 */
enum { NIU_READ = 1 << 4 | 1 << 7 | 1 << 13, NIU_WRITE = NIU_READ | 1 << 1 };
enum { NIU_TAGS = 16 };

enum { HOLD_NONE = 0, HOLD_NCRISC_ALONE = 1 << 18 };	/* of SOFT_RESET */

/* Formats of data. */
enum {
	FLOAT32 = 0, BFLOAT16 = 5,
	SOURCE = BFLOAT16 | 1 << 4,		/* uncompressed */
	UNPACKED = BFLOAT16 | 2 << 4,		/* four datums a cycle */
	PACKED = 1 | FLOAT32 << 4 | FLOAT32 << 8
};

/* Operation codes. */
enum {
	MOP = 0x01, NOP = 0x02, REPLAY = 0x04, ZEROACC = 0x10, MVMUL = 0x26, SETRWC = 0x37,
	PACR = 0x41, UNPACR = 0x42, SETADC = 0x50, SETADCXY = 0x51, SETADCZW = 0x54,
	SETADCXX = 0x5e, SFPLOAD = 0x70, SFPLOADI = 0x71, SFPSTORE = 0x72, SFPMAD = 0x84,
	SFPENCC = 0x8a, STALLWAIT = 0xa2, SEMINIT = 0xa3, SEMPOST = 0xa4, SEMGET = 0xa5,
	SEMWAIT = 0xa6, SETC16 = 0xb2
};

/* Address counters, by bit; their dimensions, by number. */
enum { UNPACK_A = 1, UNPACK_B = 2, PACKERS = 4 };
enum { DIM_Y = 1, DIM_Z = 2, DIM_W = 3 };
enum { ADD_Z = 1, ADD_Y = 4 };			/* to channel 0, in UNPACR */

/* Units that a wait holds back, and states of a semaphore that hold them. */
enum {
	HOLD_TDMA = 1, HOLD_SYNC = 2, HOLD_PACK = 4, HOLD_MATH = 64, HOLD_CONFIG = 128,
	HOLD_VECTOR = 256
};
enum { WHILE_ZERO = 1, WHILE_MAX = 2 };

/* Halves of Dst that are full: T1 posts, T2 gets. */
enum { FULL_HALVES = 1 << 1 };

/* Words of the address modifiers. */
enum {
	A_CLEAR = 1 << 7, B_STEP = 1 << 8, B_CLEAR = 1 << 15,
	DST_CLEAR = 1 << 11, PHASE_STEP = 1 << 13, PHASE_CLEAR = 1 << 15,
	PACK_Y_CLEAR = 1 << 5, PACK_Z_STEP = 1 << 12, PACK_Z_CLEAR = 1 << 13
};

/* A request to the network: from an endpoint's address to another one's. */
struct copy {
	uint32_t from, at, to, to_at, bytes;
};

INLINE uint32_t load(uint32_t at)
{
	return *(volatile uint32_t *)(uintptr_t)at;
}

INLINE void store(uint32_t at, uint32_t word)
{
	*(volatile uint32_t *)(uintptr_t)at = word;
}

INLINE uint32_t op(uint32_t code, uint32_t body)
{
	return code << 24 | body;
}

/* Issue a constant instruction.  It is one word of the program, rotated left by two. */
INLINE void push(const uint32_t word)
{
	__asm__ volatile(".word %0" : : "i"(word << 2 | word >> 30) : "memory");
}

/* Issue an instruction that is computed. */
INLINE void push_computed(uint32_t word)
{
	store(PUSH, word);
}

INLINE void set_thread(const uint32_t index, const uint32_t value)
{
	push(op(SETC16, index << 16 | value));
}

INLINE void set_counter(uint32_t which, uint32_t dim, uint32_t value)
{
	push_computed(op(SETADC, which << 21 | dim << 18 | value));
}

INLINE void set_backend(uint32_t word, uint32_t value)
{
	store(BACKEND + 4 * word, value);
}

/* Accesses to memory and registers are reordered: a store has arrived once a load of it is used. */
INLINE void use(uint32_t word)
{
	__asm__ volatile("andi %0, %0, 0" : "+r"(word) : : "memory");
}

INLINE void settle_backend(uint32_t word)
{
	use(load(BACKEND + 4 * word));
}

/* Clear settings that must not be inherited from another program. */
INLINE void clear_backend(void)
{
	set_backend(4, 0);
	settle_backend(0);
}

/* A word of the backend's configuration. */
struct setting {
	uint16_t word;
	uint32_t value;
};

/* Wait until all instructions of this thread are done. */
INLINE void wait_idle(void)
{
	store(THREAD_SYNC, 0);
	use(load(THREAD_SYNC));
}

INLINE volatile struct kernel_order *order(void)
{
	return (volatile struct kernel_order *)(uintptr_t)KERNEL_AT_ORDER;
}

INLINE volatile struct kernel_state *state(void)
{
	return (volatile struct kernel_state *)(uintptr_t)KERNEL_AT_STATE;
}

/* Sum up a piece of memory, which may be long. */
static inline void sum_up(uint32_t sums[2], uint32_t from, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i += 4)
		kernel_sum(sums, load(from + i));
}

INLINE volatile struct kernel_loads *loads(void)
{
	return (volatile struct kernel_loads *)(uintptr_t)KERNEL_AT_LOADS;
}

INLINE volatile struct kernel_traffic *traffic(void)
{
	return (volatile struct kernel_traffic *)(uintptr_t)KERNEL_AT_TRAFFIC;
}

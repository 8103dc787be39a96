/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pack.c - T2: writes a finished half of Dst to one of two places in memory, as
 * soon as B has compared the block that was there.
 *
 * Before that, the vector unit may work on all of the block, with the steps of enum
 * kernel_vector.  Each step is exact, and the golden block has their results: so a fault
 * of the vector unit, or a step that it leaves out, makes a wrong word.
 */
#include "burnin/firmware/thread.h"

INLINE uint32_t pacr(uint32_t modifier, uint32_t is_last)
{
	return op(PACR, modifier << 15 | PACR_BITS | (is_last ? 1 : 16));
}

/* Registers of the vector unit: four vectors of 32 words, and constants. */
enum { FACTORS = 4, TERMS = 6, VECTORS = 4 };
enum { KEEP_ROW, NEXT_ROWS };		/* address modifiers */
enum { AS_FLOAT32 = 3, AS_BFLOAT16 = 0 };

INLINE uint32_t move(uint32_t code, uint32_t vector, uint32_t modifier)
{
	return op(code, vector << 20 | AS_FLOAT32 << 16 | modifier << SFPU_MODIFIER_AT |
		2 * vector);
}

INLINE void set_vector(const uint32_t i, const uint32_t bits)
{
	push(op(SFPLOADI, i << 20 | AS_BFLOAT16 << 16 | bits));
}

/* A step on all four vectors, so that none is read in the cycle after it was written. */
INLINE void step(const uint32_t i)
{
	const uint32_t factor = FACTORS + (KERNEL_VECTOR_FACTORS >> i & 1);
	const uint32_t term = TERMS + (KERNEL_VECTOR_TERMS >> i & 1);

	push(op(SFPMAD, 0 << 16 | factor << 12 | term << 8 | 0 << 4));
	push(op(SFPMAD, 1 << 16 | factor << 12 | term << 8 | 1 << 4));
	push(op(SFPMAD, 2 << 16 | factor << 12 | term << 8 | 2 << 4));
	push(op(SFPMAD, 3 << 16 | factor << 12 | term << 8 | 3 << 4));
}

/* Set up the vector unit, and record its work on eight rows of Dst, to be replayed. */
static void set_up_vector(void)
{
	set_math();
	set_thread(MOD_AB + KEEP_ROW * MOD_AB_STEP, 0);
	set_thread(MOD_DST + KEEP_ROW, 0);
	set_thread(MOD_BIAS + KEEP_ROW, 0);
	set_thread(MOD_AB + NEXT_ROWS * MOD_AB_STEP, 0);
	set_thread(MOD_DST + NEXT_ROWS, 8);
	set_thread(MOD_BIAS + NEXT_ROWS, 0);
	push(op(SFPENCC, 2 << 12 | 10));	/* all lanes */
	set_vector(FACTORS, KERNEL_FACTOR_0);
	set_vector(FACTORS + 1, KERNEL_FACTOR_1);
	set_vector(TERMS, KERNEL_TERM_0);
	set_vector(TERMS + 1, KERNEL_TERM_1);
	push(op(REPLAY, 32 << 4 | 1));
	push(move(SFPLOAD, 0, KEEP_ROW));
	push(move(SFPLOAD, 1, KEEP_ROW));
	push(move(SFPLOAD, 2, KEEP_ROW));
	push(move(SFPLOAD, 3, KEEP_ROW));
	step(0);
	step(1);
	step(2);
	step(3);
	step(4);
	step(5);
	push(move(SFPSTORE, 0, KEEP_ROW));
	push(move(SFPSTORE, 1, KEEP_ROW));
	push(move(SFPSTORE, 2, KEEP_ROW));
	push(move(SFPSTORE, 3, NEXT_ROWS));
}

static void sweep(void)
{
	push(op(SETRWC, 0xf));
	for (uint32_t row = 0; row < 256; row += 8)
		push(op(REPLAY, 32 << 4));
}

/* Let the vector unit work on a full half of Dst; it is packed only when all of this is done. */
static void work_on(uint32_t half, uint32_t sweeps)
{
	if (half)
		set_thread(MATH_OFFSET, 512);
	else
		set_thread(MATH_OFFSET, 0);
	for (uint32_t i = 0; i < sweeps; i++) {
		sweep();
		state()->t2_vector++;
	}
	push(op(STALLWAIT, (HOLD_TDMA | HOLD_PACK) << 15 | WAIT_VECTOR));
}

static void pack(uint32_t half, uint32_t sweeps)
{
	wait_idle();
	set_output(KERNEL_AT_OUT + half * KERNEL_BLOCK_BYTES);
	if (half)
		push(op(SETADCZW, PACKERS << 21 | 1 << 9 | 2));
	else
		push(op(SETADCZW, PACKERS << 21 | 2));
	push(op(SEMWAIT, (HOLD_TDMA | HOLD_PACK | HOLD_SYNC | HOLD_MATH | HOLD_VECTOR) << 15 |
		FULL_HALVES << 2 | WHILE_ZERO));
	if (sweeps)
		work_on(half, sweeps);
	for (uint32_t i = 1; i < PACRS; i++)
		push(pacr(0, 0));
	push(pacr(1, 1));
	push(op(STALLWAIT, (HOLD_SYNC | HOLD_TDMA) << 15 | WAIT_PACKERS));
	push(op(SEMGET, FULL_HALVES << 2));
	wait_idle();
}

int main(void)
{
	volatile struct kernel_state *s = state();
	uint32_t packed = 0, sweeps = loads()->vector;

	while (s->t1_phase == KERNEL_IDLE)
		see_memory();
	s->t2_phase = KERNEL_RUNS;
	set_thread(STATE_ID, 0);
	set_thread(MOD_PACK, PACK_MOD_STEP);
	set_thread(MOD_PACK + 1, PACK_MOD_CLEAR);
	push(op(SETADCXX, (uint32_t)PACKERS << 21 | (PACK_DATUMS - 1) << 10));
	push(op(SETADCXY, PACKERS << 21 | 0xa));
	push(op(SETADCZW, PACKERS << 21 | 0xf));
	if (sweeps)
		set_up_vector();
	for (uint32_t pass = 0; pass_begins(pass); pass++) {
		for (uint32_t row = 0; row < order()->rows; row++) {
			while (packed - s->b_checked >= 2)
				see_memory();
			pack(packed & 1, sweeps);
			s->t2_packed = ++packed;
		}
	}
	s->t2_phase = KERNEL_DONE;
	return 0;
}

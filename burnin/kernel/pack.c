/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pack.c - T2: writes a finished half of Dst to one of two places in memory, as
 * soon as B has compared what was there.
 */
#include "burnin/kernel/thread.h"

INLINE uint32_t pacr(uint32_t modifier, uint32_t is_last)
{
	return op(PACR, modifier << 15 | PACR_BITS | (is_last ? 1 : 16));
}

static void pack(uint32_t half)
{
	wait_idle();
	set_output(KERNEL_AT_OUT + half * KERNEL_BLOCK_BYTES);
	if (half)
		push(op(SETADCZW, PACKERS << 21 | 1 << 9 | 2));
	else
		push(op(SETADCZW, PACKERS << 21 | 2));
	push(op(SEMWAIT, (HOLD_TDMA | HOLD_PACK | HOLD_SYNC) << 15 | FULL_HALVES << 2 |
		WHILE_ZERO));
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
	uint32_t packed = 0;

	while (s->t1_phase == KERNEL_IDLE)
		see_memory();
	s->t2_phase = KERNEL_RUNS;
	set_thread(STATE_ID, 0);
	set_thread(MOD_PACK, PACK_MOD_STEP);
	set_thread(MOD_PACK + 1, PACK_MOD_CLEAR);
	push(op(SETADCXX, (uint32_t)PACKERS << 21 | (PACK_DATUMS - 1) << 10));
	push(op(SETADCXY, PACKERS << 21 | 0xa));
	push(op(SETADCZW, PACKERS << 21 | 0xf));
	for (uint32_t pass = 0; pass_begins(pass); pass++) {
		for (uint32_t row = 0; row < order()->rows; row++) {
			while (packed - s->b_checked >= 2)
				see_memory();
			pack(packed & 1);
			s->t2_packed = ++packed;
		}
	}
	s->t2_phase = KERNEL_DONE;
	return 0;
}

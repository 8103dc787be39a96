/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread.h - what the coprocessor's three threads share.
 *
 * T0 alone decides whether a pass begins, and reports it; T1 and T2 follow.
 * So no thread waits for operands that never come.
 */
#pragma once

#include "burnin/firmware/tensix.h"

/* The steps of a block's sum, without repeats. */
INLINE uint32_t steps(void)
{
	return order()->taps * order()->taps * order()->depth;
}

INLINE int pass_begins(uint32_t pass)
{
	for (;;) {
		uint32_t ended;

		see_memory();
		ended = state()->t0_phase == KERNEL_DONE;
		see_memory();
		if (state()->t0_passes > pass)
			return 1;
		if (ended)
			return 0;
	}
}

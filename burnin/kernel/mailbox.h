/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mailbox.h - the memory of a compute tile during a burn, as host and kernel see
 * it: where each thing lies, what the host orders, and what the tile tells.
 *
 * Each line of 16 bytes has one writer.  The bytes 0x10 to 0x1f belong to the
 * chip's firmware, which asks for less power at 0x10; neither side writes them.
 */
#pragma once

#include <stdint.h>

enum kernel_place {
	KERNEL_AT_B = 0,		/* image of RISC-V B, which starts at 0 */
	KERNEL_AT_THROTTLE = 0x10,
	KERNEL_AT_ORDER = 0x5000,
	KERNEL_AT_STATE = 0x5040,
	KERNEL_AT_T0 = 0x6000,
	KERNEL_AT_T1 = 0xa000,
	KERNEL_AT_T2 = 0xe000,
	KERNEL_AT_END = 0x12000,
	KERNEL_AT_OUT = 0x20000,	/* two blocks of output, by turns */
	KERNEL_AT_GOLDEN = 0x30000,	/* one block for each row */
	KERNEL_AT_WEIGHTS = 0x70000,	/* as they are, then negated */
	KERNEL_AT_INPUT = 0xc0000,	/* [channels / 16][height][width][16] */
	KERNEL_AT_LIMIT = 0x16e000	/* the smaller chip's end of memory */
};

enum {
	KERNEL_PIXELS = 64,		/* of a block; rows of a product */
	KERNEL_CHANNELS = 64,		/* of the output; columns of a product */
	KERNEL_DEPTH = 16,		/* input channels of one step */
	KERNEL_BLOCK_WORDS = KERNEL_PIXELS * KERNEL_CHANNELS,	/* float32 */
	KERNEL_BLOCK_BYTES = 4 * KERNEL_BLOCK_WORDS,
	KERNEL_STEP_BYTES = 2 * KERNEL_PIXELS * KERNEL_DEPTH,	/* bfloat16, either operand */
	KERNEL_STEP_MVMULS = 32,	/* and for each fidelity phase */
	KERNEL_ROWS_MAX = (KERNEL_AT_WEIGHTS - KERNEL_AT_GOLDEN) / KERNEL_BLOCK_BYTES,
	KERNEL_MISMATCHES = 8,
	KERNEL_MAGIC = 0x42555231
};

/* Written by the host before B is released; stop and beat at any time. */
struct kernel_order {
	uint32_t magic;
	uint32_t depth;		/* input channels / 16 */
	uint32_t rows;		/* output rows, a block each; a pass is all of them */
	uint32_t width, height;	/* of the input, borders included; up to 255 */
	uint32_t taps;		/* 3: convolution 3 by 3; 1: product of matrices */
	uint32_t repeats;	/* of the sum in a block; odd, the sign alternates */
	uint32_t passes;	/* 0: until told to stop */
	uint32_t phases;	/* of fidelity: 1, 2 or 4 */
	uint32_t mop_steps;	/* steps of one MOP; divides the steps of a block */
	uint32_t held;		/* one pair of operands a block stays in the source registers */
	uint32_t pulse;		/* a pass begins where 2^pulse divides the clock; 0: at once */
	uint32_t deadman;	/* 256 cycles that beat may stand still; 0: for ever */
	uint32_t clean;		/* clear the backend's configuration first */
	uint32_t stop;		/* 1: end with this pass */
	uint32_t beat;		/* the host changes it while it lives */
};

enum kernel_phase { KERNEL_IDLE, KERNEL_BEGUN, KERNEL_RUNS, KERNEL_DONE };
enum kernel_end { KERNEL_NOT_ENDED, KERNEL_PASSED, KERNEL_STOPPED, KERNEL_HOST_GONE };

struct kernel_mismatch {
	uint32_t block, word;	/* which block of this run, which word in it */
	uint32_t got, want;
};

struct kernel_state {
	uint32_t b_phase, b_checked, b_errors, b_heart;	/* errors: words, up to all ones */
	uint32_t t0_phase, t0_steps, t0_passes, t0_end;
	uint32_t t1_phase, t1_blocks, t1_clock, t1_clock_high;	/* at the end of t1_blocks */
	uint32_t t1_first, t1_first_high, t1_throttled, t1_unused;
	uint32_t t2_phase, t2_packed, t2_unused[2];
	struct kernel_mismatch mismatch[KERNEL_MISMATCHES];	/* the first ones */
};

_Static_assert(sizeof(struct kernel_order) == KERNEL_AT_STATE - KERNEL_AT_ORDER, "order");
_Static_assert(KERNEL_AT_STATE + sizeof(struct kernel_state) <= KERNEL_AT_T0, "state");

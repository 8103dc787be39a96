/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unpack.c - T0: feeds weights and input, and ends the run.
 *
 * A step is one tap of 16 channels: 64 neighbouring pixels to SrcB, the weights
 * for 64 outputs to SrcA.  The next tap is 32 bytes further in memory, so the
 * input need not be rearranged: address counters walk rows, pixels, channels.
 */
#include "burnin/firmware/thread.h"

/* Unpack both operands of a step; input_adds: which counter of the input advances. */
INLINE void unpack(const uint32_t input_adds)
{
	const uint32_t hand_over = 1 << 7 | 1 << 6 | 1;

	push(op(UNPACR, ADD_Y << 15 | hand_over));
	push(op(UNPACR, 1 << 23 | input_adds << 15 | hand_over));
}

/* Feed the taps of one row of the filter for 16 channels. */
static void feed_taps(uint32_t taps)
{
	for (uint32_t i = 1; i < taps; i++)
		unpack(ADD_Y);
	unpack(ADD_Z);
	push(op(SETADCXY, UNPACK_B << 21 | 2));
}

/* copy: which of the two copies in memory. */
static void feed_block(uint32_t row, uint32_t repeat, uint32_t copy)
{
	uint32_t taps = order()->taps, depth = order()->depth;

	set_counter(UNPACK_A, DIM_Y, (2 * copy + (repeat & 1)) * steps());
	for (uint32_t c = 0; c < depth; c++) {
		set_counter(UNPACK_B, DIM_Z, row);
		set_counter(UNPACK_B, DIM_W, copy * depth + c);
		for (uint32_t y = 0; y < taps; y++)
			feed_taps(taps);
	}
}

/* Feed one pair for the whole block: the first tap of a row. */
static void feed_held(uint32_t row)
{
	set_counter(UNPACK_A, DIM_Y, 0);
	set_counter(UNPACK_B, DIM_Z, row);
	unpack(0);
}

/* The clock, in units of 256 cycles. */
static uint32_t now(void)
{
	uint32_t low = load(CLOCK_LOW);

	return load(CLOCK_HIGH) << 24 | low >> 8;
}

struct watch {
	uint32_t beat, since;
};

/* A host that has died must not leave its chip at full load. */
static int is_host_gone(struct watch *w)
{
	uint32_t t = now(), beat = order()->beat;

	if (beat != w->beat)
		*w = (struct watch){ beat, t };
	return order()->deadman && t - w->since > order()->deadman;
}

static enum kernel_end may_begin(uint32_t pass, struct watch *w)
{
	see_memory();
	if (order()->passes && pass == order()->passes)
		return KERNEL_PASSED;
	if (order()->stop)
		return KERNEL_STOPPED;
	return is_host_gone(w) ? KERNEL_HOST_GONE : KERNEL_NOT_ENDED;
}

/* Choose the copy of the operands for this pass: the last one that NC brought and found good. */
static uint32_t choose_copy(uint32_t pass)
{
	volatile struct kernel_traffic *t = traffic();
	uint32_t brought;

	if (!loads()->reload)
		return 0;
	see_memory();
	brought = t->nc_loads;
	if (brought != t->t0_loads) {
		t->t0_since = pass;
		t->t0_loads = brought;
	}
	return brought & 1;
}

int main(void)
{
	volatile struct kernel_state *s = state();
	struct watch w = { order()->beat, now() };
	enum kernel_end end;

	s->t0_phase = KERNEL_RUNS;
	set_thread(STATE_ID, 0);
	set_thread(UNPACK_MISC, 0);
	set_thread(SRCA_SET, 1 << 2);	/* the address chooses the row */
	push(op(SETADCXX, (UNPACK_A | UNPACK_B) << 21 | 1023 << 10));
	push(op(SETADCZW, (UNPACK_A | UNPACK_B) << 21 | 0xf));
	push(op(SETADCXY, (UNPACK_A | UNPACK_B) << 21 | 0xa));
	for (uint32_t pass = 0; (end = may_begin(pass, &w)) == KERNEL_NOT_ENDED; pass++) {
		uint32_t copy = choose_copy(pass);

		s->t0_passes = pass + 1;
		for (uint32_t row = 0; row < order()->rows; row++) {
			if (order()->held)
				feed_held(row);
			for (uint32_t r = 0; !order()->held && r < order()->repeats; r++)
				feed_block(row, r, copy);
		}
	}
	wait_idle();
	s->t0_end = end;
	s->t0_phase = KERNEL_DONE;
	return 0;
}

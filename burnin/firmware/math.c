/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * math.c - T1: 32 products of 8 by 16 by 16 for each step and phase of fidelity,
 * summed up in one half of Dst while the other half is packed.
 */
#include "burnin/firmware/thread.h"

/* Address modifiers: next pixels; next outputs; next phase; next step. */
enum { NEXT_PIXELS, NEXT_OUTPUTS, NEXT_PHASE, NEXT_STEP, MODIFIERS };

INLINE uint32_t mvmul(uint32_t modifier, uint32_t hands_back)
{
	return op(MVMUL, hands_back << 22 | modifier << MODIFIER_AT);
}

INLINE void set_modifier(const uint32_t i, const uint32_t sources, const uint32_t dst)
{
	set_thread(MOD_AB + i * MOD_AB_STEP, sources);
	set_thread(MOD_DST + i, dst);
	set_thread(MOD_BIAS + i, 0);
}

INLINE void push_seven(void)
{
	push(mvmul(NEXT_PIXELS, 0));
	push(mvmul(NEXT_PIXELS, 0));
	push(mvmul(NEXT_PIXELS, 0));
	push(mvmul(NEXT_PIXELS, 0));
	push(mvmul(NEXT_PIXELS, 0));
	push(mvmul(NEXT_PIXELS, 0));
	push(mvmul(NEXT_PIXELS, 0));
}

/* Record a phase of a step, to be replayed. */
static void record(void)
{
	push(op(REPLAY, 32 << 4 | 1));
	push_seven();
	push(mvmul(NEXT_OUTPUTS, 0));
	push_seven();
	push(mvmul(NEXT_OUTPUTS, 0));
	push_seven();
	push(mvmul(NEXT_OUTPUTS, 0));
	push_seven();
	push(mvmul(NEXT_PHASE, 0));
}

/* Set the MOP: all phases of some steps; each step's last product hands its operands back. */
static void set_mop(void)
{
	store(MOP_CONFIG, order()->mop_steps);
	store(MOP_CONFIG + 4, order()->phases);
	store(MOP_CONFIG + 8, op(NOP, 0));
	store(MOP_CONFIG + 12, mvmul(NEXT_STEP, order()->held ? 0 : 3));
	store(MOP_CONFIG + 16, op(NOP, 0));
	store(MOP_CONFIG + 20, op(REPLAY, 32 << 4));
	store(MOP_CONFIG + 24, op(NOP, 0));
	store(MOP_CONFIG + 28, op(REPLAY, 31 << 4));
	store(MOP_CONFIG + 32, op(REPLAY, 31 << 4));
}

static void set_up(void)
{
	set_thread(CLEAR_DVALID, 0);
	set_math();
	set_modifier(NEXT_PIXELS, B_STEP * 8, 8);
	set_modifier(NEXT_OUTPUTS, 16 | B_CLEAR, 8);
	set_modifier(NEXT_PHASE, A_CLEAR | B_CLEAR, DST_CLEAR | PHASE_STEP);
	set_modifier(NEXT_STEP, A_CLEAR | B_CLEAR, DST_CLEAR | PHASE_CLEAR);
	push(op(SETRWC, 0xf));
	record();
	set_mop();
}

/* In asm, because the compiler takes such a low address for a null pointer. */
INLINE uint32_t throttle_word(void)
{
	uint32_t word;

	__asm__ volatile("lw %0, %1(zero)" : "=r"(word) : "i"(KERNEL_AT_THROTTLE) : "memory");
	return word;
}

/* With an odd word the firmware asks for less power: rest for as long as the work took. */
static void rest_if_asked(uint32_t products)
{
	see_memory();
	if (!(throttle_word() & 1))
		return;
	wait_idle();
	for (uint32_t i = 0; i < products / 2; i++)
		__asm__ volatile("nop");
	state()->t1_throttled++;
}

/* True while less of this window is over than the ramp's present share of it, in 256ths. */
static uint32_t ramp_allows(uint32_t window, uint32_t ramp)
{
	const uint32_t low = load(CLOCK_LOW), high = load(CLOCK_HIGH);
	const uint32_t nth = (high << (32 - window) | low >> window) % ramp;

	return (low >> (window - 8) & 0xff) < nth * 256 / (ramp - 1);
}

/* All tiles have the same clock, so they begin in the same cycles. */
static void wait_pulse(void)
{
	const uint32_t window = order()->pulse & KERNEL_PULSE_WINDOW;
	const uint32_t ramp = order()->pulse >> KERNEL_RAMP_AT;
	const uint32_t last = load(CLOCK_LOW) >> window;

	while (ramp && !ramp_allows(window, ramp))
		;
	while (window && !ramp && load(CLOCK_LOW) >> window == last)
		;
}

static void multiply(uint32_t half)
{
	uint32_t n = steps() * order()->repeats, each = order()->mop_steps;

	push(op(SEMWAIT, (HOLD_MATH | HOLD_SYNC) << 15 | FULL_HALVES << 2 | WHILE_MAX));
	if (half) {
		push(op(ZEROACC, ZERO_WIDE | 2 << 19 | 1));
		set_thread(MATH_OFFSET, 512);
	} else {
		push(op(ZEROACC, ZERO_WIDE | 2 << 19));
		set_thread(MATH_OFFSET, 0);
	}
	for (uint32_t k = 0; k < n; k += each) {
		push(op(MOP, 1 << 23));
		rest_if_asked(each * order()->phases * KERNEL_STEP_MVMULS);
	}
	if (order()->held)
		push(op(SETRWC, 3 << 22 | 0xf));
	push(op(STALLWAIT, (HOLD_SYNC | HOLD_CONFIG) << 15 | WAIT_MATH));
	push(op(SEMPOST, FULL_HALVES << 2));
}

/* Report that this many blocks are computed.  A reader in between sees too few, not too many. */
static void note_time(uint32_t blocks)
{
	volatile struct kernel_state *s = state();

	s->t1_clock = load(CLOCK_LOW);
	s->t1_clock_high = load(CLOCK_HIGH);
	s->t1_blocks = blocks;
}

int main(void)
{
	volatile struct kernel_state *s = state();
	uint32_t blocks = 0;

	set_thread(STATE_ID, 0);
	push(op(SEMINIT, 2 << 20 | FULL_HALVES << 2));
	push(op(ZEROACC, ZERO_WIDE | 3 << 19));
	wait_idle();
	s->t1_phase = KERNEL_RUNS;	/* T2 may look at the semaphore */
	set_up();
	s->t1_first = load(CLOCK_LOW);
	s->t1_first_high = load(CLOCK_HIGH);
	for (uint32_t pass = 0; pass_begins(pass); pass++) {
		wait_pulse();
		for (uint32_t row = 0; row < order()->rows; row++)
			multiply(blocks++ & 1);
		/* Pushed instructions may wait in queues; what T2 has packed is computed. */
		see_memory();
		note_time(s->t2_packed);
	}
	wait_idle();
	note_time(blocks);
	s->t1_phase = KERNEL_DONE;
	return 0;
}

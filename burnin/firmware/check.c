/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check.c - RISC-V B: reports which tile it is, sets up the backend, releases the other
 * cores, and then compares every word of every block with the golden one.  Before that it compares
 * a block with one word that is wrong on purpose, which it has to report.
 */
#include "burnin/firmware/tensix.h"

static void set_up(void)
{
	if (order()->clean)
		clear_backend();
	for (uint32_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		set_backend(settings[i].word, settings[i].value);
	set_backend(INPUT_SHAPE, order()->width | order()->height << 16);
	set_output(KERNEL_AT_OUT);
	set_starts();
	set_backend(SETTLE, load(BACKEND + 4 * SETTLE));
	settle_backend(SETTLE);
}

static void note(uint32_t block, uint32_t word, uint32_t got, uint32_t want)
{
	volatile struct kernel_state *s = state();
	uint32_t n = s->b_errors;

	if (n < 1 + KERNEL_MISMATCHES) {
		s->mismatch[n].block = block;
		s->mismatch[n].word = word;
		s->mismatch[n].got = got;
		s->mismatch[n].want = want;
	}
	if (n != UINT32_MAX)
		s->b_errors = n + 1;
}

static void compare(uint32_t block, uint32_t row)
{
	volatile uint32_t *got = (volatile uint32_t *)(uintptr_t)(KERNEL_AT_OUT +
		(block & 1) * KERNEL_BLOCK_BYTES);
	const volatile uint32_t *want = (const volatile uint32_t *)(uintptr_t)(KERNEL_AT_GOLDEN +
		row * KERNEL_BLOCK_BYTES);
	const uint32_t stamp = kernel_stamp(state()->b_name, block);

	for (uint32_t i = 0; i < KERNEL_BLOCK_WORDS; i += KERNEL_STAMP_STEP) {
		uint32_t a = got[i], b = got[i + 1], c = got[i + 2], d = got[i + 3];

		if ((a ^ want[i]) | (b ^ want[i + 1]) | (c ^ want[i + 2]) | (d ^ want[i + 3]))
			for (uint32_t k = i; k < i + 4; k++)
				if (got[k] != want[k])
					note(block, k, got[k], want[k]);
		got[i] = a ^ stamp;
	}
	use(got[KERNEL_BLOCK_WORDS - KERNEL_STAMP_STEP]);
}

/* Compare a copy of the first golden block, with one word wrong on purpose. */
static void try_judge(void)
{
	const struct kernel_trial trial = kernel_trial_of(state()->b_name);
	const uint32_t at = KERNEL_AT_OUT + 4 * trial.word;

	for (uint32_t i = 0; i < KERNEL_BLOCK_BYTES; i += 4)
		store(KERNEL_AT_OUT + i, load(KERNEL_AT_GOLDEN + i));
	store(at, load(at) ^ trial.bits);
	use(load(at));
	compare(0, 0);
}

static void sum_up_piece(uint32_t sums[2], uint32_t from, uint32_t bytes)
{
	const uint32_t end = from + bytes, step = 4096;

	for (; from < end; from += step) {
		sum_up(sums, from, end - from < step ? end - from : step);
		state()->b_heart++;
	}
}

/* Sum up the data that the host has put here, so that it need not read all of it back. */
static void sum_up_all(void)
{
	volatile struct kernel_state *s = state();
	uint32_t sums[2] = { 0, 0 };

	see_memory();
	sum_up_piece(sums, KERNEL_AT_WEIGHTS, loads()->weights);
	sum_up_piece(sums, KERNEL_AT_INPUT, loads()->input);
	sum_up_piece(sums, KERNEL_AT_GOLDEN, order()->rows * KERNEL_BLOCK_BYTES);
	s->b_sums[0] = sums[0];
	s->b_sums[1] = sums[1];
	s->b_phase = KERNEL_DONE;
}

/* Report the name that only this tile was given, and its own coordinates on the network. */
static void tell_name(void)
{
	state()->b_name = load(KERNEL_AT_NAME);
	state()->b_place = own_endpoint(0);
}

int main(void)
{
	volatile struct kernel_state *s = state();
	uint32_t block = 0, row = 0, rows = order()->rows;

	see_memory();
	tell_name();
	if (order()->magic == KERNEL_MAGIC_SUMS)
		sum_up_all();
	if (order()->magic != KERNEL_MAGIC)
		return 0;
	s->b_phase = KERNEL_BEGUN;
	set_up();
	try_judge();
	s->b_phase = KERNEL_RUNS;
	store(SOFT_RESET, loads()->channels || loads()->spares ? HOLD_NONE : HOLD_NCRISC_ALONE);
	for (;;) {
		s->b_heart++;
		see_memory();
		if (s->t2_packed == block && s->t2_phase == KERNEL_DONE) {
			see_memory();
			if (s->t2_packed == block)
				break;
		}
		if (s->t2_packed == block)
			continue;
		compare(block, row);
		block++;
		row = row + 1 == rows ? 0 : row + 1;
		s->b_checked = block;
	}
	s->b_phase = KERNEL_DONE;
	return 0;
}

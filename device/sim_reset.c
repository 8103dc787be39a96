/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_reset.c - what a reset does to a simulated chip.
 */
#include "config.h"
#include "device/sim_chip.h"
#include "base/clock.h"

#include <string.h>

#define FIRES     (5 * CLOCK_MS)	/* after the message (chip-facts 4.1, 0x56) */
#define OFF_TIME  CLOCK_SECOND		/* off the bus */
#define BOOT_TIME (500 * CLOCK_MS)	/* until the firmware is up */

static void reset_one(struct sim_chip *c, const struct sim_now *now)
{
	struct sim_state *st = c->state;
	uint32_t resets = st->resets, changes = st->changes;
	bool needs_init = st->needs_init;

	memset(st, 0, sizeof(*st));
	st->resets = resets;
	st->changes = changes + 1;
	st->needs_init = needs_init;
	st->was_reset = true;
	st->down = now->t + FIRES;
	st->up = st->down + OFF_TIME;
	st->ready = st->up + BOOT_TIME;
	if (sim_has_fault(now, SIM_RESETFAIL))
		st->up = st->ready = INT64_MAX;
}

void sim_reset_chip(struct sim_chip *c, const struct sim_now *now, bool all)
{
	struct sim_chip *first = all ? c - c->place : c;
	unsigned n = all && !c->board->trays ? c->board->asics : 1;

	if (all && c->board->trays)
		first = c;
	for (unsigned i = 0; i < n; i++)
		reset_one(&first[i], now);
}

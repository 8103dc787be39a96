/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_reset.c - what a reset does to a simulated chip, and what the driver
 * does about it (chip-facts 1.8.2 and 5.1).
 *
 * A message to the firmware resets the chip behind the driver's back: handles
 * stay good.  The driver's own reset makes all other handles stale and shuts
 * the card until POST_RESET; the marker bit tells whether the chip was reset.
 */
#include "config.h"
#include "device/sim/sim_chip.h"
#include "base/clock.h"

#include <errno.h>
#include <string.h>

#define FIRES     (5 * CLOCK_MS)	/* after the message (chip-facts 4.1, 0x56) */
#define OFF_TIME  CLOCK_SECOND		/* off the bus */
#define BOOT_TIME (500 * CLOCK_MS)	/* until the firmware is up */

static void reset_one(struct sim_chip *c, const struct sim_now *now)
{
	struct sim_state *st = c->state;

	st->changes++;
	st->was_reset = true;
	st->is_settled = false;
	st->down = now->t + FIRES;
	st->up = st->down + OFF_TIME;
	st->ready = st->up + BOOT_TIME;
	if (sim_has_fault(now, SIM_RESETFAIL))
		st->up = st->ready = INT64_MAX;
}

/* The answer to the message that asked for the reset is still given; then nothing is left. */
void sim_reset_settle(struct sim_chip *c, const struct sim_now *now)
{
	struct sim_state *st = c->state;

	if (!st->was_reset || st->is_settled || now->t < st->down)
		return;
	st->is_settled = true;
	st->marker = st->busy = false;
	st->watt_limit = st->misc = 0;
	memset(st->scratch, 0, sizeof(st->scratch));
	memset(st->queue, 0, sizeof(st->queue));
	memset(st->eth, 0, sizeof(st->eth));
}

void sim_reset_chip(struct sim_chip *c, const struct sim_now *now, bool all)
{
	bool whole = all && !c->board->trays;	/* a galaxy's chips have controllers of their own */
	struct sim_chip *first = whole ? c - c->place : c;
	unsigned n = whole ? c->board->asics : 1;

	for (unsigned i = 0; i < n; i++)
		reset_one(&first[i], now);
}

/* USER_RESET, and the first part of the other two. */
static void begin(struct sim_chip *c)
{
	c->state->resets++;
	c->state->marker = c->state->needs_init = true;
	if (c->is_open)
		c->open_resets++;
}

/* 0 when the chip was reset and is there again. */
static uint32_t finish(struct sim_chip *c, const struct sim_now *now)
{
	if (now->off || c->state->marker)
		return 1;
	c->state->needs_init = false;
	return 0;
}

int sim_reset_device(struct device *d, enum sim_reset_flag flag, uint32_t *result)
{
	struct sim_chip *c = d->priv;
	struct sim_now now = sim_now(c);

	if (sim_has_fault(&now, SIM_GONE))
		return -ENODEV;
	sim_reset_settle(c, &now);
	sim_log(c, "reset", "%d", (int)flag);
	*result = 0;
	switch (flag) {
	case SIM_RESTORE_STATE:
		c->state->needs_init = false;
		return 0;
	case SIM_RESET_PCIE_LINK:
		return 0;
	case SIM_USER_RESET:
		begin(c);
		return 0;
	case SIM_ASIC_RESET:
	case SIM_ASIC_DMC_RESET:
		/* Blackhole's driver asks the firmware first whether it can. */
		if (flag == SIM_ASIC_DMC_RESET && now.off && d->chip == DEVICE_BLACKHOLE) {
			*result = 1;
			return 0;
		}
		begin(c);
		sim_reset_chip(c, &now, flag == SIM_ASIC_DMC_RESET);
		return 0;
	case SIM_POST_RESET:
		*result = finish(c, &now);
		return 0;
	}
	return -EINVAL;
}

uint8_t sim_reset_config_byte(struct device *d)
{
	struct sim_chip *c = d->priv;
	struct sim_now now = sim_now(c);

	sim_reset_settle(c, &now);
	return now.off ? 0xff : (uint8_t)(0x06 | c->state->marker << 6);
}

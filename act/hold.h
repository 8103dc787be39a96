/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hold.h - cards are taken once and given back once, by whoever begins an act.  Its parts, such
 * as the reset inside a burn, are lent them: no other program gets one of them in between.
 */
#pragma once

#include "device/device.h"

struct hold {
	struct bus *bus;
	size_t n;
	int index[DEVICE_MAX];		/* of the cards that are taken */
};

/*
 * Take these cards: all of them, or none.  hold_is_taken(): another program has one, and *e
 * says who.  A card that is taken already stays so.
 */
int hold_take(struct hold *h, struct bus *bus, const bool *wanted, struct error *e);

/*
 * -EBUSY: another program has it; -EINPROGRESS: one that cannot be seen, in another container
 * or left by a tool that was killed, which ends by itself within HOLD_LEFT.
 */
#define HOLD_LEFT (25 * CLOCK_SECOND)

/* Whether -errno says that another program has a card: the act is refused, nothing was done. */
bool hold_is_taken(int code);

/*
 * Ask the driver whether a program of another container is resetting one of them: -EALREADY.
 * Waits for a driver that does not answer, but not for long, and goes on without an answer.
 */
int hold_ask_driver(const struct hold *h, struct error *e);

/* A card left the bus and has come back: its lock is that of a new file. */
void hold_renew(const struct hold *h, int index);

/* Its process acts on without us: that one has the card now, and keeps it until it ends. */
void hold_leave(struct hold *h, int index);

/* Give all back.  Nothing where none was taken. */
void hold_give_back(struct hold *h);

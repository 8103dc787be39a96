/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hold.h - the cards that an act has locked.  An act takes its cards once and gives them back once.
 * Its parts, such as the reset inside a burn, borrow them, so that no other program can take a card
 * in between.
 */
#pragma once

#include "report/holder.h"

struct hold {
	struct bus *bus;
	size_t n;
	int index[DEVICE_MAX];		/* of the cards that are taken */
	bool is_reset;			/* hold_take() failed: a tt-smi resets one of them */
};

/*
 * Take all of these cards, or none of them; cards taken earlier stay taken.  If hold_is_taken()
 * is true of the result, another program has one of them, and *e names it.
 */
int hold_take(struct hold *h, struct bus *bus, const bool *wanted, struct error *e);

/*
 * -EBUSY: another program has it.  -EINPROGRESS: its holder cannot be seen; either it is in
 * another container, or a tool that was killed left it, and then it ends within HOLD_LEFT.
 */
#define HOLD_LEFT (25 * CLOCK_SECOND)

/* Whether -errno means that another program has a card: the act is refused, nothing was done. */
bool hold_is_taken(int code);

/*
 * Ask the driver whether a program in another container is resetting one of the cards
 * (-EALREADY).  If the driver does not answer within 2 s, go on without an answer.
 */
int hold_ask_driver(const struct hold *h, struct error *e);

/* Lock a card again that left the bus and came back: the file of its lock is a new one. */
void hold_renew(const struct hold *h, int index);

/* Forget a card whose process goes on without us; that process keeps the lock until it ends. */
void hold_leave(struct hold *h, int index);

/* Give back all cards that were taken, if any. */
void hold_give_back(struct hold *h);

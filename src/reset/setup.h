/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * setup.h - begin, wait for and end a reset, the same way in every mode.
 */
#pragma once

#include "reset/reset.h"
#include "src/session.h"
#include "src/turn.h"

struct reset_setup {
	struct reset *reset;	/* the one under way; NULL: none */
	struct log log;
	char folder[512];	/* of the listening programs' sockets */
};

/*
 * Open the log, or say why none is kept, complete *c for the session's cards, and begin
 * (reset_open(), with its errors).  The caller has set its own members of *c: the cards it holds,
 * the callback, links and so on.
 */
int reset_setup_open(struct reset_setup *s, struct session *session, const struct reset_plan *plan,
	struct reset_config *c, struct error *e);

/*
 * Wait until reset_step() is due, for ms at most (-1: no limit).  Like turn_wait(), true once a
 * stop was requested.
 */
bool reset_setup_turn(const struct reset_setup *s, struct stop *stop, struct outlet *out, int ms);

/* Close the reset and its log, if one was begun, and say so if not all of the log was written. */
void reset_setup_close(struct reset_setup *s);

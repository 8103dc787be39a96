/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen.h - a reset while it goes on: begun, waited for, shown and ended.
 */
#pragma once

#include "reset/reset.h"
#include "src/loop.h"
#include "src/session.h"

#include <stddef.h>

/* A reset that is begun, waited for and ended, the same way in every mode. */

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

/* A reset as it goes on: a table on a terminal, a line for each phase elsewhere. */

struct reset_screen {
	const struct reset_setup *setup;
	struct outlet out;
	bool is_live;		/* the lines are redrawn in place */
	size_t drawn;		/* how many lines the last picture has */
	int64_t next;		/* clock_mono() of the next picture, or message about waiting */
	int64_t pause;		/* ns from one to the next */
	bool said_wait;		/* we said that a stop has to wait */
};

/* Drive the reset to its end.  Never waits for a reader of its lines; outlet_close() does. */
void reset_screen_run(struct reset_screen *s, const struct reset_setup *setup, struct stop *stop);

/* struct reset_config's tell. */
void reset_screen_tell(void *arg, const struct reset_card *c, const struct reset_step *step);

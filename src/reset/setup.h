/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * setup.h - what every reset of this program begins, goes on and ends with, in every mode.
 */
#pragma once

#include "reset/reset.h"
#include "src/session.h"
#include "src/turn.h"

struct reset_setup {
	struct reset *reset;	/* that is under way; NULL: none */
	struct log log;
	char folder[512];	/* of programs that listen */
};

/*
 * Open the log, or say why none is kept, complete *c for the session's cards, and begin
 * (reset_open(), also its errors).  What is the caller's own (the cards it holds, whom to report
 * to, links) stands in *c.
 */
int reset_setup_open(struct reset_setup *s, struct session *session, const struct plan *plan,
	struct reset_config *c, struct error *e);

/*
 * Wait until reset_step() is due, for ms at most (-1: any time); as turn_wait(), true once a stop
 * was requested.
 */
bool reset_setup_turn(const struct reset_setup *s, struct stop *stop, struct outlet *out, int ms);

/* Close the reset and its log, and say it where not all was written.  Nothing where none began. */
void reset_setup_close(struct reset_setup *s);

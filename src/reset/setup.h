/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * setup.h - what every reset of this program begins with, in every mode.
 */
#pragma once

#include "reset/reset.h"
#include "src/session.h"

struct reset_setup {
	struct log log;
	char folder[512];	/* of programs that listen */
};

/*
 * Open the log, or say why none is kept, and complete *c for the session's cards: what is the
 * caller's own (the cards it holds, whom to tell, links) stands in it.
 */
void reset_setup(struct reset_setup *s, struct session *session, const struct plan *plan,
	struct reset_config *c);

/* Close the log, and say it where not all was written.  Nothing where none was opened. */
void reset_setup_end(struct reset_setup *s);

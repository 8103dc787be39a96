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
 * Open the log and fill *c for the session's cards; what is the caller's own
 * (tell, limits, links) is left to it.  -errno: no log is kept, and the rest is done.
 */
int reset_setup(struct reset_setup *s, struct session *session, const struct plan *plan,
	struct reset_config *c, struct error *e);

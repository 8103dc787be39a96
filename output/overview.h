/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * overview.h - all cards as plain text of 80 columns, which `tt-smi` prints if
 * stdout is not a terminal.
 */
#pragma once

#include "base/text.h"
#include "telemetry/snapshot.h"

#include <stdbool.h>

struct overview_options {
	const char *version;	/* "tt-smi 6.4.1+c1.1.1" */
	bool utf8;		/* else only ASCII */
	bool local;		/* leave remote chips out */
	bool external;		/* no names of users, no command lines */
};

/* Add a frame with a block for each wanted chip, a board's second chip after its first. */
void overview_put(struct strbuf *to, const struct fleet *f, const struct overview_options *o);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line.h - a command line that is still being typed, read by the option table: what was given so
 * far, and what its last word may become.
 *
 * options_parse() needs a line that is complete and correct.  This one takes what there is, and
 * skips what it does not know.
 */
#pragma once

#include "src/options.h"

#include <stdbool.h>
#include <stddef.h>

struct line {
	struct options o;		/* only typed[], mode, dump, commands, devices, targets */
	const char *values[OPTIONS];	/* as they were typed; NULL: none */
	bool has_mode;			/* an option asked for one */
	const char *word;		/* the last one, up to the cursor */
	enum option_id of;		/* the option whose value the word may be */
	bool may_be_value, must_be_value;
	size_t command;			/* words before the command of --during; 0: none yet */
	bool is_over;			/* nothing of ours can follow */
};

/* Read n words, at least one; the first is the program's name.  They must outlive *l. */
void line_read(struct line *l, const char **words, size_t n);

/* Whether the option may be added: it fits the mode and the others, and is not there yet. */
bool line_takes(const struct line *l, enum option_id id);

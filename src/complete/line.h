/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line.h - a command line that is still being typed, read by the option table: what was given so
 * far, and what its last word may become.
 *
 * options_parse() wants a line that is whole and right.  This one takes what there is, and passes
 * over what it does not know.
 */
#pragma once

#include "src/options.h"

#include <stdbool.h>
#include <stddef.h>

struct line {
	struct options o;		/* typed[], mode, commands and targets alone */
	const char *values[OPTIONS];	/* as they were typed; NULL: none */
	bool has_mode;			/* an option asked for one */
	const char *word;		/* the last one, up to the cursor */
	enum option_id of;		/* the option whose value it may be ... */
	bool may_be_value, must_be_value;
	size_t command;			/* words before the command of --during; 0: none yet */
	bool is_over;			/* nothing of ours can follow */
};

/* Of n words, at least one; the first is the program's name.  They have to stay. */
void line_read(struct line *l, const char **words, size_t n);

/* Whether the option may be given, too: with the mode, with the others, and not yet. */
bool line_takes(const struct line *l, enum option_id id);

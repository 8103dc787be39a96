/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_complete.h - --completion SHELL prints a script for the shell.  The script passes the line
 * that is being typed to --complete SHELL, and itself knows nothing of options.
 */
#pragma once

#include "src/complete/shell.h"
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

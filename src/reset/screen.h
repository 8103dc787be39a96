/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen.h - a reset as it goes on: a table on a terminal, a line for
 * each phase elsewhere.
 */
#pragma once

#include "src/reset/setup.h"

struct reset_screen {
	const struct reset_setup *setup;
	struct outlet out;
	bool is_live;		/* the lines are redrawn in place */
	size_t drawn;		/* how many lines the last picture has */
	int64_t next;		/* clock_mono() of the next picture, or message about waiting */
	int64_t pause;		/* ns from one to the next */
	bool said_wait;		/* we said that a stop has to wait */
};

void reset_screen_begin(struct reset_screen *s, const struct reset_setup *setup);

/* Drive the reset to its end.  Never waits for a reader of its lines; reset_screen_end() does. */
void reset_screen_run(struct reset_screen *s, struct stop *stop);
void reset_screen_end(struct reset_screen *s);

/* struct reset_config's tell. */
void reset_screen_tell(void *arg, const struct reset_card *c, const struct reset_step *step);

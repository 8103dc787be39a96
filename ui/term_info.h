/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term_info.h - what terminfo knows of a terminal.  term_info.c is the only
 * file that uses curses.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>

struct term_info {
	bool plain;			/* cannot move its cursor, or not in the usual way */
	bool right_margin;		/* its last cell may be written without scrolling */
	int colors;			/* 0, 8 or 256 */
	char enter[256], leave[256];	/* sequences that take over the screen and give it back */
};

/* Fill *info for the terminal of that name at fd. */
int term_info_read(const char *name, int fd, struct term_info *info, struct error *e);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term_local.h - what the files of the terminal share: pictures (term.c), looks
 * of styles (term_look.c), keys (term_keys.c).  Nobody else includes it: it
 * brings curses along.
 */
#pragma once

#include "ui/term.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <stdio.h>
#include <term.h>

struct terminal {
	SCREEN *screen;
	FILE *in, *out;
	bool dark, color, plain, active;
	enum charset charset;
	int log_read, real_stderr;
	struct canvas last;		/* what the terminal shows */
	bool forget;			/* the next picture is sent whole */
	attr_t attr[2][STYLES];		/* of a cell, and of one on the selected line */
};
extern struct terminal term;

/* Fill term.attr for what the terminal can show. */
void term_look_init(void);

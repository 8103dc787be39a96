/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * panel.h - pages shown in front of a tab: help, messages of libraries, and all
 * that is known of one chip.
 */
#pragma once

#include "ui/tab.h"

/* Draw the panel that v asks for into r and leave page and lines in v. */
void panel_draw(struct canvas *c, struct rect r, const struct model *m, struct view *v,
	struct foot *foot);

const char *panel_title(const struct view *v);

/* A long page; only its lines in sight are drawn. */
struct page {
	struct canvas *c;
	struct rect r;
	int top, line;
};

/* The help: keys with blanks between them, and what they do; keys NULL: a heading. */
struct help_line {
	const char *keys, *what;
};
extern const struct help_line help[];
extern const size_t help_len;

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

/* The y of the next line, or -1 when it is out of sight. */
int page_next(struct page *p);

/*
 * Text from cell x on, in as many lines as it needs.  Returns the y of the
 * first, or -1 when that is out of sight.
 */
int page_text(struct page *p, int x, enum style style, const char *text);

/* The help: keys with blanks between them, and what they do; keys NULL: a heading. */
struct help_line {
	const char *keys, *what;
};
extern const struct help_line help[];
extern const size_t help_len;

/* All that is known of one chip (panel_chip.c). */
void panel_draw_chip(struct page *p, const struct model *m, const struct snapshot *s);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen.h - the whole screen: header, sidebar, the tab or a panel, footer.
 */
#pragma once

#include "ui/canvas.h"
#include "ui/column.h"
#include "ui/tab.h"
#include "ui/view.h"

/*
 * Draw everything onto an erased canvas.  This changes only what view.h says
 * drawing sets in v: scroll positions and page sizes.
 */
void screen_draw(struct canvas *c, const struct model *m, struct view *v);

/*
 * The first line: our name and version, where the boards come from, how many of them are not
 * well, and the time.  title stands in the middle; is_held: the picture shows an earlier time.
 */
void header_draw(struct canvas *c, struct rect r, const struct model *m, const char *title,
	bool is_held);

/*
 * The line of remarks below a tab: in its frame, or the last line of a table without one.
 * headless: the screen has no header, so its remarks are shown here.
 */
void foot_draw(struct canvas *c, struct rect r, const struct model *m, const struct foot *foot,
	bool headless);

/* Draw as many keys as fit in one line, the most important first; each can be clicked. */
void shortcuts_draw(struct canvas *c, struct rect r, const struct model *m, const struct view *v);

/* Pages shown in front of a tab: help, messages of libraries, all that is known of one chip. */

/* Draw the panel that v asks for into r and leave page and lines in v. */
void panel_draw(struct canvas *c, struct rect r, const struct model *m, struct view *v,
	struct foot *foot);

const char *panel_title(const struct view *v);

/* The help: keys with blanks between them, and what they do; keys NULL: a heading. */
struct help_line {
	const char *keys, *what;
};
extern const struct help_line help[];
extern const size_t help_len;

/*
 * Where the parts of a screen stand, computed from its size alone.
 * Parts that do not fit are left out whole, least important first; none is cut.
 */

/* The parts of the screen; a part with h 0 is not shown. */
struct layout {
	struct rect header, host, checks, footer;
	struct rect box;	/* frame around the tab; h 0: none */
	struct rect inner;	/* where the tab draws */
	struct rect foot;	/* one line of remarks: in the lower frame, or the last line */
};

#define LAYOUT_SIDEBAR     30	/* cells of the sidebar */
#define LAYOUT_SIDEBAR_MIN 64	/* cells a screen needs to have one */
#define LAYOUT_SIDEBAR_OWN 110	/* from this width on it is shown unless switched off */

/* host_lines and check_lines: lines that the boxes of the sidebar need inside. */
void layout_screen(struct layout *l, const struct view *v, int w, int h, int host_lines,
	int check_lines);

#define LAYOUT_COLUMNS 40
#define LAYOUT_EVERY   (-1)	/* for columns that name a line: they stand in every band */

struct layout_column {
	const struct column *col;
	int number;		/* in its table */
	int band;		/* 0 is the uppermost */
	int x, w;		/* relative to the table */
	int limit_x, limit_w;	/* limit_w 0: no limit beside it */
};

struct layout_table {
	size_t n, n_hidden;
	int bands;		/* at least one */
	struct layout_column col[LAYOUT_COLUMNS];	/* in the order of their table */
	char hidden[200];	/* titles of those left out, with commas */
};

/* Columns whose bits are set are not placed. */
void layout_leave_out(struct column *columns, size_t n, uint64_t left_out);

/*
 * Place n columns into at most `bands` bands of `width` cells, one below the
 * other.  Columns are placed by rank, so the most important ones are in the
 * first band.  Columns of rank 0 stand in every band; a joined column stays with
 * the one before it.
 */
void layout_columns(struct layout_table *t, const struct column *columns, size_t n, int width,
	int bands, bool limits);

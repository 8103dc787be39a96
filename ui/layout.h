/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * layout.h - where things stand, worked out from the size alone: what has no
 * room is left out whole, least important first, and never cut.
 */
#pragma once

#include "ui/canvas.h"
#include "ui/column.h"
#include "ui/view.h"

/* The parts of the screen; a part with h 0 is not shown. */
struct layout {
	struct rect header, host, checks, footer;
	struct rect box;	/* frame around the tab; h 0: there is none */
	struct rect inner;	/* what the tab draws in */
	struct rect foot;	/* one line of remarks: in the frame below, or the last line */
};

#define LAYOUT_SIDEBAR     30	/* cells of the sidebar */
#define LAYOUT_SIDEBAR_MIN 64	/* cells a screen needs to have one */
#define LAYOUT_SIDEBAR_OWN 110	/* from here on it is there unless switched off */

/* host_lines and check_lines: what the boxes of the sidebar would like to hold. */
void layout_screen(struct layout *l, const struct view *v, int w, int h, int host_lines,
	int check_lines);

#define LAYOUT_COLUMNS 40
#define LAYOUT_EVERY   (-1)	/* band of the columns that name a line: they stand in each */

struct layout_column {
	const struct column *col;
	int number;		/* in its table */
	int band;		/* 0 is the uppermost */
	int x, w;		/* relative to the table */
	int limit_x, limit_w;	/* limit_w 0: without */
};

struct layout_table {
	size_t n, n_hidden;
	int bands;		/* at least one */
	struct layout_column col[LAYOUT_COLUMNS];	/* in the order of their table */
	char hidden[200];	/* titles of those left out, with commas */
};

/* Columns whose bits are set have no place. */
void layout_leave_out(struct column *columns, size_t n, uint64_t left_out);

/*
 * Place n columns into bands of `width` cells one below the other, at most
 * `bands` of them, in order of their rank: what matters most stands in the
 * first.  Columns of rank 0 stand in every band, a joined one stays with the
 * one before it.
 */
void layout_columns(struct layout_table *t, const struct column *columns, size_t n, int width,
	int bands, bool limits);

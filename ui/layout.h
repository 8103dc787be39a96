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

bool layout_has_sidebar(const struct view *v, int w);

/* host_lines and check_lines: what the boxes of the sidebar would like to hold. */
void layout_screen(struct layout *l, const struct view *v, int w, int h, int host_lines,
	int check_lines);

#define LAYOUT_COLUMNS 40

struct layout_column {
	const struct column *col;
	int number;		/* in its table */
	int x, w;		/* relative to the table */
	int limit_x, limit_w;	/* limit_w 0: without */
};

/*
 * Place as many of n columns as fit into `width` cells, in order of their
 * rank, and write the titles of those left out to `hidden`, with commas.
 * Returns how many were placed, in the order of the table.
 */
size_t layout_columns(const struct column *columns, size_t n, int width, bool limits,
	struct layout_column out[LAYOUT_COLUMNS], char *hidden, size_t hidden_size);

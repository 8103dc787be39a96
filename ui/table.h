/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - a table of chips: headings, one line a chip, remarks beneath,
 * scrolled so that the selected chip is seen.
 */
#pragma once

#include "ui/canvas.h"
#include "ui/rows.h"
#include "ui/screen.h"
#include "ui/tab.h"

/* Draw the table of the present tab, and its blocks below. */
void table_draw(struct canvas *c, struct rect r, const struct model *m, struct view *v,
	struct foot *foot);

/* Which of `lines` lines to show first on a page, so that from..to is in sight. */
int table_scroll(int top, int page, int lines, int from, int to);

/* The lines of a table: one chip, what belongs to it, or many chips in one. */

#define TABLE_INDEX 3	/* cells of the index, which each table has first */

/* Everything that the lines of one picture share. */
struct table {
	struct canvas *c;
	const struct model *m;
	const struct view *v;
	const struct rows *rows;
	const struct layout_table *l;
	int band;		/* the one that is being drawn */
	bool wrapped;		/* notices are wrapped into several lines */
	int x, w;		/* of the columns: the marker stands before x */
	int selected;		/* the line that is lit; -1: none */
};

/* The next column, from the i-th on, of the band that is being drawn; NULL: no more. */
const struct layout_column *table_next(const struct table *t, size_t *i);

/* Cells of a notice's line in a table of w; 0 if that is too narrow to wrap notices. */
int table_notice_width(int w);

/* Write into the cell of a column. */
void table_put(const struct table *t, int y, const struct layout_column *lc, enum style style,
	const char *text);

/* The titles, which sort when clicked; units: with a line of units and limits below. */
void table_draw_heading(const struct table *t, int y, bool units);

/* The cell of a chip: its reading, or what is being done with it. */
enum style table_text(const struct model *m, const struct column *col, int chip, char *buf,
	size_t size);

/* "29 × p150a" */
char *table_fold_name(const struct model *m, const struct row *fold, char *buf, size_t size);

/* False if a line would be empty in this band: no most differs from its least. */
bool table_row_says(const struct table *t, const struct row *row);

void table_draw_row(const struct table *t, int y, const struct row *row);

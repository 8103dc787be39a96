/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_table.h - a table of text for people: each column as wide as its widest cell, in a box, or
 * with two blanks between columns.
 */
#pragma once

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

#define TEXT_TABLE_COLUMNS 9

struct text_column {
	const char *title;
	bool right;		/* aligned to the right */
	const char *none;	/* shown for an empty cell; NULL: blanks */
};

/* The caller sets the first four members; text_table_clear() frees the rows. */
struct text_table {
	const struct text_column *columns;
	size_t n;
	bool boxed;		/* else a column whose cells are all empty is left out */
	size_t pad;		/* blanks on both sides of a boxed cell */
	size_t width[TEXT_TABLE_COLUMNS];	/* terminal cells of the widest text; 0: none */
	struct text_cell *cells;		/* row by row */
	size_t n_cells;
};

/*
 * Append a cell, whose text is copied; sgr: the parameters of its style, as in "1;31", or NULL.  A
 * row has n cells.
 */
void text_table_add(struct text_table *t, const char *text, const char *sgr);

/* Terminal cells of a line of a boxed table. */
size_t text_table_width(const struct text_table *t);

/*
 * Put the table, with its title centred above it and headings in a style or NULL; `shown`: by row,
 * whether to put it; NULL: all.
 */
void text_table_put_boxed(struct strbuf *to, const struct text_table *t, const char *title,
	const char *sgr, const bool *shown);

/* Put a line of a table without a box. */
void text_table_put_head(struct strbuf *to, const struct text_table *t);
void text_table_put_row(struct strbuf *to, const struct text_table *t, size_t row);

void text_table_clear(struct text_table *t);

/* Put text in a style or, with sgr NULL, as it is. */
void text_put_styled(struct strbuf *to, const char *sgr, const char *text);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xlsx_page.h - the workbook's first sheet while it is written: row by row from the top, because
 * in constant memory a row cannot be changed once it is written.
 */
#pragma once

#include "output/xlsx_book.h"

struct page {
	struct book *b;
	const struct xlsx_lib *x;
	lxw_worksheet *ws;
	lxw_row_t row;
	lxw_row_t page_end;	/* the first row after the printed page */
	double width, name_width;	/* characters: of all columns, of the first */
	size_t page_rows;
	size_t n_breaks;
	lxw_row_t breaks[1024];	/* as many as a spreadsheet allows, and the 0 that ends them */
};

/* Do not break a table of this many rows across printed pages if it fits on one. */
void page_keep_together(struct page *p, size_t rows);

void page_put_text(struct page *p, size_t col, const char *text, lxw_format *format);
void page_put_number(struct page *p, size_t col, double value, int decimals);

/* Headings are aligned like their columns: the first `words` left, numbers right. */
void page_put_headings(struct page *p, const char *const *names, size_t n, size_t words);

/* Mark cells above 0 in the column, from this row to the one before p->row. */
void page_mark_positive(struct page *p, lxw_row_t from, lxw_col_t col, lxw_format *format);

/* Put a row for each reason that held a clock down, for each card where one did. */
void page_put_throttles(struct page *p);

/* Put a line for each quantity of a card that has rows. */
void page_put_quantities(struct page *p, const struct book_card *c);

/* The width of the first column with which no name of a card or a column is cut. */
double page_name_width(const struct book *b);

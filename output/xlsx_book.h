/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xlsx_book.h - a workbook being made; between xlsx*.c only.
 */
#pragma once

#include "output/dump_index.h"
#include "output/summary.h"
#include "output/xlsx_lib.h"

#define BOOK_DECIMALS 10

struct book_card {
	const struct dump_card *card;
	struct summary *sum;	/* NULL: the card has no file */
	char sheet[32];		/* name of its first sheet */
	uint64_t sheets;
};

struct book {
	const struct xlsx_lib *lib;
	lxw_workbook *wb;
	const struct dump_index *index;
	lxw_worksheet *summary, *charts;
	size_t n;
	struct book_card *cards;

	lxw_format *fixed[BOOK_DECIMALS];	/* so many digits after the point */
	lxw_format *title, *heading, *label, *text, *link, *note;
	lxw_format *over, *odd;			/* above its limit; a State that is not ok */
};

void book_make_formats(struct book *b);

/* The summary sheet, the charts sheet and the points they are drawn from. */
void book_put_summary(struct book *b, uint64_t samples);
void book_put_charts(struct book *b);

/* A colour for card i's line. */
lxw_color_t book_colour(size_t i);

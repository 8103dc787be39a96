/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xlsx_book.h - a workbook being made; only for xlsx*.c.
 */
#pragma once

#include "base/file_new.h"
#include "output/dump_index.h"
#include "output/summary.h"
#include "output/xlsx_sheet.h"
#include "telemetry/figure.h"

#define BOOK_DECIMALS 10

/* How a card did: well, left out, with findings, lost or above a limit. */
enum book_verdict { BOOK_WELL, BOOK_LEFT, BOOK_DOUBT, BOOK_LOST, BOOK_VERDICTS };

struct book_card {
	const struct dump_card *card;
	struct summary *sum;	/* NULL: the card has no file */
	char sheet[32];		/* name of its first sheet */
	uint64_t sheets;
};

struct book {
	const struct xlsx_lib *lib;
	lxw_workbook *wb;
	const struct dump_index *index;		/* NULL: not of a dump */
	lxw_worksheet *summary, *charts;
	size_t n;
	struct book_card *cards;

	lxw_format *fixed[BOOK_DECIMALS];	/* by the number of digits after the point */
	lxw_format *title, *heading, *heading_left, *heading_right, *label, *text, *link, *note;
	lxw_format *sum, *count_sum;		/* of a line with totals */
	lxw_format *word, *state;		/* text among the numbers of a sheet */
	lxw_format *wrapped, *note_wrapped;	/* text that may take several lines */
	lxw_format *verdict[BOOK_VERDICTS];
	lxw_format *over, *odd;			/* above its limit; a State that has news */
};

/* One chip's sheet while its rows are written. */
struct sheet {
	struct book *book;
	uint32_t max_rows;	/* after these the rows go on in a further sheet */
	lxw_worksheet *ws;	/* NULL: none is open */
	uint32_t row;		/* data rows so far */
	size_t n;
	double div[DUMP_COLUMN_MAX];	/* divisor of a number; 0: the column is text */
	lxw_format *format[DUMP_COLUMN_MAX];
	int width[DUMP_COLUMN_MAX];	/* characters */
	bool used[DUMP_COLUMN_MAX];	/* has a value in a row of this sheet; others are hidden */
	size_t longest;		/* characters of the last column's texts */
	struct summary_cell cells[DUMP_COLUMN_MAX];
	char titles[DUMP_COLUMN_MAX][80];
	uint64_t xml, xml_most;	/* bytes of all sheets and of the largest */
};

/* The file of a workbook, and what fills it; the library opens that same file by name. */
struct book_file {
	const struct file_new *file;
	const char *name;	/* for messages: the file, or its folder */
	const char *hint;	/* what follows "mount it" */
	bool is_huge;		/* a sheet may pass 4 GiB */
	int (*fill)(void *arg, struct error *e);
	void *arg;
};
int book_make(struct book *b, const struct book_file *to, struct error *e);

/* Plan how each column is written; titles: the CSV's header, NULL where it was lost. */
void sheet_plan(struct sheet *s, const struct dump_columns *columns, const char *const *titles);

/* Begin a (further) sheet of the chip; put a row, which begins a sheet if needed; end the sheet. */
int sheet_begin(struct sheet *s, struct book_card *c, struct error *e);
int sheet_put_row(struct sheet *s, struct book_card *c, const char *const *cells,
	struct error *e);
void sheet_end(struct sheet *s, const struct summary *sum);

/* Set the page: upright or landscape, scale in per cent, and a footer with host and time. */
void book_set_page(struct book *b, lxw_worksheet *ws, uint16_t scale, bool is_upright);

/* "2026-11-21 12:42:30 UTC" */
const char *book_start_text(const struct book *b, char out[32]);

/* "AB" of column 27. */
void book_column_letters(size_t i, char out[4]);

int book_fail_sheet(const char *name, struct error *e);

/* The sheet that explains the columns of all cards' sheets. */
int book_put_names(struct book *b, struct error *e);

/* The summary sheet, the charts sheet and the points they are drawn from. */
void book_put_summary(struct book *b, uint64_t samples);
void book_put_charts(struct book *b);

/* The sheet of a burn; NULL: there was none. */
int book_put_burn(struct book *b, const struct figures *burn, struct error *e);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xlsx_book.h - a workbook being made, and the summaries of its rows; only for xlsx*.c.
 */
#pragma once

#include "base/dl.h"
#include "base/error.h"
#include "base/file_new.h"
#include "output/dump_column.h"
#include "output/dump_index.h"
#include "report/figure.h"
#include "report/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xlsxwriter.h>

/*
 * Statistics of a column of numbers, in constant memory.  Percentiles come from counting how often
 * each value occurred: exactly for up to STATS_VALUES different ones, as of every temperature,
 * clock and power.  Beyond that neighbouring values are counted together, and a percentile is off
 * by less than 1/8192 of the column's range (max - min).
 */

#define STATS_VALUES 32768

/* Zero-initialise it. */
struct stats {
	uint64_t n;
	int64_t min, max;
	long double sum;
	uint64_t quantum;	/* values are counted in steps of it, 2^n; 0: nothing yet */
	size_t used, size;	/* of the table */
	struct stats_count {
		int64_t step;	/* value divided by quantum, towards minus infinity */
		uint64_t n;	/* 0: a free place */
	} *table;
};

void stats_add(struct stats *s, int64_t value);
void stats_clear(struct stats *s);

/* The average; 0 when there is nothing. */
double stats_mean(const struct stats *s);

/* The smallest value that at least `percent` of all are not above (nearest rank); n is not 0. */
int64_t stats_percentile(const struct stats *s, unsigned percent);

/*
 * A summary of the rows of one chip: statistics of each column, energy, time above limits, time
 * throttled, and a trend to draw.  It is fed with rows as they are read from the journal, and holds
 * those of the last 2 s: that long firmware may have stood still before that is found, and what it
 * left behind does not count.  The time from one row to the next counts only when no tick was lost
 * between them, and neither row has values of an earlier time: nothing is known of a gap.
 */

/* A cell as a number in the column's own steps. */
struct summary_cell {
	bool known;
	int64_t value;
};

#define SUMMARY_TREND 1024	/* the most points that are drawn of a dump, however long it is */

enum summary_trend { TREND_POWER, TREND_TEMP, TREND_CLOCK, TRENDS };

struct summary_row {
	struct summary_row *next;
	int64_t now;			/* time stamp, µs */
	uint64_t lost;			/* ticks before it */
	bool counts;			/* it has values of its own time */
	bool is_warned;
	bool reason_known;
	int64_t reason;			/* enum throttle_reason */
	struct summary_cell cells[];
};

/* The highest power and temperature, and the lowest clock, of a stretch of time. */
struct summary_point {
	bool known[TRENDS];
	int64_t value[TRENDS];
};

struct summary {
	const struct dump_columns *columns;
	int64_t interval;		/* µs */
	uint64_t rows, late, lost;	/* late, lost: ticks, as the State says */
	uint64_t bad, warned, repeated;	/* rows of a chip that could not be read, with findings */
	char bad_state[96], warn_state[96];	/* from the State of the last of each; or "" */
	int64_t first, last;		/* time stamps, µs */
	int64_t covered;		/* µs between rows that were read, without the gaps */
	struct stats stats[DUMP_COLUMN_MAX];
	int64_t above[DUMP_COLUMN_MAX];	/* µs above the column's limit */
	double energy, board_energy;	/* J, of the chip and of the board's input */
	int64_t energy_time;		/* µs that energy covers; board_energy likewise */
	int64_t board_energy_time;
	int64_t throttled[THROTTLE_REASONS];	/* µs; [THROTTLE_NONE] is the time without */
	int limit_at[DUMP_COLUMN_MAX];	/* the column of the column's limit; -1 */
	int power_at, board_power_at, throttle_at, state_at;
	int trend_at[TRENDS];
	struct summary_row *before;	/* the last one that was taken in; NULL: none */
	struct summary_row *held, **held_end;	/* from the oldest to the newest */

	int64_t width;			/* µs of a trend point */
	size_t points;
	struct summary_point trend[SUMMARY_TREND];
};

/* On the heap, because the struct is large.  columns stay the caller's. */
struct summary *summary_new(const struct dump_columns *columns, int64_t interval_ns);
void summary_free(struct summary *s);

/*
 * Add a row; cells of the columns that are numbers are parsed into `out` for further use.  Returns
 * how many rows before this one are taken back, since the firmware had stopped before them.
 */
size_t summary_add(struct summary *s, const char *const *cells, struct summary_cell *out);

/* After the last row: what was held counts. */
void summary_end(struct summary *s);

/*
 * Functions of libxlsxwriter, which is loaded when a workbook is made and not before: every other
 * mode starts without it, and works where it is not installed.
 */
#define XLSX_FUNCTIONS(F) \
	F(workbook_new_opt) F(workbook_add_worksheet) F(workbook_add_format) \
	F(workbook_add_chart) F(workbook_close) F(lxw_workbook_free) F(lxw_strerror) \
	F(worksheet_write_number) F(worksheet_write_string) F(worksheet_write_url_opt) \
	F(worksheet_merge_range) F(worksheet_set_row) F(worksheet_set_column) \
	F(worksheet_set_column_opt) F(worksheet_freeze_panes) F(worksheet_autofilter) \
	F(worksheet_insert_chart_opt) F(worksheet_conditional_format_range) \
	F(worksheet_gridlines) F(worksheet_set_landscape) F(worksheet_repeat_rows) \
	F(worksheet_repeat_columns) F(worksheet_print_area) F(worksheet_fit_to_pages) \
	F(worksheet_set_h_pagebreaks) F(worksheet_set_footer) F(worksheet_set_margins) \
	F(worksheet_set_print_scale) F(worksheet_hide) F(worksheet_set_tab_color) \
	F(format_set_bold) F(format_set_font_size) F(format_set_font_color) \
	F(format_set_bg_color) F(format_set_num_format) F(format_set_align) \
	F(format_set_text_wrap) F(format_set_indent) F(chart_add_series) \
	F(chart_series_set_name) F(chart_series_set_line) F(chart_series_set_marker_type) \
	F(chart_title_set_name) F(chart_title_set_name_font) F(chart_axis_set_name) \
	F(chart_axis_set_name_font) F(chart_axis_set_num_format) F(chart_axis_set_min) \
	F(chart_axis_set_max) F(chart_axis_major_gridlines_set_line) \
	F(chart_legend_set_position) F(chart_show_blanks_as) F(chart_show_hidden_data)
struct xlsx_lib {
	XLSX_FUNCTIONS(DL_POINTER)
};

/* Load it once; *lib stays valid.  Errors are those of dl_load(). */
int xlsx_lib_load(const struct xlsx_lib **lib, struct error *e);

#define BOOK_DECIMALS 10
#define BOOK_TAB      0x1f3b57	/* the colour of tabs and headings of a dump */

/* How a cell of text looks; those of verdicts are STYLE_VERDICT + an enum verdict. */
enum style {
	STYLE_TITLE, STYLE_HEADING, STYLE_HEADING_LEFT, STYLE_HEADING_RIGHT, STYLE_LABEL,
	STYLE_TEXT, STYLE_LINK, STYLE_NOTE,
	STYLE_SUM, STYLE_COUNT_SUM,		/* of a line with totals */
	STYLE_WORD, STYLE_STATE,		/* text among the numbers of a sheet */
	STYLE_WRAPPED, STYLE_NOTE_WRAPPED,	/* text that may take several lines */
	STYLE_OVER, STYLE_ODD,			/* above its limit; a State that has news */
	STYLE_VERDICT,
	STYLES = STYLE_VERDICT + VERDICTS
};

struct book;

/* A sheet that is written from the top: in constant memory no earlier row can be changed. */
struct page {
	struct book *b;
	lxw_worksheet *ws;
	lxw_row_t row;
	size_t right;		/* the last column that has a text */
};

struct book_card {
	const struct dump_card *card;
	struct summary *sum;	/* NULL: the card has no file */
	char sheet[32];		/* name of its first sheet */
	uint64_t sheets;
	enum verdict verdict;	/* as the summary sheet has it */
};

struct book {
	const struct xlsx_lib *lib;
	lxw_workbook *wb;
	const struct dump_index *index;		/* NULL: not of a dump */
	struct page summary, charts;
	size_t n;
	struct book_card *cards;
	lxw_format *fixed[BOOK_DECIMALS];	/* by the number of digits after the point */
	lxw_format *style[STYLES];
};

/* One chip's sheet while its rows are written. */
struct sheet {
	struct page page;	/* ws NULL: none is open; row: data rows so far */
	uint32_t max_rows;	/* after these the rows go on in a further sheet */
	double div[DUMP_COLUMN_MAX];	/* divisor of a number; 0: the column is text */
	lxw_format *format[DUMP_COLUMN_MAX];
	bool used[DUMP_COLUMN_MAX];	/* has a value in a row of this sheet; others are hidden */
	size_t longest;		/* characters of the last column's texts */
	struct summary_cell cells[DUMP_COLUMN_MAX];
	char titles[DUMP_COLUMN_MAX][80];
	uint64_t xml, xml_most;	/* bytes of all sheets and of the largest */
};

/*
 * Begin a workbook in a file, which the library opens by name.  name: the file, or its folder, for
 * messages; hint: what follows "mount it"; is_huge: a sheet may pass 4 GiB.
 */
int book_begin(struct book *b, const struct file_new *file, const char *name, const char *hint,
	bool is_huge, struct error *e);

/* Pack it, unless filling it failed with `err`; returns that, or what packing gives. */
int book_end(struct book *b, const char *name, int err, struct error *e);

/* Plan how each column is written; titles: the CSV's header, NULL where it was lost. */
void sheet_plan(struct sheet *s, const struct dump_columns *columns, const char *const *titles);

/* Begin a (further) sheet of the chip; put a row, which begins a sheet if needed; end the sheet. */
int sheet_begin(struct sheet *s, struct book_card *c, struct error *e);
int sheet_put_row(struct sheet *s, struct book_card *c, const char *const *cells,
	struct error *e);
void sheet_end(struct sheet *s, const struct summary *sum);

/* Add a sheet to the workbook. */
int page_add(struct page *p, struct book *b, const char *name, struct error *e);

/* The same for one without a grid, with a coloured tab; it is printed at this scale (per cent). */
int page_add_framed(struct page *p, struct book *b, const char *name, lxw_color_t tab,
	uint16_t scale, struct error *e);

/* Write into this column of the present row. */
void page_text(struct page *p, size_t col, const char *text, enum style style);
void page_number(struct page *p, size_t col, double value, int decimals);

/* Write into one cell that is merged from one column to another. */
void page_merged(struct page *p, size_t from, size_t to, const char *text, enum style style);

/* The height of the present row (points), the width of columns (characters). */
void page_height(struct page *p, double points);
void page_width(struct page *p, size_t from, size_t to, double characters);

/* "2026-11-21 12:42:30 UTC" */
const char *book_start_text(const struct book *b, char out[32]);

/* "AB" of column 27. */
void book_column_letters(size_t i, char out[4]);

/* The sheet that explains the columns of all cards' sheets. */
int book_put_names(struct book *b, struct error *e);

/* The summary sheet, the charts sheet and the points they are drawn from. */
void book_put_summary(struct book *b, uint64_t samples);
void book_put_charts(struct book *b);

/* The sheet of a burn; NULL: there was none. */
int book_put_burn(struct book *b, const struct figures *burn, struct error *e);

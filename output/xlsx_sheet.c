/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xlsx_sheet.c - the sheets of one chip: the CSV's columns, row by row.
 *
 * A column without any value, such as one of a sensor that the board lacks, is hidden.
 * A printed sheet is one page wide and shows the guide's table.
 */
#include "config.h"
#include "base/mem.h"
#include "output/xlsx_book.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define TIME_WIDTH  14		/* characters */
#define CELL_WIDTH  11
#define UTC_WIDTH   28
#define STATE_WIDTH 40		/* at least; the longest text decides */
#define WIDEST	    250		/* the widest that a column can be */
#define PRINT_SCALE 100		/* %, before a page is made to fit */

void book_column_letters(size_t i, char out[4])
{
	char text[4];
	size_t n = 0, k = 0;

	for (i++; i > 0 && n < sizeof(text); i = (i - 1) / 26)
		text[n++] = (char)('A' + (i - 1) % 26);
	while (n > 0 && k < 3)
		out[k++] = text[--n];
	out[k] = '\0';
}

static void add_rule(struct sheet *s, size_t i, char *rule, lxw_format *format)
{
	lxw_conditional_format f = {
		.type = LXW_CONDITIONAL_TYPE_FORMULA,
		.value_string = rule,
		.format = format,
		.stop_if_true = LXW_TRUE,
	};

	s->book->lib->worksheet_conditional_format_range(s->ws, 1, (lxw_col_t)i, s->row,
		(lxw_col_t)i, &f);
}

/* Red where a value is above its limit or the card is lost, amber where its State is not "ok". */
static void put_rules(struct sheet *s, const struct summary *sum)
{
	const struct dump_index *x = s->book->index;
	char rule[255], state[80], mine[4], other[4];

	for (size_t i = 0; i < s->n && s->row > 0; i++) {
		book_column_letters(i, mine);
		if (sum->limit_at[i] >= 0) {
			book_column_letters((size_t)sum->limit_at[i], other);
			snprintf(rule, sizeof(rule),
				"=AND(ISNUMBER($%s2),ISNUMBER($%s2),$%s2>$%s2)", mine, other, mine,
				other);
			add_rule(s, i, rule, s->book->over);
		} else if ((int)i == sum->state_at) {
			/* Mark the time, too: it is always in sight, and printed. */
			snprintf(rule, sizeof(rule),
				"=OR(LEFT($%s2,6)=\"failed\",LEFT($%s2,4)=\"gone\","
				"ISNUMBER(FIND(\" heartbeat\",LEFT($%s2,FIND(\";\",$%s2&\";\")))))",
				mine, mine, mine, mine);
			add_rule(s, i, rule, s->book->over);
			add_rule(s, 0, rule, s->book->over);
			/* Ignore that boards are simulated: it says nothing about this row. */
			snprintf(state, sizeof(state), "SUBSTITUTE($%s2,\"; %s\",\"\")", mine,
				x->stand_in[0] ? x->stand_in : "-");
			snprintf(rule, sizeof(rule),
				"=NOT(OR(%s=\"ok\",LEFT(%s,11)=\"ok; absent:\"))", state, state);
			add_rule(s, i, rule, s->book->odd);
			add_rule(s, 0, rule, s->book->odd);
		}
	}
}

static int width_of(const struct dump_column *c)
{
	return c->kind == DUMP_COLUMN_STATE ? STATE_WIDTH : c->kind == DUMP_COLUMN_UTC ? UTC_WIDTH :
		c->kind == DUMP_COLUMN_TIME ? TIME_WIDTH : CELL_WIDTH;
}

static void hide_unused(struct sheet *s)
{
	lxw_row_col_options hidden = { .hidden = LXW_TRUE };

	for (size_t i = 1; i < s->n; i++)
		if (!s->used[i])
			s->book->lib->worksheet_set_column_opt(s->ws, (lxw_col_t)i, (lxw_col_t)i,
				s->width[i], NULL, &hidden);
}

/* Widen the last column so that none of its texts is cut. */
static void widen_state(struct sheet *s)
{
	size_t i = s->n - 1;

	s->book->lib->worksheet_set_column(s->ws, (lxw_col_t)i, (lxw_col_t)i,
		s->longest < STATE_WIDTH ? STATE_WIDTH : s->longest > WIDEST ? WIDEST :
		(double)s->longest, NULL);
}

/* Print the guide's columns, or all if the card never answered, on one page's width. */
static void set_print_area(struct sheet *s)
{
	size_t last = s->n - 1;

	for (size_t i = 1; i < DUMP_COLUMN_GUIDE && i < s->n; i++)
		if (s->used[i])
			last = DUMP_COLUMN_GUIDE - 1;
	s->book->lib->worksheet_print_area(s->ws, 0, 0, s->row, (lxw_col_t)last);
	s->book->lib->worksheet_fit_to_pages(s->ws, 1, 0);
}

void sheet_end(struct sheet *s, const struct summary *sum)
{
	off_t at;

	if (!s->ws)
		return;
	put_rules(s, sum);
	hide_unused(s);
	widen_state(s);
	set_print_area(s);
	if (s->row > 0)
		s->book->lib->worksheet_autofilter(s->ws, 0, 0, s->row, (lxw_col_t)(s->n - 1));
	fflush(s->ws->optimize_tmpfile);
	at = ftello(s->ws->optimize_tmpfile);
	s->xml += at > 0 ? (uint64_t)at : 0;
	if (at > 0 && (uint64_t)at > s->xml_most)
		s->xml_most = (uint64_t)at;
	s->ws = NULL;
}

int sheet_begin(struct sheet *s, struct book_card *c, struct error *e)
{
	const struct xlsx_lib *x = s->book->lib;
	char name[32];

	c->sheets++;
	if (c->sheets == 1)
		snprintf(name, sizeof(name), "%.31s", c->sheet);
	else
		snprintf(name, sizeof(name), "%.20s (%llu)", c->sheet,
			(unsigned long long)c->sheets);
	s->ws = x->workbook_add_worksheet(s->book->wb, name);
	if (!s->ws)
		return book_fail_sheet(name, e);
	s->row = 0;
	x->worksheet_set_row(s->ws, 0, 48, s->book->heading);
	x->worksheet_freeze_panes(s->ws, 1, 1);
	book_set_page(s->book, s->ws, PRINT_SCALE, true);
	x->worksheet_repeat_rows(s->ws, 0, 0);
	x->worksheet_repeat_columns(s->ws, 0, 0);
	s->longest = 0;
	for (size_t i = 0; i < s->n; i++) {
		s->used[i] = false;
		x->worksheet_set_column(s->ws, (lxw_col_t)i, (lxw_col_t)i,
			s->width[i], NULL);
		x->worksheet_write_string(s->ws, 0, (lxw_col_t)i, s->titles[i], s->book->heading);
	}
	return 0;
}

static void put_title(struct sheet *s, size_t i, const struct dump_column *c, const char *given)
{
	struct strbuf title = { 0 };

	if (given)
		strbuf_puts(&title, given);
	else
		dump_column_put_title(c, &title);
	mem_copy_text(s->titles[i], sizeof(s->titles[i]), title.len ? title.text : "");
	strbuf_clear(&title);
}

void sheet_plan(struct sheet *s, const struct dump_columns *columns, const char *const *titles)
{
	s->n = columns->n;
	for (size_t i = 0; i < s->n; i++) {
		int64_t scale = 0;
		int decimals = 0;
		bool number = dump_column_is_number(&columns->c[i], &scale, &decimals);

		s->width[i] = width_of(&columns->c[i]);
		s->div[i] = number ? (double)scale : 0;
		if (number && decimals < BOOK_DECIMALS)
			s->format[i] = s->book->fixed[decimals];
		else if (columns->c[i].kind == DUMP_COLUMN_STATE)
			s->format[i] = s->book->state;
		else
			s->format[i] = s->book->word;
		put_title(s, i, &columns->c[i], titles ? titles[i] : NULL);
	}
}

int sheet_put_row(struct sheet *s, struct book_card *c, const char *const *cells, struct error *e)
{
	const struct xlsx_lib *x = s->book->lib;
	lxw_error err = LXW_NO_ERROR;
	int r;

	if (s->row == s->max_rows)
		sheet_end(s, c->sum);
	if (!s->ws) {
		r = sheet_begin(s, c, e);
		if (r < 0)
			return r;
	}
	summary_add(c->sum, cells, s->cells);
	s->row++;
	for (size_t i = 0; i < s->n && err == LXW_NO_ERROR; i++) {
		s->used[i] |= cells[i][0] != '\0';
		if (i == s->n - 1 && strlen(cells[i]) > s->longest)
			s->longest = strlen(cells[i]);
		if (s->cells[i].known)
			err = x->worksheet_write_number(s->ws, s->row, (lxw_col_t)i,
				(double)s->cells[i].value / s->div[i], s->format[i]);
		else if (cells[i][0])
			err = x->worksheet_write_string(s->ws, s->row, (lxw_col_t)i, cells[i],
				s->div[i] != 0 ? s->book->word : s->format[i]);
	}
	if (err != LXW_NO_ERROR)
		return fail(e, -EIO, "workbook: cannot write a row: %s", x->lxw_strerror(err));
	return 0;
}

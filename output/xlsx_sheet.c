/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xlsx_sheet.c - what a workbook is made with: the library, formats, pages, sheets of rows.
 */
#include "config.h"
#include "output/xlsx_book.h"

#include "base/clock.h"
#include "base/dl.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct xlsx_lib lib;

static const struct dl_slot slots[] = {
	{ "workbook_new_opt", &lib.workbook_new_opt },
	{ "workbook_add_worksheet", &lib.workbook_add_worksheet },
	{ "workbook_add_format", &lib.workbook_add_format },
	{ "workbook_add_chart", &lib.workbook_add_chart },
	{ "workbook_close", &lib.workbook_close },
	{ "lxw_workbook_free", &lib.lxw_workbook_free },
	{ "lxw_strerror", &lib.lxw_strerror },
	{ "worksheet_write_number", &lib.worksheet_write_number },
	{ "worksheet_write_string", &lib.worksheet_write_string },
	{ "worksheet_write_url_opt", &lib.worksheet_write_url_opt },
	{ "worksheet_merge_range", &lib.worksheet_merge_range },
	{ "worksheet_set_row", &lib.worksheet_set_row },
	{ "worksheet_set_column", &lib.worksheet_set_column },
	{ "worksheet_set_column_opt", &lib.worksheet_set_column_opt },
	{ "worksheet_freeze_panes", &lib.worksheet_freeze_panes },
	{ "worksheet_autofilter", &lib.worksheet_autofilter },
	{ "worksheet_insert_chart_opt", &lib.worksheet_insert_chart_opt },
	{ "worksheet_conditional_format_range", &lib.worksheet_conditional_format_range },
	{ "worksheet_gridlines", &lib.worksheet_gridlines },
	{ "worksheet_set_landscape", &lib.worksheet_set_landscape },
	{ "worksheet_repeat_rows", &lib.worksheet_repeat_rows },
	{ "worksheet_repeat_columns", &lib.worksheet_repeat_columns },
	{ "worksheet_print_area", &lib.worksheet_print_area },
	{ "worksheet_fit_to_pages", &lib.worksheet_fit_to_pages },
	{ "worksheet_set_h_pagebreaks", &lib.worksheet_set_h_pagebreaks },
	{ "worksheet_set_footer", &lib.worksheet_set_footer },
	{ "worksheet_set_margins", &lib.worksheet_set_margins },
	{ "worksheet_set_print_scale", &lib.worksheet_set_print_scale },
	{ "worksheet_hide", &lib.worksheet_hide },
	{ "worksheet_set_tab_color", &lib.worksheet_set_tab_color },
	{ "format_set_bold", &lib.format_set_bold },
	{ "format_set_font_size", &lib.format_set_font_size },
	{ "format_set_font_color", &lib.format_set_font_color },
	{ "format_set_bg_color", &lib.format_set_bg_color },
	{ "format_set_num_format", &lib.format_set_num_format },
	{ "format_set_align", &lib.format_set_align },
	{ "format_set_text_wrap", &lib.format_set_text_wrap },
	{ "format_set_indent", &lib.format_set_indent },
	{ "chart_add_series", &lib.chart_add_series },
	{ "chart_series_set_name", &lib.chart_series_set_name },
	{ "chart_series_set_line", &lib.chart_series_set_line },
	{ "chart_series_set_marker_type", &lib.chart_series_set_marker_type },
	{ "chart_title_set_name", &lib.chart_title_set_name },
	{ "chart_title_set_name_font", &lib.chart_title_set_name_font },
	{ "chart_axis_set_name", &lib.chart_axis_set_name },
	{ "chart_axis_set_name_font", &lib.chart_axis_set_name_font },
	{ "chart_axis_set_num_format", &lib.chart_axis_set_num_format },
	{ "chart_axis_set_min", &lib.chart_axis_set_min },
	{ "chart_axis_set_max", &lib.chart_axis_set_max },
	{ "chart_axis_major_gridlines_set_line", &lib.chart_axis_major_gridlines_set_line },
	{ "chart_legend_set_position", &lib.chart_legend_set_position },
	{ "chart_show_blanks_as", &lib.chart_show_blanks_as },
	{ "chart_show_hidden_data", &lib.chart_show_hidden_data },
};

int xlsx_lib_load(const struct xlsx_lib **out, struct error *e)
{
	*out = &lib;
	return lib.workbook_close ? 0 : dl_load(DL_XLSXWRITER, slots, ARRAY_LEN(slots), e);
}

/* How cells and printed pages of the workbook look. */

static lxw_format *new_format(struct book *b)
{
	lxw_format *f = b->lib->workbook_add_format(b->wb);

	b->lib->format_set_align(f, LXW_ALIGN_VERTICAL_CENTER);
	return f;
}

static lxw_format *new_marked(struct book *b, lxw_color_t text, lxw_color_t behind)
{
	lxw_format *f = new_format(b);

	b->lib->format_set_font_color(f, text);
	b->lib->format_set_bg_color(f, behind);
	return f;
}

static lxw_format *new_heading(struct book *b, uint8_t align)
{
	lxw_format *f = new_format(b);

	b->lib->format_set_bold(f);
	b->lib->format_set_font_color(f, 0xffffff);
	b->lib->format_set_bg_color(f, 0x1f3b57);
	b->lib->format_set_align(f, align);
	b->lib->format_set_text_wrap(f);
	return f;
}

static void book_make_formats(struct book *b)
{
	static const char *const patterns[BOOK_DECIMALS] = { "0", "0.0", "0.00", "0.000", "0.0000",
		"0.00000", "0.000000", "0.0000000", "0.00000000", "0.000000000" };
	const struct xlsx_lib *x = b->lib;

	for (size_t i = 0; i < BOOK_DECIMALS; i++) {
		b->fixed[i] = new_format(b);
		x->format_set_num_format(b->fixed[i], patterns[i]);
		x->format_set_align(b->fixed[i], LXW_ALIGN_RIGHT);
	}
	b->title = new_format(b);
	x->format_set_bold(b->title);
	x->format_set_font_size(b->title, 18);
	x->format_set_font_color(b->title, 0x1f3b57);
	b->heading = new_heading(b, LXW_ALIGN_CENTER);
	b->heading_left = new_heading(b, LXW_ALIGN_LEFT);
	b->heading_right = new_heading(b, LXW_ALIGN_RIGHT);
	b->label = new_format(b);
	x->format_set_bold(b->label);
	b->text = new_format(b);
	x->format_set_align(b->text, LXW_ALIGN_LEFT);
	b->wrapped = new_format(b);
	x->format_set_align(b->wrapped, LXW_ALIGN_LEFT);
	x->format_set_text_wrap(b->wrapped);
	b->note_wrapped = new_format(b);
	x->format_set_font_color(b->note_wrapped, 0x666666);
	x->format_set_text_wrap(b->note_wrapped);
	b->word = new_format(b);
	x->format_set_align(b->word, LXW_ALIGN_CENTER);
	b->state = new_format(b);
	x->format_set_align(b->state, LXW_ALIGN_LEFT);
	x->format_set_indent(b->state, 1);
	b->sum = new_format(b);
	x->format_set_bold(b->sum);
	x->format_set_num_format(b->sum, "0.0");
	b->count_sum = new_format(b);
	x->format_set_bold(b->count_sum);
	x->format_set_num_format(b->count_sum, "0");
	b->link = new_format(b);
	x->format_set_font_color(b->link, 0x0b5394);
	b->note = new_format(b);
	x->format_set_font_color(b->note, 0x666666);
	b->over = new_marked(b, 0x9c0006, 0xffc7ce);
	b->odd = new_marked(b, 0x7f6000, 0xffeb9c);
	for (size_t i = 0; i < VERDICTS; i++) {
		b->verdict[i] = i == VERDICT_FAIL ? new_marked(b, 0x9c0006, 0xffc7ce) :
			i == VERDICT_WARN ? new_marked(b, 0x7f6000, 0xffeb9c) : new_format(b);
		x->format_set_text_wrap(b->verdict[i]);
		x->format_set_indent(b->verdict[i], 1);
	}
	x->format_set_font_color(b->verdict[VERDICT_NONE], 0x666666);
}

const char *book_start_text(const struct book *b, char out[32])
{
	char utc[64];

	/* 2026-11-21T12:42:30.627865Z */
	clock_iso_utc(b->index->start_real, utc, sizeof(utc));
	snprintf(out, 32, "%.10s %.8s UTC", utc, utc[0] ? utc + 11 : "");
	return out;
}

void book_set_page(struct book *b, lxw_worksheet *ws, uint16_t scale, bool is_upright)
{
	const char *name = b->index ? b->index->host.hostname : "";
	char host[64], start[32], footer[240];
	size_t n = 0;

	/* An ampersand begins a command there, unless it is doubled. */
	for (const char *p = name; *p && n < sizeof(host) - 2; p++) {
		host[n++] = *p;
		if (*p == '&')
			host[n++] = '&';
	}
	host[n] = '\0';
	snprintf(footer, sizeof(footer), "&L&A&C%s%s %s&RPage &P of &N",
		b->index ? "tt-smi dump of " : "tt-smi", host,
		b->index ? book_start_text(b, start) : "");
	if (!is_upright)
		b->lib->worksheet_set_landscape(ws);
	b->lib->worksheet_set_margins(ws, 0.4, 0.4, 0.5, 0.6);
	b->lib->worksheet_set_print_scale(ws, scale);
	b->lib->worksheet_set_footer(ws, footer);
}

int book_fail_sheet(const char *name, struct error *e)
{
	return fail(e, -EIO, "workbook: cannot add the sheet \"%s\"", name);
}

/* Make a workbook in an open file: begin it, let the caller fill it, pack it. */
int book_make(struct book *b, const struct book_file *to, struct error *e)
{
	lxw_workbook_options options = { .constant_memory = LXW_TRUE,
		.use_zip64 = to->is_huge };
	char name[64], dir[64];
	lxw_error bad;
	int err;

	if (access("/proc/self/fd", X_OK) < 0)
		return fail(e, -ENOENT, "%s: a workbook cannot be made without /proc: mount it%s",
			to->name, to->hint);
	/* Scratch files go beside the workbook: /tmp may be memory. */
	snprintf(dir, sizeof(dir), "/proc/self/fd/%d", to->file->dir);
	options.tmpdir = to->file->dir < 0 ? NULL : dir;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", to->file->fd);
	b->wb = b->lib->workbook_new_opt(name, &options);
	if (!b->wb)
		return fail(e, -EIO, "workbook: cannot begin one in %s", to->name);
	book_make_formats(b);
	err = to->fill(to->arg, e);
	if (err < 0) {
		b->lib->lxw_workbook_free(b->wb);
		return err;
	}
	bad = b->lib->workbook_close(b->wb);
	if (bad != LXW_NO_ERROR)
		return fail(e, -EIO, "%s: cannot write the workbook: %s", to->name,
			b->lib->lxw_strerror(bad));
	return 0;
}

/* The sheet that explains the columns of the others. */

#define HELP_WIDTH 110
#define HELP_SCALE 75		/* % */

static bool has_column(const struct book *b, enum dump_column_kind kind, enum field_id id)
{
	for (size_t i = 0; i < b->n; i++)
		for (size_t k = 0; b->cards[i].sum && k < b->cards[i].sum->columns->n; k++) {
			const struct dump_column *c = &b->cards[i].sum->columns->c[k];

			if (c->kind == kind && (kind != DUMP_COLUMN_FIELD || c->field == id))
				return true;
		}
	return false;
}

static void put_name(struct book *b, lxw_worksheet *ws, lxw_row_t row, const struct dump_column *c)
{
	char title[DUMP_COLUMN_TITLE];

	b->lib->worksheet_write_string(ws, row, 0, dump_column_title(c, title), b->label);
	b->lib->worksheet_write_string(ws, row, 1, dump_column_key(c), b->text);
	b->lib->worksheet_write_string(ws, row, 2, dump_column_help(c), b->wrapped);
}

int book_put_names(struct book *b, struct error *e)
{
	static const char *const heads[] = { "Column", "Key", "What it is" };
	lxw_worksheet *ws = b->lib->workbook_add_worksheet(b->wb, "Names");
	lxw_row_t row = 0;

	if (!ws)
		return book_fail_sheet("Names", e);
	b->lib->worksheet_gridlines(ws, LXW_HIDE_ALL_GRIDLINES);
	b->lib->worksheet_freeze_panes(ws, 1, 0);
	b->lib->worksheet_set_tab_color(ws, 0x1f3b57);
	book_set_page(b, ws, HELP_SCALE, false);
	b->lib->worksheet_repeat_rows(ws, 0, 0);
	b->lib->worksheet_fit_to_pages(ws, 1, 0);
	b->lib->worksheet_set_column(ws, 0, 0, 34, NULL);
	b->lib->worksheet_set_column(ws, 1, 1, 26, NULL);
	b->lib->worksheet_set_column(ws, 2, 2, HELP_WIDTH, NULL);
	for (size_t i = 0; i < ARRAY_LEN(heads); i++)
		b->lib->worksheet_write_string(ws, row, (lxw_col_t)i, heads[i], b->heading_left);
	for (unsigned kind = DUMP_COLUMN_TIME; kind <= DUMP_COLUMN_STATE; kind++)
		if (has_column(b, (enum dump_column_kind)kind, FIELD_NONE))
			put_name(b, ws, ++row, &(struct dump_column){
				.kind = (enum dump_column_kind)kind });
	for (int id = FIELD_NONE + 1; id < FIELD_COUNT; id++)
		if (has_column(b, DUMP_COLUMN_FIELD, (enum field_id)id))
			put_name(b, ws, ++row, &(struct dump_column){ DUMP_COLUMN_FIELD,
				(enum field_id)id });
	return 0;
}

/*
 * The sheets of one chip: the CSV's columns, row by row.  A column without any value, such as one
 * of a sensor that the board lacks, is hidden.  A printed sheet is one page wide and shows the
 * guide's table.
 */

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

void sheet_plan(struct sheet *s, const struct dump_columns *columns, const char *const *titles)
{
	char title[DUMP_COLUMN_TITLE];

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
		mem_copy_text(s->titles[i], sizeof(s->titles[i]), titles ? titles[i] :
			dump_column_title(&columns->c[i], title));
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

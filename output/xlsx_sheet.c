/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xlsx_sheet.c - what a workbook is made with: the library, formats, pages, sheets of rows.
 */
#include "config.h"
#include "output/xlsx_book.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct xlsx_lib lib;

static const struct dl_slot slots[] = { XLSX_FUNCTIONS(DL_SLOT) };

int xlsx_lib_load(const struct xlsx_lib **out, struct error *e)
{
	*out = &lib;
	return lib.workbook_close ? 0 : dl_load(DL_XLSXWRITER, slots, ARRAY_LEN(slots), e);
}

/* How cells and printed pages of the workbook look. */

enum { BLUE = BOOK_TAB, GREY = 0x666666, RED = 0x9c0006, AMBER = 0x7f6000, LIGHT_RED = 0xffc7ce,
	LIGHT_AMBER = 0xffeb9c };

static const struct {
	bool bold, wraps;
	uint8_t size, indent, align;	/* 0: as usual */
	lxw_color_t colour, behind;	/* the same */
	const char *number;
} styles[STYLES] = {
	[STYLE_TITLE] = { .bold = true, .size = 18, .colour = BLUE },
	[STYLE_HEADING] = { .bold = true, .wraps = true, .align = LXW_ALIGN_CENTER,
		.colour = 0xffffff, .behind = BLUE },
	[STYLE_HEADING_LEFT] = { .bold = true, .wraps = true, .align = LXW_ALIGN_LEFT,
		.colour = 0xffffff, .behind = BLUE },
	[STYLE_HEADING_RIGHT] = { .bold = true, .wraps = true, .align = LXW_ALIGN_RIGHT,
		.colour = 0xffffff, .behind = BLUE },
	[STYLE_LABEL] = { .bold = true },
	[STYLE_TEXT] = { .align = LXW_ALIGN_LEFT },
	[STYLE_LINK] = { .colour = 0x0b5394 },
	[STYLE_NOTE] = { .colour = GREY },
	[STYLE_SUM] = { .bold = true, .number = "0.0" },
	[STYLE_COUNT_SUM] = { .bold = true, .number = "0" },
	[STYLE_WORD] = { .align = LXW_ALIGN_CENTER },
	[STYLE_STATE] = { .align = LXW_ALIGN_LEFT, .indent = 1 },
	[STYLE_WRAPPED] = { .align = LXW_ALIGN_LEFT, .wraps = true },
	[STYLE_NOTE_WRAPPED] = { .colour = GREY, .wraps = true },
	[STYLE_OVER] = { .colour = RED, .behind = LIGHT_RED },
	[STYLE_ODD] = { .colour = AMBER, .behind = LIGHT_AMBER },
	[STYLE_VERDICT + VERDICT_NONE] = { .wraps = true, .indent = 1, .colour = GREY },
	[STYLE_VERDICT + VERDICT_PASS] = { .wraps = true, .indent = 1 },
	[STYLE_VERDICT + VERDICT_WARN] = { .wraps = true, .indent = 1, .colour = AMBER,
		.behind = LIGHT_AMBER },
	[STYLE_VERDICT + VERDICT_INCOMPLETE] = { .wraps = true, .indent = 1 },
	[STYLE_VERDICT + VERDICT_FAIL] = { .wraps = true, .indent = 1, .colour = RED,
		.behind = LIGHT_RED },
};

static lxw_format *new_format(const struct book *b, const char *number, uint8_t align)
{
	lxw_format *f = b->lib->workbook_add_format(b->wb);

	b->lib->format_set_align(f, LXW_ALIGN_VERTICAL_CENTER);
	b->lib->format_set_align(f, align);
	if (number)
		b->lib->format_set_num_format(f, number);
	return f;
}

static void book_make_formats(struct book *b)
{
	const struct xlsx_lib *x = b->lib;
	char number[16];

	for (size_t i = 0; i < BOOK_DECIMALS; i++) {
		snprintf(number, sizeof(number), "%.*f", (int)i, 0.0);
		b->fixed[i] = new_format(b, number, LXW_ALIGN_RIGHT);
	}
	for (size_t i = 0; i < STYLES; i++) {
		lxw_format *f = new_format(b, styles[i].number, styles[i].align);

		if (styles[i].bold)
			x->format_set_bold(f);
		if (styles[i].wraps)
			x->format_set_text_wrap(f);
		if (styles[i].size)
			x->format_set_font_size(f, styles[i].size);
		if (styles[i].indent)
			x->format_set_indent(f, styles[i].indent);
		if (styles[i].colour)
			x->format_set_font_color(f, styles[i].colour);
		if (styles[i].behind)
			x->format_set_bg_color(f, styles[i].behind);
		b->style[i] = f;
	}
}

const char *book_start_text(const struct book *b, char out[32])
{
	char utc[64];

	/* 2026-11-21T12:42:30.627865Z */
	clock_iso_utc(b->index->start_real, utc, sizeof(utc));
	snprintf(out, 32, "%.10s %.8s UTC", utc, utc[0] ? utc + 11 : "");
	return out;
}

/* Set margins, scale (per cent), and a footer with host and time. */
static void page_set_print(const struct page *p, uint16_t scale)
{
	const struct book *b = p->b;
	const char *name = b->index ? b->index->host.hostname : "";
	char host[64], start[32], footer[240];
	size_t n = 0;

	/* An ampersand begins a command there, unless it is doubled. */
	for (; *name && n < sizeof(host) - 2; name++) {
		host[n++] = *name;
		if (*name == '&')
			host[n++] = '&';
	}
	host[n] = '\0';
	snprintf(footer, sizeof(footer), "&L&A&C%s%s %s&RPage &P of &N",
		b->index ? "tt-smi dump of " : "tt-smi", host,
		b->index ? book_start_text(b, start) : "");
	b->lib->worksheet_set_margins(p->ws, 0.4, 0.4, 0.5, 0.6);
	b->lib->worksheet_set_print_scale(p->ws, scale);
	b->lib->worksheet_set_footer(p->ws, footer);
}

int page_add(struct page *p, struct book *b, const char *name, struct error *e)
{
	*p = (struct page){ .b = b, .ws = b->lib->workbook_add_worksheet(b->wb, name) };
	return p->ws ? 0 : fail(e, -EIO, "workbook: cannot add the sheet \"%s\"", name);
}

int page_add_framed(struct page *p, struct book *b, const char *name, lxw_color_t tab,
	uint16_t scale, struct error *e)
{
	int err = page_add(p, b, name, e);

	if (err < 0)
		return err;
	b->lib->worksheet_gridlines(p->ws, LXW_HIDE_ALL_GRIDLINES);
	b->lib->worksheet_set_tab_color(p->ws, tab);
	b->lib->worksheet_set_landscape(p->ws);
	page_set_print(p, scale);
	return 0;
}

/* The one way of a text into a cell. */
static lxw_error page_write(struct page *p, size_t col, const char *text, lxw_format *format)
{
	struct strbuf plain = { 0 };
	lxw_error err;

	text_put_plain(&plain, text);
	err = p->b->lib->worksheet_write_string(p->ws, p->row, (lxw_col_t)col, plain.text, format);
	strbuf_clear(&plain);
	return err;
}

void page_text(struct page *p, size_t col, const char *text, enum style style)
{
	page_write(p, col, text, p->b->style[style]);
	p->right = col > p->right ? col : p->right;
}

void page_number(struct page *p, size_t col, double value, int decimals)
{
	p->b->lib->worksheet_write_number(p->ws, p->row, (lxw_col_t)col, value,
		p->b->fixed[decimals]);
}

void page_merged(struct page *p, size_t from, size_t to, const char *text, enum style style)
{
	p->b->lib->worksheet_merge_range(p->ws, p->row, (lxw_col_t)from, p->row, (lxw_col_t)to,
		text, p->b->style[style]);
	p->right = to > p->right ? to : p->right;
}

void page_height(struct page *p, double points)
{
	p->b->lib->worksheet_set_row(p->ws, p->row, points, NULL);
}

void page_width(struct page *p, size_t from, size_t to, double characters)
{
	p->b->lib->worksheet_set_column(p->ws, (lxw_col_t)from, (lxw_col_t)to, characters, NULL);
}

int book_begin(struct book *b, const struct file_new *file, const char *name, const char *hint,
	bool is_huge, struct error *e)
{
	lxw_workbook_options options = { .constant_memory = LXW_TRUE, .use_zip64 = is_huge };
	char path[64], dir[64];

	if (access("/proc/self/fd", X_OK) < 0)
		return fail(e, -ENOENT, "%s: a workbook cannot be made without /proc: mount it%s",
			name, hint);
	/* Scratch files go beside the workbook: /tmp may be memory. */
	snprintf(dir, sizeof(dir), "/proc/self/fd/%d", file->dir);
	options.tmpdir = file->dir < 0 ? NULL : dir;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file->fd);
	b->wb = b->lib->workbook_new_opt(path, &options);
	if (!b->wb)
		return fail(e, -EIO, "workbook: cannot begin one in %s", name);
	book_make_formats(b);
	return 0;
}

int book_end(struct book *b, const char *name, int err, struct error *e)
{
	lxw_error bad;

	if (err < 0) {
		b->lib->lxw_workbook_free(b->wb);
		return err;
	}
	bad = b->lib->workbook_close(b->wb);
	return bad == LXW_NO_ERROR ? 0 : fail(e, -EIO, "%s: cannot write the workbook: %s", name,
		b->lib->lxw_strerror(bad));
}

/* The sheet that explains the columns of the others. */

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

static void put_name(struct page *p, const struct dump_column *c)
{
	char title[DUMP_COLUMN_TITLE];

	p->row++;
	page_text(p, 0, dump_column_title(c, title), STYLE_LABEL);
	page_text(p, 1, dump_column_key(c), STYLE_TEXT);
	page_text(p, 2, dump_column_help(c), STYLE_WRAPPED);
}

int book_put_names(struct book *b, struct error *e)
{
	static const char *const heads[] = { "Column", "Key", "What it is" };
	static const double widths[] = { 34, 26, 110 };
	struct page p;
	int err = page_add_framed(&p, b, "Names", BOOK_TAB, HELP_SCALE, e);

	if (err < 0)
		return err;
	b->lib->worksheet_freeze_panes(p.ws, 1, 0);
	b->lib->worksheet_repeat_rows(p.ws, 0, 0);
	b->lib->worksheet_fit_to_pages(p.ws, 1, 0);
	for (size_t i = 0; i < ARRAY_LEN(heads); i++) {
		page_width(&p, i, i, widths[i]);
		page_text(&p, i, heads[i], STYLE_HEADING_LEFT);
	}
	for (unsigned kind = DUMP_COLUMN_TIME; kind <= DUMP_COLUMN_STATE; kind++)
		if (has_column(b, (enum dump_column_kind)kind, FIELD_NONE))
			put_name(&p, &(struct dump_column){ .kind = (enum dump_column_kind)kind });
	for (int id = FIELD_NONE + 1; id < FIELD_COUNT; id++)
		if (has_column(b, DUMP_COLUMN_FIELD, (enum field_id)id))
			put_name(&p, &(struct dump_column){ DUMP_COLUMN_FIELD, (enum field_id)id });
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

static void add_rule(const struct page *p, lxw_row_t from, size_t i, char *rule, enum style style)
{
	lxw_conditional_format f = {
		.type = LXW_CONDITIONAL_TYPE_FORMULA,
		.value_string = rule,
		.format = p->b->style[style],
		.stop_if_true = LXW_TRUE,
	};

	p->b->lib->worksheet_conditional_format_range(p->ws, from, (lxw_col_t)i, p->row,
		(lxw_col_t)i, &f);
}

/* Red where a value is above its limit or the card is lost, amber where its State is not "ok". */
static void put_rules(struct page *p, const struct summary *sum)
{
	const char *stand_in = p->b->index->stand_in;
	char rule[255], state[80], mine[4], other[4];

	for (size_t i = 0; i < sum->columns->n && p->row > 0; i++) {
		book_column_letters(i, mine);
		if (sum->limit_at[i] >= 0) {
			book_column_letters((size_t)sum->limit_at[i], other);
			snprintf(rule, sizeof(rule),
				"=AND(ISNUMBER($%s2),ISNUMBER($%s2),$%s2>$%s2)", mine, other, mine,
				other);
			add_rule(p, 1, i, rule, STYLE_OVER);
		} else if ((int)i == sum->state_at) {
			/* Mark the time, too: it is always in sight, and printed. */
			snprintf(rule, sizeof(rule),
				"=OR(LEFT($%s2,6)=\"failed\",LEFT($%s2,4)=\"gone\","
				"ISNUMBER(FIND(\" heartbeat\",LEFT($%s2,FIND(\";\",$%s2&\";\")))))",
				mine, mine, mine, mine);
			add_rule(p, 1, i, rule, STYLE_OVER);
			add_rule(p, 1, 0, rule, STYLE_OVER);
			/* Ignore that boards are simulated: it says nothing about this row. */
			snprintf(state, sizeof(state), "SUBSTITUTE($%s2,\"; %s\",\"\")", mine,
				stand_in[0] ? stand_in : "-");
			snprintf(rule, sizeof(rule),
				"=NOT(OR(%s=\"ok\",LEFT(%s,11)=\"ok; absent:\"))", state, state);
			add_rule(p, 1, i, rule, STYLE_ODD);
			add_rule(p, 1, 0, rule, STYLE_ODD);
		}
	}
}

/* Mark the last n rows, as far as they are in this sheet: nothing in them was new. */
static void mark_back(const struct page *p, const struct summary *sum, size_t n)
{
	const lxw_row_t from = n < p->row ? p->row - (lxw_row_t)n + 1 : 1;
	char always[] = "=TRUE";

	if (n == 0 || p->row == 0)
		return;
	add_rule(p, from, 0, always, STYLE_OVER);
	add_rule(p, from, (size_t)sum->state_at, always, STYLE_OVER);
}

static int width_of(const struct dump_column *c)
{
	return c->kind == DUMP_COLUMN_STATE ? STATE_WIDTH : c->kind == DUMP_COLUMN_UTC ? UTC_WIDTH :
		c->kind == DUMP_COLUMN_TIME ? TIME_WIDTH : CELL_WIDTH;
}

/*
 * Hide unused columns, widen the last one so that none of its texts is cut, and print the guide's
 * columns, or all if the card never answered, on one page's width.
 */
static void set_columns(struct sheet *s, const struct dump_columns *columns)
{
	lxw_row_col_options hidden = { .hidden = LXW_TRUE };
	const struct xlsx_lib *x = s->page.b->lib;
	const size_t end = columns->n - 1;
	size_t printed = end;

	for (size_t i = 1; i < columns->n; i++)
		if (!s->used[i])
			x->worksheet_set_column_opt(s->page.ws, (lxw_col_t)i, (lxw_col_t)i,
				width_of(&columns->c[i]), NULL, &hidden);
		else if (i < DUMP_COLUMN_GUIDE)
			printed = DUMP_COLUMN_GUIDE - 1;
	page_width(&s->page, end, end, s->longest < STATE_WIDTH ? STATE_WIDTH :
		s->longest > WIDEST ? WIDEST : (double)s->longest);
	x->worksheet_print_area(s->page.ws, 0, 0, s->page.row, (lxw_col_t)printed);
	x->worksheet_fit_to_pages(s->page.ws, 1, 0);
	if (s->page.row > 0)
		x->worksheet_autofilter(s->page.ws, 0, 0, s->page.row, (lxw_col_t)end);
}

void sheet_end(struct sheet *s, const struct summary *sum)
{
	off_t at;

	if (!s->page.ws)
		return;
	put_rules(&s->page, sum);
	set_columns(s, sum->columns);
	fflush(s->page.ws->optimize_tmpfile);
	at = ftello(s->page.ws->optimize_tmpfile);
	s->xml += at > 0 ? (uint64_t)at : 0;
	if (at > 0 && (uint64_t)at > s->xml_most)
		s->xml_most = (uint64_t)at;
	s->page.ws = NULL;
}

int sheet_begin(struct sheet *s, struct book_card *c, struct error *e)
{
	const struct dump_columns *columns = &c->card->columns;
	struct book *b = s->page.b;
	char name[32];
	int err;

	if (++c->sheets == 1)
		snprintf(name, sizeof(name), "%.31s", c->sheet);
	else
		snprintf(name, sizeof(name), "%.20s (%llu)", c->sheet,
			(unsigned long long)c->sheets);
	err = page_add(&s->page, b, name, e);
	if (err < 0)
		return err;
	b->lib->worksheet_set_row(s->page.ws, 0, 48, b->style[STYLE_HEADING]);
	b->lib->worksheet_freeze_panes(s->page.ws, 1, 1);
	page_set_print(&s->page, PRINT_SCALE);
	b->lib->worksheet_repeat_rows(s->page.ws, 0, 0);
	b->lib->worksheet_repeat_columns(s->page.ws, 0, 0);
	s->longest = 0;
	for (size_t i = 0; i < columns->n; i++) {
		s->used[i] = false;
		page_width(&s->page, i, i, width_of(&columns->c[i]));
		page_text(&s->page, i, s->titles[i], STYLE_HEADING);
	}
	return 0;
}

void sheet_plan(struct sheet *s, const struct dump_columns *columns, const char *const *titles)
{
	const struct book *b = s->page.b;
	char title[DUMP_COLUMN_TITLE];

	for (size_t i = 0; i < columns->n; i++) {
		const struct dump_column *c = &columns->c[i];
		int64_t scale = 0;
		int decimals = 0;
		bool number = dump_column_is_number(c, &scale, &decimals);

		s->div[i] = number ? (double)scale : 0;
		s->format[i] = number && decimals < BOOK_DECIMALS ? b->fixed[decimals] :
			b->style[c->kind == DUMP_COLUMN_STATE ? STYLE_STATE : STYLE_WORD];
		mem_copy_text(s->titles[i], sizeof(s->titles[i]), titles ? titles[i] :
			dump_column_title(c, title));
	}
}

int sheet_put_row(struct sheet *s, struct book_card *c, const char *const *cells, struct error *e)
{
	const struct xlsx_lib *x = s->page.b->lib;
	const size_t n = c->card->columns.n;
	lxw_error err = LXW_NO_ERROR;
	int r;

	if (s->page.row == s->max_rows)
		sheet_end(s, c->sum);
	if (!s->page.ws) {
		r = sheet_begin(s, c, e);
		if (r < 0)
			return r;
	}
	mark_back(&s->page, c->sum, summary_add(c->sum, cells, s->cells));
	s->page.row++;
	for (size_t i = 0; i < n && err == LXW_NO_ERROR; i++) {
		s->used[i] |= cells[i][0] != '\0';
		if (i == n - 1 && strlen(cells[i]) > s->longest)
			s->longest = strlen(cells[i]);
		if (s->cells[i].known)
			err = x->worksheet_write_number(s->page.ws, s->page.row, (lxw_col_t)i,
				(double)s->cells[i].value / s->div[i], s->format[i]);
		else if (cells[i][0])
			err = page_write(&s->page, i, cells[i], s->div[i] != 0 ?
				s->page.b->style[STYLE_WORD] : s->format[i]);
	}
	if (err != LXW_NO_ERROR)
		return fail(e, -EIO, "workbook: cannot write a row: %s", x->lxw_strerror(err));
	return 0;
}

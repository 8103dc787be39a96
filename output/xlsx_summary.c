/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xlsx_summary.c - the first sheet: what was dumped, and its summary.
 */
#include "config.h"
#include "output/xlsx_book.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

struct front {
	struct page page;
	lxw_row_t page_end;	/* the first row after the printed page */
	double width, name_width;	/* characters: of all columns, of the first */
	size_t page_rows;
	size_t n_breaks;
	lxw_row_t breaks[1024];	/* as many as a spreadsheet allows, and the 0 that ends them */
};

#define HEAD_HEIGHT 46		/* points */

/* Do not break a table of this many rows across printed pages if it fits on one. */
static void keep_together(struct front *f, size_t rows)
{
	const lxw_row_t row = f->page.row;

	if (row + rows <= f->page_end || f->n_breaks >= ARRAY_LEN(f->breaks) - 1)
		return;
	f->breaks[f->n_breaks++] = row;
	f->page_end = row + (lxw_row_t)f->page_rows;
}

/* Headings are aligned like their columns: the first `words` left, numbers right. */
static void page_put_headings(struct page *p, const char *const *names, size_t n, size_t words)
{
	page_height(p, HEAD_HEIGHT);
	for (size_t i = 0; i < n; i++)
		page_text(p, i, names[i], i < words ? STYLE_HEADING_LEFT : STYLE_HEADING_RIGHT);
	p->row++;
}

/* Mark cells above 0 in the column, from this row to the one before p->row. */
static void page_mark_positive(struct page *p, lxw_row_t from, lxw_col_t col, enum style style)
{
	lxw_conditional_format rule = {
		.type = LXW_CONDITIONAL_TYPE_CELL,
		.criteria = LXW_CONDITIONAL_CRITERIA_GREATER_THAN,
		.value = 0,
		.format = p->b->style[style],
	};

	if (p->row > from)
		p->b->lib->worksheet_conditional_format_range(p->ws, from, col, p->row - 1, col,
			&rule);
}

/* Tables of the reasons that held clocks down, and of the quantities of a card. */

#define NAME_WIDTH 24		/* characters, at least, for names of cards and columns */

/* Put a row for each reason that held a clock down, for each card where one did. */
static void page_put_throttles(struct page *p)
{
	static const char *const names[] = { "Throttled", "Reason", "Time (s)", "Of covered (%)" };
	bool any = false;

	for (size_t i = 0; i < p->b->n; i++) {
		const struct summary *s = p->b->cards[i].sum;

		for (int r = THROTTLE_NONE + 1; s && r < THROTTLE_REASONS; r++) {
			if (s->throttled[r] == 0)
				continue;
			if (!any)
				page_put_headings(p, names, ARRAY_LEN(names), 2);
			any = true;
			page_text(p, 0, p->b->cards[i].sheet, STYLE_TEXT);
			page_text(p, 1, throttle_reason_name(r), STYLE_TEXT);
			page_number(p, 2, (double)s->throttled[r] / 1e6, 3);
			if (s->covered > 0)
				page_number(p, 3, 100.0 * (double)s->throttled[r] /
							 (double)s->covered, 1);
			p->row++;
		}
	}
	p->row += any;
}

static bool worth_a_line(const struct summary *s, size_t i)
{
	const struct dump_column *c = &s->columns->c[i];

	return c->kind != DUMP_COLUMN_TIME && dump_column_is_number(c, NULL, NULL) &&
		s->stats[i].n > 0 &&
	       (c->kind != DUMP_COLUMN_FIELD || fields[c->field].group != FIELD_GROUP_LIMIT);
}

static void put_quantity(struct page *p, const struct summary *s, size_t i)
{
	const struct stats *st = &s->stats[i];
	char title[DUMP_COLUMN_TITLE];
	int decimals = 0, limit = s->limit_at[i];
	int64_t scale = 1;

	dump_column_is_number(&s->columns->c[i], &scale, &decimals);
	if (decimals >= BOOK_DECIMALS)
		decimals = BOOK_DECIMALS - 1;
	page_text(p, 0, dump_column_title(&s->columns->c[i], title), STYLE_TEXT);
	page_number(p, 1, (double)st->min / (double)scale, decimals);
	if (dump_column_has_average(&s->columns->c[i])) {
		page_number(p, 2, stats_mean(st) / (double)scale, decimals + 1 < BOOK_DECIMALS ?
									 decimals + 1 : decimals);
		page_number(p, 3, (double)stats_percentile(st, 50) / (double)scale, decimals);
		page_number(p, 4, (double)stats_percentile(st, 99) / (double)scale, decimals);
	}
	page_number(p, 5, (double)st->max / (double)scale, decimals);
	if (limit >= 0 && s->stats[limit].n > 0 &&
		dump_column_is_number(&s->columns->c[limit], &scale, &decimals)) {
		page_number(p, 6, (double)s->stats[limit].min / (double)scale, decimals);
		page_number(p, 7, (double)s->above[i] / 1e6, 3);
	}
	page_number(p, 8, (double)st->n, 0);
	p->row++;
}

/* Put a line for each quantity of a card that has rows. */
static void put_quantities(struct front *f, const struct book_card *c)
{
	const char *const names[] = { c->sheet, "Minimum", "Average", "p50", "p99", "Maximum",
		"Limit (lowest)", "Above limit (s)", "Samples" };
	struct page *p = &f->page;
	size_t lines = 0;
	lxw_row_t from;

	for (size_t i = 0; i < c->sum->columns->n; i++)
		lines += worth_a_line(c->sum, i);
	keep_together(f, lines + 3);
	page_put_headings(p, names, ARRAY_LEN(names), 1);
	from = p->row;
	for (size_t i = 0; i < c->sum->columns->n; i++)
		if (worth_a_line(c->sum, i))
			put_quantity(p, c->sum, i);
	page_mark_positive(p, from, 7, STYLE_OVER);
	p->row++;
}

/* The width of the first column with which no name of a card or a column is cut. */
static double page_name_width(const struct book *b)
{
	size_t most = NAME_WIDTH;

	for (size_t i = 0; i < b->n; i++)
		for (size_t k = 0; b->cards[i].sum && k < b->cards[i].sum->columns->n; k++) {
			const struct summary *s = b->cards[i].sum;
			char title[DUMP_COLUMN_TITLE];
			const size_t len = strlen(dump_column_title(&s->columns->c[k], title));

			if (worth_a_line(s, k) && len > most)
				most = len;
		}
	return (double)most;
}

/* Columns of the table of cards. */
enum { NOT_READ_COLUMN = 5, LOST_COLUMN = 7, ABOVE_COLUMN = 14, THROTTLED_COLUMN, LAST_COLUMN };

/* Widths in characters; a text that is longer than its cell goes on in further lines. */
#define NUMBER_WIDTH  11.5
#define VERDICT_WIDTH 46
#define LINE_HEIGHT   15.0

#define PAGE_WIDTH  94 		/* characters on a landscape page at full size */
#define PAGE_HEIGHT 31		/* rows */
#define PRINTED	    4		/* of this many cards at most all quantities are printed */

/* Put text from this column to the last one, in as many lines as it takes. */
static void put_wide(struct front *f, size_t from, const char *text, enum style style)
{
	const double room = f->width - (from > 0 ? f->name_width : 0);
	const double lines = 1 + (double)(size_t)((double)strlen(text) / room);

	page_height(&f->page, lines * LINE_HEIGHT);
	page_merged(&f->page, from, LAST_COLUMN, text, style);
	f->page.row++;
}

static void put_fact(struct front *f, const char *name, const char *text)
{
	page_text(&f->page, 0, name, STYLE_LABEL);
	put_wide(f, 1, text, STYLE_WRAPPED);
}

/* Microseconds to "1 d 02:03:04.5". */
static char *duration_text(int64_t us, char *buf, size_t size)
{
	long long tenths = us / 100000, s = tenths / 10;
	int n = 0;

	if (s >= 86400)
		n = snprintf(buf, size, "%lld d ", s / 86400);
	snprintf(buf + n, size - (size_t)n, "%02lld:%02lld:%02lld.%lld", s % 86400 / 3600,
		s % 3600 / 60, s % 60, tenths % 10);
	return buf;
}

static void put_head(struct front *f, uint64_t samples)
{
	const struct book *b = f->page.b;
	const struct dump_index *x = b->index;
	char text[512], start[32];
	int64_t last = 0;

	page_height(&f->page, 28);
	page_text(&f->page, 0, "Telemetry dump", STYLE_TITLE);
	f->page.row += 2;
	for (size_t i = 0; i < b->n; i++)
		if (b->cards[i].sum && b->cards[i].sum->last > last)
			last = b->cards[i].sum->last;
	put_fact(f, "Started", book_start_text(b, start));
	put_fact(f, "Duration", duration_text(last, text, sizeof(text)));
	snprintf(text, sizeof(text), "%g s", (double)x->interval / 1e9);
	put_fact(f, "Interval", text);
	snprintf(text, sizeof(text), "%llu of all cards", (unsigned long long)samples);
	if (x->ended)
		snprintf(text, sizeof(text), "%llu of all cards, in %llu ticks; %llu ticks late, "
			"%llu lost", (unsigned long long)samples,
			(unsigned long long)x->counts.ticks, (unsigned long long)x->counts.late,
			(unsigned long long)x->counts.lost);
	put_fact(f, "Samples", text);
	snprintf(text, sizeof(text), "%s%s", x->complete ? "came to its end" : x->error[0] ?
		"was ended by an error: " : "was cut off, or went on when this was made", x->error);
	put_fact(f, "Dump", text);
	snprintf(text, sizeof(text), "%s  %s  %s", x->host.hostname, x->host.distro,
		x->host.kernel);
	put_fact(f, "Host", text);
	put_fact(f, "Driver", x->host.driver);
	put_fact(f, "Source", x->source);
	if (x->stand_in[0])
		put_fact(f, "Boards", x->stand_in);
	put_fact(f, "Made by", x->tool);
	f->page.row++;
}

/* Put a fact of the card into a column, if it is known. */
static void put_card_fact(struct page *p, size_t col, const struct dump_card *c, enum field_id id)
{
	for (size_t i = 0; i < c->n_facts; i++)
		if (strcmp(c->facts[i].key, fields[id].key) == 0 && *c->facts[i].text)
			page_text(p, col, c->facts[i].text, STYLE_TEXT);
}

static double above_time(const struct summary *s)
{
	int64_t most = 0;

	for (size_t i = 0; i < s->columns->n; i++)
		if (s->above[i] > most)
			most = s->above[i];
	return (double)most / 1e6;
}

static double throttled_time(const struct summary *s)
{
	int64_t sum = 0;

	for (int r = THROTTLE_NONE + 1; r < THROTTLE_REASONS; r++)
		sum += s->throttled[r];
	return (double)sum / 1e6;
}

/* Put the highest value of a field, or its average. */
static void put_seen(struct page *p, size_t col, const struct summary *s, enum field_id id,
	bool is_highest)
{
	const int at = dump_columns_where(s->columns, id);
	const struct stats *st = at >= 0 ? &s->stats[at] : NULL;

	if (st && st->n > 0)
		page_number(p, col, (is_highest ? (double)st->max : stats_mean(st)) /
			(double)fields[id].scale, 1);
}

static void put_samples(struct strbuf *to, uint64_t n, const struct summary *s, const char *what)
{
	if (n > 0)
		strbuf_printf(to, "%s%llu of %llu samples: %s", to->len > 0 ? "; " : "",
			(unsigned long long)n, (unsigned long long)s->rows, what);
}

/*
 * The verdict on a card: a FAIL was lost or above a limit, NONE was left out.  `to` is empty, and
 * gets it in words.
 */
static enum verdict find_verdict(const struct book_card *c, struct strbuf *to)
{
	const struct summary *s = c->sum;

	if (!s)
		strbuf_puts(to, c->card->reason[0] ? c->card->reason : "not asked for");
	else if (s->rows == 0)
		strbuf_puts(to, "no sample");
	if (!s || s->rows == 0)
		return s ? VERDICT_FAIL : VERDICT_NONE;
	put_samples(to, s->bad, s, s->bad_state);
	if (above_time(s) > 0)
		strbuf_printf(to, "%sabove a limit for %.3g s", to->len > 0 ? "; " : "",
			above_time(s));
	put_samples(to, s->warned, s, s->warn_state);
	put_samples(to, s->repeated, s, "repeated");
	if (to->len == 0)
		strbuf_puts(to, snapshot_health_word(SNAPSHOT_OK));
	return s->bad > 0 || above_time(s) > 0 ? VERDICT_FAIL :
		s->warned > 0 || s->repeated > 0 ? VERDICT_WARN : VERDICT_PASS;
}

static void put_verdict(struct page *p, struct book_card *c)
{
	struct strbuf text = { 0 };

	c->verdict = find_verdict(c, &text);
	page_height(p, (double)(1 + text.len / VERDICT_WIDTH) * LINE_HEIGHT);
	page_text(p, LAST_COLUMN, text.text, STYLE_VERDICT + c->verdict);
	strbuf_clear(&text);
}

static void put_card_row(struct page *p, struct book_card *c)
{
	const struct summary *s = c->sum;
	enum style style;
	char name[64], target[64];

	put_verdict(p, c);
	style = c->verdict == VERDICT_FAIL ? STYLE_OVER : c->verdict == VERDICT_WARN ? STYLE_ODD :
		STYLE_LINK;
	snprintf(name, sizeof(name), "%d  %s", c->card->index,
		c->card->series[0] ? c->card->series : c->card->board);
	snprintf(target, sizeof(target), "internal:'%s'!A1", c->sheet);
	if (s && c->sheets)
		p->b->lib->worksheet_write_url_opt(p->ws, p->row, 0, target, p->b->style[style],
			name, NULL);
	else
		page_text(p, 0, name, STYLE_TEXT);
	page_text(p, 1, c->card->bdf[0] ? c->card->bdf : "remote", STYLE_TEXT);
	put_card_fact(p, 2, c->card, FIELD_BOARD_ID);
	put_card_fact(p, 3, c->card, FIELD_FW_BUNDLE);
	if (!s) {
		p->row++;
		return;
	}
	page_number(p, 4, (double)s->rows, 0);
	page_number(p, 5, (double)s->bad, 0);
	page_number(p, 6, (double)s->late, 0);
	page_number(p, 7, (double)s->lost, 0);
	page_number(p, 8, (double)s->covered / 1e6, 3);
	put_seen(p, 9, s, FIELD_POWER, false);
	if (s->energy_time > 0) {
		page_number(p, 10, s->energy, 1);
		page_number(p, 11, s->energy / 3600, 3);
	}
	if (s->board_energy_time > 0)
		page_number(p, 12, s->board_energy, 1);
	put_seen(p, 13, s, FIELD_ASIC_TEMP, true);
	page_number(p, 14, above_time(s), 3);
	page_number(p, 15, throttled_time(s), 3);
	p->row++;
}

static void put_sum(struct page *p, size_t col, double value, enum style style)
{
	p->b->lib->worksheet_write_number(p->ws, p->row, (lxw_col_t)col, value,
		p->b->style[style]);
}

/* Put the line with the totals of all cards. */
static void put_total(struct page *p)
{
	double samples = 0, bad = 0, joules = 0;

	for (size_t i = 0; i < p->b->n; i++) {
		const struct summary *s = p->b->cards[i].sum;

		samples += s ? (double)s->rows : 0;
		bad += s ? (double)s->bad : 0;
		joules += s ? s->energy : 0;
	}
	page_text(p, 0, "All cards", STYLE_LABEL);
	put_sum(p, 4, samples, STYLE_COUNT_SUM);
	put_sum(p, 5, bad, STYLE_COUNT_SUM);
	put_sum(p, 10, joules, STYLE_SUM);
	p->row++;
}

static void put_cards(struct page *p)
{
	static const char *const names[] = { "Card", "Bus ID", "Board ID", "Firmware", "Samples",
		"Not read", "Late", "Lost", "Covered (s)", "Average power (W)", "Core energy (J)",
		"Core energy (Wh)", "Board energy (J)", "Highest core temp (°C)",
		"Above a limit (s)", "Throttled (s)", "Verdict" };
	lxw_row_t from;

	_Static_assert(ARRAY_LEN(names) == LAST_COLUMN + 1, "");
	page_put_headings(p, names, ARRAY_LEN(names) - 1, 4);
	p->row--;
	page_text(p, LAST_COLUMN, names[LAST_COLUMN], STYLE_HEADING_LEFT);
	from = ++p->row;
	for (size_t i = 0; i < p->b->n; i++)
		put_card_row(p, &p->b->cards[i]);
	page_mark_positive(p, from, NOT_READ_COLUMN, STYLE_OVER);
	page_mark_positive(p, from, LOST_COLUMN, STYLE_ODD);
	page_mark_positive(p, from, ABOVE_COLUMN, STYLE_OVER);
	page_mark_positive(p, from, THROTTLED_COLUMN, STYLE_ODD);
	if (p->b->n > 1)
		put_total(p);
	p->row++;
}

static void put_notes(struct front *f)
{
	static const char *const notes[] = {
		"Nothing is known of a gap: energy, time above limits and time throttled are of "
		"the covered time only, from one sample to the next without a loss between them.",
		"Energy is the area under the power from sample to sample. Not read: samples in "
		"which the card gave no values, or its firmware had stopped, from 2 s before "
		"that was found. They are in no other figure. Late: begun more than "
		"a tenth of the interval after its time.",
		"p50 and p99 are exact for up to 32768 different values; beyond, they are off by "
		"less than 1/8192 of the range. An empty cell has no value; State names why.",
		"Limit (lowest): the lowest limit that the card reported during the dump.  The "
		"sheet \"Names\" says what each column is.",
		"Of more than four cards the tables of those that are well stand below these "
		"notes, and are not printed.",
	};

	for (size_t i = 0; i < ARRAY_LEN(notes); i++)
		put_wide(f, 0, notes[i], STYLE_NOTE_WRAPPED);
}

static void set_columns(struct front *f)
{
	static const double words[] = { 16, 18, 12 };	/* bus, board, firmware */
	struct page *p = &f->page;

	f->width = f->name_width = page_name_width(p->b);
	page_width(p, 0, 0, f->name_width);
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		page_width(p, 1 + i, 1 + i, words[i]);
		f->width += words[i];
	}
	page_width(p, 1 + ARRAY_LEN(words), LAST_COLUMN - 1, NUMBER_WIDTH);
	page_width(p, LAST_COLUMN, LAST_COLUMN, VERDICT_WIDTH);
	f->width += NUMBER_WIDTH * (LAST_COLUMN - 1 - ARRAY_LEN(words)) + VERDICT_WIDTH;
}

static bool has_quantities(const struct book_card *c)
{
	return c->sum && c->sum->rows > 0;
}

/*
 * Put the tables of cards that are printed, or of the others; returns how many.  A few cards are
 * all printed; of many only those not well, since the verdicts are above.
 */
static size_t put_tables(struct front *f, bool printed)
{
	const struct book *b = f->page.b;
	size_t all = 0, n = 0;

	for (size_t i = 0; i < b->n; i++)
		all += has_quantities(&b->cards[i]);
	for (size_t i = 0; i < b->n; i++) {
		const struct book_card *c = &b->cards[i];

		if (!has_quantities(c) ||
			(all <= PRINTED || c->verdict != VERDICT_PASS) != printed)
			continue;
		put_quantities(f, c);
		n++;
	}
	return n;
}

/* Put the others below the printed part, so that many cards that are well need no paper. */
static void put_rest(struct front *f)
{
	const lxw_row_t end = f->page.row;

	/* These tables need no page breaks. */
	f->page_end = (lxw_row_t)-1;
	f->page.row++;
	if (put_tables(f, false) > 0)
		f->page.b->lib->worksheet_print_area(f->page.ws, 0, 0, end - 1, LAST_COLUMN);
}

void book_put_summary(struct book *b, uint64_t samples)
{
	struct front f = { .page = b->summary };
	uint16_t scale;

	set_columns(&f);
	/* A sheet that is fitted to the page's width ignores page breaks, so set the scale. */
	scale = (uint16_t)(100 * PAGE_WIDTH / f.width);
	f.page_rows = (size_t)(PAGE_HEIGHT * 100 / scale);
	f.page_end = (lxw_row_t)f.page_rows;
	b->lib->worksheet_set_print_scale(f.page.ws, scale);
	put_head(&f, samples);
	put_cards(&f.page);
	page_put_throttles(&f.page);
	put_tables(&f, true);
	keep_together(&f, 5);
	put_notes(&f);
	put_rest(&f);
	if (f.n_breaks > 0)
		b->lib->worksheet_set_h_pagebreaks(f.page.ws, f.breaks);
}

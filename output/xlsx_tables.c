/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xlsx_tables.c - tables on the first sheet: the reasons that held clocks down, and the least,
 * mean and most of each quantity of a card.
 */
#include "config.h"
#include "output/xlsx_page.h"
#include "base/array.h"
#include "base/text.h"

#define NAME_WIDTH 24		/* characters, at least, for names of cards and columns */

void page_put_throttles(struct page *p)
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
			page_put_text(p, 0, p->b->cards[i].sheet, p->b->text);
			page_put_text(p, 1, throttle_reason_name(r), p->b->text);
			page_put_number(p, 2, (double)s->throttled[r] / 1e6, 3);
			if (s->covered > 0)
				page_put_number(p, 3, 100.0 * (double)s->throttled[r] /
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
	struct strbuf title = { 0 };
	int decimals = 0, limit = s->limit_at[i];
	int64_t scale = 1;

	dump_column_is_number(&s->columns->c[i], &scale, &decimals);
	if (decimals >= BOOK_DECIMALS)
		decimals = BOOK_DECIMALS - 1;
	dump_column_put_title(&s->columns->c[i], &title);
	page_put_text(p, 0, title.len ? title.text : "", p->b->text);
	strbuf_clear(&title);
	page_put_number(p, 1, (double)st->min / (double)scale, decimals);
	if (dump_column_has_average(&s->columns->c[i])) {
		page_put_number(p, 2, stats_mean(st) / (double)scale, decimals + 1 < BOOK_DECIMALS ?
									 decimals + 1 : decimals);
		page_put_number(p, 3, (double)stats_percentile(st, 50) / (double)scale, decimals);
		page_put_number(p, 4, (double)stats_percentile(st, 99) / (double)scale, decimals);
	}
	page_put_number(p, 5, (double)st->max / (double)scale, decimals);
	if (limit >= 0 && s->stats[limit].n > 0 &&
		dump_column_is_number(&s->columns->c[limit], &scale, &decimals)) {
		page_put_number(p, 6, (double)s->stats[limit].min / (double)scale, decimals);
		page_put_number(p, 7, (double)s->above[i] / 1e6, 3);
	}
	page_put_number(p, 8, (double)st->n, 0);
	p->row++;
}

void page_put_quantities(struct page *p, const struct book_card *c)
{
	const char *const names[] = { c->sheet, "Minimum", "Average", "p50", "p99", "Maximum",
		"Limit (lowest)", "Above limit (s)", "Samples" };
	size_t lines = 0;
	lxw_row_t from;

	for (size_t i = 0; i < c->sum->columns->n; i++)
		lines += worth_a_line(c->sum, i);
	page_keep_together(p, lines + 3);
	page_put_headings(p, names, ARRAY_LEN(names), 1);
	from = p->row;
	for (size_t i = 0; i < c->sum->columns->n; i++)
		if (worth_a_line(c->sum, i))
			put_quantity(p, c->sum, i);
	page_mark_positive(p, from, 7, p->b->over);
	p->row++;
}

double page_name_width(const struct book *b)
{
	size_t most = NAME_WIDTH;

	for (size_t i = 0; i < b->n; i++)
		for (size_t k = 0; b->cards[i].sum && k < b->cards[i].sum->columns->n; k++) {
			struct strbuf title = { 0 };

			dump_column_put_title(&b->cards[i].sum->columns->c[k], &title);
			if (worth_a_line(b->cards[i].sum, k) && title.len > most)
				most = title.len;
			strbuf_clear(&title);
		}
	return (double)most;
}

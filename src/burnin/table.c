/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.c - the table at the end of a burn.
 *
 * Targets of one board with the same verdict for the same reason share a line, and every
 * reason stands in full below its line.  A column that no target fills is left out.
 */
#include "config.h"
#include "src/burnin/print.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "output/text_table.h"
#include "src/burnin/cards.h"
#include "src/options.h"
#include "telemetry/field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was not watched, for all cards together. */

/* The text of a card's rule behind the card's name. */
static const char *text_of(const struct stop_rule *r)
{
	return strstr(r->text, ": ") + 2;
}

static bool is_same_rule(const struct stop_rule *a, const struct stop_rule *b)
{
	return a->card >= 0 && b->card >= 0 && a->applied == b->applied &&
		strcmp(text_of(a), text_of(b)) == 0;
}

void burnin_put_unwatched(struct strbuf *to, const struct stop_rule *rules, size_t n, size_t cards,
	const char *first, const char *between)
{
	int *index = mem_calloc(n + 1, sizeof(*index));
	const char *before = first;

	for (size_t i = 0; i < n; i++) {
		const struct stop_rule *r = &rules[i];
		size_t same = 0;
		bool is_done = r->applied;

		for (size_t k = 0; k < n && !is_done; k++)
			if (is_same_rule(r, &rules[k])) {
				is_done = k < i;
				index[same++] = rules[k].card;
			}
		if (is_done)
			continue;
		strbuf_printf(to, "%s%s", before, same > 1 ? text_of(r) : r->text);
		before = between;
		if (same > 1 && same == cards) {
			strbuf_printf(to, " (all %zu cards)", cards);
		} else if (same > 1) {
			strbuf_puts(to, " (");
			text_put_cards(to, index, same);
			strbuf_putc(to, ')');
		}
	}
	free(index);
}

/* A card that burnt. */
static bool is_card(const struct burnin_target *t)
{
	return t->ran && t->card;
}

void burnin_put_facts_unwatched(struct strbuf *to, const struct burnin_facts *f, const char *first,
	const char *between)
{
	size_t cards = 0;

	for (size_t i = 0; i < f->n_targets; i++)
		cards += is_card(&f->targets[i]);
	burnin_put_unwatched(to, f->rules, f->n_rules, cards, first, between);
}

/* The table. */

enum { INDEX, ADDRESS, BOARD, VERDICT, CORES, RATE, WRONG, TEMP, POWER, COLUMNS };

enum { FOLD_FROM = 5, INDENT = 6, WIDTH = 79 };	/* number of targets; cells of a line */

static const struct text_column columns[COLUMNS] = {
	[INDEX] = { .title = "#", .right = true }, [ADDRESS] = { .title = "address" },
	[BOARD] = { .title = "board" }, [VERDICT] = { .title = "verdict" },
	[CORES] = { .title = "cores", .right = true, .none = "-" },
	[RATE] = { .title = "MVMUL/cyc", .right = true, .none = "-" },
	[WRONG] = { .title = "wrong", .right = true, .none = "-" },
	[TEMP] = { .title = "max °C", .right = true, .none = "-" },
	[POWER] = { .title = "max W", .right = true, .none = "-" },
};

static const char *const colours[VERDICTS] = { [VERDICT_FAIL] = "1;31",
	[VERDICT_INCOMPLETE] = "1;35", [VERDICT_PASS] = "32" };

struct table {
	const struct burnin_table *look;
	const struct burnin_facts *facts;
	size_t *row_of;			/* by target, from 1: several may share a line */
	size_t n;			/* rows */
	bool has_cards;			/* some of them have cards */
	struct text_table cells;
};

/* The next target of a row; NULL: no more. */
static const struct burnin_target *next_member(const struct table *t, size_t row, size_t *i)
{
	while (*i < t->facts->n_targets)
		if (t->row_of[(*i)++] == row)
			return &t->facts->targets[*i - 1];
	return NULL;
}

/* The highest value of its telemetry. */
static bool find_most(const struct burnin_card *c, enum burnin_seen k, double *x)
{
	*x = (double)c->seen[k].most / fields[burnin_seen_fields[k]].scale;
	return c->seen[k].n > 0;
}

/* The number in a column; false: it is not known. */
static bool find_number(const struct burnin_target *t, int column, double *x)
{
	if (column == WRONG)
		*x = (double)t->result.errors;
	if (column == WRONG || !is_card(t))
		return column == WRONG && t->ran;
	if (column == TEMP || column == POWER)
		return find_most(t->card, column == TEMP ? BURNIN_TEMP : BURNIN_POWER, x);
	*x = column == CORES ? (double)t->card->result.cores : burnin_card_mvmul(t->card);
	return *x > 0;
}

/* "0.991", or "0.991-0.998" for several members; those without a value are skipped. */
static void put_range(const struct table *t, size_t row, bool is_single, int column, char to[32])
{
	/* A single temperature has a decimal, a range of them none. */
	const int decimals = column == RATE ? 3 : column == TEMP && is_single;
	const struct burnin_target *m;
	double least = 0, most = 0, x;
	char low[16], high[16];
	size_t n = 0;

	for (size_t i = 0; (m = next_member(t, row, &i));)
		if (find_number(m, column, &x)) {
			least = n == 0 || x < least ? x : least;
			most = n == 0 || x > most ? x : most;
			n++;
		}
	snprintf(low, sizeof(low), "%.*f", decimals, least);
	snprintf(high, sizeof(high), "-%.*f", decimals, most);
	*to = '\0';
	if (n > 0)
		snprintf(to, 32, "%s%s", low, strcmp(low, high + 1) == 0 ? "" : high);
}

static bool share_a_line(const struct burnin_target *a, const struct burnin_target *b)
{
	return is_card(a) && is_card(b) && a->result.verdict == b->result.verdict &&
		strcmp(a->board, b->board) == 0 &&
		strcmp(a->result.reason, b->result.reason) == 0 &&
		advice_is_alike(&a->next, &b->next);
}

/* Add the row of this target and n - 1 others.  Without an address it has only its name. */
static void add_cells(struct table *t, const struct burnin_target *first, size_t n)
{
	const enum verdict verdict = first->result.verdict;
	const bool has_address = *first->bdf;
	char index[16] = "", many[32], range[32];

	if (has_address && n == 1)
		snprintf(index, sizeof(index), "%d", first->index);
	snprintf(many, sizeof(many), "%zu %s", n, t->has_cards ? "others" : "cards");
	text_table_add(&t->cells, index, NULL);
	text_table_add(&t->cells, !has_address ? first->name : n > 1 ? many : first->bdf, NULL);
	text_table_add(&t->cells, has_address ? first->board : "", NULL);
	text_table_add(&t->cells, verdict_word(verdict),
		t->look->is_styled ? colours[verdict] : NULL);
	for (int k = CORES; k < COLUMNS; k++) {
		put_range(t, t->n, n == 1, k, range);
		text_table_add(&t->cells, range, NULL);
	}
}

/* Add the rows of one verdict, in the order of the targets. */
static void add_rows(struct table *t, enum verdict verdict)
{
	const struct burnin_target *all = t->facts->targets;
	const size_t most = t->facts->n_targets;

	for (size_t i = 0; i < most; i++) {
		size_t n = 1;

		if (all[i].result.verdict != verdict || t->row_of[i])
			continue;
		t->row_of[i] = ++t->n;
		for (size_t k = i + 1; k < most && most >= FOLD_FROM; k++)
			if (share_a_line(&all[i], &all[k])) {
				t->row_of[k] = t->n;
				n++;
			}
		add_cells(t, &all[i], n);
		t->has_cards = t->has_cards || is_card(&all[i]);
	}
}

/* Put the reason in full below its line, with the indices if the row has several cards. */
static void put_reason(struct strbuf *to, const struct table *t, size_t row)
{
	int *index = mem_calloc(t->facts->n_targets, sizeof(*index));
	const struct burnin_target *m, *first = NULL;
	const struct advice *next[DEVICE_MAX + 1];
	struct strbuf text = { 0 };
	size_t n = 0;

	for (size_t i = 0; (m = next_member(t, row, &i)); first = first ? first : m) {
		next[n] = &m->next;
		index[n++] = m->index;
	}
	if (n > 1) {
		text_put_cards(&text, index, n);
		strbuf_puts(&text, ": ");
	}
	strbuf_puts(&text, first->result.reason);
	advice_put(&text, next, n);
	if (*first->result.reason && !t->look->has_lines) {
		strbuf_printf(to, "%*s", INDENT, "");
		text_put_wrapped(to, text.text, INDENT, t->look->columns);
	}
	strbuf_clear(&text);
	free(index);
}

/* Say what was burnt and for how long, with the verdict at the line's right end. */
void burnin_table_put_head(struct strbuf *to, const struct burnin_facts *f,
	const struct burnin_table *look)
{
	const long s = (long)(f->took / CLOCK_SECOND);
	const char *verdict = verdict_word(f->verdict);
	size_t cards = 0, from = to->len;
	char end[32] = "";
	int gap;

	for (size_t i = 0; i < f->n_targets; i++)
		cards += strcmp(f->targets[i].name, "host") != 0;
	strbuf_printf(to, "Burn-in of %s%zu card%s, %02ld:%02ld:%02ld",
		cards < f->n_targets ? "the host and " : "", cards, text_plural(cards), s / 3600,
		s / 60 % 60, s % 60);
	if (f->exit != EXIT_DONE)
		snprintf(end, sizeof(end), " (exit code %d)", f->exit);
	gap = (int)(to->len - from + strlen(verdict) + strlen(end));
	strbuf_printf(to, "%*s", gap + 2 < WIDTH ? WIDTH - gap : 2, "");
	text_put_styled(to, look->is_styled ? colours[f->verdict] : NULL, verdict);
	strbuf_printf(to, "%s\n", end);
}

static void put_foot(struct strbuf *to, const struct table *t)
{
	const struct burnin_facts *f = t->facts;
	const char *before = "";

	for (int v = VERDICT_FAIL; v > VERDICT_NONE; v--) {
		size_t n = 0;

		for (size_t i = 0; i < f->n_targets; i++)
			n += (int)f->targets[i].result.verdict == v;
		text_put_count(to, &before, n, verdict_word((enum verdict)v));
	}
	strbuf_puts(to, ": ");
	text_put_styled(to, t->look->is_styled ? colours[f->verdict] : NULL,
		verdict_word(f->verdict));
	strbuf_putc(to, '\n');
}

/* Put what was not watched, the chips that could not be burnt, and whether resets were left out. */
static void put_notes(struct strbuf *to, const struct table *t)
{
	const struct burnin_facts *f = t->facts;
	struct strbuf text = { 0 };
	bool no_reset = false;

	burnin_put_facts_unwatched(&text, f, "Not watched: ", "; ");
	if (text.len > 0)
		text_put_wrapped(to, text.text, 2, t->look->columns);
	text.len = 0;
	for (size_t i = 0; i < f->n_targets; i++) {
		no_reset = no_reset || (is_card(&f->targets[i]) && f->o->no_reset);
		if (*f->targets[i].second)
			strbuf_printf(&text, "%s%s", text.len ? ", " :
				"Not burnt, reached only over ethernet: ", f->targets[i].second);
	}
	if (text.len > 0)
		text_put_wrapped(to, text.text, 2, t->look->columns);
	if (no_reset)
		strbuf_puts(to, "No chip was reset before and after (--no-reset).\n");
	strbuf_clear(&text);
}

void burnin_table_put(struct strbuf *to, const struct burnin_facts *f,
	const struct burnin_table *look)
{
	struct table t = { .look = look, .facts = f,
		.row_of = mem_calloc(f->n_targets + 1, sizeof(*t.row_of)),
		.cells = { .columns = columns, .n = COLUMNS } };

	for (int v = VERDICT_FAIL; v > VERDICT_NONE; v--)
		add_rows(&t, (enum verdict)v);
	text_table_put_head(to, &t.cells);
	for (size_t i = 0; i < t.n; i++) {
		text_table_put_row(to, &t.cells, i);
		put_reason(to, &t, i + 1);
	}
	put_notes(to, &t);
	put_foot(to, &t);
	text_table_clear(&t.cells);
	free(t.row_of);
}

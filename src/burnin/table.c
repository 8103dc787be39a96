/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.c - the table at the end of a burn.
 *
 * Targets of one board with the same verdict for the same reason share a line, and every
 * reason stands in full below its line.  A column that no target fills is left out.
 */
#include "config.h"
#include "src/burnin/table.h"

#include "base/mem.h"
#include "base/text.h"
#include "output/text_table.h"
#include "report/figure.h"
#include "telemetry/field.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was not watched, for all cards together. */

/* Put indices, which are sorted, as "0-5, 9". */
static void burnin_put_indices(struct strbuf *to, const int *index, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && index[end] == index[end - 1] + 1;)
			end++;
		strbuf_printf(to, "%s%d", i ? ", " : "", index[i]);
		if (end > i + 1)
			strbuf_printf(to, "%s%d", end > i + 2 ? "-" : ", ", index[end - 1]);
	}
}

/* The text of a card's rule, from the ": " behind its name on; NULL: not a rule of a card. */
static const char *of_card(const char *rule)
{
	return strncmp(rule, "card ", 5) == 0 ? strstr(rule, ": ") : NULL;
}

void burnin_put_unwatched(struct strbuf *to, const char *const *rules, size_t n, size_t cards,
	const char *first, const char *between)
{
	int *index = mem_calloc(n + 1, sizeof(*index));
	bool *is_done = mem_calloc(n + 1, sizeof(*is_done));

	for (size_t i = 0; i < n; i++) {
		const char *what = of_card(rules[i]);
		size_t same = 0;

		if (is_done[i])
			continue;
		for (size_t k = i; what && k < n; k++)
			if (of_card(rules[k]) && strcmp(of_card(rules[k]), what) == 0) {
				is_done[k] = true;
				index[same++] = (int)strtol(rules[k] + 5, NULL, 10);
			}
		strbuf_printf(to, "%s%s", i ? between : first, same > 1 ? what + 2 : rules[i]);
		if (same > 1 && same == cards) {
			strbuf_printf(to, " (all %zu cards)", cards);
		} else if (same > 1) {
			strbuf_puts(to, " (cards ");
			burnin_put_indices(to, index, same);
			strbuf_putc(to, ')');
		}
	}
	free(index);
	free(is_done);
}

void burnin_put_unwatched_figures(struct strbuf *to, const struct figures *all, const char *first,
	const char *between)
{
	const struct figure_value *rules = figures_list(all, "stop_rules");
	const struct figure_value *targets = figures_list(all, "targets");
	const char **texts = mem_calloc(rules->n_nodes + 1, sizeof(*texts));
	size_t n = 0, cards = 0;

	for (size_t i = 0; i < rules->n_nodes; i++) {
		const struct figure_value *applied = figures_known(&rules->nodes[i], "applied");

		if (applied && applied->n == 0)
			texts[n++] = figures_text(&rules->nodes[i], "rule");
	}
	for (size_t i = 0; i < targets->n_nodes; i++)
		cards += figures_known(&targets->nodes[i], "board") != NULL;
	burnin_put_unwatched(to, texts, n, cards, first, between);
	free(texts);
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

/* The verdicts with their colours, the worst first. */
static const struct {
	const char *name, *sgr;
} verdicts[] = { { "FAIL", "1;31" }, { "INCOMPLETE", "1;35" }, { "PASS", "32" } };

/* Targets that share a line, in their order. */
struct row {
	const struct figures **member;
	size_t n;
};

struct table {
	const struct burnin_table *look;
	const struct figures *all;
	const struct figure_value *targets;
	struct row *rows;
	size_t n;
	const struct figures **members;	/* of all rows */
};

/* The highest value of a telemetry field; NULL: not known. */
static const struct figure_value *most_seen(const struct figures *target, enum field_id id)
{
	const struct figure_value *seen = figures_list(target, "telemetry");

	for (size_t i = 0; i < seen->n_nodes; i++)
		if (strcmp(figures_text(&seen->nodes[i], "field"), fields[id].key) == 0)
			return figures_known(&seen->nodes[i], "most");
	return NULL;
}

static bool find_number(const struct figures *target, int column, double *x)
{
	const struct figure_value *cores = figures_list(target, "cores"), *v =
		column == RATE ? figures_known(target, "mvmul_per_cycle") :
		column == WRONG ? figures_known(target, "errors") :
		column == TEMP ? most_seen(target, FIELD_ASIC_TEMP) :
		column == POWER ? most_seen(target, FIELD_POWER) : NULL;

	*x = column == CORES ? (double)cores->n_nodes : v ? figure_number(v) : 0;
	return column == CORES ? *x > 0 : v != NULL;
}

/* "0.991", or "0.991-0.998" for several members; those without a value are skipped. */
static void put_range(const struct row *row, int column, char to[32])
{
	/* A single temperature has a decimal, a range of them none. */
	const int decimals = column == RATE ? 3 : column == TEMP && row->n == 1;
	double least = 0, most = 0, x;
	char low[16], high[16];
	size_t n = 0;

	for (size_t i = 0; i < row->n; i++)
		if (find_number(row->member[i], column, &x)) {
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

static bool share_a_line(const struct figures *a, const struct figures *b)
{
	static const char *const keys[] = { "board", "verdict", "reason" };

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (strcmp(figures_text(a, keys[i]), figures_text(b, keys[i])) != 0)
			return false;
	return figures_known(a, "board") != NULL;
}

/* Add the rows of one verdict, in the order of the targets. */
static void add_rows(struct table *t, const char *verdict)
{
	const struct figures *all = t->targets->nodes;
	const size_t n = t->targets->n_nodes;

	for (size_t i = 0; i < n; i++) {
		struct row *row = &t->rows[t->n];
		bool is_old = strcmp(figures_text(&all[i], "verdict"), verdict) != 0;

		for (size_t k = 0; k < i && n >= FOLD_FROM && !is_old; k++)
			is_old = share_a_line(&all[k], &all[i]);
		if (is_old)
			continue;
		row->member = t->n ? row[-1].member + row[-1].n : t->members;
		row->member[row->n++] = &all[i];
		for (size_t k = i + 1; k < n && n >= FOLD_FROM; k++)
			if (share_a_line(&all[i], &all[k]))
				row->member[row->n++] = &all[k];
		t->n++;
	}
}

static int index_of(const struct figures *target)
{
	return (int)figures_number(target, "index");
}

static const char *sgr_of(const struct burnin_table *look, const char *verdict)
{
	for (size_t i = 0; i < ARRAY_LEN(verdicts) && look->is_styled; i++)
		if (strcmp(verdicts[i].name, verdict) == 0)
			return verdicts[i].sgr;
	return NULL;
}

/* A target without an address has only its name: "host", or a word that names no card. */
static void add_cells(struct text_table *cells, const struct table *t, const struct row *row)
{
	const struct figures *first = row->member[0];
	const char *address = figures_text(first, "bus_id"), *word = "cards";
	const char *verdict = figures_text(first, "verdict");
	char index[8] = "", many[32], range[32];

	for (const struct row *before = t->rows; before < row; before++)
		word = figures_known(before->member[0], "board") ? "others" : word;
	if (*address && row->n == 1)
		snprintf(index, sizeof(index), "%d", index_of(first));
	snprintf(many, sizeof(many), "%zu %s", row->n, word);
	text_table_add(cells, index, NULL);
	text_table_add(cells, !*address ? figures_text(first, "target") :
		row->n > 1 ? many : address, NULL);
	text_table_add(cells, *address ? figures_text(first, "named") : "", NULL);
	text_table_add(cells, verdict, sgr_of(t->look, verdict));
	for (int k = CORES; k < COLUMNS; k++) {
		put_range(row, k, range);
		text_table_add(cells, range, NULL);
	}
}

/* Put the reason in full below its line, with the indices if the row has several cards. */
static void put_reason(struct strbuf *to, const struct table *t, const struct row *row)
{
	const char *reason = figures_text(row->member[0], "reason");
	struct strbuf text = { 0 };
	int *index = mem_calloc(row->n, sizeof(*index));

	for (size_t i = 0; i < row->n; i++)
		index[i] = index_of(row->member[i]);
	if (*reason && row->n > 1) {
		strbuf_puts(&text, "cards ");
		burnin_put_indices(&text, index, row->n);
		strbuf_puts(&text, ": ");
	}
	strbuf_puts(&text, reason);
	if (*reason) {
		strbuf_printf(to, "%*s", INDENT, "");
		text_put_wrapped(to, text.text, INDENT, t->look->columns);
	}
	strbuf_clear(&text);
	free(index);
}

/* Say what was burnt and for how long, with the verdict at the line's right end. */
void burnin_table_put_head(struct strbuf *to, const struct figures *all,
	const struct burnin_table *look)
{
	const struct figure_value *targets = figures_list(all, "targets"),
		*took = figures_known(all, "seconds"), *code = figures_known(all, "exit_code");
	const long s = took ? (long)figure_number(took) : 0;
	const char *verdict = figures_text(all, "verdict");
	size_t cards = 0, from = to->len;
	bool host = false;
	char end[32] = "";
	int gap;

	for (size_t i = 0; i < targets->n_nodes; i++) {
		const char *name = figures_text(&targets->nodes[i], "target");

		host = host || strcmp(name, "host") == 0;
		cards += strcmp(name, "host") != 0;
	}
	strbuf_printf(to, "Burn-in of %s%zu card%s, %02ld:%02ld:%02ld", host ? "the host and " : "",
		cards, text_plural(cards), s / 3600, s / 60 % 60, s % 60);
	if (code && code->n != 0)
		snprintf(end, sizeof(end), " (exit code %d)", (int)code->n);
	gap = (int)(to->len - from + strlen(verdict) + strlen(end));
	strbuf_printf(to, "%*s", gap + 2 < WIDTH ? WIDTH - gap : 2, "");
	text_put_styled(to, sgr_of(look, verdict), verdict);
	strbuf_printf(to, "%s\n", end);
}

static void put_foot(struct strbuf *to, const struct table *t)
{
	const char *verdict = figures_text(t->all, "verdict"), *before = "";

	for (size_t k = 0; k < ARRAY_LEN(verdicts); k++) {
		size_t n = 0;

		for (size_t i = 0; i < t->targets->n_nodes; i++)
			n += strcmp(figures_text(&t->targets->nodes[i], "verdict"),
				verdicts[k].name) == 0;
		text_put_count(to, &before, n, verdicts[k].name);
	}
	strbuf_puts(to, ": ");
	text_put_styled(to, sgr_of(t->look, verdict), verdict);
	strbuf_putc(to, '\n');
}

/* Put what was not watched, the chips that could not be burnt, and whether resets were left out. */
static void put_notes(struct strbuf *to, const struct table *t)
{
	struct strbuf text = { 0 };
	bool no_reset = false;

	burnin_put_unwatched_figures(&text, t->all, "Not watched: ", "; ");
	if (text.len > 0)
		text_put_wrapped(to, text.text, 2, t->look->columns);
	text.len = 0;
	for (size_t i = 0; i < t->targets->n_nodes; i++) {
		const struct figures *target = &t->targets->nodes[i];
		const struct figure_value *v = figures_known(target, "no_reset");
		const char *second = figures_text(target, "second_chip_not_burnt");

		no_reset = no_reset || (v && v->n);
		if (*second)
			strbuf_printf(&text, "%s%s", text.len ? ", " :
				"Not burnt, reached only over ethernet: ", second);
	}
	if (text.len > 0)
		text_put_wrapped(to, text.text, 2, t->look->columns);
	if (no_reset)
		strbuf_puts(to, "No chip was reset before and after (--no-reset).\n");
	strbuf_clear(&text);
}

void burnin_table_put(struct strbuf *to, const struct figures *all, const struct burnin_table *look)
{
	struct table t = { .look = look, .all = all, .targets = figures_list(all, "targets") };
	struct text_table cells = { .columns = columns, .n = COLUMNS };

	t.rows = mem_calloc(t.targets->n_nodes + 1, sizeof(*t.rows));
	t.members = mem_calloc(t.targets->n_nodes + 1, sizeof(*t.members));
	for (size_t i = 0; i < ARRAY_LEN(verdicts); i++)
		add_rows(&t, verdicts[i].name);
	for (size_t i = 0; i < t.n; i++)
		add_cells(&cells, &t, &t.rows[i]);
	text_table_put_head(to, &cells);
	for (size_t i = 0; i < t.n; i++) {
		text_table_put_row(to, &cells, i);
		put_reason(to, &t, &t.rows[i]);
	}
	put_notes(to, &t);
	put_foot(to, &t);
	text_table_clear(&cells);
	free(t.rows);
	free(t.members);
}

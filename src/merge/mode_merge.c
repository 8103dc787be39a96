/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_merge.c - --merge: one verdict from the reports of a burn on many hosts.
 */
#include "config.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/text.h"
#include "device/ident.h"
#include "output/figure_json.h"
#include "output/xlsx.h"
#include "src/burnin/print.h"
#include "src/merge/merge.h"
#include "src/mode.h"
#include "src/say.h"
#include "src/session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*
 * Merged reports as figures.  A row of a report with `.merge` is shown for each host or target,
 * after the rows that they have here, and merged for all of them.
 */

/* Text from other programs must not control a terminal or spoil a workbook. */
static void make_plain(struct figures *f)
{
	for (size_t i = 0; i < f->group->n; i++) {
		char *text = f->values[i].text;
		const size_t size = text ? 4 * strlen(text) + 1 : 0;

		if (!text)
			continue;
		f->values[i].text = text_plain(mem_calloc(1, size), size, text);
		free(text);
	}
}

/* The groups with the rows that are merged, which merge_take() makes. */
static struct figure_group all_merged, host_merged, target_merged;

/* Give the last element the merged rows, too, and their figures. */
static void merge_last(struct figure_value *list, const struct figure_group *merged,
	const struct figures *from)
{
	struct figures *f = &list->nodes[list->n_nodes - 1];

	f->values = mem_realloc(f->values, merged->n * sizeof(*f->values));
	memset(f->values + f->group->n, 0, (merged->n - f->group->n) * sizeof(*f->values));
	f->group = merged;
	if (from)
		figures_copy(f, from);
	make_plain(f);
}

/* NULL: it could not be read. */
static const struct figures *figures_of(const struct merge_report *r)
{
	return r->figures.values ? &r->figures : NULL;
}

#define HOST_FIGURES(F) \
	F(TEXT, host, ("Host", .some = true), r->host) \
	F(TEXT, verdict, ("Verdict"), verdict_word(r->verdict)) \
	F(TEXT, reason, ("Reason", .some = true), r->reason) \
	F(TEXT, code, (.some = true), code_word(r->code)) \
	F(TEXT, report, (), r->path) \
	F(INT, targets, ("Targets"), figures_list(figures_of(r), "targets")->n_nodes) \
	F(INT, cards, ("Cards"), r->cards) \
	F(INT, cards_simulated, ("Simulated", .some = true), r->simulated) \
	F(TEXT, unlike, ("Other settings", .some = true), r->unlike)
FIGURES(host, HOST_FIGURES, const struct merge_report *r)

#define TARGET_FIGURES(F) F(TEXT, host, ("Host"), r->host)
FIGURES(target, TARGET_FIGURES, const struct merge_report *r)

static void add_targets(struct figure_value *to, const struct merge_report *r, const char *verdict)
{
	const struct figure_value *targets = figures_list(figures_of(r), "targets");

	for (size_t i = 0; i < targets->n_nodes; i++) {
		const struct figures *t = &targets->nodes[i];

		if (strcmp(figures_text(t, "verdict"), verdict) != 0)
			continue;
		target_add(to, r);
		merge_last(to, &target_merged, t);
	}
}

static void add_together(struct figure_value *to, const struct merge *m)
{
	struct figures *together = figure_add_node(to, &all_merged);
	bool any = false;

	for (size_t i = 0; i < m->n; i++) {
		if (!figures_of(&m->reports[i]))
			continue;
		figures_merge(together, &m->reports[i].figures, !any);
		any = true;
	}
	make_plain(together);
}

#define ALL_FIGURES(F) \
	F(TEXT, verdict, ("Verdict"), verdict_word(m->verdict)) \
	F(INT, exit_code, (), exit_code) \
	F(TEXT, reason, ("Reason", .some = true), m->reason) \
	F(TEXT, code, (.some = true), code_word(m->reports[0].code)) \
	F(INT, hosts_expected, ("Hosts that there should be", .some = true), m->expected) \
	F(INT, cards_expected, ("Cards that each should have", .some = true), \
		m->cards > 0 ? m->cards : 0) \
	F(INT, hosts_passed, ("Hosts that passed"), m->passed) \
	F(INT, cards_simulated, ("Cards that are simulated", .some = true), m->simulated) \
	F(INT, hosts_unlike, ("Hosts with other settings", .some = true), m->unlike) \
	F(TIME, load_seconds, ("Shortest load (s)", .decimals = 1, .place = true), m->load) \
	F(PART, together, (.group = &all_merged), add_together(v, m)) \
	F(LIST, hosts, (.group = &host_merged), \
		for (size_t i = 0; i < m->n; i++) { \
			host_add(v, &m->reports[i]); \
			merge_last(v, &host_merged, figures_of(&m->reports[i])); \
		}) \
	F(LIST, targets, (.group = &target_merged), \
		for (int k = VERDICT_FAIL; k >= VERDICT_PASS; k--) \
			for (size_t i = 0; i < m->n; i++) \
				add_targets(v, &m->reports[i], verdict_word((enum verdict)k)))
FIGURES(all, ALL_FIGURES, const struct merge *m, int exit_code)

void merge_take(struct figures *to, const struct merge *m, int exit_code)
{
	struct figure_value top = { .nodes = NULL };

	figure_group_merge(&all_merged, NULL, &burnin_figures);
	figure_group_merge(&host_merged, &host_figures, &burnin_figures);
	figure_group_merge(&target_merged, &target_figures, &burnin_target_figures);
	all_add(&top, m, exit_code);
	*to = figures_take(&top);
}

/* In words. */

/* Put a number of things, if it is known: "; 2 wrong words". */
static void put_count(struct strbuf *to, const struct figures *f, const char *key,
	const char *before, const char *things)
{
	const double n = figures_number(f, key);

	if (figures_known(f, key))
		strbuf_printf(to, "%s%.0f %s%s", before, n, things, n == 1 ? "" : "s");
}

static void put_verdict(struct strbuf *to, const struct figures *f)
{
	strbuf_printf(to, "merged: %s", figures_text(f, "verdict"));
	put_count(to, f, "hosts_passed", ": ", "host");
	strbuf_puts(to, " passed");
	if (figures_known(f, "hosts_expected"))
		strbuf_printf(to, " of %.0f that there should be",
			figures_number(f, "hosts_expected"));
	put_count(to, f, "errors", "; ", "wrong word");
	figures_put(to, f, "reason", "; ");
	put_count(to, f, "cards_simulated", "; ", "simulated card");
	if (figures_known(f, "load_seconds"))
		strbuf_printf(to, "; at least %.0f s each", figures_number(f, "load_seconds"));
	if (figures_known(f, "hosts_unlike"))
		strbuf_printf(to, "; %.0f with other settings", figures_number(f, "hosts_unlike"));
	strbuf_putc(to, '\n');
}

static void put_host(struct strbuf *to, const struct figures *f)
{
	const char *host = figures_text(f, "host");

	strbuf_printf(to, "%-10s  %-16s  %2.0f target%s", figures_text(f, "verdict"),
		*host ? host : "-", figures_number(f, "targets"),
		figures_number(f, "targets") == 1 ? "" : "s");
	if (figures_known(f, "errors"))
		strbuf_printf(to, ", %.0f wrong", figures_number(f, "errors"));
	if (figures_known(f, "cards_simulated"))
		strbuf_printf(to, ", %.0f simulated", figures_number(f, "cards_simulated"));
	figures_put(to, f, "reason", ": ");
	figures_put(to, f, "unlike", "; other settings: ");
	figures_put(to, f, "begun", "; begun ");
	if (!*host && figures_known(f, "report"))
		strbuf_printf(to, " (%s)", figures_text(f, "report"));
	strbuf_putc(to, '\n');
}

static void put_target(struct strbuf *to, const struct figures *f)
{
	const char *verdict = figures_text(f, "verdict");

	if (strcmp(verdict, verdict_word(VERDICT_PASS)) == 0 || !figures_known(f, "target"))
		return;
	strbuf_printf(to, "  %s: %s: %s", figures_text(f, "host"), figures_text(f, "target"),
		verdict);
	figures_put(to, f, "reason", ": ");
	strbuf_putc(to, '\n');
}

enum { SCREEN = 20 };		/* lines after which the verdict is repeated */

void merge_put_text(struct strbuf *to, const struct figures *f)
{
	const struct figure_value *hosts = figures_list(f, "hosts");
	const struct figure_value *targets = figures_list(f, "targets");
	size_t lines_of_it = 0;

	put_verdict(to, f);
	for (size_t i = 0; i < hosts->n_nodes; i++)
		put_host(to, &hosts->nodes[i]);
	for (size_t i = 0; i < targets->n_nodes; i++)
		put_target(to, &targets->nodes[i]);
	for (size_t i = 0; i < to->len; i++)
		lines_of_it += to->text[i] == '\n';
	if (lines_of_it > SCREEN)
		put_verdict(to, f);
}

static bool take_expected(const char *value, int64_t *cards)
{
	uint64_t n;

	*cards = MERGE_CARDS_ALIKE;
	if (!value)
		return true;
	if (strcmp(value, "any") == 0) {
		*cards = MERGE_CARDS_ANY;
		return true;
	}
	if (!parse_u64(value, &n) || n < 1 || n > DEVICE_MAX) {
		say_as(CODE_BAD_VALUE, "--expected-cards: '%.40s' is neither a number from 1 to %d "
			"nor the word any", value, DEVICE_MAX);
		return false;
	}
	*cards = (int64_t)n;
	return true;
}

/* The report that the workbook would replace, or NULL. */
static const char *find_replaced(const struct merge *m, const char *workbook)
{
	struct stat book, st;

	if (!workbook || stat(workbook, &book) < 0)
		return NULL;
	for (size_t i = 0; i < m->n; i++) {
		const char *path = m->reports[i].path;

		if (path && stat(path, &st) == 0 && st.st_dev == book.st_dev &&
			st.st_ino == book.st_ino)
			return path;
	}
	return NULL;
}

#define DAY (86400 * CLOCK_SECOND)

enum exit_code mode_merge(const struct options *o)
{
	struct figures f;
	struct merge m = { .within = o->within ? o->within : DAY };
	struct strbuf text = { 0 };
	const char *replaced;
	enum exit_code code;
	struct error e;

	if (!take_expected(o->expected_cards, &m.cards))
		return EXIT_USAGE;
	for (size_t i = 0; i < o->n_targets; i++)
		merge_add(&m, o->targets[i]);
	replaced = find_replaced(&m, o->workbook);
	if (replaced) {
		say_as(CODE_CONFLICT, "--workbook: %s is one of the reports", replaced);
		merge_clear(&m);
		return EXIT_USAGE;
	}
	merge_judge(&m, o->hosts);
	code = exit_of_verdict(m.verdict);
	merge_take(&f, &m, (int)code);
	if (o->json)
		figures_print_json(&text, &f);
	else
		merge_put_text(&text, &f);
	if (o->workbook && xlsx_make_burn(o->workbook, &f, &e) < 0) {
		session_fail_file(&e);
		code = exit_unwritten(code);
	}
	figures_clear(&f);
	merge_clear(&m);
	return outlet_print(&text, code);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_merge.c - --merge: one verdict from the reports of a burn on many hosts.
 */
#include "config.h"

#include "base/mem.h"
#include "base/parse.h"
#include "base/text.h"
#include "device/ident.h"
#include "output/figure_json.h"
#include "output/xlsx.h"
#include "src/burnin/figures.h"
#include "src/merge/merge.h"
#include "src/mode.h"
#include "src/say.h"
#include "src/session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*
 * Merged reports as figures.  Their rows are made from the rows of one report: a row with `.merge`
 * is shown for each host or target here, and merged for all of them.
 */

enum { ALL_VERDICT, ALL_EXIT, ALL_REASON, ALL_CODE, ALL_EXPECTED, ALL_CARDS, ALL_PASSED,
	ALL_SIMULATED, ALL_UNLIKE, ALL_LOAD, ALL_TOGETHER, ALL_HOSTS, ALL_TARGETS, ALL_ROWS };

static const struct figure all_rows[ALL_ROWS] = {
	[ALL_VERDICT] = { .key = "verdict", .kind = FIGURE_TEXT, .title = "Verdict" },
	[ALL_EXIT] = { .key = "exit_code", .kind = FIGURE_INT },
	[ALL_REASON] = { .key = "reason", .kind = FIGURE_TEXT, .title = "Reason", .some = true },
	[ALL_CODE] = { .key = "code", .kind = FIGURE_TEXT, .some = true },
	[ALL_EXPECTED] = { .key = "hosts_expected", .kind = FIGURE_INT, .some = true,
		.title = "Hosts that there should be" },
	[ALL_CARDS] = { .key = "cards_expected", .kind = FIGURE_INT, .some = true,
		.title = "Cards that each should have" },
	[ALL_PASSED] = { .key = "hosts_passed", .kind = FIGURE_INT,
		.title = "Hosts that passed" },
	[ALL_SIMULATED] = { .key = "cards_simulated", .kind = FIGURE_INT, .some = true,
		.title = "Cards that are simulated" },
	[ALL_UNLIKE] = { .key = "hosts_unlike", .kind = FIGURE_INT, .some = true,
		.title = "Hosts with other settings" },
	[ALL_LOAD] = { .key = "load_seconds", .kind = FIGURE_TIME, .place = true,
		.title = "Shortest load (s)", .decimals = 1 },
	[ALL_TOGETHER] = { .key = "together", .kind = FIGURE_PART },
	[ALL_HOSTS] = { .key = "hosts", .kind = FIGURE_LIST },
	[ALL_TARGETS] = { .key = "targets", .kind = FIGURE_LIST },
};
_Static_assert(ARRAY_LEN(all_rows) == ARRAY_LEN(((struct merge_figures *)0)->rows), "all fit");

enum { HOST_HOST, HOST_VERDICT, HOST_REASON, HOST_CODE, HOST_REPORT, HOST_TARGETS, HOST_CARDS,
	HOST_SIMULATED, HOST_UNLIKE, HOST_ROWS };

static const struct figure host_rows[HOST_ROWS] = {
	[HOST_HOST] = { .key = "host", .kind = FIGURE_TEXT, .title = "Host", .some = true },
	[HOST_VERDICT] = { .key = "verdict", .kind = FIGURE_TEXT, .title = "Verdict" },
	[HOST_REASON] = { .key = "reason", .kind = FIGURE_TEXT, .title = "Reason",
		.some = true },
	[HOST_CODE] = { .key = "code", .kind = FIGURE_TEXT, .some = true },
	[HOST_REPORT] = { .key = "report", .kind = FIGURE_TEXT },
	[HOST_TARGETS] = { .key = "targets", .kind = FIGURE_INT, .title = "Targets" },
	[HOST_CARDS] = { .key = "cards", .kind = FIGURE_INT, .title = "Cards" },
	[HOST_SIMULATED] = { .key = "cards_simulated", .kind = FIGURE_INT, .some = true,
		.title = "Simulated" },
	[HOST_UNLIKE] = { .key = "unlike", .kind = FIGURE_TEXT, .title = "Other settings",
		.some = true },
};

enum { TARGET_HOST, TARGET_IS_ILL, TARGET_ROWS };

/* Hidden rows are used only in texts. */
static const struct figure target_rows[TARGET_ROWS] = {
	[TARGET_HOST] = { .key = "host", .kind = FIGURE_TEXT, .title = "Host" },
	[TARGET_IS_ILL] = { .key = "is_ill", .kind = FIGURE_BOOL, .hidden = true },
};

static void put_text(struct figures *f, size_t i, const char *text)
{
	figure_put_text(&f->values[i], &f->group->rows[i], text);
}

static void put_number(struct figures *f, size_t i, int64_t n)
{
	figure_put_number(&f->values[i], &f->group->rows[i], n);
}

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

static void add_host(struct figures *all, const struct merge_figures *f,
	const struct merge_report *r)
{
	struct figures *host = figure_add_node(&all->values[ALL_HOSTS], f->hosts);

	put_text(host, HOST_HOST, r->host);
	put_text(host, HOST_VERDICT, verdict_word(r->verdict));
	put_text(host, HOST_REASON, r->reason);
	put_text(host, HOST_CODE, code_word(r->code));
	put_text(host, HOST_REPORT, r->path);
	put_number(host, HOST_TARGETS, r->figures.values ?
		(int64_t)figures_list(&r->figures, "targets")->n_nodes : 0);
	put_number(host, HOST_CARDS, (int64_t)r->cards);
	put_number(host, HOST_SIMULATED, (int64_t)r->simulated);
	put_text(host, HOST_UNLIKE, r->unlike);
	if (r->figures.values)
		figures_copy(host, &r->figures);
	make_plain(host);
}

static void add_targets(struct figures *all, const struct merge_figures *f,
	const struct merge_report *r, const char *verdict)
{
	const struct figure_value *targets = figures_list(&r->figures, "targets");

	for (size_t i = 0; i < targets->n_nodes; i++) {
		const struct figures *t = &targets->nodes[i];
		struct figures *to;

		if (strcmp(figures_text(t, "verdict"), verdict) != 0)
			continue;
		to = figure_add_node(&all->values[ALL_TARGETS], f->targets);
		put_text(to, TARGET_HOST, r->host);
		put_number(to, TARGET_IS_ILL, strcmp(verdict,
			verdict_word(VERDICT_PASS)) != 0);
		figures_copy(to, t);
		make_plain(to);
	}
}

void merge_figures_make(struct merge_figures *to, const struct merge *m, int exit_code)
{
	struct figure_value top = { .nodes = NULL };
	struct figures *all, *together;
	int64_t passed = 0, simulated = 0, unlike = 0, load = -1;
	bool any = false;

	to->all = figure_group_merged(NULL, 0, &burnin_figures);
	to->hosts = figure_group_merged(host_rows, HOST_ROWS, &burnin_figures);
	to->targets = figure_group_merged(target_rows, TARGET_ROWS, &burnin_target_figures);
	memcpy(to->rows, all_rows, sizeof(all_rows));
	to->rows[ALL_TOGETHER].group = to->all;
	to->rows[ALL_HOSTS].group = to->hosts;
	to->rows[ALL_TARGETS].group = to->targets;
	to->group = (struct figure_group){ to->rows, ALL_ROWS };
	all = figure_add_node(&top, &to->group);
	together = figure_add_node(&all->values[ALL_TOGETHER], to->all);
	for (size_t i = 0; i < m->n; i++) {
		const struct merge_report *r = &m->reports[i];

		passed += r->verdict == VERDICT_PASS;
		simulated += (int64_t)r->simulated;
		unlike += *r->unlike != '\0';
		add_host(all, to, r);
		if (!r->figures.values)
			continue;
		if (r->load >= 0 && (load < 0 || r->load < load))
			load = r->load;
		figures_merge(together, &r->figures, !any);
		any = true;
	}
	for (int v = VERDICT_FAIL; v >= VERDICT_PASS; v--)
		for (size_t i = 0; i < m->n; i++)
			if (m->reports[i].figures.values)
				add_targets(all, to, &m->reports[i],
					verdict_word((enum verdict)v));
	make_plain(together);
	put_text(all, ALL_VERDICT, verdict_word(m->verdict));
	put_number(all, ALL_EXIT, exit_code);
	put_text(all, ALL_REASON, m->reason);
	put_text(all, ALL_CODE, code_word(m->reports[0].code));
	put_number(all, ALL_EXPECTED, (int64_t)m->expected);
	put_number(all, ALL_CARDS, m->cards > 0 ? m->cards : 0);
	put_number(all, ALL_PASSED, passed);
	put_number(all, ALL_SIMULATED, simulated);
	put_number(all, ALL_UNLIKE, unlike);
	put_number(all, ALL_LOAD, load);
	for (int i = ALL_TOGETHER; i <= ALL_TARGETS; i++)
		all->values[i].state = FIGURE_KNOWN;
	to->figures = figures_take(&top);
}

void merge_figures_clear(struct merge_figures *f)
{
	figures_clear(&f->figures);
	free(f->all);
	free(f->hosts);
	free(f->targets);
}

static const char *const last_line[] = {
	"merged: {verdict}: {hosts_passed} host{hosts_passed:s} passed"
		"[ of {hosts_expected} that there should be][; {errors} wrong word{errors:s}]"
		"[; {reason}][; {cards_simulated} simulated card{cards_simulated:s}]"
		"[; at least {load_seconds:.0} s each][; {hosts_unlike} with other settings]\n",
};

static const char *const lines[] = {
	"{@hosts}{verdict:-10}  [{host:-16}][{!host}-               ]"
		"[  {targets:2} target{targets:s}][, {errors} wrong]"
		"[, {cards_simulated} simulated][: {reason}][; other settings: {unlike}]"
		"[{!host}[ ({report})]]\n",
	"{@targets}{?is_ill}  {host}: {target}: {verdict}[: {reason}]\n",
};

enum { SCREEN = 20 };		/* lines after which the verdict is repeated */

void merge_put_text(struct strbuf *to, const struct figures *f)
{
	size_t lines_of_it = 0;

	figures_put_lines(to, f, last_line, ARRAY_LEN(last_line));
	figures_put_lines(to, f, lines, ARRAY_LEN(lines));
	for (size_t i = 0; i < to->len; i++)
		lines_of_it += to->text[i] == '\n';
	if (lines_of_it > SCREEN)
		figures_put_lines(to, f, last_line, ARRAY_LEN(last_line));
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

enum exit_code mode_merge(const struct options *o)
{
	struct merge_figures f;
	struct merge m = { .n = 0 };
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
	merge_figures_make(&f, &m, (int)code);
	if (o->json)
		figures_print_json(&text, &f.figures);
	else
		merge_put_text(&text, &f.figures);
	if (o->workbook && xlsx_make_burn(o->workbook, &f.figures, &e) < 0) {
		session_fail_file(&e);
		code = exit_unwritten(code);
	}
	merge_figures_clear(&f);
	merge_clear(&m);
	return outlet_print(&text, code);
}

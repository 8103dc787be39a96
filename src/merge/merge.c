/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge.c - many reports, one verdict: the worst of them.  It is never PASS if an expected host has
 * no report, if a host has two, if the reports are of several jobs or days, or if a host burnt less
 * than the others: a card that was lost before the burn is in no report.  Other settings are no
 * other verdict, since hosts may be unlike, but they are named.
 */
#include "config.h"
#include "src/merge/merge.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "burnin/host/burn.h"
#include "output/figure_json.h"
#include "report/figure.h"
#include "report/ledger.h"
#include "src/burnin/print.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*
 * The report of a burn on one host, judged again.  A FAIL is always believed, a PASS only if the
 * file has the form that we write and all of its counts agree.
 */

/* Set this verdict, code and reason, unless the verdict is as bad already. */
__attribute__((format(printf, 4, 5)))
static void merge_report_find(struct merge_report *r, enum verdict v, enum code code,
	const char *fmt, ...)
{
	char text[sizeof(r->reason)];
	va_list ap;

	if (v <= r->verdict && *r->reason)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	text_plain(r->reason, sizeof(r->reason), text);
	r->code = code;
	r->verdict = v > r->verdict ? v : r->verdict;
}

/* INCOMPLETE if the text is not a verdict. */
static enum verdict verdict_of(const char *text)
{
	static const enum verdict given[] = { VERDICT_PASS, VERDICT_FAIL };

	for (size_t i = 0; i < ARRAY_LEN(given); i++)
		if (strcmp(text, verdict_word(given[i])) == 0)
			return given[i];
	return VERDICT_INCOMPLETE;
}

/* Replace a target's verdict or reason, so that the new one is shown. */
static void change_text(struct figures *t, const char *key, const char *text)
{
	for (size_t i = 0; i < t->group->n; i++)
		if (strcmp(t->group->rows[i].key, key) == 0) {
			free(t->values[i].text);
			figure_put_text(&t->values[i], &t->group->rows[i], text);
		}
}

/* Check that the burn covered what it should, and the state of each core. */
static void check_coverage(struct merge_report *as, const struct figures *t,
	const struct ledger *l)
{
	const struct figure_value *cores = figures_list(t, "cores");
	char gaps[200] = "";

	ledger_put_gaps(l, gaps, sizeof(gaps));
	if (!ledger_is_met(l))
		merge_report_find(as, VERDICT_INCOMPLETE, CODE_NOT_COVERED, "%s", gaps);
	if (cores->n_nodes < l->done[LEDGER_CORES])
		merge_report_find(as, VERDICT_INCOMPLETE, CODE_NOT_COVERED, "%zu of %llu cores are "
			"in the report", cores->n_nodes, (unsigned long long)l->done[LEDGER_CORES]);
	for (size_t i = 0; i < cores->n_nodes; i++) {
		const struct figures *core = &cores->nodes[i];
		const char *state = figures_text(core, "state");

		if (strcmp(state, "well") != 0 && strcmp(state, "slow") != 0)
			merge_report_find(as, VERDICT_INCOMPLETE, CODE_NOT_COVERED, "a core of it: "
				"%s", *state ? state : "its state is not known");
	}
}

static void check_reset(struct merge_report *as, const struct figures *t, const char *key)
{
	const struct figure_value *v = figures_known(t, key);
	const char *verdict = v && v->n_nodes > 0 ? figures_text(v->nodes, "verdict") :
		"recovered";

	if (strcmp(verdict, "recovered") != 0)
		merge_report_find(as, VERDICT_FAIL, CODE_NOT_RESET, "%s: %s", key, verdict);
}

/* Keep its own verdict, or set a worse one if its figures demand it. */
static void judge_target(struct merge_report *r, struct figures *t)
{
	struct merge_report as = { .path = r->path, .verdict = VERDICT_PASS };
	const enum verdict own = verdict_of(figures_text(t, "verdict"));
	const struct figure *against = figures_against(t);
	struct ledger l;
	const bool has_ledger = ledger_read(&l, figures_list(t, "coverage"));

	if (has_ledger && (r->load < 0 || l.done[LEDGER_TIME] < (uint64_t)r->load))
		r->load = (int64_t)l.done[LEDGER_TIME];
	if (own != VERDICT_PASS)
		merge_report_find(&as, own, code_named(figures_text(t, "code")), "%s",
			figures_text(t, "reason"));
	if (against)
		merge_report_find(&as, VERDICT_FAIL, CODE_WRONG_WORDS, "it has %s that are not 0",
			against->key);
	if (own == VERDICT_PASS) {
		if (!figures_known(t, "errors"))
			merge_report_find(&as, VERDICT_INCOMPLETE, CODE_NOT_COVERED, "nothing of "
				"it was judged");
		check_reset(&as, t, "reset_before");
		check_reset(&as, t, "reset_after");
		if (has_ledger)
			check_coverage(&as, t, &l);
		else
			merge_report_find(&as, VERDICT_INCOMPLETE, CODE_CORRUPT, "its coverage is "
				"not to be understood");
	}
	if (as.verdict > own) {
		char said[sizeof(as.reason)];

		snprintf(said, sizeof(said), "it says %s, but %.380s", verdict_word(own),
			as.reason);
		change_text(t, "verdict", verdict_word(as.verdict));
		change_text(t, "reason", said);
		change_text(t, "code", code_word(as.code));
	}
	if (as.verdict != VERDICT_PASS)
		merge_report_find(r, as.verdict, as.code, "%.100s: %s", figures_text(t, "target"),
			figures_text(t, "reason"));
}

/*
 * With rows of its dump missing, the program that has passed ends with the code of the dump.  Up to
 * 1.1.1 the code of INCOMPLETE was 1.
 */
static bool fits_code(const struct figures *f, enum verdict own)
{
	const struct figure_value *code = figures_known(f, "exit_code");

	return code && (code->n == (int64_t)exit_of_verdict(own) ||
		(own == VERDICT_INCOMPLETE && (code->n == EXIT_FAILED ||
			code->n == EXIT_REFUSED || code->n == EXIT_NO_DEVICE)) ||
		(own == VERDICT_PASS && *figures_text(f, "dump") &&
			(code->n == EXIT_FAILED || code->n == EXIT_PARTIAL)));
}

/* A host or a target by its name. */
struct named {
	const char *name;
	size_t place;
};

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void check_targets(struct merge_report *r, const struct figure_value *targets)
{
	struct named *all = mem_calloc(targets->n_nodes + 1, sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < targets->n_nodes; i++)
		all[n++].name = figures_text(&targets->nodes[i], "target");
	qsort(all, n, sizeof(*all), by_name);
	for (size_t i = 1; i < n; i++)
		if (by_name(&all[i - 1], &all[i]) == 0)
			merge_report_find(r, VERDICT_INCOMPLETE, CODE_AMBIGUOUS, "it lists target "
				"%.100s twice", all[i].name);
	free(all);
}

static void judge_figures(struct merge_report *r)
{
	const enum verdict own = verdict_of(figures_text(&r->figures, "verdict"));
	const struct figure_value *targets = figures_list(&r->figures, "targets");
	const struct figure *against;

	r->load = -1;
	r->begun = clock_parse_utc(figures_text(&r->figures, "begun"));
	for (size_t i = 0; i < targets->n_nodes; i++) {
		const char *name = figures_text(&targets->nodes[i], "target");
		const bool is_own = strcmp(name, "host") == 0;

		judge_target(r, &targets->nodes[i]);
		r->is_own = r->is_own || is_own;
		r->cards += !is_own;
		/* A chip simulator computes, but its results say nothing about a host's cards. */
		r->simulated += figures_number(&targets->nodes[i], "card_settings.simulator") != 0;
	}
	check_targets(r, targets);
	against = figures_against(&r->figures);
	if (targets->n_nodes == 0)
		merge_report_find(r, VERDICT_INCOMPLETE, CODE_NOT_COVERED, "nothing was burnt");
	if (against)
		merge_report_find(r, VERDICT_FAIL, CODE_WRONG_WORDS, "it has %s that are not 0",
			against->key);
	if (own == VERDICT_PASS && !figures_known(&r->figures, "errors"))
		merge_report_find(r, VERDICT_INCOMPLETE, CODE_NOT_COVERED, "nothing of it was "
			"judged");
	if (!fits_code(&r->figures, own))
		merge_report_find(r, VERDICT_INCOMPLETE, CODE_CORRUPT, "its verdict is %s, and its "
			"exit code not", verdict_word(own));
	if (!*r->host)
		merge_report_find(r, VERDICT_INCOMPLETE, CODE_CORRUPT, "it does not say of which "
			"host it is");
	if (own != VERDICT_PASS)
		merge_report_find(r, own, CODE_CORRUPT, "its verdict is %s",
			verdict_word(own));
}

static void put_name(char *to, size_t size, const struct json *report, const char *key)
{
	const char *text = json_get_text(json_get(report, key));

	text_plain(to, size, text ? text : "");
}

static void judge_json(struct merge_report *r, const struct json *report)
{
	const char *verdict = json_get_text(json_get(report, "verdict"));
	const char *version = json_get_text(json_get(report, "version"));
	char why[sizeof(r->reason) - 32];
	struct error e;

	put_name(r->host, sizeof(r->host), report, "host");
	put_name(r->job, sizeof(r->job), report, "job");
	if (!verdict || !version || !json_is_array(json_get(report, "targets"))) {
		merge_report_find(r, VERDICT_INCOMPLETE, CODE_WRONG_KIND, "it is not the report of "
			"a burn");
	} else if (strcmp(version, PACKAGE_VERSION) != 0) {
		merge_report_find(r, VERDICT_INCOMPLETE, CODE_OTHER_VERSION, "it is of version "
			"%.40s, and this is " PACKAGE_VERSION, version);
	} else if (figures_check_json(&burnin_figures, report, &e) < 0) {
		merge_report_find(r, VERDICT_INCOMPLETE, CODE_CORRUPT, "it is not as tt-smi writes "
			"it: %s", e.text);
	} else {
		figures_read_json(&r->figures, &burnin_figures, report);
		judge_figures(r);
		return;
	}
	if (verdict && verdict_of(verdict) == VERDICT_FAIL) {
		mem_copy_text(why, sizeof(why), r->reason);
		merge_report_find(r, VERDICT_FAIL, r->code, "its verdict is FAIL; %s", why);
	}
}

void merge_report_judge(struct merge_report *r, const char *text, size_t len)
{
	struct json *report;
	struct error e;

	r->verdict = VERDICT_PASS;
	if (json_parse(text, len, &report, &e) < 0) {
		merge_report_find(r, VERDICT_INCOMPLETE, CODE_CORRUPT, "it is torn, or is not a "
			"report: %s", e.text);
		return;
	}
	judge_json(r, report);
	json_free(report);
}

static void merge_report_read(struct merge_report *r, char *path)
{
	char *text;
	struct error e;
	size_t len;

	*r = (struct merge_report){ .path = path };
	if (burnin_report_text(path, &text, &len, &e) < 0) {
		merge_report_find(r, VERDICT_INCOMPLETE, e.word, "%s", e.text);
		return;
	}
	merge_report_judge(r, text, len);
	free(text);
}

/* All reports together. */

static struct merge_report *add_report(struct merge *m)
{
	m->reports = mem_realloc(m->reports, (m->n + 1) * sizeof(*m->reports));
	m->reports[m->n] = (struct merge_report){ .path = NULL };
	return &m->reports[m->n++];
}

static int is_report(const struct dirent *d)
{
	return d->d_name[0] != '.' && text_ends(d->d_name, ".json");
}

static void add_folder(struct merge *m, const char *path)
{
	struct dirent **names;
	const int n = scandir(path, &names, is_report, alphasort);

	if (n < 0)
		merge_report_find(add_report(m), VERDICT_INCOMPLETE, code_find(-errno), "%s: "
			"cannot read the folder: %s", path, strerror(errno));
	if (n == 0)
		merge_report_find(add_report(m), VERDICT_INCOMPLETE, CODE_NOT_FOUND, "%s: there is "
			"no report in it", path);
	for (int i = 0; i < n; i++) {
		struct strbuf name = { 0 };

		strbuf_printf(&name, "%s/%s", path, names[i]->d_name);
		merge_report_read(add_report(m), name.text);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

void merge_add(struct merge *m, const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		add_folder(m, path);
	else
		merge_report_read(add_report(m), mem_dup_text(path));
}

/* All reports that name a host, sorted by it. */
static struct named *sort_reports(const struct merge *m, size_t *n)
{
	struct named *all = mem_calloc(m->n + 1, sizeof(*all));

	*n = 0;
	for (size_t i = 0; i < m->n; i++)
		if (*m->reports[i].host)
			all[(*n)++] = (struct named){ m->reports[i].host, i };
	qsort(all, *n, sizeof(*all), by_name);
	return all;
}

/* Names with commas between, sorted; the caller frees them and *names, which holds the text. */
static struct named *sort_hosts(const char *hosts, char **names, size_t *n)
{
	struct named *all = mem_calloc(strlen(hosts) + 1, sizeof(*all));
	char *rest = *names = mem_dup_text(hosts), *host;

	for (*n = 0; (host = strsep(&rest, ","));)
		if (*host) {
			all[*n] = (struct named){ host, *n };
			++*n;
		}
	qsort(all, *n, sizeof(*all), by_name);
	return all;
}

/* Add an entry for each host without a report, and mark the reports of unexpected hosts. */
static void check_hosts(struct merge *m, const char *hosts)
{
	size_t n_reports, n_hosts;
	struct named *reports = sort_reports(m, &n_reports);
	char *names;
	struct named *expected = sort_hosts(hosts, &names, &n_hosts);
	const char **missing = mem_calloc(n_hosts + 1, sizeof(*missing));	/* in their order */

	for (size_t i = 0; i < n_reports; i++)
		if (!bsearch(&reports[i], expected, n_hosts, sizeof(*expected), by_name))
			merge_report_find(&m->reports[reports[i].place], VERDICT_INCOMPLETE,
				CODE_OTHER_SETTINGS, "it is none of the hosts that are expected");
	for (size_t i = 0; i < n_hosts; i++) {
		if (i > 0 && by_name(&expected[i - 1], &expected[i]) == 0)
			continue;
		m->expected++;
		if (!bsearch(&expected[i], reports, n_reports, sizeof(*reports), by_name))
			missing[expected[i].place] = expected[i].name;
	}
	for (size_t i = 0; i < n_hosts; i++) {
		struct merge_report *r = missing[i] ? add_report(m) : NULL;

		if (!r)
			continue;
		text_plain(r->host, sizeof(r->host), missing[i]);
		merge_report_find(r, VERDICT_INCOMPLETE, CODE_NOT_FOUND, "there is no report of "
			"it");
	}
	free(missing);
	free(expected);
	free(names);
	free(reports);
}

static void check_twice(struct merge *m)
{
	size_t n;
	struct named *all = sort_reports(m, &n);

	for (size_t i = 0; i < n; i++)
		if ((i > 0 && by_name(&all[i - 1], &all[i]) == 0) ||
			(i + 1 < n && by_name(&all[i], &all[i + 1]) == 0))
			merge_report_find(&m->reports[all[i].place], VERDICT_INCOMPLETE,
				CODE_AMBIGUOUS, "this host has two reports");
	free(all);
}

/* Each report is compared with the first of another job. */
static void check_jobs(struct merge *m)
{
	const struct merge_report *first = NULL, *second = NULL;

	for (size_t i = 0; i < m->n; i++) {
		struct merge_report *r = &m->reports[i];

		if (!r->figures.values)
			continue;
		first = first ? first : r;
		second = second || strcmp(first->job, r->job) == 0 ? second : r;
	}
	for (size_t i = 0; second && i < m->n; i++) {
		struct merge_report *r = &m->reports[i];
		const struct merge_report *other = strcmp(first->job, r->job) == 0 ? second : first;

		if (r->figures.values)
			merge_report_find(r, VERDICT_INCOMPLETE, CODE_OTHER_SETTINGS, "it is of "
				"%s%s, and %s of %s%s", *r->job ? "job " : "no job", r->job,
				other->host, *other->job ? "job " : "no job", other->job);
	}
}

/* The settings that say how much of a burn it was.  All processors of a host may be any number. */
static void put_settings(struct strbuf *to, const struct figures *f)
{
	const double rounds = figures_number(f, "settings.iterations");
	const struct figure_value *threads = figures_known(f, "settings.threads");
	const struct figure_value *processors = figures_known(f, "settings.processors");

	strbuf_puts(to, figures_text(f, "settings.workload"));
	if (figures_known(f, "settings.workload")) {
		figures_put(to, f, "settings.dtype", " in ");
		figures_put(to, f, "settings.pattern", ", ");
		if (figures_known(f, "settings.duration"))
			strbuf_printf(to, ", %.1f s", figures_number(f, "settings.duration"));
		if (figures_known(f, "settings.iterations"))
			strbuf_printf(to, ", %.0f round%s", rounds, rounds == 1 ? "" : "s");
	}
	if (threads && processors && threads->n != processors->n)
		strbuf_printf(to, ", %lld thread%s", (long long)threads->n,
			text_plural((uint64_t)threads->n));
}

/* Each is compared with the first. */
static void compare_settings(struct merge *m)
{
	struct strbuf first = { 0 }, own = { 0 };
	const struct merge_report *of = NULL;

	for (size_t i = 0; i < m->n; i++) {
		struct merge_report *r = &m->reports[i];

		if (!r->figures.values)
			continue;
		put_settings(of ? &own : &first, &r->figures);
		if (of && strcmp(own.text, first.text) != 0)
			snprintf(r->unlike, sizeof(r->unlike), "%.150s (%.40s: %.150s)", own.text,
				of->host, first.text);
		of = of ? of : r;
		strbuf_clear(&own);
	}
	strbuf_clear(&first);
}

static void check_cards(struct merge *m)
{
	const struct merge_report *most = NULL;

	for (size_t i = 0; i < m->n; i++)
		if (m->reports[i].figures.values && (!most || m->reports[i].cards > most->cards))
			most = &m->reports[i];
	for (size_t i = 0; i < m->n && m->cards != MERGE_CARDS_ANY; i++) {
		struct merge_report *r = &m->reports[i];

		if (!r->figures.values)
			continue;
		if (m->cards != MERGE_CARDS_ALIKE && r->cards != (size_t)m->cards)
			merge_report_find(r, VERDICT_INCOMPLETE, CODE_NOT_COVERED, "%zu card%s of "
				"it burnt, and %lld are expected", r->cards, text_plural(r->cards),
				(long long)m->cards);
		else if (m->cards == MERGE_CARDS_ALIKE && r->cards < most->cards)
			merge_report_find(r, VERDICT_INCOMPLETE, CODE_NOT_COVERED, "%zu card%s of "
				"it burnt, and %zu of %s (hosts may differ with --expected-cards "
				"any)", r->cards, text_plural(r->cards), most->cards,
				most->host);
	}
}

/* A report that is older than the newest is of another burn. */
static void check_dates(struct merge *m)
{
	const struct merge_report *newest = m->reports;

	for (size_t i = 1; i < m->n; i++)
		newest = m->reports[i].begun > newest->begun ? &m->reports[i] : newest;
	for (size_t i = 0; i < m->n; i++) {
		struct merge_report *r = &m->reports[i];
		const int64_t older = newest->begun - r->begun;

		if (r->figures.values && r->begun == 0)
			merge_report_find(r, VERDICT_INCOMPLETE, CODE_CORRUPT, "it does not say "
				"when it began");
		else if (r->figures.values && older > m->within)
			merge_report_find(r, VERDICT_INCOMPLETE, CODE_OTHER_SETTINGS, "it began "
				"%.1f hours before that of %s (--within allows more)",
				(double)older / CLOCK_SECOND / 3600, newest->host);
	}
}

/* If one host itself burnt, so should the others. */
static void check_own(struct merge *m)
{
	const struct merge_report *own = NULL;

	for (size_t i = 0; i < m->n && !own; i++)
		own = m->reports[i].is_own ? &m->reports[i] : NULL;
	for (size_t i = 0; own && i < m->n; i++)
		if (m->reports[i].figures.values && !m->reports[i].is_own)
			merge_report_find(&m->reports[i], VERDICT_INCOMPLETE, CODE_NOT_COVERED,
				"the host itself was not burnt, but %s was", own->host);
}

/* The worst first, else in the order in which they were named. */
static void sort(struct merge *m)
{
	struct merge_report *sorted = mem_calloc(m->n, sizeof(*sorted));
	size_t n = 0;

	for (int v = VERDICTS - 1; v >= 0; v--)
		for (size_t i = 0; i < m->n; i++)
			if (m->reports[i].verdict == (enum verdict)v)
				sorted[n++] = m->reports[i];
	memcpy(m->reports, sorted, n * sizeof(*sorted));
	free(sorted);
}

void merge_judge(struct merge *m, const char *hosts)
{
	size_t at = 0;

	if (hosts)
		check_hosts(m, hosts);
	check_twice(m);
	check_jobs(m);
	compare_settings(m);
	check_cards(m);
	check_own(m);
	check_dates(m);
	sort(m);
	m->verdict = m->reports[0].verdict;
	m->load = -1;
	for (size_t i = 0; i < m->n; i++) {
		const struct merge_report *r = &m->reports[i];

		m->passed += r->verdict == VERDICT_PASS;
		m->simulated += (int64_t)r->simulated;
		m->unlike += *r->unlike != '\0';
		if (r->figures.values && r->load >= 0 && (m->load < 0 || r->load < m->load))
			m->load = r->load;
	}
	for (size_t i = 0; i < m->n - (size_t)m->passed && at + 160 < sizeof(m->reason); i++)
		at += (size_t)snprintf(m->reason + at, sizeof(m->reason) - at, "%s%s",
			i ? ", " : "did not pass: ", *m->reports[i].host ? m->reports[i].host :
			"a host without a name");
	if (at + 160 >= sizeof(m->reason))
		snprintf(m->reason + at, sizeof(m->reason) - at, ", and more");
}

void merge_clear(struct merge *m)
{
	for (size_t i = 0; i < m->n; i++) {
		figures_clear(&m->reports[i].figures);
		free(m->reports[i].path);
	}
	free(m->reports);
	*m = (struct merge){ .reports = NULL };
}

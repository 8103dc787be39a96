/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge.c - many reports, one verdict: the worst of them.  It is never PASS if an expected host has
 * no report, if a host has two, if the reports are of several jobs, or if a host burnt fewer cards
 * than the others: a card that was lost before the burn is in no report.  Other settings are no
 * other verdict, since hosts may be unlike, but they are named.
 */
#include "config.h"
#include "src/merge/merge.h"

#include "base/mem.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct merge_report *add_report(struct merge *m)
{
	m->reports = mem_realloc(m->reports, (m->n + 1) * sizeof(*m->reports));
	m->reports[m->n] = (struct merge_report){ .path = NULL };
	return &m->reports[m->n++];
}

static char *copy_path(const char *dir, const char *name)
{
	const size_t size = strlen(dir) + strlen(name) + 2;
	char *path = mem_calloc(1, size);

	snprintf(path, size, "%s%s%s", dir, *dir ? "/" : "", name);
	return path;
}

static int is_report(const struct dirent *d)
{
	const size_t len = strlen(d->d_name);

	return d->d_name[0] != '.' && len > 5 && strcmp(d->d_name + len - 5, ".json") == 0;
}

static void add_folder(struct merge *m, const char *path)
{
	struct dirent **names;
	const int n = scandir(path, &names, is_report, alphasort);

	if (n < 0)
		merge_report_find(add_report(m), BURN_INCOMPLETE, code_find(-errno), "%s: cannot "
			"read the folder: %s", path, strerror(errno));
	if (n == 0)
		merge_report_find(add_report(m), BURN_INCOMPLETE, CODE_NOT_FOUND, "%s: there is no "
			"report in it", path);
	for (int i = 0; i < n; i++) {
		merge_report_read(add_report(m), copy_path(path, names[i]->d_name));
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
		merge_report_read(add_report(m), copy_path("", path));
}

static size_t count_host(const struct merge *m, const char *host)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		n += m->reports[i].path && strcmp(m->reports[i].host, host) == 0;
	return n;
}

/* Whether the text at `here` occurs earlier in this list of NUL-terminated texts. */
static bool is_before(const char *list, const char *here)
{
	while (list < here && strcmp(list, here) != 0)
		list += strlen(list) + 1;
	return list < here;
}

/* Add an entry for each host without a report, and mark the reports of unexpected hosts. */
static void check_hosts(struct merge *m, const char *hosts)
{
	const size_t had = m->n;
	bool *is_expected = mem_calloc(had + 1, sizeof(*is_expected));
	char *list = copy_path("", hosts), *rest = list, *host;

	while ((host = strsep(&rest, ","))) {
		struct merge_report *r;

		if (!*host || is_before(list, host))
			continue;
		m->expected++;
		for (size_t i = 0; i < had; i++)
			is_expected[i] |= strcmp(m->reports[i].host, host) == 0;
		if (count_host(m, host) > 0)
			continue;
		r = add_report(m);
		text_plain(r->host, sizeof(r->host), host);
		merge_report_find(r, BURN_INCOMPLETE, CODE_NOT_FOUND, "there is no report of it");
	}
	for (size_t i = 0; i < had; i++)
		if (!is_expected[i] && *m->reports[i].host)
			merge_report_find(&m->reports[i], BURN_INCOMPLETE, CODE_OTHER_SETTINGS,
				"it is none of the hosts that are expected");
	free(is_expected);
	free(list);
}

static void check_alike(struct merge *m)
{
	for (size_t i = 0; i < m->n; i++) {
		struct merge_report *r = &m->reports[i];
		size_t k = 0;

		if (!r->path)
			continue;
		if (*r->host && count_host(m, r->host) > 1)
			merge_report_find(r, BURN_INCOMPLETE, CODE_AMBIGUOUS, "this host has two "
				"reports");
		while (k < m->n && (!m->reports[k].figures.values ||
			strcmp(m->reports[k].job, r->job) == 0))
			k++;
		if (k < m->n && r->figures.values)
			merge_report_find(r, BURN_INCOMPLETE, CODE_OTHER_SETTINGS, "it is of %s%s, "
				"and %s of %s%s", *r->job ? "job " : "no job", r->job,
				m->reports[k].host, *m->reports[k].job ? "job " : "no job",
				m->reports[k].job);
	}
}

/* The settings that say how much of a burn it was.  All processors of a host may be any number. */
static void put_settings(struct strbuf *to, const struct merge_report *r)
{
	const struct figure_value *v = figures_known(&r->figures, "settings");
	const struct figures *s = v && v->n_nodes > 0 ? v->nodes : NULL;
	const struct figure_value *threads = figures_known(s, "threads");
	const struct figure_value *processors = figures_known(s, "processors");

	strbuf_puts(to, "");
	if (!s)
		return;
	figures_put_text(to, s, "{workload}[ in {dtype}][, {pattern}][, {duration:.1} s]"
		"[, {iterations} round{iterations:s}]");
	if (threads && processors && threads->n != processors->n)
		figures_put_text(to, s, ", {threads} thread{threads:s}");
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
		put_settings(of ? &own : &first, r);
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
			merge_report_find(r, BURN_INCOMPLETE, CODE_NOT_COVERED, "%zu card%s of it "
				"burnt, and %lld are expected", r->cards, r->cards == 1 ? "" : "s",
				(long long)m->cards);
		else if (m->cards == MERGE_CARDS_ALIKE && r->cards < most->cards)
			merge_report_find(r, BURN_INCOMPLETE, CODE_NOT_COVERED, "%zu card%s of it "
				"burnt, and %zu of %s (hosts may differ with --expected-cards any)",
				r->cards, r->cards == 1 ? "" : "s", most->cards, most->host);
	}
}

static bool is_worse(const struct merge_report *a, const struct merge_report *b)
{
	return a->verdict > b->verdict;
}

/* The worst first, else in the order in which they were named. */
static void sort(struct merge *m)
{
	for (size_t i = 1; i < m->n; i++) {
		const struct merge_report x = m->reports[i];
		size_t k = i;

		for (; k > 0 && is_worse(&x, &m->reports[k - 1]); k--)
			m->reports[k] = m->reports[k - 1];
		m->reports[k] = x;
	}
}

void merge_judge(struct merge *m, const char *hosts)
{
	size_t passed = 0, at = 0;

	if (hosts)
		check_hosts(m, hosts);
	check_alike(m);
	compare_settings(m);
	check_cards(m);
	sort(m);
	m->verdict = m->reports[0].verdict;
	for (size_t i = 0; i < m->n; i++)
		passed += m->reports[i].verdict == BURN_PASS;
	for (size_t i = 0; i < m->n - passed && at + 160 < sizeof(m->reason); i++)
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

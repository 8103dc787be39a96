/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.c - the report of a burn on one host, judged again.  A FAIL is always believed, a PASS
 * only if the file has the form that we write and all of its counts agree.
 */
#include "config.h"
#include "src/merge/report.h"

#include "act/ledger.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "output/figure_json.h"
#include "src/burnin/figures.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void merge_report_find(struct merge_report *r, enum burn_verdict v, enum code code,
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
static enum burn_verdict verdict_of(const char *text)
{
	for (int v = BURN_PASS; v <= BURN_FAIL; v++)
		if (strcmp(text, burn_verdict_name((enum burn_verdict)v)) == 0)
			return (enum burn_verdict)v;
	return BURN_INCOMPLETE;
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
static void check_coverage(struct merge_report *as, const struct figures *t)
{
	const struct figure_value *cores = figures_list(t, "cores");
	char gaps[200] = "";
	struct ledger l;

	if (!ledger_read(&l, figures_list(t, "coverage"))) {
		merge_report_find(as, BURN_INCOMPLETE, CODE_CORRUPT, "its coverage is not to be "
			"understood");
		return;
	}
	ledger_put_gaps(&l, gaps, sizeof(gaps));
	if (!ledger_is_met(&l))
		merge_report_find(as, BURN_INCOMPLETE, CODE_NOT_COVERED, "%s", gaps);
	if (cores->n_nodes < l.done[LEDGER_CORES])
		merge_report_find(as, BURN_INCOMPLETE, CODE_NOT_COVERED, "%zu of %llu cores are in "
			"the report", cores->n_nodes, (unsigned long long)l.done[LEDGER_CORES]);
	for (size_t i = 0; i < cores->n_nodes; i++) {
		const struct figures *core = &cores->nodes[i];
		const char *state = figures_text(core, "state");

		if (strcmp(state, "well") != 0 && strcmp(state, "slow") != 0)
			merge_report_find(as, BURN_INCOMPLETE, CODE_NOT_COVERED, "a core of it: %s",
				*state ? state : "its state is not known");
	}
}

static void check_reset(struct merge_report *as, const struct figures *t, const char *key)
{
	const struct figure_value *v = figures_known(t, key);
	const char *verdict = v && v->n_nodes > 0 ? figures_text(v->nodes, "verdict") :
		"recovered";

	if (strcmp(verdict, "recovered") != 0)
		merge_report_find(as, BURN_FAIL, CODE_NOT_RESET, "%s: %s", key, verdict);
}

/* Keep its own verdict, or set a worse one if its figures demand it. */
static void judge_target(struct merge_report *r, struct figures *t)
{
	struct merge_report as = { .path = r->path, .verdict = BURN_PASS };
	const enum burn_verdict own = verdict_of(figures_text(t, "verdict"));
	const struct figure *against = figures_against(t);

	if (own != BURN_PASS)
		merge_report_find(&as, own, code_named(figures_text(t, "code")), "%s",
			figures_text(t, "reason"));
	if (against)
		merge_report_find(&as, BURN_FAIL, CODE_WRONG_WORDS, "it has %s that are not 0",
			against->key);
	if (own == BURN_PASS) {
		if (!figures_known(t, "errors"))
			merge_report_find(&as, BURN_INCOMPLETE, CODE_NOT_COVERED, "nothing of it "
				"was judged");
		check_reset(&as, t, "reset_before");
		check_reset(&as, t, "reset_after");
		check_coverage(&as, t);
	}
	if (as.verdict > own) {
		char said[sizeof(as.reason)];

		snprintf(said, sizeof(said), "it says %s, but %.380s", burn_verdict_name(own),
			as.reason);
		change_text(t, "verdict", burn_verdict_name(as.verdict));
		change_text(t, "reason", said);
		change_text(t, "code", code_word(as.code));
	}
	if (as.verdict != BURN_PASS)
		merge_report_find(r, as.verdict, as.code, "%.100s: %s", figures_text(t, "target"),
			figures_text(t, "reason"));
}

/* A chip simulator computes like a card, but its results say nothing about a host's cards. */
static bool is_simulated(const struct figures *t)
{
	const struct figure_value *v = figures_known(t, "card_settings");
	const struct figure_value *simulator = v && v->n_nodes > 0 ?
		figures_known(v->nodes, "simulator") : NULL;

	return simulator && simulator->n != 0;
}

static void take_load(struct merge_report *r, const struct figures *t)
{
	struct ledger l;

	if (ledger_read(&l, figures_list(t, "coverage")) &&
		(r->load < 0 || l.done[LEDGER_TIME] < (uint64_t)r->load))
		r->load = (int64_t)l.done[LEDGER_TIME];
}

/* With rows of its dump missing, the program that has passed ends with the code of the dump. */
static bool fits_code(const struct figures *f, enum burn_verdict own)
{
	const struct figure_value *code = figures_known(f, "exit_code");

	return code && (code->n == (int64_t)burnin_exit(own) ||
		(own == BURN_INCOMPLETE &&
			(code->n == EXIT_REFUSED || code->n == EXIT_NO_DEVICE)) ||
		(own == BURN_PASS && *figures_text(f, "dump") &&
			(code->n == EXIT_FAILED || code->n == EXIT_PARTIAL)));
}

static void judge_figures(struct merge_report *r)
{
	const enum burn_verdict own = verdict_of(figures_text(&r->figures, "verdict"));
	const struct figure_value *targets = figures_list(&r->figures, "targets");
	const struct figure *against;

	r->load = -1;
	for (size_t i = 0; i < targets->n_nodes; i++) {
		judge_target(r, &targets->nodes[i]);
		take_load(r, &targets->nodes[i]);
		r->cards += strcmp(figures_text(&targets->nodes[i], "target"), "host") != 0;
		r->simulated += is_simulated(&targets->nodes[i]);
	}
	against = figures_against(&r->figures);
	if (targets->n_nodes == 0)
		merge_report_find(r, BURN_INCOMPLETE, CODE_NOT_COVERED, "nothing was burnt");
	if (against)
		merge_report_find(r, BURN_FAIL, CODE_WRONG_WORDS, "it has %s that are not 0",
			against->key);
	if (own == BURN_PASS && !figures_known(&r->figures, "errors"))
		merge_report_find(r, BURN_INCOMPLETE, CODE_NOT_COVERED, "nothing of it was judged");
	if (!fits_code(&r->figures, own))
		merge_report_find(r, BURN_INCOMPLETE, CODE_CORRUPT, "its verdict is %s, and its "
			"exit code not", burn_verdict_name(own));
	if (!*r->host)
		merge_report_find(r, BURN_INCOMPLETE, CODE_CORRUPT, "it does not say of which host "
			"it is");
	if (own != BURN_PASS)
		merge_report_find(r, own, CODE_CORRUPT, "its verdict is %s",
			burn_verdict_name(own));
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
		merge_report_find(r, BURN_INCOMPLETE, CODE_WRONG_KIND, "it is not the report of a "
			"burn");
	} else if (strcmp(version, PACKAGE_VERSION) != 0) {
		merge_report_find(r, BURN_INCOMPLETE, CODE_OTHER_VERSION, "it is of version %.40s, "
			"and this is " PACKAGE_VERSION, version);
	} else if (figures_check_json(&burnin_figures, report, &e) < 0) {
		merge_report_find(r, BURN_INCOMPLETE, CODE_CORRUPT, "it is not as tt-smi writes "
			"it: %s", e.text);
	} else {
		figures_read_json(&r->figures, &burnin_figures, report);
		judge_figures(r);
		return;
	}
	if (verdict && verdict_of(verdict) == BURN_FAIL) {
		mem_copy_text(why, sizeof(why), r->reason);
		merge_report_find(r, BURN_FAIL, r->code, "its verdict is FAIL; %s", why);
	}
}

void merge_report_judge(struct merge_report *r, const char *text, size_t len)
{
	struct json *report;
	struct error e;

	r->verdict = BURN_PASS;
	if (json_parse(text, len, &report, &e) < 0) {
		merge_report_find(r, BURN_INCOMPLETE, CODE_CORRUPT, "it is torn, or is not a "
			"report: %s", e.text);
		return;
	}
	judge_json(r, report);
	json_free(report);
}

void merge_report_read(struct merge_report *r, char *path)
{
	char *text;
	struct error e;
	size_t len;

	*r = (struct merge_report){ .path = path };
	if (burnin_report_text(path, &text, &len, &e) < 0) {
		merge_report_find(r, BURN_INCOMPLETE, e.word, "%s", e.text);
		return;
	}
	merge_report_judge(r, text, len);
	free(text);
}

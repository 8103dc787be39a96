/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/health/judge.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "health/health.h"
#include "output/figure_json.h"
#include "report/figure.h"
#include "src/listed.h"
#include "src/metrics/mode_metrics.h"
#include "src/mode.h"
#include "src/option_value.h"
#include "src/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The results as text, as JSON and as a monitoring plug-in's line. */

#define WIDTH 15	/* of the longest id, plus one */
#define SCREEN 20	/* lines after which the verdict is repeated */

static void put_name(struct strbuf *to, const struct health_print *p,
	const struct health_item *i)
{
	const struct snapshot *s = i->index < 0 ? NULL : &p->fleet->chips[i->index];

	char plain[2 * sizeof(s->series)];

	if (!s)
		strbuf_puts(to, "host");
	else
		strbuf_printf(to, "%d %s", s->index, text_plain(plain, sizeof(plain),
			*s->bdf ? s->bdf : s->series));
}

/* How many items from here on have the same card, result, text and advice. */
static size_t count_alike(const struct health_report *r, size_t from)
{
	const struct health_item *i = &r->items[from];
	size_t n = 1;

	while (from + n < r->n && i[n].index == i->index && i[n].result == i->result &&
		strcmp(i[n].text, i->text) == 0 && strcmp(i[n].next.text, i->next.text) == 0)
		n++;
	return n;
}

/* Items of one card that share a line. */
struct line {
	const struct health_item *i;
	size_t n;
};

static bool is_alike(const void *all, size_t a, size_t b)
{
	const struct line *x = (const struct line *)all + a, *y = (const struct line *)all + b;

	return x->i->index >= 0 && y->i->index >= 0 && x->n == y->n &&
		(x->n > 1 || x->i->check == y->i->check) && x->i->result == y->i->result &&
		strcmp(x->i->text, y->i->text) == 0 && advice_is_alike(&x->i->next, &y->i->next);
}

/*
 * Put a line ("9 checks" if it has several items), of all cards that are like it before the first
 * of them.  Returns the number of lines on the screen.
 */
static size_t put_line_at(struct strbuf *to, const struct health_print *p,
	const struct line *lines, size_t n_lines, size_t at)
{
	const struct health_item *i = lines[at].i;
	int *group = mem_calloc(n_lines, sizeof(*group)), index[DEVICE_MAX];
	const struct advice *next[DEVICE_MAX];
	const size_t n = text_group(lines, n_lines, at, is_alike, group);
	char many[32];

	if (n > 0) {
		snprintf(many, sizeof(many), "%zu checks", lines[at].n);
		strbuf_printf(to, "%-4s  %-*s", verdict_of_check(i->result), WIDTH,
			lines[at].n > 1 ? many : i->check->id);
		for (size_t k = 0; k < n; k++) {
			index[k] = lines[group[k]].i->index;
			next[k] = &lines[group[k]].i->next;
		}
		if (n > 1)
			text_put_cards(to, index, n);
		else
			put_name(to, p, i);
		text_put_plain_in(to, ": ", *i->text ? i->text : i->check->help, "\n");
		if (*i->next.text) {
			strbuf_printf(to, "     %*s", WIDTH, "");
			advice_put(to, next, n);
			strbuf_putc(to, '\n');
		}
	}
	free(group);
	return n == 0 ? 0 : *i->next.text ? 2 : 1;
}

/* Put the items with this result; returns the number of lines. */
static size_t put_result(struct strbuf *to, const struct health_print *p,
	enum verdict result)
{
	const struct health_report *r = p->report;
	struct line *lines = mem_calloc(r->n + 1, sizeof(*lines));
	size_t n_lines = 0, shown = 0, n;

	for (size_t k = 0; k < r->n; k += n) {
		n = count_alike(r, k);
		if (r->items[k].result == result)
			lines[n_lines++] = (struct line){ &r->items[k], n };
	}
	for (size_t l = 0; l < n_lines; l++)
		shown += put_line_at(to, p, lines, n_lines, l);
	free(lines);
	return shown;
}

static void put_counts(struct strbuf *to, const struct health_print *p)
{
	const char *before = "";

	for (int r = VERDICT_FAIL; r > VERDICT_NONE; r--)
		text_put_count(to, &before, p->report->count[r], verdict_of_check((enum verdict)r));
	if (!*before)
		strbuf_puts(to, "nothing was checked");
}

/* If no check applied, the verdict is SKIP, not PASS. */
static const char *verdict_of(const struct health_print *p)
{
	return p->report->worst == VERDICT_NONE ? verdict_of_check(VERDICT_INCOMPLETE)
		: verdict_of_check(p->report->worst);
}

/* Replaces each '|', which would begin a monitor's performance data. */
static void put_line(struct strbuf *to, const char *text)
{
	const size_t from = to->len;

	text_put_plain(to, text);
	for (size_t i = from; i < to->len; i++)
		if (to->text[i] == '|')
			to->text[i] = '/';
}

/* If other cards stand in for this machine's, or not all of its cards may be seen, say so. */
static void put_stand_in(struct strbuf *to, const struct health_print *p)
{
	const char *words = p->fleet->n > 0 ? p->fleet->origin->stand_in : NULL;

	if (words)
		strbuf_printf(to, " (%s)", words);
	if (*p->fleet->selection) {
		strbuf_puts(to, " (");
		put_line(to, p->fleet->selection);
		strbuf_putc(to, ')');
	}
}

/* A second chip that no sample asks about is no fault of its board, but nobody knows how it is. */
static void put_unread(struct strbuf *to, const struct health_print *p)
{
	if (p->unread > 0)
		strbuf_printf(to, ", %zu second chip%s not read", p->unread,
			text_plural(p->unread));
}

static void put_verdict(struct strbuf *to, const struct health_print *p)
{
	strbuf_printf(to, "health: %s: ", verdict_of(p));
	put_counts(to, p);
	strbuf_printf(to, "; host and %zu chip%s", p->cards, p->cards == 1 ? "" : "s");
	put_unread(to, p);
	put_stand_in(to, p);
	strbuf_printf(to, " in %.2f s\n", (double)p->took / CLOCK_SECOND);
}

void health_put_text(struct strbuf *to, const struct health_print *p)
{
	size_t lines = 0;

	put_verdict(to, p);
	for (int result = VERDICT_FAIL; result > VERDICT_PASS; result--)
		lines += put_result(to, p, (enum verdict)result);
	if (lines > SCREEN)
		put_verdict(to, p);
}

#define CHECK_FIGURES(F) \
	F(TEXT, id, (), i->check->id) \
	F(INT, index, (.place = true), i->index) \
	F(TEXT, bdf, (.some = true), i->index < 0 ? NULL : p->fleet->chips[i->index].bdf) \
	F(TEXT, result, (), verdict_of_check(i->result)) \
	F(TEXT, text, (), i->text) \
	F(TEXT, next, (.some = true), i->next.text) \
	F(TEXT, action, (), action_name(i->next.action))
FIGURES(check, CHECK_FIGURES, const struct health_print *p, const struct health_item *i)

#define COUNT_FIGURES(F) \
	F(TEXT, result, (), verdict_of_check(of)) \
	F(INT, checks, (), n)
FIGURES(count, COUNT_FIGURES, enum verdict of, size_t n)

#define HEALTH_FIGURES(F) \
	F(INT, schema_version, (), 1) \
	F(TEXT, verdict, (), verdict_of(p)) \
	F(INT, exit_code, (), p->code) \
	F(TEXT, source, (), p->fleet->origin->name) \
	F(TEXT, selection, (.some = true), p->fleet->selection) \
	F(TEXT, hostname, (.some = true), p->hostname) \
	F(AMOUNT, seconds, (), (struct figure_amount){ true, p->took / CLOCK_MS, 1000 }) \
	F(INT, chips, (), p->cards) \
	F(INT, chips_not_read, (), p->unread) \
	F(MAP, counts, (.group = &count_figures), \
		for (int k = VERDICT_FAIL; k >= VERDICT_NONE; k--) \
			count_add(v, (enum verdict)k, p->report->count[k])) \
	F(LIST, checks, (.group = &check_figures), \
		for (size_t k = 0; k < p->report->n; k++) check_add(v, p, &p->report->items[k]))
FIGURES(health, HEALTH_FIGURES, const struct health_print *p)

void health_take(struct figures *to, const struct health_print *p)
{
	struct figure_value value = { .nodes = NULL };

	health_add(&value, p);
	*to = figures_take(&value);
}

void health_put_json(struct strbuf *to, const struct health_print *p)
{
	struct figures f;

	health_take(&f, p);
	figures_print_json(to, &f);
	figures_clear(&f);
}

/* 0 to 3, as monitors expect it. */
static int health_nagios_code(const struct health_print *p)
{
	static const int codes[VERDICTS] = {
		[VERDICT_NONE] = 3, [VERDICT_PASS] = 0, [VERDICT_WARN] = 1,
		[VERDICT_INCOMPLETE] = 3, [VERDICT_FAIL] = 2
	};

	return p->cards == 0 && p->report->worst != VERDICT_FAIL ? 3 : codes[p->report->worst];
}

static const struct health_item *worst_of(const struct health_report *r)
{
	for (size_t k = 0; k < r->n; k++)
		if (r->items[k].result == r->worst)
			return &r->items[k];
	return NULL;
}

/* One line only: "TT-SMI CRITICAL: ..." with performance data behind a bar. */
static void health_put_nagios(struct strbuf *to, const struct health_print *p)
{
	static const char *const states[] = { "OK", "WARNING", "CRITICAL", "UNKNOWN" };
	const struct health_report *r = p->report;
	const struct health_item *worst = worst_of(r);
	struct strbuf name = { 0 };

	strbuf_printf(to, "TT-SMI %s: ", states[health_nagios_code(p)]);
	if (worst && r->worst > VERDICT_PASS) {
		put_name(&name, p, worst);
		put_line(to, name.text);
		strbuf_printf(to, ": %s: ", worst->check->id);
		put_line(to, *worst->text ? worst->text : worst->check->help);
		strbuf_printf(to, "; action=%s; ", action_name(worst->next.action));
		strbuf_clear(&name);
	}
	put_counts(to, p);
	put_unread(to, p);
	put_stand_in(to, p);
	strbuf_printf(to, " | chips=%zu;;;0; pass=%zu;;;0; warn=%zu;;;0; fail=%zu;;;0; "
		"skip=%zu;;;0; time=%.3fs;;;0;\n", p->cards, r->count[VERDICT_PASS],
		r->count[VERDICT_WARN], r->count[VERDICT_FAIL], r->count[VERDICT_INCOMPLETE],
		(double)p->took / CLOCK_SECOND);
}

/* The verdict. */

static enum exit_code code_of(const struct session *s, const struct options *o,
	const struct health_report *r)
{
	const struct fleet *f = sampler_fleet(s->sampler);

	if (f->n == 0 || fleet_is_given(f) || (f->origin->is_machine && !*f->driver))
		return EXIT_NO_DEVICE;
	return exit_of_verdict(o->strict && r->count[VERDICT_WARN] > 0 ? VERDICT_FAIL : r->worst);
}

/* A card that another driver has is listed, and not counted. */
static size_t count_chips(const struct fleet *f, const struct health_report *r)
{
	size_t n = 0;

	for (size_t k = 0; k < r->n; k++)
		n += r->items[k].index >= 0 && !snapshot_is_given(&f->chips[r->items[k].index]) &&
			(k == 0 || r->items[k].index != r->items[k - 1].index);
	return n;
}

/* Where to look for tools: upstream's installer has its own folder, which need not be in PATH. */
static struct strbuf programs(void)
{
	const char *path = getenv("PATH"), *home = getenv("HOME");
	struct strbuf search = { 0 };

	strbuf_puts(&search, path ? path : "");
	if (home)
		strbuf_printf(&search, ":%s/.tenstorrent-venv/bin", home);
	return search;
}

enum exit_code health_read_floors(const struct options *o, struct floors *floors,
	struct pins *pins)
{
	struct error e;

	floors_init(floors);
	if (o->floors && floors_read(o->floors, floors, &e) < 0)
		return session_fail_choice(&e);
	if (!o->expect)
		return EXIT_DONE;
	if (pins_read(o->expect, pins, &e) < 0)
		return session_fail_choice(&e);
	floors->pins = pins;
	if (*pins->others && !o->json && !o->nagios)
		say_as(CODE_UNKNOWN_FIELD, "%s: not looked at: %s", o->expect, pins->others);
	return EXIT_DONE;
}

bool health_judge(struct session *s, const struct options *o, uint64_t checks,
	const struct floors *floors, int64_t began, struct health_report *report,
	struct health_print *p)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	struct expected *expected = mem_calloc(1, sizeof(*expected));
	struct strbuf search = programs();
	struct health_world w = { .fleet = f, .bus = s->bus,
		.roster = &expected->roster, .floors = floors,
		.serves = VERSION_SERVES, .search = search.text,
		.is_machine = f->origin->is_machine, .external = o->external };
	bool is_given;

	if (!expected_open(expected, o, s)) {
		free(expected);
		strbuf_clear(&search);
		return false;
	}
	/* Do not write the roster here: the server of metrics keeps it. */
	*expected->path = '\0';
	/* A card that has left since the sample does not count as present. */
	if (s->bus)
		bus_rescan(s->bus, NULL);
	is_given = roster_expected(&expected->roster) > 0;
	expected_take(expected, f);
	if (expected->unknown.code && !expected->roster.asked)
		w.expected_unknown = expected->unknown.text;
	w.expected = is_given ? roster_expected(&expected->roster) : 0;
	health_run(&w, checks, report);
	if (s->misses && report->worst < VERDICT_INCOMPLETE)
		report->worst = VERDICT_INCOMPLETE;
	free(expected);
	strbuf_clear(&search);
	*p = (struct health_print){ .report = report, .fleet = f,
		.hostname = o->external ? "" : s->host.hostname,
		.code = code_of(s, o, report), .took = clock_mono() - began,
		.cards = count_chips(f, report), .unread = fleet_unread(f) };
	return true;
}

/*
 * --health: one sample and the kernel's own files, judged before a deadline that holds whatever the
 * cards do.
 */

#define DEADLINE (5 * CLOCK_SECOND)

/* Of a plug-in without its line only CRITICAL is known: 1 would be WARNING. */
static enum exit_code print_nagios(const struct health_print *p)
{
	const int code = health_nagios_code(p);
	struct strbuf text = { 0 };

	health_put_nagios(&text, p);
	if (outlet_print(&text, EXIT_DONE) != EXIT_DONE && code != 2)
		return (enum exit_code)3;
	return (enum exit_code)code;
}

static enum exit_code print_health(const struct health_print *p, struct session *s,
	const struct options *o)
{
	struct strbuf text = { 0 };

	if (o->nagios)
		return print_nagios(p);
	(o->json ? health_put_json : health_put_text)(&text, p);
	if (!o->json)
		session_complain_none(s);
	return outlet_print(&text, p->code);
}

static enum exit_code judge_machine(struct session *s, const struct options *o, uint64_t checks,
	const struct floors *floors, int64_t began, bool *is_said)
{
	struct health_report report;
	struct health_print p;
	enum exit_code code;

	if (!health_judge(s, o, checks, floors, began, &report, &p))
		return EXIT_USAGE;
	*is_said = true;
	code = print_health(&p, s, o);
	health_clear(&report);
	return code;
}

/* Add the keys of a run of fields, those of a chip's memory modules as one. */
static void put_keys(const struct health_reading *r, struct strbuf *to)
{
	for (enum field_id id = r->first; id <= r->last; id++) {
		const bool is_run = id == FIELD_GDDR_TEMP || id == FIELD_GDDR_CORR_ERRS;

		strbuf_printf(to, " %s%s", fields[id].key, is_run ? " ..." : "");
		if (is_run)
			id = id == FIELD_GDDR_TEMP ? FIELD_GDDR_TEMP_END : FIELD_GDDR_CORR_ERRS_END;
	}
}

/* The readings of one check in a line; those that none judges in lines with the reason. */
static void put_readings(const char *check, struct strbuf *to)
{
	const size_t before = to->len;

	for (size_t i = 0; i < health_n_readings; i++) {
		const struct health_reading *r = &health_readings[i];

		if (check ? !r->check || strcmp(check, r->check) != 0 : r->check != NULL)
			continue;
		if (check && to->len == before)
			strbuf_printf(to, "%-*s", WIDTH, check);
		put_keys(r, to);
		if (!check)
			strbuf_printf(to, ": %s\n", r->why_not);
	}
	if (check && to->len > before)
		strbuf_putc(to, '\n');
}

/* --checks help: every check with its description and the readings that it judges. */
static enum exit_code print_checks(void)
{
	static const char *const of[] = { [HEALTH_HOST] = "host", [HEALTH_CARD] = "card",
		[HEALTH_SAMPLE] = "card" };
	struct strbuf text = { 0 };

	for (size_t c = 0; c < health_n_checks; c++)
		strbuf_printf(&text, "%-*s %s  %s\n", WIDTH, health_checks[c].id,
			of[health_checks[c].of], health_checks[c].help);
	strbuf_puts(&text, "\nReadings that they judge:\n");
	for (size_t c = 0; c < health_n_checks; c++)
		put_readings(health_checks[c].id, &text);
	strbuf_puts(&text, "\nReadings that none judges:\n");
	put_readings(NULL, &text);
	return outlet_print(&text, EXIT_DONE);
}

/* *is_said: there was something to judge, and stdout has the verdict. */
static enum exit_code run_checks(const struct options *o, bool *is_said)
{
	const int64_t began = clock_mono();
	uint64_t checks = UINT64_MAX;
	struct floors floors;
	struct pins pins;
	struct session s;
	struct error e;
	enum exit_code code;

	if (o->checks && health_find(o->checks, &checks, &e) < 0) {
		say_as(e.word, "--checks: %s: --checks help lists them all", e.text);
		return EXIT_USAGE;
	}
	code = health_read_floors(o, &floors, &pins);
	if (code == EXIT_DONE)
		code = session_open_until(&s, o,
			began + (o->run_deadline ? o->run_deadline : DEADLINE));
	if (code != EXIT_DONE)
		return code;
	code = named_limit(&s, o);
	if (code == EXIT_DONE)
		code = judge_machine(&s, o, checks, &floors, began, is_said);
	session_close(&s);
	return code;
}

/* The line if nothing could be checked, and 3, since 1 and 2 mean WARNING and CRITICAL. */
static enum exit_code print_unknown(void)
{
	struct strbuf text = { 0 };

	strbuf_puts(&text, "TT-SMI UNKNOWN: nothing could be checked, stderr says why\n");
	return outlet_print(&text, (enum exit_code)3);
}

enum exit_code mode_refused(char **argv)
{
	for (; *argv && strcmp(*argv, "--") != 0; argv++)
		if (option_find(*argv) == OPT_NAGIOS)
			return print_unknown();
	return EXIT_USAGE;
}

enum exit_code mode_health(const struct options *o)
{
	bool is_said = false;
	enum exit_code code;

	if (o->checks && strcmp(o->checks, "help") == 0)
		return print_checks();
	code = run_checks(o, &is_said);
	return o->nagios && !is_said ? print_unknown() : code;
}

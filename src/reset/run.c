/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.c - the steps of a reset: check that it is safe, ask, reset the cards, report the outcome.
 *
 * -wr is for people: it asks first.  -r is for programs written for today's tool:
 * it resets at once, and all boards if none is named.
 */
#include "config.h"
#include "src/reset/run.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "report/advice.h"
#include "reset/report.h"
#include "reset/reset.h"
#include "src/listed.h"
#include "src/mode.h"
#include "src/say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void reset_done_init(struct reset_done *d)
{
	*d = (struct reset_done){ .cards = mem_calloc(DEVICE_MAX, sizeof(*d->cards)) };
}

void reset_done_clear(struct reset_done *d)
{
	free(d->cards);
	*d = (struct reset_done){ .n = 0 };
}

static struct reset_card *reset_done_find(const struct reset_done *d, int index)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->cards[i].index == index)
			return &d->cards[i];
	return NULL;
}

/* Nothing was done to it, nor was it looked at. */
static bool was_left_alone(const struct reset_card *c)
{
	return c->verdict == RESET_REFUSED || c->verdict == RESET_STOPPED;
}

/* In the order of their indices. */
static void add_done(struct reset_done *d, const struct reset_card *c)
{
	size_t at = d->n++;

	for (; at > 0 && d->cards[at - 1].index > c->index; at--)
		d->cards[at] = d->cards[at - 1];
	d->cards[at] = *c;
}

void reset_done_take(struct reset_done *d, const struct reset_card *cards, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct reset_card *c = reset_done_find(d, cards[i].index);

		if (!c)
			add_done(d, &cards[i]);
		else if (!was_left_alone(&cards[i]))
			*c = cards[i];
	}
}

bool reset_done_has_failed(const struct reset_done *d, int index)
{
	const struct reset_card *c = reset_done_find(d, index);

	return c && c->verdict != RESET_RECOVERED && !c->is_unproved;
}

enum exit_code reset_done_put(const struct reset_done *d, struct strbuf *to)
{
	size_t count[RESET_STOPPED + 1] = { 0 }, left = 0;

	for (size_t i = 0; i < d->n; i++) {
		count[d->cards[i].verdict]++;
		left += was_left_alone(&d->cards[i]);
	}
	strbuf_printf(to, "%zu of %zu card%s recovered", count[RESET_RECOVERED], d->n,
		d->n == 1 ? "" : "s");
	for (int v = RESET_DEGRADED; v <= RESET_STOPPED; v++)
		if (count[v])
			strbuf_printf(to, ", %zu %s", count[v],
				reset_verdict_name((enum reset_verdict)v));
	return left == d->n ? EXIT_REFUSED
		: count[RESET_RECOVERED] == d->n ? EXIT_DONE : EXIT_NEGATIVE;
}

/* The file of --report, written once a reset is over. */

/* Remember what came of the act outside of the driver in a try that is over. */
static void reset_report_take(struct reset_run *run, const struct reset_card *cards, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < cards[i].n_steps; k++) {
			const struct reset_step *s = &cards[i].steps[k];

			if (s->phase == RESET_OUTSIDE)
				mem_copy_text(run->result, sizeof(run->result),
					s->ok ? "" : s->text);
		}
}

static void reset_report_put(const struct reset_run *run, const struct reset_card *cards, size_t n,
	enum exit_code code, struct strbuf *text)
{
	struct report_facts facts = { .command = run->act.o->mode_option, .act = run->what.text,
		.result = run->result, .tries = run->tries, .host = &run->act.session.host,
		.preflight = &run->preflight, .trays = run->trays,
		.bus = run->tries > 0 ? run->act.session.bus : NULL,
		.exit = (int)code };
	struct json_out j;
	struct host host;

	/* If no card here is to be reset, no session was opened. */
	if (run->act.session.sampler) {
		facts.fleet = sampler_fleet(run->act.session.sampler);
	} else {
		host_read("", "", &host);
		facts.host = &host;
	}
	json_out_init(&j, text, false);
	report_put(&j, cards, n, &facts);
	strbuf_putc(text, '\n');
}

/*
 * Right before the first act: put a report there that says so if we are killed, where an earlier
 * reset may have left "recovered".  If that fails, the reset is not begun.
 */
static enum exit_code reset_report_draft(struct reset_run *run)
{
	const struct reset_card *cards = NULL;
	const size_t n = run->setup.reset ? reset_cards(run->setup.reset, &cards) : 0;
	struct reset_done all;
	struct strbuf text = { 0 };
	struct error e = { 0 };
	int r;

	if (!run->act.reports)
		return EXIT_DONE;
	reset_done_init(&all);
	reset_done_take(&all, run->done.cards, run->done.n);
	reset_done_take(&all, cards, n);
	reset_report_put(run, all.cards, all.n, EXIT_NEGATIVE, &text);
	reset_done_clear(&all);
	r = file_new_draft(&run->act.report, text.text, text.len, &e);
	strbuf_clear(&text);
	if (r == 0)
		return EXIT_DONE;
	run->act.reports = false;
	run->act.has_no_report = true;
	say_as(e.word, "%s; nothing was reset", e.text);
	return EXIT_FAILED;
}

/* Write the file if it is open; a failure is reported, and makes *code exit_unwritten(). */
static void reset_report_write(struct reset_run *run, enum exit_code *code)
{
	struct act *a = &run->act;
	struct strbuf text = { 0 };
	struct error e = { 0 };

	if (!a->reports)
		return;
	a->reports = false;
	reset_report_put(run, run->done.cards, run->done.n, *code, &text);
	if (file_new_finish(&a->report, text.text, text.len, &e) < 0) {
		session_fail(&e);
		*code = exit_unwritten(*code);
	}
	strbuf_clear(&text);
}

/* Upstream's tool does not ask here, and programs rely on that. */
static bool is_upstreams(const struct options *o)
{
	return o->does->acts_unasked || o->typed[OPT_RESET];
}

static void put_plan_card(const struct reset_run *run, size_t at, struct strbuf *to)
{
	const struct fleet *f = sampler_fleet(run->act.session.sampler);
	const struct plan_card *c = &run->plan.cards[at];
	const struct snapshot *s = &f->chips[c->index];
	const bool is_hopeless = run->act.o->dry_run && preflight_is_hopeless(&run->plan, f, at);

	strbuf_printf(to, "%s: ", s->series);
	if (is_hopeless)
		strbuf_printf(to, "cannot be reset: %s", *s->reason ? s->reason : s->note);
	for (size_t k = 0; k < c->n && !is_hopeless; k++)
		strbuf_printf(to, "%s%s", k ? ", if it does not help " : "",
			plan_method_title(c->ladder[k]));
}

struct card_line {
	int index;
	enum code code;		/* for a line on stderr */
	struct strbuf text;
};

static bool is_alike(const void *all, size_t a, size_t b)
{
	const struct card_line *lines = all;

	return strcmp(lines[a].text.text, lines[b].text.text) == 0;
}

/* Print and free them, on stderr if they are no result.  Cards with the same text share a line. */
static void print_lines(const struct reset_run *run, bool is_result, struct card_line *lines,
	size_t n)
{
	const struct fleet *f = sampler_fleet(run->act.session.sampler);
	struct strbuf names = { 0 };
	int index[DEVICE_MAX];

	for (size_t i = 0; i < n; i++) {
		const size_t alike = text_group(lines, n, i, is_alike, index);

		for (size_t k = 0; k < alike; k++)
			index[k] = lines[index[k]].index;
		names.len = 0;
		if (alike > 1)
			text_put_cards(&names, index, alike);
		else if (alike == 1)
			strbuf_printf(&names, "%d %s", index[0], f->chips[index[0]].bdf);
		if (alike > 0 && is_result)
			say_result("%s %s", names.text, lines[i].text.text);
		else if (alike > 0)
			say_as(lines[i].code, "%s: %s", names.text, lines[i].text.text);
	}
	for (size_t i = 0; i < n; i++)
		strbuf_clear(&lines[i].text);
	strbuf_clear(&names);
}

static void print_plan(const struct reset_run *run)
{
	struct card_line lines[DEVICE_MAX] = { { 0 } };

	if (run->what.text)
		printf("%s\n", run->what.text);
	for (size_t i = 0; i < run->plan.n; i++) {
		lines[i].index = run->plan.cards[i].index;
		put_plan_card(run, i, &lines[i].text);
	}
	print_lines(run, true, lines, run->plan.n);
}

/* Print the cards that were left out since the last call; of a dry run, as part of the plan. */
static void print_left_out(struct reset_run *run)
{
	struct card_line lines[DEVICE_MAX] = { { 0 } };
	size_t n = 0;

	for (; run->told < run->left_out.n; run->told++, n++) {
		const struct reset_card *c = &run->left_out.cards[run->told];

		lines[n].index = c->index;
		lines[n].code = c->code;
		if (run->act.o->dry_run)
			strbuf_printf(&lines[n].text, "%s: ", c->series);
		strbuf_printf(&lines[n].text, "cannot be reset: %s%s%s", c->reason,
			*c->advice.text ? " -> " : "", c->advice.text);
	}
	print_lines(run, run->act.o->dry_run, lines, n);
}

static bool any_is_by_driver(const struct reset_run *run)
{
	for (size_t i = 0; i < run->plan.n; i++)
		if (run->plan.cards[i].ladder[0] != PLAN_TENSIX)
			return true;
	return false;
}

static double limit_s(const struct reset_run *run, enum reset_phase phase, enum plan_method m)
{
	return (double)reset_phase_limit(phase, m, run->outside, run->act.o->require_links) /
		CLOCK_SECOND;
}

static void print_limit(const struct reset_run *run, enum reset_phase phase, const char *more)
{
	printf("%s %.0f s%s", reset_phase_name(phase),
		limit_s(run, phase, run->plan.cards[0].ladder[0]), more);
}

/* Print what would be done, with methods and limits; holders are named on stderr. */
static void print_dry(const struct reset_run *run)
{
	bool by_driver = any_is_by_driver(run);
	char dmc[48] = ", ";

	print_plan(run);
	fputs("phases and limits: ", stdout);
	print_limit(run, RESET_NOTIFY, " (only with listening programs), ");
	print_limit(run, RESET_FIRE, ", ");
	if (run->outside)
		print_limit(run, RESET_OUTSIDE, ", ");
	else if (by_driver)
		snprintf(dmc, sizeof(dmc), " (%s %.0f s), ", plan_method_title(PLAN_DMC),
			limit_s(run, RESET_WAIT, PLAN_DMC));
	print_limit(run, RESET_WAIT, dmc);
	if (by_driver) {
		print_limit(run, RESET_REBIND, ", ");
		print_limit(run, RESET_POST, ", ");
	}
	print_limit(run, RESET_VERIFY, "\nnothing was reset (--dry-run)\n");
}

static bool find_obstacle(const struct fleet *f, const struct preflight *p, unsigned obstacles,
	struct reset_card *c)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct preflight_note *note = &p->notes[i];
		const struct snapshot *s = &f->chips[note->index < 0 ? 0 : note->index];

		if (note->index < 0 || !(obstacles >> note->weight & 1))
			continue;
		c->index = note->index;
		c->code = note->code;
		mem_copy_text(c->reason, sizeof(c->reason), note->weight != PREFLIGHT_HOPELESS
			? note->text : *s->reason ? s->reason : s->note);
		return true;
	}
	return false;
}

/* Whether there is a card whose reset cannot be begun, by the result of plan_make(), and why. */
static bool find_refused(const struct reset_run *run, int result, struct reset_card *c)
{
	const struct session *s = &run->act.session;
	struct preflight p = { 0 };
	bool found;

	if (result < 0) {
		c->index = run->plan.refused;
		c->code = run->plan.why.word;
		mem_copy_text(c->reason, sizeof(c->reason), run->plan.why.text);
		return c->index >= 0;
	}
	preflight_check(&p, &run->plan, s->bus, sampler_fleet(s->sampler), &s->host);
	found = find_obstacle(sampler_fleet(s->sampler), &p, 1u << PREFLIGHT_IMPOSSIBLE |
		(is_upstreams(run->act.o) ? 0 : 1u << PREFLIGHT_HOPELESS), c);
	preflight_clear(&p);
	return found;
}

/* No more want such a card; false: there is none. */
static bool leave_out(struct reset_run *run, int result)
{
	const struct fleet *f = sampler_fleet(run->act.session.sampler);
	struct reset_card c = { .phase = RESET_OVER, .verdict = RESET_REFUSED };
	const struct snapshot *s;

	if (!find_refused(run, result, &c))
		return false;
	s = &f->chips[c.index];
	c.node_before = c.node_after = s->node;
	mem_copy_text(c.bdf, sizeof(c.bdf), s->bdf);
	mem_copy_text(c.series, sizeof(c.series), s->upi ? s->series : device_chip_name(s->chip));
	/* A half has no step of its own. */
	if (c.code != CODE_OTHER_HALF)
		advice_take_chip(&c.advice, f, s);
	run->act.wanted[c.index] = false;
	run->left_out.cards[run->left_out.n++] = c;
	return true;
}

/*
 * Where "all" names the cards, one whose reset cannot be begun keeps no other board from it: it is
 * refused alone.  If none would be left, all are kept, and refused together.
 */
static int reset_make_plan(struct reset_run *run, struct error *e)
{
	const struct fleet *f = sampler_fleet(run->act.session.sampler);
	bool all[DEVICE_MAX];
	int r;

	memcpy(all, run->act.wanted, sizeof(all));
	do
		r = plan_make(&run->plan, f, run->act.wanted, &run->wish, e);
	while (run->wish.all && leave_out(run, r));
	if (r != -ENODEV || run->left_out.n == run->told)
		return r;
	run->left_out.n = run->told;
	memcpy(run->act.wanted, all, sizeof(all));
	return plan_make(&run->plan, f, run->act.wanted, &run->wish, e);
}

/* "card 3 (0000:04:00.0)", "cards 0, 2-5": the indices that people type and see everywhere. */
static void put_card_names(const struct reset_run *run, struct strbuf *to)
{
	const struct reset_plan *p = &run->plan;
	const struct fleet *f = sampler_fleet(run->act.session.sampler);
	int index[DEVICE_MAX];

	if (p->n == 1) {
		strbuf_printf(to, "card %d (%s)", p->cards[0].index,
			f->chips[p->cards[0].index].bdf);
		return;
	}
	for (size_t i = 0; i < p->n; i++)
		index[i] = p->cards[i].index;
	text_put_cards(to, index, p->n);
}

/* Ask; only an answer that a person types means yes. */
static bool reset_confirm(struct reset_run *run)
{
	const char *what = run->plan.n == 1 ? "it" : "them";
	struct strbuf question = { 0 };
	bool yes;

	print_plan(run);
	fflush(stdout);
	strbuf_puts(&question, "Reset ");
	put_card_names(run, &question);
	strbuf_printf(&question, "? Programs that use %s lose %s. [y/N] ", what, what);
	yes = prompt_yes(&run->act.stop, question.text);
	strbuf_clear(&question);
	if (!yes)
		say_as(CODE_STOPPED, "nothing was reset");
	return yes;
}

/* With --force, root passes over a lock that another user's process has. */
static void pass_strangers(const struct reset_run *run)
{
	for (size_t i = 0; run->act.o->force && i < run->plan.n; i++) {
		struct device *d = &run->act.session.bus->dev[run->plan.cards[i].index];
		const pid_t pid = device_pass_stranger(d);

		if (pid > 0)
			say_as(CODE_HELD, "%s: process %ld of another user has its lock, which "
				"--force passes over", d->bdf, (long)pid);
	}
}

static int reset_hold(struct act *a, struct error *e)
{
	const struct reset_run *run = (struct reset_run *)a;
	const int r = reset_take(&a->hold, a->session.bus, &run->plan, e);

	/* A later try may meet a process of the one before, which is kept by its card. */
	return r < 0 || run->tries > 0 ? r : hold_ask_driver(&a->hold, e);
}

static int hold_cards(struct reset_run *run, struct error *e)
{
	const int r = reset_hold(&run->act, e);

	if (!hold_is_taken(r))
		return r;
	pass_strangers(run);
	return act_await_hold(&run->act, reset_hold, e);
}

/* The state when the question was asked. */
struct asked {
	struct preflight preflight;
	struct reset_plan plan;
	struct listed_card names[DEVICE_MAX];
};

static void name_cards(const struct reset_run *run, struct listed_card names[DEVICE_MAX])
{
	const struct fleet *f = sampler_fleet(run->act.session.sampler);

	for (size_t i = 0; i < run->plan.n; i++)
		listed_card_of(f, (size_t)run->plan.cards[i].index, &names[i]);
}

/* Whether each card that is planned now was asked about; of all cards some may be left out. */
static bool are_the_same(const struct reset_run *run, const struct asked *asked)
{
	struct listed_card now[DEVICE_MAX];
	size_t k = 0;

	name_cards(run, now);
	for (size_t i = 0; i < run->plan.n; i++, k++) {
		while (k < asked->plan.n && run->wish.all &&
			asked->plan.cards[k].index < run->plan.cards[i].index)
			k++;
		if (k == asked->plan.n || asked->plan.cards[k].index != run->plan.cards[i].index ||
			!listed_is_same(&asked->names[k], &now[i]))
			return false;
	}
	return run->wish.all || k == asked->plan.n;
}

static enum exit_code judge_now(struct reset_run *run, const struct asked *asked)
{
	struct error e = { 0 };
	int r;

	act_sample_anew(&run->act);
	r = reset_make_plan(run, &e);
	print_left_out(run);
	if (r == 0 && are_the_same(run, asked))
		return act_judge_use(&run->act, &run->plan, &run->preflight, &asked->preflight);
	say_as(r < 0 ? e.word : CODE_MOVED_INDEX, "%s: nothing was reset", r < 0 ? e.text
		: "these are no longer the cards that were asked about");
	return EXIT_REFUSED;
}

/*
 * While we asked, or waited for another act, anything may have changed.  So take the cards first,
 * and then check and judge again everything that can change.
 */
static enum exit_code judge_again(struct reset_run *run)
{
	struct asked *asked = mem_calloc(1, sizeof(*asked));
	struct error e = { 0 };
	enum exit_code code;
	int r = hold_cards(run, &e);

	asked->preflight = run->preflight;
	run->preflight = (struct preflight){ 0 };
	asked->plan = run->plan;
	name_cards(run, asked->names);
	code = r < 0 ? act_refuse(&run->act, r, &e) : judge_now(run, asked);
	preflight_clear(&asked->preflight);
	free(asked);
	return code;
}

/* Remember the try's cards, and print how all of them are now. */
static enum exit_code reset_put_verdict(struct reset_run *run)
{
	struct strbuf *out = &run->screen.out.text;
	const struct reset_card *cards;
	const size_t n = reset_cards(run->setup.reset, &cards);
	enum exit_code code;

	reset_done_take(&run->done, cards, n);
	reset_report_take(run, cards, n);
	code = reset_done_put(&run->done, out);
	if (sampler_fleet(run->act.session.sampler)->origin->is_simulated)
		strbuf_puts(out, " (simulated boards)");
	strbuf_putc(out, '\n');
	return code;
}

/* Once cards were reset, what keeps us from another try is no refusal. */
static enum exit_code reset_give_up(struct reset_run *run, int r, const struct error *e)
{
	if (run->tries == 0)
		return act_refuse(&run->act, r, e);
	say_as(e->word, "%s; no card was reset again", e->text);
	return EXIT_NEGATIVE;
}

/* Run first(), now that the cards are ours; if a stop was requested, do not reset either. */
static enum exit_code reset_begin(struct reset_run *run)
{
	enum exit_code code = EXIT_DONE;

	if (run->tries == 0) {
		reset_done_take(&run->done, run->left_out.cards, run->left_out.n);
		code = reset_report_draft(run);
	}
	if (code == EXIT_DONE && run->first && run->tries == 0)
		code = run->first(run);
	run->tries++;
	if (run->setup.reset && stop_check(&run->act.stop))
		reset_stop(run->setup.reset);
	return code;
}

/* False: it cannot be begun, and neither can another. */
static bool reset_try(struct reset_run *run)
{
	struct reset_config config = { .hold = &run->act.hold,
		.require_links = run->act.o->require_links, .outside = run->outside,
		.shares = run->act.o->force || run->act.passes >> PREFLIGHT_BUSY & 1,
		.before = run->before, .tell = reset_screen_tell, .arg = &run->screen };
	struct error e = { 0 };
	int r;

	if (run->act.is_far) {
		run->code = reset_begin(run);
		return true;
	}
	r = hold_cards(run, &e);
	if (r == 0)
		r = reset_setup_open(&run->setup, &run->act.session, &run->plan, &config, &e);
	if (r < 0) {
		run->code = reset_give_up(run, r, &e);
		return false;
	}
	run->code = reset_begin(run);
	if (run->code == EXIT_DONE) {
		reset_screen_run(&run->screen, &run->setup, &run->act.stop);
		run->code = reset_put_verdict(run);
	}
	reset_setup_close(&run->setup);
	outlet_close(&run->screen.out);
	return true;
}

enum exit_code reset_run_fire(struct act *a)
{
	struct reset_run *run = (struct reset_run *)a;
	struct error e = { 0 };
	bool is_over;

	if (a->o->dry_run)
		return EXIT_DONE;
	if (stop_check(&a->stop)) {
		say_as(CODE_STOPPED, "stopped; nothing was reset");
		return EXIT_REFUSED;
	}
	is_over = reset_try(run);
	while (is_over && run->again && run->again(run, &run->code) && !stop_check(&a->stop)) {
		if (reset_make_plan(run, &e) < 0) {
			session_fail(&e);
			break;
		}
		is_over = reset_try(run);
	}
	return EXIT_DONE;
}

enum exit_code reset_run_report(struct act *a)
{
	struct reset_run *run = (struct reset_run *)a;

	reset_report_write(run, &run->code);
	return run->code;
}

void reset_run_leave(struct act *a)
{
	reset_report_write((struct reset_run *)a, &a->code);
}

/*
 * Whether no question is needed: the cards were typed at a prompt, -y was given, or cards were
 * named and nobody is there to ask.
 */
static bool is_agreed(const struct options *o)
{
	return o->n_targets == 0 || o->yes || !isatty(STDIN_FILENO);
}

static enum exit_code reset_agree_by(struct reset_run *run)
{
	const struct options *o = run->act.o;
	/* Callers of upstream's modes rely on this: try all cards, even if a program has one. */
	enum exit_code code;

	if (is_upstreams(o))
		run->act.passes = 1u << PREFLIGHT_HOPELESS |
			(o->check_busy ? 0 : 1u << PREFLIGHT_BUSY);
	if (!o->dry_run && (is_upstreams(o) ? o->check_busy || o->typed[OPT_WAIT] : is_agreed(o)))
		return judge_again(run);
	code = act_judge_use(&run->act, &run->plan, &run->preflight, NULL);
	if (code != EXIT_DONE || o->dry_run || is_upstreams(o))
		return code;
	return reset_confirm(run) ? judge_again(run) : EXIT_REFUSED;
}

/* There is nothing to judge, since no card here is reset. */
static enum exit_code reset_agree_far(struct reset_run *run)
{
	const struct options *o = run->act.o;

	if (o->dry_run)
		puts("nothing was reset (--dry-run)");
	if (o->dry_run || o->yes || is_upstreams(o) ||
		prompt_yes(&run->act.stop, "Reset it? [y/N] "))
		return EXIT_DONE;
	say_as(CODE_STOPPED, "nothing was reset");
	return EXIT_REFUSED;
}

enum exit_code reset_run_agree(struct act *a)
{
	struct reset_run *run = (struct reset_run *)a;
	enum exit_code code = a->is_far ? reset_agree_far(run) : reset_agree_by(run);

	if (a->o->dry_run && !a->is_far)
		print_dry(run);
	return code == EXIT_DONE && a->o->dry_run && (run->left_out.n > 0 ||
		run->preflight.count[PREFLIGHT_HOPELESS] > 0) ? EXIT_REFUSED : code;
}

void reset_run_end(struct act *a)
{
	struct reset_run *run = (struct reset_run *)a;

	reset_done_clear(&run->done);
	reset_done_clear(&run->left_out);
	preflight_clear(&run->preflight);
	credentials_clear(&run->credentials);
	strbuf_clear(&run->what);
	strbuf_clear(&run->order.names);
	free(run->before);
}

void reset_run_take_local(struct reset_run *run)
{
	run->local = *run->act.o;
	run->local.local = true;
	run->local.remote = false;
	run->act.o = &run->local;
}

enum exit_code reset_run_show(const struct reset_run *run)
{
	printf("%s\n", run->what.text);
	fflush(stdout);
	return EXIT_DONE;
}

enum exit_code reset_run_plan(struct act *a)
{
	struct reset_run *run = (struct reset_run *)a;
	struct error e = { 0 };
	int r;

	reset_done_init(&run->done);
	reset_done_init(&run->left_out);
	if (a->is_far)
		return EXIT_DONE;
	run->wish.dmc = a->o->dmc;
	run->wish.outside = run->outside;
	r = reset_targets_forbid(a->o->forbid, run->wish.forbidden, &e);
	if (r == 0)
		r = reset_make_plan(run, &e);
	print_left_out(run);
	if (r != -EINVAL && r != -EPERM)
		return r < 0 ? session_fail(&e) : EXIT_DONE;
	/* Being root would not help. */
	say_error(&e);
	return exit_of_error(r);
}

const struct act_taking reset_taking = {
	.is_once = true,
	.says = 1u << PREFLIGHT_NOTE | 1u << PREFLIGHT_BUSY | 1u << PREFLIGHT_UNSAFE |
		1u << PREFLIGHT_IMPOSSIBLE,
	.blocks = 1u << PREFLIGHT_BUSY | 1u << PREFLIGHT_UNSAFE | 1u << PREFLIGHT_HOPELESS |
		1u << PREFLIGHT_IMPOSSIBLE,
	.forced = 1u << PREFLIGHT_BUSY | 1u << PREFLIGHT_UNSAFE,
	.hints = { [PREFLIGHT_BUSY] = ": end these processes, or --wait for them; --force resets "
			"under them, and ends none",
		[PREFLIGHT_UNSAFE] = "; --force does it all the same" },
};

bool reset_run_has_cards(const struct reset_run *run)
{
	if (sampler_fleet(run->act.session.sampler)->n > 0)
		return true;
	session_complain(&run->act.session);
	return false;
}

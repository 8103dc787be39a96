/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Warm reset: choose the cards, check that it is safe, reset them, report the outcome.
 *
 * -wr is for people: it asks first.  -r is for programs written for today's tool:
 * it resets at once, and all boards if none is named.
 *
 * Over 400 lines, and one file: judging, asking and judging again are one sequence.
 */
#include "config.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/want.h"
#include "src/listed.h"
#include "src/named.h"
#include "src/reset/prompt.h"
#include "src/reset/report.h"
#include "src/reset/targets.h"
#include "src/say.h"
#include "src/turn.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* These ask nothing there, and programs rely on it. */
static bool is_upstreams(const struct options *o)
{
	return o->mode == MODE_GALAXY_RESET || o->typed[OPT_RESET];
}

static bool was_printed(const struct preflight *before, const struct preflight_note *n)
{
	for (size_t i = 0; before && i < before->n; i++)
		if (before->notes[i].index == n->index &&
			strcmp(before->notes[i].text, n->text) == 0)
			return true;
	return false;
}

/* The reasons against it, one line each, but for those that were printed before. */
static void print_notes(const struct reset_run *run, enum preflight_weight least,
	const struct preflight *before)
{
	for (size_t i = 0; i < run->preflight.n; i++) {
		const struct preflight_note *n = &run->preflight.notes[i];

		if (n->weight < least || was_printed(before, n))
			continue;
		if (n->index >= 0)
			say("%d %s: %s", n->index, run->session.bus->dev[n->index].bdf, n->text);
		else
			say("%s", n->text);
	}
}

static void preflight(struct reset_run *run)
{
	preflight_check(&run->preflight, &run->plan, run->session.bus,
		sampler_fleet(run->session.sampler), &run->session.host);
}

/* Wait until no process holds the cards: false when the time is over or we are stopped. */
static bool wait_for_holders(struct reset_run *run, struct stop *stop)
{
	int64_t end = run->o->wait ? clock_mono() + run->o->wait : INT64_MAX;

	print_notes(run, PREFLIGHT_BUSY, NULL);
	say("waiting until the cards are free");
	while (run->preflight.count[PREFLIGHT_BUSY] > 0) {
		if (clock_mono() >= end)
			return false;
		if (turn_rest(stop, 500))
			return false;
		sampler_tick(run->session.sampler, NULL);
		preflight(run);
	}
	return true;
}

/*
 * EXIT_DONE: there is no reason against it, or the caller overrides it.  before: what
 * was judged and printed already, or NULL.
 */
static enum exit_code judge(struct reset_run *run, struct stop *stop,
	const struct preflight *before)
{
	const struct options *o = run->o;
	bool minds = !is_upstreams(o) || o->check_busy;

	preflight(run);
	if (run->preflight.count[PREFLIGHT_IMPOSSIBLE] > 0) {
		print_notes(run, PREFLIGHT_NOTE, before);
		say("nothing was reset");
		return EXIT_REFUSED;
	}
	if (run->preflight.count[PREFLIGHT_BUSY] > 0 && o->typed[OPT_WAIT] &&
		!wait_for_holders(run, stop)) {
		say("the cards are still in use: nothing was reset");
		return EXIT_REFUSED;
	}
	print_notes(run, PREFLIGHT_NOTE, before);
	if (o->force || o->dry_run)
		return EXIT_DONE;
	if (run->preflight.count[PREFLIGHT_UNSAFE] > 0) {
		say("nothing was reset; --force does it all the same");
		return EXIT_REFUSED;
	}
	if (run->preflight.count[PREFLIGHT_BUSY] > 0 && minds) {
		say("nothing was reset: end these processes, or --wait for them; --force resets "
		    "under them, and ends none");
		return EXIT_REFUSED;
	}
	return EXIT_DONE;
}

static void print_plan(const struct reset_run *run)
{
	const struct fleet *f = sampler_fleet(run->session.sampler);

	if (run->act)
		printf("%s\n", run->act);

	for (size_t i = 0; i < run->plan.n; i++) {
		const struct plan_card *c = &run->plan.cards[i];
		const struct snapshot *s = &f->chips[c->index];

		printf("%d %s %s: ", s->index, s->bdf, s->series);
		for (size_t k = 0; k < c->n; k++)
			printf("%s%s", k ? ", if it does not help " : "",
				plan_method_title(c->ladder[k]));
		putchar('\n');
	}
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
	return (double)reset_phase_limit(phase, m, run->outside, run->o->require_links) /
		CLOCK_SECOND;
}

static void print_limit(const struct reset_run *run, enum reset_phase phase, const char *more)
{
	printf("%s %.0f s%s", reset_phase_name(phase),
		limit_s(run, phase, run->plan.cards[0].ladder[0]), more);
}

/* What would be done, by which methods, with which limits; holders are named on stderr. */
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

static int plan(struct reset_run *run, const struct plan_wish *wish, struct error *e)
{
	return plan_make(&run->plan, sampler_fleet(run->session.sampler), run->wanted, wish, e);
}

/* Only what a person types means yes. */
static bool confirm(const struct reset_run *run, struct stop *stop)
{
	char question[128];

	print_plan(run);
	fflush(stdout);
	snprintf(question, sizeof(question), "Reset %s? Programs that use %s lose %s. [y/N] ",
		run->plan.n == 1 ? "this card" : "these cards", run->plan.n == 1 ? "it" : "them",
		run->plan.n == 1 ? "it" : "them");
	if (prompt_yes(stop, question))
		return true;
	say("nothing was reset");
	return false;
}

/* With --force root does without a lock that a process of another user has. */
static bool pass_strangers(struct reset_run *run)
{
	bool any = false;

	for (size_t i = 0; run->o->force && i < run->plan.n; i++) {
		struct device *d = &run->session.bus->dev[run->plan.cards[i].index];
		const pid_t pid = device_pass_stranger(d);

		if (pid > 0)
			say("%s: process %ld of another user has its lock, which --force passes "
				"over", d->bdf, (long)pid);
		any = any || pid > 0;
	}
	return any;
}

/*
 * Take the cards.  What is left of a reset whose tool was killed has them, ends by itself,
 * and is waited for.
 */
static int hold_cards(struct reset_run *run, struct stop *stop, struct error *e)
{
	int64_t end = clock_mono() + HOLD_LEFT;
	int r = reset_take(&run->hold, run->session.bus, &run->plan, e);

	if ((r == -EBUSY || r == -EINPROGRESS) && pass_strangers(run))
		r = reset_take(&run->hold, run->session.bus, &run->plan, e);
	if (r == -EINPROGRESS)
		say("%s: waiting %.0f s at most for its end", e->text,
			(double)HOLD_LEFT / CLOCK_SECOND);
	while (r == -EINPROGRESS && clock_mono() < end && !stop_check(stop)) {
		turn_rest(stop, 100);
		r = reset_take(&run->hold, run->session.bus, &run->plan, e);
	}
	return r;
}

/* Refused is what something else than the card is the reason of. */
static enum exit_code refuse(int r, const struct error *e)
{
	say("%s; nothing was reset", e->text);
	return hold_is_taken(r) || r == -EACCES || want_is(r) ? EXIT_REFUSED : EXIT_FAILED;
}

/* What was known when a question was asked. */
struct asked {
	struct preflight preflight;
	struct plan plan;
	struct listed_card names[DEVICE_MAX];
};

static void name_cards(const struct reset_run *run, struct listed_card names[DEVICE_MAX])
{
	const struct fleet *f = sampler_fleet(run->session.sampler);

	for (size_t i = 0; i < run->plan.n; i++)
		listed_card_of(&f->chips[run->plan.cards[i].index], &names[i]);
}

static bool are_the_same(const struct reset_run *run, const struct asked *asked)
{
	struct listed_card now[DEVICE_MAX];

	name_cards(run, now);
	for (size_t i = 0; i < run->plan.n && i < asked->plan.n; i++)
		if (run->plan.cards[i].index != asked->plan.cards[i].index ||
			!listed_is_same(&asked->names[i], &now[i]))
			return false;
	return run->plan.n == asked->plan.n;
}

static enum exit_code judge_now(struct reset_run *run, const struct plan_wish *wish,
	const struct asked *asked, struct stop *stop)
{
	struct error e = { 0 };

	sampler_rescan(run->session.sampler, NULL);
	sampler_refresh(run->session.sampler);
	sampler_tick(run->session.sampler, NULL);
	if (plan(run, wish, &e) == 0 && are_the_same(run, asked))
		return judge(run, stop, &asked->preflight);
	say("%s: nothing was reset", *e.text ? e.text
		: "these are not the cards any more that were asked about");
	return EXIT_REFUSED;
}

/*
 * While a question stood anything may have changed.  So the cards are taken first, and
 * then all that can change is looked at and judged as if nobody had before.
 */
static enum exit_code judge_again(struct reset_run *run, const struct plan_wish *wish,
	struct stop *stop)
{
	struct asked *asked = mem_calloc(1, sizeof(*asked));
	struct error e = { 0 };
	enum exit_code code;
	int r = hold_cards(run, stop, &e);

	asked->preflight = run->preflight;
	asked->plan = run->plan;
	name_cards(run, asked->names);
	code = r < 0 ? refuse(r, &e) : judge_now(run, wish, asked, stop);
	free(asked);
	return code;
}

static enum exit_code verdict(struct reset_run *run)
{
	struct strbuf *out = &run->screen.out.text;
	const struct reset_card *cards;
	size_t n = reset_cards(run->reset, &cards), count[RESET_STOPPED + 1] = { 0 };
	enum exit_code code;

	for (size_t i = 0; i < n; i++)
		count[cards[i].verdict]++;
	code = count[RESET_STOPPED] + count[RESET_REFUSED] == n ? EXIT_REFUSED
		: count[RESET_RECOVERED] == n ? EXIT_DONE : EXIT_NEGATIVE;
	strbuf_printf(out, "%zu of %zu card%s recovered", count[RESET_RECOVERED], n,
		n == 1 ? "" : "s");
	for (int v = RESET_DEGRADED; v <= RESET_STOPPED; v++)
		if (count[v])
			strbuf_printf(out, ", %zu %s", count[v],
				reset_verdict_name((enum reset_verdict)v));
	if (fleet_is_simulated(sampler_fleet(run->session.sampler)))
		strbuf_puts(out, " (simulated boards)");
	strbuf_putc(out, '\n');
	return code;
}

static void save_failed(struct reset_run *run)
{
	const struct reset_card *cards;
	size_t n = reset_cards(run->reset, &cards);

	memset(run->failed, 0, sizeof(run->failed));
	for (size_t i = 0; i < n; i++)
		run->failed[cards[i].index] = cards[i].verdict != RESET_RECOVERED;
	reset_report_take(run);
}

/* The act that comes first, once the cards are ours; what stopped it stops the rest. */
static enum exit_code begin(struct reset_run *run, struct stop *stop)
{
	enum exit_code code = run->first && run->tries == 0 ? run->first(run) : EXIT_DONE;

	run->tries++;
	if (stop_check(stop))
		reset_stop(run->reset);
	return code;
}

static enum exit_code fire(struct reset_run *run, struct stop *stop)
{
	struct reset_config config;
	struct error e = { 0 };
	enum exit_code code;
	int r;

	if (reset_setup(&run->setup, &run->session, &run->plan, &config, &e) < 0)
		say("no log of this reset is kept: %s", e.text);
	config.hold = &run->hold;
	config.require_links = run->o->require_links;
	config.outside = run->outside;
	config.before = run->before;
	config.tell = reset_screen_tell;
	config.arg = &run->screen;
	r = hold_cards(run, stop, &e);
	if (r == 0)
		r = reset_open(&config, &run->reset, &e);
	if (r < 0) {
		log_close(&run->setup.log);
		return refuse(r, &e);
	}
	code = begin(run, stop);
	if (code == EXIT_DONE) {
		reset_screen_begin(&run->screen, run->reset);
		reset_screen_run(&run->screen, stop);
		code = verdict(run);
		save_failed(run);
		reset_close(run->reset);
		reset_screen_end(&run->screen);
	} else {
		reset_close(run->reset);
	}
	if (run->setup.log.trouble)
		say("%s: not all of this reset could be written: %s", run->setup.log.path,
			strerror(-run->setup.log.trouble));
	log_close(&run->setup.log);
	return code;
}

static enum exit_code fire_until(struct reset_run *run, const struct plan_wish *wish,
	struct stop *stop)
{
	enum exit_code code = fire(run, stop);
	struct error e = { 0 };

	while (run->again && run->again(run, &code) && !stop_check(stop)) {
		if (plan(run, wish, &e) < 0) {
			session_fail(&e);
			break;
		}
		code = fire(run, stop);
	}
	reset_report_write(run, &code);
	return code;
}

/* A line of cards that was typed is an answer, too. */
static bool was_asked(const struct options *o)
{
	return !is_upstreams(o) && o->n_targets == 0;
}

/* EXIT_DONE: all is judged and agreed to. */
static enum exit_code agree(struct reset_run *run, const struct plan_wish *wish)
{
	const struct options *o = run->o;
	bool asks = !is_upstreams(o) && !o->yes && o->n_targets > 0;
	enum exit_code code = was_asked(o) ? judge_again(run, wish, run->stop)
		: judge(run, run->stop, NULL);

	if (code != EXIT_DONE || o->dry_run || !asks)
		return code;
	return confirm(run, run->stop) ? judge_again(run, wish, run->stop) : EXIT_REFUSED;
}

enum exit_code reset_run_act(struct reset_run *run)
{
	const struct options *o = run->o;
	struct plan_wish wish = { .dmc = o->dmc, .outside = run->outside };
	struct error e = { 0 };
	struct stop own = { .open = false };
	enum exit_code code;
	int r = reset_targets_forbid(o->forbid, wish.forbidden, &e);

	if (r == 0)
		r = plan(run, &wish, &e);
	/* Being root would not help. */
	if (r == -EINVAL || r == -EPERM) {
		say("%s", e.text);
		return r == -EINVAL ? EXIT_USAGE : EXIT_REFUSED;
	}
	if (r < 0)
		return session_fail(&e);
	if (!run->stop) {
		stop_open(&own, false);
		run->stop = &own;
	}
	code = agree(run, &wish);
	if (o->dry_run)
		print_dry(run);
	else if (code == EXIT_DONE && stop_check(run->stop))
		code = EXIT_REFUSED;
	else if (code == EXIT_DONE)
		code = fire_until(run, &wish, run->stop);
	hold_give_back(&run->hold);
	stop_close(&own);
	return code;
}

static enum exit_code reset_chosen(struct reset_run *run)
{
	const struct options *o = run->o;
	enum exit_code code = session_open(&run->session, o, true);

	if (code != EXIT_DONE)
		return code;
	if (!named_can_act(&run->session)) {
		code = EXIT_USAGE;
	} else if (sampler_fleet(run->session.sampler)->n == 0) {
		session_complain(&run->session);
		code = EXIT_NO_DEVICE;
	} else {
		code = reset_targets_choose(o, &run->session, run->wanted);
	}
	if (code == EXIT_DONE)
		code = reset_run_act(run);
	session_close(&run->session);
	return code;
}

enum exit_code mode_reset(const struct options *o)
{
	struct reset_run *run;
	enum exit_code code;

	if (o->n_targets > 0 && mode_mobo_is_meant(o))
		return mode_mobo(o);
	/* Without a terminal there is no one to ask. */
	if (!is_upstreams(o) && o->n_targets > 0 && !o->yes && !o->dry_run &&
		!isatty(STDIN_FILENO)) {
		say("%s: asks before it resets, and standard input is no terminal: add -y",
			o->mode_option);
		return EXIT_REFUSED;
	}
	/* Too large for a small stack. */
	run = mem_calloc(1, sizeof(*run));
	run->o = o;
	run->setup.log.fd = -1;
	code = reset_chosen(run);
	free(run);
	return code;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * act_run.c - the runner, which walks the steps of an act.  It does not know the rows of acts[]:
 * its caller made the act from one of them.
 */
#include "config.h"
#include "src/act.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/mem.h"
#include "src/say.h"
#include "src/turn.h"

#define REST	     (10 * CLOCK_SECOND)	/* the driver powers a board down after 5 s */
#define REST_TURN_MS 250

struct act *act_new(const struct options *o, size_t size)
{
	struct act *a = mem_calloc(1, size);

	a->ops = o->act;
	a->o = o;
	return a;
}

/* Only acts that take cards, and dumps, need the first sample. */
static enum exit_code act_open(struct act *a)
{
	const struct act_taking *t = a->ops->taking;

	if (t && a->o->unheeded)
		say_as(CODE_NO_EFFECT, "note: %s has no effect here: cards that are acted on are "
			"opened", a->o->unheeded);
	return t || a->o->dump ? session_open(&a->session, a->o, t && t->is_once)
		: session_start(&a->session, a->o);
}

/* An act that takes no cards does not depend on where they come from. */
static enum exit_code act_check_source(struct act *a)
{
	return a->ops->taking && sampler_fleet(a->session.sampler)->n > 0 ? act_refuse_recorded(a)
		: EXIT_DONE;
}

/* From here on signals are polled; work in progress is finished first. */
static enum exit_code act_hear_stops(struct act *a)
{
	if (!a->stop.open)
		stop_open(&a->stop, false);
	return EXIT_DONE;
}

/* A board that may be about to power down is not read.  An act needs its telemetry, so wait. */
static enum exit_code act_await_rest(struct act *a)
{
	const int64_t until = clock_mono() + REST;
	const struct snapshot *s;
	bool is_said = false;

	if (!a->ops->taking || !a->ops->taking->awaits_rest)
		return EXIT_DONE;
	while ((s = session_find_restless(&a->session)) && clock_mono() < until) {
		if (!is_said)
			say("%d %s: a job has just ended on it: waiting %.0f s at most for it to "
				"power down", s->index, s->bdf, (double)REST / CLOCK_SECOND);
		is_said = true;
		if (turn_rest(&a->stop, REST_TURN_MS)) {
			say_as(CODE_STOPPED, "stopped; %s", act_words[a->ops->kind].undone);
			return EXIT_REFUSED;
		}
		sampler_await_all(a->session.sampler);
		sampler_tick(a->session.sampler, NULL);
	}
	return EXIT_DONE;
}

/* Returns how many steps were begun. */
static size_t act_walk(struct act *a, enum exit_code (*const *steps)(struct act *), size_t n)
{
	size_t i;

	a->code = EXIT_DONE;
	for (i = 0; a->code == EXIT_DONE && i < n; i++)
		if (steps[i])
			a->code = steps[i](a);
	return i;
}

enum exit_code act_prove_report(struct act *a)
{
	struct error e;

	if (!a->o->report || a->o->dry_run || a->reports)
		return EXIT_DONE;
	a->reports = file_new_open(&a->report, a->o->report, true, &e) == 0;
	a->has_no_report = !a->reports;
	return a->reports ? EXIT_DONE : session_fail_file(&e);
}

/* The report says that the act ended before its work: an earlier one may have left a PASS there. */
static void act_leave_report(struct act *a, bool is_early)
{
	if (a->code == EXIT_USAGE)
		return;
	if (is_early && !a->has_no_report)
		act_prove_report(a);
	if (a->reports)
		a->ops->steps->leave(a);
}

enum exit_code act_run(struct act *a)
{
	const struct act_steps *x = a->ops->steps;
	bool is_early;
	enum exit_code (*const steps[])(struct act *) = { x->prepare, act_open, act_check_source,
		act_hear_stops, act_await_rest, x->choose, x->prove, x->fit,
		x->take ? x->take : act_take, x->start, x->watch, x->judge, x->report };

	is_early = act_walk(a, steps, ARRAY_LEN(steps)) < ARRAY_LEN(steps);
	if (x->leave)
		act_leave_report(a, is_early);
	if (x->end)
		x->end(a);
	if (a->reports)
		file_new_discard(&a->report);
	hold_give_back(&a->hold);
	stop_end(&a->stop);
	session_close(&a->session);
	return a->code;
}

static void act_lend(struct act *from, struct act *to)
{
	to->session = from->session;
	to->stop = from->stop;
	to->hold = from->hold;
}

enum exit_code act_run_part(struct act *whole, struct act *part)
{
	const struct act_steps *x = part->ops->steps;
	enum exit_code (*const steps[])(struct act *) = { x->prepare, x->choose, x->fit, x->start,
		x->watch, x->judge };

	part->is_part = true;
	act_lend(whole, part);
	act_walk(part, steps, ARRAY_LEN(steps));
	act_lend(part, whole);
	whole->was_stopped = whole->was_stopped || part->was_stopped;
	return part->code;
}

bool act_turns(struct act *a, bool (*beat)(struct act *a), int ms)
{
	while (beat(a))
		if (turn_rest(&a->stop, ms)) {
			a->was_stopped = true;
			break;
		}
	return a->was_stopped;
}

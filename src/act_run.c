/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * act_run.c - the runner, which takes the cards of an act and walks its steps.  It does not know
 * the rows of acts[]: its caller made the act from one of them.
 */
#include "config.h"

#include "base/child.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/want.h"
#include "src/act.h"
#include "src/listed.h"
#include "src/loop.h"
#include "src/mode.h"
#include "src/say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * How an act takes its cards.  Either no other program has them and the act holds them from then
 * on, or nothing is done and the same words say so in every mode.
 */

#define HOLDERS	   (5 * CLOCK_SECOND)	/* until it is known who holds a card */
#define HOLDERS_MS 50
#define WAIT_MS	   500
#define HELD_MS	   100
#define FRESH	   (20 * CLOCK_SECOND)	/* for a sample of all cards */
#define FRESH_MS   50
#define SAMPLE	   CLOCK_SECOND

static const char *act_undone(const struct act *a)
{
	return act_words[a->ops->kind].undone;
}

const char *act_refusal(enum act_kind kind, const char *why, char text[static ACT_REFUSAL])
{
	snprintf(text, ACT_REFUSAL, "%.340s; %s", why, act_words[kind].undone);
	return text;
}

static enum exit_code act_refuse_for(struct act *a, enum code code, const char *why)
{
	char text[ACT_REFUSAL];

	if (a->refuse)
		a->refuse(a, why);
	else
		say_as(code, "%s", act_refusal(a->ops->kind, why, text));
	return EXIT_REFUSED;
}

static enum from act_source(const struct options *o)
{
	if (o->load || o->replay)
		return o->load ? FROM_FILE : FROM_RECORDING;
	if (o->sim || o->ttsim)
		return o->sim ? FROM_SIM : FROM_TTSIM;
	return o->root && strcmp(o->root, "/") != 0 ? FROM_TREE : FROM_HERE;
}

enum exit_code act_refuse_source(struct act *a)
{
	static const struct {
		enum option_id option;
		const char *does;
	} refused[FROM_SOURCES] = {
		[FROM_TREE] = { OPT_ROOT, "reads a recorded tree" },
		[FROM_RECORDING] = { OPT_REPLAY, "plays a recording" },
		[FROM_FILE] = { OPT_LOAD, "shows a saved file" },
	};
	const enum from from = act_source(a->o);
	const char *option = a->o->typed[refused[from].option];
	char why[96];

	/* The plan of a reset may be shown for a tree. */
	if (a->o->does->acts_on >> from & 1 || (from == FROM_TREE && a->o->dry_run))
		return EXIT_DONE;
	snprintf(why, sizeof(why), "%.*s %s: its cards cannot be reset or tested",
		(int)strcspn(option, "="), option, refused[from].does);
	return act_refuse_for(a, CODE_RECORDED, why);
}

/* EXIT_REFUSED if the reason is something other than the card. */
enum exit_code act_refuse(struct act *a, int r, const struct error *e)
{
	act_refuse_for(a, e->word, e->text);
	return hold_is_taken(r) || want_is(r) ? EXIT_REFUSED : exit_of_error(r);
}

/* If the session takes many samples, the list of holders may come after the first of them. */
static void await_holders(struct act *a)
{
	const struct fleet *f = sampler_fleet(a->session.sampler);
	const int64_t until = clock_mono() + HOLDERS;

	while (!a->ops->taking->is_once && *f->processes_unknown && clock_mono() < until &&
		!turn_rest(&a->stop, HOLDERS_MS))
		sampler_tick(a->session.sampler, NULL);
}

static void act_look(struct act *a, const struct reset_plan *plan, struct preflight *p)
{
	preflight_check(p, plan, a->session.bus, sampler_fleet(a->session.sampler),
		&a->session.host);
}

static bool was_said(const struct preflight *before, const struct preflight_note *n)
{
	for (size_t i = 0; before && i < before->n; i++)
		if (before->notes[i].index == n->index &&
			strcmp(before->notes[i].text, n->text) == 0)
			return true;
	return false;
}

struct told {
	const struct preflight *now, *before;
};

static bool is_alike(const void *all, size_t a, size_t b)
{
	const struct told *t = all;
	const struct preflight_note *x = &t->now->notes[a], *y = &t->now->notes[b];

	return x->index >= 0 && y->index >= 0 && x->weight == y->weight &&
		strcmp(x->text, y->text) == 0 && !was_said(t->before, x);
}

/* Cards with the same note share a line. */
static void say_notes(const struct act *a, const struct preflight *p, unsigned weights,
	const struct preflight *before)
{
	const struct told told = { p, before };
	int *index = mem_calloc(p->n + 1, sizeof(*index));
	struct strbuf names = { 0 };

	for (size_t i = 0; i < p->n; i++) {
		const struct preflight_note *n = &p->notes[i];
		size_t alike;

		if (!(weights >> n->weight & 1) || was_said(before, n))
			continue;
		alike = text_group(&told, p->n, i, is_alike, index);
		for (size_t k = 0; k < alike; k++)
			index[k] = p->notes[index[k]].index;
		names.len = 0;
		if (alike > 1)
			text_put_cards(&names, index, alike);
		else if (n->index >= 0)
			strbuf_printf(&names, "%d %s", n->index, a->session.bus->dev[n->index].bdf);
		if (alike > 0)
			say_as(n->code, "%s%s%s", names.len ? names.text : "",
				names.len ? ": " : "", n->text);
	}
	strbuf_clear(&names);
	free(index);
}

/* When --wait ends; its time begins at the first call. */
static int64_t act_wait_end(struct act *a)
{
	if (a->wait_end == 0)
		a->wait_end = a->o->wait ? clock_mono() + a->o->wait : INT64_MAX;
	return a->wait_end;
}

/*
 * With --wait, for all that has the cards.  Another program's reset is waited for without it: it
 * is over soon, or was left and is no reason any more (reset/preflight.c).
 */
static bool act_waits(const struct act *a, const struct preflight *p, enum preflight_weight worst)
{
	const size_t busy = p->count[PREFLIGHT_BUSY];

	if (busy == 0 || worst == PREFLIGHT_IMPOSSIBLE)
		return false;
	return a->o->typed[OPT_WAIT] || (worst == PREFLIGHT_BUSY && p->resets == busy);
}

/* Wait until nobody has the cards: false when the time is over or we are stopped. */
static bool wait_for_holders(struct act *a, const struct reset_plan *plan, struct preflight *p)
{
	const bool for_all = a->o->typed[OPT_WAIT];
	const int64_t end = for_all ? act_wait_end(a) : INT64_MAX;

	say_notes(a, p, ~(1u << PREFLIGHT_NOTE), NULL);
	say(for_all ? "waiting until the cards are free"
		: "waiting until this is over, or takes longer than any reset");
	while (for_all ? p->count[PREFLIGHT_BUSY] > 0 : p->resets > 0) {
		if (clock_mono() >= end || turn_rest(&a->stop, WAIT_MS))
			return false;
		/* A card that has left the bus has no holders, either. */
		sampler_rescan(a->session.sampler, NULL);
		sampler_tick(a->session.sampler, NULL);
		act_look(a, plan, p);
	}
	return true;
}

/* The worst reason against it; PREFLIGHT_NOTE: there is none. */
static enum preflight_weight act_worst_of(const struct preflight *p, unsigned blocks)
{
	for (int w = PREFLIGHT_IMPOSSIBLE; w > PREFLIGHT_NOTE; w--)
		if (blocks >> w & 1 && p->count[w] > 0)
			return (enum preflight_weight)w;
	return PREFLIGHT_NOTE;
}

/* The first note that blocks the act.  Nothing waits here, since the display goes on. */
static enum exit_code act_judge_shown(struct act *a, const struct preflight *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (a->ops->taking->blocks >> p->notes[i].weight & 1)
			return act_refuse_for(a, p->notes[i].code, p->notes[i].text);
	return EXIT_DONE;
}

enum exit_code act_judge_use(struct act *a, const struct reset_plan *plan, struct preflight *p,
	const struct preflight *before)
{
	const struct act_taking *t = a->ops->taking;
	const struct options *o = a->o;
	const unsigned blocks = t->blocks & ~a->passes &
		~(o->force ? t->forced : 0);
	enum preflight_weight worst;

	await_holders(a);
	act_look(a, plan, p);
	if (a->refuse)
		return act_judge_shown(a, p);
	worst = act_worst_of(p, blocks);
	if (o->dry_run && act_waits(a, p, worst)) {
		say_notes(a, p, t->says, before);
		return EXIT_DONE;
	}
	if (act_waits(a, p, worst) && !wait_for_holders(a, plan, p)) {
		say_as(CODE_HELD, "the cards are still in use: %s", act_undone(a));
		return EXIT_REFUSED;
	}
	worst = act_worst_of(p, blocks);
	say_notes(a, p, worst == PREFLIGHT_NOTE ? t->says : t->says | blocks, before);
	if (worst == PREFLIGHT_NOTE)
		return EXIT_DONE;
	say("%s%s", act_undone(a), t->hints[worst] ? t->hints[worst] : "");
	return EXIT_REFUSED;
}

void act_sample_anew(struct act *a)
{
	sampler_rescan(a->session.sampler, NULL);
	sampler_refresh(a->session.sampler);
	sampler_tick(a->session.sampler, NULL);
}

/* Cards that live now may die in the act.  A card that was dead before and still is does not. */
static void act_note_alive(struct act *a)
{
	const struct fleet *f = sampler_fleet(a->session.sampler);

	sampler_judge_beats(a->session.sampler);
	for (size_t i = 0; i < f->n; i++)
		a->lived[i] = a->lived[i] || (snapshot_is_live(&f->chips[i]) &&
			!snapshot_death(&f->chips[i]));
}

void act_await_fresh(struct act *a, const bool cards[])
{
	const int64_t until = clock_mono() + FRESH;
	const struct fleet *f = sampler_fleet(a->session.sampler);

	for (bool is_first = true; clock_mono() < until; is_first = false) {
		bool is_stale = false;

		for (size_t i = 0; i < f->n; i++)
			is_stale = is_stale || (cards[i] &&
				f->chips[i].r[FIELD_DRAM_TRAINED].state == READING_STALE &&
				(is_first || !snapshot_death(&f->chips[i])));
		if (!is_stale || turn_rest(&a->stop, FRESH_MS))
			break;
		/* Without a wait, the tick would have a slow card's answer to the tick before. */
		sampler_await_all(a->session.sampler);
		sampler_tick(a->session.sampler, NULL);
	}
	act_note_alive(a);
}

/*
 * Whether an act waits for the program that has its cards.  For a reset it waits without --wait,
 * unless it is one that acts at once.
 */
static bool act_awaits(const struct act *a, int r)
{
	const bool at_once = a->passes >> PREFLIGHT_BUSY & 1;

	return r == -EINPROGRESS ||
		(hold_is_taken(r) && (a->o->typed[OPT_WAIT] || (a->hold.is_reset && !at_once)));
}

/* How long it waits without --wait. */
static int64_t act_patience(const struct act *a)
{
	const struct fleet *f = sampler_fleet(a->session.sampler);
	int64_t most = HOLD_LEFT;

	for (size_t i = 0; a->hold.is_reset && i < f->n; i++)
		if (a->wanted[i] && preflight_reset_limit(&f->chips[i]) > most)
			most = preflight_reset_limit(&f->chips[i]);
	return most;
}

int act_await_hold(struct act *a, int (*take)(struct act *a, struct error *e), struct error *e)
{
	int64_t end = 0;
	int r = take(a, e);

	if (hold_is_taken(r) && a->o->typed[OPT_WAIT]) {
		say_as(e->word, "%s: waiting for its end", e->text);
		end = act_wait_end(a);
	} else if (act_awaits(a, r)) {
		say_as(e->word, "%s: waiting %.0f s at most for its end", e->text,
			(double)act_patience(a) / CLOCK_SECOND);
		end = clock_mono() + act_patience(a);
	}
	while (act_awaits(a, r) && clock_mono() < end && !turn_rest(&a->stop, HELD_MS))
		r = take(a, e);
	if (r == 0 && end > 0)
		act_sample_anew(a);
	return r;
}

/* A second chip has no lock of its own. */
static int act_hold(struct act *a, struct error *e)
{
	bool own[DEVICE_MAX];

	for (size_t i = 0; i < DEVICE_MAX; i++)
		own[i] = a->wanted[i] && a->session.bus->dev[i].local < 0;
	return hold_take(&a->hold, a->session.bus, own, e);
}

/* If one card is held, nothing is done to the others, either: their result would hide that. */
static enum exit_code act_take(struct act *a)
{
	struct preflight p = { 0 };
	struct reset_plan *plan;
	struct error e = { 0 };
	enum exit_code code;
	int r;

	if (!memchr(a->wanted, true, sizeof(a->wanted)))
		return EXIT_DONE;
	r = act_await_hold(a, act_hold, &e);
	if (r == 0)
		r = hold_ask_driver(&a->hold, &e);
	if (r < 0)
		return act_refuse(a, r, &e);
	plan = mem_calloc(1, sizeof(*plan));
	for (size_t i = 0; i < DEVICE_MAX; i++)
		if (a->wanted[i])
			plan->cards[plan->n++].index = (int)i;
	code = act_judge_use(a, plan, &p, NULL);
	preflight_clear(&p);
	free(plan);
	return code;
}

/* How its steps are walked. */

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
	enum exit_code code;

	if (a->is_far)
		return EXIT_DONE;
	if (t && a->o->unheeded)
		say_as(CODE_NO_EFFECT, "note: %s has no effect here: cards that are acted on are "
			"opened", a->o->unheeded);
	code = t || a->o->dump ? session_open(&a->session, a->o, t && t->is_once)
		: session_start(&a->session, a->o);
	/* A card that was named is hidden, and stderr says so: nothing is done to the others. */
	return code == EXIT_DONE && a->session.misses ? EXIT_REFUSED : code;
}

/* An act that takes no cards does not depend on where they come from. */
static enum exit_code act_check_source(struct act *a)
{
	return a->is_far || (a->ops->taking && sampler_fleet(a->session.sampler)->n > 0)
		? act_refuse_source(a) : EXIT_DONE;
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
	act_note_alive(a);
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

void act_end(struct act *a)
{
	if (a->ops->steps->end)
		a->ops->steps->end(a);
	if (a->reports)
		file_new_discard(&a->report);
	hold_give_back(&a->hold);
	if (a->refuse)
		return;
	stop_end(&a->stop);
	session_close(&a->session);
}

/*
 * A process that outlives the act: if the act's own dies, from a flipped bit or a signal, it says
 * that there is no verdict.  An act that cannot have one goes on without.
 */

/* The end of the socket without a word before it: the other process has died. */
static int watch_over(void *arg, int fd)
{
	char word;
	ssize_t n;

	clock_leave();
	mem_unshare_others(NULL);
	prctl(PR_SET_NAME, "tt-smi guard");
	do
		n = read(fd, &word, sizeof(word));
	while (n < 0 && errno == EINTR);
	/* A terminal that takes nothing more does not keep this process. */
	alarm(10);
	if (n == 0)
		say_as(CODE_NOT_FINISHED, "the %s ended without a verdict", (const char *)arg);
	return 0;
}

static void guard_start(struct child *guard, const char *what)
{
	static const int kept[] = { STDERR_FILENO };
	const struct child_config how = { .run = watch_over, .arg = (void *)(uintptr_t)what,
		.keep = kept, .n_keep = 1, .ignores_terminal = true };

	if (child_start(guard, &how, NULL) < 0)
		*guard = (struct child){ .pid = 0 };
}

static void guard_end(struct child *guard)
{
	if (guard->pid == 0)
		return;
	send(guard->fd, "", 1, MSG_NOSIGNAL);
	child_end(guard, CLOCK_SECOND);
}

/* Acts that write a report have a verdict. */
static enum exit_code act_guard(struct act *a)
{
	if (a->ops->steps->leave)
		guard_start(&a->guard, act_words[a->ops->kind].name);
	return EXIT_DONE;
}

enum exit_code act_run(struct act *a)
{
	const struct act_steps *x = a->ops->steps;
	bool is_early;
	enum exit_code (*const steps[])(struct act *) = { x->prepare, act_open, act_check_source,
		act_hear_stops, act_await_rest, x->choose, x->prove, x->fit,
		x->take ? x->take : act_take, act_guard, x->start, x->watch, x->judge, x->report };

	is_early = act_walk(a, steps, ARRAY_LEN(steps)) < ARRAY_LEN(steps);
	if (x->leave)
		act_leave_report(a, is_early);
	guard_end(&a->guard);
	act_end(a);
	return a->code;
}

enum exit_code act_begin(struct act *a)
{
	const struct act_steps *x = a->ops->steps;
	enum exit_code (*const steps[])(struct act *) = { act_check_source, x->choose, x->fit,
		x->take, x->start };

	act_walk(a, steps, ARRAY_LEN(steps));
	return a->code;
}

enum exit_code mode_act(const struct options *o)
{
	struct act *a = act_new(o, o->act->size);
	enum exit_code code = act_run(a);

	free(a);
	return code;
}

static void act_lend(struct act *from, struct act *to)
{
	to->session = from->session;
	to->stop = from->stop;
	to->hold = from->hold;
	memcpy(to->lived, from->lived, sizeof(to->lived));
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

bool act_sample_last(struct act *a)
{
	struct sampler *s = a->session.sampler;

	if (sampler_is_busy(s))
		sampler_finish(s, NULL);
	/* A heartbeat that moved before the first may have stopped since: the second shows it. */
	for (int i = 0; i < 2; i++)
		if (sampler_tick(s, NULL) < 0)
			return false;
	/* On a busy machine the look may come too late. */
	for (int i = 0; i < 3 && !sampler_judge_beats(s); i++)
		;
	return true;
}

void act_keep_sampling(struct act *a)
{
	const int64_t now = clock_mono();

	if (now - a->sampled < SAMPLE)
		return;
	a->sampled = now;
	sampler_tick(a->session.sampler, NULL);
}

void act_take_step(const struct act *a, int index, enum code code, struct advice *next)
{
	struct fleet fleet = *sampler_fleet(a->session.sampler);

	fleet.n_processes = 0;	/* the act itself has the card, and ends */
	advice_take_code(next, &fleet, &fleet.chips[index], code);
}

bool act_card_died(const struct act *a, int index, struct error *why)
{
	const struct snapshot *s = &sampler_fleet(a->session.sampler)->chips[index];
	const char *death = snapshot_death(s);

	if (!death || !a->lived[index])
		return false;
	fail_as(why, snapshot_code(s), -ENODEV, "the card died during the %s: %s",
		act_words[a->ops->kind].name, death);
	return true;
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

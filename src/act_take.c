/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * act_take.c - how an act takes its cards.  Either no other program has them and the act holds
 * them from then on, or nothing is done and the same words say so in every mode.
 */
#include "config.h"
#include "src/act.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/want.h"
#include "src/named.h"
#include "src/say.h"
#include "src/turn.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOLDERS	   (5 * CLOCK_SECOND)	/* until it is known who holds a card */
#define HOLDERS_MS 50
#define WAIT_MS	   500
#define HELD_MS	   100
#define FRESH	   (20 * CLOCK_SECOND)	/* for a sample of all cards */
#define FRESH_MS   50

static const char *act_undone(const struct act *a)
{
	return act_words[a->ops->kind].undone;
}

const char *act_refusal(enum act_kind kind, const char *why, char text[static ACT_REFUSAL])
{
	snprintf(text, ACT_REFUSAL, "%.340s; %s", why, act_words[kind].undone);
	return text;
}

enum exit_code act_refuse_recorded(const struct act *a)
{
	char why[NAMED_TEXT], text[ACT_REFUSAL];

	if (!named_is_recorded(a->o, why))
		return EXIT_DONE;
	say_as(CODE_RECORDED, "%s", act_refusal(a->ops->kind, why, text));
	return EXIT_REFUSED;
}

/* EXIT_REFUSED if the reason is something other than the card. */
enum exit_code act_refuse(const struct act *a, int r, const struct error *e)
{
	char text[ACT_REFUSAL];

	say_as(e->word, "%s", act_refusal(a->ops->kind, e->text, text));
	return hold_is_taken(r) || r == -EACCES || want_is(r) ? EXIT_REFUSED : EXIT_FAILED;
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

static void say_notes(const struct act *a, const struct preflight *p, unsigned weights,
	const struct preflight *before)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct preflight_note *n = &p->notes[i];

		if (!(weights >> n->weight & 1) || was_said(before, n))
			continue;
		if (n->index >= 0)
			say_as(n->code, "%d %s: %s", n->index,
				a->session.bus->dev[n->index].bdf, n->text);
		else
			say_as(n->code, "%s", n->text);
	}
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
 * is over soon, or was left and is no reason any more (preflight.c).
 */
static bool act_waits(const struct act *a, const struct preflight *p, enum preflight_weight worst)
{
	const size_t busy = p->count[PREFLIGHT_BUSY];

	if (busy == 0 || a->o->dry_run || worst == PREFLIGHT_IMPOSSIBLE)
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

const char *act_objection(const struct act_ops *ops, const struct preflight *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (ops->taking->blocks >> p->notes[i].weight & 1)
			return p->notes[i].text;
	return NULL;
}

enum exit_code act_judge_use(struct act *a, const struct reset_plan *plan, struct preflight *p,
	const struct preflight *before)
{
	const struct act_taking *t = a->ops->taking;
	const struct options *o = a->o;
	const unsigned blocks = t->blocks & ~a->passes &
		~(o->force || o->dry_run ? t->forced : 0);
	enum preflight_weight worst;

	await_holders(a);
	act_look(a, plan, p);
	if (act_waits(a, p, act_worst_of(p, blocks)) && !wait_for_holders(a, plan, p)) {
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

void act_await_fresh(struct act *a, const bool cards[])
{
	const int64_t until = clock_mono() + FRESH;
	const struct fleet *f = sampler_fleet(a->session.sampler);

	for (bool is_stale = true; clock_mono() < until;) {
		is_stale = false;
		for (size_t i = 0; i < f->n; i++)
			is_stale = is_stale || (cards[i] &&
				f->chips[i].r[FIELD_DRAM_TRAINED].state == READING_STALE);
		if (!is_stale || turn_rest(&a->stop, FRESH_MS))
			return;
		/* Without a wait, the tick would have a slow card's answer to the tick before. */
		sampler_await_all(a->session.sampler);
		sampler_tick(a->session.sampler, NULL);
	}
}

int act_await_hold(struct act *a, int (*take)(struct act *a, struct error *e), struct error *e)
{
	const bool waits = a->o->typed[OPT_WAIT];
	int64_t end = 0;
	int r = take(a, e);

	if (waits && hold_is_taken(r)) {
		say_as(e->word, "%s: waiting for its end", e->text);
		end = act_wait_end(a);
	} else if (r == -EINPROGRESS) {
		say_as(e->word, "%s: waiting %.0f s at most for its end", e->text,
			(double)HOLD_LEFT / CLOCK_SECOND);
		end = clock_mono() + HOLD_LEFT;
	}
	while ((r == -EINPROGRESS || (waits && hold_is_taken(r))) && clock_mono() < end &&
		!turn_rest(&a->stop, HELD_MS))
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
enum exit_code act_take(struct act *a)
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reset.c - the chip resets around a burn of cards: a program before us may have left the cores
 * in any state, and so do we.
 */
#include "config.h"

#include "base/mem.h"
#include "src/burnin/cards.h"
#include "src/burnin/run.h"
#include "src/reset/screen.h"
#include "src/say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct burnin_card *burnin_find_card(const struct burnin_run *r, int index)
{
	const struct burnin_target *t;

	for (size_t i = 0; (t = burnin_next_card(r, &i));)
		if (t->index == index)
			return t->card;
	return NULL;
}

static struct burnin_target *find_target(const struct burnin_run *r, int index)
{
	for (size_t i = 0; i < r->facts.n_targets; i++)
		if (r->facts.targets[i].index == index)
			return &r->facts.targets[i];
	return NULL;
}

/* Leave out a half whose other half was named, too, and does not burn; false: it was not named. */
static bool leave_out_half(const struct burnin_run *r, int index, const struct error *e)
{
	const struct fleet *f = sampler_fleet(r->act.session.sampler);
	struct burnin_target *t = index < 0 ? NULL : find_target(r, index);

	for (size_t k = 0; t && e->word == CODE_OTHER_HALF && k < f->n; k++)
		if (fleet_needs_both(f, &f->chips[index], &f->chips[k]) &&
			!burnin_find_card(r, (int)k)) {
			if (!find_target(r, (int)k))
				return false;
			burnin_leave_out(t, VERDICT_INCOMPLETE, CODE_OTHER_HALF,
				"its board cannot be reset without %s, which is not burnt",
				f->chips[k].bdf);
			free(t->card);
			t->card = NULL;
			return true;
		}
	return false;
}

static bool make_plan(const struct burnin_run *r, int when, struct reset_plan *plan,
	struct error *e)
{
	const struct plan_wish wish = { 0 };
	const struct burnin_target *t;
	int err;

	do {
		bool wanted[DEVICE_MAX] = { false };

		for (size_t i = 0; (t = burnin_next_card(r, &i));)
			wanted[t->index] = true;
		err = plan_make(plan, sampler_fleet(r->act.session.sampler), wanted, &wish, e);
	} while (err < 0 && when == BURNIN_BEFORE && leave_out_half(r, plan->refused, e));
	return err == 0;
}

void burnin_choose_resets(struct burnin_run *r)
{
	r->resets = r->work.computes && !r->act.o->no_reset;
	r->act.passes = r->resets ? 0 : 1u << PREFLIGHT_UNSAFE;
}

struct telling {
	struct burnin_run *run;
	int when;
	bool folds;			/* several cards, for a person: only count the recovered */
};

static const char *const whens[] = { [BURNIN_BEFORE] = "before", [BURNIN_AFTER] = "after" };

/* Push the lines, unless a screen is up, which would hide them. */
static void push_lines(struct burnin_run *r)
{
	if (!r->screen)
		outlet_push(&r->out);
}

static bool is_fine(const struct reset_card *c)
{
	return c->verdict == RESET_RECOVERED && !*c->reason;
}

static void tell_recovered(struct burnin_run *r, int when)
{
	const struct burnin_target *t;
	int64_t slowest = 0;
	size_t n = 0;

	for (size_t i = 0; (t = burnin_next_card(r, &i));) {
		const struct reset_card *c = &t->card->reset[when];

		if (!is_fine(c))
			continue;
		n++;
		slowest = c->took > slowest ? c->took : slowest;
	}
	if (n == 0)
		return;
	strbuf_printf(&r->out.text, "%zu card%s: reset %s the burn: recovered in %.1f s "
		"at most\n", n, text_plural(n), whens[when], (double)slowest / 1e9);
	push_lines(r);
}

static void reset_tell(void *arg, const struct reset_card *c, const struct reset_step *step)
{
	const struct telling *t = arg;
	struct burnin_card *card = burnin_find_card(t->run, c->index);

	if (step || !card)
		return;
	card->reset[t->when] = *c;
	if (t->folds && is_fine(c))
		return;
	strbuf_printf(&t->run->out.text, "%d %s %s: reset %s the burn: %s in %.1f s%s%s\n",
		c->index, c->bdf, c->series, whens[t->when],
		reset_verdict_name(c->verdict), (double)c->took / 1e9, *c->reason ? ": " : "",
		c->reason);
	push_lines(t->run);
}

/* Run until all is done; after a request to stop, until the fired resets are done. */
static void burnin_reset_carry_out(struct burnin_run *r, struct reset_setup *setup)
{
	struct stop stop;

	stop_open(&stop, false);
	while (!reset_step(setup->reset)) {
		/* A screen that is up would hide our lines: keep them until it is closed. */
		if (reset_setup_turn(setup, &stop, r->screen ? NULL : &r->out, -1)) {
			reset_stop(setup->reset);
			r->act.was_stopped = true;
		}
	}
	stop_close(&stop);
	reset_setup_close(setup);
}

/* -errno: none was reset, and we said why.  The results are stored with each card. */
static int burnin_reset(struct burnin_run *r, int when)
{
	struct telling telling = { .run = r, .when = when };
	struct reset_setup setup = { 0 };
	/* Compare with the state before the burn: what the burn has done to a card counts, too. */
	struct reset_config config = { .hold = &r->act.hold, .tell = reset_tell, .arg = &telling,
		.before = when == BURNIN_AFTER ? r->before : NULL };
	const struct session *s = &r->act.session;
	struct error e = { 0 };
	struct reset_plan *plan = mem_calloc(1, sizeof(*plan));
	int err;

	if (sampler_is_busy(r->act.session.sampler))
		sampler_finish(r->act.session.sampler, NULL);
	if (!make_plan(r, when, plan, &e)) {
		if (when == BURNIN_BEFORE)
			say_as(e.word, "%s; %s" BURNIN_NO_RESET, e.text,
				act_words[r->act.ops->kind].undone);
		else
			say_as(e.word, "%s: no card was reset", e.text);
		free(plan);
		return e.code;
	}
	telling.folds = plan->n > 1 && isatty(STDOUT_FILENO);
	err = reset_setup_open(&setup, &r->act.session, plan, &config, &e);
	if (err == 0) {
		burnin_reset_carry_out(r, &setup);
		if (telling.folds)
			tell_recovered(r, when);
		/* Sample all cards again: a reset samples only the cards that it waits for. */
		sampler_select(s->sampler, s->wanted, DEVICE_MAX, s->selection);
		sampler_refresh(s->sampler);
		sampler_tick(s->sampler, NULL);
	} else {
		say_as(e.word, "%s: no card was reset", e.text);
	}
	free(plan);
	return err;
}

/* If a card's reset did not go well, its verdict changes, and it does not burn. */
static void burnin_judge_resets(struct burnin_run *r, int when)
{
	struct burnin_target *t;

	for (size_t i = 0; (t = burnin_next_card(r, &i));) {
		const struct reset_card *x = &t->card->reset[when];
		const bool acted = x->verdict == RESET_DEGRADED || x->verdict == RESET_LOST;
		const bool had_failed = t->result.verdict == VERDICT_FAIL;
		char before[sizeof(t->result.reason)];
		enum code code;

		if (x->verdict == RESET_PENDING || x->verdict == RESET_RECOVERED)
			continue;
		mem_copy_text(before, sizeof(before), t->result.reason);
		code = !*before || (acted && !had_failed) ? CODE_NOT_RESET : t->result.code;
		burnin_leave_out(t, acted || had_failed ? VERDICT_FAIL : VERDICT_INCOMPLETE, code,
			"%.*s%sthe reset %s the burn: %s%s%s", VERDICT_REASON / 2, before,
			*before ? "; " : "", whens[when], reset_verdict_name(x->verdict),
			*x->reason ? ": " : "", x->reason);
		t->next = x->advice;
		t->card->is_unfit = true;
	}
}

bool burnin_reset_before(struct burnin_run *r)
{
	size_t i = 0;

	if (!r->resets || !burnin_next_card(r, &i))
		return true;
	if (burnin_reset(r, BURNIN_BEFORE) < 0)
		return false;
	burnin_judge_resets(r, BURNIN_BEFORE);
	r->before = session_keep_chips(&r->act.session);
	return true;
}

void burnin_reset_after(struct burnin_run *r)
{
	struct burnin_target *t;

	if (!r->resets || !burnin_cards_any(r))
		return;
	if (burnin_reset(r, BURNIN_AFTER) == 0) {
		burnin_judge_resets(r, BURNIN_AFTER);
		return;
	}
	for (size_t i = 0; (t = burnin_next_card(r, &i));)
		if (t->result.verdict == VERDICT_PASS)
			burnin_leave_out(t, VERDICT_INCOMPLETE, CODE_NOT_RESET,
				"it could not be reset after the burn");
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reset.c - a reset beside the display: one key asks for it, another confirms it,
 * and the same loop drives it.  The display's own samples are its evidence.
 */
#include "config.h"
#include "src/live/live.h"

#include "base/clock.h"
#include "base/mem.h"
#include "src/act.h"
#include "src/listed.h"
#include "src/reset/run.h"
#include "src/say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRESS CLOCK_SECOND	/* between messages about a long phase */

struct live_reset {
	struct act act;			/* first: the runner has this one */
	struct live *live;
	bool asks;		/* the question is put; nothing is taken or reset */
	struct reset_plan plan;
	struct preflight preflight;
	struct reset_setup setup;
	int64_t next;		/* clock_mono() of the next message about progress */
	char more[80];		/* after a refusal: what to do */
};

static struct reset *live_reset_of(const struct live *l)
{
	return l->reset->setup.reset;
}

static void live_reset_close(struct act *a)
{
	struct live_reset *x = (struct live_reset *)a;

	reset_setup_close(&x->setup);
	preflight_clear(&x->preflight);
}

static void live_reset_free(struct live_reset *x)
{
	act_end(&x->act);
	free(x);
}

static void live_reset_drop(struct live *l)
{
	live_reset_free(l->reset);
	l->reset = NULL;
	memset(l->acts, 0, sizeof(l->acts));
}

static void live_reset_refuse(struct act *a, const char *why)
{
	struct live_reset *x = (struct live_reset *)a;
	char text[ACT_REFUSAL];

	view_say(&x->live->view, &x->live->model, true, "%s%s",
		act_refusal(ACT_RESET, why, text), x->more);
}

/*
 * Plan what would be reset with this chip, and how.  If cards came or went while the question
 * stood, the index may be another card's.
 */
static enum exit_code live_reset_choose(struct act *a)
{
	struct live_reset *x = (struct live_reset *)a;
	struct live *l = x->live;
	const struct fleet *f = live_fleet(l);
	const struct plan_wish wish = { 0 };
	struct error e = { 0 };
	struct listed_card now;

	if (l->resets < 0 || (size_t)l->resets >= f->n)
		return EXIT_NO_DEVICE;
	a->wanted[l->resets] = true;
	fleet_complete(f, a->wanted);
	if (plan_make(&x->plan, f, a->wanted, &wish, &e) < 0) {
		snprintf(x->more, sizeof(x->more), " (tt-smi -wr takes several)");
		return act_refuse(a, -EPERM, &e);
	}
	listed_card_of(f, (size_t)l->resets, &now);
	if (x->asks)
		l->asked = now;
	else if (!listed_is_same(&l->asked, &now))
		return act_refuse(a, fail_as(&e, CODE_MOVED_INDEX, -EPERM, "this is no longer the "
			"card that was asked about"), &e);
	return EXIT_DONE;
}

static enum exit_code live_reset_take(struct act *a)
{
	struct live_reset *x = (struct live_reset *)a;
	const struct plan_card *c = &x->plan.cards[0];
	struct error e = { 0 };
	const int r = x->asks ? 0 : reset_take(&a->hold, a->session.bus, &x->plan, &e);

	if (r < 0)
		return act_refuse(a, r, &e);
	if (fleet_can_be_reset(live_fleet(x->live), (size_t)c->index))
		snprintf(x->more, sizeof(x->more), " (tt-smi -wr %.50s says more)", c->board);
	return act_judge_use(a, &x->plan, &x->preflight, NULL);
}

static void log_line(struct live *l, const struct reset_card *c, const char *words)
{
	char text[1600];

	snprintf(text, sizeof(text), "%d %s: %s\n", c->index, c->bdf, words);
	ui_log_add(&l->log, text, strlen(text));
}

/* The log gets a line for each part, as on the command line; the footer gets what fits. */
static void tell_verdict(struct live *l, const struct reset_card *c)
{
	const char *verdict = reset_verdict_name(c->verdict);
	double took = (double)c->took / CLOCK_SECOND;
	char text[1500], *last;

	snprintf(text, sizeof(text), "%s in %.1f s%s%s", verdict, took, *c->reason ? ": " : "",
		c->reason);
	log_line(l, c, text);
	if (*c->note)
		log_line(l, c, c->note);
	if (*c->advice.text)
		log_line(l, c, c->advice.text);
	last = text + strlen(text);
	snprintf(last, sizeof(text) - (size_t)(last - text), "%s%s%s%s", *c->note ? "; " : "",
		c->note, *c->advice.text ? "; " : "", c->advice.text);
	/* What to do comes before why. */
	if (strlen(text) + sizeof(c->bdf) + 8 > sizeof(l->view.message))
		snprintf(text, sizeof(text), "%s in %.1f s; %s (l: why)", verdict, took,
			*c->advice.text ? c->advice.text : c->note);
	view_say(&l->view, &l->model, c->verdict != RESET_RECOVERED, "%d %s: %s", c->index, c->bdf,
		text);
}

static void reset_tell(void *arg, const struct reset_card *c, const struct reset_step *step)
{
	struct live *l = arg;

	l->model.now = clock_mono();
	if (step) {
		view_say(&l->view, &l->model, !step->ok, "%d %s: %s %.1f s: %s%s%s", c->index,
			c->bdf, reset_phase_name(step->phase),
			(double)step->took / CLOCK_SECOND, step->ok ? "done" : "failed",
			*step->text ? ", " : "", step->text);
	} else {
		tell_verdict(l, c);
	}
	l->reset->next = clock_mono() + 2 * PROGRESS;
	l->dirty = l->urgent = true;
}

/* Show in each card's row what is going on with it. */
static void show_acts(struct live *l, const struct reset_card *cards, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct reset_card *c = &cards[i];
		struct ui_act act = { 0 };

		if (c->index < 0 || (size_t)c->index >= ARRAY_LEN(l->acts))
			continue;
		if (c->verdict == RESET_PENDING)
			act = (struct ui_act){ .what = reset_phase_name(c->phase),
				.by = plan_method_title(c->plan.ladder[c->rung]),
				.began = c->began, .limit = c->limit };
		l->acts[c->index] = act;
	}
}

/* The driver may take 12 s for a card, so report progress meanwhile. */
static void tell_progress(struct live *l)
{
	const struct reset_card *cards, *c = NULL;
	size_t n = reset_cards(live_reset_of(l), &cards);
	int64_t now = clock_mono();

	show_acts(l, cards, n);
	if (now < l->reset->next)
		return;
	l->reset->next = now + PROGRESS;
	for (size_t i = 0; i < n; i++)
		if (cards[i].verdict == RESET_PENDING && (!c || cards[i].began < c->began))
			c = &cards[i];
	if (!c)
		return;
	l->model.now = now;
	view_say(&l->view, &l->model, false, "%d %s: %s for %.0f s of %.0f s, %s", c->index,
		c->bdf, reset_phase_name(c->phase), (double)(now - c->began) / CLOCK_SECOND,
		(double)c->limit / CLOCK_SECOND, plan_method_title(c->plan.ladder[c->rung]));
	l->dirty = true;
}

static enum exit_code live_reset_open(struct act *a)
{
	struct live_reset *x = (struct live_reset *)a;
	struct live *l = x->live;
	const struct plan_card *c = &x->plan.cards[0];
	struct reset_config config = { .hold = &a->hold, .shared_interval = l->model.interval,
		.tell = reset_tell, .arg = l };
	struct error e = { 0 };
	int r;

	if (x->asks) {
		view_ask(&l->view, "Reset %d %s (%s%s) by %s? y: reset, any other key: leave as is",
			l->resets, c->board, live_fleet(l)->chips[c->index].series,
			x->plan.n > 1 ? ", all of it" : "", plan_method_title(c->ladder[0]));
		return EXIT_DONE;
	}
	x->more[0] = '\0';
	r = reset_setup_open(&x->setup, &a->session, &x->plan, &config, &e);
	return r < 0 ? act_refuse(a, r, &e) : EXIT_DONE;
}

static const struct act_steps steps = {
	.choose = live_reset_choose,
	.take = live_reset_take,
	.start = live_reset_open,
	.end = live_reset_close,
};

static const struct act_ops act_live_reset = {
	.kind = ACT_RESET,
	.taking = &reset_taking,
	.steps = &steps,
};

/* Things may have changed while the question stood, so before the reset all is checked again. */
static void live_reset_begin(struct live *l, bool asks)
{
	struct live_reset *x = mem_calloc(1, sizeof(*x));

	x->act.ops = &act_live_reset;
	x->act.o = l->o;
	x->act.session = l->session;
	x->act.refuse = live_reset_refuse;
	x->live = l;
	x->asks = asks;
	if (act_begin(&x->act) == EXIT_DONE && !asks)
		l->reset = x;
	else
		live_reset_free(x);
}

void live_reset_ask(struct live *l)
{
	if (l->reset) {
		view_say(&l->view, &l->model, true, "a reset is under way");
		return;
	}
	l->resets = l->view.selected;
	live_reset_begin(l, true);
}

void live_reset_start(struct live *l)
{
	if (l->reset)
		return;
	l->warned = false;
	live_reset_begin(l, false);
	live_reset_step(l);
}

size_t live_reset_fds(const struct live *l, struct pollfd *fds, size_t max)
{
	return l->reset ? reset_fds(live_reset_of(l), fds, max) : 0;
}

int live_reset_wait_ms(const struct live *l)
{
	int ms = l->reset ? reset_wait_ms(live_reset_of(l)) : 1000;
	int next = l->reset ? clock_poll_ms(l->reset->next) : 1000;

	return ms < next ? ms : next;
}

void live_reset_step(struct live *l)
{
	if (!l->reset)
		return;
	if (reset_step(live_reset_of(l)))
		live_reset_drop(l);
	else
		tell_progress(l);
	history_reserve(l->history, live_fleet(l)->n);
}

void live_reset_tick(struct live *l)
{
	if (l->reset)
		reset_take_sample(live_reset_of(l));
}

bool live_reset_lets_quit(struct live *l)
{
	if (!l->reset || !reset_is_hot(live_reset_of(l)) || l->warned)
		return true;
	reset_stop(live_reset_of(l));
	l->warned = true;
	view_say(&l->view, &l->model, true, "a reset is under way and cannot be stopped safely; "
		"q again leaves, and it goes on to its end unseen");
	return false;
}

void live_reset_end(struct live *l)
{
	const struct reset_card *cards;
	size_t n;

	if (!l->reset)
		return;
	n = reset_cards(live_reset_of(l), &cards);
	for (size_t i = 0; i < n; i++)
		if (cards[i].verdict == RESET_PENDING)
			say("%s: %s", cards[i].bdf, cards[i].phase <= RESET_NOTIFY
				? "nothing was reset"
				: "its reset goes on without us and is not verified: see "
				  "tt-smi -ls");
	live_reset_drop(l);
}

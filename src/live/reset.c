/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reset.c - a reset beside the display: asked for by a key, confirmed by
 * another one, and driven by the same loop; the display's own ticks are its
 * evidence.
 */
#include "config.h"
#include "src/live/live.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/mem.h"
#include "src/act.h"
#include "src/named.h"
#include "src/reset/setup.h"
#include "src/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRESS CLOCK_SECOND	/* from one word of a long phase to the next */

struct live_reset {
	struct plan plan;
	struct preflight preflight;
	struct reset_setup setup;
	struct hold hold;
	struct reset *reset;
	int64_t next;		/* clock_mono() of the next word of progress */
};

static void live_reset_drop(struct live *l)
{
	if (!l->reset)
		return;
	reset_close(l->reset->reset);
	hold_give_back(&l->reset->hold);
	reset_setup_end(&l->reset->setup);
	preflight_clear(&l->reset->preflight);
	free(l->reset);
	l->reset = NULL;
	memset(l->acts, 0, sizeof(l->acts));
}

/* What would be reset with this chip, and how; false, with the reason shown, when it cannot be. */
static bool live_reset_prepare(struct live *l, int chip)
{
	const struct fleet *f = live_fleet(l);
	const struct plan_wish wish = { 0 };
	bool wanted[DEVICE_MAX] = { false };
	struct error e = { 0 };
	const char *against;

	if (!l->session.bus || strcmp(f->source, "replay") == 0) {
		view_say(&l->view, &l->model, true, "%s", named_is_file);
		return false;
	}
	if (chip < 0 || (size_t)chip >= f->n)
		return false;
	l->reset = mem_calloc(1, sizeof(*l->reset));
	l->reset->setup.log.fd = -1;
	wanted[chip] = true;
	plan_complete(f, wanted);
	if (plan_make(&l->reset->plan, f, wanted, &wish, &e) < 0) {
		view_say(&l->view, &l->model, true, "not reset: %s (tt-smi -wr takes several)",
			e.text);
		return false;
	}
	preflight_check(&l->reset->preflight, &l->reset->plan, l->session.bus, f,
		&l->session.host);
	against = act_objection(&act_reset, &l->reset->preflight);
	if (against)
		view_say(&l->view, &l->model, true, "not reset: %s (tt-smi -wr %s says more)",
			against, l->reset->plan.cards[0].board);
	return !against;
}

void live_reset_ask(struct live *l)
{
	const struct plan *p;

	if (l->reset) {
		view_say(&l->view, &l->model, true, "a reset is under way");
		return;
	}
	l->resets = l->view.selected;
	if (live_reset_prepare(l, l->resets)) {
		p = &l->reset->plan;
		view_ask(&l->view, "Reset %d %s (%s%s) by %s? y: reset, any other key: leave as is",
			l->resets, p->cards[0].board,
			live_fleet(l)->chips[p->cards[0].index].series,
			p->n > 1 ? ", all of it" : "", plan_method_title(p->cards[0].ladder[0]));
	}
	live_reset_drop(l);
}

static void log_line(struct live *l, const struct reset_card *c, const char *words)
{
	char text[1100];

	snprintf(text, sizeof(text), "%d %s: %s\n", c->index, c->bdf, words);
	ui_log_add(&l->log, text, strlen(text));
}

/* The log has a line for each part, as the command line has; the footer what has room there. */
static void tell_verdict(struct live *l, const struct reset_card *c)
{
	const char *verdict = reset_verdict_name(c->verdict);
	double took = (double)c->took / CLOCK_SECOND;
	char text[1000], *last;

	snprintf(text, sizeof(text), "%s in %.1f s%s%s", verdict, took, *c->reason ? ": " : "",
		c->reason);
	log_line(l, c, text);
	if (*c->note)
		log_line(l, c, c->note);
	if (*c->advice)
		log_line(l, c, c->advice);
	last = text + strlen(text);
	snprintf(last, sizeof(text) - (size_t)(last - text), "%s%s%s%s", *c->note ? "; " : "",
		c->note, *c->advice ? "; " : "", c->advice);
	/* What to do comes before why. */
	if (strlen(text) + sizeof(c->bdf) + 8 > sizeof(l->view.message))
		snprintf(text, sizeof(text), "%s in %.1f s; %s (l: why)", verdict, took,
			*c->advice ? c->advice : c->note);
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

/* Each card's row says what is going on with it. */
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

/* The driver may take 12 s for a card: what goes on is said all the while. */
static void tell_progress(struct live *l)
{
	const struct reset_card *cards, *c = NULL;
	size_t n = reset_cards(l->reset->reset, &cards);
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

void live_reset_start(struct live *l)
{
	struct reset_config config = { .shared_interval = l->model.interval, .tell = reset_tell,
		.arg = l };
	struct error e = { 0 };

	/* While the question stood, things may have changed. */
	if (l->reset || !live_reset_prepare(l, l->resets)) {
		if (l->reset && !l->reset->reset)
			live_reset_drop(l);
		return;
	}
	config.hold = &l->reset->hold;
	reset_setup(&l->reset->setup, &l->session, &l->reset->plan, &config);
	if (reset_take(&l->reset->hold, l->session.bus, &l->reset->plan, &e) < 0 ||
		reset_open(&config, &l->reset->reset, &e) < 0) {
		view_say(&l->view, &l->model, true, "%s; %s", e.text,
			act_words[ACT_RESET].undone);
		live_reset_drop(l);
		return;
	}
	live_reset_step(l);
}

size_t live_reset_fds(const struct live *l, struct pollfd *fds, size_t max)
{
	return l->reset ? reset_fds(l->reset->reset, fds, max) : 0;
}

int live_reset_wait_ms(const struct live *l)
{
	int ms = l->reset ? reset_wait_ms(l->reset->reset) : 1000;
	int next = l->reset ? clock_poll_ms(l->reset->next) : 1000;

	return ms < next ? ms : next;
}

void live_reset_step(struct live *l)
{
	if (!l->reset)
		return;
	if (reset_step(l->reset->reset))
		live_reset_drop(l);
	else
		tell_progress(l);
	history_reserve(l->history, live_fleet(l)->n);
}

void live_reset_tick(struct live *l)
{
	if (l->reset)
		reset_take_sample(l->reset->reset);
}

bool live_reset_lets_quit(struct live *l)
{
	if (!l->reset || !reset_is_hot(l->reset->reset) || l->warned)
		return true;
	reset_stop(l->reset->reset);
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
	n = reset_cards(l->reset->reset, &cards);
	for (size_t i = 0; i < n; i++)
		if (cards[i].verdict == RESET_PENDING)
			say("%s: its reset goes on without us and is not verified: see "
				"tt-smi -ls", cards[i].bdf);
	live_reset_drop(l);
}

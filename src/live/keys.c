/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keys.c - carries out keys and clicks.  During a pause, the picture shows a
 * copy of the readings, and sampling goes on.
 */
#include "config.h"
#include "src/live/live.h"
#include "base/clock.h"
#include "base/mem.h"
#include "ui/term.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void live_keys_let_go(struct live *l)
{
	free((void *)(uintptr_t)l->held.chips);
	free((void *)(uintptr_t)l->held.processes);
	l->held = (struct fleet){ 0 };
}

static void *copy_array(const void *from, size_t n, size_t size)
{
	void *to;

	if (n == 0)
		return NULL;
	to = mem_calloc(n, size);
	memcpy(to, from, n * size);
	return to;
}

static void pause_picture(struct live *l)
{
	struct fleet *held = &l->held;

	live_keys_let_go(l);
	if (!l->view.paused)
		return;
	*held = *live_fleet(l);
	held->chips = copy_array(held->chips, held->n, sizeof(*held->chips));
	held->processes = copy_array(held->processes, held->n_processes, sizeof(*held->processes));
}

static void live_keys_carry_out(struct live *l, enum ui_request request)
{
	l->model.now = clock_mono();
	switch (request) {
	case UI_NONE:
		break;
	case UI_QUIT:
		l->quit = live_reset_lets_quit(l);
		break;
	case UI_RESET_ASK:
		live_reset_ask(l);
		break;
	case UI_RESET:
		live_reset_start(l);
		break;
	case UI_SNAPSHOT:
		live_save_start(l);
		break;
	case UI_DUMP:
		live_dump_toggle(l);
		break;
	case UI_PAUSE:
		pause_picture(l);
		break;
	case UI_RESTART_STATS:
		history_restart_stats(l->history);
		break;
	case UI_REMOTE:
		l->model.remote = !l->model.remote;
		sampler_set_remote(l->session.sampler, l->model.remote);
		view_say(&l->view, &l->model, false, l->model.remote ?
			"second chips are read from now on, on boards that no process holds" :
			"second chips are not read any more");
		break;
	case UI_REDRAW:
		term_forget();
		break;
	}
	l->dirty = l->urgent = true;
}

static bool needs_consent(enum ui_request request)
{
	return request == UI_RESET_ASK || request == UI_RESET;
}

/* The keys were pasted, or typed before the question could be read. */
static void refuse(struct live *l)
{
	l->dirty = l->urgent = true;
	consent_end(&l->consent);
	view_say(&l->view, &l->model, true, "nothing was reset: keys that come this fast are not "
		"taken for an answer; press x, read, then y");
}

/* A question that is open was asked by the last key that was carried out. */
static void carry_out_and_ask(struct live *l, enum ui_request request)
{
	live_keys_carry_out(l, request);
	if (l->view.asking && !l->consent.asked)
		consent_ask(&l->consent);
	else if (!l->view.asking)
		consent_end(&l->consent);
}

static void take_key(struct live *l, unsigned hit, uint32_t key)
{
	bool is_refused = l->pending != UI_NONE, is_typed = true;
	enum ui_request request;

	l->model.now = clock_mono();
	l->pending = UI_NONE;
	request = hit ? view_click(&l->view, hit, &l->model) :
		view_key(&l->view, key, &l->model);
	/* UI_KEY_RESIZE without a hit is not a key, but the terminal's own answer. */
	if (hit || key != UI_KEY_RESIZE)
		is_typed = consent_hear(&l->consent, clock_steady());
	/* Each key clears the message, so show it again for each key of refused text. */
	is_refused = is_refused || (!is_typed && (needs_consent(request) || l->refused));
	if (!needs_consent(request))
		carry_out_and_ask(l, request);
	else if (!is_refused)
		l->pending = request;
	l->refused = is_refused;
	if (is_refused)
		refuse(l);
}

void live_keys_take(struct live *l)
{
	unsigned hit;
	uint32_t key;

	while (!l->quit && (key = term_key(&hit)) != UI_KEY_NONE)
		take_key(l, hit, key);
	if (l->quit || !term_is_quiet())
		return;
	consent_rest(&l->consent, clock_steady());
	if (l->pending != UI_NONE && consent_is_given(&l->consent)) {
		const enum ui_request request = l->pending;

		l->pending = UI_NONE;
		consent_end(&l->consent);
		carry_out_and_ask(l, request);
	}
}

void live_keys_drawn(struct live *l)
{
	if (!l->view.asking)
		consent_end(&l->consent);
	else if (!l->dirty && term_is_ready())
		consent_show(&l->consent, clock_steady());
}

int live_keys_wait_ms(const struct live *l)
{
	int ms = term_wait_ms(), rest = consent_wait_ms(&l->consent, clock_steady());

	return ms < 0 || (rest >= 0 && rest < ms) ? rest : ms;
}

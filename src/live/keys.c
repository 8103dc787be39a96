/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keys.c - keys and clicks carried out, among them the pause: its picture
 * stands on a copy, and the readings go on.
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

static void *copy(const void *from, size_t n, size_t size)
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
	held->chips = copy(held->chips, held->n, sizeof(*held->chips));
	held->processes = copy(held->processes, held->n_processes, sizeof(*held->processes));
}

static void carry_out(struct live *l, enum ui_request request)
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

void live_keys_take(struct live *l)
{
	unsigned hit;
	uint32_t key;

	while (!l->quit && (key = term_key(&hit)) != UI_KEY_NONE)
		carry_out(l, hit ? view_click(&l->view, hit, &l->model) :
			view_key(&l->view, key, &l->model));
}

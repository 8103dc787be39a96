/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/card/card_gather.h"

#include "base/clock.h"
#include "burnin/card/card_traffic.h"

#include <string.h>

/* NC ends by itself where the products have; 0 while it has not, or cannot. */
static int await_traffic(struct card_round *w, size_t i, struct kernel_traffic *t)
{
	const int64_t until = clock_steady() + w->c->still;
	int r;

	do {
		r = card_traffic_look(w->d, &w->tiles[i], t);
		atomic_fetch_add(&w->s->beats, 1);
	} while (r == 0 && t->nc_phase == KERNEL_RUNS && clock_steady() < until &&
		!w->is_alone);
	return r;
}

static void count_traffic(struct card_round *w, size_t i, const struct kernel_traffic *t)
{
	for (size_t n = 0; n < KERNEL_CHANNELS_MAX; n++) {
		struct card_channel *c = &w->s->channels[n];

		atomic_fetch_add(&c->words, t->channel[n].words);
		atomic_fetch_add(&c->errors, t->channel[n].errors);
		atomic_fetch_or(&c->bits, t->channel[n].bits);
	}
	atomic_fetch_add(&w->s->reloads, t->nc_loads);
	if (t->nc_errors > 0 && !atomic_load(&w->s->has_wrong)) {
		w->s->wrong = (struct card_memory_wrong){ w->tiles[i].x, w->tiles[i].y,
			t->wrong[0] };
		atomic_store(&w->s->has_wrong, true);
	}
	if (t->nc_phase == KERNEL_RUNS && t->nc_waits > 0 &&
		(t->nc_waits - 1) >> 8 < KERNEL_CHANNELS_MAX)
		atomic_fetch_add(&w->s->channels[(t->nc_waits - 1) >> 8].mute, 1);
}

int card_gather(struct card_round *w, struct error *e)
{
	struct kernel_traffic t;
	int r = 0;

	if (!w->c->bursts && !w->c->reload)
		return 0;
	for (size_t i = w->stage.first; i < w->stage.first + w->stage.n; i++) {
		if (atomic_load(&w->s->cores[i].state) == CARD_CORE_HELD)
			continue;
		r = await_traffic(w, i, &t);
		if (r < 0)
			return fail(e, r, "core %u-%u cannot be read: %s", w->tiles[i].x,
				w->tiles[i].y, strerror(-r));
		count_traffic(w, i, &t);
	}
	return 0;
}

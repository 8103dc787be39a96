/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * beats.c - whether the firmware is alive on cards that are read only once.
 *
 * Its heartbeat moves ten times a second (chip-facts 3.5), and a pass over all cards takes
 * less time.  So one worker looks at the heartbeats of all cards in turn, until each has
 * moved or BEATS_MOST have passed; healthy cards take one period at most.  A worker that
 * stays on a card is killed, and another one goes on with the rest.  A heartbeat that could
 * not be read stays unknown.
 */
#include "config.h"
#include "base/clock.h"
#include "telemetry/judge.h"
#include "telemetry/sampler/sampler_local.h"

#include <errno.h>
#include <poll.h>

#define BEATS_MOST (300 * CLOCK_MS)
#define PERIOD	   100			/* ms; a chip with more between two beats is not judged */
#define PATIENCE   (100 * CLOCK_MS)	/* with a worker that stays on one card */
#define STARVED	   (3 * CLOCK_SECOND)	/* with one that has no processor */
#define CHECK (25 * CLOCK_MS)

static bool is_judged(const struct snapshot *c)
{
	const struct reading *period = &c->r[FIELD_UPDATE_SPEED];

	return snapshot_is_live(c) && reading_is_ok(&c->r[FIELD_HEARTBEAT]) &&
		!c->raw.repeated && !c->raw.is_still &&
		(!reading_is_ok(period) || period->value <= PERIOD);
}

/* List the cards still to be looked at, except those that kept a worker. */
static size_t list(struct sampler *s, const bool *left_out)
{
	struct worker_beats *b = &s->shared->beats;

	b->n = 0;
	for (size_t i = 0; i < s->fleet.n; i++)
		if (s->wanted[i] && !left_out[i] && is_judged(&s->chips[i]) &&
			atomic_load(&s->shared->slots[i].beat) == SNAPSHOT_BEAT_UNJUDGED)
			b->chips[b->n++] = (int)i;
	return b->n;
}

/* True when the worker is done; false when it hangs, or the time is over. */
static bool await_worker(struct sampler *s, struct worker *w, int64_t end)
{
	struct pollfd p = { .fd = s->pool.epoll, .events = POLLIN };

	while (w->busy) {
		const int64_t now = clock_mono();
		const bool on_card = atomic_load(&w->doing->chip) != WORKER_NONE;
		const int64_t began = on_card ? atomic_load(&w->doing->began) : w->since;
		bool ended;

		if ((now >= end || (on_card && now - began >= PATIENCE)) &&
			(now >= end + STARVED || !worker_is_starved(w, began, PATIENCE, now)))
			return false;
		clock_wait(&p, 1, now + CHECK);
		while (pool_news(&s->pool, &ended))
			;
		if (!w->child.pid || w->dying)
			return false;
	}
	return true;
}

static void watch(struct sampler *s)
{
	const struct worker_task task = { .job = WORKER_BEATS };
	const int64_t end = clock_mono() + BEATS_MOST + PATIENCE;
	bool left_out[DEVICE_MAX] = { false };
	struct error e = { 0 };

	s->shared->beats.until = clock_mono() + BEATS_MOST;
	while (list(s, left_out) > 0 && clock_mono() < end) {
		struct worker *w = pool_get(&s->pool, &e);
		int chip;

		if (!w || worker_give(w, &task) < 0 || await_worker(s, w, end))
			return;
		chip = atomic_load(&w->doing->chip);
		pool_kill(w);
		if (chip == WORKER_NONE)
			return;
		left_out[chip & (WORKER_OWN - 1)] = true;
	}
}

bool sampler_judge_beats(struct sampler *s)
{
	bool is_done = true;

	if (!s->shared)
		return true;
	for (size_t i = 0; i < s->fleet.n; i++)
		atomic_store(&s->shared->slots[i].beat, s->chips[i].beat);
	watch(s);
	for (size_t i = 0; i < s->fleet.n; i++) {
		struct snapshot *c = &s->chips[i];

		if (snapshot_is_live(c) && !reading_is_ok(&c->r[FIELD_HEARTBEAT]))
			c->beat = SNAPSHOT_BEAT_NONE;
		if (!is_judged(c) || c->beat != SNAPSHOT_BEAT_UNJUDGED)
			continue;
		c->beat = (enum snapshot_beat)atomic_load(&s->shared->slots[i].beat);
		if (c->beat == SNAPSHOT_BEAT_STOPPED)
			judge_add(c, "heartbeat", "firmware silent for 0.3 s: if it stays so, the "
				"card needs a warm reset");
		is_done = is_done && c->beat != SNAPSHOT_BEAT_UNJUDGED;
	}
	pool_trim(&s->pool, 0);
	return is_done;
}

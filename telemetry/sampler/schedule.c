/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * schedule.c - which process samples which chip, for how long it may, and what comes back.
 *
 * Healthy chips share one order and mostly one worker.  A worker that stays on a chip for longer
 * than any healthy sample took becomes that chip's own process.  As many new workers as chips hang
 * so far go on with the rest: 1, 2, 4 ..., so that any number of hung chips is found in a few
 * rounds.  A chip with a process of its own is in quarantine: no tick waits for it, and it may
 * answer in a later tick.  Past the deadline it has failed, its process is killed, and it is not
 * sampled again before that process is really gone.
 */
#include "config.h"

#include "base/clock.h"
#include "telemetry/alerts.h"
#include "telemetry/sampler/sampler_local.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/*
 * The workers' results, and how long a healthy chip takes.  That depends on the machine, so the
 * patience with a chip is measured, not set: a few times the slowest healthy sample of the last
 * minute.
 */

#define LEAST_PATIENCE CLOCK_MS
#define FIRST_PATIENCE (10 * CLOCK_MS)	/* while the time of a healthy sample is not known */
#define HALF_MINUTE    (30 * CLOCK_SECOND)
#define FAILED_PAUSE   (8 * CLOCK_SECOND)
#define FIRST_PAUSE    (CLOCK_SECOND / 4)
#define RESET_PAUSE    (CLOCK_SECOND / 4)	/* a reset may be over at any moment */
#define BRISK_PATIENCE (CLOCK_SECOND / 10)
#define PAUSE_SHARE    8
#define PARTS	       8	/* parts of an interval, each for one round of patience */

void sampler_name_remote(struct snapshot *chip, const struct snapshot *local)
{
	if (chip->upi || !local->upi)
		return;
	chip->upi = local->upi;
	memcpy(chip->board, local->board, sizeof(chip->board));
	snprintf(chip->series, sizeof(chip->series), "%.28s R", local->board);
}

static void note_took(struct sampler *s, int64_t took, int64_t now)
{
	if (now >= s->slowest_until) {
		s->slowest[1] = s->slowest_until ? s->slowest[0] : 0;
		s->slowest[0] = 0;
		s->slowest_until = now + HALF_MINUTE;
	}
	if (took > s->slowest[0])
		s->slowest[0] = took;
}

/* The slowest healthy sample of this half minute and the one before; 0: none is known. */
static int64_t slowest(const struct sampler *s)
{
	return s->slowest[0] > s->slowest[1] ? s->slowest[0] : s->slowest[1];
}

/* How long (ns) one chip may keep the others waiting; a tick must have time for 32 hung chips. */
static int64_t results_patience(const struct sampler *s)
{
	bool first = s->fleet.tick == 1 || s->config.interval == 0 || s->is_brisk;
	int64_t most = (first ? s->config.deadline : s->config.interval) / PARTS;
	int64_t p = slowest(s) ? 4 * slowest(s) : FIRST_PATIENCE;

	/* After a reset a second chip, which is sampled through the first, takes longer. */
	if (s->is_brisk && p < BRISK_PATIENCE)
		p = BRISK_PATIENCE;
	if (p > most)
		p = most;
	/* Without a fixed interval a tick may last as long as samples do on this machine. */
	if ((s->config.interval == 0 || s->is_brisk) && p < 2 * slowest(s))
		p = 2 * slowest(s);
	return p < LEAST_PATIENCE ? LEAST_PATIENCE : p;
}

/*
 * After a failure a chip is left alone for an eighth of the time that it has been
 * failing, but at least a second, the first time a quarter of one, and at most `most`.  So
 * a single failure is soon known to be one.
 */
static void pause_chip(const struct sampler *s, struct chip_state *c, int64_t most)
{
	int64_t now = s->fleet.time, pause, least = c->failing ? CLOCK_SECOND : FIRST_PAUSE;

	if (!c->failing)
		c->failing = now;
	pause = (now - c->failing) / PAUSE_SHARE;
	if (pause < least)
		pause = least;
	c->retry = now + (pause < most ? pause : most);
}

/* Make the result, from a sample or filled in here, the chip's state of this tick. */
static void finish_chip(struct sampler *s, size_t i, int64_t most_pause)
{
	struct chip_state *c = &s->states[i];
	struct snapshot *chip = &s->chips[i];

	if (chip->local >= 0)
		sampler_name_remote(chip, &s->chips[chip->local]);
	chip->age = 0;
	c->awaited = false;
	if (chip->health == SNAPSHOT_FAILED)
		pause_chip(s, c, most_pause);
	else
		c->failing = 0;
	if (!snapshot_is_being_reset(chip))
		c->reset_since = 0;
	else if (!c->reset_since)
		c->reset_since = chip->time;
	chip->reset_since = c->reset_since;
	if (c->track)
		track_update(c->track, chip);
	alerts_judge(s->config.alerts, chip);
}

/* The chip failed in this tick, for e; it is left alone for a while, `most_pause` at most. */
static void results_fail(struct sampler *s, size_t i, const struct error *e, int64_t most_pause)
{
	worker_describe(&s->bus->dev[i], SNAPSHOT_FAILED, e->word, e->text, &s->chips[i]);
	s->chips[i].raw.sample_error = *e;
	s->chips[i].tick = s->fleet.tick;
	s->chips[i].time = s->fleet.time;
	finish_chip(s, i, most_pause);
}

/* No process could be had to read it, for e, which is what we lack (want_is()). */
static void results_want(struct sampler *s, size_t i, const struct error *e, int64_t most_pause)
{
	struct error why;

	fail_because(&why, e->code, e, "not read: %.180s", e->text);
	results_fail(s, i, &why, most_pause);
}

static void results_take_chip(struct sampler *s, size_t i, uint64_t tick, int64_t now)
{
	struct chip_state *c = &s->states[i];
	const struct worker_slot *slot = &s->shared->slots[i];
	int64_t time = s->chips[i].time;

	c->taken = tick;
	s->chips[i] = slot->snapshot;
	s->chips[i].tick = tick;
	/* A late answer, to an earlier tick, gets the time at which it was read. */
	s->chips[i].time = tick == s->fleet.tick ? s->fleet.time : slot->snapshot.raw.time;
	if (s->chips[i].time < time)
		s->chips[i].time = time;
	/* If no other chip shows how long a healthy sample takes, all chips may be slow here. */
	if (!c->quarantined || (slowest(s) == 0 && snapshot_is_live(&s->chips[i])))
		note_took(s, slot->took, now);
	if (c->quarantined)
		c->quick = slot->took < results_patience(s) ? c->quick + 1 : 0;
	finish_chip(s, i, snapshot_is_being_reset(&s->chips[i]) ? RESET_PAUSE : FAILED_PAUSE);
}

/* Take all that came since the last call. */
static void results_take(struct sampler *s, int64_t now)
{
	for (size_t i = 0; i < s->fleet.n; i++) {
		uint64_t tick = atomic_load(&s->shared->slots[i].sampled);

		if (tick > s->states[i].taken)
			results_take_chip(s, i, tick, now);
	}
}

/* The schedule. */

#define QUICK_RETURN 3	/* quick samples that end a quarantine */
#define NEW_IN_TICK  2	/* processes that a tick may start for chips that it does not await */
#define HUNG_PAUSE   (30 * CLOCK_SECOND)
#define UNCLAIMED    10	/* deadline / this: a worker that takes no chip for longer may be stopped */
#define STARVED	     3	/* deadlines that a worker without a processor may take */
#define ENDING	     (3 * CLOCK_SECOND)	/* the longest that a killed process may take to be gone */

/* When waiting began, not counting the time that this program was stopped. */
static int64_t since(const struct sampler *s, int64_t time)
{
	return time > s->gap_end ? time : s->gap_end;
}

/* Until when (clock_mono()) the tick waits for chips that have processes of their own. */
static int64_t grace_end(const struct sampler *s)
{
	int64_t grace = s->config.interval && !s->is_brisk ? s->config.interval / 2
		: results_patience(s);

	return since(s, s->began) + (grace < s->config.deadline ? grace : s->config.deadline);
}

/* Giving out. */

static bool is_due(const struct sampler *s, size_t i)
{
	return s->wanted[i] && s->states[i].retry <= s->fleet.time &&
		!(s->config.local && s->bus->dev[i].local >= 0);
}

static bool on_order(const struct worker *w)
{
	return w->child.pid && w->busy && !w->dying && w->job == WORKER_ORDER;
}

static size_t workers_on_order(const struct sampler *s, bool passed_too)
{
	size_t n = 0;

	for (size_t i = 0; i < s->pool.n; i++)
		n += on_order(&s->pool.workers[i]) && (passed_too || !s->pool.workers[i].passed);
	return n;
}

/* How many chips of the order no worker has claimed yet. */
static size_t unclaimed(const struct sampler *s)
{
	uint64_t order = atomic_load(&s->shared->order);
	uint64_t next = order & UINT32_MAX, n = order >> 32;

	return next < n ? (size_t)(n - next) : 0;
}

/* The time by which w, busy or killed, makes room for another worker, if it ever does. */
static int64_t room_due(const struct sampler *s, const struct worker *w)
{
	return since(s, w->since) + s->config.deadline + ENDING;
}

bool schedule_room_comes(const struct sampler *s)
{
	int64_t now = clock_mono();

	for (size_t i = 0; i < s->pool.n; i++) {
		const struct worker *w = &s->pool.workers[i];

		if (w->child.pid && (w->busy || w->dying) && now < room_due(s, w))
			return true;
	}
	return false;
}

/*
 * Have up to n workers take chips off the order.  If there is none, the chips wait for
 * a hung one to make room (descriptors and processes are limited); else they fail.
 */
static void send_workers(struct sampler *s, size_t n)
{
	struct error e = { 0 };
	size_t sent = workers_on_order(s, false);

	while (sent < n) {
		struct worker *w = pool_get(&s->pool, &e);

		if (!w)
			break;
		if (worker_give(w, &s->shared->task) == 0)
			sent++;
		else
			pool_kill(w);
	}
	if (sent > 0 || schedule_room_comes(s))
		return;
	for (size_t i = 0; i < s->fleet.n; i++)
		if (s->states[i].awaited && !s->states[i].own)
			results_want(s, i, &e, CLOCK_SECOND);
}

/* Send one worker, or as many as chips were found to hang in this tick. */
static void send_more(struct sampler *s)
{
	size_t left = unclaimed(s), n = s->hung_in_tick > 0 ? s->hung_in_tick : 1;

	if (left > 0)
		send_workers(s, n < left ? n : left);
}

/* Put awaited chips that have no process of their own into the order. */
static void give_order(struct sampler *s)
{
	uint64_t n = 0;

	atomic_store(&s->shared->order, 0);
	for (size_t i = 0; i < s->fleet.n; i++)
		if (s->states[i].awaited && !s->states[i].quarantined)
			s->shared->chips[n++] = (int)i;
	atomic_store(&s->shared->order, n << 32);
	send_more(s);
}

/* False when the chip's last process is busy or not gone yet, or none can be had now. */
static bool have_own(struct sampler *s, size_t i, unsigned *budget)
{
	struct chip_state *c = &s->states[i];
	struct error e = { 0 };

	if (c->own && c->own->dying) {
		if (!child_has_ended(&c->own->child)) {
			fail_as(&e, CODE_HUNG, -ETIMEDOUT, "no answer within %.3g s, and the "
				"process that reads it hangs in the kernel",
				(double)s->config.deadline / 1e9);
			results_fail(s, i, &e, CLOCK_SECOND);
			return false;
		}
		c->own->reserved = c->own->dying = false;
		c->own = NULL;
	}
	if (c->own)
		return !c->own->busy;
	if (*budget == 0)
		return false;
	(*budget)--;
	c->own = pool_get(&s->pool, &e);
	if (!c->own) {
		if (!schedule_room_comes(s))
			results_want(s, i, &e, HUNG_PAUSE);
		return false;
	}
	c->own->reserved = true;
	return true;
}

static void ask_own(struct sampler *s, size_t i, unsigned *budget)
{
	struct worker_task task = s->shared->task;
	struct chip_state *c = &s->states[i];

	if (!have_own(s, i, budget))
		return;
	task.job = WORKER_CHIP;
	task.chip = (int)i;
	if (worker_give(c->own, &task) < 0) {
		pool_kill(c->own);
		return;
	}
	c->awaited = s->waits || c->quick > 0;
}

void schedule_begin(struct sampler *s)
{
	unsigned budget = s->waits ? DEVICE_MAX : NEW_IN_TICK;

	s->shared->task = (struct worker_task){ .job = WORKER_ORDER, .tick = s->fleet.tick,
		.time = s->fleet.time, .fresh = s->fleet.time >= s->next_fresh };
	if (s->shared->task.fresh)
		s->next_fresh = s->fleet.time + 10 * CLOCK_SECOND;
	s->hung_in_tick = 0;
	for (size_t i = 0; i < s->fleet.n; i++)
		s->states[i].awaited = is_due(s, i) && !s->states[i].quarantined;
	give_order(s);
	for (size_t i = 0; i < s->fleet.n; i++)
		if (is_due(s, i) && s->states[i].quarantined)
			ask_own(s, i, &budget);
}

void schedule_add(struct sampler *s, size_t from)
{
	for (size_t i = from; i < s->fleet.n; i++)
		s->states[i].awaited = is_due(s, i);
	give_order(s);
}

/* Quarantine. */

/* A chip that was quick for a while returns to the shared order. */
static void release_chip(struct chip_state *c)
{
	c->quarantined = false;
	c->quick = 0;
	c->own->reserved = false;
	c->own = NULL;
}

void schedule_done(struct sampler *s, struct worker *w)
{
	struct chip_state *c;

	if (w->chip == WORKER_NONE)
		return;
	c = &s->states[w->chip];
	results_take(s, clock_mono());
	if (c->own == w && c->quick >= QUICK_RETURN)
		release_chip(c);
}

/*
 * Whether a worker waits for a processor on a busy host.  That is not its card's fault, but
 * the time for it is bounded all the same.
 */
static bool is_starved(const struct sampler *s, struct worker *w, int64_t began, int64_t patience,
	int64_t now)
{
	return now - since(s, began) < STARVED * s->config.deadline &&
		worker_is_starved(w, began, patience, now);
}

/* The chip that the worker was reading is to blame. */
void schedule_lost(struct sampler *s, struct worker *w)
{
	int chip = w->chip != WORKER_NONE ? w->chip : atomic_load(&w->doing->chip);
	struct error e;

	s->fleet.workers_lost++;
	results_take(s, clock_mono());
	if (!w->busy || chip == WORKER_NONE)
		return;
	chip &= WORKER_OWN - 1;
	s->states[chip].quarantined = true;
	if (s->states[chip].taken >= s->shared->task.tick)
		return;
	fail(&e, -ECHILD, "reading it ended the reading process; left alone for a while");
	results_fail(s, (size_t)chip, &e, HUNG_PAUSE);
}

static void quarantine(struct sampler *s, struct worker *w, int chip)
{
	struct chip_state *c = &s->states[chip];
	int expected = chip;

	if (!atomic_compare_exchange_strong(&w->doing->chip, &expected, chip | WORKER_OWN))
		return;
	w->reserved = true;
	w->job = WORKER_CHIP;
	w->chip = chip;
	w->since = atomic_load(&w->doing->began);
	c->own = w;
	c->quarantined = true;
	c->quick = 0;
	s->hung_in_tick++;
}

/* Kill the process; the chip is not sampled again before it is gone. */
static void give_up(struct sampler *s, struct worker *w)
{
	struct error e;

	pool_kill(w);
	s->fleet.workers_lost++;
	if (w->chip == WORKER_NONE)
		return;
	fail_as(&e, CODE_HUNG, -ETIMEDOUT, "no answer within %.3g s; left alone for a while",
		(double)s->config.deadline / 1e9);
	results_fail(s, (size_t)w->chip, &e, HUNG_PAUSE);
	s->states[w->chip].quick = 0;
}

static int64_t claim_due(const struct sampler *s, const struct worker *w)
{
	int64_t last = atomic_load(&w->doing->began);

	return since(s, w->since > last ? w->since : last) + s->config.deadline / UNCLAIMED;
}

/* A debugger or a freezer may have stopped this worker: let others do its part. */
static void pass_by(struct sampler *s, struct worker *w)
{
	w->passed = true;
	if (s->running && unclaimed(s) > 0)
		send_workers(s, workers_on_order(s, false) + 1);
}

static void check_worker(struct sampler *s, struct worker *w, int64_t now)
{
	const int64_t patience = results_patience(s);
	int64_t began;
	int chip;

	if (w->job == WORKER_CHIP && now - since(s, w->since) >= s->config.deadline &&
		!is_starved(s, w, w->since, patience, now)) {
		give_up(s, w);
		return;
	}
	if (w->job == WORKER_CHIP) {
		if (!s->waits && now >= grace_end(s)) {
			s->states[w->chip].awaited = false;
			s->states[w->chip].quick = 0;
		}
		return;
	}
	chip = atomic_load(&w->doing->chip);
	if (chip != WORKER_NONE && s->states[chip].taken == s->shared->task.tick)
		return;
	began = chip != WORKER_NONE ? atomic_load(&w->doing->began) : w->since;
	if (chip != WORKER_NONE && now - since(s, began) >= patience) {
		if (!is_starved(s, w, began, patience, now))
			quarantine(s, w, chip);
		return;
	}
	if (chip == WORKER_NONE && now - since(s, began) >= s->config.deadline &&
		!is_starved(s, w, began, patience, now))
		give_up(s, w);
	else if (chip == WORKER_NONE && !w->passed && now >= claim_due(s, w))
		pass_by(s, w);
}

static bool has_orphans(const struct sampler *s)
{
	for (size_t i = 0; i < s->fleet.n; i++)
		if (s->states[i].awaited && !s->states[i].own)
			return true;
	return false;
}

bool schedule_is_idle(const struct sampler *s)
{
	return workers_on_order(s, true) == 0;
}

void schedule_check(struct sampler *s, int64_t now)
{
	size_t hung = s->hung_in_tick;

	results_take(s, now);
	for (size_t i = 0; i < s->pool.n; i++) {
		struct worker *w = &s->pool.workers[i];

		if (w->child.pid && w->busy && !w->dying && w->job != WORKER_LIST)
			check_worker(s, w, now);
	}
	/* One that was still at the last tick as this one began may have been counted on. */
	if (s->running && (s->hung_in_tick > hung || workers_on_order(s, false) == 0))
		send_more(s);
	/* A worker that died may have claimed a chip which it never read. */
	if (s->running && schedule_is_idle(s) && has_orphans(s))
		give_order(s);
}

bool schedule_is_over(const struct sampler *s)
{
	for (size_t i = 0; i < s->fleet.n; i++)
		if (s->states[i].awaited)
			return false;
	return true;
}

static int64_t order_due(const struct sampler *s, const struct worker *w, int64_t now)
{
	int64_t at = now + results_patience(s);

	if (atomic_load(&w->doing->chip) != WORKER_NONE)
		return since(s, atomic_load(&w->doing->began)) + results_patience(s);
	if (w->passed)
		return since(s, w->since) + s->config.deadline;
	return at < claim_due(s, w) ? at : claim_due(s, w);
}

int64_t schedule_due(const struct sampler *s)
{
	bool waits_for_room = s->running && (s->holders.waits ||
		(schedule_is_idle(s) && has_orphans(s)));
	int64_t due = INT64_MAX, now = clock_mono(), at;

	for (size_t i = 0; i < s->pool.n; i++) {
		const struct worker *w = &s->pool.workers[i];

		if (w->child.pid && w->dying && waits_for_room && now < room_due(s, w))
			due = room_due(s, w) < due ? room_due(s, w) : due;
		if (!w->child.pid || !w->busy || w->dying)
			continue;
		at = since(s, w->since) + s->config.deadline;
		if (w->job == WORKER_ORDER && s->running)
			at = order_due(s, w, now);
		if (at < w->starved.until)
			at = w->starved.until;
		if (w->job == WORKER_CHIP && s->running && !s->waits && s->states[w->chip].awaited)
			at = grace_end(s);
		due = at < due ? at : due;
	}
	return due;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampler.c - begins ticks, takes in their results, and ends each tick when every healthy chip has
 * been sampled; judges the heartbeats of one-shot modes.
 *
 * The parent waits in clock_wait() only.  It copies a finished snapshot out of
 * shared memory once, after the worker has marked it done, so a snapshot that a
 * stuck or killed worker left half written is never shown.
 */
#include "config.h"
#include "telemetry/sampler/sampler.h"

#include "base/clock.h"
#include "base/mem.h"
#include "device/bus.h"
#include "telemetry/sampler/sampler_local.h"
#include "telemetry/select.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Whether the firmware is alive on cards that are read only once.
 *
 * Its heartbeat moves ten times a second (chip-facts 3.5), and a pass over all cards takes less
 * time.  So one worker looks at the heartbeats of all cards in turn, until each has moved or
 * BEATS_MOST have passed; healthy cards take one period at most.  A worker that stays on a card is
 * killed, and another one goes on with the rest.  A heartbeat that could not be read stays unknown.
 */

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

/* What workers have done, but one that is waited for. */
static void take_news(struct sampler *s, const struct worker *own)
{
	struct worker *w;
	bool ended;

	while ((w = pool_news(&s->pool, &ended))) {
		if (w == own)
			continue;
		if (w == s->holders.worker && ended)
			holders_lost(s, "the process that lists them has ended");
		else if (w == s->holders.worker)
			holders_done(s);
		else if (ended)
			schedule_lost(s, w);
		else
			schedule_done(s, w);
	}
}

/* True when the worker is done; false when it hangs, or the time is over. */
static bool await_worker(struct sampler *s, struct worker *w, int64_t end)
{
	struct pollfd p = { .fd = s->pool.epoll, .events = POLLIN };

	while (w->busy) {
		const int64_t now = clock_mono();
		const bool on_card = atomic_load(&w->doing->chip) != WORKER_NONE;
		const int64_t began = on_card ? atomic_load(&w->doing->began) : w->since;

		if ((now >= end || (on_card && now - began >= PATIENCE)) &&
			(now >= end + STARVED || !worker_is_starved(w, began, PATIENCE, now)))
			return false;
		clock_wait(&p, 1, now + CHECK);
		take_news(s, w);
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

/* It was alive, and has not moved since the sample before. */
static bool is_silent(const struct snapshot *c)
{
	return c->beat == SNAPSHOT_BEAT_ALIVE && c->is_again;
}

bool sampler_judge_beats(struct sampler *s)
{
	bool is_done = true;

	if (!s->shared)
		return true;
	for (size_t i = 0; i < s->fleet.n; i++) {
		if (is_silent(&s->chips[i]))
			s->chips[i].beat = SNAPSHOT_BEAT_UNJUDGED;
		atomic_store(&s->shared->slots[i].beat, s->chips[i].beat);
	}
	watch(s);
	for (size_t i = 0; i < s->fleet.n; i++) {
		struct snapshot *c = &s->chips[i];

		if (snapshot_is_live(c) && !reading_is_ok(&c->r[FIELD_HEARTBEAT]))
			c->beat = SNAPSHOT_BEAT_NONE;
		if (!is_judged(c) || c->beat != SNAPSHOT_BEAT_UNJUDGED)
			continue;
		c->beat = (enum snapshot_beat)atomic_load(&s->shared->slots[i].beat);
		if (s->states[i].track)
			track_take_beat(s->states[i].track, c->beat);
		if (c->beat == SNAPSHOT_BEAT_STOPPED)
			track_add_silence(c, BEATS_MOST);
		is_done = is_done && c->beat != SNAPSHOT_BEAT_UNJUDGED;
	}
	pool_trim(&s->pool, 0);
	return is_done;
}

/* Ticks. */

#define PROCESSES_SIZE (PROCESS_LISTED * sizeof(struct process))
#define IDLE_WORKERS   2	/* kept for the next chip that hangs */

/* Leave out those of the chips from this one on, which are new, that may not be seen. */
static void hide_new(struct sampler *s, size_t from)
{
	bool visible[DEVICE_MAX];
	struct error e;

	if (!s->config.visible || !*s->config.visible)
		return;
	memset(visible, 1, sizeof(visible));
	select_visible(s->config.visible, s->chips, s->fleet.n, visible, &e);
	for (size_t i = from; i < s->fleet.n; i++)
		s->wanted[i] = s->shared->wanted[i] = s->wanted[i] && visible[i];
}

/* Make room for devices that were added. */
static void grow(struct sampler *s)
{
	size_t n = s->bus->n;

	if (n <= s->fleet.n)
		return;
	s->chips = mem_realloc(s->chips, n * sizeof(*s->chips));
	for (size_t i = s->fleet.n; i < n; i++) {
		const struct device *d = &s->bus->dev[i];

		if (s->config.local && d->local >= 0)
			worker_describe(d, SNAPSHOT_NOT_READ, CODE_LEFT_ALONE,
				"not read: --local", &s->chips[i]);
		else
			worker_describe(d, SNAPSHOT_PENDING, CODE_NONE, "", &s->chips[i]);
		if (d->local >= 0)
			sampler_name_remote(&s->chips[i], &s->chips[d->local]);
		if (!s->config.one_shot || s->config.busy || s->config.asks_links)
			s->states[i].track = mem_calloc(1, sizeof(struct track));
	}
	s->fleet.n = n;
	s->fleet.chips = s->chips;
}

/* Why no sample may go beyond a passive one; NULL: it may, where no process holds the board. */
static const char *why_inactive(const struct sampler_config *c)
{
	if (c->bus->passive)
		return "not read: --passive";
	if (c->local)
		return "not read: --local";
	if (c->remote || (c->one_shot && c->asks))
		return NULL;
	return "not read: this needs --remote, or -s or -ls";
}

int sampler_open(const struct sampler_config *c, struct sampler **out, struct error *e)
{
	struct sampler *s = mem_calloc(1, sizeof(*s));
	int r = 0;

	s->config = *c;
	if (s->config.deadline == 0)
		s->config.deadline = CLOCK_SECOND;
	memset(s->wanted, 1, sizeof(s->wanted));
	s->pool.epoll = -1;
	s->fleet.driver = "";
	s->fleet.selection = s->selection;
	s->fleet.processes_unknown = "not listed yet";
	s->fleet.wanted = s->wanted;
	if (c->load) {
		r = load_file(c->load, &s->loaded, e);
		s->fleet.origin = &origin_file;
		s->fleet.is_away = true;
	} else {
		s->bus = c->bus;
		s->fleet.origin = bus_origin(s->bus);
		s->fleet.is_away = !s->fleet.origin->is_simulated && !bus_is_live(s->bus);
		s->fleet.driver = s->bus->driver;
		s->shared = mem_share(sizeof(*s->shared));	/* costs only what is used */
		s->shared->keep = c->keep;
		s->shared->inactive = why_inactive(c);
		s->shared->links = c->asks_links;
		s->shared->busy = c->busy;
		memcpy(s->shared->wanted, s->wanted, sizeof(s->wanted));
		s->processes = mem_share(PROCESSES_SIZE);
		s->fleet.processes = s->processes;
		grow(s);
		r = pool_open(&s->pool, s->bus, s->shared, e);
	}
	if (r < 0) {
		sampler_close(s);
		return r;
	}
	*out = s;
	return 0;
}

void sampler_close(struct sampler *s)
{
	if (!s)
		return;
	holders_take(s);
	pool_close(&s->pool);
	for (size_t i = 0; i < DEVICE_MAX; i++)
		free(s->states[i].track);
	load_free(s->loaded);
	mem_unshare(s->shared, sizeof(*s->shared));
	free(s->chips);
	mem_unshare(s->processes, PROCESSES_SIZE);
	free(s);
}

void sampler_select(struct sampler *s, const bool *wanted, size_t n, const char *selection)
{
	memset(s->wanted, 1, sizeof(s->wanted));
	mem_copy_text(s->selection, sizeof(s->selection), selection);
	for (size_t i = 0; wanted && i < n && i < DEVICE_MAX; i++)
		s->wanted[i] = wanted[i];
	if (s->shared)
		memcpy(s->shared->wanted, s->wanted, sizeof(s->wanted));
}

const struct fleet *sampler_fleet(const struct sampler *s)
{
	return &s->fleet;
}

const struct loaded *sampler_loaded(const struct sampler *s)
{
	return s->loaded;
}

static void begin_loaded(struct sampler *s)
{
	load_move(s->loaded, s->fleet.time);
	s->fleet.file_time = s->loaded->time[0] ? s->loaded->time : NULL;
	s->fleet.n = s->loaded->n;
	s->fleet.chips = s->loaded->chips;
	s->fleet.n_processes = s->loaded->n_processes;
	s->fleet.processes = s->loaded->processes;
	s->fleet.processes_partial = s->loaded->processes_partial;
	s->fleet.processes_unknown = s->loaded->processes_unknown;
	s->fleet.driver = s->loaded->host.driver;
	for (size_t i = 0; i < s->loaded->n; i++) {
		s->loaded->chips[i].tick = s->fleet.tick;
		s->loaded->chips[i].raw.repeated = s->fleet.tick > 1;
		s->loaded->chips[i].raw.is_still = true;
	}
}

void sampler_await_all(struct sampler *s)
{
	s->awaits_all = true;
}

void sampler_set_brisk(struct sampler *s)
{
	s->is_brisk = true;
}

void sampler_set_remote(struct sampler *s, bool remote)
{
	s->config.remote = remote;
	if (s->shared)
		s->shared->inactive = why_inactive(&s->config);
}

void sampler_set_busy(struct sampler *s, bool busy)
{
	if (s->shared)
		s->shared->busy = busy;
}

int sampler_begin(struct sampler *s)
{
	if (s->running)
		return -EBUSY;
	s->fleet.tick++;
	s->fleet.time = clock_mono();
	s->fleet.real = clock_real();
	s->running = true;
	if (s->loaded) {
		begin_loaded(s);
		return 0;
	}
	pool_reap(&s->pool);
	holders_take(s);
	s->waits = (s->config.one_shot && !s->is_brisk) || s->awaits_all;
	s->awaits_all = false;
	s->began = s->last_collect = clock_mono();
	schedule_begin(s);
	return 0;
}

int sampler_fd(const struct sampler *s)
{
	return s->pool.epoll;
}

/* The tick waits for nothing more; a one-shot mode also waits for the list of processes. */
static bool is_over(const struct sampler *s)
{
	const bool lists = s->holders.asked || s->holders.waits;

	return schedule_is_over(s) && !(s->config.one_shot && lists);
}

int64_t sampler_due(const struct sampler *s)
{
	if (s->running && (s->loaded || is_over(s)))
		return clock_mono();
	return s->loaded ? INT64_MAX : schedule_due(s);
}

int sampler_wait_ms(const struct sampler *s)
{
	const int64_t due = sampler_due(s);

	return due == INT64_MAX ? -1 : clock_poll_ms(due);
}

int sampler_wait(const struct sampler *s, int64_t until)
{
	const int64_t due = sampler_due(s);
	struct pollfd p = { .fd = sampler_fd(s), .events = POLLIN };
	int r = clock_wait(&p, 1, due < until ? due : until);

	return r < 0 && r != -EINTR ? r : 0;
}

bool sampler_is_busy(const struct sampler *s)
{
	return s->running;
}

/* Add the second chip of boards that turn out to have one on ethernet. */
static bool add_remotes(struct sampler *s)
{
	size_t before = s->bus->n;

	for (size_t i = 0; i < s->fleet.n; i++) {
		const struct board *board = board_find(s->chips[i].upi);

		if (board && board->remote && s->chips[i].local < 0)
			bus_add_remote(s->bus, (int)i);
	}
	if (s->bus->n == before)
		return false;
	grow(s);
	hide_new(s, before);
	return true;
}

/* Values read before this tick become stale and get an age, even on a chip that is fine. */
static void mark_old(struct sampler *s)
{
	for (size_t i = 0; i < s->fleet.n; i++) {
		struct snapshot *chip = &s->chips[i];

		if (chip->tick == s->fleet.tick || !snapshot_is_live(chip))
			continue;
		chip->age = s->fleet.time - chip->raw.time;
		chip->link.stale = true;
		for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++)
			if (chip->r[id].state == READING_OK)
				chip->r[id].state = READING_STALE;
	}
}

/* False when new chips are still to be read within this tick. */
static bool end_tick(struct sampler *s)
{
	size_t before = s->fleet.n;

	if (add_remotes(s)) {
		schedule_add(s, before);
		if (!schedule_is_over(s))
			return false;
	}
	mark_old(s);
	s->running = false;
	/* After the only tick the workers end while the results are being printed. */
	pool_trim(&s->pool, s->config.one_shot && !s->config.judges_beats && !s->is_brisk ? 0 :
		IDLE_WORKERS);
	return true;
}

int sampler_collect(struct sampler *s)
{
	int64_t now = clock_mono();

	if (s->loaded) {
		s->running = false;
		return 1;
	}
	/* This program was stopped and continued: the time that passed is not the card's fault. */
	if (s->running && now - s->last_collect > s->config.deadline + CLOCK_SECOND / 2)
		s->gap_end = now;
	s->last_collect = now;
	take_news(s, NULL);
	schedule_check(s, now);
	holders_check(s, now);
	if (!s->running)
		return 1;
	/* In a one-shot mode a worker that has no chip left to read makes the list. */
	if (schedule_is_over(s) || (s->config.one_shot && schedule_is_idle(s)))
		holders_begin(s);
	return is_over(s) && end_tick(s);
}

int sampler_finish(struct sampler *s, struct error *e)
{
	while (sampler_collect(s) == 0) {
		if (sampler_wait(s, INT64_MAX) < 0)
			return fail_errno(e, "cannot wait for a reading");
	}
	return 0;
}

int sampler_tick(struct sampler *s, struct error *e)
{
	int r = sampler_begin(s);

	return r < 0 ? fail(e, r, "the last reading is not over") : sampler_finish(s, e);
}

void sampler_refresh(struct sampler *s)
{
	for (size_t i = 0; i < s->fleet.n; i++)
		s->states[i].retry = s->states[i].failing = 0;
	s->next_fresh = s->holders.next = 0;
}

int sampler_rescan(struct sampler *s, struct error *e)
{
	const size_t before = s->fleet.n;
	int r;

	if (!s->bus || s->running)
		return 0;
	r = bus_rescan(s->bus, e);
	if (r <= 0)
		return r;
	grow(s);
	hide_new(s, before);
	sampler_refresh(s);
	return 1;
}

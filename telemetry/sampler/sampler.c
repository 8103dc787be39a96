/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampler.c - orders looks, takes results in, and does without what hangs.
 *
 * The parent only ever waits with poll() and a deadline.  It copies a finished
 * snapshot out of shared memory once, after the worker has marked it done, so
 * nothing that a stuck or killed worker left half written is ever shown.
 */
#include "config.h"
#include "telemetry/sampler/sampler.h"
#include "base/clock.h"
#include "base/mem.h"
#include "device/bus.h"
#include "telemetry/sampler/crew.h"
#include "telemetry/load/load.h"
#include "telemetry/sampler/track.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROCESSES_SIZE (DEVICE_MAX * sizeof(struct process))

/* What the parent remembers of a chip between ticks. */
struct seat {
	struct track *track;		/* NULL in one-shot modes: nothing came before */
	bool taken;			/* this tick's result is in */
	int64_t retry;			/* not looked at before this clock_mono() */
	int64_t pause;			/* the last wait after a failure; 0 while it does well */
};

struct sampler {
	struct sampler_config config;
	struct bus *bus;
	struct loaded *loaded;
	struct worker_shared *shared;
	struct crew crew;

	struct fleet fleet;
	struct snapshot *chips;
	struct process *processes;
	struct seat seats[DEVICE_MAX];
	bool wanted[DEVICE_MAX];
	bool running;
	size_t lost_in_tick;		/* workers */
	int64_t last_collect;		/* clock_steady() */
	int64_t gap_end;		/* we were not running until then: nobody is late before */
	int64_t next_list, next_fresh;	/* clock_mono() of the next process list, static attrs */
};

static int start_crew(struct sampler *s, struct error *e)
{
	int r = crew_start(&s->crew);

	return r == 0 ? 0 : fail(e, r, "cannot start a worker process: %s", strerror(-r));
}

/* A second chip that was not read still is the second chip of a board we know. */
static void name_remote(struct snapshot *chip, const struct snapshot *local)
{
	if (chip->upi || !local->upi)
		return;
	chip->upi = local->upi;
	memcpy(chip->board, local->board, sizeof(chip->board));
	snprintf(chip->series, sizeof(chip->series), "%.28s R", local->board);
}

/* Room for as many chips as there are devices by now. */
static void grow(struct sampler *s)
{
	size_t n = s->bus->n;

	if (n <= s->fleet.n)
		return;
	s->chips = mem_realloc(s->chips, n * sizeof(*s->chips));
	for (size_t i = s->fleet.n; i < n; i++) {
		const struct device *d = &s->bus->dev[i];

		if (s->config.local && d->local >= 0)
			worker_describe(d, SNAPSHOT_NOT_READ,
				"not read: --local", &s->chips[i]);
		else
			worker_describe(d, SNAPSHOT_PENDING, "", &s->chips[i]);
		if (d->local >= 0)
			name_remote(&s->chips[i], &s->chips[d->local]);
		if (!s->config.one_shot)
			s->seats[i].track = mem_calloc(1, sizeof(struct track));
	}
	s->fleet.n = n;
	s->fleet.chips = s->chips;
}

int sampler_open(const struct sampler_config *c, struct sampler **out, struct error *e)
{
	struct sampler *s = mem_calloc(1, sizeof(*s));
	int r = 0;

	s->config = *c;
	if (s->config.deadline == 0)
		s->config.deadline = CLOCK_SECOND;
	memset(s->wanted, 1, sizeof(s->wanted));
	s->fleet.driver = s->fleet.selection = s->fleet.processes_unknown = "";
	s->fleet.wanted = s->wanted;
	if (c->load) {
		r = load_file(c->load, &s->loaded, e);
		s->fleet.source = "load";
	} else {
		s->bus = c->bus;
		s->fleet.source = bus_source(s->bus);
		s->fleet.driver = s->bus->driver;
		s->shared = mem_share(sizeof(*s->shared));
		atomic_store(&s->shared->current, -1);
		s->crew = (struct crew){ .bus = s->bus, .shared = s->shared,
			.with_spare = !c->one_shot };
		s->processes = mem_share(PROCESSES_SIZE);	/* costs only what is used */
		s->fleet.processes = s->processes;
		grow(s);
		if (s->bus->n > 0)
			r = start_crew(s, e);
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
	crew_stop(&s->crew);
	for (size_t i = 0; i < DEVICE_MAX; i++)
		free(s->seats[i].track);
	load_free(s->loaded);
	mem_unshare(s->shared, sizeof(*s->shared));
	free(s->chips);
	mem_unshare(s->processes, PROCESSES_SIZE);
	free(s);
}

void sampler_select(struct sampler *s, const bool *wanted, size_t n, const char *selection)
{
	memset(s->wanted, 1, sizeof(s->wanted));
	s->fleet.selection = selection;
	for (size_t i = 0; wanted && i < n && i < DEVICE_MAX; i++)
		s->wanted[i] = wanted[i];
}

const struct fleet *sampler_fleet(const struct sampler *s)
{
	return &s->fleet;
}

const struct loaded *sampler_loaded(const struct sampler *s)
{
	return s->loaded;
}

static bool due(const struct sampler *s, size_t i)
{
	return s->wanted[i] && s->seats[i].retry <= s->fleet.time &&
		!(s->config.local && s->bus->dev[i].local >= 0);
}

static int begin_loaded(struct sampler *s)
{
	load_move(s->loaded, s->fleet.time);
	s->fleet.file_time = s->loaded->time[0] ? s->loaded->time : NULL;
	s->fleet.n = s->loaded->n;
	s->fleet.chips = s->loaded->chips;
	s->fleet.n_processes = s->loaded->n_processes;
	s->fleet.processes = s->loaded->processes;
	s->fleet.driver = s->loaded->host.driver;
	for (size_t i = 0; i < s->loaded->n; i++)
		s->loaded->chips[i].tick = s->fleet.tick;
	s->running = true;
	return 0;
}

/* One-shot modes may go beyond passive looks, others only when told to; a text says why not. */
static const char *why_inactive(const struct sampler_config *c)
{
	if (c->bus->passive)
		return "not read: --passive";
	if (c->local)
		return "not read: --local";
	return c->one_shot || c->remote ? NULL : "not read: live and dump do so with --remote only";
}

int sampler_begin(struct sampler *s)
{
	struct worker_order *order;

	if (s->running)
		return -EBUSY;
	s->fleet.tick++;
	s->fleet.time = clock_mono();
	s->fleet.real = clock_real();
	if (s->loaded)
		return begin_loaded(s);
	child_reap_lost();
	order = &s->shared->order;
	order->tick = s->fleet.tick;
	order->time = s->fleet.time;
	order->fresh = s->fleet.time >= s->next_fresh;
	order->list = s->fleet.time >= s->next_list;
	order->keep = s->config.keep;
	order->inactive = why_inactive(&s->config);
	order->n = 0;
	for (size_t i = 0; i < s->fleet.n; i++) {
		s->seats[i].taken = !due(s, i);
		if (!s->seats[i].taken)
			order->chips[order->n++] = (int)i;
	}
	if (order->list)
		s->next_list = s->fleet.time + CLOCK_SECOND;
	if (order->fresh)
		s->next_fresh = s->fleet.time + 10 * CLOCK_SECOND;
	atomic_store(&s->shared->next, 0);
	s->lost_in_tick = 0;
	s->running = true;
	s->last_collect = s->gap_end = clock_steady();
	if (order->n > 0)
		crew_go(&s->crew);
	return 0;
}

int sampler_fd(const struct sampler *s)
{
	return crew_alive(&s->crew) ? s->crew.now.child.fd : -1;
}

/* When the look in hand, or the start of one, is late (clock_steady()). */
static int64_t late_at(const struct sampler *s)
{
	int64_t began = atomic_load(&s->shared->began);

	return (began > s->gap_end ? began : s->gap_end) + s->config.deadline;
}

int sampler_wait_ms(const struct sampler *s)
{
	int64_t left;

	if (!s->running)
		return -1;
	if (s->loaded || s->shared->order.n == 0)
		return 0;
	left = late_at(s) - clock_steady();
	return left <= 0 ? 0 : (int)((left + CLOCK_MS - 1) / CLOCK_MS);
}

/* After a failure a chip is left alone: a second, then twice as long each time, up to `most`. */
static void pause_chip(struct sampler *s, size_t i, int64_t most)
{
	struct seat *seat = &s->seats[i];

	seat->pause = seat->pause == 0 ? CLOCK_SECOND : seat->pause * 2;
	if (seat->pause > most)
		seat->pause = most;
	seat->retry = s->fleet.time + seat->pause;
}

static void take(struct sampler *s, size_t i)
{
	struct snapshot *chip = &s->chips[i];

	if (chip->local >= 0)
		name_remote(chip, &s->chips[chip->local]);
	chip->tick = s->fleet.tick;
	chip->time = s->fleet.time;
	s->seats[i].taken = true;
	if (chip->health == SNAPSHOT_FAILED)
		pause_chip(s, i, 8 * CLOCK_SECOND);
	else
		s->seats[i].pause = 0;
	if (s->seats[i].track)
		track_update(s->seats[i].track, chip);
}

static void take_finished(struct sampler *s)
{
	for (size_t i = 0; i < s->fleet.n; i++) {
		const struct worker_slot *slot = &s->shared->slots[i];

		if (s->seats[i].taken || atomic_load(&slot->looked) != s->fleet.tick)
			continue;
		s->chips[i] = slot->snapshot;
		take(s, i);
	}
}

/* The chip in hand is the one that made the worker hang or die. */
static void blame(struct sampler *s, bool died)
{
	int i = atomic_load(&s->shared->current);
	char reason[160];

	if (i < 0)
		return;
	if (atomic_load(&s->shared->phase) == WORKER_PROCESS_LIST) {
		s->shared->order.process_lists_hang = true;
		return;
	}
	if (died)
		snprintf(reason, sizeof(reason),
			"reading it ended the reading process; left alone for a while");
	else
		snprintf(reason, sizeof(reason), "no answer within %.3g s; left alone for a while",
			(double)s->config.deadline / 1e9);
	worker_describe(&s->bus->dev[i], SNAPSHOT_FAILED, reason, &s->chips[i]);
	take(s, (size_t)i);
	pause_chip(s, (size_t)i, 30 * CLOCK_SECOND);
}

/* Nobody can be sent to the chips that are left. */
static void give_up(struct sampler *s)
{
	for (size_t i = 0; i < s->fleet.n; i++) {
		if (s->seats[i].taken)
			continue;
		worker_describe(&s->bus->dev[i], SNAPSHOT_FAILED,
			"cannot start a process to read it", &s->chips[i]);
		take(s, i);
	}
}

static void replace_worker(struct sampler *s, bool died)
{
	take_finished(s);
	blame(s, died);
	atomic_store(&s->shared->current, -1);
	s->fleet.workers_lost++;
	s->gap_end = clock_steady();
	/* One for each chip may be lost in a tick, not one after another for ever. */
	if (s->lost_in_tick++ <= s->fleet.n)
		crew_replace(&s->crew);
	else
		crew_stop(&s->crew);
	if (!crew_alive(&s->crew))
		give_up(s);
}

static void gather_processes(struct sampler *s)
{
	const struct worker_order *order = &s->shared->order;
	size_t n = 0;

	if (!order->list)
		return;
	s->fleet.processes_partial = order->process_lists_hang;
	for (size_t i = 0; i < s->fleet.n; i++) {
		const struct worker_slot *slot = &s->shared->slots[i];

		if (!s->wanted[i] || atomic_load(&slot->listed) != order->tick)
			continue;
		s->fleet.processes_partial |= slot->processes_partial;
		for (size_t k = 0; k < slot->n_processes && n < DEVICE_MAX; k++)
			s->processes[n++] = slot->processes[k];
	}
	qsort(s->processes, n, sizeof(*s->processes), process_compare);
	s->fleet.n_processes = n;
}

static bool all_taken(const struct sampler *s)
{
	for (size_t i = 0; i < s->fleet.n; i++)
		if (!s->seats[i].taken)
			return false;
	return true;
}

/* Boards that turned out to have a second chip behind ethernet get a place for it. */
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
	/* The workers know the devices of their birth. */
	start_crew(s, NULL);
	return true;
}

/* Give a worker what is left of this tick. */
static void hand_out(struct sampler *s)
{
	struct worker_order *order = &s->shared->order;

	order->n = 0;
	for (size_t i = 0; i < s->fleet.n; i++)
		if (!s->seats[i].taken)
			order->chips[order->n++] = (int)i;
	atomic_store(&s->shared->next, 0);
	s->gap_end = clock_steady();
	if (order->n > 0)
		crew_go(&s->crew);
}

/* Look at the newcomers within the same tick. */
static void extend(struct sampler *s, size_t from)
{
	for (size_t i = from; i < s->fleet.n; i++)
		s->seats[i].taken = !due(s, i);
	hand_out(s);
}

int sampler_collect(struct sampler *s)
{
	int64_t now = clock_steady();
	size_t before = s->fleet.n;
	int news;

	if (!s->running)
		return 1;
	if (s->loaded) {
		s->running = false;
		return 1;
	}
	/* Stopped and continued: the time that passed is not the card's fault. */
	if (now - s->last_collect > s->config.deadline + CLOCK_SECOND / 2)
		s->gap_end = now;
	s->last_collect = now;
	news = all_taken(s) && s->shared->order.n == 0 ? 1 : worker_poll(&s->crew.now);
	if (news == 0 && now < late_at(s))
		return 0;
	if (news <= 0)
		replace_worker(s, news < 0);
	take_finished(s);
	/* A worker that was ended between two chips had the next one off the order already. */
	if (news > 0 && !all_taken(s))
		hand_out(s);
	if (!all_taken(s) || (news <= 0 && crew_alive(&s->crew)))
		return 0;
	if (add_remotes(s)) {
		extend(s, before);
		if (s->shared->order.n > 0)
			return 0;
	}
	gather_processes(s);
	s->running = false;
	return 1;
}

int sampler_finish(struct sampler *s, struct error *e)
{
	while (sampler_collect(s) == 0) {
		struct pollfd p = { .fd = sampler_fd(s), .events = POLLIN };

		if (poll(&p, 1, sampler_wait_ms(s)) < 0 && errno != EINTR)
			return fail_errno(e, "cannot wait for a reading");
	}
	return 0;
}

int sampler_tick(struct sampler *s, struct error *e)
{
	int r = sampler_begin(s);

	return r < 0 ? fail(e, r, "the last reading is not over") : sampler_finish(s, e);
}

int sampler_rescan(struct sampler *s, struct error *e)
{
	int r;

	if (!s->bus || s->running)
		return 0;
	r = bus_rescan(s->bus, e);
	if (r <= 0)
		return r;
	grow(s);
	for (size_t i = 0; i < s->fleet.n; i++)
		s->seats[i].retry = s->seats[i].pause = 0;
	s->next_fresh = s->next_list = 0;
	r = start_crew(s, e);
	return r < 0 ? r : 1;
}

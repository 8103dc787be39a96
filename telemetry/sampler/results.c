/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * results.c - takes the workers' results, and learns from them how long a
 * healthy chip takes.
 *
 * The time of a sample depends on the machine, so the patience with a chip is
 * measured, not set: a few times the slowest healthy sample of the last minute.
 */
#include "config.h"

#include <stdio.h>
#include "base/clock.h"
#include "telemetry/alerts.h"
#include "telemetry/sampler/sampler_local.h"

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

/* How long one chip may keep the others waiting; a tick must have time for 32 hung chips. */
int64_t results_patience(const struct sampler *s)
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

void results_fail(struct sampler *s, size_t i, const struct error *e, int64_t most_pause)
{
	worker_describe(&s->bus->dev[i], SNAPSHOT_FAILED, e->word, e->text, &s->chips[i]);
	s->chips[i].raw.sample_error = *e;
	s->chips[i].tick = s->fleet.tick;
	s->chips[i].time = s->fleet.time;
	finish_chip(s, i, most_pause);
}

void results_want(struct sampler *s, size_t i, const struct error *e, int64_t most_pause)
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

void results_take(struct sampler *s, int64_t now)
{
	for (size_t i = 0; i < s->fleet.n; i++) {
		uint64_t tick = atomic_load(&s->shared->slots[i].sampled);

		if (tick > s->states[i].taken)
			results_take_chip(s, i, tick, now);
	}
}

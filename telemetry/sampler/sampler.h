/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampler.h - samples all chips, again and again, and never hangs.
 *
 * All accesses happen in worker processes that share memory with us.  A chip
 * that keeps its worker for longer than a healthy one would gets that process
 * for itself, outside of the tick, and other workers go on with the rest, so a
 * hung card costs the others nothing.  Past its deadline the chip has failed, and
 * its process is killed.  The chip is sampled again after an eighth of the time
 * that it has been failing (1 to 30 s), but never before that process is gone.
 * A tick of healthy chips allocates nothing and starts no process.
 */
#pragma once

#include "telemetry/snapshot.h"

struct alerts;
struct bus;
struct sampler;

struct sampler_config {
	struct bus *bus;	/* the caller's, open until after sampler_close(); or */
	const char *load;	/* --load FILE: a snapshot instead of a bus */
	int64_t deadline;	/* ns for one chip's sample; 0: 1 s */
	int64_t interval;	/* ns between ticks; 0 where there is only one */
	bool one_shot;		/* waits for every chip, and for the list of processes */
	bool judges_beats;	/* sampler_judge_beats() follows: workers stay until then */
	bool asks;		/* one-shot (-s, -ls): read remote chips, and ask for what only a
				   message tells, of boards that no process holds */
	bool asks_links;	/* one-shot: ask ethernet cores for their links, of such boards;
				   the caller ticks until the pulse of each core is known */
	bool busy;		/* --busy: read a runtime's counters; one-shot: the caller ticks
				   twice, since a share needs two looks */
	bool remote;		/* --remote: what `asks` is, in any mode */
	bool local;		/* --local: remote chips never */
	const char *visible;	/* TT_VISIBLE_DEVICES, for chips that come later, too; NULL: all */
	struct alerts *alerts;	/* the caller's, checked with each sample; NULL: none */
	bool keep;		/* keep handles open between ticks (fast sampling) */
};

/* The caller closes *s with sampler_close(), which ends all its processes. */
int sampler_open(const struct sampler_config *c, struct sampler **s, struct error *e);
void sampler_close(struct sampler *s);

/* Change `remote` or `busy` of the configuration, from the next tick on. */
void sampler_set_remote(struct sampler *s, bool remote);
void sampler_set_busy(struct sampler *s, bool busy);

/*
 * From now on only the wanted chips are sampled and shown; NULL means all.
 * `selection` is the text for struct fleet.
 */
void sampler_select(struct sampler *s, const bool *wanted, size_t n, const char *selection);

/* The next tick waits for every chip up to its deadline, not only for healthy ones. */
void sampler_await_all(struct sampler *s);

/* From the next tick on no tick waits for a hung chip, not even in one-shot modes. */
void sampler_set_brisk(struct sampler *s);

/*
 * Begin a tick.  -EBUSY while the last one is not over.  sampler_fd() becomes
 * readable when there is news, between ticks too; sampler_collect() then takes
 * it in (it never blocks) and returns 1 when no tick is under way, 0 while one
 * goes on.  sampler_due() is when collect is due without news, INT64_MAX for
 * never; sampler_wait_ms() is the same as poll() wants it.  sampler_wait() waits for one of the
 * two, or until that time; -errno.
 */
int sampler_begin(struct sampler *s);
int sampler_fd(const struct sampler *s);
int sampler_collect(struct sampler *s);
int64_t sampler_due(const struct sampler *s);	/* clock_mono() */
int sampler_wait_ms(const struct sampler *s);
int sampler_wait(const struct sampler *s, int64_t until);	/* clock_mono() */
bool sampler_is_busy(const struct sampler *s);	/* a tick is under way */

/* Wait until the tick that was begun is over; and do a whole tick: begin and finish. */
int sampler_finish(struct sampler *s, struct error *e);
int sampler_tick(struct sampler *s, struct error *e);

/*
 * Between two ticks, or after the last one: look at the heartbeats that did not move in the last
 * sample until each has, for 300 ms at most.  One that stands still is a finding.  False: some
 * could not be read; another call looks at these alone.
 */
bool sampler_judge_beats(struct sampler *s);

/* The caller changed the cards: the next tick reads everything, even cards that failed before. */
void sampler_refresh(struct sampler *s);

/* Scan for devices that came, went or returned; 1 if the fleet changed. */
int sampler_rescan(struct sampler *s, struct error *e);

/* Valid until the next call of collect, rescan or close. */
const struct fleet *sampler_fleet(const struct sampler *s);

/* The file of --load, which the sampler owns, or NULL. */
struct loaded;
const struct loaded *sampler_loaded(const struct sampler *s);

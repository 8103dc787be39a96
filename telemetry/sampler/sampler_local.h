/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampler_local.h - what the files of the sampler share: the public calls
 * (sampler.c), which process samples which chip (schedule.c), what comes back
 * (results.c), the process list (holders.c).
 */
#pragma once

#include "telemetry/load/load.h"
#include "telemetry/sampler/worker.h"
#include "telemetry/sampler/sampler.h"
#include "telemetry/sampler/track.h"

/* What the parent remembers of a chip between ticks. */
struct chip_state {
	struct track *track;		/* NULL in one-shot modes: nothing came before */
	struct worker *own;		/* its process while it is in quarantine, or NULL */
	bool quarantined;		/* sampled by a process of its own, off the order */
	bool awaited;			/* the tick is not over before this chip's result is in */
	unsigned quick;			/* quick samples in a row, in quarantine */
	uint64_t taken;			/* the tick of the last result that was taken in */
	int64_t retry;			/* not sampled before this clock_mono() */
	int64_t failing;		/* clock_mono() since when it fails; 0: it does not */
	int64_t reset_since;		/* as in struct snapshot */
};

/* The list of processes that hold a device. */
struct holders {
	struct worker *worker;		/* that makes the list, or hangs at it; else NULL */
	bool asked;			/* a list is under way */
	bool waits;			/* until a hung worker makes room for another */
	uint64_t number;		/* of the last list that was asked for */
	bool quiet;			/* it comes without an answer from the worker */
	int64_t next, pause;		/* clock_mono() of the next one; the wait after a failure */
	char reason[160];		/* why the list is not known, or "" */
};

struct sampler {
	struct sampler_config config;
	struct bus *bus;
	struct loaded *loaded;
	struct worker_shared *shared;
	struct pool pool;

	struct fleet fleet;
	struct snapshot *chips;
	struct process *processes;
	struct chip_state states[DEVICE_MAX];
	struct holders holders;
	bool wanted[DEVICE_MAX];
	char selection[96];

	bool running;			/* a tick is under way */
	bool waits, awaits_all;		/* it waits for every chip; and the next one will */
	bool is_brisk;			/* a one-shot mode that does not wait any more */
	size_t hung_in_tick;		/* chips that went to quarantine */
	int64_t began;			/* clock_mono() of the tick */
	int64_t slowest[2];		/* ns, healthy samples of this half minute and the last */
	int64_t slowest_until;		/* clock_mono() */
	int64_t last_collect;		/* clock_mono() */
	int64_t gap_end;		/* we were stopped until then: no chip is late before */
	int64_t next_fresh;		/* clock_mono() of the next static attributes */
};

/* sampler.c: give a second chip that was not read the name of its board. */
void sampler_name_remote(struct snapshot *chip, const struct snapshot *local);

/* results.c */
int64_t results_patience(const struct sampler *s);	/* ns that a chip may delay the others */
void results_take(struct sampler *s, int64_t now);	/* all that came since the last call */

/* schedule.c */
void schedule_begin(struct sampler *s);			/* give out the tick's samples */
void schedule_add(struct sampler *s, size_t from);	/* and those of chips added in the tick */
void schedule_done(struct sampler *s, struct worker *w);	/* a job is done */
void schedule_lost(struct sampler *s, struct worker *w);	/* a worker has died */
void schedule_check(struct sampler *s, int64_t now);	/* take results; patience and deadlines */
bool schedule_is_idle(const struct sampler *s);		/* no worker works on the order */
bool schedule_is_over(const struct sampler *s);		/* nothing is awaited any more */
int64_t schedule_due(const struct sampler *s);		/* clock_mono() of the next check */
bool schedule_room_comes(const struct sampler *s);	/* a hung worker will be gone soon */

/* holders.c */
void holders_begin(struct sampler *s);			/* ask for a list when it is time */
void holders_done(struct sampler *s);
void holders_take(struct sampler *s);			/* a list that came without an answer */
void holders_lost(struct sampler *s, const char *why);
void holders_check(struct sampler *s, int64_t now);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker.h - a process that touches cards, and the memory it shares with the
 * sampler.  An access that hangs, hangs only there.
 */
#pragma once

#include "base/child.h"
#include "telemetry/host/process.h"
#include "telemetry/host/runtime_memory.h"
#include "telemetry/sampler/reader.h"
#include "telemetry/snapshot.h"

#include <stdatomic.h>

#define WORKER_NONE (-1)	/* no chip */
#define WORKER_OWN  0x10000	/* added to a chip: the worker is now its own */

enum worker_job {
	WORKER_ORDER,	/* take chips off the shared order until there are none */
	WORKER_CHIP,	/* sample one chip */
	WORKER_BEATS,	/* look at heartbeats until they move */
	WORKER_LIST	/* list the processes that hold a device */
};

/* One packet to a worker, which answers with a byte when it is done, unless the task is quiet. */
struct worker_task {
	enum worker_job job;
	int chip;		/* of WORKER_CHIP */
	bool fresh;		/* static attributes too */
	bool quiet;		/* of WORKER_LIST: no answer except its number in `made` */
	uint64_t tick;		/* of WORKER_LIST: the number of the list */
	int64_t time;		/* clock_mono() of the tick */
};

/* One chip's results; only one process at a time samples a chip. */
struct worker_slot {
	_Atomic uint64_t sampled;	/* the tick whose sample is in snapshot */
	_Atomic int beat;		/* enum snapshot_beat, of WORKER_BEATS */
	int64_t took;			/* ns of real time */
	struct snapshot snapshot;	/* the parent sets its tick, time and age */
};

/* What one worker is doing. */
struct worker_doing {
	_Atomic int chip;		/* or WORKER_NONE; the sampler adds WORKER_OWN */
	_Atomic int64_t began;		/* clock_mono() */
};

struct worker_list {
	_Atomic uint64_t made;		/* the number of the last complete list */
	size_t n;
	bool partial;			/* some could not be examined for lack of privilege */
	bool cut;			/* there may be more than there is room for */
	int error;			/* -errno if no device could list its holders */
	int unpinned;			/* -errno why pinned memory is not known, or 0 */
	struct process processes[PROCESS_LISTED];
};

/* The chips of WORKER_BEATS, and its deadline (clock_mono()). */
struct worker_beats {
	size_t n;
	int chips[DEVICE_MAX];
	int64_t until;
};

#define WORKERS (DEVICE_MAX + 16)

struct worker_shared {
	bool links;			/* ask ethernet cores, too */
	bool keep;			/* handles stay open between samples */
	const char *inactive;		/* why a sample may only be passive; NULL: it may be
					   active where no process holds the board */
	bool wanted[DEVICE_MAX];
	uint64_t runtime_ids[DEVICE_MAX][RUNTIME_MEMORY_IDS];	/* of WORKER_LIST; 0: none */
	struct worker_task task;	/* of WORKER_ORDER */
	_Atomic uint64_t order;		/* number of chips << 32 | index of the next one */
	int chips[DEVICE_MAX];
	struct worker_doing doings[WORKERS];
	struct worker_list list;
	struct worker_beats beats;
	struct worker_slot slots[DEVICE_MAX];
};

struct worker {
	struct child child;
	struct bus *bus;
	struct worker_shared *shared;
	struct worker_doing *doing;
	bool reserved;			/* kept for one chip, or for the list, between jobs */
	bool busy;			/* has a job that is not done */
	bool passed;			/* has taken no chip off the order for long; others do */
	bool dying;			/* was killed; the kernel may keep it for long */
	enum worker_job job;
	int chip;			/* of WORKER_CHIP, or that it hung on */
	int64_t since;			/* clock_mono() when it got the job */
	struct {
		int64_t began;		/* clock_mono() when the work it was at began */
		int64_t used;		/* the processor time it had used then */
		int64_t until;		/* it counts as starved until then */
	} starved;			/* set when it was found to wait for a processor */
};

/* Fill s for a chip that is not, or could not be, sampled: identity, health and reason alone. */
void worker_describe(const struct device *d, enum snapshot_health health, enum code code,
	const char *reason, struct snapshot *s);

/* Give it a job; -EPIPE if it is dead. */
int worker_give(struct worker *w, const struct worker_task *t);

/*
 * Whether the work begun at `began` is late because the worker had no processor, which is not
 * the card's fault.  Ask when `patience` ns have passed, and then again: it is no longer starved
 * once it has used as much processor time since, or waits for the card.
 */
bool worker_is_starved(struct worker *w, int64_t began, int64_t patience, int64_t now);

struct pool {
	struct bus *bus;
	struct worker_shared *shared;
	int epoll;
	size_t n;			/* places of workers[] that were used so far */
	struct worker workers[WORKERS];
};

int pool_open(struct pool *p, struct bus *bus, struct worker_shared *shared, struct error *e);

/* End all workers: wait for idle ones, kill busy ones. */
void pool_close(struct pool *p);

/* An idle worker, or a new one; NULL with a reason when none can be started. */
struct worker *pool_get(struct pool *p, struct error *e);

/*
 * The next worker with news, or NULL: its job is done, or (*ended) it has died.
 * A place is free again once its process is gone and it is not reserved.
 */
struct worker *pool_news(struct pool *p, bool *ended);

/* Kill a worker that hangs; pool_is_gone() is true once it is gone. */
void pool_kill(struct worker *w);

bool pool_is_gone(struct worker *w);

/* Reap the workers that have ended. */
void pool_reap(struct pool *p);

/* Let all idle workers but `most` end; they are reaped later. */
void pool_trim(struct pool *p, size_t most);

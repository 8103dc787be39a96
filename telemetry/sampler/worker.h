/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker.h - the process that touches the cards, and the memory it shares with
 * the sampler.  Whatever hangs, hangs there.
 */
#pragma once

#include "base/child.h"
#include "telemetry/process.h"
#include "telemetry/sampler/reader.h"
#include "telemetry/snapshot.h"

#include <stdatomic.h>
#include <sys/types.h>

#define WORKER_PROCESSES 16	/* holders shown per chip */

/* What a worker is doing with a chip, so that the right thing is blamed. */
enum worker_phase { WORKER_LOOK, WORKER_PROCESS_LIST };

/* One chip's results. */
struct worker_slot {
	_Atomic uint64_t looked;	/* the tick whose look is in snapshot */
	_Atomic uint64_t listed;	/* the tick whose holders are in processes */
	struct snapshot snapshot;	/* but for identity, which is the parent's */
	size_t n_processes;
	bool processes_partial;
	struct process processes[WORKER_PROCESSES];
};

/* What the parent orders, and how far it is done. */
struct worker_order {
	uint64_t tick;
	int64_t time;			/* clock_mono() of the tick */
	bool fresh;			/* static attributes too */
	bool keep;			/* handles stay open */
	const char *inactive;		/* why a look may only be passive; NULL: more, if
					   nobody holds the board */
	bool list;			/* holders too */
	bool process_lists_hang;	/* they did once: leave them */
	size_t n;
	int chips[DEVICE_MAX];
};

struct worker_shared {
	struct worker_order order;
	_Atomic size_t next;		/* position in order.chips */
	_Atomic int current;		/* chip in hand, or -1 */
	_Atomic int phase;		/* enum worker_phase */
	_Atomic int64_t began;		/* clock_steady() when the chip was taken in hand */
	struct worker_slot slots[DEVICE_MAX];
};

/* Fill s for a chip that is not, or could not be, looked at: identity, health and reason alone. */
void worker_describe(const struct device *d, enum snapshot_health health, const char *reason,
	struct snapshot *s);

struct worker {
	struct child child;		/* a byte starts it, one says done */
	struct bus *bus;
	struct worker_shared *shared;
};

/* Fork one; it waits for orders.  0 or -errno. */
int worker_start(struct worker *w, struct bus *bus, struct worker_shared *shared);

/* Tell it to go on with the order; -errno if it is dead. */
int worker_go(struct worker *w);

/* 1: it finished the order, 0: nothing new, -EPIPE: it died. */
int worker_poll(struct worker *w);

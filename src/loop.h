/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loop.h - the clocked loop of every mode that keeps running: ticks at absolute
 * times with a count of late and lost ones, rescans for cards that come and go,
 * requests to end, output that its reader has not taken, and the further descriptors that
 * a mode waits for.  An act that samples nothing turns with turn.h, whose wait this is.
 */
#pragma once

#include "src/turn.h"
#include "telemetry/sampler/sampler.h"

#define LOOP_FDS 16	/* further descriptors of a mode, at most */

/* Callbacks of a mode; any of them may be NULL. */
struct loop_ops {
	/* A tick is over; loop->late and loop->lost are about this one. */
	void (*tick)(void *arg);
	/* Before each wait: fill in further descriptors; returns how many. */
	size_t (*prepare)(void *arg, struct pollfd *fds);
	/* The longest wait, in ms; -1: no limit. */
	int (*wait_ms)(void *arg);
	/*
	 * After each wait, with those descriptors after poll().  Whether a
	 * stop was asked for is in loop->requests by then; what follows from it is the mode's.
	 */
	void (*wake)(void *arg, const struct pollfd *fds);
	/* After a rescan for cards; result: 1 if the fleet changed, or -errno. */
	void (*rescanned)(void *arg, int result, const struct error *e);
};

struct loop {
	/* Set by the mode. */
	struct sampler *sampler;
	const struct loop_ops *ops;
	void *arg;
	struct stop *requests;	/* to end; NULL: none are heard */
	struct outlet *out;	/* NULL: none */
	int64_t interval;
	int64_t start, end;	/* clock_mono() of the first tick; none at or after end */
	bool stop;		/* no further tick; the one under way is finished */
	bool quit;		/* at once */

	/* Kept by the loop. */
	uint64_t met;		/* deadlines that were met or lost so far */
	uint64_t seen;		/* the last tick whose end was reported */
	int64_t late;		/* ns */
	uint64_t lost;		/* deadlines just before this tick */
	int64_t next_rescan;
};

/* Run until stop, quit or the end. */
void loop_run(struct loop *l);

/* Deadlines that have passed without a tick. */
uint64_t loop_missed(const struct loop *l);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loop.h - the clocked loop of every mode that goes on: ticks at absolute
 * times with a count of late and lost ones, rescans for cards that come and go,
 * and the further descriptors that a mode waits for.
 */
#pragma once

#include "telemetry/sampler/sampler.h"

#include <poll.h>

#define LOOP_FDS 16	/* further descriptors of a mode, at most */

/* What a mode does in the loop; a NULL member is nothing. */
struct loop_ops {
	/* A tick is over: loop->late and loop->lost are of this one. */
	void (*tick)(void *arg);
	/* Before each wait: fill in further descriptors; returns how many. */
	size_t (*prepare)(void *arg, struct pollfd *fds);
	/* How long to wait for them at most, in ms; -1 for any time. */
	int (*wait_ms)(void *arg);
	/* After each wait, with what poll() found of them (NULL in virtual time). */
	void (*wake)(void *arg, const struct pollfd *fds);
	/* Cards were searched for again: 1 when the fleet changed, or -errno. */
	void (*rescanned)(void *arg, int result, const struct error *e);
};

struct loop {
	/* Set by the mode. */
	struct sampler *sampler;
	const struct loop_ops *ops;
	void *arg;
	int64_t interval;
	int64_t start, end;	/* clock_mono() of the first tick; none at or after end */
	bool watched;		/* by a person: virtual time does not run ahead */
	bool stop;		/* no further tick; the one under way is finished */
	bool quit;		/* at once */

	/* Kept by the loop. */
	int timer;
	uint64_t met;		/* deadlines that were met or lost so far */
	uint64_t seen;		/* the last tick whose end was reported */
	int64_t late;		/* ns */
	uint64_t lost;		/* deadlines just before this one */
	int64_t next_rescan;
};

int loop_open(struct loop *l, struct error *e);
void loop_close(struct loop *l);

/* Until stop, quit or the end. */
void loop_run(struct loop *l);

/* Deadlines that have passed by now without a tick. */
uint64_t loop_missed(const struct loop *l);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loop.h - the clocked loop of every mode that keeps running: ticks at absolute
 * times with a count of late and lost ones, rescans for cards that come and go,
 * requests to end, output that its reader has not taken, and the further descriptors that
 * a mode waits for.  An act that samples nothing uses turn_wait() alone.
 */
#pragma once

#include "output/dump.h"
#include "output/tick.h"
#include "src/outlet.h"
#include "src/stop.h"
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

/*
 * One wait in a loop: for its own descriptors, for the reader of its output, and for a person or a
 * program that ends it.  Whatever hears a struct stop waits here.
 */

#define TURN_FDS (STOP_FDS + 1)

/*
 * Push out (or NULL), then wait for n descriptors, for out and for a stop (or NULL), for ms at
 * most (-1: for ever).  fds has room for TURN_FDS more.  True once a stop was requested.
 */
bool turn_wait(struct stop *stop, struct outlet *out, struct pollfd *fds, size_t n, int ms);

/* The same for a program, a disk or a person: their time is real even if the cards' is virtual. */
bool turn_wait_steady(struct stop *stop, struct outlet *out, struct pollfd *fds, size_t n, int ms);

/* The same without descriptors and output: rest until ms are over or a stop is requested. */
bool turn_rest(struct stop *stop, int ms);

/*
 * Write the last output, and close out.  A stopped terminal has two seconds to take it; a pipe has
 * until a further signal or q ends the program.  After SIGTERM or SIGHUP neither is waited for.
 */
void turn_end(struct stop *stop, struct outlet *out);

/* Lines of NDJSON on stdout, whose reader may be slow or gone. */
struct stream {
	struct tick_choice choice;
	int64_t interval, start;	/* ns; clock_mono() of time stamp 0 */
	const struct alerts *alerts;	/* NULL: none */
	bool closed;			/* the reader of stdout has gone */
	struct tick_clock clock;
	struct dump_counts counts;
	struct strbuf lines;
};

/*
 * Write a tick of all cards.  A pipe may be full for long; keys and signals that
 * `stop` watches are still handled.  -errno when stdout cannot be written, -EAGAIN when a
 * stop ended it within a line; a reader that has gone is not an error.
 */
int stream_row(struct stream *s, const struct fleet *f, const struct dump_tick *tick,
	struct stop *stop);

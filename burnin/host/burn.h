/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn.h - the burn of a host: one worker per processor, each with its own operands, every
 * result verified.  The workers run in a child process; the way it ends counts for the verdict.
 *
 * Operands are whole numbers whose sums stay below 2^24, so that every order of
 * summing, every implementation and every host gives the same bits.  The
 * expected results are computed from the definition with integers.
 */
#pragma once

#include "act/watchdog.h"
#include "base/child.h"
#include "base/error.h"
#include "burnin/host/burn_shared.h"
#include "burnin/host/stop_rules.h"
#include "report/ledger.h"
#include "report/verdict.h"

#include <stdbool.h>
#include <stdint.h>

/* Break one thing on purpose, once, to test that it is detected. */
struct burn_fault {
	const char *name;	/* a region, "output", or an end: "ill", "kill", ...; NULL: none */
	int thread;
};

struct checkpoint;

struct burn_config {
	const struct checkpoint *resumed;	/* start from these counters; NULL: from 0 */
	int threads;			/* at least 1 */
	int processors;			/* shared by the threads; 0: one each */
	int *homes;			/* set by burn_start(): each thread's CPU; -1: not known */
	uint64_t seed;
	int64_t duration;		/* ns of load, for the ledger alone; 0: none */
	uint64_t iterations;		/* each worker's rounds over all its operands; 0: no end */
	bool kinds[BURN_KINDS];
	uint64_t memory;		/* bytes to test, all workers together; 0: none */
	enum load_pattern pattern;	/* all workers work and rest at the same times */
	bool stop_on_error;
	int64_t unwatched;		/* ns without burn_watch() before it pauses; 0: never */
	unsigned dwell;			/* blocks on one set of operands; 0: the default */
	struct burn_fault fault;
};

struct burn {
	struct burn_config config;
	struct ledger ledger;		/* the request; never read from the load */
	struct burn_shared *shared;
	size_t size;
	struct child child;
	uint64_t oom_kills;		/* the kernel's count before the start */
	struct watchdog watchdog;	/* one party per worker, fed by burn_watch() */
	struct error stood;		/* why burn_watch() ended the load; text "": it did not */
	bool stopped;			/* by SIGSTOP or a debugger, at the last burn_watch() */
	bool was_running;		/* at the last burn_watch(), like had */
	int64_t had;			/* ns of processor time */
	int64_t stands;			/* ns that a thread stood still at the last burn_watch() */
	/*
	 * ns since the load began that are no time of load: stopped; a thread stood still; neither
	 * watched nor at work
	 */
	int64_t stopped_for, stood_for, unwatched_for;
};

/* ns since the load began that are no time of load. */
static inline int64_t burn_lost(const struct burn *b)
{
	return b->stopped_for + b->stood_for + b->unwatched_for;
}

/* The processors that can burn at once: threads beyond those we may use share them. */
static inline int burn_processors(const struct burn_config *c)
{
	return c->processors > 0 && c->processors < c->threads ? c->processors : c->threads;
}

/* Fork the load; call it before any thread is created.  -ENOMEM, -EAGAIN ... */
int burn_start(struct burn *b, const struct burn_config *c, struct error *e);

/* A thread stood still for so long, at the last burn_watch(), that this is no time of load. */
bool burn_stands(const struct burn *b);

/*
 * False once the child has ended.  Kill it if a worker did not move for `patience` ns (longer
 * where several share a processor), and write the reason to b->stood.
 */
bool burn_watch(struct burn *b, int64_t patience);

/* Ask the load to end after the current blocks. */
void burn_stop(struct burn *b);

/* Stop the load: wait up to `patience` ns, then kill it.  The counters stay readable. */
void burn_end(struct burn *b, int64_t patience);
void burn_close(struct burn *b);

struct burn_result {
	enum verdict verdict;
	enum code code;			/* of the reason, or of the worst of several */
	char reason[VERDICT_REASON];	/* "" if it passed */
	char fault[96];			/* of its own, by which the load ended; "": none */
	uint64_t errors, words, sums, rounds;	/* rounds: of the slowest worker */
	uint64_t blocks[BURN_KINDS];
	double rate[BURN_KINDS];	/* GFLOP/s while the kind ran, of all workers */
	double total;			/* the same for all kinds together */
	/* GFLOP/s: sums of the workers' medians, each scaled by the worker's processor share. */
	double peaks[BURN_KINDS];
	double peak;			/* the same for all kinds, weighted by their time */
	uint64_t memory_bytes;		/* compared */
	uint64_t memory_passes;		/* of the slowest worker */
	int unlocked;			/* errno of memory that could not be locked; 0: all is */
	uint64_t swapped;		/* bytes that were swapped out */
	double memory_rate[2];		/* GB/s written and compared: in order, in random order */
	double memory_ceiling;		/* GB/s of the same traffic with a single value */
	double rate_of_worker[2];	/* the slowest and the fastest */
	double share;			/* part of the time that we had processors: 0 to 1 */
	const char *no_peak;		/* why peaks are 0 although sampled; or NULL */
	const char *no_ceiling;		/* the same for memory_ceiling */
	struct ledger ledger;		/* the request, and the work done */
};

/*
 * Sum up the counters; the verdict is valid after burn_end().  time: ns of load.  cut: why the
 * burn was ended early, or NULL.
 */
void burn_judge(const struct burn *b, int64_t time, const struct error *cut, struct burn_result *r);

/* Whether a load with this share of its processors can be compared with a peak. */
bool burn_had_enough(const struct burn *b, double share);

/* The load has begun: all operands are ready. */
bool burn_is_running(const struct burn *b);

/* Whether a thread ran elsewhere than on the processor that it tests, and where, in words. */
bool burn_find_moved(const struct burn *b, int thread, char *out, size_t size);

/* Wrong words so far. */
uint64_t burn_errors(const struct burn *b);

/* The number of places that burn_error() can read: at least one per mismatch kept. */
uint32_t burn_error_places(const struct burn *b);

/* Read the mismatch in this place; false if there is none that can be trusted. */
bool burn_error(const struct burn *b, uint32_t place, struct burn_error *out);

/* A kind's implementation, "" if none is chosen yet; its size: "128 channels, 32 x 32". */
const char *burn_impl_name(const struct burn *b, int kind);
const char *burn_case_text(const struct burn *b, int kind, char *buf, size_t size);

/* Progress before the load begins: "3072 of 10764 MiB of memory are in place". */
const char *burn_making(const struct burn *b, char *buf, size_t size);

/* How fast a burn is now: how much each worker's counters grew since the last reading. */

/* Two counts at the last reading that found them changed. */
struct burn_growth {
	uint64_t amount, ns;
};

struct burn_pace {
	struct burn_growth flops, had, moved;	/* had: ns of processor time; moved: bytes */
	double share;		/* processor / work time since the reading before; 0: not known */
	int64_t rate;		/* MFLOP/s since the reading before; 0: not known */
	int64_t memory;		/* MB/s of memory written and compared; 0: not known */
};

struct burn_meter {
	size_t n;
	struct burn_pace *workers;	/* n of them, all 0 before the first reading */
	int64_t rate;		/* MFLOP/s of all workers; 0: one of them is not known */
	int64_t memory;		/* MB/s, the same */
	double share;		/* part of the time that they had processors; 0: not known */
};

void burn_meter_read(struct burn_meter *m, const struct burn *b);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn.h - the burn of a host: one worker a processor, each with operands of its
 * own, every result verified, in a child process; how that ends counts for the verdict too.
 *
 * Operands are whole numbers whose sums stay below 2^24, so that every order of
 * summing, every implementation and every host gives the same bits.  The
 * expected results are computed from the definition with integers.
 */
#pragma once

#include "act/ledger.h"
#include "act/watchdog.h"
#include "base/child.h"
#include "base/error.h"
#include "burnin/host/burn_shared.h"
#include "burnin/host/load_pattern.h"

#include <stdbool.h>
#include <stdint.h>

/* Breaks one thing on purpose, once, so that tests can see it detected. */
struct burn_fault {
	const char *name;	/* a region, "output", or an end: "ill", "kill", ...; NULL: none */
	int thread;
};

struct checkpoint;

struct burn_config {
	const struct checkpoint *resumed;	/* it begins with these counters; NULL: with 0 */
	int threads;			/* at least 1 */
	int processors;			/* that they share; 0: one each */
	uint64_t seed;
	int64_t duration;		/* ns of load, for the ledger alone; 0: none */
	uint64_t iterations;		/* each worker's rounds over all its operands; 0: no end */
	bool kinds[BURN_KINDS];
	uint64_t memory;		/* bytes of it to be tested, by all workers; 0: none */
	enum load_pattern pattern;	/* all start and rest at the same moments */
	bool stop_on_error;
	int64_t unwatched;		/* ns without burn_watch() after which it rests; 0: never */
	unsigned dwell;			/* blocks before the next operands' turn; 0: the usual */
	struct burn_fault fault;
};

struct burn {
	struct burn_config config;
	struct ledger ledger;		/* what was asked for; none of it is read from the load */
	struct burn_shared *shared;
	size_t size;
	struct child child;
	uint64_t oom_kills;		/* that the kernel had counted before */
	struct watchdog watchdog;	/* of each worker, as burn_watch() saw it */
	char stood[128];		/* why burn_watch() ended it; "" */
	bool stopped;			/* by SIGSTOP, or a debugger, when it was last watched */
	int64_t stopped_for;		/* ns of the load */
};

/* Fork before any thread is made.  -ENOMEM, -EAGAIN ... */
int burn_start(struct burn *b, const struct burn_config *c, struct error *e);

/*
 * False once the child has ended; it is killed if one of its workers did not move for
 * `patience` ns (longer where several share a processor): b->stood names it.
 */
bool burn_watch(struct burn *b, int64_t patience);

/* Ask it to end after the blocks that are running. */
void burn_stop(struct burn *b);

/* Wait for its end up to `patience` ns, then kill it; the counters stay readable. */
void burn_end(struct burn *b, int64_t patience);
void burn_close(struct burn *b);

enum burn_verdict { BURN_PASS, BURN_INCOMPLETE, BURN_FAIL };

struct burn_result {
	enum burn_verdict verdict;
	char reason[320];		/* "" if it passed */
	uint64_t errors, words, sums, rounds;	/* rounds: of the slowest worker */
	uint64_t blocks[BURN_KINDS];
	double rate[BURN_KINDS];	/* GFLOP/s while it ran, of all workers */
	double total;			/* the same of all kinds */
	/* GFLOP/s: sums of the workers' medians, each times the share of its processor it had. */
	double peaks[BURN_KINDS];
	double peak;			/* the same of all, each kind as long as it ran */
	uint64_t memory_bytes;		/* compared */
	uint64_t memory_passes;		/* of the slowest worker */
	double memory_rate[2];		/* GB/s written and compared: in order, in random order */
	double memory_ceiling;		/* GB/s of one value, sampled meanwhile, as a peak is */
	double rate_of_worker[2];	/* the slowest and the fastest */
	double share;			/* of the time that we had the processors: 0 to 1 */
	const char *no_peak;		/* why peaks are 0, though they were sampled; or NULL */
	const char *no_ceiling;		/* the same of memory */
	struct ledger ledger;		/* what was asked for, and what was done */
};

/*
 * Sum up the counters; the verdict is valid after burn_end().  time: ns of load; `cut` says
 * why the burn was ended early; NULL if it was not.
 */
void burn_judge(const struct burn *b, int64_t time, const char *cut, struct burn_result *r);

/*
 * Workers that share processors may take turns, so that each had one for most of the time that it
 * worked.  shares: the sum of these parts; by the result the rates of all are multiplied, since
 * together they had no more than all processors.
 */
double burn_overlap(const struct burn *b, double shares);

/* A load that had its processors for this part of the time can be held against a peak. */
bool burn_had_enough(const struct burn *b, double share);

/* The load has begun: all operands are ready. */
bool burn_is_running(const struct burn *b);

/* Wrong words so far. */
uint64_t burn_errors(const struct burn *b);

/* Places of burn_error(): at least as many as there are mismatches that were kept. */
uint32_t burn_error_places(const struct burn *b);

/* A mismatch that can be believed; false where there is none. */
bool burn_error(const struct burn *b, uint32_t place, struct burn_error *out);

/* errno of memory that could not be locked, 0: all is; bytes of it that were swapped out. */
int burn_unlocked(const struct burn *b);
uint64_t burn_swapped(const struct burn *b);

/* By which implementation, "" where none was chosen yet, and "128 channels, 32 x 32". */
const char *burn_impl_name(const struct burn *b, int kind);
const char *burn_case_text(const struct burn *b, int kind, char *buf, size_t size);

/* What is being made before the load begins: "3072 of 10764 MiB of memory are in place". */
const char *burn_making(const struct burn *b, char *buf, size_t size);

const char *burn_verdict_name(enum burn_verdict v);	/* "PASS" */

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

#include "base/child.h"
#include "base/error.h"
#include "burnin/case.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	BURN_KINDS = BURN_OPS * BURN_DTYPES,	/* op * BURN_DTYPES + dtype */
	BURN_MEMORY = BURN_KINDS,		/* kind of a mismatch in memory under test */
	BURN_RECORDS = 4096,			/* mismatches that are kept; all are counted */
	BURN_PEAKS = 256,			/* samples of a peak that are kept, at random */
	BURN_REGIONS = 6,
	BURN_SETS_MOST = 32
};

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
	uint64_t iterations;		/* each worker's rounds over all its operands; 0: no end */
	bool kinds[BURN_KINDS];
	uint64_t memory;		/* bytes of it to be tested, by all workers; 0: none */
	bool pulse;			/* all start and rest at the same moments */
	bool stop_on_error;
	int64_t unwatched;		/* ns without burn_watch() after which it rests; 0: never */
	unsigned dwell;			/* blocks before the next operands' turn; 0: the usual */
	struct burn_fault fault;
};

/* One mismatch. */
struct burn_error {
	char what[16];			/* "output", "input", "packed", "expected" ... */
	const char *pattern, *impl;	/* constant text */
	int kind, thread, cpu;
	uint64_t index;			/* element; of memory and checksums: the word of 32 bits */
	uint64_t address, physical;	/* of memory; physical: 0 where only root may know */
	uint32_t got, want;		/* bits; the bits that differ are their exclusive or */
	int64_t at;			/* ns after the start */
	_Atomic bool complete;
};

/* What one worker has done; no other thread writes here. */
struct burn_worker {
	_Atomic uint64_t beats;		/* it is alive */
	_Atomic uint64_t blocks[BURN_KINDS], flops[BURN_KINDS], ns[BURN_KINDS];
	_Atomic uint64_t cpu_ns;	/* of them all, that we had the processor */
	_Atomic uint64_t dwells[BURN_KINDS];	/* complete, with checksums verified */
	_Atomic uint64_t words;		/* of results compared */
	_Atomic uint64_t sums;		/* checksums verified */
	_Atomic uint64_t rounds, errors;
	_Atomic uint32_t n_peaks[BURN_KINDS];
	_Atomic uint32_t peaks[BURN_KINDS][BURN_PEAKS];	/* MFLOP/s that registers alone allow */
	_Atomic uint64_t memory_bytes[2], memory_ns[2];	/* compared; in order, in random order */
	_Atomic uint64_t memory_passes;
	_Atomic uint64_t memory_moved;	/* bytes written, and compared, by this process */
	_Atomic uint64_t memory_share;	/* bytes of memory that are this worker's */
	_Atomic uint64_t memory_ready;	/* of these, in place, before the load begins */
	_Atomic uint64_t live_from, live_to;	/* bytes of it that will be compared as they are */
	_Atomic uint64_t ceiling_bytes, ceiling_ns;	/* of the least that can be done */
	_Atomic int cpu;
	_Atomic bool finished;		/* it ended by itself, after a last check of everything */
};

/* A part of the live data, for tests that write into it. */
struct burn_place {
	char what[16];
	void *at;
	uint64_t bytes;
};

struct burn_shared {
	_Atomic bool stop;
	_Atomic bool running;		/* all operands are ready: the load has begun */
	_Atomic int64_t watched;	/* clock_steady() of the last burn_watch() */
	_Atomic uint32_t n_errors;	/* kept, or would be */
	_Atomic int unlocked;		/* errno of memory that could not be locked; 0: all is */
	_Atomic uint64_t swapped;	/* bytes of memory under test that were swapped out, most */
	char trouble[256];		/* why it could not run; valid once the child has ended */
	const char *impls[BURN_KINDS];	/* by which implementation; constant text */
	char cases[BURN_KINDS][64];
	int64_t started;		/* clock_steady() */
	struct burn_error errors[BURN_RECORDS];
	_Atomic int n_places;		/* of worker 0 */
	struct burn_place places[BURN_SETS_MOST * BURN_REGIONS];
	_Atomic int n_sums;		/* places where sums wait, of worker 0 */
	struct burn_place sums[BURN_SETS_MOST];
	struct burn_place memory;	/* of worker 0 */
	struct burn_worker workers[];
};

struct burn {
	struct burn_config config;
	struct burn_shared *shared;
	size_t size;
	struct child child;
	uint64_t oom_kills;		/* that the kernel had counted before */
	uint64_t beats;			/* burn_watch(): at the last change */
	int64_t changed;
	bool stopped;			/* by SIGSTOP, or a debugger, when it was last watched */
	int64_t stopped_for;		/* ns of the load */
};

/* Fork before any thread is made.  -ENOMEM, -EAGAIN ... */
int burn_start(struct burn *b, const struct burn_config *c, struct error *e);

/* False once the child has ended; it is killed if nothing moved for `patience` ns. */
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
	double peaks[BURN_KINDS];	/* GFLOP/s: sums of the workers' medians */
	double peak;			/* the same of all, each kind as long as it ran */
	uint64_t memory_bytes;		/* compared */
	uint64_t memory_passes;		/* of the slowest worker */
	double memory_rate[2];		/* GB/s written and compared: in order, in random order */
	double memory_ceiling;		/* GB/s of one value, sampled meanwhile */
	double rate_of_worker[2];	/* the slowest and the fastest */
	double share;			/* of the time that we had the processors: 0 to 1 */
};

/*
 * Sum up the counters; the verdict is valid after burn_end().  `cut` says why
 * the burn was ended early; NULL if it was not.
 */
void burn_judge(const struct burn *b, const char *cut, struct burn_result *r);

/* What is being made before the load begins: "3072 of 10764 MiB of memory are in place". */
const char *burn_making(const struct burn *b, char *buf, size_t size);

const char *burn_verdict_name(enum burn_verdict v);	/* "PASS" */

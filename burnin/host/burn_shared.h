/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn_shared.h - what the load and the tool share.
 *
 * The load may run on broken hardware, so the tool trusts nothing here.  There are no pointers.
 * Counts are stored twice, flags are whole words, records and texts have a seal: a flipped bit
 * is noticed, and neither ends the tool nor becomes a verdict.
 */
#pragma once

#include "base/error.h"
#include "burnin/kernels/case.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	BURN_KINDS = BURN_OPS * BURN_DTYPES,	/* op * BURN_DTYPES + dtype */
	BURN_MEMORY = BURN_KINDS,		/* kind of a mismatch in memory under test */
	BURN_RECORDS = 4096,			/* mismatches that are kept; all are counted */
	BURN_PEAKS = 256,			/* samples of a peak kept, chosen at random */
	BURN_REGIONS = 6,
	BURN_SETS_MOST = 32
};

/* What was wrong; also names the regions of a set. */
enum burn_what {
	BURN_IS_OUTPUT, BURN_IS_INPUT, BURN_IS_WEIGHT, BURN_IS_BIAS, BURN_IS_PACKED,
	BURN_IS_PANELS_A, BURN_IS_PANELS_B, BURN_IS_EXPECTED, BURN_IS_SET,
	BURN_IS_MEMORY, BURN_IS_MEMORY_ONCE,
	BURN_IS_OUTPUT_ONCE, BURN_IS_SUM_ONCE,	/* all words were right when read again: no bits */
	BURN_IS_PLANTED,	/* made wrong on purpose, and not reported by the check */
	BURN_WHATS
};

const char *burn_what_name(enum burn_what what);	/* "panels A" */

/* Counts of a worker; a checkpoint has those before BURN_COUNTS_KEPT, in this order. */
enum burn_count_id {
	BURN_ROUNDS, BURN_ERRORS,
	BURN_WORDS,			/* of results compared */
	BURN_SUMS,			/* checksums verified */
	BURN_CPU_NS,			/* processor time of all work */
	BURN_BLOCKS,			/* per kind, like the next three */
	BURN_FLOPS = BURN_BLOCKS + BURN_KINDS,
	BURN_NS = BURN_FLOPS + BURN_KINDS,
	BURN_DWELLS = BURN_NS + BURN_KINDS,	/* complete, with checksums verified */
	BURN_MEMORY_BYTES = BURN_DWELLS + BURN_KINDS,	/* compared: in order, in random order */
	BURN_MEMORY_NS = BURN_MEMORY_BYTES + 2,
	BURN_MEMORY_PASSES = BURN_MEMORY_NS + 2,
	BURN_MEMORY_WHOLE,		/* bytes of the largest share that a pass has covered */
	BURN_SWAPPED,			/* the most bytes of the load ever swapped out */
	BURN_COUNTS_KEPT,		/* by a checkpoint */

	BURN_MEMORY_MOVED = BURN_COUNTS_KEPT,	/* bytes written, and compared, by this process */
	BURN_IN_ORDER_NS, BURN_IN_ORDER_CPU_NS,	/* of memory, by this process */
	BURN_CEILING_BYTES, BURN_CEILING_NS,	/* the same compared, in the least possible time */
	BURN_UNLOCKED,			/* errno of memory that could not be locked; 0: all is */
	BURN_AWAY,			/* beats on another processor than its own */
	BURN_PROVEN,			/* checks that reported a planted word, by this process */
	BURN_COUNTS
};

struct burn_count {
	_Atomic uint64_t n, twin;	/* equal, except while one is being updated */
};

/* Set if most of its bits are, so that one flipped bit does not change it. */
struct burn_flag {
	_Atomic uint64_t bits;
};

/* One mismatch, as plain data. */
struct burn_error {
	int kind, thread, cpu;
	enum burn_what what;
	int pattern, impl;		/* indexes into the kind's patterns, into impls[] */
	uint32_t got, want;		/* bits; got ^ want are those that differ; equal: unknown */
	uint64_t index;			/* element; for memory and checksums: the word of 32 bits */
	uint64_t address, physical;	/* of memory; physical: 0 where only root may know */
	int64_t at;			/* ns after the start */
};

struct burn_record {
	struct burn_error error;
	_Atomic uint64_t seal;		/* of the error; 0: it is not written yet */
};

struct burn_text {
	struct error is;
	_Atomic uint64_t seal;		/* 0: there is none */
};

/* What one worker has done; no other thread writes here. */
struct burn_worker {
	struct burn_count count[BURN_COUNTS];
	struct burn_flag finished;	/* it ended by itself, after a final check of everything */
	/* Hints; no verdict depends on them. */
	_Atomic uint64_t beats;		/* grows while the worker is alive */
	_Atomic int cpu;		/* its own; the last other one if it was moved */
	_Atomic uint32_t peaks[BURN_KINDS][BURN_PEAKS];	/* MFLOP/s when only registers are used */
	_Atomic uint64_t memory_ready;	/* bytes in place before the load begins */
};

/* A part of the live data, in the load's own memory. */
struct burn_place {
	enum burn_what what;
	uint64_t at, bytes;
};

/* For tests, which write into the load; the tool does not look here. */
struct burn_probe {
	_Atomic int n_places, n_sums;	/* of worker 0 */
	struct burn_place places[BURN_SETS_MOST * BURN_REGIONS];
	struct burn_place sums[BURN_SETS_MOST];	/* of partial sums */
	struct burn_place memory;
	uint64_t sets;			/* address of worker 0's struct burn_set[] */
	_Atomic uint64_t live_from, live_to;	/* bytes of memory compared before a rewrite */
};

struct burn_shared {
	struct burn_flag stop;
	struct burn_flag running;	/* all operands are ready: the load has begun */
	_Atomic int64_t watched;	/* clock_steady() of the last burn_watch() */
	int64_t started;		/* the same of the start; for the load only */
	struct burn_text trouble;	/* why the load gave up; read once the child has ended */
	struct burn_count impls[BURN_KINDS];	/* 1 + the index into impls[]; 0: not chosen yet */
	struct burn_count n_errors;	/* records claimed; may exceed BURN_RECORDS */
	struct burn_record records[BURN_RECORDS];
	struct burn_probe probe;
	struct burn_worker workers[];
};

void burn_flag_set(struct burn_flag *f);
bool burn_flag_is_set(const struct burn_flag *f);

void burn_count_set(struct burn_count *c, uint64_t n);	/* by its only writer */

/* Returns the old value; any number of threads may call it. */
uint64_t burn_count_add(struct burn_count *c, uint64_t n);

/* False, and *n is 0, if the two copies differ. */
bool burn_count_get(const struct burn_count *c, uint64_t *n);

/* The same for a worker's count; 0 if its copies differ. */
void burn_worker_add(struct burn_worker *w, int id, uint64_t n);
uint64_t burn_worker_get(const struct burn_worker *w, int id);

/* Mark the error as complete. */
void burn_record_seal(struct burn_record *r);

enum burn_seal { BURN_SEAL_NONE, BURN_SEAL_GOOD, BURN_SEAL_BROKEN };

/* Copy the error to *out; it is good if the seal fits and every member is in its range. */
enum burn_seal burn_record_read(const struct burn_record *r, int threads, struct burn_error *out);

void burn_text_put(struct burn_text *t, const struct error *e);
enum burn_seal burn_text_read(const struct burn_text *t, struct error *out);

/* Names of an error's pattern and implementation. */
const char *burn_error_pattern(const struct burn_error *x);
const char *burn_error_impl(const struct burn_error *x);

/* The index of a name in its table; -1: not found. */
int burn_what_find(const char *name);
int burn_pattern_find(int kind, const char *name);
int burn_impl_find(const char *name);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn_judge.h - sum up the counts of the load, and judge them.
 */
#pragma once

#include "burnin/host/burn.h"

struct burn_pace {
	uint64_t flops, ns;	/* at the last reading that found them changed */
	uint64_t worked, had;	/* ns of all work, and of processor time, at the last reading */
	double share;		/* processor / work time since the reading before; 0: not known */
	int64_t rate;		/* MFLOP/s since the reading before; 0: not known */
	uint64_t moved_bytes, memory_ns;
	int64_t memory;		/* MB/s of memory written and compared; 0: not known */
};

struct burn_meter {
	size_t n;
	struct burn_pace *workers;
	int64_t rate;		/* MFLOP/s of all workers; 0: one of them is not known */
	int64_t memory;		/* MB/s, the same */
	double share;		/* part of the time that they had processors; 0: not known */
};

void burn_meter_init(struct burn_meter *m, size_t workers);

void burn_meter_clear(struct burn_meter *m);

void burn_meter_read(struct burn_meter *m, const struct burn *b);

/* Number of workers, limited to those that the shared memory has room for. */
int burn_workers(const struct burn *b);

/* The implementation that a kind of work ran with; NULL: not known. */
const struct impl *burn_impl(const struct burn *b, int kind);

/*
 * Count the work done into r->ledger.  A burn that would pass becomes INCOMPLETE if a count falls
 * short or contradicts itself.  r->errors becomes at least the number of mismatches kept, so that
 * these fail the burn even if their count was damaged.
 */
void burn_cover(const struct burn *b, int threads, int64_t time, struct burn_result *r);

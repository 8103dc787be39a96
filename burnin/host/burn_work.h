/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn_work.h - the load itself, as it runs in the child.
 */
#pragma once

#include "base/error.h"
#include "burnin/host/burn.h"
#include "burnin/kernels/impl.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A worker's share of the host's memory: a pass writes all of it, then compares every word.  Each
 * pass uses the next pattern: four passes in order, then four in a random order, and so on.  Every
 * second round of these eight inverts all bits.
 *
 * The random order is one of pages of 4 KiB, and in each of its bursts: one in sixty follows
 * its neighbour.  Burst by burst over all of the memory, each would wait for a translation of
 * its address first, and that would be measured.
 */

enum { BURN_MEMORY_PATTERNS = 4, BURN_MEMORY_ORDERS = 2 };

#define BURN_MEMORY_STEP (64ULL << 20)	/* bytes per step in order, some ten ms */

struct burn_memory {
	struct impl_bursts bursts;
	const struct impl *impl;
	uint64_t n;			/* bursts */
	uint64_t seed, pass;		/* pass: from 0 */
	uint64_t settled;		/* bytes faulted in, and locked if possible */
	bool comparing;
	uint64_t done;			/* bursts already written, or compared, in this pass */
	uint64_t place;			/* in the random order */
	uint64_t *table;
};

/* A word of 64 bits is wrong; once: it was right when read again. */
typedef void burn_memory_found(void *arg, uint64_t word, uint64_t got, uint64_t want, bool once);

/* Round bytes down to whole pieces of 2 MiB. */
uint64_t burn_memory_whole(uint64_t bytes);

/* bytes: at least 2 MiB, rounded down as above.  -ENOMEM. */
int burn_memory_open(struct burn_memory *m, uint64_t bytes, uint64_t seed, const struct impl *impl,
	struct error *e);
void burn_memory_close(struct burn_memory *m);
uint64_t burn_memory_bytes(const struct burn_memory *m);

/*
 * Fault in the next piece and lock it.  Returns 1 while there is more, 0 at the
 * end, or a negative errno if it cannot be locked (it can be used nonetheless).
 */
int burn_memory_settle(struct burn_memory *m);

/* Begin this pass; burn_memory_open() has already begun the first. */
void burn_memory_begin(struct burn_memory *m, uint64_t pass);

/* Write or compare the next piece of the pass; true if it was the last. */
bool burn_memory_step(struct burn_memory *m, burn_memory_found *found, void *arg);

/* Bytes that the next step writes or compares. */
uint64_t burn_memory_next(const struct burn_memory *m);

/* Whether a pass goes through in order; its pattern: "random", "address" ... */
bool burn_memory_streams(uint64_t pass);
const char *burn_memory_pattern(uint64_t pass);

/*
 * The traffic of the next step alone: write one value where that step writes, or read what was
 * compared, or will be, half a pass away.  Returns its bytes; 0 unless the pass is in order.
 */
uint64_t burn_memory_plain(const struct burn_memory *m);

/* The physical address, 0 where the kernel does not report it (to root alone). */
uint64_t burn_memory_physical(const void *at);

/* Run until the rounds are done or shared->stop.  Returns the exit status: 0 if it could run. */
int burn_work(const struct burn_config *c, struct burn_shared *shared);

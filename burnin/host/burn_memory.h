/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn_memory.h - a worker's share of the host's memory: a pass writes all of
 * it, then compares every word.  Each pass has the next pattern; four go through
 * in order, the next four burst by burst in a random order, and so on; every
 * second round of eight with all bits inverted.
 */
#pragma once

#include "base/error.h"
#include "burnin/kernels/impl.h"

#include <stdbool.h>
#include <stdint.h>

enum { BURN_MEMORY_PATTERNS = 4, BURN_MEMORY_ORDERS = 2 };

struct burn_memory {
	struct impl_bursts bursts;
	const struct impl *impl;
	uint64_t n;			/* bursts */
	uint64_t step, random_step;	/* bursts at a time */
	uint64_t seed, pass;		/* pass: from 0 */
	uint64_t settled;		/* bytes that are there, and locked if that can be had */
	bool comparing;
	uint64_t done;			/* bursts of this pass that are written, or compared */
	uint64_t place;			/* of the random order */
	uint64_t *table;
};

/* A word of 64 bits is wrong; once: read again, it was right. */
typedef void burn_memory_found(void *arg, uint64_t word, uint64_t got, uint64_t want, bool once);

/* The whole pieces of 2 MiB in so many bytes. */
uint64_t burn_memory_whole(uint64_t bytes);

/* bytes: at least 2 MiB; counted in those.  -ENOMEM. */
int burn_memory_open(struct burn_memory *m, uint64_t bytes, uint64_t seed, const struct impl *impl,
	struct error *e);
void burn_memory_close(struct burn_memory *m);
uint64_t burn_memory_bytes(const struct burn_memory *m);

/*
 * Have the next piece, and lock it.  Returns 1 while there is more, 0 at the
 * end, or why it cannot be locked (it is there nonetheless).
 */
int burn_memory_settle(struct burn_memory *m);

/* Begin this pass; it begins with the first by itself. */
void burn_memory_begin(struct burn_memory *m, uint64_t pass);

/* The next piece of the pass; true if it was the last. */
bool burn_memory_step(struct burn_memory *m, burn_memory_found *found, void *arg);

/* Bytes that the next step writes or compares. */
uint64_t burn_memory_next(const struct burn_memory *m);

/* Whether a pass goes through in order; its pattern: "random", "address" ... */
bool burn_memory_streams(uint64_t pass);
const char *burn_memory_pattern(uint64_t pass);

/*
 * One value written and compared, in the place of the next step of a pass that
 * writes in order, which burn_memory_next() measures: the least that can be done.
 * False elsewhere.
 */
bool burn_memory_ceiling(struct burn_memory *m, burn_memory_found *found, void *arg);

/* The physical address, 0 where the kernel does not report it (to root alone). */
uint64_t burn_memory_physical(const void *at);

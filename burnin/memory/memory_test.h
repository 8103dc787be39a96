/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_test.h - shared by the parts of the test of a card's memory: an area is
 * written or verified, and its wrong words are examined closely.
 */
#pragma once

#include "burnin/memory/card_memory.h"

#define MEMORY_BLOCK  (16u << 10)
#define MEMORY_PIECES 512	/* transactions of an area */
#define MEMORY_SEEN   4096	/* events of a channel that are remembered */

struct memory_area {
	uint64_t addr;
	uint32_t bytes;
	unsigned cut;		/* index into card_memory_cuts[] */
};

struct memory_test {
	struct device *d;
	const struct device_kind *kind;
	const struct card_memory_plan *plan;
	struct card_memory *m;
	bool (*go_on)(void *arg);
	void *arg;
	uint32_t channels;	/* the plan's, except those without a memory of their own */
	uint64_t seed;		/* of the data */
	uint64_t size;		/* of this iteration */
	uint64_t round;
	unsigned channel, writer;
	struct memory_data data;
	uint32_t want[MEMORY_BLOCK / 4], got[MEMORY_BLOCK / 4], again[MEMORY_BLOCK / 4];
	uint32_t other[MEMORY_BLOCK / 4];
	struct device_piece pieces[MEMORY_PIECES];
	uint64_t seen[MEMORY_CHANNELS][MEMORY_SEEN];
};

/* An address in the current channel, t->channel. */
struct reg_addr memory_test_at(const struct memory_test *t, unsigned port, uint64_t addr);

/* Write an area through t->writer; verify it through port.  0 or -errno. */
int memory_test_write(struct memory_test *t, const struct memory_area *a);
int memory_test_verify(struct memory_test *t, unsigned port, const struct memory_area *a);

/* Count the words of t->got[] that differ from t->want[], and their events. */
void memory_test_count(struct memory_test *t, unsigned port, const struct memory_area *a);

/* Mark all channels, and see which marks each endpoint shows.  0 or -errno. */
int memory_test_marks(struct memory_test *t, struct error *e);

/* Number of address lines that a channel has from 1 << first on. */
unsigned memory_test_lines(const struct device_kind *k, unsigned first);

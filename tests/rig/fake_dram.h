/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake_dram.h - a card that is memory and nothing else, with faults in the way
 * between the tool and that memory: the tool knows nothing of them.
 */
#pragma once

#include "device/bus.h"

#define FAKE_CHANNELS 8
#define FAKE_PLACES   (FAKE_CHANNELS + 1)	/* and one that no channel has */
#define FAKE_PORTS    3
#define FAKE_CHUNK    32	/* bytes that pass the way out at a time */
#define FAKE_HISTORY  8
#define FAKE_POSTED   4096	/* words on their way */

enum fake_fault {
	FAKE_GOOD,
	FAKE_LANE,		/* on the way out: a byte lane late by 64 and 128 bytes in turn */
	FAKE_STUCK,		/* a bit of some cells is always 1 */
	FAKE_FLIP,		/* one bit, once in 10^6 words that are read, on average */
	FAKE_ALIAS,		/* an address line is not connected */
	FAKE_PAIR,		/* a word is the cell of another */
	FAKE_ENDPOINT,		/* one endpoint: random bits of one word in 100 that is read */
	FAKE_WRITE,		/* all endpoints: random bits of one word in 100 that is written */
	FAKE_WRITER,		/* the same through one endpoint */
	FAKE_TWIN,		/* the channel leads to the memory of another one */
	FAKE_STRAY,		/* one endpoint of it does */
	FAKE_CROSS,		/* and the same endpoint of the other channel leads to this one */
	FAKE_ELSEWHERE,		/* one endpoint leads to memory that no other leads to */
	FAKE_LINE,		/* one endpoint lacks an address line, when read and written */
	FAKE_BURST,		/* one write of 64 bytes is lost */
	FAKE_DEAF,		/* all that is written through one endpoint is lost */
	FAKE_ECHO,		/* what is written to the channel lands in another one as well */
	FAKE_DISTURB,		/* a write changes a bit of the word `off` bytes from it */
	FAKE_DUMB,		/* of the channel, all that is read is ones, from some time on */
	FAKE_DARK		/* of all channels */
};

struct fake_dram {
	struct device d;
	struct bus bus;
	struct bus_own own;
	uint32_t *memory[FAKE_PLACES];	/* by place; as large as the chip's, and sparse */
	uint64_t reads[FAKE_CHANNELS][FAKE_PORTS], writes[FAKE_CHANNELS][FAKE_PORTS];
	uint64_t read_words, written_words;
	uint64_t read_sizes, write_sizes;	/* a bit for each power of two */
	bool strayed;				/* an access to no DRAM tile, or beyond its end */
	bool filled;				/* what was not written reads as random, not as 0 */

	enum fake_fault fault;
	unsigned place, port, lane, bit, phase;
	unsigned other;				/* FAKE_TWIN to FAKE_CROSS: the place it leads to */
	uint64_t after;				/* words written, or read: FAKE_DUMB, DARK */
	uint64_t lost;				/* words of FAKE_BURST */
	int64_t off;
	uint64_t at, of;			/* FAKE_PAIR; FAKE_STUCK: addresses modulo 4096 */
	/* As cards are: until a word is read through an endpoint, it shows older contents. */
	struct {
		size_t n;
		struct {
			uint64_t addr;
			uint32_t before;
		} words[FAKE_POSTED];
	} posted[FAKE_CHANNELS][FAKE_PORTS];
	bool posts;
	uint64_t random, next_flip;
	uint8_t history[FAKE_HISTORY][FAKE_CHUNK];
	uint64_t chunks;
	/* A program that writes: this word counts up each time any word is read; or words that
	 * it changes for a moment now and then. */
	bool busy, toggles;
	uint64_t busy_at;
};

void fake_dram_open(struct fake_dram *f, enum device_chip chip);
void fake_dram_close(struct fake_dram *f);

/* A good card again, with nothing written. */
void fake_dram_reset(struct fake_dram *f, uint64_t seed);
uint64_t fake_dram_draw(struct fake_dram *f);

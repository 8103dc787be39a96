/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_traffic.h - the card's own memory in a burn: what the tiles read back from it
 * and compare, and the operands that they take from it.
 */
#pragma once

#include "burnin/cores/card_load.h"

/*
 * Choose the channels of the memory that take part: those of the mask that are
 * enabled.  Others are never touched.  `enabled` has all channels that are not
 * switched off, trained or not: the place of a channel depends on them.  -EINVAL:
 * the work has traffic, and no channel is left for it.
 */
int card_traffic_aim(struct card_data *data, enum device_chip chip, uint32_t enabled,
	uint32_t channels, struct error *e);

/*
 * Fill the memory that the bursts and reloads of this work read.  Nothing is read back:
 * the tiles will find words that a channel does not keep.
 */
int card_traffic_fill(struct device *d, const struct card_data *data, struct error *e);

/* Find the address in the channel where this word belongs; false if there is none. */
bool card_traffic_find(uint32_t seed, uint32_t channel, uint32_t word, uint64_t *addr);

/* The reports of all tiles on the card's memory, summed up. */
struct card_traffic {
	struct {
		uint64_t words, errors;
		uint32_t bits;		/* all that were wrong in some word */
		size_t blamed;		/* tiles that found errors in it */
		struct kernel_wrong first;
	} channel[KERNEL_CHANNELS_MAX];
	size_t tiles;
	uint64_t loads, tries;		/* of operands: good loads, all of them */
	size_t waiting;			/* tiles that wait for an answer now */
	uint32_t where;			/* of the last of them, as in kernel_wrong */
};

/* Add one tile's report at the end of a run; start with a sum of all zeros. */
void card_traffic_add(struct card_traffic *sum, const struct kernel_traffic *one);

/*
 * Describe the wrong words of a channel: how many, which of their bits, the first one.  False
 * if there are none.
 */
bool card_traffic_say(const struct card_traffic *t, unsigned channel, char *text, size_t size);

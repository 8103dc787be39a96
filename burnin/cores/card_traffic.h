/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_traffic.h - the card's own memory in a burn: what the tiles read back from it
 * and compare, and the operands that they take from it.
 */
#pragma once

#include "burnin/cores/card_load.h"

/*
 * Which channels of the memory take part: those of the mask that are enabled.
 * Others are never touched.  `enabled` are all that are not switched off, trained
 * or not: where a channel is depends on them.  -EINVAL: the work has traffic, and
 * no channel is left for it.
 */
int card_traffic_aim(struct card_data *data, enum device_chip chip, uint32_t enabled,
	uint32_t channels, struct error *e);

/*
 * Fill what the bursts and the reloads of this work read.  What a channel keeps is for
 * the tiles to find: nothing is read back.
 */
int card_traffic_fill(struct device *d, const struct card_data *data, struct error *e);

/* The address in the channel whose word this would be. */
bool card_traffic_find(uint32_t seed, uint32_t channel, uint32_t word, uint64_t *addr);

/* What tiles have reported of the card's memory, together. */
struct card_traffic {
	struct {
		uint64_t words, errors;
		uint32_t bits;		/* all that were wrong in some word */
		size_t blamed;		/* by so many tiles */
		struct kernel_wrong first;
	} channel[KERNEL_CHANNELS_MAX];
	size_t tiles;
	uint64_t loads, tries;		/* of operands: good ones, all */
	size_t waiting;			/* tiles that wait for an answer now */
	uint32_t where;			/* of the last of them: kernel_wrong's */
};

/* One tile's, at the end of a run; all zeros is a good begin. */
void card_traffic_add(struct card_traffic *sum, const struct kernel_traffic *one);

/*
 * What is wrong with a channel, for people: how many words, which bits of them, the first;
 * false where nothing is.
 */
bool card_traffic_say(const struct card_traffic *t, unsigned channel, char *text, size_t size);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_marks.h - marks in a card's memory: each channel gets its own, through each
 * of its endpoints, before any is read.  Whose marks an endpoint shows is whose memory
 * it leads to.
 */
#pragma once

#include "burnin/memory/memory_kept.h"

#define MEMORY_MARK_WORDS 16

/* Below these: the channel whose mark was shown. */
enum {
	MEMORY_MARK_STALE = MEMORY_CHANNELS,	/* what was there before */
	MEMORY_MARK_OTHER,
	MEMORY_MARK_SHOWS
};

struct memory_marks {
	struct memory_kept kept;	/* endpoints that were left out */
	uint32_t tested;	/* channels; others are marked so that theirs are known */
	uint32_t places;	/* of each channel and endpoint; 0: not marked yet */
	/* By channel, the endpoint that reads, the one that wrote, and what was shown. */
	uint32_t shows[MEMORY_CHANNELS][MEMORY_PORTS][MEMORY_PORTS][MEMORY_MARK_SHOWS];
};

/* Every endpoint of it showed nothing but the channel's own marks. */
bool memory_marks_kept(const struct memory_marks *m, unsigned channel);

/* What is wrong with the ways to a channel's memory; how many, at most MEMORY_PORTS. */
size_t memory_marks_judge(const struct memory_marks *m, unsigned channel,
	struct memory_finding found[MEMORY_FINDINGS]);

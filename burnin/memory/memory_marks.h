/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_marks.h - marks in a card's memory: each channel gets its own, written through
 * each of its endpoints before any mark is read.  An endpoint leads to the memory of the
 * channel whose marks it shows.
 */
#pragma once

#include "burnin/memory/memory_kept.h"

#define MEMORY_MARK_WORDS 16

/* What a read showed; a lower number is the channel whose mark it was. */
enum {
	MEMORY_MARK_STALE = MEMORY_CHANNELS,	/* the old contents */
	MEMORY_MARK_OTHER,
	MEMORY_MARK_SHOWS
};

struct memory_marks {
	struct memory_kept kept;	/* endpoints that were left out */
	uint32_t tested;	/* channels; others are marked only to recognise their marks */
	uint32_t places;	/* marks of each channel and endpoint; 0: not marked yet */
	/* Marks, by channel, reading endpoint, writing endpoint, and what was shown. */
	uint32_t shows[MEMORY_CHANNELS][MEMORY_PORTS][MEMORY_PORTS][MEMORY_MARK_SHOWS];
};

/* True if every endpoint of the channel showed only its own marks. */
bool memory_marks_kept(const struct memory_marks *m, unsigned channel);

/* Find the faults of the ways to a channel's memory; returns how many. */
size_t memory_marks_judge(const struct memory_marks *m, unsigned channel,
	struct memory_finding found[MEMORY_FINDINGS]);

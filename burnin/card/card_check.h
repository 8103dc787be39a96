/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_check.h - a card's memory compared with itself: the same addresses read
 * through several endpoints of a channel.  Nothing is written, so a program may
 * go on using the card.
 *
 * A disagreement is proof of a fault; agreement proves nothing.  What lies there
 * is unknown: where it repeats, a lane that is late looks right.
 */
#pragma once

#include "base/error.h"
#include "burnin/card/memory_fault.h"
#include "device/device.h"

#include <stdatomic.h>

#define CARD_CHECK_READS 4	/* endpoints 0, 1, 2, and 0 again */
#define CARD_CHECK_USUAL (1ULL << 20)

/* Of one channel. */
struct card_check_channel {
	bool tested;			/* all of what was asked for was read */
	uint64_t words;			/* compared */
	uint64_t blind;			/* of those, in data that repeats: they show nothing */
	uint64_t differ;		/* between the endpoints, or from one read to the next */
	bool confirmed;			/* that no program has written them meanwhile */
	unsigned tries;			/* blocks in which that was tried */
	uint64_t alone[MEMORY_PORTS];	/* of differ: this endpoint against the others */
	uint64_t lane[MEMORY_LANES];	/* bytes that differ */
	struct memory_shifts shifts;
	uint64_t first;			/* address of the first that differs */
};

struct card_check {
	_Atomic uint64_t moved;		/* bytes: a sign of life */
	struct card_check_channel channel[MEMORY_CHANNELS];
};

struct card_check_plan {
	uint32_t enabled, channels;	/* as in struct card_memory_plan */
	uint64_t size;			/* bytes of each channel; 0: all */
	uint64_t seed;			/* of the places */
};

enum card_check_verdict {
	CARD_CHECK_AGREES,
	CARD_CHECK_DISAGREES,
	CARD_CHECK_CHANGED,	/* a program that writes there would explain it */
	CARD_CHECK_UNTESTED
};

/* The handle is held for ACCESS_MEMORY.  0, or -errno with the place in e. */
int card_check_run(struct device *d, const struct card_check_plan *p, struct card_check *c,
	struct error *e);

enum card_check_verdict card_check_judge(const struct card_check_channel *c);

/* What it looks like: "shifted" with its bytes in late[], "random"; endpoint: -1, not one alone. */
enum memory_kind card_check_kind(const struct card_check_channel *c, unsigned late[2]);
int card_check_endpoint(const struct card_check_channel *c);

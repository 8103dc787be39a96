/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roster.h - the chips that should be present: each chip that was seen, its names, and whether it
 * is present now.  A missing chip has no snapshot, so only the roster remembers it.
 *
 * A chip that is never read (the second of an n300 without --remote) is not on the roster; one that
 * another program read and added to it is neither present nor expected here.
 */
#pragma once

#include "base/record_file.h"
#include "telemetry/snapshot.h"

#define ROSTER_DEAD 2	/* samples in a row that fail before a chip is down */

struct roster_chip {
	/* Its names, as they were last read; "" where unknown. */
	char bdf[16];			/* of a remote chip: of the chip it is reached through */
	int chip;			/* 0: the chip on PCIe, 1: the one behind it */
	char board[32], serial[20], asic[20];
	int tray, position;		/* in a galaxy, from 1; else 0 */

	int index;			/* in the fleet; -1: it is missing */
	unsigned misses;		/* samples in a row that failed, ROSTER_DEAD at most */
	uint64_t tick;			/* of the sample that was taken in last */
	bool was_read;			/* at least once since this program began */
	bool was_well;			/* when it was last read; not if that does not tell */
	bool is_reset;			/* set by the caller: this program is resetting it now */
	const char *reason;		/* why it is down, one of a fixed list; NULL: it is not */
};

struct roster {
	size_t n;
	struct roster_chip chips[DEVICE_MAX];	/* by BDF and chip */
	size_t present;			/* now, without the unread ones */
	size_t unread;			/* second chips that are there and never read here */
	size_t left;			/* were on the bus at the last scan, and are gone */
	size_t highest;			/* the most that were present at once, with unread ones */
	size_t asked;			/* how many there should be; 0: as many as `highest` */
	bool is_unknown;		/* set by the caller: what others kept cannot be read */
	bool has_trays;			/* bus numbers say which tray of a galaxy a chip is in */
};

size_t roster_expected(const struct roster *r);

/* How many of these are there now: a person who says how many also counts unread second chips. */
size_t roster_present(const struct roster *r, const struct fleet *f);

/* False: more chips may have been present at once than this program has seen. */
bool roster_knows_expected(const struct roster *r);

/*
 * Take in a tick.  Missing chips stay on the roster while fewer chips are present than expected,
 * and are dropped once others have taken their place.  True if the text of its file has changed.
 */
bool roster_take(struct roster *r, const struct fleet *f);

/* The file that keeps n, chips and highest of a struct roster. */
extern const struct record_file roster_file;

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watchdog.h - which of n parties has not moved, and for how long.
 *
 * A party is a thread or a process that counts as it works.  Only its counter is looked at, so
 * that a party that hangs needs no part in it.  A watch that was away itself has not seen anybody
 * stand still: a look counts for half a second at most.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct watchdog_party {
	uint64_t count;		/* when it was last seen to move, and when that was */
	int64_t moved;
	bool is_done;		/* has nothing left to do, and may stand still */
};

struct watchdog {
	size_t n;
	struct watchdog_party *parties;
	int64_t looked;		/* clock_steady() of the last look */
};

/* Each of them has moved just now; free them with watchdog_close(). */
void watchdog_open(struct watchdog *w, size_t n, int64_t now);
void watchdog_close(struct watchdog *w);

/* Begin a look at all of them; returns the ns since the one before it. */
int64_t watchdog_look(struct watchdog *w, int64_t now);

/* Party i has come so far. */
void watchdog_see(struct watchdog *w, size_t i, uint64_t count, bool is_done);

/* How long party i has stood still at the last look, in ns; one that is done does not. */
int64_t watchdog_stands(const struct watchdog *w, size_t i);

/*
 * The same of the one that has stood longest, which *who names; where all are done, of the one
 * that moved last.
 */
int64_t watchdog_longest(const struct watchdog *w, size_t *who);

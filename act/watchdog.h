/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watchdog.h - which of n parties has not moved, and for how long.
 *
 * A party is a thread or a process that counts as it works.  Only its counter is read, so a
 * party that hangs need not cooperate.  When the watch itself was delayed, it did not see the
 * parties stand still: each look counts for half a second at most.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct watchdog_party {
	uint64_t count;		/* at the last look */
	int64_t moved;		/* the caller's clock when count was last seen to change */
	bool is_done;		/* has nothing left to do, and may stand still */
};

struct watchdog {
	size_t n;
	struct watchdog_party *parties;
	int64_t looked;		/* the caller's clock at the last look */
};

/* Start with n parties that have all just moved; free them with watchdog_close(). */
void watchdog_open(struct watchdog *w, size_t n, int64_t now);
void watchdog_close(struct watchdog *w);

/* Begin a look at all parties; returns the ns since the previous look. */
int64_t watchdog_look(struct watchdog *w, int64_t now);

/* Report the counter of party i. */
void watchdog_see(struct watchdog *w, size_t i, uint64_t count, bool is_done);

/* How long party i had stood still at the last look, in ns; 0 if it is done. */
int64_t watchdog_stands(const struct watchdog *w, size_t i);

/*
 * The same for the party that has stood longest, with its index in *who.  If all are done, the
 * ns since the last of them moved.
 */
int64_t watchdog_longest(const struct watchdog *w, size_t *who);

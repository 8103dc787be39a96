/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verify.h - whether a card is back: what it says now beside what it said before.
 */
#pragma once

#include "telemetry/snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct verify {
	const struct snapshot *before;	/* of the caller; may be of a card that did not answer */
	int64_t since;			/* clock_mono(): a sample that began before proves nothing */
	bool require_links;		/* ethernet links that were up must be up again */
	bool is_still;			/* a simulator that has neither heartbeat nor link */
	bool was_heard;			/* the firmware answered messages after the reset */
	bool has_beat;
	int64_t beat;			/* the first heartbeat after the reset */
	uint8_t source;			/* enum reading_source of it */
	bool is_blind;			/* the sample says nothing of the card: we lack something */
	bool is_alive;			/* the heartbeat moved, and the card answers */
	size_t n_missing;		/* what is not as it was, or as it must be */
	char missing[256];		/* in words, with commas */
	char note[160];			/* what is different and does not count, or "" */
};

/*
 * Take in the latest sample, true when nothing is missing any more.  The same one again changes
 * nothing: a card that takes longer than a tick has the sample of an earlier one.
 */
bool verify_take(struct verify *v, const struct snapshot *now);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verify.h - whether a card is back: compare its samples now with those from before.
 */
#pragma once

#include "telemetry/snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct verify {
	const struct snapshot *before;	/* of the caller; may be of a card that did not answer */
	int64_t since;			/* clock_mono(): samples that began before do not count */
	bool require_links;		/* ethernet links that were up must be up again */
	bool is_still;			/* a simulator that has neither heartbeat nor link */
	bool was_heard;			/* the firmware answered messages after the reset */
	bool has_beat;
	int64_t beat;			/* the first heartbeat after the reset */
	uint8_t source;			/* its enum reading_source */
	int64_t heard;			/* clock_mono(): the sample of that heartbeat began */
	bool is_early;			/* too few samples since the reset to say that it is lost */
	bool is_blind;			/* the sample failed because we lack a resource */
	bool is_alive;			/* the heartbeat moved, and the card answers */
	enum code code;			/* of the first thing that is missing */
	char missing[256];		/* their names, with commas */
	char unproved[160];		/* of require_links: what no sample can show, or "" */
	char note[160];			/* differences that do not count, or "" */
};

/*
 * Judge the latest sample; true: nothing is missing any more.  The same sample may be judged again:
 * a card that takes longer than a tick still has the sample of an earlier one.
 */
bool verify_take(struct verify *v, const struct snapshot *now);

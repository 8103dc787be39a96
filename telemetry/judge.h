/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * judge.h - what readings mean together: which board this is, what is wrong, why it is slow.
 * The second half of decode_snapshot() and track_update().
 */
#pragma once

#include "telemetry/snapshot.h"

/* Board, series and coordinates from the readings and what discovery knows. */
void judge_identity(struct snapshot *s);

/* True when every word read is all ones: the chip does not answer. */
bool judge_all_ones(const struct raw *raw);

/*
 * True when all words of a table are the same, or all its tags: its entries point
 * nowhere, or all to one place, so none of its words can be believed.
 */
bool judge_tags_alike(const struct raw *raw);
bool judge_legacy_alike(const struct raw *raw);

/* Findings, health, reason and note. */
void judge_health(struct snapshot *s);

/*
 * Whether it is known which ethernet channels should be alive: if the chip has spare channels,
 * only its firmware can say that.
 */
bool judge_knows_ethernet(const struct snapshot *s);

/* Add a finding for the memory modules whose corrected errors grew; `grown` is by module. */
void judge_memory_growth(struct snapshot *s, const uint32_t grown[static 8]);

/* Add a finding and, to a chip that is fine so far, a warning; too many are dropped. */
void judge_add(struct snapshot *s, const char *id, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Why a chip is slow: what lowers its clock, slows its cores or downgrades its link, as firmware
 * and kernel report it.  Where they report nothing, nothing is guessed.
 */

#define SLOW_TEXT 256

enum slow {
	SLOW_NOT,		/* no sign that it is slow */
	SLOW_IDLE,		/* below its highest clock, since no program asks for more */
	SLOW_UNASKED,		/* the same, although its cores work */
	SLOW_UNSAID,		/* below its highest clock; the firmware does not say why */
	SLOW_HELD		/* something holds it down */
};

/* One line with all causes, "clock held at 810 MHz (thermal); PCIe link ..."; "" for SLOW_NOT. */
enum slow slow_why(const struct snapshot *s, char buf[static SLOW_TEXT]);

/* Whether this finding is one of the causes, so that it need not be shown beside that line. */
bool slow_tells(const char *finding);

/* For decode.c: clear the throttle reason if its upper bound does not hold the clock down. */
void slow_settle(struct snapshot *s);

/* Cause i: returns the id of its finding, the text in buf; NULL: it does not slow this chip. */
#define SLOW_CAUSES 3
const char *slow_cause(const struct snapshot *s, size_t i, char buf[static SLOW_TEXT]);

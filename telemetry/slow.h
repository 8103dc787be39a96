/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slow.h - why a chip is slow: what lowers its clock, slows its cores or downgrades its link, as
 * firmware and kernel report it.  Where they report nothing, nothing is guessed.
 */
#pragma once

#include "telemetry/snapshot.h"

#define SLOW_TEXT 256

enum slow {
	SLOW_NOT,		/* no sign that it is slow */
	SLOW_IDLE,		/* below its highest clock, since no program asks for more */
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slow.h - why a chip is slow: what holds its clock down, its cores back or its link small, from
 * what firmware and kernel say of it.  Nothing is guessed where they say nothing.
 */
#pragma once

#include "telemetry/snapshot.h"

#define SLOW_TEXT 256

enum slow {
	SLOW_NOT,		/* nothing says that it is */
	SLOW_IDLE,		/* below its highest clock, since nobody asks for more */
	SLOW_UNSAID,		/* the same, and its firmware does not say why */
	SLOW_HELD		/* something holds it down */
};

/* One line with all causes, "clock held at 810 MHz (thermal); PCIe link ..."; "" for SLOW_NOT. */
enum slow slow_why(const struct snapshot *s, char buf[static SLOW_TEXT]);

/* Whether this finding is one of its causes: whoever shows the line need not show that, too. */
bool slow_tells(const char *finding);

/* What is an upper bound of the clock, but does not hold it down, is no reason: of decode.c. */
void slow_settle(struct snapshot *s);

/* The cause number i, as the id of its finding with its text; NULL: it does not hold this chip. */
#define SLOW_CAUSES 3
const char *slow_cause(const struct snapshot *s, size_t i, char buf[static SLOW_TEXT]);

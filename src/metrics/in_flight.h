/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * in_flight.h - which cards another process of this program is resetting now.  The log of resets in
 * the state directory says so before the first step; no card, driver or process is asked.
 */
#pragma once

#include "device/bus.h"
#include "telemetry/roster.h"

#include <sys/types.h>

#define IN_FLIGHT_MAX 64

struct in_flight {
	char path[4096];		/* of the log; "": not known yet */
	off_t at;			/* where the part begins that was not read yet */
	ino_t inode;
	bool is_unknown;		/* the log cannot be found or read, as stderr says */
	size_t n;
	struct {
		char bdf[16];
		pid_t pid;
		uint64_t started;	/* when that process began: its pid may be used again */
		int64_t since;		/* clock_mono() */
	} resets[IN_FLIGHT_MAX];
};

/*
 * Read what was added to the log, and mark the chips of the roster that are being reset.  source:
 * of these cards, as in struct fleet.  bus: NULL for a file's cards.
 */
void in_flight_mark(struct in_flight *x, const struct bus *bus, const char *source,
	struct roster *r);

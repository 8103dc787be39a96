/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * in_flight.h - which cards another process of this program is resetting now: the log of resets in
 * the state directory says so before the first step.  Nothing is asked of cards, driver or process.
 */
#pragma once

#include "telemetry/roster.h"

#include <sys/types.h>

#define IN_FLIGHT_MAX 64

struct in_flight {
	char path[4096];		/* of the log; "": not known yet */
	off_t at;			/* what follows was not read yet; -1: nothing was */
	ino_t inode;
	size_t n;
	struct {
		char bdf[16];
		pid_t pid;
		uint64_t started;	/* that process, and no later one with its pid */
		int64_t since;		/* clock_mono() */
	} resets[IN_FLIGHT_MAX];
};

/*
 * Read what the log has more, and mark the chips of the roster.  source: of these cards, as in
 * struct fleet.
 */
void in_flight_mark(struct in_flight *x, const char *source, struct roster *r);

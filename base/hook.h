/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hook.h - a program that the user named, run once for each event.
 *
 * A separate process runs it, one run at a time, and queues the other runs, so the caller never
 * waits.  Runs that do not fit in the queue are dropped and counted.  The program gets no
 * arguments, no shell, no terminal and none of our descriptors; its standard descriptors lead to
 * /dev/null.  Processes that it left running are killed when it ends, and all of them are killed
 * when we end, however that happens.
 */
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

#define HOOK_FACTS 2048		/* bytes of variables for one run */
#define HOOK_WAITS 64		/* runs in the queue, besides the one in progress */

struct hook;

struct hook_config {
	const char *path;	/* absolute: PATH is not searched */
	const char *prefix;	/* of its variables; ours with this prefix are not passed on */
	int64_t limit;		/* ns for one run; a longer run is killed */
};

struct hook_counts {
	uint64_t asked;		/* runs asked for */
	uint64_t ran;		/* of these: started, or could not be started */
	uint64_t failed;	/* of these: did not end with exit code 0 */
	char trouble[96];	/* why the last one failed: "exit code 3" */
};

/* *h is the caller's to hook_close().  An error if the program cannot be run now. */
int hook_open(const struct hook_config *c, struct hook **h, struct error *e);

/*
 * Ask for a run with these variables, NAME=VALUE each ended by NUL, len bytes in all.  Never
 * waits.
 */
void hook_ask(struct hook *h, const char *facts, size_t len);

/* No more runs are asked for: it ends after the queued ones.  The descriptor is readable then. */
void hook_end(struct hook *h);
int hook_end_fd(const struct hook *h);

/* End it at once, killing what still runs; fills *counts and frees h (which may be NULL). */
void hook_close(struct hook *h, struct hook_counts *counts);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hook.h - a program that the user named, run once for each thing that happens.
 *
 * A process of its own runs it, one run at a time, and keeps those that wait: its
 * caller waits for nothing.  What does not fit there is dropped and counted.  The program has no
 * arguments, no shell and none of our descriptors; its own three lead to /dev/null, and it has
 * no terminal.  What it left running is ended with it, and so is all of it with us, however
 * we end.
 */
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

#define HOOK_FACTS 2048		/* bytes of the facts of one run */
#define HOOK_WAITS 64		/* runs that may wait, beside the one that goes on */

struct hook;

struct hook_config {
	const char *path;	/* absolute: PATH is not looked at */
	const char *prefix;	/* of its variables; others of this name are not passed on */
	int64_t limit;		/* ns for one run; what goes on for longer is ended */
};

struct hook_counts {
	uint64_t asked;		/* runs */
	uint64_t ran;		/* of these: begun, and those that could not be */
	uint64_t failed;	/* of these: not with exit code 0 */
	char trouble[96];	/* of the last that failed: "exit code 3" */
};

/* Whether it may be run at all: what is wrong with it is said before anything is done. */
int hook_check(const char *path, struct error *e);

/* *h is the caller's to hook_close(). */
int hook_open(const struct hook_config *c, struct hook **h, struct error *e);

/*
 * Ask for a run with these variables, NAME=VALUE each ended by NUL, len bytes in all.  Never
 * waits.
 */
void hook_ask(struct hook *h, const char *facts, size_t len);

/* Nothing more is asked for: it ends once all has run.  The descriptor is readable then. */
void hook_end(struct hook *h);
int hook_end_fd(const struct hook *h);

/* The same at once, whatever still runs; frees h (which may be NULL).  *counts: what came of it. */
void hook_close(struct hook *h, struct hook_counts *counts);

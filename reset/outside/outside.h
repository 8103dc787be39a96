/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outside.h - an act outside of the driver that resets cards, or that a reset
 * needs: a request to a management controller.
 *
 * It runs in a process of its own, with a deadline for the whole and one for
 * each step, so that a controller that never answers costs its caller only
 * that time.  Before a step that must not be interrupted, the process asks its
 * caller; between such steps it can be ended at any moment.
 */
#pragma once

#include "base/child.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LISTENERS_FOLDER "tmp/tt_umd_listeners"	/* below the root */

enum listeners_event {
	LISTENERS_BEFORE = 1,	/* a reset is about to begin: let go of the cards */
	LISTENERS_AFTER = 2
};

enum outside_kind {
	OUTSIDE_SAYS,		/* progress */
	OUTSIDE_RESTS,		/* the next step may be interrupted; text: the state if it is */
	OUTSIDE_BEGINS,		/* the next step may not be interrupted */
	OUTSIDE_ASKS,		/* the same, but it waits for permission first */
	OUTSIDE_OVER
};

/* A report of the process: progress in words, or how it ended. */
struct outside_report {
	enum outside_kind kind;
	bool has_fired;		/* from now on the cards may have been reset */
	int error;		/* -errno of why it failed */
	enum code code;		/* of it, or CODE_NONE */
	int64_t limit;		/* ns that the step may take; 0: until the end of all */
	char text[240];
};

/* The socket's end in the process that acts. */
struct outside_line {
	int fd;
	bool has_fired;
};

struct outside {
	const char *title;	/* "ipmitool" */
	int (*act)(void *arg, struct outside_line *line, struct error *e);	/* 0 or -errno */
	void *arg;
	int64_t limit;		/* ns for all of it */
	int64_t wait;		/* ns for the cards to come back on the bus, once it is done */
};

struct outside_run {
	struct child child;
	int64_t end, due, limit, step_limit;	/* clock_mono() of the deadlines; their spans, ns */
	bool has_fired, is_over, is_resting, is_stopped;
	char rest[240];		/* the state if interrupted now, or the step that must not be */
};

/* 0 or -errno: it could not be started. */
int outside_start(struct outside_run *o, const struct outside *what, struct error *e);

/*
 * True: *report is the next one to show, or the last (OUTSIDE_OVER).  A deadline, the death
 * of the process or a stop (-ECANCELED) ends it as well.
 */
bool outside_take(struct outside_run *o, struct outside_report *report);

/* Permit no further step that must not be interrupted; outside_take() reports the end. */
void outside_stop(struct outside_run *o);

/* End it at once, in the middle of whatever it does; *report says so. */
void outside_leave(struct outside_run *o, struct outside_report *report);

/* clock_mono() at which to call outside_take() even if poll() has seen nothing. */
int64_t outside_wake(const struct outside_run *o);

/* Its process is gone when this returns. */
void outside_end(struct outside_run *o);

/*
 * These four are called in the process that acts.  Report progress.
 */
void outside_tell(struct outside_line *line, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The next step takes `limit` at most and may be interrupted; fmt: the state if it is. */
void outside_rest(struct outside_line *line, int64_t limit, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The next step takes `limit` at most, may reset cards, must not be interrupted; fmt names it. */
void outside_begin(struct outside_line *line, int64_t limit, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same, but ask first whether it may begin; false: it was stopped before. */
bool outside_ask(struct outside_line *line, int64_t limit, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Notify all listeners in a folder; returns how many took the message.  Listeners
 * that are gone, or do not take it at once, are skipped.
 */
size_t listeners_tell(const char *folder, enum listeners_event event);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outside.h - an act of something other than the driver that resets cards, or
 * that a reset needs: a management controller is told to do it.
 *
 * It runs in a process of its own, with a deadline for all of it and one for
 * each step, so that a controller that never answers costs its caller nothing
 * but that time.  Before a step that cannot be left half way that process asks
 * its caller; whatever comes between such steps can be left at any moment.
 */
#pragma once

#include "base/child.h"

#include <stdbool.h>
#include <stdint.h>

enum outside_kind {
	OUTSIDE_SAYS,		/* how far it is */
	OUTSIDE_RESTS,		/* what comes next may be left; the text is how things are then */
	OUTSIDE_BEGINS,		/* what comes next may not be left */
	OUTSIDE_ASKS,		/* the same, once it is told to go on */
	OUTSIDE_OVER
};

/* What its process reports: progress in words, and how it ended. */
struct outside_report {
	enum outside_kind kind;
	bool has_fired;		/* from now on the cards may have been reset */
	int error;		/* -errno of why it failed */
	int64_t limit;		/* ns until the step has to be over; 0: the end of all */
	char text[240];
};

/* The end of the process that acts. */
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
	int64_t end, due, limit, step_limit;	/* clock_mono(), and how long that was, ns */
	bool has_fired, is_over, is_resting, is_stopped;
	char rest[240];		/* how things are if it is left now, or what cannot be left */
};

/* 0 or -errno: it could not be started. */
int outside_start(struct outside_run *o, const struct outside *what, struct error *e);

/*
 * True: *report is the next one to be shown, or the last (OUTSIDE_OVER).  Deadlines, the death
 * of the process and a stop (-ECANCELED) end it, too.
 */
bool outside_take(struct outside_run *o, struct outside_report *report);

/* Begin nothing more that is dangerous; outside_take() says when it is over. */
void outside_stop(struct outside_run *o);

/* End it in the middle of whatever it does; *report says so. */
void outside_leave(struct outside_run *o, struct outside_report *report);

/* clock_mono() when outside_take() has something to say without poll() having seen anything. */
int64_t outside_wake(const struct outside_run *o);

/* Its process is gone when this returns. */
void outside_end(struct outside_run *o);

/*
 * In the process that acts.  Say how far it is.
 */
void outside_tell(struct outside_line *line, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* What comes next takes `limit` at most and may be left; fmt: how things are then. */
void outside_rest(struct outside_line *line, int64_t limit, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* What comes next takes `limit` at most, may reset cards, and may not be left; fmt says what. */
void outside_begin(struct outside_line *line, int64_t limit, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same, if it may begin; false: it was stopped before. */
bool outside_ask(struct outside_line *line, int64_t limit, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

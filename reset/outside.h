/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outside.h - an act of something other than the driver that resets cards, or
 * that a reset needs: a management controller is told to do it.
 *
 * It runs in a process of its own with a deadline for all of it, so that a
 * controller that never answers costs its caller nothing but that time.
 */
#pragma once

#include "base/child.h"

#include <stdbool.h>
#include <stdint.h>

/* What its process tells: progress in words, and how it ended. */
struct outside_report {
	bool is_over;
	bool has_fired;		/* from now on the cards may have been reset */
	int error;		/* -errno of why it failed */
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
	int64_t end, limit;	/* clock_mono(), ns */
	bool has_fired, is_over;
};

/* 0 or -errno: it could not be started. */
int outside_start(struct outside_run *o, const struct outside *what, struct error *e);

/* True: *report is the next one.  The deadline and the death of the process are reports, too. */
bool outside_take(struct outside_run *o, struct outside_report *report);

/* Its process is gone when this returns. */
void outside_end(struct outside_run *o);

/* In the process that acts: say how far it is; fires: what comes next may reset cards. */
void outside_tell(struct outside_line *line, bool fires, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

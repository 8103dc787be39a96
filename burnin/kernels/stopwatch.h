/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stopwatch.h - how long a thread worked, without its pauses and without the time
 * in which its process was stopped (SIGSTOP).  Time without a processor is working time:
 * only a SIGCONT tells that it was a stop.  Each interval begins at the mark before
 * it, so that no stop is missed.
 */
#pragma once

#include <stdint.h>

struct stopwatch {
	int64_t from, cpu;		/* the beginning: clock_steady(), and processor time */
	int64_t mark;
	int64_t rested;			/* ns that do not count as work */
	int64_t longest;		/* ns between two marks, since the last SIGCONT */
	unsigned continued;		/* SIGCONTs seen */
};

/* For a whole process, before its threads begin: handle SIGCONT. */
void stopwatch_hear_stops(void);

void stopwatch_start(struct stopwatch *t);

/* pause: ns since the last mark in which the worker rested. */
void stopwatch_mark(struct stopwatch *t, int64_t pause);

/* ns of work from the start to the last mark; ns of processor time until now. */
int64_t stopwatch_ns(const struct stopwatch *t);
int64_t stopwatch_cpu(const struct stopwatch *t);

/* Mark, and return the ns of work without a processor. */
int64_t stopwatch_waited(struct stopwatch *t);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stopwatch.h - how long a thread worked: without its rests, and without seconds
 * in which it stood still because its process was stopped (SIGSTOP).  Marks
 * leave no hole between them, so that no stop falls through.
 */
#pragma once

#include <stdint.h>

struct stopwatch {
	int64_t from, cpu;		/* the beginning: clock_steady(), and processor time */
	int64_t mark;
	int64_t rested;			/* ns that are none of work */
};

void stopwatch_start(struct stopwatch *t);

/* pause: ns since the last mark that the worker rested. */
void stopwatch_mark(struct stopwatch *t, int64_t pause);

/* ns of work from the start to the last mark, and of the processor until now. */
int64_t stopwatch_ns(const struct stopwatch *t);
int64_t stopwatch_cpu(const struct stopwatch *t);

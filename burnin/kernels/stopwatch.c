/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/kernels/stopwatch.h"

#include "base/clock.h"

#include <time.h>

static int64_t cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * CLOCK_SECOND + t.tv_nsec;
}

void stopwatch_start(struct stopwatch *t)
{
	const int64_t now = clock_steady();

	*t = (struct stopwatch){ .from = now, .mark = now, .cpu = cpu_time() };
}

int64_t stopwatch_cpu(const struct stopwatch *t)
{
	return cpu_time() - t->cpu;
}

/*
 * A thread is not off the processor for a second unless it is stopped, but slow work may last
 * that long.  So it counts as stopped only if it was idle for more than half of its time.
 */
static int64_t stood_still(const struct stopwatch *t, int64_t now)
{
	const int64_t took = now - t->from - t->rested, idle = took - stopwatch_cpu(t);

	return idle > took / 2 ? idle : 0;
}

void stopwatch_mark(struct stopwatch *t, int64_t pause)
{
	const int64_t now = clock_steady();

	t->rested += pause;
	if (now - t->mark - pause >= CLOCK_SECOND)
		t->rested += stood_still(t, now);
	t->mark = now;
}

int64_t stopwatch_ns(const struct stopwatch *t)
{
	return t->mark - t->from - t->rested;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/kernels/stopwatch.h"

#include "base/clock.h"

#include <signal.h>
#include <stdatomic.h>
#include <time.h>

static _Atomic unsigned continued;	/* SIGCONTs of this process */

static void note_continued(int number)
{
	(void)number;
	atomic_fetch_add(&continued, 1);
}

void stopwatch_hear_stops(void)
{
	const struct sigaction how = { .sa_handler = note_continued, .sa_flags = SA_RESTART };

	sigaction(SIGCONT, &how, NULL);
}

static int64_t cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * CLOCK_SECOND + t.tv_nsec;
}

void stopwatch_start(struct stopwatch *t)
{
	const int64_t now = clock_steady();

	*t = (struct stopwatch){ .from = now, .mark = now, .cpu = cpu_time(),
		.continued = atomic_load(&continued) };
}

int64_t stopwatch_cpu(const struct stopwatch *t)
{
	return cpu_time() - t->cpu;
}

/*
 * The longest interval had the stop in it, as far as the thread was idle then.  It need not be
 * the last: the signal is handled by one thread, perhaps a moment after another goes on.
 */
static int64_t stood_still(const struct stopwatch *t, int64_t now)
{
	const int64_t idle = now - t->from - t->rested - stopwatch_cpu(t);

	return idle < 0 ? 0 : idle < t->longest ? idle : t->longest;
}

void stopwatch_mark(struct stopwatch *t, int64_t pause)
{
	const int64_t now = clock_steady(), took = now - t->mark - pause;
	const unsigned times = atomic_load(&continued);

	t->rested += pause;
	t->longest = took > t->longest ? took : t->longest;
	if (times != t->continued) {
		t->rested += stood_still(t, now);
		t->longest = 0;
		t->continued = times;
	}
	t->mark = now;
}

int64_t stopwatch_ns(const struct stopwatch *t)
{
	return t->mark - t->from - t->rested;
}

int64_t stopwatch_waited(struct stopwatch *t)
{
	int64_t waited;

	stopwatch_mark(t, 0);
	waited = stopwatch_ns(t) - stopwatch_cpu(t);
	return waited > 0 ? waited : 0;
}

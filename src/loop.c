/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loop.c - ticks at absolute times.
 *
 * The timer only wakes us; the clock says how many deadlines have passed.  The
 * last of them is met, however late; those before it are lost.
 */
#include "config.h"
#include "src/loop.h"
#include "base/clock.h"

#include <sys/timerfd.h>
#include <unistd.h>

#define RESCAN_LOST    (2 * CLOCK_SECOND)	/* while a card is lost */
#define RESCAN_ALWAYS  (5 * CLOCK_SECOND)	/* for new ones */
#define RESCAN_SLOWEST (50 * CLOCK_MS)		/* a rescan takes ms: none below this interval */

int loop_open(struct loop *l, struct error *e)
{
	const struct itimerspec t = {
		.it_value = { .tv_sec = l->start / CLOCK_SECOND,
			.tv_nsec = l->start % CLOCK_SECOND },
		.it_interval = { .tv_sec = l->interval / CLOCK_SECOND,
			.tv_nsec = l->interval % CLOCK_SECOND },
	};

	l->timer = -1;
	l->seen = sampler_fleet(l->sampler)->tick - (sampler_is_busy(l->sampler) ? 1 : 0);
	l->next_rescan = clock_mono() + RESCAN_LOST;
	if (clock_is_virtual())
		return 0;
	l->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (l->timer < 0 || timerfd_settime(l->timer, TFD_TIMER_ABSTIME, &t, NULL) < 0)
		return fail_errno(e, "cannot make a timer");
	return 0;
}

void loop_close(struct loop *l)
{
	if (l->timer >= 0)
		close(l->timer);
	l->timer = -1;
}

/* How many deadlines have passed. */
static uint64_t deadlines(const struct loop *l, int64_t now)
{
	int64_t last = now < l->end ? now : l->end - 1;

	return last < l->start ? 0 : (uint64_t)((last - l->start) / l->interval) + 1;
}

uint64_t loop_missed(const struct loop *l)
{
	return deadlines(l, clock_mono()) - l->met;
}

/* Meet the last deadline that has passed, if no tick is under way: better late than never. */
static void meet_deadline(struct loop *l)
{
	uint64_t due = deadlines(l, clock_mono());

	if (l->stop || l->quit || due <= l->met || sampler_begin(l->sampler) < 0)
		return;
	l->lost = due - l->met - 1;
	l->late = sampler_fleet(l->sampler)->time - l->start - (int64_t)(due - 1) * l->interval;
	l->met = due;
}

static bool any_lost(const struct fleet *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->wanted[i] && snapshot_is_lost(&f->chips[i]))
			return true;
	return false;
}

/* Look for cards that came back or are new; never while a tick is under way. */
static void rescan(struct loop *l)
{
	int64_t now = clock_mono();
	bool lost = any_lost(sampler_fleet(l->sampler));
	struct error e = { 0 };
	int r;

	if (now < l->next_rescan - (lost ? RESCAN_ALWAYS - RESCAN_LOST : 0) ||
		(!lost && l->interval < RESCAN_SLOWEST))
		return;
	l->next_rescan = now + RESCAN_ALWAYS;
	r = sampler_rescan(l->sampler, &e);
	if (l->ops->rescanned)
		l->ops->rescanned(l->arg, r, &e);
}

static void end_tick(struct loop *l)
{
	if (l->seen == sampler_fleet(l->sampler)->tick)
		return;
	l->seen = sampler_fleet(l->sampler)->tick;
	if (l->ops->tick)
		l->ops->tick(l->arg);
	rescan(l);
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* How long to wait if no descriptor becomes ready, in ns; -1: for ever. */
static int64_t longest_wait(const struct loop *l)
{
	const int64_t due = sampler_due(l->sampler), now = clock_mono();
	const int ms = l->ops->wait_ms ? l->ops->wait_ms(l->arg) : -1;
	int64_t left = INT64_MAX;

	if (due != INT64_MAX)
		left = due - clock_steady();
	if (ms >= 0)
		left = earlier(left, ms * CLOCK_MS);
	if (l->end != INT64_MAX && now < l->end)
		left = earlier(left, l->end - now);
	return left == INT64_MAX ? -1 : left < 0 ? 0 : left;
}

static void wait_for_news(struct loop *l)
{
	struct pollfd fds[2 + LOOP_FDS + TURN_FDS] = {
		{ .fd = l->timer, .events = POLLIN },
		{ .fd = sampler_fd(l->sampler), .events = POLLIN },
	};
	size_t n = l->ops->prepare ? l->ops->prepare(l->arg, fds + 2) : 0;
	uint64_t expired;

	turn_wait_ns(l->requests, l->out, fds, 2 + n, longest_wait(l));
	if (fds[0].revents && read(l->timer, &expired, sizeof(expired)) > 0)
		meet_deadline(l);
	if (l->ops->wake)
		l->ops->wake(l->arg, fds + 2);
}

/*
 * Tests run a day in seconds: no deadline is missed, and a tick waits for each chip; else hours
 * would pass in the milliseconds that a busy host keeps a reader from its processor.
 */
static void run_ahead(struct loop *l)
{
	for (; !l->stop && !l->quit; l->met++) {
		int64_t deadline = l->start + (int64_t)l->met * l->interval;

		if (l->requests)
			stop_check(l->requests);
		if (l->ops->wake)
			l->ops->wake(l->arg, NULL);
		if (l->stop || l->quit)
			return;
		if (deadline >= l->end) {
			clock_sleep_until(l->end);
			return;
		}
		clock_sleep_until(deadline);
		sampler_await_all(l->sampler);
		if (sampler_tick(l->sampler, NULL) == 0)
			end_tick(l);
	}
}

void loop_run(struct loop *l)
{
	if (clock_is_virtual() && !l->watched) {
		run_ahead(l);
		return;
	}
	while (!l->quit) {
		if (!sampler_is_busy(l->sampler) && (l->stop || clock_mono() >= l->end))
			return;
		wait_for_news(l);
		if (sampler_collect(l->sampler) == 0)
			continue;
		end_tick(l);
		meet_deadline(l);	/* one that passed meanwhile */
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loop.c - ticks at absolute times.
 *
 * A wait may end at any time; the clock says how many deadlines have passed.  The
 * last of them is met, however late; those before it are lost.
 */
#include "config.h"
#include "src/loop.h"
#include "base/clock.h"

#define RESCAN_LOST    (2 * CLOCK_SECOND)	/* while a card is lost */
#define RESCAN_ALWAYS  (5 * CLOCK_SECOND)	/* for new ones */
#define RESCAN_SLOWEST (50 * CLOCK_MS)		/* a rescan takes ms: none below this interval */

static void begin(struct loop *l)
{
	l->seen = sampler_fleet(l->sampler)->tick - (sampler_is_busy(l->sampler) ? 1 : 0);
	l->next_rescan = clock_mono() + RESCAN_LOST;
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

/* The next deadline of a tick; one that passed while a tick is under way is met after it. */
static int64_t next_deadline(const struct loop *l)
{
	const uint64_t due = deadlines(l, clock_mono());
	const int64_t next = l->start + (int64_t)due * l->interval;

	if (l->stop || (due > l->met ? sampler_is_busy(l->sampler) : next >= l->end))
		return INT64_MAX;
	return due > l->met ? clock_mono() : next;
}

/* How long to wait if no descriptor becomes ready, in ns; -1: for ever. */
static int64_t longest_wait(const struct loop *l)
{
	const int64_t due = sampler_due(l->sampler), now = clock_mono();
	const int ms = l->ops->wait_ms ? l->ops->wait_ms(l->arg) : -1;
	const int64_t deadline = next_deadline(l);
	int64_t left = INT64_MAX;

	if (due != INT64_MAX)
		left = due - now;
	if (deadline != INT64_MAX)
		left = earlier(left, deadline - now);
	if (ms >= 0)
		left = earlier(left, ms * CLOCK_MS);
	if (l->end != INT64_MAX && now < l->end)
		left = earlier(left, l->end - now);
	return left == INT64_MAX ? -1 : left < 0 ? 0 : left;
}

static void wait_for_news(struct loop *l)
{
	struct pollfd fds[1 + LOOP_FDS + TURN_FDS] = {
		{ .fd = sampler_fd(l->sampler), .events = POLLIN },
	};
	size_t n = l->ops->prepare ? l->ops->prepare(l->arg, fds + 1) : 0;

	turn_wait_ns(l->requests, l->out, fds, 1 + n, longest_wait(l));
	meet_deadline(l);
	if (l->ops->wake)
		l->ops->wake(l->arg, fds + 1);
}

void loop_run(struct loop *l)
{
	begin(l);
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

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
#include "output/dump.h"
#include "output/snapshot_json.h"
#include "src/outlet.h"
#include "src/stop.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#define LAST_WORDS    (2 * CLOCK_SECOND)
#define HURRIED_WORDS (200 * CLOCK_MS)	/* the same after SIGTERM or SIGHUP */
#define END_MS	      100

static bool turn(struct stop *stop, struct outlet *out, struct pollfd *fds, size_t n, int64_t ns,
	bool is_steady)
{
	/* A reader that is late is real, even if the cards are not. */
	const bool is_real = (out && !outlet_push(out)) || is_steady;
	const int64_t now = is_real ? clock_steady() : clock_mono();
	const int64_t until = ns < 0 || ns > INT64_MAX - now ? INT64_MAX : now + ns;

	fds[n] = out ? outlet_poll(out) : (struct pollfd){ .fd = -1 };
	if (stop)
		stop_poll(stop, fds + n + 1);
	n += stop ? 1 + STOP_FDS : 1;
	if (is_real)
		clock_wait_steady(fds, n, until);
	else
		clock_wait(fds, n, until);
	return stop && stop_check(stop);
}

bool turn_wait_steady(struct stop *stop, struct outlet *out, struct pollfd *fds, size_t n, int ms)
{
	return turn(stop, out, fds, n, ms < 0 ? -1 : ms * CLOCK_MS, true);
}

bool turn_wait(struct stop *stop, struct outlet *out, struct pollfd *fds, size_t n, int ms)
{
	return turn(stop, out, fds, n, ms < 0 ? -1 : ms * CLOCK_MS, false);
}

bool turn_rest(struct stop *stop, int ms)
{
	struct pollfd fds[TURN_FDS];

	return turn_wait(stop, NULL, fds, 0, ms);
}

/* After a stop: ns that the reader of output has for the rest of what it has begun to take. */
static int64_t turn_last_words(const struct stop *stop)
{
	return stop->hurried ? HURRIED_WORDS : LAST_WORDS;
}

void turn_end(struct stop *stop, struct outlet *out)
{
	const bool is_bounded = stop->hurried || isatty(STDOUT_FILENO);
	const int64_t until = is_bounded ? clock_steady() + turn_last_words(stop) : INT64_MAX;
	const unsigned times = stop->times;
	const bool was_asked = stop->asked;
	struct pollfd fds[TURN_FDS];

	/* The stop that led here does not cut its own verdict off: only a further one does. */
	while (!outlet_push(out) && !out->is_broken && clock_steady() < until) {
		turn_wait(stop, out, fds, 0, END_MS);
		if (stop->times != times || stop->asked != was_asked)
			break;
	}
	if (!out->is_broken)
		out->text.len = out->sent = 0;
	outlet_close(out);
}

#define RESCAN_LOST    (2 * CLOCK_SECOND)	/* while a card is lost */
#define RESCAN_ALWAYS  (5 * CLOCK_SECOND)	/* for new ones */
#define RESCAN_SLOWEST (50 * CLOCK_MS)		/* a rescan takes ms: none below this interval */

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

/* The next deadline of a tick; one that passed while a tick is under way is met after it. */
static int64_t next_deadline(const struct loop *l)
{
	const uint64_t due = deadlines(l, clock_mono());
	const int64_t next = l->start + (int64_t)due * l->interval;

	if (l->stop || (due > l->met ? sampler_is_busy(l->sampler) : next >= l->end))
		return INT64_MAX;
	return due > l->met ? clock_mono() : next;
}

static void end_tick(struct loop *l)
{
	if (l->seen == sampler_fleet(l->sampler)->tick)
		return;
	l->seen = sampler_fleet(l->sampler)->tick;
	/* No later tick tells whether a heartbeat moves. */
	if (!l->stop && next_deadline(l) == INT64_MAX)
		sampler_judge_beats(l->sampler);
	if (l->ops->tick)
		l->ops->tick(l->arg);
	rescan(l);
}

/* How long to wait if no descriptor becomes ready, in ns; -1: for ever. */
static int64_t longest_wait(const struct loop *l)
{
	const int64_t due = sampler_due(l->sampler), now = clock_mono();
	const int ms = l->ops->wait_ms ? l->ops->wait_ms(l->arg) : -1;
	int64_t at = clock_earlier(due, next_deadline(l));

	if (ms >= 0)
		at = clock_earlier(at, now + ms * CLOCK_MS);
	if (now < l->end)
		at = clock_earlier(at, l->end);
	return at == INT64_MAX ? -1 : at < now ? 0 : at - now;
}

static void wait_for_news(struct loop *l)
{
	struct pollfd fds[1 + LOOP_FDS + TURN_FDS] = {
		{ .fd = sampler_fd(l->sampler), .events = POLLIN },
	};
	size_t n = l->ops->prepare ? l->ops->prepare(l->arg, fds + 1) : 0;

	/* In ns, since a ms would miss deadlines. */
	turn(l->requests, l->out, fds, 1 + n, longest_wait(l), false);
	meet_deadline(l);
	if (l->ops->wake)
		l->ops->wake(l->arg, fds + 1);
}

void loop_run(struct loop *l)
{
	l->seen = sampler_fleet(l->sampler)->tick - (sampler_is_busy(l->sampler) ? 1 : 0);
	l->next_rescan = clock_mono() + RESCAN_LOST;
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

#define TURN_MS 100

/* As many whole lines as a pipe takes at once, so that none of them is cut in two. */
static size_t next_piece(const char *at, size_t left)
{
	const size_t most = left < PIPE_BUF ? left : PIPE_BUF;
	const char *end = memrchr(at, '\n', most);

	return end ? (size_t)(end - at) + 1 : most;
}

/* After a stop, unread rows are dropped; but for a line that was begun its reader has some time. */
static int write_lines(struct stream *s, struct stop *stop)
{
	const char *at = s->lines.text;
	size_t left = s->lines.len;
	int64_t until = 0;
	unsigned times = 0;

	while (left > 0) {
		struct pollfd fds[1 + TURN_FDS] = { { .fd = STDOUT_FILENO, .events = POLLOUT } };
		const bool begun = at > s->lines.text && at[-1] != '\n';
		/* The signal wakes us only once. */
		const bool stops = turn_wait_steady(stop, NULL, fds, 1,
			!stop->asked ? -1 : begun ? TURN_MS : 0);
		ssize_t n;

		if (stops && !until) {
			until = clock_steady() + turn_last_words(stop);
			times = stop->times;
		}
		if (!fds[0].revents && stops && !begun)
			return 0;
		if (!fds[0].revents && stops && (stop->times != times || clock_steady() >= until))
			return -EAGAIN;
		if (!fds[0].revents)
			continue;
		n = write(STDOUT_FILENO, at, next_piece(at, left));
		if (n < 0 && errno == EPIPE)
			s->closed = true;
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return s->closed ? 0 : -errno;
		if (n > 0) {
			at += n;
			left -= (size_t)n;
		}
	}
	return 0;
}

int stream_row(struct stream *s, const struct fleet *f, const struct dump_tick *tick,
	struct stop *stop)
{
	struct tick t;

	tick_judge(&s->clock, f, s->start, s->interval, tick->late, tick->lost, &t);
	t.alerts = s->alerts;
	s->lines.len = 0;
	s->counts.ticks++;
	s->counts.late += t.is_late;
	s->counts.lost += t.lost;
	s->counts.unread = 0;
	for (size_t i = 0; i < f->n; i++) {
		const struct snapshot *chip = &f->chips[i];

		if (!f->wanted[i])
			continue;
		if (chip->health == SNAPSHOT_NOT_READ) {
			s->counts.unread += snapshot_miss(chip) != NULL;
			continue;
		}
		ndjson_put(&s->lines, chip, &t, &s->choice);
		s->counts.rows++;
		s->counts.failed += snapshot_trouble(chip) != NULL;
	}
	s->counts.bytes += s->lines.len;
	return write_lines(s, stop);
}

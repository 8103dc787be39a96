/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/stream.h"
#include "base/clock.h"
#include "src/turn.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

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
	struct sink_card cards[DEVICE_MAX] = { 0 };
	struct tick t;
	size_t n = 0;

	tick_judge(&s->clock, f, s->start, s->interval, tick->late, tick->lost, &t);
	t.alerts = s->alerts;
	s->lines.len = 0;
	s->counts.ticks++;
	s->counts.late += t.is_late;
	s->counts.lost += t.lost;
	s->counts.unread = 0;
	for (size_t i = 0; i < f->n && n < DEVICE_MAX; i++) {
		const struct snapshot *chip = &f->chips[i];

		if (!f->wanted[i])
			continue;
		if (chip->health == SNAPSHOT_NOT_READ) {
			s->counts.unread += snapshot_miss(chip) != NULL;
			continue;
		}
		cards[n++].s = chip;
		s->counts.failed += snapshot_trouble(chip) != NULL;
	}
	s->sink->tick(&s->lines, &t, cards, n, &s->choice);
	s->counts.rows += n;
	s->counts.bytes += s->lines.len;
	return write_lines(s, stop);
}

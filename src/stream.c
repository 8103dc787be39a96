/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/stream.h"
#include "src/turn.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

static int write_lines(struct stream *s, struct stop *stop, struct error *e)
{
	const char *at = s->lines.text;
	size_t left = s->lines.len;

	while (left > 0) {
		struct pollfd fds[1 + TURN_FDS] = { { .fd = STDOUT_FILENO, .events = POLLOUT } };
		/* After a stop, unread rows are dropped: the signal wakes us only once. */
		const bool stops = turn_wait(stop, NULL, fds, 1, stop->asked ? 0 : -1);
		ssize_t n;

		if (!fds[0].revents && stops)
			return 0;
		if (!fds[0].revents)
			continue;
		n = write(STDOUT_FILENO, at, left < PIPE_BUF ? left : PIPE_BUF);
		if (n < 0 && errno == EPIPE)
			s->closed = true;
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return s->closed ? 0 : fail_errno(e, "stdout: cannot write");
		if (n > 0) {
			at += n;
			left -= (size_t)n;
		}
	}
	return 0;
}

int stream_row(struct stream *s, const struct fleet *f, const struct dump_tick *tick,
	struct stop *stop, struct error *e)
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
	for (size_t i = 0; i < f->n && n < DEVICE_MAX; i++) {
		const struct snapshot *chip = &f->chips[i];

		if (!f->wanted[i] || chip->health == SNAPSHOT_NOT_READ)
			continue;
		cards[n++].s = chip;
		s->counts.failed += snapshot_trouble(chip) != NULL;
	}
	s->sink->tick(&s->lines, &t, cards, n, &s->choice);
	s->counts.rows += n;
	s->counts.bytes += s->lines.len;
	return write_lines(s, stop, e);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/turn.h"

#include "base/clock.h"

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

bool turn_wait_ns(struct stop *stop, struct outlet *out, struct pollfd *fds, size_t n, int64_t ns)
{
	return turn(stop, out, fds, n, ns, false);
}

bool turn_wait_steady(struct stop *stop, struct outlet *out, struct pollfd *fds, size_t n, int ms)
{
	return turn(stop, out, fds, n, ms < 0 ? -1 : ms * CLOCK_MS, true);
}

bool turn_wait(struct stop *stop, struct outlet *out, struct pollfd *fds, size_t n, int ms)
{
	return turn_wait_ns(stop, out, fds, n, ms < 0 ? -1 : ms * CLOCK_MS);
}

bool turn_rest(struct stop *stop, int ms)
{
	struct pollfd fds[TURN_FDS];

	return turn_wait(stop, NULL, fds, 0, ms);
}

int64_t turn_last_words(const struct stop *stop)
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

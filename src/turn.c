/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/turn.h"

bool turn_wait(struct stop *stop, struct outlet *out, struct pollfd *fds, size_t n, int ms)
{
	if (out)
		outlet_push(out);
	fds[n] = out ? outlet_poll(out) : (struct pollfd){ .fd = -1 };
	stop_poll(stop, fds + n + 1);
	if (poll(fds, n + TURN_FDS, ms) < 0)
		for (size_t i = 0; i < n; i++)
			fds[i].revents = 0;
	return stop_check(stop);
}

bool turn_rest(struct stop *stop, int ms)
{
	struct pollfd fds[TURN_FDS];

	return turn_wait(stop, NULL, fds, 0, ms);
}

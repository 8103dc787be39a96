/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "act/watchdog.h"

#include "base/clock.h"
#include "base/mem.h"

#include <stdlib.h>

#define LOOK_MOST (CLOCK_SECOND / 2)	/* the most that a look counts for */

void watchdog_open(struct watchdog *w, size_t n, int64_t now)
{
	*w = (struct watchdog){ .n = n, .looked = now,
		.parties = mem_calloc(n ? n : 1, sizeof(*w->parties)) };
	for (size_t i = 0; i < n; i++)
		w->parties[i].moved = now;
}

void watchdog_close(struct watchdog *w)
{
	free(w->parties);
	*w = (struct watchdog){ 0 };
}

int64_t watchdog_look(struct watchdog *w, int64_t now)
{
	const int64_t since = now - w->looked;

	w->looked = now;
	for (size_t i = 0; since > LOOK_MOST && i < w->n; i++)
		w->parties[i].moved += since - LOOK_MOST;
	return since;
}

void watchdog_see(struct watchdog *w, size_t i, uint64_t count, bool is_done)
{
	struct watchdog_party *p = &w->parties[i];

	if (count != p->count)
		p->moved = w->looked;
	p->count = count;
	p->is_done = is_done;
}

int64_t watchdog_stands(const struct watchdog *w, size_t i)
{
	return w->parties[i].is_done ? 0 : w->looked - w->parties[i].moved;
}

int64_t watchdog_longest(const struct watchdog *w, size_t *who)
{
	int64_t oldest = INT64_MAX, newest = 0;

	*who = 0;
	for (size_t i = 0; i < w->n; i++) {
		const struct watchdog_party *p = &w->parties[i];

		newest = p->moved > newest ? p->moved : newest;
		if (p->is_done || p->moved >= oldest)
			continue;
		oldest = p->moved;
		*who = i;
	}
	return w->looked - (oldest < INT64_MAX ? oldest : newest);
}

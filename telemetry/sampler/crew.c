/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "telemetry/sampler/crew.h"
#include "base/clock.h"

/* The spare steps up, or a new one is forked. */
static void step_up(struct crew *c)
{
	child_end(&c->now.child, 0);
	if (c->spare.child.pid) {
		c->now = c->spare;
		c->spare.child.pid = 0;
	} else {
		worker_start(&c->now, c->bus, c->shared);
	}
}

int crew_start(struct crew *c)
{
	int r;

	child_end(&c->now.child, 0);
	child_end(&c->spare.child, 0);
	r = worker_start(&c->now, c->bus, c->shared);
	return r == 0 && c->with_spare ? worker_start(&c->spare, c->bus, c->shared) : r;
}

void crew_go(struct crew *c)
{
	for (int tries = 0; tries < 3; tries++) {
		if (worker_go(&c->now) == 0)
			return;
		step_up(c);
	}
	child_end(&c->now.child, 0);
}

bool crew_alive(const struct crew *c)
{
	return c->now.child.pid != 0;
}

void crew_replace(struct crew *c)
{
	step_up(c);
	crew_go(c);
	if (c->with_spare && !c->spare.child.pid)
		worker_start(&c->spare, c->bus, c->shared);
}

void crew_stop(struct crew *c)
{
	struct child *all[] = { &c->now.child, &c->spare.child };
	bool idle = c->shared && atomic_load(&c->shared->current) < 0;

	child_end_all(all, 2, idle ? CLOCK_SECOND : 0);
}

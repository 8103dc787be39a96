/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "telemetry/sampler/crew.h"

#include <sys/wait.h>

static void leave(struct crew *c, struct worker *w)
{
	if (w->pid && c->n_left < CREW_LEFT)
		c->left[c->n_left++] = w->pid;
	worker_leave(w);
}

/* The spare steps up, or a new one is forked. */
static void step_up(struct crew *c)
{
	leave(c, &c->now);
	if (c->spare.pid) {
		c->now = c->spare;
		c->spare.pid = 0;
	} else {
		worker_start(&c->now, c->bus, c->shared);
	}
}

int crew_start(struct crew *c)
{
	int r;

	leave(c, &c->now);
	leave(c, &c->spare);
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
	leave(c, &c->now);
}

bool crew_alive(const struct crew *c)
{
	return c->now.pid != 0;
}

void crew_replace(struct crew *c)
{
	step_up(c);
	crew_go(c);
	if (c->with_spare && !c->spare.pid)
		worker_start(&c->spare, c->bus, c->shared);
}

void crew_stop(struct crew *c)
{
	leave(c, &c->now);
	leave(c, &c->spare);
	crew_reap(c);
}

void crew_reap(struct crew *c)
{
	for (size_t i = 0; i < c->n_left;) {
		if (waitpid(c->left[i], NULL, WNOHANG) == 0)
			i++;
		else
			c->left[i] = c->left[--c->n_left];
	}
}

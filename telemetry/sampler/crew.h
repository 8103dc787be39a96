/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crew.h - the worker at work, the spare behind it, and those that were left
 * behind and may not even be able to die.
 */
#pragma once

#include "telemetry/sampler/worker.h"

#define CREW_LEFT 64

struct crew {
	struct bus *bus;
	struct worker_shared *shared;
	bool with_spare;		/* a spare is forked ahead: long-running modes */
	struct worker now, spare;
	pid_t left[CREW_LEFT];		/* killed, not yet reaped */
	size_t n_left;
};

/* Fork the worker and its spare anew, leaving earlier ones behind.  0 or -errno. */
int crew_start(struct crew *c);

/* Hand the order to a worker that lives, a new one if need be; crew_alive() tells. */
void crew_go(struct crew *c);
bool crew_alive(const struct crew *c);

/* The worker hangs or died: the spare goes on with the order. */
void crew_replace(struct crew *c);

/* End all; waits for nobody. */
void crew_stop(struct crew *c);

/* Reap those left behind that could die by now. */
void crew_reap(struct crew *c);

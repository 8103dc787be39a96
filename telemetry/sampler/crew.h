/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crew.h - the worker at work and its spare.
 */
#pragma once

#include "telemetry/sampler/worker.h"

struct crew {
	struct bus *bus;
	struct worker_shared *shared;
	bool with_spare;		/* a spare is forked ahead: long-running modes */
	struct worker now, spare;
};

/* Fork the worker and its spare anew, leaving earlier ones behind.  0 or -errno. */
int crew_start(struct crew *c);

/* Hand the order to a worker that lives, a new one if need be; crew_alive() tells. */
void crew_go(struct crew *c);
bool crew_alive(const struct crew *c);

/* The worker hangs or died: the spare goes on with the order. */
void crew_replace(struct crew *c);

/* End all; waits for the idle ones to end, and a little for those that hang to die. */
void crew_stop(struct crew *c);

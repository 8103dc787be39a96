/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn_work.h - the load itself, as it runs in the child.
 */
#pragma once

#include "burnin/host/burn.h"
#include "burnin/host/burn_memory.h"

/* Run until the rounds are done or shared->stop.  Returns the exit status: 0 if it could run. */
int burn_work(const struct burn_config *c, struct burn_shared *shared);

/* A worker's test of its share of the memory. */
struct memory_work {
	const struct burn_config *config;
	struct burn_shared *shared;
	struct burn_worker *out;
	int index;
	struct burn_memory memory;
	bool injected;
	int64_t looked;			/* when worker 0 last checked free memory */
};

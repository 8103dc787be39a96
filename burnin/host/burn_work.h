/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn_work.h - the load itself, as it runs in the child.
 */
#pragma once

#include "burnin/host/burn.h"
#include "burnin/host/burn_memory.h"

/* Until the rounds are done or shared->stop; the exit status: 0 unless it could not run. */
int burn_work(const struct burn_config *c, struct burn_shared *shared);

/*
 * Counts an error of a worker; where it is to be written, and then sealed, or NULL: enough
 * are kept.
 */
struct burn_record *burn_claim(const struct burn_config *c, struct burn_shared *shared, int worker);

/* Rests while nobody watches the temperatures; returns ns. */
int64_t burn_await_watch(const struct burn_config *c, struct burn_shared *shared, int worker);

/* What one worker does with its share of the memory. */
struct memory_work {
	const struct burn_config *config;
	struct burn_shared *shared;
	struct burn_worker *out;
	int index;
	struct burn_memory memory;
	bool injected;
	int64_t looked;			/* when worker 0 last checked free memory */
};

/* Takes the share and has all of it; -ENOMEM. */
int memory_work_open(struct memory_work *w, const struct burn_config *c,
	struct burn_shared *shared, int index, struct error *e);

/* The next piece; true at the end of a pass. */
bool memory_work_step(struct memory_work *w);

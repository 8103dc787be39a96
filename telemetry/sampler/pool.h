/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pool.h - the worker processes of a sampler, started when one is needed and
 * kept for the next time; and one descriptor that is readable when any has news.
 */
#pragma once

#include "telemetry/sampler/worker.h"

struct pool {
	struct bus *bus;
	struct worker_shared *shared;
	int epoll;
	size_t n;			/* places of workers[] that were used so far */
	struct worker workers[WORKERS];
};

int pool_open(struct pool *p, struct bus *bus, struct worker_shared *shared, struct error *e);

/* End all workers: wait for idle ones, kill busy ones. */
void pool_close(struct pool *p);

/* An idle worker, or a new one; NULL with a reason when none can be started. */
struct worker *pool_get(struct pool *p, struct error *e);

/*
 * The next worker with news, or NULL: its job is done, or (*ended) it has died.
 * A place is free again once its process is gone and it is not reserved.
 */
struct worker *pool_news(struct pool *p, bool *ended);

/* Kill a worker that hangs; pool_is_gone() is true once it is gone. */
void pool_kill(struct worker *w);
bool pool_is_gone(struct worker *w);

/* Reap the workers that have ended. */
void pool_reap(struct pool *p);

/* Let all idle workers but `most` end; they are reaped later. */
void pool_trim(struct pool *p, size_t most);

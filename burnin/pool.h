/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pool.h - threads that wait for work: they spin for a moment, then sleep in
 * the kernel, so that a small case does not pay for waking and an idle pool
 * costs nothing.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>

struct pool;

enum { POOL_MAX = 1024 };

/*
 * 1 to POOL_MAX threads, the caller's among them.  Pinned: thread i runs on the
 * i-th processor that the process may use; the caller is pinned too, until
 * pool_close().  Everything runs in the caller if threads is 1.
 */
int pool_open(struct pool **pool, int threads, bool pinned, struct error *e);
void pool_close(struct pool *pool);		/* NULL is fine */
int pool_threads(const struct pool *pool);

/* Call fn(arg, thread) once for each thread from 0; returns when all have returned. */
void pool_run(struct pool *pool, void (*fn)(void *arg, int thread), void *arg);

/* How many processors the process may use, at least 1. */
int pool_processors(void);

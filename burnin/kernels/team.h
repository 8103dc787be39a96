/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * team.h - threads that wait for work: they spin for a moment, then sleep in
 * the kernel, so that a small case does not pay for waking and an idle team
 * costs nothing.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct team;

enum { TEAM_MAX = 1024 };

/*
 * 1 to TEAM_MAX threads, the caller's among them.  Pinned: thread i runs on the
 * i-th processor that the process may use; the caller is pinned too, until
 * team_close().  Everything runs in the caller if threads is 1.
 */
int team_open(struct team **team, int threads, bool pinned, struct error *e);
void team_close(struct team *team);		/* NULL is fine */
int team_threads(const struct team *team);

/* Call fn(arg, thread) once for each thread from 0; returns when all have returned. */
void team_run(struct team *team, void (*fn)(void *arg, int thread), void *arg);

/*
 * The same with a team for this one call; if the threads cannot be started, the
 * caller does the work of each in turn.
 */
void team_once(int threads, void (*fn)(void *arg, int thread), void *arg);

/* How many processors the process may use, at least 1. */
int team_processors(void);

/* The number of the processor that a pinned team gives this thread; -1: not known. */
int team_processor(int thread);

/* Page-aligned memory; the kernel is asked for huge pages if it is large. */

/* Zeroed; NULL if there is no memory.  A size of 0 is one page. */
void *pages_alloc(size_t size);
void pages_free(void *p, size_t size);		/* NULL is fine */

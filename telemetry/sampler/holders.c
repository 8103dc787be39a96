/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * holders.c - the list of processes that hold a device.  Once a second a worker
 * that has just sampled makes it, or another one while samples go on; only a
 * one-shot mode's tick waits for the list.  If the next tick comes soon, it takes
 * and shows the list, and the sampler is not woken earlier.
 */
#include "config.h"

#include "base/clock.h"
#include "base/mem.h"
#include "device/bus.h"
#include "telemetry/sampler/sampler_local.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PAUSE (30 * CLOCK_SECOND)

/* Report why the list is not known, and try again after ever longer pauses. */
static void fail_list(struct sampler *s, const char *why)
{
	struct holders *h = &s->holders;

	h->asked = false;
	h->pause = h->pause == 0 ? CLOCK_SECOND : h->pause * 2;
	if (h->pause > MOST_PAUSE)
		h->pause = MOST_PAUSE;
	h->next = clock_mono() + h->pause;
	mem_copy_text(h->reason, sizeof(h->reason), why);
	s->fleet.processes_unknown = h->reason;
	s->fleet.n_processes = 0;
	s->fleet.processes_partial = false;
}

void holders_lost(struct sampler *s, const char *why)
{
	s->fleet.workers_lost++;
	fail_list(s, why);
}

/* Give the list's worker back to the pool. */
static void let_go(struct holders *h)
{
	if (!h->worker)
		return;
	h->worker->reserved = h->worker->dying = false;
	h->worker = NULL;
}

/*
 * Find the numbers under which the runtime may have files of the chips.  Recorded and simulated
 * chips have none on this machine, and a second chip has no process of its own.
 */
static void number_chips(struct sampler *s)
{
	uint64_t (*ids)[RUNTIME_MEMORY_IDS] = s->shared->runtime_ids;

	if (s->bus->ops != &transport_kmd)
		return;
	for (size_t i = 0; i < s->fleet.n; i++)
		if (s->chips[i].local < 0)
			runtime_memory_ids(&s->chips[i], ids[i]);
	runtime_memory_part(ids, s->fleet.n);
}

/* Whether the next tick takes the list soon enough; the worker announces the first one. */
static bool is_quiet(const struct sampler *s)
{
	return !s->config.one_shot && s->config.interval > 0 &&
		s->config.interval <= CLOCK_SECOND && !*s->fleet.processes_unknown;
}

void holders_begin(struct sampler *s)
{
	struct holders *h = &s->holders;
	const struct worker_task task = { .job = WORKER_LIST, .quiet = is_quiet(s),
		.tick = h->number + 1 };
	struct error e = { 0 };

	if (h->asked || s->bus->n == 0 || clock_mono() < h->next)
		return;
	/* A killed worker must be gone before another one makes the list. */
	if (h->worker && !child_has_ended(&h->worker->child))
		return;
	let_go(h);
	h->worker = pool_get(&s->pool, &e);
	/* If hung workers take all descriptors, the list waits until they end. */
	h->waits = !h->worker && schedule_room_comes(s);
	if (h->waits)
		return;
	if (h->worker)
		h->worker->reserved = true;
	number_chips(s);
	h->next = clock_mono() + CLOCK_SECOND;
	h->number = task.tick;
	h->quiet = task.quiet;
	h->asked = h->worker && worker_give(h->worker, &task) == 0;
	if (!h->asked)
		fail_list(s, e.code ? e.text : "the process that lists them has ended");
}

static const char *why_unpinned(int error)
{
	switch (error) {
	case 0:
		return NULL;
	case -EACCES:
	case -EPERM:
		return "the driver says it to root alone (debugfs)";
	case -ENOENT:
		return "no list of the driver in debugfs (tt-kmd has one from 2.5.0 on)";
	case -EBADMSG:
		return "the driver's list in debugfs has a form that is not known";
	case -EOPNOTSUPP:
		return "recordings do not have it";
	default:
		return strerror(-error);
	}
}

void holders_done(struct sampler *s)
{
	const struct worker_list *list = &s->shared->list;
	struct holders *h = &s->holders;
	char why[128];

	let_go(h);
	if (list->error < 0) {
		snprintf(why, sizeof(why), "cannot be listed: %s", strerror(-list->error));
		fail_list(s, why);
		return;
	}
	h->asked = false;
	h->pause = 0;
	h->reason[0] = '\0';
	if (list->cut)
		snprintf(h->reason, sizeof(h->reason), "there are more than are listed (%d of a "
			"card, %d in all)", PROCESS_OF_CHIP, PROCESS_LISTED);
	s->fleet.processes_unknown = h->reason;
	s->fleet.processes_partial = list->partial;
	s->fleet.pinned_unknown = why_unpinned(list->unpinned);
	s->fleet.n_processes = list->n;
	memcpy(s->processes, list->processes, list->n * sizeof(*s->processes));
	qsort(s->processes, list->n, sizeof(*s->processes), process_compare);
}

void holders_take(struct sampler *s)
{
	struct holders *h = &s->holders;

	if (!h->asked || !h->quiet || atomic_load(&s->shared->list.made) != h->number)
		return;
	h->worker->busy = false;
	holders_done(s);
}

void holders_check(struct sampler *s, int64_t now)
{
	struct holders *h = &s->holders;
	char why[96];

	holders_take(s);
	if (!h->asked || now - (h->worker->since > s->gap_end ? h->worker->since : s->gap_end) <
			s->config.deadline)
		return;
	pool_kill(h->worker);
	snprintf(why, sizeof(why), "no answer within %.3g s; asked again later",
		(double)s->config.deadline / 1e9);
	holders_lost(s, why);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker.c - the loop of a process that touches cards, and the pool of such processes.
 *
 * Workers that share an order take chip after chip off it.  A worker that stays on a chip for too
 * long loses its place there: the sampler marks it as that chip's own.  If the worker ever comes
 * back, it finds the mark and takes nothing more off the order.
 */
#include "config.h"
#include "telemetry/sampler/sampler_local.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/want.h"
#include "device/bus.h"
#include "telemetry/decode.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define BEAT_TURN (20 * CLOCK_MS)	/* between two looks at a heartbeat */
#define BEAT_LEAST (250 * CLOCK_MS)	/* a heartbeat that stood still for less is not judged */
#define LET_GO (200 * CLOCK_MS)	/* idle: close handles, which are kept for samples < 100 ms apart */

/* False, and why, where a process holds the board or might do so. */
static bool is_free(struct device *board, char *why, size_t size)
{
	pid_t pid[1] = { 0 };
	bool partial;
	const ssize_t n = device_holders(board, pid, 1, &partial);

	if (n > 0)
		snprintf(why, size, "not read: process %ld holds the board", (long)pid[0]);
	else if (n < 0 || partial)
		snprintf(why, size,
			"not read: whether a process holds the board is not known"
			" (the host's root can)");
	return n == 0 && !partial;
}

/* What else than passive reads this sample may do: what is asked for, of a board that is free. */
static void limit(struct reader_policy *p, struct device *board, const struct worker_shared *shared,
	char *why, size_t size)
{
	p->active = !shared->inactive;
	p->links = shared->links && !p->passive;
	mem_copy_text(why, size, shared->inactive ? shared->inactive : "");
	if ((p->active || p->links) && !is_free(board, why, size))
		p->active = p->links = false;
}

/* Copy what discovery knows of the chip. */
static void copy_identity(const struct device *d, struct snapshot *s)
{
	s->index = d->index;
	s->local = d->local;
	s->chip = d->chip;
	s->pci_device = d->device;
	s->subsys_device = d->subsys_device;
	s->node = d->node;
	s->numa_node = d->numa_node;
	memcpy(s->bdf, d->bdf, sizeof(s->bdf));
}

/* There is no telemetry: fill in the identity and the reason alone. */
void worker_describe(const struct device *d, enum snapshot_health health, enum code code,
	const char *reason, struct snapshot *s)
{
	memset(s, 0, sizeof(*s));
	copy_identity(d, s);
	s->raw.chip = d->chip;
	s->raw.remote = d->local >= 0;
	decode_snapshot(s);
	s->health = health;
	s->note[0] = '\0';
	s->n_findings = 0;
	s->code = code;
	mem_copy_text(s->reason, sizeof(s->reason), reason);
}

static void sample(struct device *d, const struct worker_shared *shared, bool fresh,
	struct snapshot *s)
{
	bool remote = d->local >= 0;
	char why[128];
	struct reader_policy policy = { .passive = d->bus->passive, .fresh = fresh,
		.keep = shared->keep, .busy = shared->busy, .why = why };
	bool over;

	if (d->trouble == DEVICE_GONE) {
		worker_describe(d, SNAPSHOT_GONE, CODE_OFF_BUS, d->reason, s);
		return;
	}
	/* Not even its config space is read: that would wake a card that vfio-pci let sleep. */
	if (d->trouble == DEVICE_GIVEN) {
		worker_describe(d, SNAPSHOT_NOT_READ, device_code(d), d->reason, s);
		return;
	}
	copy_identity(d, s);
	s->reason[0] = s->note[0] = '\0';
	s->code = CODE_NONE;
	s->health = SNAPSHOT_PENDING;
	limit(&policy, remote ? &d->bus->dev[d->local] : d, shared, why, sizeof(why));
	if (remote && !policy.active) {
		worker_describe(d, SNAPSHOT_NOT_READ, CODE_LEFT_ALONE, why, s);
		return;
	}
	over = device_begin_sample(d) == -ENODATA;
	reader_sample(d, &policy, &s->raw);
	if (shared->links && !policy.links)
		fail(&s->raw.links_error, -EBUSY, "%s", why);
	s->raw.repeated = over;
	s->raw.is_still = !bus_is_live(d->bus);
	device_end_sample(d);
	decode_snapshot(s);
	if (d->trouble == DEVICE_NO_DRIVER) {
		s->health = SNAPSHOT_FAILED;
		s->code = CODE_NO_DRIVER;
		mem_copy_text(s->reason, sizeof(s->reason), d->reason);
	} else if (d->trouble != DEVICE_FINE) {
		s->code = device_code(d);
		mem_copy_text(s->note, sizeof(s->note), d->reason);
	}
}

/* False when the sampler has meanwhile found the chip hung: this worker is now its own. */
static bool sample_chip(struct worker *w, const struct worker_task *t, int chip)
{
	struct worker_slot *slot = &w->shared->slots[chip];
	int expected = chip;

	atomic_store(&w->doing->began, clock_mono());
	atomic_store(&w->doing->chip, chip);
	slot->snapshot.skew = clock_mono() - t->time;
	sample(&w->bus->dev[chip], w->shared, t->fresh, &slot->snapshot);
	slot->took = clock_mono() - atomic_load(&w->doing->began);
	atomic_store(&slot->sampled, t->tick);
	if (atomic_compare_exchange_strong(&w->doing->chip, &expected, WORKER_NONE))
		return true;
	atomic_store(&w->doing->chip, WORKER_NONE);
	return false;
}

static void work_off(struct worker *w)
{
	struct worker_shared *shared = w->shared;

	for (;;) {
		uint64_t order = atomic_fetch_add(&shared->order, 1);
		size_t next = order & UINT32_MAX;

		if (next >= order >> 32 || !sample_chip(w, &shared->task, shared->chips[next]))
			return;
	}
}

/*
 * Look at one heartbeat.  True when no further look is needed: it has moved since the
 * reading in the snapshot, has stopped, or cannot be read.
 */
static bool see_beat(struct worker *w, int chip)
{
	struct worker_slot *slot = &w->shared->slots[chip];
	const struct reading *first = &slot->snapshot.r[FIELD_HEARTBEAT];
	const int64_t now = clock_mono();
	enum snapshot_beat beat = SNAPSHOT_BEAT_UNJUDGED;
	uint32_t word = 0;
	bool known;

	atomic_store(&w->doing->began, clock_mono());
	atomic_store(&w->doing->chip, chip);
	known = reader_beat(&w->bus->dev[chip], first->source, &word);
	atomic_store(&w->doing->chip, WORKER_NONE);
	if (known && word != (uint32_t)first->value)
		beat = SNAPSHOT_BEAT_ALIVE;
	else if (known && now - first->time >= BEAT_LEAST && now >= w->shared->beats.until)
		beat = SNAPSHOT_BEAT_STOPPED;
	atomic_store(&slot->beat, beat);
	return !known || beat != SNAPSHOT_BEAT_UNJUDGED;
}

static void watch_beats(struct worker *w)
{
	const struct worker_beats *beats = &w->shared->beats;
	bool seen[DEVICE_MAX] = { false };
	size_t left = beats->n;

	for (;;) {
		const int64_t now = clock_mono();
		int64_t next = now + BEAT_TURN;

		for (size_t i = 0; i < beats->n; i++) {
			if (seen[i])
				continue;
			seen[i] = see_beat(w, beats->chips[i]);
			left -= seen[i];
		}
		if (left == 0 || now >= beats->until)
			return;
		clock_sleep_until(next < beats->until ? next : beats->until);
	}
}

/* A process that /proc does not know may have ended since the driver listed it. */
static bool still_holds(struct device *d, pid_t pid)
{
	pid_t pids[PROCESS_OF_CHIP];
	bool partial = false;
	const ssize_t n = device_holders(d, pids, PROCESS_OF_CHIP, &partial);

	for (ssize_t i = 0; i < n; i++)
		if (pids[i] == pid)
			return true;
	return n < 0 || partial;
}

/* A process that has many cards is described once.  False: there is no such process any more. */
static bool describe(struct worker *w, struct device *d, pid_t pid, struct process *p)
{
	const struct worker_list *list = &w->shared->list;

	for (size_t i = 0; i < list->n && pid > 0; i++)
		if (list->processes[i].pid == pid) {
			*p = list->processes[i];
			p->has_memory = false;
			return true;
		}
	return process_describe(w->bus->root, pid, p) || still_holds(d, pid);
}

static void add_holders(struct worker *w, struct device *d, const pid_t *pids, size_t n)
{
	struct worker_list *list = &w->shared->list;
	struct process *first = &list->processes[list->n];
	int64_t pinned[PROCESS_OF_CHIP];
	int r = n > 0 ? device_pinned(d, pids, n, pinned) : 0;

	if (r < 0)
		list->unpinned = r;
	list->cut |= n == PROCESS_OF_CHIP || n > PROCESS_LISTED - list->n;
	for (size_t i = 0; i < n && list->n < PROCESS_LISTED; i++) {
		struct process *p = &list->processes[list->n];

		if (!describe(w, d, pids[i], p))
			continue;
		list->n++;
		p->device = d->index;
		p->pinned = pinned[i];
	}
	runtime_memory_fill(w->bus->root, w->shared->runtime_ids[d->index], first,
		(size_t)(&list->processes[list->n] - first));
}

static void list_holders(struct worker *w)
{
	struct worker_list *list = &w->shared->list;
	pid_t pids[PROCESS_OF_CHIP];
	size_t asked = 0, failed = 0;

	list->n = 0;
	list->partial = list->cut = false;
	list->error = list->unpinned = 0;
	for (size_t i = 0; i < w->bus->n; i++) {
		struct device *d = &w->bus->dev[i];
		bool partial = false;
		ssize_t n;

		if (d->local >= 0 || !w->shared->wanted[i] || d->trouble == DEVICE_GONE)
			continue;
		n = device_holders(d, pids, PROCESS_OF_CHIP, &partial);
		list->partial |= partial;
		asked++;
		if (n < 0) {
			failed++;
			list->error = (int)n;
		} else {
			add_holders(w, d, pids, (size_t)n);
		}
	}
	if (failed < asked)
		list->error = 0;
}

/* Wait for the next task; if none comes soon, close kept handles: they hinder other programs. */
static bool await_task(struct worker *w, int fd, struct worker_task *t)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (w->shared->keep && clock_wait(&p, 1, clock_mono() + LET_GO) == 0)
		for (size_t i = 0; i < w->bus->n; i++)
			device_release(&w->bus->dev[i]);
	clock_wait(&p, 1, INT64_MAX);
	return recv(fd, t, sizeof(*t), 0) == (ssize_t)sizeof(*t);
}

static int serve_tasks(void *arg, int fd)
{
	struct worker *w = arg;
	struct worker_task t;

	while (await_task(w, fd, &t)) {
		switch (t.job) {
		case WORKER_ORDER:
			work_off(w);
			break;
		case WORKER_CHIP:
			sample_chip(w, &t, t.chip);
			break;
		case WORKER_BEATS:
			watch_beats(w);
			break;
		case WORKER_LIST:
			list_holders(w);
			atomic_store(&w->shared->list.made, t.tick);
			break;
		}
		if (!t.quiet && send(fd, "", 1, MSG_NOSIGNAL) != 1)
			break;
	}
	return 0;
}

/* Start the process of w, whose bus, shared and doing are set. */
static int worker_start(struct worker *w, struct error *e)
{
	const struct child_config how = { .run = serve_tasks, .arg = w, .keep = w->bus->keep,
		.n_keep = w->bus->n_keep, .dies_with_parent = true, .ignores_terminal = true };

	atomic_store(&w->doing->chip, WORKER_NONE);
	w->busy = w->dying = false;
	return child_start(&w->child, &how, e);
}

int worker_give(struct worker *w, const struct worker_task *t)
{
	if (!w->child.pid || send(w->child.fd, t, sizeof(*t), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return -EPIPE;
	w->busy = true;
	w->passed = false;
	w->job = t->job;
	w->chip = t->job == WORKER_CHIP ? t->chip : WORKER_NONE;
	w->since = clock_mono();
	return 0;
}

bool worker_is_starved(struct worker *w, int64_t began, int64_t patience, int64_t now)
{
	if (began == w->starved.began && now < w->starved.until)
		return true;
	if (!child_is_runnable(&w->child))
		return false;
	if (began != w->starved.began) {
		w->starved.began = began;
		w->starved.used = child_processor_time(&w->child);
	} else if (child_processor_time(&w->child) - w->starved.used >= patience) {
		return false;
	}
	w->starved.until = now + patience;
	return true;
}

/* 1: its job is done, 0: nothing new, -EPIPE: it has ended.  Never waits. */
static int worker_take(struct worker *w)
{
	char byte;
	ssize_t n = recv(w->child.fd, &byte, 1, MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -EPIPE;
	if (n == 0)
		return -EPIPE;
	w->busy = false;
	return 1;
}

/* The pool. */

#define LEAVE (CLOCK_SECOND)	/* the time that an idle worker may take to end */
#define FILES_LEFT 4		/* descriptors for the files that a mode opens while it reads */

int pool_open(struct pool *p, struct bus *bus, struct worker_shared *shared, struct error *e)
{
	p->bus = bus;
	p->shared = shared;
	p->epoll = epoll_create1(EPOLL_CLOEXEC);
	return p->epoll < 0 ? fail_errno(e, "cannot wait for worker processes") : 0;
}

static bool is_idle(const struct worker *w)
{
	return w->child.pid && w->child.fd > 2 && !w->busy && !w->dying && !w->reserved;
}

static void forget(struct pool *p, struct worker *w)
{
	if (w->child.fd <= 2)
		return;
	epoll_ctl(p->epoll, EPOLL_CTL_DEL, w->child.fd, NULL);
	close(w->child.fd);
	w->child.fd = -1;
}

void pool_close(struct pool *p)
{
	struct child *idle[WORKERS], *hung[WORKERS];
	size_t n_idle = 0, n_hung = 0;

	for (size_t i = 0; i < p->n; i++) {
		struct worker *w = &p->workers[i];

		if (!w->child.pid)
			continue;
		forget(p, w);
		if (w->busy || w->dying)
			hung[n_hung++] = &w->child;
		else
			idle[n_idle++] = &w->child;
	}
	for (size_t i = 0; i < n_hung; i++)
		child_kill(hung[i]);
	child_end_all(idle, n_idle, LEAVE);
	child_end_all(hung, n_hung, 0);
	if (p->epoll > 0)
		close(p->epoll);
	p->epoll = -1;
}

/* Only the first worker is indispensable; others must leave descriptors to the rest of the tool. */
static int leave_files(const struct pool *p, struct error *e)
{
	static const struct want files = { .files = FILES_LEFT + 1 };

	for (size_t i = 0; i < p->n; i++)
		if (p->workers[i].child.pid)
			return want_prove(&files, e);
	return 0;
}

static int pool_start_worker(struct pool *p, struct worker *w, size_t place, struct error *e)
{
	struct epoll_event ev = { .events = EPOLLIN, .data = { .u32 = (uint32_t)place } };
	int r = leave_files(p, e);

	if (r < 0)
		return r;
	forget(p, w);
	*w = (struct worker){ .bus = p->bus, .shared = p->shared,
		.doing = &p->shared->doings[place] };
	r = worker_start(w, e);
	if (r == 0 && epoll_ctl(p->epoll, EPOLL_CTL_ADD, w->child.fd, &ev) < 0) {
		r = fail_errno(e, "cannot wait for a worker process");
		child_end(&w->child, 0);
	}
	return r;
}

struct worker *pool_get(struct pool *p, struct error *e)
{
	for (size_t i = 0; i < p->n; i++)
		if (is_idle(&p->workers[i]))
			return &p->workers[i];
	for (size_t i = 0; i < WORKERS; i++) {
		struct worker *w = &p->workers[i];

		if (w->child.pid || w->reserved)
			continue;
		if (pool_start_worker(p, w, i, e) < 0)
			return NULL;
		p->n = i < p->n ? p->n : i + 1;
		return w;
	}
	fail_as(e, CODE_HUNG, -EAGAIN, "too many worker processes hang");
	return NULL;
}

struct worker *pool_news(struct pool *p, bool *ended)
{
	struct epoll_event ev;

	while (epoll_wait(p->epoll, &ev, 1, 0) == 1) {
		struct worker *w = &p->workers[ev.data.u32];
		bool was_killed = w->dying;
		int r = worker_take(w);

		*ended = r < 0;
		if (r < 0) {
			forget(p, w);
			pool_kill(w);
			child_has_ended(&w->child);
		}
		if (r != 0 && !was_killed)
			return w;
	}
	return NULL;
}

void pool_kill(struct worker *w)
{
	child_kill(&w->child);
	w->dying = true;
}

void pool_reap(struct pool *p)
{
	child_reap_lost();
	for (size_t i = 0; i < p->n; i++)
		if (p->workers[i].dying || p->workers[i].child.fd < 0)
			child_has_ended(&p->workers[i].child);
}

void pool_trim(struct pool *p, size_t most)
{
	for (size_t i = 0, idle = 0; i < p->n; i++)
		if (is_idle(&p->workers[i]) && ++idle > most)
			forget(p, &p->workers[i]);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "telemetry/sampler/pool.h"
#include "base/clock.h"
#include "base/want.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

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

/* An idle worker that is already running, or NULL. */
static struct worker *pool_idle(struct pool *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (is_idle(&p->workers[i]))
			return &p->workers[i];
	return NULL;
}

struct worker *pool_get(struct pool *p, struct error *e)
{
	struct worker *w = pool_idle(p);

	if (w)
		return w;
	for (size_t i = 0; i < WORKERS; i++) {
		w = &p->workers[i];
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
			pool_is_gone(w);
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

bool pool_is_gone(struct worker *w)
{
	return child_has_ended(&w->child);
}

void pool_reap(struct pool *p)
{
	child_reap_lost();
	for (size_t i = 0; i < p->n; i++)
		if (p->workers[i].dying || p->workers[i].child.fd < 0)
			pool_is_gone(&p->workers[i]);
}

void pool_trim(struct pool *p, size_t most)
{
	for (size_t i = 0; i < p->n; i++) {
		struct worker *w = &p->workers[i];

		if (!is_idle(w))
			continue;
		if (most > 0) {
			most--;
			continue;
		}
		forget(p, w);
	}
}

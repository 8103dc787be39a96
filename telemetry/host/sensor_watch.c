/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sensor_watch.c - before each access the process publishes which file it
 * reads.  If a read takes longer than the deadline, the process is killed, and
 * the next process skips that file.
 */
#include "config.h"
#include "telemetry/host/sensors.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define INTERVAL CLOCK_SECOND
#define DEADLINE (3 * CLOCK_SECOND)
#define AGAIN    CLOCK_SECOND		/* pause before another process is started */

enum { STUCK_MOST = 16, STALE_AFTER = 5 /* intervals */ };

/* The memory that both processes share. */
struct sensor_share {
	_Atomic int64_t since;	/* clock_mono() when it began to read `at`; 0: idle */
	char at[128];
	int n_stuck;			/* files that blocked a process; written by the parent */
	char stuck[STUCK_MOST][128];
	struct sensors all;		/* used by the reading process alone */
};

static ssize_t read_one(const struct sensor_files *f, const char *path, char *buf, size_t size)
{
	const struct sensor_watch *w = f->arg;
	struct sensor_share *share = w->share;
	ssize_t n;

	for (int i = 0; i < share->n_stuck; i++)
		if (strcmp(share->stuck[i], path) == 0)
			return -ETIMEDOUT;
	mem_copy_text(share->at, sizeof(share->at), path);
	atomic_store(&share->since, clock_mono());
	n = w->config.read ? w->config.read(f->root, path, buf, size) :
		file_read_at(f->root, path, buf, size);
	atomic_store(&share->since, 0);
	return n;
}

static int sensor_watch_serve(void *arg, int fd)
{
	struct sensor_watch *w = arg;
	struct sensor_files f = { .read = read_one, .arg = w,
		.root = open(w->config.root, O_PATH | O_DIRECTORY | O_CLOEXEC) };
	struct sensors *s = &w->share->all;
	int64_t next = clock_mono();
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (f.root < 0)
		return errno;
	sensors_scan(s, &f);
	for (;;) {
		sensors_read(s, &f, clock_mono());
		/* A parent that reads too slowly misses this one and gets a later one. */
		if (send(fd, s, sizeof(*s), MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EAGAIN)
			return 0;
		next += w->config.interval;
		if (next < clock_mono())
			next = clock_mono();
		if (clock_wait(&p, 1, next) > 0)
			return 0;
	}
}

static void sensor_watch_start_child(struct sensor_watch *w)
{
	const struct child_config how = { .run = sensor_watch_serve, .arg = w,
		.dies_with_parent = true, .ignores_terminal = true };
	struct error e;

	w->started = clock_mono();
	atomic_store(&w->share->since, 0);
	if (child_start(&w->child, &how, &e) < 0)
		mem_copy_text(w->trouble, sizeof(w->trouble), e.text);
	else
		w->trouble[0] = '\0';
}

void sensor_watch_open(struct sensor_watch *w, const struct sensor_watch_config *c)
{
	*w = (struct sensor_watch){ .config = *c, .child = { .fd = -1 } };
	if (!w->config.root)
		w->config.root = "/";
	if (w->config.interval == 0)
		w->config.interval = INTERVAL;
	if (w->config.deadline == 0)
		w->config.deadline = DEADLINE;
	w->share = mem_share(sizeof(*w->share));
	sensor_watch_start_child(w);
}

void sensor_watch_close(struct sensor_watch *w)
{
	if (!w->share)
		return;
	child_end(&w->child, 0);
	mem_unshare(w->share, sizeof(*w->share));
	w->share = NULL;
}

/* Keep the least, most and last values when a new process starts from none. */
static void carry_over(const struct sensors *from, struct sensors *to)
{
	for (size_t i = 0; i < to->n; i++) {
		struct sensor *x = &to->s[i];

		for (size_t k = 0; k < from->n; k++) {
			const struct sensor *old = &from->s[k];

			if (old->time == 0 || strcmp(old->path, x->path) != 0)
				continue;
			x->least = x->time == 0 || old->least < x->least ? old->least : x->least;
			x->most = x->time == 0 || old->most > x->most ? old->most : x->most;
			if (x->time == 0) {
				x->time = old->time;
				x->value = old->value;
			}
		}
	}
}

static void sensor_watch_take_values(struct sensor_watch *w)
{
	static struct sensors s;
	ssize_t n;

	while (w->child.fd >= 0 &&
		(n = recv(w->child.fd, &s, sizeof(s), MSG_DONTWAIT)) != 0) {
		if (n < 0)
			return;
		if (n != (ssize_t)sizeof(s) || s.n > SENSORS_MOST)
			continue;
		carry_over(&w->now, &s);
		w->now = s;
		w->known = true;
	}
}

/* The process is blocked in the kernel, maybe for ever, so do not wait for it. */
static void give_up(struct sensor_watch *w)
{
	struct sensor_share *share = w->share;

	if (share->n_stuck == STUCK_MOST) {
		snprintf(w->trouble, sizeof(w->trouble), "%d sensors do not answer", STUCK_MOST);
	} else {
		mem_copy_text(share->stuck[share->n_stuck], sizeof(share->stuck[0]), share->at);
		share->n_stuck++;
	}
	child_kill(&w->child);
	child_leave(&w->child);
	w->child = (struct child){ .fd = -1 };
	w->started = clock_mono();
}

static void age(struct sensor_watch *w, int64_t now)
{
	for (size_t i = 0; i < w->now.n; i++) {
		struct sensor *x = &w->now.s[i];

		if (x->state == READING_OK &&
			now - x->time > STALE_AFTER * w->config.interval + w->config.deadline)
			x->state = READING_STALE;
	}
}

void sensor_watch_update(struct sensor_watch *w)
{
	const int64_t now = clock_mono();
	int64_t since;

	sensor_watch_take_values(w);
	since = atomic_load(&w->share->since);
	child_reap_lost();
	if (w->child.pid && since > 0 && now - since > w->config.deadline) {
		give_up(w);
	} else if (w->child.pid && child_has_ended(&w->child)) {
		child_end(&w->child, 0);
		w->started = now;
	}
	if (w->child.pid == 0 && now - w->started >= AGAIN && w->share->n_stuck < STUCK_MOST)
		sensor_watch_start_child(w);
	age(w, now);
}

int sensor_watch_fd(const struct sensor_watch *w)
{
	return w->child.pid ? w->child.fd : -1;
}

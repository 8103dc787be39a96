/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/journal.h"
#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define SLOTS         512
#define RETIRED_MAX   512 	/* files waiting to be synced; a disk that slow is waited for */
#define SYNC_EVERY_MS 500	/* no record is older than a second when it is on the disk */

struct slot {
	int fd;
	uint64_t size;
	bool dirty;
	char path[4096];
};

/* A file that is complete, to be synced and closed. */
struct retired {
	int fd, slot;
};

struct journal {
	pthread_t thread;
	pthread_mutex_t lock;	/* fd, dirty, n, retired and whole; never held during an I/O */
	struct retired retired[RETIRED_MAX];
	size_t n_retired;
	int wake;		/* eventfd: there is work, or the thread is to end */
	atomic_bool ending;
	char whole_path[4096];	/* the one file that is replaced whole; set once */
	struct strbuf whole;	/* what it is to hold; empty: nothing is waiting */
	atomic_int trouble;	/* -errno of a sync that failed */
	atomic_int trouble_slot;
	size_t n;
	struct slot *slots[SLOTS];
};

static void note_trouble(struct journal *j, int slot, int err)
{
	int none = 0;

	/* What a file system cannot sync at all (a FIFO, some network ones) is not trouble. */
	if (err == EINVAL || err == EROFS)
		return;
	if (atomic_compare_exchange_strong(&j->trouble, &none, -err))
		atomic_store(&j->trouble_slot, slot);
}

static void sync_file(struct journal *j, const struct retired *r)
{
	if (fdatasync(r->fd) < 0)
		note_trouble(j, r->slot, errno);
	close(r->fd);
}

static void sync_retired(struct journal *j)
{
	struct retired r;
	bool any;

	do {
		pthread_mutex_lock(&j->lock);
		any = j->n_retired > 0;
		if (any)
			r = j->retired[--j->n_retired];
		pthread_mutex_unlock(&j->lock);
		if (any)
			sync_file(j, &r);
	} while (any);
}

static void sync_slot(struct journal *j, int i)
{
	struct slot *s = j->slots[i];
	struct retired r = { .fd = -1, .slot = i };

	pthread_mutex_lock(&j->lock);
	if (s->dirty)
		r.fd = fcntl(s->fd, F_DUPFD_CLOEXEC, 0);
	s->dirty = false;
	pthread_mutex_unlock(&j->lock);
	if (r.fd >= 0)
		sync_file(j, &r);
}

/* The trouble of a file that is replaced whole has no slot. */
#define WHOLE (-1)

static void write_whole(struct journal *j)
{
	struct strbuf text;
	struct file_new f;
	struct error e;
	int err;

	pthread_mutex_lock(&j->lock);
	text = j->whole;
	j->whole = (struct strbuf){ 0 };
	pthread_mutex_unlock(&j->lock);
	if (text.len > 0) {
		err = file_new_open(&f, j->whole_path, true, &e);
		if (err == 0) {
			err = file_write_all(f.fd, text.text, text.len);
			if (err < 0)
				file_new_discard(&f);
			else
				err = file_new_keep(&f, &e);
		}
		if (err < 0)
			note_trouble(j, WHOLE, -err);
	}
	strbuf_clear(&text);
}

static void sync_all(struct journal *j)
{
	size_t n;

	sync_retired(j);
	pthread_mutex_lock(&j->lock);
	n = j->n;
	pthread_mutex_unlock(&j->lock);
	for (size_t i = 0; i < n; i++)
		sync_slot(j, (int)i);
	/* Last: it never tells of more than the disk has. */
	if (atomic_load(&j->trouble) == 0)
		write_whole(j);
}

static void *sync_loop(void *arg)
{
	struct journal *j = arg;
	struct pollfd wake = { .fd = j->wake, .events = POLLIN };

	while (!atomic_load(&j->ending)) {
		uint64_t n;

		if (poll(&wake, 1, SYNC_EVERY_MS) > 0 && read(j->wake, &n, sizeof(n)) > 0 &&
			atomic_load(&j->ending))
			break;
		sync_all(j);
	}
	return NULL;
}

static void wake_thread(struct journal *j)
{
	uint64_t one = 1;

	while (write(j->wake, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

int journal_open(struct journal **out, struct error *e)
{
	struct journal *j = mem_calloc(1, sizeof(*j));
	sigset_t all, before;
	int err;

	j->wake = eventfd(0, EFD_CLOEXEC);
	if (j->wake < 0) {
		err = fail_errno(e, "dump: cannot make an event");
		free(j);
		return err;
	}
	pthread_mutex_init(&j->lock, NULL);
	/* Signals are for the thread that runs the mode. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&j->thread, NULL, sync_loop, j);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err) {
		close(j->wake);
		pthread_mutex_destroy(&j->lock);
		free(j);
		return fail(e, -err, "dump: cannot start a thread: %s", strerror(err));
	}
	*out = j;
	return 0;
}

static int create(const char *path, struct error *e)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);

	return fd < 0 ? fail_errno(e, "%s: cannot create", path) : fd;
}

int journal_add(struct journal *j, const char *path, struct error *e)
{
	struct slot *s;
	int fd;

	if (j->n == SLOTS)
		return fail(e, -ENFILE, "%s: too many files in one dump", path);
	fd = create(path, e);
	if (fd < 0)
		return fd;
	s = mem_calloc(1, sizeof(*s));
	s->fd = fd;
	mem_copy_text(s->path, sizeof(s->path), path);
	pthread_mutex_lock(&j->lock);
	j->slots[j->n++] = s;
	pthread_mutex_unlock(&j->lock);
	return (int)j->n - 1;
}

int journal_replace(struct journal *j, int slot, const char *path, struct error *e)
{
	struct slot *s = j->slots[slot];
	int fd = create(path, e);
	struct retired before;
	bool full;

	if (fd < 0)
		return fd;
	pthread_mutex_lock(&j->lock);
	before = (struct retired){ .fd = s->fd, .slot = slot };
	full = j->n_retired == RETIRED_MAX;
	if (!full)
		j->retired[j->n_retired++] = before;
	s->fd = fd;
	s->dirty = false;
	pthread_mutex_unlock(&j->lock);
	s->size = 0;
	mem_copy_text(s->path, sizeof(s->path), path);
	if (full)
		sync_file(j, &before);
	return 0;
}

int journal_new_file(struct journal *j, const char *path, struct strbuf *text, struct error *e)
{
	int fd = create(path, e), err;

	if (fd < 0)
		return fd;
	err = file_write_all(fd, text->text, text->len);
	close(fd);
	if (err < 0)
		return fail(e, err, "%s: cannot write: %s", path, strerror(-err));
	journal_put_file(j, path, text);
	return 0;
}

void journal_put_file(struct journal *j, const char *path, struct strbuf *text)
{
	struct strbuf before;

	pthread_mutex_lock(&j->lock);
	before = j->whole;
	if (!j->whole_path[0])
		mem_copy_text(j->whole_path, sizeof(j->whole_path), path);
	j->whole = *text;
	pthread_mutex_unlock(&j->lock);
	*text = (struct strbuf){ 0 };
	strbuf_clear(&before);
	wake_thread(j);
}

static int tell_trouble(struct journal *j, struct error *e)
{
	int err = atomic_load(&j->trouble), slot = atomic_load(&j->trouble_slot);

	return err == 0 ? 0 : fail(e, err, "%s: cannot write: %s",
		slot == WHOLE ? j->whole_path : j->slots[slot]->path, strerror(-err));
}

int journal_append(struct journal *j, int slot, const char *text, size_t len, struct error *e)
{
	struct slot *s = j->slots[slot];
	int err = tell_trouble(j, e);

	if (err < 0)
		return err;
	err = file_write_all(s->fd, text, len);
	if (err < 0) {
		fail(e, err, "%s: cannot write: %s", s->path, strerror(-err));
		if (ftruncate(s->fd, (off_t)s->size) < 0)
			return err;
		return err;
	}
	s->size += len;
	pthread_mutex_lock(&j->lock);
	s->dirty = true;
	pthread_mutex_unlock(&j->lock);
	return 0;
}

uint64_t journal_size(const struct journal *j, int slot)
{
	return j->slots[slot]->size;
}

int journal_close(struct journal *j, struct error *e)
{
	int err;

	if (!j)
		return 0;
	atomic_store(&j->ending, true);
	wake_thread(j);
	pthread_join(j->thread, NULL);
	sync_all(j);
	for (size_t i = 0; i < j->n; i++)
		if (close(j->slots[i]->fd) < 0)
			note_trouble(j, (int)i, errno);
	err = tell_trouble(j, e);
	strbuf_clear(&j->whole);
	for (size_t i = 0; i < j->n; i++)
		free(j->slots[i]);
	close(j->wake);
	pthread_mutex_destroy(&j->lock);
	free(j);
	return err;
}

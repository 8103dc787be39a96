/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/journal.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "output/journal_local.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void wake_thread(struct journal *j)
{
	uint64_t one = 1;

	while (write(j->wake, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

static void release(struct journal *j)
{
	for (size_t i = 0; i < j->n; i++)
		free(j->slots[i]);
	free(j->round.jobs);
	free(j->retired);
	whole_clear(&j->index);
	pthread_mutex_destroy(&j->lock);
	if (j->wake >= 0)
		close(j->wake);
	if (j->over >= 0)
		close(j->over);
	if (j->dir >= 0)
		close(j->dir);
	free(j);
}

/* The folder's path, from the kernel. */
static void find_fjournal_older(const struct journal *j, char *path, size_t size)
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", j->dir);
	n = readlink(link, path, size - 1);
	path[n > 0 ? n : 0] = '\0';
}

static int start_thread(struct journal *j)
{
	sigset_t all, before;
	int err;

	/* Signals are for the thread that runs the mode. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&j->thread, NULL, journal_run, j);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -err;
}

int journal_open(const char *dir, struct journal **out, struct error *e)
{
	struct journal *j = mem_calloc(1, sizeof(*j));
	int err = 0;

	pthread_mutex_init(&j->lock, NULL);
	j->round.hurry = &j->hurry;
	j->round.slow = true;	/* until it is known */
	mem_copy_text(j->dir_name, sizeof(j->dir_name), dir);
	whole_init(&j->index, j->dir_name, &j->hurry);
	j->wake = eventfd(0, EFD_CLOEXEC);
	j->over = eventfd(0, EFD_CLOEXEC);
	j->dir = j->index.dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (j->wake < 0 || j->over < 0 || j->dir < 0)
		err = fail_errno(e, "%s: cannot use folder", dir);
	if (err == 0) {
		find_fjournal_older(j, j->dir_was, sizeof(j->dir_was));
		err = start_thread(j);
		if (err < 0)
			fail(e, err, "dump: cannot start a thread: %s", strerror(-err));
	}
	if (err < 0) {
		release(j);
		return err;
	}
	*out = j;
	return 0;
}

static int create(const struct journal *j, const char *name, struct error *e)
{
	int fd = openat(j->dir, name,
		O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);

	return fd < 0 ? fail_errno(e, "%s/%s: cannot create", j->dir_name, name) : fd;
}

int journal_add(struct journal *j, const char *name, struct error *e)
{
	struct slot *s;
	int fd;

	if (j->n == JOURNAL_SLOTS)
		return fail(e, -ENFILE, "%s: too many files in one dump", name);
	fd = create(j, name, e);
	if (fd < 0)
		return fd;
	s = mem_calloc(1, sizeof(*s));
	s->fd = fd;
	mem_copy_text(s->name, sizeof(s->name), name);
	pthread_mutex_lock(&j->lock);
	j->slots[j->n++] = s;
	pthread_mutex_unlock(&j->lock);
	return (int)j->n - 1;
}

int journal_replace(struct journal *j, int slot, const char *name, struct error *e)
{
	struct slot *s = j->slots[slot];
	int fd = create(j, name, e);

	if (fd < 0)
		return fd;
	pthread_mutex_lock(&j->lock);
	if (j->n_retired == j->room) {
		j->room = j->room ? j->room * 2 : 64;
		j->retired = mem_realloc(j->retired, j->room * sizeof(*j->retired));
	}
	j->retired[j->n_retired++] = (struct retired){ s->fd, slot, s->since };
	s->fd = fd;
	s->since = 0;
	pthread_mutex_unlock(&j->lock);
	s->size = 0;
	mem_copy_text(s->name, sizeof(s->name), name);
	return 0;
}

int journal_remove(struct journal *j, const char *name, struct error *e)
{
	if (unlinkat(j->dir, name, 0) == 0 || errno == ENOENT)
		return 0;
	return fail_errno(e, "%s/%s: cannot remove", j->dir_name, name);
}

int journal_new_file(struct journal *j, const char *name, struct strbuf *text, struct error *e)
{
	int err = whole_make(&j->index, name, text, e);

	if (err == 0)
		journal_put_file(j, name, text);
	return err;
}

void journal_put_file(struct journal *j, const char *name, struct strbuf *text)
{
	whole_put(&j->index, name, text);
	wake_thread(j);
}

static int tell_trouble(struct journal *j, struct error *e)
{
	int slot, err = journal_find_trouble(j, &slot);
	const char *name = slot == JOURNAL_INDEX ? j->index.name : j->slots[slot]->name;

	if (err == -ENOENT && slot != JOURNAL_INDEX)
		return fail(e, err, "%s/%s: was removed while it was written", j->dir_name, name);
	return err == 0 ? 0 : fail(e, err, "%s/%s: cannot write: %s", j->dir_name, name,
		strerror(-err));
}

int journal_append(struct journal *j, int slot, const char *text, size_t len, struct error *e)
{
	struct slot *s = j->slots[slot];
	int err = tell_trouble(j, e);
	int64_t now;

	if (err < 0) {
		atomic_store(&j->told, true);
		return err;
	}
	now = clock_steady();
	err = file_write_all(s->fd, text, len);
	if (err < 0) {
		fail(e, err, "%s/%s: cannot write: %s", j->dir_name, s->name, strerror(-err));
		if (ftruncate(s->fd, (off_t)s->size) < 0)
			return err;
		return err;
	}
	s->size += len;
	pthread_mutex_lock(&j->lock);
	if (!s->since)
		s->since = now;
	pthread_mutex_unlock(&j->lock);
	return 0;
}

uint64_t journal_size(const struct journal *j, int slot)
{
	return j->slots[slot]->size;
}

int64_t journal_age(struct journal *j, int64_t *most)
{
	int64_t since, age;

	pthread_mutex_lock(&j->lock);
	since = j->round_since;
	for (size_t i = 0; i < j->n_retired; i++)
		since = journal_older(since, j->retired[i].since);
	for (size_t i = 0; i < j->n; i++)
		since = journal_older(since, j->slots[i]->since);
	age = since ? clock_steady() - since : 0;
	*most = age > j->most ? age : j->most;
	pthread_mutex_unlock(&j->lock);
	return age;
}

bool journal_is_elsewhere(const struct journal *j, char *path, size_t size)
{
	find_fjournal_older(j, path, size);
	return path[0] && j->dir_was[0] && strcmp(path, j->dir_was) != 0;
}

void journal_end(struct journal *j)
{
	atomic_store(&j->ending, true);
	wake_thread(j);
}

int journal_end_fd(const struct journal *j)
{
	return j->over;
}

static int close_all(struct journal *j, struct error *e)
{
	int err;

	for (size_t i = 0; i < j->n; i++)
		if (close(j->slots[i]->fd) < 0)
			journal_note_trouble(j, (int)i, errno);
	err = tell_trouble(j, e);
	release(j);
	return err;
}

int journal_close(struct journal *j, struct error *e)
{
	if (!j)
		return 0;
	journal_end(j);
	pthread_join(j->thread, NULL);
	return close_all(j, e);
}

void journal_leave(struct journal *j)
{
	/* The thread goes on using j: it may be in a sync that never returns. */
	atomic_store(&j->hurry, true);
	journal_end(j);
	pthread_detach(j->thread);
	file_new_sweep(j->dir, j->index.name, getpid());
}

void journal_discard(struct journal *j)
{
	if (!j)
		return;
	whole_drop(&j->index);
	atomic_store(&j->hurry, true);
	journal_end(j);
	pthread_join(j->thread, NULL);
	for (size_t i = 0; i < j->n; i++)
		unlinkat(j->dir, j->slots[i]->name, 0);
	if (j->index.name[0])
		unlinkat(j->dir, j->index.name, 0);
	close_all(j, NULL);
}

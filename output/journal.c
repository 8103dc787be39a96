/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/journal.h"

#include "base/child.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/want.h"
#include "output/journal_local.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PATH_PATIENCE 500 /* ms that asking for the path of the folder may take */
#define ROOM_PATIENCE 200 /* times 10 ms that the next part of a file waits for a descriptor */

static void wake_thread(struct journal *j)
{
	uint64_t one = 1;

	while (write(j->wake, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

static void release_journal(struct journal *j)
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

int journal_open(int folder, const char *dir, struct journal **out, struct error *e)
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
	j->dir = j->index.dir = openat(folder < 0 ? AT_FDCWD : folder, folder < 0 ? dir : ".",
		O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (j->wake < 0 || j->over < 0 || j->dir < 0)
		err = fail_errno(e, "%s: cannot use folder", dir);
	if (err == 0) {
		err = thread_start(&j->thread, journal_run, j);
		if (err < 0)
			fail(e, err, "dump: cannot start a thread: %s", strerror(-err));
	}
	if (err < 0) {
		release_journal(j);
		return err;
	}
	*out = j;
	return 0;
}

/* The caller has an error now, which the next index tells: that need not wait any more. */
static int has_failed(struct journal *j, int err)
{
	atomic_store(&j->told, true);
	return err;
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
		return has_failed(j, fd);
	s = mem_calloc(1, sizeof(*s));
	s->fd = fd;
	mem_copy_text(s->name, sizeof(s->name), name);
	pthread_mutex_lock(&j->lock);
	j->slots[j->n++] = s;
	pthread_mutex_unlock(&j->lock);
	return (int)j->n - 1;
}

/* Without free descriptors, wait until the thread closes those of completed parts. */
static int create_next(struct journal *j, const char *name, struct error *e)
{
	int fd = create(j, name, e);

	for (int i = 0; fd < 0 && want_is(fd) && i < ROOM_PATIENCE; i++) {
		wake_thread(j);
		poll(NULL, 0, 10);
		fd = create(j, name, e);
	}
	return fd;
}

int journal_replace(struct journal *j, int slot, const char *name, struct error *e)
{
	struct slot *s = j->slots[slot];
	int fd = create_next(j, name, e);

	if (fd < 0)
		return has_failed(j, fd);
	pthread_mutex_lock(&j->lock);
	if (j->n_retired == j->room) {
		j->room = j->room ? j->room * 2 : 64;
		j->retired = mem_realloc(j->retired, j->room * sizeof(*j->retired));
	}
	j->retired[j->n_retired++] = (struct retired){ s->fd, slot, s->since };
	s->fd = fd;
	s->since = 0;
	s->size = 0;
	pthread_mutex_unlock(&j->lock);
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

	if ((err == -ENOENT || err == -ENODATA) && slot != JOURNAL_INDEX)
		return fail_as(e, CODE_MOVED_FILE, err, "%s/%s: was %s while it was written",
			j->dir_name, name, err == -ENOENT ? "removed" : "cut short");
	return err == 0 ? 0 : fail(e, err, "%s/%s: cannot write: %s", j->dir_name, name,
		strerror(-err));
}

int journal_append(struct journal *j, int slot, const char *text, size_t len, struct error *e)
{
	struct slot *s = j->slots[slot];
	int err = tell_trouble(j, e);
	int64_t now;

	if (err < 0)
		return has_failed(j, err);
	now = clock_steady();
	err = file_write_all(s->fd, text, len);
	if (err < 0) {
		fail(e, err, "%s/%s: cannot write: %s", j->dir_name, s->name, strerror(-err));
		if (ftruncate(s->fd, (off_t)s->size) < 0)
			return has_failed(j, err);
		return has_failed(j, err);
	}
	pthread_mutex_lock(&j->lock);
	s->size += len;
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

/* Whether a name leads to the folder that we hold; also true if that cannot be known. */
static bool leads_here(const struct journal *j, const char *path)
{
	struct stat held, named;

	if (stat(path, &named) < 0)
		return errno != ENOENT && errno != ENOTDIR;
	return fstat(j->dir, &held) < 0 ||
		(held.st_dev == named.st_dev && held.st_ino == named.st_ino);
}

/* A child process can change its working folder and ask the kernel for the path of that. */
static int send_path(void *arg, int fd)
{
	const struct journal *j = arg;
	char path[4096];
	long n = fchdir(j->dir) < 0 ? -1 : syscall(SYS_getcwd, path, sizeof(path));

	return n <= 0 || send(fd, path, (size_t)n, MSG_NOSIGNAL) < 0;
}

static void ask_for_path(const struct journal *j, char *path, size_t size)
{
	const struct child_config how = { .run = send_path, .arg = (void *)(uintptr_t)j,
		.keep = &j->dir, .n_keep = 1, .dies_with_parent = true,
		.ignores_terminal = true };
	struct child c = { 0 };
	struct pollfd p;
	ssize_t n = 0;

	if (child_start(&c, &how, NULL) == 0) {
		p = (struct pollfd){ .fd = c.fd, .events = POLLIN };
		if (poll(&p, 1, PATH_PATIENCE) > 0)
			n = recv(c.fd, path, size - 1, MSG_DONTWAIT);
		child_end(&c, CLOCK_SECOND / 2);
	}
	path[n > 0 ? n : 0] = '\0';
}

/* Get the folder's path from the kernel; if /proc is not mounted, without it. */
static void find_folder(const struct journal *j, char *path, size_t size)
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", j->dir);
	n = readlink(link, path, size - 1);
	path[n > 0 ? n : 0] = '\0';
	if (n <= 0)
		ask_for_path(j, path, size);
}

bool journal_is_elsewhere(const struct journal *j, char *path, size_t size)
{
	if (leads_here(j, j->dir_name))
		return false;
	find_folder(j, path, size);
	if (!path[0] || !leads_here(j, path))
		snprintf(path, size, "%s (deleted)", j->dir_name);
	return true;
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
	release_journal(j);
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

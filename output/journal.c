/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/journal.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "output/journal_sync.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#define SLOTS         512
#define SYNC_EVERY_MS 500	/* no record is older than a second when it is on the disk */

struct slot {
	int fd;
	uint64_t size;
	int64_t since;		/* ns, of the oldest record that no sync has begun for; 0: none */
	char name[256];
};

/* A file that is complete, to be synced and closed. */
struct retired {
	int fd, slot;
	int64_t since;
};

struct journal {
	pthread_t thread;
	int dir;
	char dir_name[4096], dir_was[4096];	/* as it was named, and where that was */
	pthread_mutex_t lock;	/* of what both threads change; never held during I/O */
	size_t n_retired, room;
	struct retired *retired;
	struct sync_round round;	/* the thread's */
	int64_t round_since;	/* of the oldest record in the round; 0: there is none */
	int64_t most;		/* ns the longest wait for the disk took */
	int wake, over;		/* eventfd: there is work or the end; the thread has ended */
	atomic_bool ending, hurry;
	char whole_name[256];	/* the one file that is replaced whole; set once */
	struct strbuf whole;	/* what it is to hold; empty: nothing is waiting */
	pthread_t writer;	/* writes it, aside from the rounds of syncs; their thread's */
	bool has_writer;
	struct strbuf writing;
	atomic_bool written;	/* the writer is done */
	atomic_int trouble;	/* -errno of the first sync that failed */
	atomic_int trouble_slot;
	atomic_bool told;	/* the caller knows of it */
	size_t n;
	struct slot *slots[SLOTS];
};

/* The trouble of a file that is replaced whole has no slot. */
#define WHOLE (-1)

static void note_trouble(struct journal *j, int slot, int err)
{
	int none = 0;

	if (atomic_compare_exchange_strong(&j->trouble, &none, -err))
		atomic_store(&j->trouble_slot, slot);
}

static int64_t older(int64_t a, int64_t b)
{
	return a == 0 ? b : b == 0 ? a : a < b ? a : b;
}

static void add_job(struct journal *j, int fd, int slot, int64_t since, bool complete)
{
	j->round.jobs[j->round.n++] = (struct sync_job){ .fd = fd, .slot = slot,
		.close = complete };
	j->round_since = older(j->round_since, since);
}

/* Take all that waits for the disk into the round. */
static void gather(struct journal *j)
{
	struct sync_round *r = &j->round;

	pthread_mutex_lock(&j->lock);
	if (r->room < j->n + j->n_retired) {
		r->room = j->n + j->n_retired;
		r->jobs = mem_realloc(r->jobs, r->room * sizeof(*r->jobs));
	}
	r->n = 0;
	for (size_t i = 0; i < j->n_retired; i++)
		add_job(j, j->retired[i].fd, j->retired[i].slot, j->retired[i].since, true);
	j->n_retired = 0;
	for (size_t i = 0; i < j->n; i++) {
		struct slot *s = j->slots[i];

		if (s->since)
			add_job(j, s->fd, (int)i, s->since, false);
		s->since = 0;
	}
	pthread_mutex_unlock(&j->lock);
}

static void sync_files(struct journal *j)
{
	int64_t took;

	gather(j);
	sync_round_run(&j->round);
	pthread_mutex_lock(&j->lock);
	for (size_t i = 0; i < j->round.n; i++) {
		const struct sync_job *job = &j->round.jobs[i];

		/* A file that was complete meanwhile may have been removed by us. */
		if (job->error && (job->error != ENOENT || j->slots[job->slot]->fd == job->fd))
			note_trouble(j, job->slot, job->error);
	}
	took = j->round_since ? clock_steady() - j->round_since : 0;
	if (took > j->most)
		j->most = took;
	j->round_since = 0;
	pthread_mutex_unlock(&j->lock);
}

static void *write_whole(void *arg)
{
	struct journal *j = arg;
	struct file_new f;
	struct error e;
	int err = file_new_open_at(&f, j->dir, j->dir_name, j->whole_name, true, &e);

	if (err == 0) {
		f.lazy = atomic_load(&j->hurry);
		err = file_write_all(f.fd, j->writing.text, j->writing.len);
		if (err < 0)
			file_new_discard(&f);
		else
			err = file_new_keep(&f, &e);
	}
	if (err < 0)
		note_trouble(j, WHOLE, -err);
	strbuf_clear(&j->writing);
	atomic_store(&j->written, true);
	return NULL;
}

/* True when none is at work; with `wait` always. */
static bool writer_is_over(struct journal *j, bool wait)
{
	if (j->has_writer && !wait && !atomic_load(&j->written))
		return false;
	if (j->has_writer)
		pthread_join(j->writer, NULL);
	j->has_writer = false;
	return true;
}

/* Take the text that is waiting, or put it back for later if no newer one is. */
static void swap_whole(struct journal *j, struct strbuf *text)
{
	struct strbuf mine = *text;

	pthread_mutex_lock(&j->lock);
	if (mine.len == 0 || j->whole.len == 0) {
		*text = j->whole;
		j->whole = mine;
	}
	pthread_mutex_unlock(&j->lock);
}

/* Write the text; after trouble only when the caller knows of it, and the text tells. */
static void start_writer(struct journal *j, struct strbuf *text, bool aside)
{
	if (text->len == 0)
		return;
	if (atomic_load(&j->trouble) != 0 && !atomic_load(&j->told)) {
		swap_whole(j, text);
		strbuf_clear(text);
		return;
	}
	j->writing = *text;
	atomic_store(&j->written, false);
	j->has_writer = aside && pthread_create(&j->writer, NULL, write_whole, j) == 0;
	if (!j->has_writer)
		write_whole(j);
}

/*
 * The text is written when all that it tells of is on the disk, and beside the
 * rounds that follow, so that no row waits for it.
 */
static void sync_all(struct journal *j)
{
	struct strbuf text = { 0 };

	if (writer_is_over(j, false))
		swap_whole(j, &text);
	sync_files(j);
	start_writer(j, &text, true);
}

static void sync_last(struct journal *j)
{
	struct strbuf text = { 0 };

	sync_files(j);
	writer_is_over(j, true);
	swap_whole(j, &text);
	start_writer(j, &text, false);
}

/* A file that somebody removed since its last sync holds nothing any more. */
static void check_names(struct journal *j)
{
	struct stat st;

	for (size_t i = 0; i < j->n; i++)
		if (fstat(j->slots[i]->fd, &st) == 0 && st.st_nlink == 0)
			note_trouble(j, (int)i, ENOENT);
}

static void *sync_loop(void *arg)
{
	struct journal *j = arg;
	struct pollfd wake = { .fd = j->wake, .events = POLLIN };
	uint64_t n, one = 1;

	while (!atomic_load(&j->ending)) {
		if (poll(&wake, 1, SYNC_EVERY_MS) > 0 && read(j->wake, &n, sizeof(n)) > 0 &&
			atomic_load(&j->ending))
			break;
		sync_all(j);
	}
	check_names(j);
	sync_last(j);
	while (write(j->over, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	return NULL;
}

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
	strbuf_clear(&j->whole);
	pthread_mutex_destroy(&j->lock);
	if (j->wake >= 0)
		close(j->wake);
	if (j->over >= 0)
		close(j->over);
	if (j->dir >= 0)
		close(j->dir);
	free(j);
}

/* Where the kernel says that the folder is. */
static void find_folder(const struct journal *j, char *path, size_t size)
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
	err = pthread_create(&j->thread, NULL, sync_loop, j);
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
	j->wake = eventfd(0, EFD_CLOEXEC);
	j->over = eventfd(0, EFD_CLOEXEC);
	j->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (j->wake < 0 || j->over < 0 || j->dir < 0)
		err = fail_errno(e, "%s: cannot use folder", dir);
	if (err == 0) {
		find_folder(j, j->dir_was, sizeof(j->dir_was));
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

	if (j->n == SLOTS)
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
	struct file_new f;
	int err = file_new_open_at(&f, j->dir, j->dir_name, name, false, e);

	if (err < 0)
		return err;
	f.lazy = true;
	err = file_write_all(f.fd, text->text, text->len);
	if (err < 0) {
		file_new_discard(&f);
		return fail(e, err, "%s/%s: cannot write: %s", j->dir_name, name, strerror(-err));
	}
	err = file_new_keep(&f, e);
	if (err == 0)
		journal_put_file(j, name, text);
	return err;
}

void journal_put_file(struct journal *j, const char *name, struct strbuf *text)
{
	struct strbuf before;

	pthread_mutex_lock(&j->lock);
	before = j->whole;
	if (!j->whole_name[0])
		mem_copy_text(j->whole_name, sizeof(j->whole_name), name);
	j->whole = *text;
	pthread_mutex_unlock(&j->lock);
	*text = (struct strbuf){ 0 };
	strbuf_clear(&before);
	wake_thread(j);
}

static int tell_trouble(struct journal *j, struct error *e)
{
	int err = atomic_load(&j->trouble), slot = atomic_load(&j->trouble_slot);
	const char *name = slot == WHOLE ? j->whole_name : j->slots[slot]->name;

	if (err == -ENOENT && slot != WHOLE)
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
		since = older(since, j->retired[i].since);
	for (size_t i = 0; i < j->n; i++)
		since = older(since, j->slots[i]->since);
	age = since ? clock_steady() - since : 0;
	*most = age > j->most ? age : j->most;
	pthread_mutex_unlock(&j->lock);
	return age;
}

bool journal_is_elsewhere(const struct journal *j, char *path, size_t size)
{
	find_folder(j, path, size);
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
			note_trouble(j, (int)i, errno);
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
	/* The thread goes on using j: it may be in a sync that does not come back. */
	atomic_store(&j->hurry, true);
	journal_end(j);
	pthread_detach(j->thread);
	file_new_sweep(j->dir, j->whole_name, getpid());
}

void journal_discard(struct journal *j)
{
	if (!j)
		return;
	pthread_mutex_lock(&j->lock);
	strbuf_clear(&j->whole);
	pthread_mutex_unlock(&j->lock);
	atomic_store(&j->hurry, true);
	journal_end(j);
	pthread_join(j->thread, NULL);
	for (size_t i = 0; i < j->n; i++)
		unlinkat(j->dir, j->slots[i]->name, 0);
	if (j->whole_name[0])
		unlinkat(j->dir, j->whole_name, 0);
	close_all(j, NULL);
}

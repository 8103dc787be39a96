/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal.c - the caller's side, which hands records to the kernel, and the thread that puts them
 * on the disk.  They share all of the state, so this file is over 700 lines.
 */
#include "config.h"
#include "output/journal.h"

#include "base/child.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/want.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#define JOURNAL_SLOTS 512

/* A round of syncs, in parallel if the disk is slow. */

struct sync_job {
	int fd, slot;
	uint64_t size;		/* what was written, at least */
	bool close;		/* the file is complete */
	int error;		/* errno of a sync that failed, or of sync_find_loss() */
};

struct sync_round {
	size_t n, room;
	struct sync_job *jobs;
	atomic_size_t next;	/* the first job that is not taken */
	bool slow;		/* the last round had a sync that took long */
};

/*
 * The one file that is replaced whole: the index.  Any thread may put a text; of those that wait
 * only the newest is written, in a thread of its own, so that no row waits for it.
 */
struct whole {
	struct strbuf waiting;		/* empty: no text waits */
	char name[256];			/* "": it was not made yet */
	int reserve;			/* a nameless file, whose room a text may take; -1 */

	/* Used only by the journal's thread and its writer. */
	pthread_t writer;
	bool has_writer, is_last;	/* is_last: nothing is written after this text */
	struct strbuf writing;
	atomic_bool written;		/* the writer is done */
};

struct slot {
	int fd;
	uint64_t size;
	int64_t since;		/* ns, of the oldest record without a sync; 0: none */
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
	char dir_name[4096];	/* as it was named */
	pthread_mutex_t lock;	/* for what several threads change; never held during I/O */
	size_t n_retired, room;
	struct retired *retired;
	struct sync_round round;	/* the thread's */
	int64_t round_since;	/* of the oldest record in the round; 0: there is none */
	int64_t most;		/* ns that the longest wait for the disk took */
	int wake, over;		/* eventfds: there is work, or the end; the thread has ended */
	atomic_bool ending;
	atomic_bool hurry;	/* take no further sync, and leave the index to the kernel */
	struct whole index;
	atomic_int trouble;	/* -errno of the first sync, or text of the index, that failed */
	atomic_int trouble_slot;
	atomic_bool told;	/* the caller has received it, or another error */
	size_t n;
	struct slot *slots[JOURNAL_SLOTS];
};

/* Instead of a slot, for trouble with the index. */
#define JOURNAL_INDEX (-1)

static void note_trouble(struct journal *j, int slot, int err)
{
	int none = 0;

	if (atomic_compare_exchange_strong(&j->trouble, &none, -err))
		atomic_store(&j->trouble_slot, slot);
}

/* The older of two times; 0 means none. */
static int64_t older(int64_t a, int64_t b)
{
	return a == 0 ? b : b == 0 ? a : a < b ? a : b;
}

/* The thread. */

#define HELPERS_MAX 31
#define SLOW_NS     (50 * CLOCK_MS)	/* after a longer sync the next ones run in parallel */

/* Why a file no longer has what was written: ENOENT: removed, ENODATA: cut short; 0: it has. */
static int sync_find_loss(int fd, uint64_t size)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return 0;
	return st.st_nlink == 0 ? ENOENT : (uint64_t)st.st_size < size ? ENODATA : 0;
}

static void run_job(struct sync_job *job)
{
	/* A file that cannot be synced at all (a FIFO, some network ones) is not an error. */
	if (fdatasync(job->fd) < 0 && errno != EINVAL && errno != EROFS)
		job->error = errno;
	else if (!job->close)
		job->error = sync_find_loss(job->fd, job->size);
}

static struct sync_job *take_job(struct journal *j)
{
	size_t i = atomic_load(&j->hurry) ? j->round.n : atomic_fetch_add(&j->round.next, 1);

	return i < j->round.n ? &j->round.jobs[i] : NULL;
}

static void *help(void *arg)
{
	struct sync_job *job;

	while ((job = take_job(arg)))
		run_job(job);
	return NULL;
}

/* Called by one thread, which may start others and waits for them. */
static void sync_round_run(struct journal *j)
{
	struct sync_round *r = &j->round;
	pthread_t helpers[HELPERS_MAX];
	struct sync_job *job;
	size_t n = 0;
	bool slow = false;

	atomic_store(&r->next, 0);
	for (size_t started = 0; (job = take_job(j)); started++) {
		int64_t begun;

		while (r->slow && n < HELPERS_MAX && n + started + 1 < r->n &&
			pthread_create(&helpers[n], NULL, help, j) == 0)
			n++;
		begun = clock_steady();
		run_job(job);
		slow |= clock_steady() - begun > SLOW_NS;
		r->slow |= slow;
	}
	for (size_t i = 0; i < n; i++)
		pthread_join(helpers[i], NULL);
	if (r->n > 0)
		r->slow = slow;
	for (size_t i = 0; i < r->n; i++)
		if (r->jobs[i].close)
			close(r->jobs[i].fd);
}

#define RESERVE_MORE 4096	/* bytes that the next text may have more than this one */

static void give_reserve(struct journal *j)
{
	if (j->index.reserve >= 0)
		close(j->index.reserve);
	j->index.reserve = -1;
}

/* Where the file system cannot do it, a full disk may leave an index that does not say so. */
static void take_reserve(struct journal *j, size_t size)
{
	j->index.reserve = openat(j->dir, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
	if (j->index.reserve >= 0 && fallocate(j->index.reserve, 0, 0, (off_t)size) < 0)
		give_reserve(j);
}

/*
 * Take the text that waits; empty if there is none, or if the last one is still being written and
 * that is not waited for.
 */
static struct strbuf take_text(struct journal *j, bool wait)
{
	struct whole *w = &j->index;
	struct strbuf text = { 0 };

	if (w->has_writer && !wait && !atomic_load(&w->written))
		return text;
	if (w->has_writer)
		pthread_join(w->writer, NULL);
	w->has_writer = false;
	pthread_mutex_lock(&j->lock);
	text = w->waiting;
	w->waiting = (struct strbuf){ 0 };
	pthread_mutex_unlock(&j->lock);
	return text;
}

/* Put a text back that was taken, unless there is a newer one. */
static void give_back_text(struct journal *j, struct strbuf *text)
{
	pthread_mutex_lock(&j->lock);
	if (j->index.waiting.len == 0) {
		strbuf_clear(&j->index.waiting);
		j->index.waiting = *text;
		*text = (struct strbuf){ 0 };
	}
	pthread_mutex_unlock(&j->lock);
	strbuf_clear(text);
}

static int replace_index(struct journal *j)
{
	struct file_new f;
	int err = file_new_open_at(&f, j->dir, j->dir_name, j->index.name, true, NULL);

	if (err < 0)
		return err;
	f.lazy = atomic_load(&j->hurry);
	return file_new_finish(&f, j->index.writing.text, j->index.writing.len, NULL);
}

static void *write_text(void *arg)
{
	struct journal *j = arg;
	struct whole *w = &j->index;
	int err = replace_index(j);

	/* The text may be what says that the disk is full; the room of the old one is free then. */
	if ((err == -ENOSPC || err == -EDQUOT) && w->reserve >= 0) {
		give_reserve(j);
		err = replace_index(j);
		take_reserve(j, w->writing.len + RESERVE_MORE);
	}
	/* A descriptor that is missing now may be there at the next round. */
	if (err < 0 && want_is(err) && !w->is_last)
		give_back_text(j, &w->writing);
	else if (err < 0)
		note_trouble(j, JOURNAL_INDEX, -err);
	strbuf_clear(&w->writing);
	atomic_store(&w->written, true);
	return NULL;
}

/*
 * Write a text that was taken; aside: in a thread, which puts it back without a descriptor.  After
 * trouble, write none until the caller has received it, so that the index reports it.
 */
static void write_index(struct journal *j, struct strbuf *text, bool aside)
{
	struct whole *w = &j->index;

	if (text->len == 0)
		return;
	if (atomic_load(&j->trouble) && !atomic_load(&j->told)) {
		give_back_text(j, text);
		return;
	}
	w->writing = *text;
	w->is_last = !aside;
	atomic_store(&w->written, false);
	w->has_writer = aside && pthread_create(&w->writer, NULL, write_text, j) == 0;
	if (!w->has_writer)
		write_text(j);
}

#define SYNC_EVERY_MS 500	/* no record is older than a second when it is on the disk */

static void add_job(struct journal *j, int fd, int slot, int64_t since, bool complete)
{
	j->round.jobs[j->round.n++] = (struct sync_job){ .fd = fd, .slot = slot,
		.size = complete ? 0 : j->slots[slot]->size, .close = complete };
	j->round_since = older(j->round_since, since);
}

/* Put all files that wait for the disk into the round. */
static void gather_round(struct journal *j)
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

	gather_round(j);
	sync_round_run(j);
	pthread_mutex_lock(&j->lock);
	for (size_t i = 0; i < j->round.n; i++) {
		const struct sync_job *job = &j->round.jobs[i];

		/* In the meantime we may have removed a completed file ourselves. */
		if (job->error && (job->error != ENOENT || j->slots[job->slot]->fd == job->fd))
			note_trouble(j, job->slot, job->error);
	}
	took = j->round_since ? clock_steady() - j->round_since : 0;
	if (took > j->most)
		j->most = took;
	j->round_since = 0;
	pthread_mutex_unlock(&j->lock);
}

/*
 * The index is written once all the rows it counts are on the disk, and beside
 * the rounds that follow, so that no row waits for it.
 */
static void sync_all(struct journal *j)
{
	struct strbuf text = take_text(j, false);

	sync_files(j);
	write_index(j, &text, true);
}

static void sync_last(struct journal *j)
{
	struct strbuf text;

	sync_files(j);
	text = take_text(j, true);
	write_index(j, &text, false);
}

/* A file that was removed or cut since its last sync is lost. */
static void check_files(struct journal *j)
{
	for (size_t i = 0; i < j->n; i++) {
		const int err = sync_find_loss(j->slots[i]->fd, j->slots[i]->size);

		if (err)
			note_trouble(j, (int)i, err);
	}
}

static void *sync_run(void *arg)
{
	struct journal *j = arg;
	struct pollfd wake = { .fd = j->wake, .events = POLLIN };
	eventfd_t n;

	while (poll(&wake, 1, SYNC_EVERY_MS) <= 0 || eventfd_read(j->wake, &n) < 0 ||
		!atomic_load(&j->ending))
		sync_all(j);
	check_files(j);
	sync_last(j);
	eventfd_write(j->over, 1);
	return NULL;
}

/* The caller's side. */

#define ROOM_PATIENCE 200 /* times 10 ms that the next part of a file waits for a descriptor */

static void wake_thread(struct journal *j)
{
	eventfd_write(j->wake, 1);
}

static void release_journal(struct journal *j)
{
	for (size_t i = 0; i < j->n; i++)
		free(j->slots[i]);
	free(j->round.jobs);
	free(j->retired);
	give_reserve(j);
	strbuf_clear(&j->index.waiting);
	pthread_mutex_destroy(&j->lock);
	if (j->wake >= 0)
		close(j->wake);
	if (j->over >= 0)
		close(j->over);
	if (j->dir >= 0)
		close(j->dir);
	free(j);
}

static int open_dir(int folder, const char *dir, struct error *e)
{
	const int at = folder < 0 ? file_open_folder(dir, e) : folder;
	int fd;

	if (at < 0)
		return at;
	fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		fd = fail_errno(e, "%s: cannot use folder", dir);
	if (at != folder)
		close(at);
	return fd;
}

int journal_open(int folder, const char *dir, struct journal **out, struct error *e)
{
	struct journal *j = mem_calloc(1, sizeof(*j));
	int err = 0;

	pthread_mutex_init(&j->lock, NULL);
	j->round.slow = true;	/* until it is known */
	mem_copy_text(j->dir_name, sizeof(j->dir_name), dir);
	j->index.reserve = -1;
	j->wake = eventfd(0, EFD_CLOEXEC);
	j->over = eventfd(0, EFD_CLOEXEC);
	j->dir = open_dir(folder, dir, e);
	if (j->dir < 0)
		err = j->dir;
	else if (j->wake < 0 || j->over < 0)
		err = fail_errno(e, "%s: cannot use folder", dir);
	if (err == 0) {
		err = thread_start(&j->thread, sync_run, j);
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
	struct file_new f;
	int err = file_new_open_at(&f, j->dir, j->dir_name, name, false, e);

	if (err < 0)
		return err;
	f.lazy = true;
	err = file_new_finish(&f, text->text, text->len, e);
	if (err < 0)
		return err;
	take_reserve(j, text->len + RESERVE_MORE);
	mem_copy_text(j->index.name, sizeof(j->index.name), name);
	journal_put_file(j, text);
	return 0;
}

void journal_put_file(struct journal *j, struct strbuf *text)
{
	struct strbuf before;

	pthread_mutex_lock(&j->lock);
	before = j->index.waiting;
	j->index.waiting = *text;
	pthread_mutex_unlock(&j->lock);
	*text = (struct strbuf){ 0 };
	strbuf_clear(&before);
	wake_thread(j);
}

static int tell_trouble(struct journal *j, struct error *e)
{
	const int err = atomic_load(&j->trouble), slot = err ? atomic_load(&j->trouble_slot) :
		JOURNAL_INDEX;
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
		since = older(since, j->retired[i].since);
	for (size_t i = 0; i < j->n; i++)
		since = older(since, j->slots[i]->since);
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

/* Get the folder's path from the kernel; if /proc is not mounted, as that of the working folder. */
static void find_folder(const struct journal *j, char *path, size_t size)
{
	char link[64];
	ssize_t n;
	int here;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", j->dir);
	n = readlink(link, path, size - 1);
	path[n > 0 ? n : 0] = '\0';
	if (n > 0)
		return;
	/* The working folder becomes this thread's own, so that no other one sees it change. */
	here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (here >= 0 && unshare(CLONE_FS) == 0 && fchdir(j->dir) == 0) {
		if (!getcwd(path, size))
			path[0] = '\0';
		if (fchdir(here) < 0)
			path[0] = '\0';
	}
	if (here >= 0)
		close(here);
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
			note_trouble(j, (int)i, errno);
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
	file_new_sweep_at(j->dir, j->index.name, getpid());
}

void journal_discard(struct journal *j)
{
	if (!j)
		return;
	atomic_store(&j->hurry, true);
	journal_end(j);
	pthread_join(j->thread, NULL);
	for (size_t i = 0; i < j->n; i++)
		unlinkat(j->dir, j->slots[i]->name, 0);
	if (j->index.name[0])
		unlinkat(j->dir, j->index.name, 0);
	close_all(j, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal_thread.c - the thread that puts the files of a journal on the disk.
 */
#include "config.h"
#include "output/journal_local.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/want.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static struct sync_job *take_job(struct sync_round *r)
{
	size_t i = atomic_load(r->hurry) ? r->n : atomic_fetch_add(&r->next, 1);

	return i < r->n ? &r->jobs[i] : NULL;
}

static void *help(void *arg)
{
	struct sync_round *r = arg;
	struct sync_job *job;

	while ((job = take_job(r)))
		run_job(job);
	return NULL;
}

/* Called by one thread, which may start others and waits for them. */
static void sync_round_run(struct sync_round *r)
{
	pthread_t helpers[HELPERS_MAX];
	struct sync_job *job;
	size_t n = 0;
	bool slow = false;

	atomic_store(&r->next, 0);
	for (size_t started = 0; (job = take_job(r)); started++) {
		int64_t begun;

		while (r->slow && n < HELPERS_MAX && n + started + 1 < r->n &&
			pthread_create(&helpers[n], NULL, help, r) == 0)
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

void whole_init(struct whole *w, const char *dir_name, const atomic_bool *hurry)
{
	*w = (struct whole){ .dir = -1, .dir_name = dir_name, .hurry = hurry,
		.reserve = -1 };
	pthread_mutex_init(&w->lock, NULL);
}

static void give_reserve(struct whole *w)
{
	if (w->reserve >= 0)
		close(w->reserve);
	w->reserve = -1;
}

/* Where the file system cannot do it, a full disk may leave an index that does not say so. */
static void take_reserve(struct whole *w, size_t size)
{
	w->reserve = openat(w->dir, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
	if (w->reserve >= 0 && fallocate(w->reserve, 0, 0, (off_t)size) < 0)
		give_reserve(w);
}

void whole_clear(struct whole *w)
{
	give_reserve(w);
	strbuf_clear(&w->waiting);
	pthread_mutex_destroy(&w->lock);
}

int whole_make(struct whole *w, const char *name, const struct strbuf *text, struct error *e)
{
	struct file_new f;
	int err = file_new_open_at(&f, w->dir, w->dir_name, name, false, e);

	if (err < 0)
		return err;
	f.lazy = true;
	err = file_new_finish(&f, text->text, text->len, e);
	if (err == 0)
		take_reserve(w, text->len + RESERVE_MORE);
	return err;
}

void whole_put(struct whole *w, const char *name, struct strbuf *text)
{
	struct strbuf before;

	pthread_mutex_lock(&w->lock);
	before = w->waiting;
	if (!w->name[0])
		mem_copy_text(w->name, sizeof(w->name), name);
	w->waiting = *text;
	pthread_mutex_unlock(&w->lock);
	*text = (struct strbuf){ 0 };
	strbuf_clear(&before);
}

void whole_drop(struct whole *w)
{
	pthread_mutex_lock(&w->lock);
	strbuf_clear(&w->waiting);
	pthread_mutex_unlock(&w->lock);
}

/* True if no writer is running; with `wait` it waits until that is so. */
static bool writer_is_over(struct whole *w, bool wait)
{
	if (w->has_writer && !wait && !atomic_load(&w->written))
		return false;
	if (w->has_writer)
		pthread_join(w->writer, NULL);
	w->has_writer = false;
	return true;
}

/* Take the text that waits; empty if there is none, or if the last one is still being written. */
static struct strbuf whole_take(struct whole *w, bool wait)
{
	struct strbuf text = { 0 };

	if (!writer_is_over(w, wait))
		return text;
	pthread_mutex_lock(&w->lock);
	text = w->waiting;
	w->waiting = (struct strbuf){ 0 };
	pthread_mutex_unlock(&w->lock);
	return text;
}

/* Put a text back that was taken, unless there is a newer one. */
static void whole_give_back(struct whole *w, struct strbuf *text)
{
	pthread_mutex_lock(&w->lock);
	if (w->waiting.len == 0) {
		strbuf_clear(&w->waiting);
		w->waiting = *text;
		*text = (struct strbuf){ 0 };
	}
	pthread_mutex_unlock(&w->lock);
	strbuf_clear(text);
}

static int replace_file(struct whole *w)
{
	struct file_new f;
	int err = file_new_open_at(&f, w->dir, w->dir_name, w->name, true, NULL);

	if (err < 0)
		return err;
	f.lazy = atomic_load(w->hurry);
	return file_new_finish(&f, w->writing.text, w->writing.len, NULL);
}

static void *write_text(void *arg)
{
	struct whole *w = arg;
	int err = replace_file(w), none = 0;

	/* The text may be what says that the disk is full; the room of the old one is free then. */
	if ((err == -ENOSPC || err == -EDQUOT) && w->reserve >= 0) {
		give_reserve(w);
		err = replace_file(w);
		take_reserve(w, w->writing.len + RESERVE_MORE);
	}
	/* A descriptor that is missing now may be there at the next round. */
	if (err < 0 && want_is(err) && !w->is_last)
		whole_give_back(w, &w->writing);
	else if (err < 0)
		atomic_compare_exchange_strong(&w->error, &none, err);
	strbuf_clear(&w->writing);
	atomic_store(&w->written, true);
	return NULL;
}

/* Write a text that was taken; aside: in a thread, which puts it back without a descriptor. */
static void whole_write(struct whole *w, struct strbuf *text, bool aside)
{
	w->writing = *text;
	*text = (struct strbuf){ 0 };
	w->is_last = !aside;
	atomic_store(&w->written, false);
	w->has_writer = aside && pthread_create(&w->writer, NULL, write_text, w) == 0;
	if (!w->has_writer)
		write_text(w);
}

#define SYNC_EVERY_MS 500	/* no record is older than a second when it is on the disk */

void journal_note_trouble(struct journal *j, int slot, int err)
{
	int none = 0;

	if (atomic_compare_exchange_strong(&j->trouble, &none, -err))
		atomic_store(&j->trouble_slot, slot);
}

int journal_find_trouble(struct journal *j, int *slot)
{
	int err = atomic_load(&j->trouble);

	*slot = err ? atomic_load(&j->trouble_slot) : JOURNAL_INDEX;
	return err ? err : atomic_load(&j->index.error);
}

int64_t journal_older(int64_t a, int64_t b)
{
	return a == 0 ? b : b == 0 ? a : a < b ? a : b;
}

static void add_job(struct journal *j, int fd, int slot, int64_t since, bool complete)
{
	j->round.jobs[j->round.n++] = (struct sync_job){ .fd = fd, .slot = slot,
		.size = complete ? 0 : j->slots[slot]->size, .close = complete };
	j->round_since = journal_older(j->round_since, since);
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
	sync_round_run(&j->round);
	pthread_mutex_lock(&j->lock);
	for (size_t i = 0; i < j->round.n; i++) {
		const struct sync_job *job = &j->round.jobs[i];

		/* In the meantime we may have removed a completed file ourselves. */
		if (job->error && (job->error != ENOENT || j->slots[job->slot]->fd == job->fd))
			journal_note_trouble(j, job->slot, job->error);
	}
	took = j->round_since ? clock_steady() - j->round_since : 0;
	if (took > j->most)
		j->most = took;
	j->round_since = 0;
	pthread_mutex_unlock(&j->lock);
}

/* After trouble, write no index until the caller has received it, so that the index reports it. */
static void write_index(struct journal *j, struct strbuf *text, bool aside)
{
	int slot;

	if (text->len == 0)
		return;
	if (journal_find_trouble(j, &slot) != 0 && !atomic_load(&j->told))
		whole_give_back(&j->index, text);
	else
		whole_write(&j->index, text, aside);
}

/*
 * The index is written once all the rows it counts are on the disk, and beside
 * the rounds that follow, so that no row waits for it.
 */
static void sync_all(struct journal *j)
{
	struct strbuf text = whole_take(&j->index, false);

	sync_files(j);
	write_index(j, &text, true);
}

static void sync_last(struct journal *j)
{
	struct strbuf text;

	sync_files(j);
	text = whole_take(&j->index, true);
	write_index(j, &text, false);
}

/* A file that was removed or cut since its last sync is lost. */
static void check_files(struct journal *j)
{
	for (size_t i = 0; i < j->n; i++) {
		const int err = sync_find_loss(j->slots[i]->fd, j->slots[i]->size);

		if (err)
			journal_note_trouble(j, (int)i, err);
	}
}

void *journal_run(void *arg)
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
	check_files(j);
	sync_last(j);
	while (write(j->over, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	return NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal_thread.c - the thread that puts the files of a journal on the disk.
 */
#include "config.h"
#include "output/journal_local.h"
#include "base/clock.h"
#include "base/mem.h"

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

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

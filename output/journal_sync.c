/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/journal_sync.h"
#include "base/clock.h"

#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#define HELPERS_MAX 31
#define SLOW_NS     (50 * CLOCK_MS)	/* after a longer sync the next ones run in parallel */

int sync_find_loss(int fd, uint64_t size)
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

void sync_round_run(struct sync_round *r)
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

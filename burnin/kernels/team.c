/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each round of work has a number.  A worker waits for the number to change,
 * works, and counts down; the caller waits for zero.  Both words are futexes.
 */
#include "config.h"
#include "burnin/kernels/team.h"

#include "base/mem.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { HUGE_PAGE = 2 << 20, SMALL_PAGE = 4096 };

/* Whole huge pages from 1 MiB on, small pages below. */
static size_t rounded(size_t size)
{
	const size_t page = size >= HUGE_PAGE / 2 ? HUGE_PAGE : SMALL_PAGE;

	return size ? (size + page - 1) / page * page : page;
}

void *pages_alloc(size_t size)
{
	const size_t need = rounded(size);
	const size_t slack = need >= HUGE_PAGE ? HUGE_PAGE : 0;
	char *p;
	size_t head;

	if (size > SIZE_MAX / 2)
		return NULL;
	p = mmap(NULL, need + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	if (!slack)
		return p;
	head = (HUGE_PAGE - (uintptr_t)p % HUGE_PAGE) % HUGE_PAGE;
	if (head)
		munmap(p, head);
	if (slack - head)
		munmap(p + head + need, slack - head);
	madvise(p + head, need, MADV_HUGEPAGE);
	return p + head;
}

void pages_free(void *p, size_t size)
{
	if (p)
		munmap(p, rounded(size));
}

enum { SPINS = 4000 };		/* of some ns each: together about the cost of a wake-up */

struct worker {
	struct team *team;
	pthread_t thread;
	int index;
};

struct team {
	int threads;
	bool pinned;
	cpu_set_t before;		/* the caller's processors */
	_Alignas(64) _Atomic uint32_t round;
	_Alignas(64) _Atomic uint32_t busy;
	_Atomic bool ending;
	void (*fn)(void *arg, int thread);
	void *arg;
	struct worker *workers;		/* threads - 1 */
};

#if defined(__x86_64__)
static void relax(void)
{
	__builtin_ia32_pause();
}
#else
static void relax(void)
{
	atomic_signal_fence(memory_order_seq_cst);
}
#endif

/* Wait until *word is not old; returns its value. */
static uint32_t wait_while(_Atomic uint32_t *word, uint32_t old)
{
	uint32_t now;

	for (int i = 0; i < SPINS; i++) {
		now = atomic_load_explicit(word, memory_order_acquire);
		if (now != old)
			return now;
		relax();
	}
	while ((now = atomic_load_explicit(word, memory_order_acquire)) == old)
		syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, old, NULL, NULL, 0);
	return now;
}

static void wake_all(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, TEAM_MAX, NULL, NULL, 0);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct team *p = w->team;
	uint32_t round = 0;

	for (;;) {
		round = wait_while(&p->round, round);
		if (atomic_load(&p->ending))
			return NULL;
		p->fn(p->arg, w->index);
		if (atomic_fetch_sub_explicit(&p->busy, 1, memory_order_acq_rel) == 1)
			wake_all(&p->busy);
	}
}

/* The i-th of the processors that the process may use, starting over after the last. */
static int nth_processor(const cpu_set_t *may, int i)
{
	int left = i % CPU_COUNT(may), cpu = 0;

	while (!CPU_ISSET((size_t)cpu, may) || left-- > 0)
		cpu++;
	return cpu;
}

static void pin(pthread_t thread, const cpu_set_t *may, int i)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)nth_processor(may, i), &one);
	pthread_setaffinity_np(thread, sizeof(one), &one);
}

int team_processors(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return CPU_COUNT(&set);
}

int team_processor(int thread)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? -1 : nth_processor(&set, thread);
}

/* End the workers that have started, which may not be all of them. */
static void stop_workers(struct team *p, int started)
{
	atomic_store(&p->ending, true);
	atomic_fetch_add(&p->round, 1);
	wake_all(&p->round);
	for (int i = 0; i < started; i++)
		pthread_join(p->workers[i].thread, NULL);
}

static void team_free(struct team *p)
{
	if (p->pinned)
		pthread_setaffinity_np(pthread_self(), sizeof(p->before), &p->before);
	free(p->workers);
	free(p);
}

int team_open(struct team **team, int threads, bool pinned, struct error *e)
{
	struct team *p;

	*team = NULL;
	if (threads < 1 || threads > TEAM_MAX)
		return fail(e, -EINVAL, "%d threads: not 1 to %d", threads, TEAM_MAX);
	p = aligned_alloc(_Alignof(struct team), sizeof(*p));
	if (!p)
		return fail(e, -ENOMEM, "%d threads: out of memory", threads);
	memset(p, 0, sizeof(*p));
	p->threads = threads;
	p->workers = mem_calloc((size_t)threads, sizeof(*p->workers));
	p->pinned = pinned && !sched_getaffinity(0, sizeof(p->before), &p->before);
	if (p->pinned)
		pin(pthread_self(), &p->before, 0);
	for (int i = 0; i < threads - 1; i++) {
		struct worker *w = &p->workers[i];
		int err;

		*w = (struct worker){ .team = p, .index = i + 1 };
		err = pthread_create(&w->thread, NULL, work, w);
		if (err) {
			stop_workers(p, i);
			team_free(p);
			return fail(e, -err, "%d threads: cannot start number %d: %s", threads,
				i + 2, strerror(err));
		}
		if (p->pinned)
			pin(w->thread, &p->before, i + 1);
	}
	*team = p;
	return 0;
}

void team_close(struct team *p)
{
	if (!p)
		return;
	stop_workers(p, p->threads - 1);
	team_free(p);
}

int team_threads(const struct team *p)
{
	return p->threads;
}

void team_run(struct team *p, void (*fn)(void *arg, int thread), void *arg)
{
	uint32_t busy;

	if (p->threads > 1) {
		p->fn = fn;
		p->arg = arg;
		atomic_store(&p->busy, (uint32_t)p->threads - 1);
		atomic_fetch_add_explicit(&p->round, 1, memory_order_release);
		wake_all(&p->round);
	}
	fn(arg, 0);
	if (p->threads == 1)
		return;
	while ((busy = atomic_load_explicit(&p->busy, memory_order_acquire)) != 0)
		wait_while(&p->busy, busy);
}

void team_once(int threads, void (*fn)(void *arg, int thread), void *arg)
{
	struct team *team;

	if (team_open(&team, threads, false, NULL) < 0) {
		for (int i = 0; i < threads; i++)
			fn(arg, i);
		return;
	}
	team_run(team, fn, arg);
	team_close(team);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/host/burn.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "burnin/host/burn_room.h"
#include "burnin/host/burn_set.h"
#include "burnin/host/burn_work.h"
#include "burnin/host/checkpoint.h"
#include "burnin/kernels/stopwatch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define GAP (CLOCK_SECOND / 2)		/* between two looks; a longer one was a delay */

/* If memory runs out, let the kernel kill the load, not the work of others. */
static void offer_to_kernel(void)
{
	const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	file_write_all(fd, "1000", 4);
	close(fd);
}

static int burn_run_child(void *arg, int fd)
{
	const struct burn *b = arg;

	(void)fd;
	clock_leave();
	mem_unshare_others(b->shared);
	offer_to_kernel();
	stopwatch_hear_stops();
	return burn_work(&b->config, b->shared);
}

static void burn_ask_ledger(struct ledger *l, const struct burn_config *c)
{
	const uint64_t threads = (uint64_t)c->threads;

	ledger_ask(l, LEDGER_TIME, (uint64_t)c->duration);
	ledger_ask(l, LEDGER_ROUNDS, c->iterations);
	ledger_ask(l, LEDGER_THREADS, threads);
	for (int k = 0; k < BURN_KINDS; k++)
		ledger_ask(l, LEDGER_KINDS, c->kinds[k] ? threads : 0);
	ledger_ask(l, LEDGER_BYTES, c->memory);
}

int burn_start(struct burn *b, const struct burn_config *c, struct error *e)
{
	const struct child_config how = { .run = burn_run_child, .arg = b, .dies_with_parent = true,
		.ignores_terminal = true };
	int err;

	*b = (struct burn){ .config = *c, .size = sizeof(*b->shared)
		+ (size_t)c->threads * sizeof(b->shared->workers[0]),
		.oom_kills = burn_room_kills("") };
	/* Each worker tests whole pieces. */
	b->config.memory = burn_memory_whole(c->memory / (uint64_t)c->threads) *
		(uint64_t)c->threads;
	burn_ask_ledger(&b->ledger, &b->config);
	b->shared = mem_share(b->size);
	b->shared->started = clock_steady();
	watchdog_open(&b->watchdog, (size_t)c->threads, b->shared->started);
	atomic_store(&b->shared->watched, b->shared->started);
	if (c->resumed)
		checkpoint_apply(c->resumed, b->shared, c->threads);
	err = child_start(&b->child, &how, e);
	if (err < 0)
		burn_close(b);
	return err;
}

static void end_stood(struct burn *b, size_t worker, double seconds)
{
	if (b->stopped)
		fail_as(&b->stood, CODE_STOPPED, -ECANCELED, "the load was stopped from outside "
			"(SIGSTOP) for %.0f s and was ended", seconds);
	else
		fail_as(&b->stood, CODE_LOAD_HUNG, -ETIMEDOUT, "thread %zu on CPU %d stood still "
			"for %.0f s, and the load was ended", worker,
			atomic_load(&b->shared->workers[worker].cpu), seconds);
	child_end(&b->child, 0);
}

/*
 * What of the time since the last look was no time of load.  Over a long gap nobody knows whether
 * the load was stopped, too, as by a signal to both: then only its work counts, which is the
 * processor time of each thread that can run.
 */
static void note_time(struct burn *b, int64_t since)
{
	const int64_t had = child_processor_time(&b->child), more = had > b->had ? had - b->had : 0;
	const int64_t worked = more / burn_processors(&b->config);

	b->stopped = child_is_stopped(&b->child);
	if (b->was_running && b->stopped)
		b->stopped_for += since;
	else if (b->was_running && since > GAP && worked < since)
		b->unwatched_for += since - worked;
	b->was_running = burn_is_running(b);
	b->had = had;
}

bool burn_watch(struct burn *b, int64_t patience)
{
	const int64_t now = clock_steady(), since = watchdog_look(&b->watchdog, now);
	const int threads = b->config.threads, most = b->config.processors;
	int64_t stands;
	size_t worker;

	atomic_store(&b->shared->watched, now);
	note_time(b, since);
	if (child_has_ended(&b->child))
		return false;
	for (size_t i = 0; i < b->watchdog.n; i++)
		watchdog_see(&b->watchdog, i, atomic_load(&b->shared->workers[i].beats),
			burn_flag_is_set(&b->shared->workers[i].finished));
	stands = watchdog_longest(&b->watchdog, &worker);
	/* Threads that share a processor wait for each other. */
	if (stands < patience * (most > 0 ? (threads + most - 1) / most : 1))
		return true;
	end_stood(b, worker, (double)stands / 1e9);
	return false;
}

void burn_stop(struct burn *b)
{
	burn_flag_set(&b->shared->stop);
}

void burn_end(struct burn *b, int64_t patience)
{
	burn_stop(b);
	child_end(&b->child, patience);
}

void burn_close(struct burn *b)
{
	if (!b->shared)
		return;
	burn_end(b, 0);
	mem_unshare(b->shared, b->size);
	b->shared = NULL;
	watchdog_close(&b->watchdog);
}

bool burn_is_running(const struct burn *b)
{
	return burn_flag_is_set(&b->shared->running);
}

uint64_t burn_errors(const struct burn *b)
{
	uint64_t n = 0;

	for (int i = 0; i < b->config.threads; i++)
		n += burn_worker_get(&b->shared->workers[i], BURN_ERRORS);
	return n;
}

const struct impl *burn_impl(const struct burn *b, int kind)
{
	uint64_t n;

	if (!burn_count_get(&b->shared->impls[kind], &n))
		return NULL;
	for (uint64_t i = 0; impls[i]; i++)
		if (i + 1 == n)
			return impls[i]->stress ? impls[i] : NULL;
	return NULL;
}

const char *burn_impl_name(const struct burn *b, int kind)
{
	const struct impl *i = burn_impl(b, kind);

	return i ? i->name : "";
}

const char *burn_case_text(const struct burn *b, int kind, char *buf, size_t size)
{
	const struct impl *i = burn_impl(b, kind);

	buf[0] = '\0';
	if (i)
		burn_set_case(kind, i, buf, size);
	return buf;
}

const char *burn_making(const struct burn *b, char *buf, size_t size)
{
	uint64_t ready = 0;

	for (int i = 0; i < b->config.threads; i++)
		ready += atomic_load(&b->shared->workers[i].memory_ready);
	if (ready > 0)
		snprintf(buf, size, "%llu of %llu MiB of memory are in place",
			(unsigned long long)(ready >> 20),
			(unsigned long long)(b->config.memory >> 20));
	else
		snprintf(buf, size, "operands are being made");
	return buf;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/burn.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "burnin/burn_room.h"
#include "burnin/burn_work.h"
#include "burnin/checkpoint.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where memory runs out the load is what is killed, not the work of others. */
static void offer_to_kernel(void)
{
	const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	file_write_all(fd, "1000", 4);
	close(fd);
}

static int run(void *arg, int fd)
{
	const struct burn *b = arg;

	(void)fd;
	offer_to_kernel();
	return burn_work(&b->config, b->shared);
}

int burn_start(struct burn *b, const struct burn_config *c, struct error *e)
{
	const struct child_config how = { .run = run, .arg = b, .dies_with_parent = true,
		.ignores_terminal = true };
	int err;

	*b = (struct burn){ .config = *c, .size = sizeof(*b->shared)
		+ (size_t)c->threads * sizeof(b->shared->workers[0]),
		.oom_kills = burn_room_kills("") };
	b->shared = mem_share(b->size);
	b->shared->started = b->changed = clock_steady();
	atomic_store(&b->shared->watched, b->changed);
	if (c->resumed)
		checkpoint_apply(c->resumed, b->shared);
	err = child_start(&b->child, &how, e);
	if (err < 0) {
		mem_unshare(b->shared, b->size);
		b->shared = NULL;
	}
	return err;
}

bool burn_watch(struct burn *b, int64_t patience)
{
	const int64_t now = clock_steady(), since = now - atomic_load(&b->shared->watched);
	uint64_t beats = 0;

	atomic_store(&b->shared->watched, now);
	/* Whoever did not look has not seen it stand still. */
	if (since >= CLOCK_SECOND)
		b->changed += since;
	if (child_has_ended(&b->child))
		return false;
	b->stopped = child_is_stopped(&b->child);
	/* A longer gap is our own, and the caller's to count. */
	if (b->stopped && since < CLOCK_SECOND && atomic_load(&b->shared->running))
		b->stopped_for += since;
	for (int i = 0; i < b->config.threads; i++)
		beats += atomic_load(&b->shared->workers[i].beats);
	if (beats != b->beats) {
		b->beats = beats;
		b->changed = now;
	}
	if (now - b->changed < patience)
		return true;
	child_end(&b->child, 0);
	return false;
}

void burn_stop(struct burn *b)
{
	atomic_store(&b->shared->stop, true);
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
}

static int by_value(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* GFLOP/s. */
static double median_peak(const struct burn_worker *w, int kind)
{
	uint32_t v[BURN_PEAKS], n = atomic_load(&w->n_peaks[kind]);

	if (n > BURN_PEAKS)
		n = BURN_PEAKS;
	if (n == 0)
		return 0;
	for (uint32_t i = 0; i < n; i++)
		v[i] = atomic_load(&w->peaks[kind][i]);
	qsort(v, n, sizeof(*v), by_value);
	return v[n / 2] / 1000.0;
}

static void sum_memory(const struct burn_worker *w, struct burn_result *r, bool first)
{
	const uint64_t passes = atomic_load(&w->memory_passes);

	for (int order = 0; order < 2; order++) {
		const uint64_t bytes = atomic_load(&w->memory_bytes[order]);
		const uint64_t ns = atomic_load(&w->memory_ns[order]);

		r->memory_bytes += bytes;
		r->memory_rate[order] += ns > 0 ? (double)bytes / (double)ns : 0;
	}
	r->memory_passes = first || passes < r->memory_passes ? passes : r->memory_passes;
	if (atomic_load(&w->ceiling_ns) > 0)
		r->memory_ceiling += (double)atomic_load(&w->ceiling_bytes)
			/ (double)atomic_load(&w->ceiling_ns);
}

static void sum_worker(const struct burn_worker *w, struct burn_result *r, bool first)
{
	const uint64_t rounds = atomic_load(&w->rounds);
	double flops = 0, ns = 0, possible = 0, highest = 0, rate;

	r->errors += atomic_load(&w->errors);
	r->words += atomic_load(&w->words);
	r->sums += atomic_load(&w->sums);
	r->rounds = first || rounds < r->rounds ? rounds : r->rounds;
	for (int k = 0; k < BURN_KINDS; k++) {
		const double f = (double)atomic_load(&w->flops[k]);
		const double t = (double)atomic_load(&w->ns[k]), peak = median_peak(w, k);

		r->peaks[k] += peak;
		highest = peak > highest ? peak : highest;
		possible += peak * t;
		r->blocks[k] += atomic_load(&w->blocks[k]);
		r->rate[k] += t > 0 ? f / t : 0;
		flops += f;
		ns += t;
	}
	sum_memory(w, r, first);
	r->peak += ns > 0 ? possible / ns : highest;
	rate = ns > 0 ? flops / ns : 0;
	if (ns > 0)
		r->share += (double)atomic_load(&w->cpu_ns) / ns;
	r->total += rate;
	if (first || rate < r->rate_of_worker[0])
		r->rate_of_worker[0] = rate;
	if (rate > r->rate_of_worker[1])
		r->rate_of_worker[1] = rate;
}

/* What the child's end says by itself; "" if nothing. */
static enum burn_verdict judge_end(const struct burn *b, const char *cut, char *out, size_t size)
{
	const int status = b->child.status, number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	out[0] = '\0';
	if (number == SIGILL || number == SIGBUS || number == SIGSEGV || number == SIGFPE) {
		snprintf(out, size, "the load ended by signal %d (%s)", number, strsignal(number));
		return BURN_FAIL;
	}
	if (cut)
		snprintf(out, size, "%s", cut);
	else if (number == SIGKILL)
		snprintf(out, size, "the load was killed (signal 9)%s",
			burn_room_kills("") > b->oom_kills ? ": the kernel ran out of memory" : "");
	else if (number)
		snprintf(out, size, "the load ended by signal %d (%s)", number, strsignal(number));
	else if (b->shared->trouble[0])
		snprintf(out, size, "%s", b->shared->trouble);
	else if (WEXITSTATUS(status) != 0)
		snprintf(out, size, "the load ended early (exit code %d)", WEXITSTATUS(status));
	return out[0] ? BURN_INCOMPLETE : BURN_PASS;
}

/* Every worker has done each kind of work at least once and verified everything at its end. */
static enum burn_verdict judge_cover(const struct burn *b, char *out, size_t size)
{
	for (int i = 0; i < b->config.threads; i++) {
		const struct burn_worker *w = &b->shared->workers[i];

		for (int k = 0; k < BURN_KINDS; k++)
			if (b->config.kinds[k] && atomic_load(&w->dwells[k]) == 0) {
				snprintf(out, size, "%s in %s did not run on thread %d",
					burn_op_name((enum burn_op)(k / BURN_DTYPES)),
					burn_dtype_name((enum burn_dtype)(k % BURN_DTYPES)), i);
				return BURN_INCOMPLETE;
			}
		if (b->config.memory && atomic_load(&w->memory_passes) == 0) {
			snprintf(out, size, "not all of the memory was compared once by thread %d",
				i);
			return BURN_INCOMPLETE;
		}
		if (!atomic_load(&w->finished) || (atomic_load(&w->words) == 0
			&& atomic_load(&w->memory_passes) == 0)) {
			snprintf(out, size, "thread %d made no last check", i);
			return BURN_INCOMPLETE;
		}
	}
	if (atomic_load(&b->shared->swapped) > 0) {
		snprintf(out, size, "%llu KiB of the memory under test were swapped out",
			(unsigned long long)(atomic_load(&b->shared->swapped) >> 10));
		return BURN_INCOMPLETE;
	}
	return BURN_PASS;
}

static void scale_peaks(struct burn_result *r, double by)
{
	r->peak *= by;
	for (int k = 0; k < BURN_KINDS; k++)
		r->peaks[k] *= by;
}

void burn_judge(const struct burn *b, const char *cut, struct burn_result *r)
{
	*r = (struct burn_result){ 0 };
	for (int i = 0; i < b->config.threads; i++)
		sum_worker(&b->shared->workers[i], r, i == 0);
	r->share /= b->config.threads;
	/* A sample is too short to be interrupted: each thread's is a whole processor's. */
	if (b->config.processors > 0 && b->config.threads > b->config.processors)
		scale_peaks(r, (double)b->config.processors / b->config.threads);
	r->verdict = judge_end(b, cut, r->reason, sizeof(r->reason));
	if (r->errors > 0) {
		char before[200];

		mem_copy_text(before, sizeof(before), r->reason);
		snprintf(r->reason, sizeof(r->reason), "%llu wrong word%s%s%s",
			(unsigned long long)r->errors, r->errors == 1 ? "" : "s",
			before[0] ? "; " : "", before);
		r->verdict = BURN_FAIL;
	} else if (r->verdict == BURN_PASS) {
		r->verdict = judge_cover(b, r->reason, sizeof(r->reason));
	}
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

const char *burn_verdict_name(enum burn_verdict v)
{
	static const char *const names[] = { [BURN_PASS] = "PASS",
		[BURN_INCOMPLETE] = "INCOMPLETE", [BURN_FAIL] = "FAIL" };

	return names[v];
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One worker per processor.  Each has a set of operands for each kind of work and
 * each pattern.  It works on one set for some tens of milliseconds (a dwell), so
 * that the operands stay in a near cache.  It verifies every word of every result,
 * and the checksums of the operands before it takes the next set.
 *
 * This is one file of over 400 lines, because all of it works on one worker's state.
 */
#include "config.h"
#include "burnin/host/burn_work.h"

#include "base/clock.h"
#include "base/mem.h"
#include "burnin/host/burn_fault.h"
#include "burnin/host/burn_set.h"
#include "burnin/kernels/stopwatch.h"
#include "burnin/kernels/team.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	DWELL_CONV = 256, DWELL_MATMUL = 512,	/* blocks */
	PEAK_ROUNDS = 300,
	OUTPUTS_KEPT = 2,			/* mismatches of one block that are kept */
	FAULT_BLOCK = 1,			/* of a dwell, in which a fault is injected */
	WATCH_BLOCKS = 16			/* between checks that the tool still watches */
};

#define PEAK_TIME (4 * CLOCK_MS)		/* of a sample: one tick of the slower timers */
#define PEAK_EVERY (100 * PEAK_TIME)

struct job {
	const struct burn_config *config;
	struct burn_shared *shared;
	_Atomic int ready, failed;
	_Atomic int64_t begun;		/* clock_steady() of the first worker's start; 0: not yet */
};

struct worker {
	struct job *job;
	struct burn_worker *out;
	int index;
	struct burn_set sets[BURN_KINDS * BURN_PATTERNS];
	struct burn_set copies[BURN_KINDS * BURN_PATTERNS];	/* as they were made */
	int n_sets;
	struct burn_set *set;		/* the current one */
	int64_t sampled[BURN_KINDS];	/* when a kind's peak was last sampled */
	uint32_t n_peaks[BURN_KINDS];
	struct memory_work memory;
	bool injected;
};

static int kind_of(const struct burn_set *s)
{
	return (int)s->op * BURN_DTYPES + (int)s->dtype;
}

static void beat(struct worker *w)
{
	atomic_fetch_add_explicit(&w->out->beats, 1, memory_order_relaxed);
}

static void found(void *arg, enum burn_what what, uint64_t index, uint32_t got, uint32_t want)
{
	struct worker *w = arg;
	struct burn_record *x = burn_claim(w->job->config, w->job->shared, w->index);

	if (!x)
		return;
	x->error.what = what;
	x->error.pattern = w->set->pattern_id;
	x->error.impl = burn_impl_find(w->set->impl->name);
	x->error.kind = kind_of(w->set);
	x->error.index = index;
	x->error.got = got;
	x->error.want = want;
	burn_record_seal(x);
}

/*
 * Check the description of the set: where its operands and results are, and how many.  If it
 * has changed, no later result could be trusted, so stop.
 */
static bool check_set(struct worker *w)
{
	const struct burn_set *good = &w->copies[w->set - w->sets];
	uint32_t is[sizeof(*good) / sizeof(uint32_t)], was[sizeof(*good) / sizeof(uint32_t)];

	if (memcmp(w->set, good, sizeof(*good)) == 0)
		return true;
	memcpy(is, w->set, sizeof(is));
	memcpy(was, good, sizeof(was));
	*w->set = *good;
	for (size_t i = 0; i < sizeof(is) / sizeof(is[0]); i++)
		if (is[i] != was[i])
			found(w, BURN_IS_SET, i, is[i], was[i]);
	burn_flag_set(&w->job->shared->stop);
	return false;
}

/* Operands are checked before results: a broken operand explains a wrong result. */
static void check_operands(struct worker *w)
{
	if (check_set(w))
		burn_worker_add(w->out, BURN_SUMS, (uint64_t)burn_set_check(w->set, found, w));
}

static void count_mismatches(struct worker *w, const uint32_t *got, const uint32_t *want,
	size_t words)
{
	const bool half = w->set->dtype == BURN_BFLOAT16;
	int kept = 0;

	for (size_t i = 0; i < (half ? 2 * words : words); i++) {
		uint32_t g = half ? ((const uint16_t *)got)[i] : got[i];
		uint32_t t = half ? ((const uint16_t *)want)[i] : want[i];

		if (g == t)
			continue;
		if (kept++ < OUTPUTS_KEPT)
			found(w, BURN_IS_OUTPUT, i, g, t);
		else
			burn_worker_add(w->out, BURN_ERRORS, 1);
	}
	if (kept == 0)
		found(w, BURN_IS_OUTPUT_ONCE, 0, 0, 0);
}

static void inject(struct worker *w, unsigned block, enum burn_fault_when when)
{
	const struct burn_fault *f = &w->job->config->fault;

	if (f->name && !w->injected && f->thread == w->index && block == FAULT_BLOCK)
		w->injected = burn_fault_inject(f, w->set, when);
}

/* Read the size only once: a bit in the set's description can flip at any time. */
static void check_output(struct worker *w)
{
	struct burn_set *s = w->set;
	const size_t bytes = s->out_bytes;
	uint32_t *got, *want;

	burn_worker_add(w->out, BURN_WORDS, bytes / burn_dtype_size(s->dtype));
	if (burn_set_equal(s) || !check_set(w))
		return;
	inject(w, FAULT_BLOCK, BURN_FAULT_AGAIN);
	got = memcpy(mem_calloc(1, bytes), s->output, bytes);
	want = memcpy(mem_calloc(1, bytes), s->expected, bytes);
	check_operands(w);
	count_mismatches(w, got, want, bytes / sizeof(*got));
	/* A kernel that writes nothing must not pass next time. */
	memset(s->output, 0xa5, bytes);
	free(got);
	free(want);
}

/*
 * Samples are taken from time to time and measured in processor time; each is long enough to be
 * interrupted like the load.  The first rounds do not count, because a processor begins slowly
 * after lighter work.  Once all places are taken, a new sample may replace one at random, so
 * that the samples cover the whole run.  What others take of the processor meanwhile, they take
 * from the load.
 */
static void sample_peak(struct worker *w)
{
	const int kind = kind_of(w->set);
	const uint32_t n = w->n_peaks[kind];
	const uint32_t at = n < BURN_PEAKS ? n : (uint32_t)(impl_mix(n) % (n + 1));
	uint64_t flops = 0;
	struct stopwatch t;
	int64_t took;

	if (n > 0 && clock_steady() - w->sampled[kind] < PEAK_EVERY)
		return;
	w->set->impl->peak(PEAK_ROUNDS);
	stopwatch_start(&t);
	do {
		flops += w->set->impl->peak(PEAK_ROUNDS);
		took = stopwatch_cpu(&t);
	} while (took < PEAK_TIME);
	burn_worker_add(w->out, BURN_NS + kind, (uint64_t)stopwatch_waited(&t));
	w->sampled[kind] = t.from;
	if (at < BURN_PEAKS)
		atomic_store(&w->out->peaks[kind][at], (uint32_t)(flops * 1000 / (uint64_t)took));
	w->n_peaks[kind] = n + 1;
}

/* Every worker rests at the same times: they all count from the same start. */
static int64_t rest(const struct worker *w)
{
	const int64_t began = clock_steady(), begun = atomic_load(&w->job->begun);
	int64_t now = began, pause;

	while ((pause = load_pattern_rest(w->job->config->pattern, now - begun)) > 0) {
		const int64_t until = now + pause;
		const struct timespec t = { .tv_sec = until / CLOCK_SECOND,
			.tv_nsec = until % CLOCK_SECOND };

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
		now = clock_steady();
		atomic_fetch_add_explicit(&w->out->beats, 1, memory_order_relaxed);
	}
	return now - began;
}

static bool stopping(const struct worker *w)
{
	return burn_flag_is_set(&w->job->shared->stop);
}

static int64_t await_watch(struct worker *w)
{
	return burn_await_watch(w->job->config, w->job->shared, w->index);
}

/* Returns false if it was cut short. */
static bool dwell(struct worker *w)
{
	const int kind = kind_of(w->set);
	const unsigned usual = w->set->op == BURN_CONV2D ? DWELL_CONV : DWELL_MATMUL;
	const unsigned blocks = w->job->config->dwell ? w->job->config->dwell : usual;
	struct stopwatch t;
	unsigned n;

	check_set(w);
	stopwatch_start(&t);
	for (n = 0; n < blocks && !stopping(w); n++) {
		int64_t pause = rest(w);

		if (n % WATCH_BLOCKS == 0)
			pause += await_watch(w);
		inject(w, n, BURN_FAULT_BEFORE);
		burn_set_run(w->set);
		inject(w, n, BURN_FAULT_AFTER);
		check_output(w);
		beat(w);
		stopwatch_mark(&t, pause);
	}
	check_operands(w);
	stopwatch_mark(&t, 0);
	burn_worker_add(w->out, BURN_NS + kind, (uint64_t)stopwatch_ns(&t));
	burn_worker_add(w->out, BURN_CPU_NS, (uint64_t)stopwatch_cpu(&t));
	burn_worker_add(w->out, BURN_FLOPS + kind, n * w->set->flops);
	burn_worker_add(w->out, BURN_BLOCKS + kind, n);
	if (n < blocks)
		return false;
	burn_worker_add(w->out, BURN_DWELLS + kind, 1);
	return true;
}

/* The next piece of memory; true if a pass over it has ended. */
static bool step_memory(struct worker *w)
{
	if (!w->job->config->memory || stopping(w))
		return false;
	rest(w);
	await_watch(w);
	return memory_work_step(&w->memory);
}

/* A round: all operands, with pieces of memory between, and a pass over the memory. */
static void burn_rounds(struct worker *w)
{
	const uint64_t most = w->job->config->iterations;
	uint64_t round = burn_worker_get(w->out, BURN_ROUNDS);

	for (; (!most || round < most) && !stopping(w); round++) {
		bool whole = true, passed = !w->job->config->memory;

		for (int i = 0; i < w->n_sets && !stopping(w); i++) {
			w->set = &w->sets[i];
			sample_peak(w);
			whole = dwell(w) && whole;
			passed = step_memory(w) || passed;
		}
		while (!passed && !stopping(w))
			passed = step_memory(w);
		if (whole && passed && !stopping(w))
			burn_worker_add(w->out, BURN_ROUNDS, 1);
	}
	/* Sets that were idle at the end are verified too. */
	for (int i = 0; i < w->n_sets; i++) {
		w->set = &w->sets[i];
		check_operands(w);
	}
	burn_flag_set(&w->out->finished);
}

static void tell_places(const struct worker *w)
{
	struct burn_probe *probe = &w->job->shared->probe;
	int n = 0, n_sums = 0;

	for (int i = 0; i < w->n_sets; i++) {
		size_t bytes;
		void *sums = burn_set_sums(&w->sets[i], &bytes);

		if (sums)
			probe->sums[n_sums++] = (struct burn_place){ .at = (uintptr_t)sums,
				.bytes = bytes };
		for (int k = 0; k < w->sets[i].n_regions; k++) {
			const struct burn_region *r = &w->sets[i].regions[k];

			probe->places[n++] = (struct burn_place){ .what = r->what,
				.at = (uintptr_t)r->at, .bytes = r->bytes };
		}
	}
	probe->sets = (uintptr_t)w->sets;
	atomic_store(&probe->n_sums, n_sums);
	atomic_store(&probe->n_places, n);
}

/* Only the first reason is kept. */
static void burn_work_give_up(struct job *job, const struct error *e)
{
	if (atomic_fetch_add(&job->failed, 1) == 0)
		burn_text_put(&job->shared->trouble, e);
}

static int make_sets(struct worker *w, struct team *alone, struct error *e)
{
	for (int p = 0; p < BURN_PATTERNS; p++)
		for (int kind = 0; kind < BURN_KINDS; kind++) {
			struct burn_set *s = &w->sets[w->n_sets];
			int r;

			if (!w->job->config->kinds[kind])
				continue;
			w->n_sets++;
			await_watch(w);
			r = burn_set_open(s, kind, p, w->job->config->seed
				+ ((uint64_t)w->index << 32), alone, e);
			if (r < 0)
				return r;
			memcpy(&w->copies[w->n_sets - 1], s, sizeof(*s));
			if (w->index == 0)
				burn_count_set(&w->job->shared->impls[kind],
					(uint64_t)burn_impl_find(s->impl->name) + 1);
			beat(w);
		}
	return 0;
}

/* Make everything that the worker needs. */
static int make_all(struct worker *w, struct team **alone, struct error *e)
{
	const struct burn_config *c = w->job->config;
	int r = team_open(alone, 1, false, e);

	if (r == 0)
		r = make_sets(w, *alone, e);
	if (r == 0 && c->memory)
		r = memory_work_open(&w->memory, c, w->job->shared, w->index, e);
	return r;
}

static void work(void *arg, int thread)
{
	struct job *job = arg;
	struct worker *w = mem_calloc(1, sizeof(*w));
	struct team *alone = NULL;
	const struct timespec moment = { .tv_nsec = CLOCK_MS };
	struct error e;

	*w = (struct worker){ .job = job, .out = &job->shared->workers[thread],
		.index = thread };
	atomic_store(&w->out->cpu, sched_getcpu());
	if (make_all(w, &alone, &e) < 0)
		burn_work_give_up(job, &e);
	if (thread == 0)
		tell_places(w);
	atomic_fetch_add(&job->ready, 1);
	while (atomic_load(&job->ready) < job->config->threads) {
		beat(w);
		nanosleep(&moment, NULL);
	}
	if (atomic_load(&job->failed) == 0) {
		int64_t none = 0;

		atomic_compare_exchange_strong(&job->begun, &none, clock_steady());
		burn_flag_set(&job->shared->running);
		burn_rounds(w);
	}
	for (int i = 0; i < w->n_sets; i++)
		burn_set_close(&w->sets[i]);
	burn_memory_close(&w->memory.memory);
	team_close(alone);
	free(w);
}

int burn_work(const struct burn_config *c, struct burn_shared *shared)
{
	struct job job = { .config = c, .shared = shared };
	struct team *team;
	struct error e;

	for (int k = 0; k < BURN_KINDS; k++)
		burn_set_impl((enum burn_op)(k / BURN_DTYPES), (enum burn_dtype)(k % BURN_DTYPES));
	if (team_open(&team, c->threads, true, &e) < 0) {
		burn_text_put(&shared->trouble, &e);
		return 1;
	}
	team_run(team, work, &job);
	team_close(team);
	return atomic_load(&job.failed) ? 1 : 0;
}

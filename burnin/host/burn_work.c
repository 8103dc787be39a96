/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One worker per processor.  Each has a set of operands for each kind of work and
 * each pattern.  It works on one set for some tens of milliseconds (a dwell), so
 * that the operands stay in a near cache.  It verifies every word of every result,
 * and the checksums of the operands before it takes the next set.
 *
 * More than 700 lines: its memory, its faults and its checks share one struct worker.
 */
#include "config.h"
#include "burnin/host/burn_work.h"

#include "base/clock.h"
#include "base/mem.h"
#include "burnin/host/burn_room.h"
#include "burnin/host/burn_set.h"
#include "burnin/kernels/stopwatch.h"
#include "burnin/kernels/team.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct job {
	const struct burn_config *config;
	struct burn_shared *shared;
	_Atomic int ready, failed;
	_Atomic int64_t begun;		/* clock_steady() of the first worker's start; 0: not yet */
};

/* The ceiling of memory in order, for one way: writing, or reading. */
struct ceiling {
	uint64_t steps;
	struct traffic {
		uint64_t bytes, ns;	/* ns of processor time */
	} plain, beside, test;		/* samples, the steps after each of them, all steps */
};

/* A bit that a worker flips to see whether its own check reports the word. */
struct planted {
	uint64_t at, bit;		/* bit: a mask; 0: none is planted */
	unsigned seen;
};

struct worker {
	struct job *job;
	struct burn_worker *out;
	int index, home;		/* home: the processor that it tests; -1: not known */
	struct burn_set sets[BURN_KINDS * BURN_PATTERNS];
	struct burn_set copies[BURN_KINDS * BURN_PATTERNS];	/* as they were made */
	int n_sets;
	struct burn_set *set;		/* the current one */
	int64_t sampled[BURN_KINDS];	/* when a kind's peak was last sampled */
	uint32_t n_peaks[BURN_KINDS];
	struct burn_memory memory;	/* its share, if memory is tested */
	struct ceiling ceilings[2];	/* written, compared */
	struct planted in_output, in_memory;
	int64_t looked;			/* when worker 0 last checked free memory */
	bool injected;
};

/* Faults that tests inject into a load: a flipped bit, and the ways in which a process can end. */

/* Before a block, when its result is complete, and when it was not as expected. */
enum burn_fault_when { BURN_FAULT_BEFORE, BURN_FAULT_AFTER, BURN_FAULT_AGAIN };

static void end_badly(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} ends[] = { { "ill", SIGILL }, { "bus", SIGBUS }, { "segv", SIGSEGV },
		{ "abort", SIGABRT }, { "trap", SIGTRAP }, { "sys", SIGSYS },
		{ "kill", SIGKILL }, { "stop", SIGSTOP } };

	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (strcmp(name, ends[i].name) == 0)
			kill(getpid(), ends[i].number);
	if (strcmp(name, "exit") == 0)
		_exit(0);
	while (strcmp(name, "hang") == 0)
		pause();
}

/* True once all of the fault is injected. */
static bool burn_fault_inject(const struct burn_fault *f, const struct burn_set *s,
	enum burn_fault_when when)
{
	const bool once = strcmp(f->name, burn_what_name(BURN_IS_OUTPUT_ONCE)) == 0;
	bool flipped = false;

	/* What is wrong once is put right before it is read again. */
	if (when != BURN_FAULT_BEFORE && (once || strcmp(f->name, "output") == 0)) {
		((unsigned char *)s->output)[s->out_bytes / 3] ^= 4;
		flipped = !once || when == BURN_FAULT_AGAIN;
	}
	for (int i = 0; when == BURN_FAULT_BEFORE && i < s->n_regions; i++)
		if (strcmp(f->name, burn_what_name(s->regions[i].what)) == 0) {
			((unsigned char *)s->regions[i].at)[s->regions[i].bytes / 3] ^= 1;
			flipped = true;
		}
	if (when == BURN_FAULT_BEFORE)
		end_badly(f->name);
	return flipped;
}

/* A worker is pinned: it is elsewhere only if it was moved, or its processor went offline. */
static void beat(const struct worker *w)
{
	const int cpu = sched_getcpu();

	if (cpu != w->home && cpu >= 0 && w->home >= 0) {
		atomic_store(&w->out->cpu, cpu);
		burn_worker_add(w->out, BURN_AWAY, 1);
	}
	atomic_fetch_add_explicit(&w->out->beats, 1, memory_order_relaxed);
}

/* Rest while the tool does not watch the temperatures: it may be stopped or hang.  Returns ns. */
static int64_t await_watch(const struct worker *w)
{
	const int64_t from = clock_steady(), patience = w->job->config->unwatched;
	const struct burn_shared *shared = w->job->shared;
	const struct timespec moment = { .tv_nsec = 10 * CLOCK_MS };

	if (patience == 0)
		return 0;
	while (!burn_flag_is_set(&shared->stop) &&
		clock_steady() - atomic_load(&shared->watched) >= patience) {
		beat(w);
		nanosleep(&moment, NULL);
	}
	return clock_steady() - from;
}

/* Count a wrong word; NULL if all records are taken, else fill in the rest and seal it. */
static struct burn_record *claim(const struct worker *w, enum burn_what what, uint64_t index,
	uint32_t got, uint32_t want)
{
	struct burn_shared *shared = w->job->shared;
	const uint64_t n = burn_count_add(&shared->n_errors, 1);

	burn_worker_add(w->out, BURN_ERRORS, 1);
	if (w->job->config->stop_on_error)
		burn_flag_set(&shared->stop);
	if (n >= BURN_RECORDS)
		return NULL;
	shared->records[n].error = (struct burn_error){ .thread = w->index,
		.cpu = sched_getcpu(), .at = clock_steady() - shared->started, .what = what,
		.index = index, .got = got, .want = want };
	return &shared->records[n];
}

/* A check that calls everything right proves nothing, so each is given a word that is wrong. */

/* Choose one bit of n words, another one each time. */
static void plant(const struct worker *w, struct planted *p, uint64_t n, unsigned bits)
{
	const uint64_t drawn = impl_mix(w->job->config->seed + ((uint64_t)w->index << 32)
		+ burn_worker_get(w->out, BURN_PROVEN));

	*p = (struct planted){ .at = drawn % n, .bit = 1ULL << (drawn >> 32) % bits };
}

/* Note a planted bit among those that are wrong in a word; returns the others. */
static uint64_t without_planted(struct planted *p, uint64_t at, uint64_t wrong)
{
	if (at != p->at || !(wrong & p->bit))
		return wrong;
	p->seen++;
	return wrong & ~p->bit;
}

/* True if the planted word was reported, and once. */
static bool was_reported(const struct worker *w, struct planted *p)
{
	const bool was = p->seen == 1;

	burn_worker_add(w->out, BURN_PROVEN, was);
	p->bit = 0;
	return was;
}

/* The memory: each worker has its own share; the burn ends before others run out of it. */

enum { CEILING_EVERY = 17 };		/* steps per sample, prime to move on in each pass */

/* Allocate the share and fault in all of it; -ENOMEM. */
static int open_memory(struct worker *w, struct error *e)
{
	const struct burn_config *c = w->job->config;
	const uint64_t seed = impl_mix(c->seed ^ impl_mix((uint64_t)w->index + 1));
	int r = burn_memory_open(&w->memory, c->memory / (uint64_t)c->threads, seed,
		burn_set_impl(BURN_CONV2D, BURN_FLOAT32), e);

	if (r < 0)
		return r;
	burn_memory_begin(&w->memory, burn_worker_get(w->out, BURN_MEMORY_PASSES));
	while ((r = burn_memory_settle(&w->memory)) != 0) {
		if (r < 0)
			burn_count_set(&w->out->count[BURN_UNLOCKED], (uint64_t)-r);
		atomic_store(&w->out->memory_ready, w->memory.settled);
		beat(w);
		await_watch(w);
	}
	if (w->index == 0)
		w->job->shared->probe.memory = (struct burn_place){ .what = BURN_IS_MEMORY,
			.at = (uintptr_t)w->memory.bursts.at,
			.bytes = burn_memory_bytes(&w->memory) };
	return 0;
}

/* Record each half of the word that differs. */
static void memory_record(const struct worker *w, enum burn_what what, uint64_t pass,
	uint64_t word, uint64_t got, uint64_t want)
{
	const uint64_t *at = w->memory.bursts.at + word;

	for (unsigned half = 0; half < 2; half++) {
		const uint32_t g = (uint32_t)(got >> 32 * half), t = (uint32_t)(want >> 32 * half);
		struct burn_record *x;

		if (g == t || !(x = claim(w, what, word * 2 + half, g, t)))
			continue;
		x->error.kind = BURN_MEMORY;
		x->error.pattern = (int)(pass % BURN_MEMORY_PATTERNS);
		x->error.impl = burn_impl_find(w->memory.impl->name);
		x->error.address = (uint64_t)(uintptr_t)at + 4 * half;
		x->error.physical = burn_memory_physical((const char *)at + 4 * half);
		burn_record_seal(x);
	}
}

static void memory_found(void *arg, uint64_t word, uint64_t got, uint64_t want, bool once)
{
	struct worker *w = arg;

	memory_record(w, once ? BURN_IS_MEMORY_ONCE : BURN_IS_MEMORY, w->memory.pass, word,
		want ^ without_planted(&w->in_memory, word, got ^ want), want);
}

/* Before a pass is compared. */
static void memory_plant(struct worker *w)
{
	if (!w->memory.comparing || w->memory.done > 0)
		return;
	plant(w, &w->in_memory, burn_memory_bytes(&w->memory) / sizeof(uint64_t), 64);
	w->memory.bursts.at[w->in_memory.at] ^= w->in_memory.bit;
}

/* After a pass. */
static void memory_prove(struct worker *w, uint64_t pass)
{
	const struct planted p = w->in_memory;
	const uint64_t got = w->memory.bursts.at[p.at];

	if (!was_reported(w, &w->in_memory))
		memory_record(w, BURN_IS_PLANTED, pass, p.at, got, got ^ p.bit);
}

/* For tests: which bytes will be compared before they are written again. */
static void tell_live(const struct worker *w)
{
	const struct burn_memory *m = &w->memory;
	struct burn_probe *probe = &w->job->shared->probe;
	const uint64_t done = m->done * IMPL_BURST, next = burn_memory_next(m);
	uint64_t from = 0, to = 0;

	if (w->index > 0)
		return;
	if (burn_memory_streams(m->pass)) {
		from = m->comparing ? done + next : 0;
		to = m->comparing ? burn_memory_bytes(m) : done;
	}
	atomic_store(&probe->live_to, 0);
	atomic_store(&probe->live_from, from);
	atomic_store(&probe->live_to, to);
}

static void inject_memory(struct worker *w)
{
	const struct burn_fault *f = &w->job->config->fault;

	if (!f->name || w->injected || f->thread != w->index || strcmp(f->name, "memory") != 0
		|| !w->memory.comparing || w->memory.done > 0)
		return;
	w->memory.bursts.at[w->memory.n * IMPL_BURST / 8 / 3] ^= 1ULL << 41;
	w->injected = true;
}

/* Once a second, check that other processes do not run out of memory because of us. */
static void look_around(struct worker *w)
{
	const int64_t now = clock_steady();
	struct error e;
	uint64_t swapped;

	if (w->index > 0 || now - w->looked < CLOCK_SECOND)
		return;
	w->looked = now;
	swapped = burn_room_swapped();
	if (swapped > burn_worker_get(w->out, BURN_SWAPPED))
		burn_count_set(&w->out->count[BURN_SWAPPED], swapped);
	if (burn_room_is_short("")) {
		fail(&e, -ENOMEM, "memory ran short meanwhile: the burn gave it back");
		burn_text_put(&w->job->shared->trouble, &e);
		burn_flag_set(&w->job->shared->stop);
	}
}

/* Read or write what the next step will, and nothing else; from time to time. */
static void sample_ceiling(struct worker *w, struct ceiling *c)
{
	struct stopwatch t;
	uint64_t waited;

	if (c->steps % CEILING_EVERY != 0)
		return;
	stopwatch_start(&t);
	c->plain.bytes += burn_memory_plain(&w->memory);
	waited = (uint64_t)stopwatch_waited(&t);
	c->plain.ns += (uint64_t)stopwatch_cpu(&t);
	burn_worker_add(w->out, BURN_MEMORY_NS, waited);
	burn_worker_add(w->out, BURN_IN_ORDER_NS, waited);
}

static double cost(const struct traffic *t)
{
	return (double)t->ns / (double)t->bytes;
}

/*
 * The ns in which all steps could have been done.  A sample is held against the step after it: what
 * others do to the memory meanwhile, they do to both.  The test does all that a sample does, so one
 * that was faster shows what the memory can do.
 */
static uint64_t least_ns(const struct ceiling *c)
{
	const double plain = cost(&c->plain), beside = cost(&c->beside);

	return plain < beside ? (uint64_t)((double)c->test.ns * plain / beside) : c->test.ns;
}

/* Count a step of the test in order. */
static void count_in_order(struct worker *w, struct ceiling *c, uint64_t bytes, uint64_t ns)
{
	uint64_t all = 0, least = 0;

	c->test.bytes += bytes;
	c->test.ns += ns;
	if (c->steps++ % CEILING_EVERY == 0) {
		c->beside.bytes += bytes;
		c->beside.ns += ns;
	}
	for (int way = 0; way < 2; way++) {
		all += w->ceilings[way].test.bytes;
		least += w->ceilings[way].steps ? least_ns(&w->ceilings[way]) : 0;
	}
	burn_count_set(&w->out->count[BURN_CEILING_BYTES], all / 2);
	burn_count_set(&w->out->count[BURN_CEILING_NS], least);
}

/* Write or compare the next piece; true at the end of a pass. */
static bool memory_step(struct worker *w)
{
	const uint64_t pass = w->memory.pass;
	const int order = burn_memory_streams(pass) ? 0 : 1;
	const bool comparing = w->memory.comparing;
	const uint64_t bytes = burn_memory_next(&w->memory);
	struct ceiling *ceiling = &w->ceilings[comparing ? 1 : 0];
	struct stopwatch t;
	uint64_t cpu;
	bool ended;

	look_around(w);
	tell_live(w);
	if (order == 0)
		sample_ceiling(w, ceiling);
	inject_memory(w);
	memory_plant(w);
	stopwatch_start(&t);
	ended = burn_memory_step(&w->memory, memory_found, w);
	stopwatch_mark(&t, 0);
	burn_worker_add(w->out, BURN_MEMORY_NS + order, (uint64_t)stopwatch_ns(&t));
	cpu = (uint64_t)stopwatch_cpu(&t);
	burn_worker_add(w->out, BURN_CPU_NS, cpu);
	if (order == 0) {
		burn_worker_add(w->out, BURN_IN_ORDER_NS, (uint64_t)stopwatch_ns(&t));
		burn_worker_add(w->out, BURN_IN_ORDER_CPU_NS, cpu);
		count_in_order(w, ceiling, bytes, cpu);
	}
	if (comparing)
		burn_worker_add(w->out, BURN_MEMORY_BYTES + order, bytes);
	burn_worker_add(w->out, BURN_MEMORY_MOVED, bytes);
	if (ended) {
		const uint64_t share = burn_memory_bytes(&w->memory);

		memory_prove(w, pass);
		burn_worker_add(w->out, BURN_MEMORY_PASSES, 1);
		/* An earlier process may have had another share: --size is a part of the free. */
		if (share > burn_worker_get(w->out, BURN_MEMORY_WHOLE))
			burn_count_set(&w->out->count[BURN_MEMORY_WHOLE], share);
	}
	beat(w);
	return ended;
}

/* The workers. */

enum {
	DWELL_CONV = 256, DWELL_MATMUL = 512,	/* blocks */
	PEAK_ROUNDS = 300,
	OUTPUTS_KEPT = 2,			/* mismatches of one block that are kept */
	FAULT_BLOCK = 1,			/* of a dwell, in which a fault is injected */
	WATCH_BLOCKS = 16			/* between checks that the tool still watches */
};

#define PEAK_TIME (4 * CLOCK_MS)		/* of a sample: one tick of the slower timers */
#define PEAK_EVERY (100 * PEAK_TIME)

static int kind_of(const struct burn_set *s)
{
	return (int)s->op * BURN_DTYPES + (int)s->dtype;
}

static void found(void *arg, enum burn_what what, uint64_t index, uint32_t got, uint32_t want)
{
	struct worker *w = arg;
	struct burn_record *x = claim(w, what, index, got, want);

	if (!x)
		return;
	x->error.pattern = w->set->pattern_id;
	x->error.impl = burn_impl_find(w->set->impl->name);
	x->error.kind = kind_of(w->set);
	burn_record_seal(x);
}

/* Stop if the set's description has changed: no later result could be trusted. */
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

		if (g != t)
			g = t ^ (uint32_t)without_planted(&w->in_output, i, g ^ t);
		if (g == t)
			continue;
		if (kept++ < OUTPUTS_KEPT)
			found(w, BURN_IS_OUTPUT, i, g, t);
		else
			burn_worker_add(w->out, BURN_ERRORS, 1);
	}
	if (kept == 0 && w->in_output.seen == 0)
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

	if (burn_set_equal(s) || !check_set(w))
		return;
	inject(w, FAULT_BLOCK, BURN_FAULT_AGAIN);
	got = memcpy(mem_calloc(1, bytes), s->output, bytes);
	want = memcpy(mem_calloc(1, bytes), s->expected, bytes);
	/* Operands do not explain a planted word. */
	if (w->in_output.bit == 0)
		check_operands(w);
	count_mismatches(w, got, want, bytes / sizeof(*got));
	/* A kernel that writes nothing must not pass next time. */
	memset(s->output, 0xa5, bytes);
	free(got);
	free(want);
}

/* Check an output with a planted word in the same way. */
static void prove_check(struct worker *w)
{
	const struct burn_set *s = w->set;
	struct planted *p = &w->in_output;
	const size_t size = burn_dtype_size(s->dtype), bytes = s->out_bytes;
	uint32_t got, want = 0;
	char *word;

	plant(w, p, bytes / size, 8 * (unsigned)size);
	word = (char *)memcpy(s->output, s->expected, bytes) + p->at * size;
	memcpy(&want, word, size);
	got = want ^ (uint32_t)p->bit;
	memcpy(word, &got, size);
	check_output(w);
	if (!was_reported(w, p))
		found(w, BURN_IS_PLANTED, p->at, got, want);
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
		beat(w);
	}
	return now - began;
}

static bool stopping(const struct worker *w)
{
	return burn_flag_is_set(&w->job->shared->stop);
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
		burn_worker_add(w->out, BURN_WORDS,
			w->set->out_bytes / burn_dtype_size(w->set->dtype));
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
	prove_check(w);
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
	return memory_step(w);
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

static void work(void *arg, int thread)
{
	struct job *job = arg;
	struct worker *w = mem_calloc(1, sizeof(*w));
	struct team *alone = NULL;
	const struct timespec moment = { .tv_nsec = CLOCK_MS };
	struct error e;
	int r;

	*w = (struct worker){ .job = job, .out = &job->shared->workers[thread],
		.index = thread, .home = job->config->homes[thread] };
	atomic_store(&w->out->cpu, sched_getcpu());
	r = team_open(&alone, 1, false, &e);
	if (r == 0)
		r = make_sets(w, alone, &e);
	if (r == 0 && job->config->memory)
		r = open_memory(w, &e);
	/* Only the first reason is kept. */
	if (r < 0 && atomic_fetch_add(&job->failed, 1) == 0)
		burn_text_put(&job->shared->trouble, &e);
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
	burn_memory_close(&w->memory);
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

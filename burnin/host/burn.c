/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn.c - the tool's side of a burn: start the load, watch it and end it; then sum up what it
 * counted, and judge it.
 */
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
#include "burnin/kernels/team.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define GAP    (CLOCK_SECOND / 2)	/* between two looks; a longer one was a delay */
#define STANDS CLOCK_SECOND		/* that a thread gives no result: no time of load */
#define EARLY  CLOCK_SECOND		/* beside half: how much less a thread may work */

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

int burn_start(struct burn *b, const struct burn_config *c, struct error *e)
{
	const struct child_config how = { .run = burn_run_child, .arg = b, .dies_with_parent = true,
		.ignores_terminal = true };
	const uint64_t threads = (uint64_t)c->threads;
	int err, *homes = mem_calloc(threads, sizeof(*homes));

	*b = (struct burn){ .config = *c, .size = sizeof(*b->shared)
		+ (size_t)c->threads * sizeof(b->shared->workers[0]),
		.oom_kills = burn_room_kills("") };
	/* Each worker tests whole pieces. */
	b->config.memory = burn_memory_whole(c->memory / threads) * threads;
	ledger_ask(&b->ledger, LEDGER_TIME, (uint64_t)c->duration);
	ledger_ask(&b->ledger, LEDGER_ROUNDS, c->iterations);
	ledger_ask(&b->ledger, LEDGER_THREADS, threads);
	ledger_ask(&b->ledger, LEDGER_WORKED, threads);
	for (int i = 0; i < c->threads; i++) {
		homes[i] = team_processor(i);
		ledger_ask(&b->ledger, LEDGER_PLACES, homes[i] >= 0);
	}
	b->config.homes = homes;
	for (int k = 0; k < BURN_KINDS; k++)
		ledger_ask(&b->ledger, LEDGER_KINDS, c->kinds[k] ? threads : 0);
	ledger_ask(&b->ledger, LEDGER_BYTES, b->config.memory);
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

/* The same for threads that share processors, and wait for each other. */
static int64_t in_turns(const struct burn *b, int64_t ns)
{
	const int threads = b->config.threads, most = b->config.processors;

	return ns * (most > 0 ? (threads + most - 1) / most : 1);
}

bool burn_stands(const struct burn *b)
{
	return b->stands >= in_turns(b, STANDS);
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
	else if (b->was_running && burn_stands(b))
		b->stood_for += since;
	else if (b->was_running && since > GAP && worked < since)
		b->unwatched_for += since - worked;
	b->was_running = burn_is_running(b);
	b->had = had;
}

bool burn_watch(struct burn *b, int64_t patience)
{
	const int64_t now = clock_steady(), since = watchdog_look(&b->watchdog, now);
	size_t worker;

	atomic_store(&b->shared->watched, now);
	note_time(b, since);
	if (child_has_ended(&b->child))
		return false;
	for (size_t i = 0; i < b->watchdog.n; i++)
		watchdog_see(&b->watchdog, i, atomic_load(&b->shared->workers[i].beats),
			burn_flag_is_set(&b->shared->workers[i].finished));
	b->stands = watchdog_longest(&b->watchdog, &worker);
	if (b->stands < in_turns(b, patience))
		return true;
	if (b->stopped)
		fail_as(&b->stood, CODE_STOPPED, -ECANCELED, "the load was stopped from outside "
			"(SIGSTOP) for %.0f s and was ended", (double)b->stands / 1e9);
	else
		fail_as(&b->stood, CODE_LOAD_HUNG, -ETIMEDOUT, "thread %zu on CPU %d stood still "
			"for %.0f s, and the load was ended", worker,
			atomic_load(&b->shared->workers[worker].cpu), (double)b->stands / 1e9);
	child_end(&b->child, 0);
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
	free(b->config.homes);
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

/* The implementation that a kind of work ran with; NULL: not known. */
static const struct impl *burn_impl(const struct burn *b, int kind)
{
	uint64_t n;

	return burn_count_get(&b->shared->impls[kind], &n) && n > 0 && n <= impls_len &&
		impls[n - 1]->stress ? impls[n - 1] : NULL;
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

/*
 * The counts, checked against each other and against the request.  A worker whose state was damaged
 * may do less than it reports: fewer words of a block, fewer blocks, sets or checksums.  Each count
 * follows from others and from sizes known here, so one that falls short shows in the ledger.
 */

/* The counts of one worker: in total, and in this process alone. */
struct tally {
	uint64_t all[BURN_COUNTS], own[BURN_COUNTS];
	bool contradicts, finished;
};

static void read_worker(const struct burn *b, int i, struct tally *t)
{
	const struct burn_worker *w = &b->shared->workers[i];
	const struct checkpoint *before = b->config.resumed;

	*t = (struct tally){ .finished = burn_flag_is_set(&w->finished) };
	for (int id = 0; id < BURN_COUNTS; id++) {
		const uint64_t was = before && id < BURN_COUNTS_KEPT ? before->counters[i][id] : 0;

		if (!burn_count_get(&w->count[id], &t->all[id]) || t->all[id] < was)
			t->contradicts = true;
		t->own[id] = t->contradicts ? 0 : t->all[id] - was;
	}
}

/* ns of its work in this process. */
static int64_t own_work(const struct tally *t)
{
	uint64_t ns = t->own[BURN_MEMORY_NS] + t->own[BURN_MEMORY_NS + 1];

	for (int k = 0; k < BURN_KINDS; k++)
		ns += t->own[BURN_NS + k];
	return (int64_t)ns;
}

/*
 * ns that each worker had to work in this process: as long as the longest did, and if it never
 * rested, all the time.  0 if rounds ended the burn, which the fastest has done first.
 */
static int64_t find_work(const struct burn *b, int64_t time, const struct ledger *l)
{
	const struct checkpoint *before = b->config.resumed;
	int64_t most = b->config.pattern == LOAD_STEADY ? time - (before ? before->elapsed : 0) : 0;

	for (int i = 0; i < b->config.threads; i++) {
		struct tally t;

		read_worker(b, i, &t);
		most = own_work(&t) > most ? own_work(&t) : most;
	}
	return l->asked[LEDGER_ROUNDS] > 0 ? 0 : most;
}

/* Half: what a busy machine, or a stop that is not noticed, takes from one thread is no end. */
static bool ended_early(const struct tally *t, int64_t work)
{
	return own_work(t) < work / 2 - EARLY;
}

/* All operands of the kind were worked on, in each round. */
static bool did_kind(const struct tally *t, int kind)
{
	return t->all[BURN_DWELLS + kind] > 0
		&& t->own[BURN_DWELLS + kind] >= t->own[BURN_ROUNDS] * BURN_PATTERNS;
}

/* Words of all blocks, planted ones; checksums of all operands after each dwell, and at the end. */
static void count_results(const struct burn *b, const struct tally *t, struct ledger *l)
{
	for (int k = 0; k < BURN_KINDS; k++) {
		const uint64_t blocks = t->own[BURN_BLOCKS + k];
		const struct impl *i = burn_impl(b, k);

		if (blocks == 0)
			continue;
		ledger_ask(l, LEDGER_WORDS, i ? blocks * burn_set_words(k, i) : 0);
		ledger_ask(l, LEDGER_SUMS, (t->own[BURN_DWELLS + k] + BURN_PATTERNS)
			* (uint64_t)burn_set_regions(k));
	}
	for (int k = 0; k < BURN_KINDS; k++)
		ledger_ask(l, LEDGER_JUDGES, t->own[BURN_DWELLS + k]);
	ledger_ask(l, LEDGER_JUDGES, t->own[BURN_MEMORY_PASSES]);
	ledger_count(l, LEDGER_JUDGES, t->own[BURN_PROVEN]);
	ledger_count(l, LEDGER_WORDS, t->own[BURN_WORDS]);
	ledger_count(l, LEDGER_SUMS, t->own[BURN_SUMS]);
}

/* The bytes compared per pass; if this process completed none, those of an earlier one. */
static uint64_t memory_done(const struct tally *t, uint64_t share)
{
	const uint64_t passes = t->own[BURN_MEMORY_PASSES];
	uint64_t bytes = t->own[BURN_MEMORY_BYTES] + t->own[BURN_MEMORY_BYTES + 1];

	if (passes > 0)
		bytes /= passes;
	else if (t->all[BURN_MEMORY_PASSES] > 0)
		bytes = t->all[BURN_MEMORY_WHOLE];
	return bytes < share ? bytes : share;
}

/* Describe the first gap with its thread, which the ledger does not name. */
static void detail(const struct burn *b, int i, const struct tally *t, int64_t work, char *out,
	size_t size)
{
	if (out[0] || burn_find_moved(b, i, out, size))
		return;
	if (ended_early(t, work))
		snprintf(out, size, "thread %d on CPU %d worked for %.1f of %.1f s", i,
			b->config.homes[i], (double)own_work(t) / CLOCK_SECOND,
			(double)work / CLOCK_SECOND);
	for (int k = 0; k < BURN_KINDS && !out[0]; k++)
		if (b->config.kinds[k] && !did_kind(t, k))
			snprintf(out, size, "%s in %s did not run on thread %d",
				burn_op_name((enum burn_op)(k / BURN_DTYPES)),
				burn_dtype_name((enum burn_dtype)(k % BURN_DTYPES)), i);
	if (!out[0] && b->config.memory && t->all[BURN_MEMORY_PASSES] == 0)
		snprintf(out, size, "not all of the memory was compared once by thread %d", i);
	if (!out[0] && !t->finished)
		snprintf(out, size, "thread %d made no last check", i);
}

/* The number of mismatches kept; *broken: a record, or the count of records, is damaged. */
static uint64_t count_records(const struct burn *b, bool *broken)
{
	const uint32_t places = burn_error_places(b);
	uint64_t n = 0, claimed;

	*broken = !burn_count_get(&b->shared->n_errors, &claimed);
	for (uint32_t i = 0; i < places; i++) {
		struct burn_error x;
		const enum burn_seal seal = burn_record_read(&b->shared->records[i],
			b->config.threads, &x);

		n += seal == BURN_SEAL_GOOD;
		*broken = *broken || seal == BURN_SEAL_BROKEN;
	}
	return n;
}

/* Count all workers; describe the first gap in missing, the first contradiction in wrong. */
static void count_workers(const struct burn *b, int64_t work, struct ledger *l, char *missing,
	char *wrong, size_t size)
{
	const int threads = b->config.threads;

	for (int i = 0; i < threads; i++) {
		struct tally t;

		read_worker(b, i, &t);
		if (t.contradicts && !wrong[0])
			snprintf(wrong, size, "of thread %d", i);
		ledger_count(l, LEDGER_THREADS, t.finished);
		ledger_count(l, LEDGER_WORKED, !ended_early(&t, work));
		ledger_count(l, LEDGER_PLACES, b->config.homes[i] >= 0 && t.all[BURN_AWAY] == 0 &&
			atomic_load(&b->shared->workers[i].beats) > 0);
		for (int k = 0; k < BURN_KINDS; k++)
			ledger_count(l, LEDGER_KINDS, did_kind(&t, k));
		if (b->config.memory)
			ledger_count(l, LEDGER_BYTES, memory_done(&t, b->config.memory
				/ (uint64_t)threads));
		count_results(b, &t, l);
		detail(b, i, &t, work, missing, size);
	}
}

/*
 * Count the work done into r->ledger.  A burn that would pass becomes INCOMPLETE if a count falls
 * short or contradicts itself.  r->errors becomes at least the number of mismatches kept, so that
 * these fail the burn even if their count was damaged.
 */
static void cover(const struct burn *b, int64_t time, struct burn_result *r)
{
	char missing[80] = "", wrong[80] = "", gaps[200];
	bool broken;
	uint64_t records;

	r->ledger = b->ledger;
	ledger_count(&r->ledger, LEDGER_TIME, time > 0 ? (uint64_t)time : 0);
	ledger_count(&r->ledger, LEDGER_ROUNDS, r->rounds);
	ledger_choose_end(&r->ledger);
	count_workers(b, find_work(b, time, &r->ledger), &r->ledger, missing, wrong,
		sizeof(missing));
	records = count_records(b, &broken);
	if (!wrong[0] && (broken || (records == 0) != (r->errors == 0)))
		snprintf(wrong, sizeof(wrong), "of wrong words");
	r->errors = r->errors > records ? r->errors : records;
	if (r->verdict != VERDICT_PASS)
		return;
	if (wrong[0]) {
		r->code = CODE_COUNTS_WRONG;
		snprintf(r->reason, sizeof(r->reason), "what the load counted contradicts itself "
			"(%s)", wrong);
	} else if (!ledger_is_met(&r->ledger)) {
		ledger_put_gaps(&r->ledger, gaps, sizeof(gaps));
		r->code = CODE_NOT_COVERED;
		snprintf(r->reason, sizeof(r->reason), "%s%s%s", missing, missing[0] ? "; " : "",
			gaps);
	} else if (r->swapped > 0) {
		r->code = CODE_NO_MEMORY;
		snprintf(r->reason, sizeof(r->reason),
			"%llu KiB of the load's memory were swapped out",
			(unsigned long long)(r->swapped >> 10));
	}
	if (r->reason[0])
		r->verdict = VERDICT_INCOMPLETE;
}

/* The result. */

#define PEAK_SHARE 0.9		/* processor share that a load needs to be compared with a peak */
#define ROUNDING 1.001		/* how much faster than its ceiling a test may seem to be */

static int by_value(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The median of a worker's peak samples, in GFLOP/s; 0: there are none. */
static double median_peak(const struct burn_worker *w, int kind)
{
	uint32_t v[BURN_PEAKS], n = 0;

	for (int i = 0; i < BURN_PEAKS; i++) {
		v[n] = atomic_load(&w->peaks[kind][i]);
		n += v[n] > 0;
	}
	if (n == 0)
		return 0;
	qsort(v, n, sizeof(*v), by_value);
	return v[n / 2] / 1000.0;
}

static uint64_t sum_counts(const struct burn_worker *w, int from, int n)
{
	uint64_t sum = 0;

	for (int i = 0; i < n; i++)
		sum += burn_worker_get(w, from + i);
	return sum;
}

/* ns of all its work. */
static uint64_t worked(const struct burn_worker *w)
{
	return sum_counts(w, BURN_NS, BURN_KINDS) + sum_counts(w, BURN_MEMORY_NS, 2);
}

static void sum_memory(const struct burn_worker *w, struct burn_result *r, bool first)
{
	const uint64_t passes = burn_worker_get(w, BURN_MEMORY_PASSES);
	const uint64_t ceiling = burn_worker_get(w, BURN_CEILING_NS);
	const uint64_t in_order = burn_worker_get(w, BURN_IN_ORDER_NS);

	for (int order = 0; order < 2; order++) {
		const uint64_t bytes = burn_worker_get(w, BURN_MEMORY_BYTES + order);
		const uint64_t ns = burn_worker_get(w, BURN_MEMORY_NS + order);

		r->memory_bytes += bytes;
		r->memory_rate[order] += ns > 0 ? (double)bytes / (double)ns : 0;
	}
	if (r->unlocked == 0)
		r->unlocked = (int)burn_worker_get(w, BURN_UNLOCKED);
	r->swapped += burn_worker_get(w, BURN_SWAPPED);
	r->memory_passes = first || passes < r->memory_passes ? passes : r->memory_passes;
	if (ceiling > 0 && in_order > 0)
		r->memory_ceiling += (double)burn_worker_get(w, BURN_IN_ORDER_CPU_NS)
			/ (double)in_order * (double)burn_worker_get(w, BURN_CEILING_BYTES)
			/ (double)ceiling;
}

static void sum_worker(const struct burn_worker *w, struct burn_result *r, bool first)
{
	const uint64_t rounds = burn_worker_get(w, BURN_ROUNDS);
	const uint64_t time = worked(w);
	/* The share of its working time in which it had its processor; 0: not known. */
	const double share = time > 0 ? (double)burn_worker_get(w, BURN_CPU_NS) / (double)time : 0;
	const double had = share > 0 ? share : 1;
	double flops = 0, ns = 0, possible = 0, highest = 0, rate;

	r->errors += burn_worker_get(w, BURN_ERRORS);
	r->words += burn_worker_get(w, BURN_WORDS);
	r->sums += burn_worker_get(w, BURN_SUMS);
	r->rounds = first || rounds < r->rounds ? rounds : r->rounds;
	for (int k = 0; k < BURN_KINDS; k++) {
		const double f = (double)burn_worker_get(w, BURN_FLOPS + k);
		const double t = (double)burn_worker_get(w, BURN_NS + k);
		const double peak = had * median_peak(w, k);

		r->peaks[k] += peak;
		highest = peak > highest ? peak : highest;
		possible += peak * t;
		r->blocks[k] += burn_worker_get(w, BURN_BLOCKS + k);
		r->rate[k] += t > 0 ? f / t : 0;
		flops += f;
		ns += t;
	}
	sum_memory(w, r, first);
	r->peak += ns > 0 ? possible / ns : highest;
	rate = ns > 0 ? flops / ns : 0;
	r->share += share;
	r->total += rate;
	if (first || rate < r->rate_of_worker[0])
		r->rate_of_worker[0] = rate;
	if (rate > r->rate_of_worker[1])
		r->rate_of_worker[1] = rate;
}

/* Each worker's rates are of the time that it worked: see burn_overlap(). */
static void scale_rates(struct burn_result *r, double by)
{
	for (int k = 0; k < BURN_KINDS; k++) {
		r->peaks[k] *= by;
		r->rate[k] *= by;
	}
	for (int i = 0; i < 2; i++) {
		r->memory_rate[i] *= by;
		r->rate_of_worker[i] *= by;
	}
	r->memory_ceiling *= by;
	r->peak *= by;
	r->total *= by;
	r->share *= by;
}

/* Signals that report the load's own fault, whatever its cause; the C library uses abort(). */
static bool is_own_fault(int number)
{
	static const int faults[] = { SIGILL, SIGBUS, SIGSEGV, SIGFPE, SIGABRT, SIGTRAP, SIGSYS };

	for (size_t i = 0; i < ARRAY_LEN(faults); i++)
		if (faults[i] == number)
			return true;
	return false;
}

/* Judge only how the child ended; why: the reason, with the text "" if it passed. */
static enum verdict judge_end(const struct burn *b, const struct error *cut, struct error *why)
{
	const int status = b->child.status, number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	*why = (struct error){ 0 };
	if (is_own_fault(number)) {
		fail(why, -ECHILD, "the load ended by signal %d (%s)", number, strsignal(number));
		return VERDICT_FAIL;
	}
	if (cut)
		*why = *cut;
	else if (number == SIGKILL && burn_room_kills("") > b->oom_kills)
		fail(why, -ENOMEM, "the load was killed (signal 9): the kernel ran out of memory");
	else if (number == SIGKILL)
		fail(why, -ECHILD, "the load was killed (signal 9)");
	else if (number)
		fail(why, -ECHILD, "the load ended by signal %d (%s)", number, strsignal(number));
	else if (burn_text_read(&b->shared->trouble, why) == BURN_SEAL_GOOD)
		return VERDICT_INCOMPLETE;
	else if (WEXITSTATUS(status) != 0)
		fail(why, -ECHILD, "the load ended early (exit code %d)", WEXITSTATUS(status));
	return why->text[0] ? VERDICT_INCOMPLETE : VERDICT_PASS;
}

/* A peak that the load surpassed is not a peak: it may have been sampled at a bad moment. */
static bool is_surpassed(const struct burn_result *r)
{
	bool is = r->peak > 0 && r->total > r->peak;

	for (int k = 0; k < BURN_KINDS; k++)
		is = is || (r->peaks[k] > 0 && r->rate[k] > r->peaks[k]);
	return is;
}

/* Workers that share processors take turns: all rates are multiplied by it.  shares: their sum. */
static double burn_overlap(const struct burn *b, double shares)
{
	const int most = b->config.processors;

	return most > 0 && shares > most ? most / shares : 1;
}

/* Threads that share processors can each have only part of one. */
bool burn_had_enough(const struct burn *b, double share)
{
	const struct burn_config *c = &b->config;
	const double fair = c->processors > 0 && c->threads > c->processors ?
		(double)c->processors / c->threads : 1;

	return share >= PEAK_SHARE * fair;
}

/* Drop peaks that the load surpassed, or could not reach because others had its processors. */
static void drop_peaks(const struct burn *b, struct burn_result *r)
{
	static const char little[] = "the load had its processors for less than 90 % of the time";
	const bool had_little = r->share > 0 && !burn_had_enough(b, r->share);
	const double rate = r->memory_rate[0];

	if (rate > r->memory_ceiling && rate < r->memory_ceiling * ROUNDING)
		r->memory_ceiling = rate;
	if (r->total > 0)
		r->no_peak = had_little ? little : is_surpassed(r) ?
			"the load was faster than the peak that was sampled beside it" : NULL;
	if (rate > 0)
		r->no_ceiling = had_little ? little :
			r->memory_ceiling > 0 && rate > r->memory_ceiling ?
			"the test was faster than one value that was sampled beside it" : NULL;
	if (r->no_peak) {
		memset(r->peaks, 0, sizeof(r->peaks));
		r->peak = 0;
	}
	if (r->no_ceiling)
		r->memory_ceiling = 0;
}

/* The first check that missed a planted word, in words; false: none did. */
static bool find_blind(const struct burn *b, char *out, size_t size)
{
	const uint32_t places = burn_error_places(b);
	struct burn_error x;

	for (uint32_t i = 0; i < places; i++) {
		if (!burn_error(b, i, &x) || x.what != BURN_IS_PLANTED)
			continue;
		snprintf(out, size, "thread %d on CPU %d does not compare %s%s%s: a word made "
			"wrong on purpose was not reported", x.thread, x.cpu,
			x.kind == BURN_MEMORY ? "memory" :
			burn_op_name((enum burn_op)(x.kind / BURN_DTYPES)),
			x.kind == BURN_MEMORY ? "" : " in ", x.kind == BURN_MEMORY ? "" :
			burn_dtype_name((enum burn_dtype)(x.kind % BURN_DTYPES)));
		return true;
	}
	return false;
}

/* Wrong words, or a check that finds none, fail a burn, however it ended. */
static void judge_words(const struct burn *b, struct burn_result *r)
{
	char before[200], words[160];
	const bool blind = find_blind(b, words, sizeof(words));

	if (r->errors == 0)
		return;
	if (!blind)
		snprintf(words, sizeof(words), "%llu wrong word%s", (unsigned long long)r->errors,
			r->errors == 1 ? "" : "s");
	mem_copy_text(before, sizeof(before), r->reason);
	snprintf(r->reason, sizeof(r->reason), "%s%s%.150s", words, before[0] ? "; " : "", before);
	r->code = blind ? CODE_JUDGE_BLIND : CODE_WRONG_WORDS;
	r->verdict = VERDICT_FAIL;
}

void burn_judge(const struct burn *b, int64_t time, const struct error *cut, struct burn_result *r)
{
	const int threads = b->config.threads;
	struct error end;

	*r = (struct burn_result){ 0 };
	for (int i = 0; i < threads; i++)
		sum_worker(&b->shared->workers[i], r, i == 0);
	scale_rates(r, burn_overlap(b, r->share));
	r->share /= threads > 0 ? threads : 1;
	drop_peaks(b, r);
	r->verdict = judge_end(b, cut, &end);
	r->code = end.word;
	mem_copy_text(r->reason, sizeof(r->reason), end.text);
	if (r->verdict == VERDICT_FAIL)
		mem_copy_text(r->fault, sizeof(r->fault), r->reason);
	cover(b, time, r);
	judge_words(b, r);
}

/*
 * True if both have grown since the last reading; *rate: how much per ns, times `scale`.  Both are
 * counted when a dwell or a piece of memory ends, so they are at most one of these apart.
 */
static bool has_grown(struct burn_growth *last, uint64_t amount, uint64_t ns, double scale,
	double *rate)
{
	if (amount <= last->amount || ns <= last->ns)
		return false;
	*rate = (double)(amount - last->amount) * scale / (double)(ns - last->ns);
	*last = (struct burn_growth){ amount, ns };
	return true;
}

static void read_pace(struct burn_pace *p, const struct burn_worker *w)
{
	const bool is_first = p->moved.ns == 0;
	double rate;

	if (has_grown(&p->had, burn_worker_get(w, BURN_CPU_NS), worked(w), 1, &rate))
		p->share = rate;
	/*
	 * A byte that is written and compared is moved twice but counts once.  The first reading
	 * gives no rate: it may include the work of an earlier process.
	 */
	if (has_grown(&p->moved, burn_worker_get(w, BURN_MEMORY_MOVED),
		sum_counts(w, BURN_MEMORY_NS, 2), 1000.0 / 2, &rate))
		p->memory = is_first ? 0 : (int64_t)rate;
	if (has_grown(&p->flops, sum_counts(w, BURN_FLOPS, BURN_KINDS),
		sum_counts(w, BURN_NS, BURN_KINDS), 1000, &rate))
		p->rate = (int64_t)rate;
}

void burn_meter_read(struct burn_meter *m, const struct burn *b)
{
	bool rate = true, memory = true;
	double shares = 0, by;

	m->rate = m->memory = 0;
	m->share = 0;
	for (size_t i = 0; i < m->n; i++) {
		const struct burn_pace *p = &m->workers[i];

		read_pace(&m->workers[i], &b->shared->workers[i]);
		rate = rate && p->rate > 0;
		memory = memory && p->memory > 0;
		m->rate += p->rate;
		m->memory += p->memory;
		shares += p->share;
	}
	by = burn_overlap(b, shares);
	m->rate = rate ? (int64_t)(by * (double)m->rate) : 0;
	m->memory = memory ? (int64_t)(by * (double)m->memory) : 0;
	m->share = m->n > 0 ? by * shares / (double)m->n : 0;
}

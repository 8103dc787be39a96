/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn_judge.c - sum up the counts of the load, and judge them.
 */
#include "config.h"
#include "burnin/host/burn_cover.h"

#include "base/array.h"
#include "base/mem.h"
#include "burnin/host/burn_room.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define PEAK_SHARE 0.9		/* processor share that a load needs to be compared with a peak */

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

/* The share of its working time in which it had its processor; 0: not known. */
static double share_of(const struct burn_worker *w)
{
	double ns = 0;

	for (int k = 0; k < BURN_KINDS; k++)
		ns += (double)burn_worker_get(w, BURN_NS + k);
	for (int order = 0; order < 2; order++)
		ns += (double)burn_worker_get(w, BURN_MEMORY_NS + order);
	return ns > 0 ? (double)burn_worker_get(w, BURN_CPU_NS) / ns : 0;
}

static void sum_memory(const struct burn_worker *w, double share, struct burn_result *r,
	bool first)
{
	const uint64_t passes = burn_worker_get(w, BURN_MEMORY_PASSES);
	const uint64_t ceiling = burn_worker_get(w, BURN_CEILING_NS);

	for (int order = 0; order < 2; order++) {
		const uint64_t bytes = burn_worker_get(w, BURN_MEMORY_BYTES + order);
		const uint64_t ns = burn_worker_get(w, BURN_MEMORY_NS + order);

		r->memory_bytes += bytes;
		r->memory_rate[order] += ns > 0 ? (double)bytes / (double)ns : 0;
	}
	r->memory_passes = first || passes < r->memory_passes ? passes : r->memory_passes;
	if (ceiling > 0)
		r->memory_ceiling += share * (double)burn_worker_get(w, BURN_CEILING_BYTES)
			/ (double)ceiling;
}

static void sum_worker(const struct burn_worker *w, struct burn_result *r, bool first)
{
	const uint64_t rounds = burn_worker_get(w, BURN_ROUNDS);
	const double share = share_of(w), had = share > 0 ? share : 1;
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
	sum_memory(w, had, r, first);
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
static enum burn_verdict judge_end(const struct burn *b, const struct error *cut,
	struct error *why)
{
	const int status = b->child.status, number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	*why = (struct error){ 0 };
	if (is_own_fault(number)) {
		fail(why, -ECHILD, "the load ended by signal %d (%s)", number, strsignal(number));
		return BURN_FAIL;
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
		return BURN_INCOMPLETE;
	else if (WEXITSTATUS(status) != 0)
		fail(why, -ECHILD, "the load ended early (exit code %d)", WEXITSTATUS(status));
	return why->text[0] ? BURN_INCOMPLETE : BURN_PASS;
}

/* A peak that the load surpassed is not a peak: it may have been sampled at a bad moment. */
static bool is_surpassed(const struct burn_result *r)
{
	bool is = r->peak > 0 && r->total > r->peak;

	for (int k = 0; k < BURN_KINDS; k++)
		is = is || (r->peaks[k] > 0 && r->rate[k] > r->peaks[k]);
	return is;
}

double burn_overlap(const struct burn *b, double shares)
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

	if (r->total > 0)
		r->no_peak = had_little ? little : is_surpassed(r) ?
			"the load was faster than the peak that was sampled beside it" : NULL;
	if (r->memory_rate[0] > 0)
		r->no_ceiling = had_little ? little :
			r->memory_ceiling > 0 && r->memory_rate[0] > r->memory_ceiling ?
			"the test was faster than one value that was sampled beside it" : NULL;
	if (r->no_peak) {
		memset(r->peaks, 0, sizeof(r->peaks));
		r->peak = 0;
	}
	if (r->no_ceiling)
		r->memory_ceiling = 0;
}

void burn_judge(const struct burn *b, int64_t time, const struct error *cut, struct burn_result *r)
{
	const int threads = burn_workers(b);
	struct error end;
	char before[200];

	*r = (struct burn_result){ 0 };
	for (int i = 0; i < threads; i++)
		sum_worker(&b->shared->workers[i], r, i == 0);
	scale_rates(r, burn_overlap(b, r->share));
	r->share /= threads > 0 ? threads : 1;
	drop_peaks(b, r);
	r->verdict = judge_end(b, cut, &end);
	r->code = end.word;
	mem_copy_text(r->reason, sizeof(r->reason), end.text);
	if (r->verdict == BURN_FAIL)
		mem_copy_text(r->fault, sizeof(r->fault), r->reason);
	burn_cover(b, threads, time, r);
	if (r->errors > 0) {
		mem_copy_text(before, sizeof(before), r->reason);
		snprintf(r->reason, sizeof(r->reason), "%llu wrong word%s%s%s",
			(unsigned long long)r->errors, r->errors == 1 ? "" : "s",
			before[0] ? "; " : "", before);
		r->code = CODE_WRONG_WORDS;
		r->verdict = BURN_FAIL;
	}
}

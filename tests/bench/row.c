/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * row.c - a row is measured in a child, which leaves its samples in memory that it shares with
 * us and says whose turn it is: a library that crashes ends that child, and only its own figures.
 *
 * One thread is measured in processor time, which other people's work on the machine does not
 * lengthen, nor a hypervisor's where the kernel accounts for it.  With several, each on a
 * processor of its own, everybody has a run to wake his threads before the one that is timed,
 * and the peak is sampled when they sleep again.
 */
#include "config.h"
#include "tests/bench/row.h"

#include "burnin/kernels/bf16.h"
#include "burnin/kernels/team.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	WARM = 2,
	PEAK_ROUNDS = 1000, PEAK_PIECES = 3,	/* 0.3 ms each: the median of them is a sample */
	TRIPS = 20000,
	REPEATS_MOST = 64
};

#define SAMPLE_LEAST 1e-3	/* s: what takes less is repeated */
#define SPINNING 20000000L	/* ns that OpenMP's threads wait for more work before they sleep */

struct measuring {
	const struct row_work *w;
	struct row *row;
	struct team *team;
	struct plan plan;
	struct burn_operands at;
	void *handle[ROW_RUNNERS];
	int repeats[ROW_RUNNERS];	/* of a sample */
	double rates[TEAM_MAX];		/* of each thread's peak */
};

static double now(const struct measuring *m)
{
	struct timespec t;

	clock_gettime(m->w->threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* How often a thread that could have gone on lost its processor. */
static long preempted(const struct measuring *m)
{
	struct rusage use;

	if (m->w->threads == 1)
		return 0;
	getrusage(RUSAGE_SELF, &use);
	return use.ru_nivcsw;
}

static void run_peak(void *arg, int thread)
{
	struct measuring *m = arg;
	const double from = now(m);
	const uint64_t flops = m->w->peak->peak(PEAK_ROUNDS);

	m->rates[thread] = (double)flops / (now(m) - from) / 1e9;
}

/* GFLOP/s of all threads, each by its own clock: a late start does not count. */
static double sample_peak(struct measuring *m)
{
	double v[PEAK_PIECES] = { 0 };

	for (int i = 0; i < PEAK_PIECES; i++) {
		team_run(m->team, run_peak, m);
		for (int k = 0; k < m->w->threads; k++)
			v[i] += m->rates[k];
	}
	for (int i = 1; i < PEAK_PIECES; i++)
		for (int k = i; k > 0 && v[k] < v[k - 1]; k--) {
			const double less = v[k];

			v[k] = v[k - 1];
			v[k - 1] = less;
		}
	return v[PEAK_PIECES / 2];
}

/* Other libraries' threads are asleep, ours awake. */
static void settle(struct measuring *m)
{
	const struct timespec t = { .tv_nsec = SPINNING };

	if (m->w->threads == 1)
		return;
	nanosleep(&t, NULL);
	team_run(m->team, run_peak, m);
}

static _Alignas(64) _Atomic int turn;

static void bounce(void *arg, int thread)
{
	(void)arg;
	for (int i = 0; i < TRIPS && thread < 2; i++) {
		while (atomic_load(&turn) != thread)
			;
		atomic_store(&turn, !thread);
	}
}

/* ns */
static double round_trip(const struct measuring *m)
{
	double from;

	if (m->w->threads == 1)
		return 0;
	team_run(m->team, bounce, NULL);
	from = now(m);
	team_run(m->team, bounce, NULL);
	return (now(m) - from) * 1e9 / TRIPS;
}

static void run_once(struct measuring *m, int k)
{
	m->row->running = k;
	if (k == 0)
		plan_run(&m->plan, &m->at);
	else
		m->w->peers[k - 1]->run(m->handle[k]);
	m->row->running = 0;
}

static double time_runs(struct measuring *m, int k, int n)
{
	const double from = now(m);

	for (int i = 0; i < n; i++)
		run_once(m, k);
	return now(m) - from;
}

static void warm(struct measuring *m, int k)
{
	double took = 0;

	for (int i = 0; i < WARM; i++)
		took = time_runs(m, k, 1);
	m->repeats[k] = took * REPEATS_MOST < SAMPLE_LEAST ? REPEATS_MOST
		: took < SAMPLE_LEAST ? (int)(SAMPLE_LEAST / took) + 1 : 1;
}

/* Returns the peak after it, which is the one before the next. */
static double take_sample(struct measuring *m, int k, double before, struct row_sample *s)
{
	const double flops = (double)burn_flops(&m->w->shape) * m->repeats[k] / 1e9;
	long times;
	double took;

	if (m->w->threads > 1)
		run_once(m, k);
	times = preempted(m);
	took = time_runs(m, k, m->repeats[k]);
	s->lost = preempted(m) != times;
	settle(m);
	s->rate = flops / took;
	s->before = before;
	s->after = sample_peak(m);
	return s->after;
}

static void take_rounds(struct measuring *m)
{
	const int most = ROW_TRIES * m->w->rounds;
	double peak;

	for (int k = 0; k < ROW_RUNNERS; k++)
		if (m->handle[k])
			warm(m, k);
	peak = sample_peak(m);
	while (m->row->rounds < most && row_whole_rounds(m->row) < m->w->rounds) {
		for (int k = 0; k < ROW_RUNNERS; k++)
			if (m->handle[k])
				peak = take_sample(m, k, peak,
					&m->row->of[k].samples[m->row->rounds]);
		m->row->rounds++;
	}
}

static void *tensor(const struct burn_shape *s, enum burn_dtype t, enum burn_role role)
{
	const size_t n = burn_elements(s, role);
	void *p = n ? pages_alloc(n * burn_dtype_size(t)) : NULL;

	for (size_t i = 0; i < n && p; i++)
		element_set(t, p, i, (float)(i * 2654435761u % 2001) / 1000.0f - 1);
	return p;
}

struct burn_operands row_operands(const struct burn_shape *s, enum burn_dtype t)
{
	return (struct burn_operands){ tensor(s, t, BURN_INPUT), tensor(s, t, BURN_WEIGHT),
		tensor(s, t, BURN_BIAS), tensor(s, t, BURN_OUTPUT) };
}

static void open_peers(struct measuring *m)
{
	for (int k = 1; k < ROW_RUNNERS; k++) {
		if (m->row->of[k].end == ROW_CRASHED)
			continue;
		m->row->running = k;
		m->handle[k] = m->w->peers[k - 1]->open(&m->w->shape, m->w->dtype, &m->at);
		m->row->of[k].end = m->handle[k] ? ROW_RAN : ROW_ABSENT;
	}
	m->row->running = 0;
}

/* In the child, whose end frees all. */
static void measure(const struct row_work *w, struct row *row)
{
	struct measuring *m = calloc(1, sizeof(*m));
	struct error e = { .text = "out of memory" };

	peer_prepare(w->threads);
	if (m)
		*m = (struct measuring){ .w = w, .row = row,
			.at = row_operands(&w->shape, w->dtype) };
	if (!m || team_open(&m->team, w->threads, w->threads > 1, &e) < 0 ||
		plan_open(&m->plan, w->ours, &w->shape, w->dtype, m->team, &e) < 0) {
		snprintf(row->trouble, sizeof(row->trouble), "%s", e.text);
		return;
	}
	plan_pack(&m->plan, m->at.weight);
	m->handle[0] = &m->plan;
	row->of[0].end = ROW_RAN;
	open_peers(m);
	row->round_trip = round_trip(m);
	take_rounds(m);
}

/* The status of the child's end. */
static int measure_apart(const struct row_work *w, struct row *row)
{
	const struct rlimit none = { 0, 0 };
	int status = -1;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child == 0) {
		setrlimit(RLIMIT_CORE, &none);
		measure(w, row);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		snprintf(row->trouble, sizeof(row->trouble), "no process for it");
	return status;
}

bool row_measure(const struct row_work *w, struct row *row)
{
	int status;

	memset(row, 0, sizeof(*row));
	while ((status = measure_apart(w, row)) != 0 && row->running > 0) {
		for (int k = 0; k < ROW_RUNNERS; k++)
			memset(row->of[k].samples, 0, sizeof(row->of[k].samples));
		row->of[row->running].end = ROW_CRASHED;
		row->rounds = row->running = 0;
	}
	if (status != 0 && !row->trouble[0])
		snprintf(row->trouble, sizeof(row->trouble), "%s crashed", w->ours->name);
	return !row->trouble[0];
}

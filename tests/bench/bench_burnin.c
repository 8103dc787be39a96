/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_burnin kind: of which kind in goals.tsv this processor is, by its rates.
 * bench_burnin trial PEER PART: GFLOP/s of a library at one case of the part, in processor
 * time; what it is to use is in the environment.
 * bench_burnin THREADS ROUNDS [PART]... - our kernels beside other libraries', in one
 * process: each round samples the peak of the multiply-adds and then runs everybody
 * once.  A sample counts if the peak around it was at least 95 % of the best of the
 * run; medians are of those that count.  BENCH_IMPL names another one of ours than
 * the fastest.  One thread is measured in processor time, which other people's work
 * on the machine does not lengthen.  With several, each on a processor of its own,
 * everybody has a run to wake his threads before the one that is timed, and the peak
 * is sampled when they sleep again; the round trip of a line of memory between two
 * of them says how near they were to each other.
 */
#include "config.h"
#include "base/array.h"
#include "base/error.h"
#include "burnin/kernels/element.h"
#include "burnin/kernels/cpu.h"
#include "burnin/kernels/impl.h"
#include "burnin/kernels/pages.h"
#include "tests/bench/peer.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNNERS = 4, MAX_ROUNDS = 200, WARM = 2, WINDOW = 7, TRIPS = 20000 };
enum { TRIALS = 20, TRIAL_CHANNELS = 128, TRIAL_SQUARE = 1024 };

#define SPINNING 20000000L	/* ns that OpenMP's threads wait for more work before they sleep */

static const struct peer *const peers[] = { &peer_openblas, &peer_blis, &peer_dnnl };

static const struct part {
	const char *name, *title;
	enum burn_op op;
	int m, n;		/* of matmul; 0: square */
} parts[] = {
	{ "conv", "conv2d, NCHW to NCHW", BURN_CONV2D, 0, 0 },
	{ "narrow", "matmul 1024 x K, K x 32", BURN_MATMUL, 1024, 32 },
	{ "flat", "matmul 32 x K, K x 1024", BURN_MATMUL, 32, 1024 },
	{ "square", "matmul, square", BURN_MATMUL, 0, 0 },
};

static struct team *team;
static const struct impl *fastest;	/* its peak is the measure */
static int threads, rounds;
static double best_peak;

static double now(void)
{
	struct timespec t;

	clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The best is the best median of a window: one odd sample of a clock does not count. */
static void keep_best(double rate)
{
	static double window[WINDOW];
	static int n;
	double v[WINDOW];

	window[n++ % WINDOW] = rate;
	if (n < WINDOW)
		return;
	memcpy(v, window, sizeof(v));
	qsort(v, WINDOW, sizeof(*v), by_value);
	if (v[WINDOW / 2] > best_peak)
		best_peak = v[WINDOW / 2];
}

static double rates[TEAM_MAX];	/* of each thread by its own clock: a late start does not count */

static void run_peak(void *arg, int thread)
{
	const double from = now();
	const uint64_t flops = fastest->peak(*(unsigned *)arg);

	rates[thread] = (double)flops / (now() - from) / 1e9;
}

/* GFLOP/s of all threads, over about 0.3 ms. */
static double sample_peak(void)
{
	unsigned n = 1000;
	double all = 0;

	team_run(team, run_peak, &n);
	for (int i = 0; i < threads; i++)
		all += rates[i];
	keep_best(all);
	return all;
}

/* Other libraries' threads are asleep, ours awake. */
static void settle(void)
{
	const struct timespec t = { .tv_nsec = SPINNING };
	unsigned n = 100;

	if (threads == 1)
		return;
	nanosleep(&t, NULL);
	team_run(team, run_peak, &n);
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
static double round_trip(void)
{
	double from;

	team_run(team, bounce, NULL);
	from = now();
	team_run(team, bounce, NULL);
	return (now() - from) * 1e9 / TRIPS;
}

struct sample {
	double seconds, peak;
};

/* Median of the samples whose peak was near the best; 0 if fewer than three are left. */
static double median(const struct sample *s, int n, int *left)
{
	double v[MAX_ROUNDS];

	*left = 0;
	for (int i = 0; i < n; i++)
		if (s[i].peak >= 0.95 * best_peak)
			v[(*left)++] = s[i].seconds;
	if (*left < 3)
		return 0;
	qsort(v, (size_t)*left, sizeof(*v), by_value);
	return v[*left / 2];
}

static void *tensor(const struct burn_shape *s, enum burn_dtype t, enum burn_role role,
	size_t *size)
{
	const size_t n = burn_elements(s, role);
	void *p;

	*size = n * burn_dtype_size(t);
	p = n ? pages_alloc(*size) : NULL;
	for (size_t i = 0; i < n && p; i++)
		element_set(t, p, i, (float)(i * 2654435761u % 2001) / 1000.0f - 1);
	return p;
}

struct row {
	void *handle[RUNNERS];		/* [0] is ours */
	struct plan plan;
	struct sample samples[RUNNERS][MAX_ROUNDS];
	struct burn_operands at;
};

static void run_once(struct row *r, int k)
{
	if (k == 0)
		plan_run(&r->plan, &r->at);
	else
		peers[k - 1]->run(r->handle[k]);
}

static void measure(struct row *r)
{
	double before = sample_peak();

	for (int i = -WARM; i < rounds; i++)
		for (int k = 0; k < RUNNERS; k++) {
			double from, took, after;

			if (!r->handle[k])
				continue;
			if (threads > 1)
				run_once(r, k);
			from = now();
			run_once(r, k);
			took = now() - from;
			settle();
			after = sample_peak();
			if (i >= 0)
				r->samples[k][i] = (struct sample){ took,
					after < before ? after : before };
			before = after;
		}
}

/* Our rate over the best peer's; 0 if the row is dropped. */
static double report(const struct row *r, const struct burn_shape *s, enum burn_dtype t)
{
	double rate[RUNNERS] = { 0 }, best = 0, ratio;
	int left;

	printf("  %-8s %5d x %5d x %6d", burn_dtype_name(t), s->m, s->n, s->k);
	for (int k = 0; k < RUNNERS; k++) {
		const double seconds = r->handle[k] ? median(r->samples[k], rounds, &left) : 0;

		if (seconds > 0)
			rate[k] = (double)burn_flops(s) / seconds / 1e9;
		if (k && rate[k] > best)
			best = rate[k];
		if (r->handle[k] && seconds > 0)
			printf(" %8.1f (%3.0f%%)", rate[k], 100 * rate[k] / best_peak);
		else
			printf(" %15s", r->handle[k] ? "dropped" : "-");
	}
	ratio = best > 0 ? rate[0] / best : 0;
	printf(ratio > 0 ? "  %5.2f\n" : "      -\n", ratio);
	fflush(stdout);
	return ratio;
}

static double bench(const struct burn_shape *s, enum burn_dtype t)
{
	struct row *r = calloc(1, sizeof(*r));
	size_t size[BURN_ROLES];
	struct error e;
	double ratio = 0;

	if (!r)
		return 0;
	r->at = (struct burn_operands){ .input = tensor(s, t, BURN_INPUT, &size[BURN_INPUT]),
		.weight = tensor(s, t, BURN_WEIGHT, &size[BURN_WEIGHT]),
		.bias = tensor(s, t, BURN_BIAS, &size[BURN_BIAS]),
		.output = tensor(s, t, BURN_OUTPUT, &size[BURN_OUTPUT]) };
	if (plan_open(&r->plan, impl_best(s->op, t), s, t, team, &e)) {
		printf("  %s\n", e.text);
	} else {
		plan_pack(&r->plan, r->at.weight);
		r->handle[0] = &r->plan;
		for (size_t k = 0; k < ARRAY_LEN(peers); k++)
			r->handle[k + 1] = peers[k]->open(s, t, &r->at);
		measure(r);
		ratio = report(r, s, t);
		for (size_t k = 0; k < ARRAY_LEN(peers); k++)
			if (r->handle[k + 1])
				peers[k]->close(r->handle[k + 1]);
	}
	plan_close(&r->plan);
	pages_free((void *)(uintptr_t)r->at.input, size[BURN_INPUT]);
	pages_free((void *)(uintptr_t)r->at.weight, size[BURN_WEIGHT]);
	pages_free((void *)(uintptr_t)r->at.bias, size[BURN_BIAS]);
	pages_free(r->at.output, size[BURN_OUTPUT]);
	free(r);
	return ratio;
}

static void bench_part(const struct part *p, enum burn_dtype t)
{
	static const int square[] = { 512, 1024, 2048, 4096 };
	const int n = p->op == BURN_MATMUL && !p->m ? (int)ARRAY_LEN(square) : BURN_CASES;
	const char *most = getenv("BENCH_K");
	double logs = 0, least = INFINITY;
	int counted = 0, dropped = 0;

	printf("\n%s, %s, ours: %s\n", p->title, burn_dtype_name(t), impl_best(p->op, t)->name);
	printf("  %-8s %22s %15s %15s %15s %15s  ratio\n", "", "M x N x K", "ours",
		"OpenBLAS", "BLIS", "oneDNN");
	for (int i = 0; i < n; i++) {
		const struct burn_case *c = &burn_cases[i];
		const struct burn_shape s = p->op == BURN_CONV2D ? burn_shape_of(c, BURN_CONV2D)
			: p->m ? burn_matmul(p->m, p->n, c->k)
			       : burn_matmul(square[i], square[i], square[i]);
		double ratio;

		if (most && s.k > strtol(most, NULL, 10))
			continue;
		ratio = bench(&s, t);
		if (!p->m && p->op == BURN_MATMUL && i == 0)
			continue;	/* the goal is for N from 1024 up */
		if (ratio > 0) {
			logs += log(ratio);
			least = ratio < least ? ratio : least;
			counted++;
		} else {
			dropped++;
		}
	}
	if (counted)
		printf("  => geomean %.2f, least %.2f of %d rows, %d dropped\n",
			exp(logs / counted), least, counted, dropped);
}

/* Flops a second of the peak of one of ours, in processor time; 0: it cannot run. */
static double rate_of(const char *name)
{
	const struct impl *i = impl_find(name);
	double best = 0;

	if (!i || !i->peak || (i->needs & ~cpu_features()) != 0)
		return 0;
	for (int n = 0; n < 200; n++) {
		const double from = now(), rate = (double)i->peak(1000) / (now() - from);

		best = rate > best ? rate : best;
	}
	return best;
}

static int print_kind(void)
{
	const double f32 = rate_of("avx512"), bf16 = rate_of("avx512bf16"), half = rate_of("avx2");

	/* Nobody has set goals for tiles yet. */
	if (f32 <= 0 || bf16 <= 0 || cpu_features() & CPU_AMX_BF16)
		puts("other");
	else
		puts(bf16 < 0.75 * f32 ? "half" : f32 < 1.5 * half ? "halves" : "twice");
	return 0;
}

/* Whether the name, or "NAME-f" or "NAME-b", asks for this. */
static bool is_asked(const struct part *p, enum burn_dtype t, const char *name)
{
	char exact[32];

	snprintf(exact, sizeof(exact), "%s-%c", p->name, *burn_dtype_name(t));
	return !strcmp(name, p->name) || !strcmp(name, exact);
}

static struct burn_shape trial_shape(const struct part *p)
{
	return p->op == BURN_CONV2D ? burn_shape_of(burn_case_find(TRIAL_CHANNELS), BURN_CONV2D) :
		burn_matmul(p->m ? p->m : TRIAL_SQUARE, p->n ? p->n : TRIAL_SQUARE, TRIAL_SQUARE);
}

/* Exits with 1 where the peer has not got it. */
static int try_peer(const char *name, const struct part *p, enum burn_dtype t)
{
	const struct burn_shape s = trial_shape(p);
	const struct peer *peer = NULL;
	struct burn_operands at;
	size_t size;
	double best = 0;
	void *handle;

	for (size_t i = 0; i < ARRAY_LEN(peers); i++)
		peer = strcmp(peers[i]->name, name) ? peer : peers[i];
	at = (struct burn_operands){ .input = tensor(&s, t, BURN_INPUT, &size),
		.weight = tensor(&s, t, BURN_WEIGHT, &size),
		.bias = tensor(&s, t, BURN_BIAS, &size),
		.output = tensor(&s, t, BURN_OUTPUT, &size) };
	handle = peer ? peer->open(&s, t, &at) : NULL;
	if (!handle)
		return 1;
	for (int i = 0; i < TRIALS; i++) {
		const double from = now();
		double rate;

		peer->run(handle);
		rate = (double)burn_flops(&s) / (now() - from) / 1e9;
		best = rate > best ? rate : best;
	}
	printf("%.2f\n", best);
	return 0;
}

static int special(int argc, char **argv)
{
	threads = 1;
	if (argc == 2 && strcmp(argv[1], "kind") == 0)
		return print_kind();
	if (argc == 4 && strcmp(argv[1], "trial") == 0) {
		peer_prepare(1);
		for (size_t i = 0; i < ARRAY_LEN(parts); i++)
			for (int t = 0; t < BURN_DTYPES; t++)
				if (is_asked(&parts[i], (enum burn_dtype)t, argv[3]))
					return try_peer(argv[2], &parts[i], (enum burn_dtype)t);
	}
	return -1;
}

int main(int argc, char **argv)
{
	char names[128];
	struct error e;
	int done = special(argc, argv);

	if (done >= 0)
		return done;
	threads = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1;
	rounds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 9;
	if (rounds < 3 || rounds > MAX_ROUNDS)
		rounds = 9;
	peer_prepare(threads);
	if (team_open(&team, threads, threads > 1, &e)) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	for (int i = 0; impls[i]; i++)
		if (impls[i]->peak && impl_usable(impls[i], BURN_CONV2D, BURN_FLOAT32))
			fastest = impls[i];
	impl_force(getenv("BENCH_IMPL") ? impl_find(getenv("BENCH_IMPL")) : NULL);
	for (int i = 0; i < 200; i++)
		sample_peak();
	printf("%d thread(s), %d rounds; features: %s\n", threads, rounds,
		cpu_feature_names(cpu_features(), names, sizeof(names)));
	printf("peak (%s): %.1f GFLOP/s; figures: GFLOP/s (of that peak)\n", fastest->name,
		best_peak);
	if (threads > 1)
		printf("a line of memory goes from one to another and back in %.0f ns\n",
			round_trip());
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		for (int t = BURN_DTYPES - 1; t >= 0; t--) {
			bool asked = argc < 4;

			for (int k = 3; k < argc; k++)
				asked = asked || is_asked(&parts[i], (enum burn_dtype)t, argv[k]);
			if (asked)
				bench_part(&parts[i], (enum burn_dtype)t);
		}
	team_close(team);
	return 0;
}

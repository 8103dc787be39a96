/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_burnin kind: of which kind in goals.tsv this processor is, by its rates, or is limited to.
 * bench_burnin trial PEER PART: GFLOP/s of a library at one case of the part, in processor
 * time; what it is to use is in the environment.
 * bench_burnin THREADS ROUNDS [PART]... - our kernels beside other libraries' (row.h).
 * BENCH_IMPL names another one of ours than the fastest.  Of several threads each row says
 * how long a line of memory takes from one to another and back: how near they were.
 */
#include "config.h"
#include "base/mem.h"
#include "burnin/kernels/cpu.h"
#include "burnin/kernels/impl.h"
#include "tests/bench/row.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TILES_LEAST 3		/* times the peak of float32: only tiles are so much faster */

enum { ROUNDS = 15, TRIALS = 20, TRIAL_CHANNELS = 128, TRIAL_SQUARE = 1024, KIND_SAMPLES = 200 };

static const struct impl *widest;	/* of float32, whose peak is the measure of who has none */
static int threads, rounds;

/* Our own float32 beside bfloat16: of one thread, since a second team would be in the way. */

struct own {
	struct team *team;
	struct plan plan;
	struct burn_operands at;
};

static void *open_own(const struct burn_shape *s, enum burn_dtype t, const struct burn_operands *at)
{
	struct own *o;

	(void)at;
	if (t != BURN_BFLOAT16 || threads > 1)
		return NULL;
	o = mem_calloc(1, sizeof(*o));
	o->at = row_operands(s, BURN_FLOAT32);
	if (team_open(&o->team, 1, false, NULL) < 0 || plan_open(&o->plan,
		impl_best(s->op, BURN_FLOAT32), s, BURN_FLOAT32, o->team, NULL) < 0)
		return NULL;
	plan_pack(&o->plan, o->at.weight);
	return o;
}

static void run_own(void *handle)
{
	struct own *o = handle;

	plan_run(&o->plan, &o->at);
}

static const struct peer own_float32 = { "float32", open_own, run_own, free };

static const struct peer *const peers[] = { &peer_openblas, &peer_blis, &peer_dnnl, &own_float32 };

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

/* Processor time of this thread, s. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static const struct impl *peak_of(const struct impl *i)
{
	return i->peak ? i : widest;
}

/* What one of them reached, or why that is not known. */
static void print_runner(const struct row *row, int k)
{
	const struct row_runner *r = &row->of[k];
	const double rate = row_rate(r, row->rounds);

	if (rate > 0)
		printf(" %8.1f (%3.0f%%)", rate, 100 * row_share(r, row->rounds));
	else
		printf(" %15s", r->end == ROW_CRASHED ? "crashed" :
			r->end == ROW_ABSENT ? "-" : "dropped");
}

/* Why there is no ratio of ours to a peer's. */
static void print_why(const struct row *row)
{
	int there = 0;

	for (int k = 1; k <= ROW_PEERS; k++)
		there += row->of[k].end == ROW_RAN;
	if (there)
		printf("      -  dropped: the clock moved or work was lost in %d of %d rounds",
			row->rounds - row_whole_rounds(row), row->rounds);
	else
		printf("      -  no peer answered");
}

/* Print the row; returns our rate over the best peer's, 0 if that is not known. */
static double report(const struct row *row, const struct burn_shape *s, enum burn_dtype t)
{
	const int best = row_best_peer(row);
	const struct row_ratio ratio = row_compare(&row->of[0], &row->of[best], row->rounds);

	printf("  %-8s %5d x %5d x %6d", burn_dtype_name(t), s->m, s->n, s->k);
	for (int k = 0; k < ROW_RUNNERS; k++)
		print_runner(row, k);
	if (best && ratio.median > 0)
		printf("  %5.2f +- %.2f (%d)", ratio.median, ratio.spread, ratio.rounds);
	else
		print_why(row);
	for (int k = 1; k < ROW_RUNNERS; k++)
		if (row->of[k].end == ROW_CRASHED)
			printf("; without %s, which crashed", peers[k - 1]->name);
	if (row->round_trip > 0)
		printf("; a line there and back %.0f ns", row->round_trip);
	putchar('\n');
	fflush(stdout);
	return best ? ratio.median : 0;
}

/* Ratios of a part's rows. */
struct ratios {
	double logs, least;
	int counted, without;
};

static void add_ratio(struct ratios *r, double ratio)
{
	if (ratio <= 0) {
		r->without++;
		return;
	}
	r->logs += log(ratio);
	r->least = r->counted == 0 || ratio < r->least ? ratio : r->least;
	r->counted++;
}

static void print_ratios(const struct ratios *r, const char *of)
{
	if (r->counted)
		printf("  => %sgeomean %.2f, least %.2f of %d rows of %d\n", of,
			exp(r->logs / r->counted), r->least, r->counted, r->counted + r->without);
}

static void bench(const struct burn_shape *s, enum burn_dtype t, struct row *row, bool counts,
	struct ratios *best, struct ratios *own)
{
	const struct impl *ours = impl_best(s->op, t);
	const struct row_work w = { .shape = *s, .dtype = t, .ours = ours, .peak = peak_of(ours),
		.peers = peers, .threads = threads, .rounds = rounds };
	double ratio = 0;

	if (row_measure(&w, row))
		ratio = report(row, s, t);
	else
		printf("  %s\n", row->trouble);
	if (!counts)
		return;
	add_ratio(best, ratio);
	add_ratio(own, row_compare(&row->of[0], &row->of[ROW_OWN], row->rounds).median);
}

static void bench_part(const struct part *p, enum burn_dtype t)
{
	static const int square[] = { 512, 1024, 2048, 4096 };
	const bool is_square = p->op == BURN_MATMUL && !p->m;
	const int n = is_square ? (int)ARRAY_LEN(square) : BURN_CASES;
	const char *most = getenv("BENCH_K");
	struct row *row = mem_share(sizeof(*row));
	struct ratios best = { 0 }, own = { 0 };

	printf("\n%s, %s, ours: %s, peak: %s\n", p->title, burn_dtype_name(t),
		impl_best(p->op, t)->name, peak_of(impl_best(p->op, t))->name);
	printf("  %-8s %22s %15s", "", "M x N x K", "ours");
	for (int k = 1; k < ROW_RUNNERS; k++)
		printf(" %15s", peers[k - 1]->name);
	puts("  ratio");
	for (int i = 0; i < n; i++) {
		const struct burn_case *c = &burn_cases[i];
		const struct burn_shape s = p->op == BURN_CONV2D ? burn_shape_of(c, BURN_CONV2D)
			: p->m ? burn_matmul(p->m, p->n, c->k)
			       : burn_matmul(square[i], square[i], square[i]);

		/* Of square ones the goal is for N from 1024 up. */
		if (!most || s.k <= strtol(most, NULL, 10))
			bench(&s, t, row, !is_square || i > 0, &best, &own);
	}
	print_ratios(&best, "");
	print_ratios(&own, "of our float32: ");
	mem_unshare(row, sizeof(*row));
}

/* Flops a second of the peak of one of ours, in processor time; 0: it cannot run. */
static double rate_of(const char *name)
{
	const struct impl *i = impl_find(name);
	double best = 0;

	if (!i || !i->peak || !impl_usable(i, BURN_MATMUL, BURN_BFLOAT16))
		return 0;
	for (int n = 0; n < KIND_SAMPLES; n++) {
		const double from = now(), rate = (double)i->peak(1000) / (now() - from);

		best = rate > best ? rate : best;
	}
	return best;
}

static int print_kind(void)
{
	const double f32 = rate_of("avx512"), bf16 = rate_of("avx512bf16"), half = rate_of("avx2");
	const double tiles = rate_of("amx");

	if (f32 <= 0 && half > 0)
		puts("avx2");
	else if (f32 <= 0 || bf16 <= 0)
		puts("other");
	else if (tiles > TILES_LEAST * f32)
		puts("tiles");
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
	double best = 0;
	void *handle;

	for (size_t i = 0; i < ARRAY_LEN(peers); i++)
		peer = strcmp(peers[i]->name, name) ? peer : peers[i];
	at = row_operands(&s, t);
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
	int done = special(argc, argv);

	if (done >= 0)
		return done;
	threads = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1;
	rounds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : ROUNDS;
	if (rounds < ROW_LEAST || rounds > ROW_ROUNDS_MOST)
		rounds = ROUNDS;
	for (int i = 0; impls[i]; i++)
		if (impls[i]->peak && impl_usable(impls[i], BURN_CONV2D, BURN_FLOAT32))
			widest = impls[i];
	impl_force(getenv("BENCH_IMPL") ? impl_find(getenv("BENCH_IMPL")) : NULL);
	printf("%d thread(s), %d rounds; features: %s\n", threads, rounds,
		cpu_feature_names(cpu_features(), names, sizeof(names)));
	puts("figures: GFLOP/s (of the peak sampled beside); ratio: of these shares, over the\n"
	     "best peer's of the same round: median +- half the quartiles' distance (rounds)");
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		for (int t = BURN_DTYPES - 1; t >= 0; t--) {
			bool asked = argc < 4;

			for (int k = 3; k < argc; k++)
				asked = asked || is_asked(&parts[i], (enum burn_dtype)t, argv[k]);
			if (asked)
				bench_part(&parts[i], (enum burn_dtype)t);
		}
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench.c - -b bench: how long each implementation takes, and its share of the processor's peak.
 */
#include "config.h"
#include "src/reference/reference.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "burnin/kernels/trace.h"
#include "report/figure.h"
#include "src/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SAMPLES = 9,
	ENOUGH = 100,			/* ms that an implementation is given for its samples */
	PEAK_ROUNDS = 1000,
	NAIVE_MOST = 4608,		/* the naive one takes seconds above this K */
	SHAPE_WIDTH = 24
};

struct bench {
	struct kernels kernels;
	const struct impl *wide;	/* whose multiply-adds are the peak */
	double peak;			/* the best sample so far, GFLOP/s */
	bool left_out;			/* the naive one was left out somewhere */
};

static int by_value(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int64_t median(int64_t *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), by_value);
	return v[n / 2];
}

static void run_peak(void *arg, int thread)
{
	(void)thread;
	((const struct impl *)arg)->peak(PEAK_ROUNDS);
}

/* Time multiply-adds of all threads; the best median counts, so other work does not lower it. */
static void sample_peak(struct bench *b)
{
	const double flops = (double)b->wide->peak(1) * PEAK_ROUNDS * b->kernels.j->threads;
	int64_t took[SAMPLES];

	for (int i = 0; i < SAMPLES; i++) {
		const int64_t from = clock_steady();

		team_run(b->kernels.team, run_peak, (void *)(uintptr_t)b->wide);
		took[i] = clock_steady() - from;
	}
	if (flops / (double)median(took, SAMPLES) > b->peak)
		b->peak = flops / (double)median(took, SAMPLES);
}

/* Median ns of one run; 0 if it could not be run. */
static int64_t time_of(struct bench *b, const struct impl *i, const struct data *d, enum burn_op op,
	void *output)
{
	const struct burn_operands at = data_operands(d, op, output);
	int64_t took[SAMPLES], spent = 0;
	struct plan plan;
	int n = 0;

	if (!kernels_plan(&b->kernels, &plan, i, &d->shapes[op], d->dtype, at.weight))
		return 0;
	if (strcmp(i->version, "v1") != 0)
		plan_run(&plan, &at);
	while (n < SAMPLES && spent < ENOUGH * CLOCK_MS && !stop_check(&b->kernels.stop)) {
		const int64_t from = clock_steady();

		plan_run(&plan, &at);
		took[n] = clock_steady() - from;
		spent += took[n++];
	}
	plan_close(&plan);
	return n ? median(took, n) : 0;
}

static void bench_row(struct bench *b, const struct data *d, enum burn_op op)
{
	const struct burn_shape *s = &d->shapes[op];
	const struct impl *best = impl_best(op, d->dtype);
	void *output = mem_calloc(burn_elements(s, BURN_OUTPUT), burn_dtype_size(d->dtype));
	const struct burn_shape most = burn_matmul(1024, 32, NAIVE_MOST);
	const double peak_share = d->dtype == BURN_FLOAT64 ? 0.5 : 1;
	char name[KERNELS_NAME];
	double rate = 0, percent;

	sample_peak(b);
	if (d->c)
		printf("%5d %6d ", d->c->channels, d->c->k);
	else
		printf("%*s ", SHAPE_WIDTH, kernels_name(d, name));
	printf("%10llu %7.1f |", (unsigned long long)burn_state_size(s),
		(double)burn_flops(s) / (double)burn_bytes(s, d->dtype));
	for (int i = 0; impls[i]; i++) {
		const bool slow = i == 0 && burn_flops(s) > burn_flops(&most);
		int64_t ns = 0;

		if (!impl_usable(impls[i], op, d->dtype))
			continue;
		if (!slow)
			ns = time_of(b, impls[i], d, op, output);
		b->left_out = b->left_out || slow;
		if (ns > 0)
			printf(" %13.1f", (double)ns / 1000);
		else
			printf(" %13s", "-");
		if (impls[i] == best && ns > 0)
			rate = (double)burn_flops(s) / (double)ns;
	}
	sample_peak(b);
	percent = figure_percent(rate, peak_share * b->peak);
	if (percent > 0)
		printf(" | %8.1f %8.1f %5.1f %%\n", rate, peak_share * b->peak, percent);
	else
		printf(" | %8.1f %8s %5s %%\n", rate, "-", "-");
	fflush(stdout);
	free(output);
}

static void bench_table(struct bench *b, enum burn_op op, enum burn_dtype t)
{
	const struct impl *best = impl_best(op, t);
	const struct reference_job *j = b->kernels.j;
	struct data d;

	printf("\n%s, %s, %d thread%s; rate: of %s\n", burn_op_name(op), burn_dtype_name(t),
		j->threads, j->threads == 1 ? "" : "s", best->name);
	if (j->o->shapes.n > 0)
		printf("%*s ", SHAPE_WIDTH, "M x K x N");
	else
		printf("%5s %6s ", "ic", "K");
	printf("%10s %7s |", "state size", "AI");
	for (int i = 0; impls[i]; i++)
		if (impl_usable(impls[i], op, t))
			printf(" %2s %10s", impls[i]->version, impls[i]->name);
	printf(" | %8s %8s %7s\n", "GFLOP/s", "peak", "of it");
	for (size_t i = 0; kernels_next(&b->kernels, &i, &d); data_clear(&d)) {
		data_turn(&d, t);
		bench_row(b, &d, op);
	}
}

enum exit_code reference_bench(const struct reference_job *j)
{
	struct bench b = { .peak = 0 };
	bool stopped;

	if (!kernels_open(&b.kernels, j, false))
		return EXIT_FAILED;
	for (int i = 0; impls[i]; i++)
		if (impls[i]->peak && impl_usable(impls[i], BURN_CONV2D, BURN_FLOAT32))
			b.wide = impls[i];
	for (int op = j->o->shapes.n > 0 ? BURN_MATMUL : 0; op < BURN_OPS; op++)
		for (int t = 0; t < BURN_COMPUTED; t++)
			if (j->which.dtypes & 1u << t && !stop_check(&b.kernels.stop))
				bench_table(&b, (enum burn_op)op, (enum burn_dtype)t);
	stopped = kernels_close(&b.kernels);
	printf("\nTimes are medians in microseconds (us).  AI: FLOP a byte, every tensor once.\n"
	       "FLOP: 2 M N K, terms on padding too, which need not be computed.\n"
	       "peak: multiply-adds in registers (%s), the best median so far, GFLOP/s; of\n"
	       "float64 half of it, since a register holds half as many.\n",
		b.wide->name);
	if (stopped)
		printf("stopped before its end\n");
	if (b.left_out)
		printf("naive is timed up to K = %d, or as many operations.\n", NAIVE_MOST);
	return b.kernels.broken ? EXIT_FAILED : exit_judged(false, stopped);
}

/* -b profile: where the time goes, thread by thread, in words and as a trace for Perfetto. */

enum { ROOM = 200000 };		/* phases of a thread */

static void run_op(struct kernels *k, const struct data *d, enum burn_op op)
{
	const struct impl *i = impl_best(op, d->dtype);
	void *output = mem_calloc(burn_elements(&d->shapes[op], BURN_OUTPUT),
		burn_dtype_size(d->dtype));
	const struct burn_operands at = data_operands(d, op, output);
	struct plan plan;
	char name[KERNELS_NAME];

	if (kernels_plan(k, &plan, i, &d->shapes[op], d->dtype, at.weight)) {
		plan_run(&plan, &at);
		printf("%-7s %-9s %s: %s\n", burn_op_name(op), burn_dtype_name(d->dtype),
			kernels_name(d, name), i->name);
		plan_close(&plan);
	}
	free(output);
}

static void print_phase(void *arg, const char *name, int64_t spent, size_t count)
{
	printf("%6d  %-24s %10zu %14.1f\n", *(const int *)arg, name, count, (double)spent / 1000);
}

static int write_trace(const struct trace *t, const char *path, struct error *e)
{
	struct strbuf text = { 0 };
	int r;

	trace_write(t, &text);
	r = file_new_write(path, text.text, text.len, e);
	strbuf_clear(&text);
	return r;
}

enum exit_code reference_profile(const struct reference_job *j)
{
	char own[REFDIR_PATH];
	const char *path = reference_output(j, "burnin-trace", ".json", own);
	struct kernels k;
	bool stopped;
	struct error e;

	if (!path || !kernels_open(&k, j, false))
		return EXIT_FAILED;
	k.trace = trace_new(j->threads, ROOM);
	kernels_run(&k, run_op);
	stopped = kernels_close(&k);
	if (stopped)
		printf("stopped before its end\n");
	printf("\nthread  %-24s %10s %14s\n", "phase", "times", "microseconds");
	for (int i = 0; i < j->threads; i++)
		trace_sum(k.trace, i, print_phase, &i);
	if (trace_lost(k.trace) > 0)
		printf("%zu phases found no room in the trace\n", trace_lost(k.trace));
	if (write_trace(k.trace, path, &e) < 0) {
		say_error(&e);
		k.broken = true;
	} else {
		say_result("%s: load it at ui.perfetto.dev or chrome://tracing", path);
	}
	trace_free(k.trace);
	return k.broken ? EXIT_FAILED : exit_judged(false, stopped);
}

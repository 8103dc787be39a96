/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench.c - --burnin bench, profile, and generate --device.
 */
#include "config.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "burnin/cores/card_reference.h"
#include "burnin/kernels/impl.h"
#include "burnin/kernels/trace.h"
#include "burnin/reference/data.h"
#include "burnin/reference/refdir.h"
#include "report/figure.h"
#include "src/burnin/burnin.h"
#include "src/burnin/cards.h"
#include "src/burnin/reset.h"
#include "src/burnin/run.h"
#include "src/say.h"
#include "src/stop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * --burnin generate --device: compute the results of the reference data on a card's cores, as an
 * act: a burn of one card that ends with writing files.  Nothing is written before all of it is
 * computed and the card has passed.
 */

struct compute {
	struct burnin_run run;		/* first: the steps of a burn have this one */
	const struct burnin_job *job;
	const char *dir;
	struct options own;		/* with --device in place of the words */
	const char *word;
	struct burn_choice which;
	struct card_reference reference;
	bool existed, created;		/* the folder was there before; refdir_create() worked */
};

static enum exit_code compute_prepare(struct act *a)
{
	struct compute *c = (struct compute *)a;
	struct burnin_run *r = &c->run;

	c->which = c->job->which;
	c->which.dtypes[BURN_FLOAT32] = false;
	memcpy(c->reference.cases, c->which.cases, sizeof(c->reference.cases));
	c->reference.sums = mem_share(card_reference_size());
	c->own = *a->o;
	c->word = c->own.devices;
	c->own.targets = &c->word;
	c->own.n_targets = 1;
	a->o = &c->own;
	r->facts.o = c->job->o;
	r->facts.begun = clock_real();
	r->facts.computes = true;
	r->work = (struct burnin_work){ .cards = true, .computes = true,
		.reference = &c->reference };
	burnin_choose_resets(r);
	return EXIT_DONE;
}

/* Choose the card; if there is more than one, say so. */
static enum exit_code compute_choose(struct act *a)
{
	const struct burnin_run *r = (const struct burnin_run *)a;
	const enum exit_code code = burnin_choose_targets(a);

	if (code != EXIT_DONE || r->facts.n_targets == 1)
		return code;
	say_as(CODE_BAD_VALUE, "--device: reference data are computed on one card, not on %zu",
		r->facts.n_targets);
	return EXIT_USAGE;
}

/* Create the folder now, to find out before the work, not after it, if that fails. */
static enum exit_code compute_prove(struct act *a)
{
	struct compute *c = (struct compute *)a;
	struct error e = { 0 };

	c->existed = access(c->dir, F_OK) == 0;
	c->created = refdir_create(c->dir, &c->which, &e) == 0;
	if (c->created)
		return EXIT_DONE;
	say_error(&e);
	return EXIT_FAILED;
}

/* List the cores that took part. */
static void put_cores(struct strbuf *to, const struct card_shared *s)
{
	for (size_t i = 0; i < atomic_load(&s->n) && i < CARD_TILES; i++)
		if (atomic_load(&s->cores[i].starts) > 0)
			strbuf_printf(to, "%s%u-%u", to->len ? " " : "", s->cores[i].x,
				s->cores[i].y);
}

static int write_case(const struct compute *x, const char *dir, const struct burn_case *c,
	const struct metadata_card *card, struct error *e)
{
	struct data d;
	uint64_t bytes;
	int err;

	data_init(&d, c, BURN_BFLOAT16);
	data_draw(&d);
	card_reference_take(&x->reference, &d);
	err = refdir_write(dir, &d, x->job->threads, card, &bytes, e);
	data_clear(&d);
	if (err == 0)
		printf("%-8s k%04d_ic%03d 7 arrays, %llu bytes\n", burn_dtype_name(BURN_BFLOAT16),
			c->k, c->channels, (unsigned long long)bytes);
	return err;
}

static int write_all(const struct compute *x, const struct burnin_card *c, struct error *e)
{
	struct strbuf cores = { 0 };
	char device[24];
	struct metadata_card card = { .device = device, .board = c->series,
		.chip = device_chip_name(c->chip), .firmware = c->firmware,
		.simulator = c->burn.config.is_simulator ? bus_origin(x->run.act.session.bus)->name
			: NULL };
	int err = 0;

	snprintf(device, sizeof(device), "tenstorrent:%d", c->index);
	put_cores(&cores, c->burn.shared);
	card.cores = cores.text;
	for (int i = 0; err == 0 && i < BURN_CASES; i++)
		if (x->which.cases[i])
			err = write_case(x, x->dir, &burn_cases[i], &card, e);
	err = err ? err : refdir_finish(x->dir, &x->which, &card, e);
	strbuf_clear(&cores);
	return err;
}

/* Print the verdict; if the card passes, write the files. */
static enum exit_code compute_report(struct act *a)
{
	struct compute *c = (struct compute *)a;
	const struct burnin_target *t = &c->run.facts.targets[0];
	const enum verdict v = t->result.verdict;
	struct error e = { 0 };
	char plain[REFDIR_PATH];

	outlet_close(&c->run.out);
	if (v != VERDICT_PASS) {
		printf("%s: %s: %s; nothing was written\n", t->name, verdict_word(v),
			t->result.reason);
		return c->run.facts.exit;
	}
	if (write_all(c, t->card, &e) < 0) {
		say_error(&e);
		return EXIT_FAILED;
	}
	printf("%s: %s: %llu words computed on two cores each, the same bits\n", t->name,
		verdict_word(v),
		(unsigned long long)t->card->result.coverage.done[LEDGER_WORDS]);
	printf("%s: written\n", text_plain(plain, sizeof(plain), c->dir));
	return EXIT_DONE;
}

static void compute_end(struct act *a)
{
	struct compute *c = (struct compute *)a;

	burnin_end(&c->run);
	/* This removes only empty folders, so those with files stay. */
	if (c->created)
		refdir_abandon(c->dir, c->existed);
	if (c->reference.sums)
		mem_unshare(c->reference.sums, card_reference_size());
}

static const struct act_steps steps = {
	.prepare = compute_prepare,
	.choose = compute_choose,
	.prove = compute_prove,
	.fit = burnin_fit,
	.start = burnin_start,
	.watch = burnin_watch,
	.judge = burnin_judge,
	.report = compute_report,
	.end = compute_end,
};

const struct act_ops act_compute = {
	.kind = ACT_COMPUTE,
	.modes = 1ull << MODE_BURNIN,
	.commands = 1u << COMMAND_ON_CARD,
	.taking = &burnin_taking,
	.steps = &steps,
};

static enum exit_code compute_results(const struct burnin_job *j, const char *dir)
{
	struct compute *c = (struct compute *)act_new(j->o, sizeof(*c));
	enum exit_code code;

	c->dir = dir;
	c->job = j;
	code = act_run(&c->run.act);
	free(c);
	return code;
}

/* A card's matrix units round products to 11 bits: sums of bfloat16 parts cannot give float32. */
enum exit_code burnin_generate_on_card(const struct burnin_job *j, const char *dir)
{
	if (!j->o->typed[OPT_DTYPE] || !j->which.dtypes[BURN_FLOAT32])
		return compute_results(j, dir);
	say_as(CODE_UNSUPPORTED, "--dtype: a card computes conv2d and matmul in bfloat16, not in "
		"float32");
	return EXIT_USAGE;
}

/*
 * --burnin profile: where the time of the chosen kernels goes, thread by thread, in words and as a
 * trace for Perfetto and chrome://tracing.
 */

enum { ROOM = 200000 };		/* phases of a thread */

struct profile {
	const struct burnin_job *j;
	struct team *team;
	struct trace *trace;
	bool broken;
};

static void run_op(struct profile *p, const struct data *d, enum burn_op op)
{
	const struct impl *i = impl_best(op, d->dtype);
	void *output = mem_calloc(burn_elements(&d->shapes[op], BURN_OUTPUT),
		burn_dtype_size(d->dtype));
	const struct burn_operands at = data_operands(d, op, output);
	struct plan plan;
	struct error e;
	char name[48];

	if (plan_open(&plan, i, &d->shapes[op], d->dtype, p->team, &e) < 0) {
		say_error(&e);
		p->broken = true;
	} else {
		plan.job.trace = p->trace;
		plan_pack(&plan, at.weight);
		plan_run(&plan, &at);
		printf("%-7s %-9s %s: %s\n", burn_op_name(op), burn_dtype_name(d->dtype),
			burnin_item_name(d, name, sizeof(name)), i->name);
	}
	plan_close(&plan);
	free(output);
}

static void profile_item(struct profile *p, struct data *d)
{
	data_draw(d);
	for (size_t i = 0; i < BURN_COMPUTED; i++) {
		if (!p->j->which.dtypes[burnin_types[i]])
			continue;
		data_turn(d, burnin_types[i]);
		for (int op = 0; op < BURN_OPS; op++)
			if (d->shapes[op].m > 0)
				run_op(p, d, (enum burn_op)op);
	}
	data_clear(d);
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

enum exit_code burnin_profile(const struct burnin_job *j)
{
	struct profile p = { .j = j };
	char own[256], plain[4096];
	const char *path = j->n_args > 0 ? j->args[0] : own;
	struct data d;
	struct stop stop;
	bool stopped;
	struct error e;

	if (!burnin_items_fit(j, false))
		return EXIT_FAILED;
	if (j->n_args == 0 && file_free_name("burnin-trace", ".json", own, sizeof(own)) < 0) {
		say_as(CODE_EXISTS, "burnin-trace.json: no free name");
		return EXIT_FAILED;
	}
	/* Do this before there are threads, which a signal could reach otherwise. */
	stop_open_printing(&stop, true);
	if (team_open(&p.team, j->threads, false, &e) < 0) {
		say_error(&e);
		stop_close(&stop);
		return EXIT_FAILED;
	}
	p.trace = trace_new(j->threads, ROOM);
	for (size_t i = 0; i < burnin_items(j) && !stop_check(&stop); i++)
		if (burnin_item(j, i, &d))
			profile_item(&p, &d);
	stopped = stop_check(&stop);
	stop_close(&stop);
	if (stopped)
		printf("stopped before its end\n");
	printf("\nthread  %-24s %10s %14s\n", "phase", "times", "microseconds");
	for (int i = 0; i < j->threads; i++)
		trace_sum(p.trace, i, print_phase, &i);
	if (trace_lost(p.trace) > 0)
		printf("%zu phases found no room in the trace\n", trace_lost(p.trace));
	if (write_trace(p.trace, path, &e) < 0) {
		say_error(&e);
		p.broken = true;
	} else {
		printf("%s: load it at ui.perfetto.dev or chrome://tracing\n",
			text_plain(plain, sizeof(plain), path));
	}
	trace_free(p.trace);
	team_close(p.team);
	return p.broken || stopped ? EXIT_FAILED : EXIT_DONE;
}

/* --burnin bench: how long each implementation takes, and its share of the processor's peak. */

enum {
	SAMPLES = 9,
	ENOUGH = 100,			/* ms that an implementation is given for its samples */
	PEAK_ROUNDS = 1000,
	NAIVE_MOST = 4608,		/* the naive one takes seconds above this K */
	SHAPE_WIDTH = 24
};

struct bench {
	const struct burnin_job *j;
	struct team *team;
	struct stop stop;
	const struct impl *wide;	/* whose multiply-adds are the peak */
	double peak;			/* the best sample so far, GFLOP/s */
	bool left_out;			/* the naive one was left out somewhere */
	bool broken;
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
	const double flops = (double)b->wide->peak(1) * PEAK_ROUNDS * b->j->threads;
	int64_t took[SAMPLES];

	for (int i = 0; i < SAMPLES; i++) {
		const int64_t from = clock_steady();

		team_run(b->team, run_peak, (void *)(uintptr_t)b->wide);
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
	struct error e;
	int n = 0;

	if (plan_open(&plan, i, &d->shapes[op], d->dtype, b->team, &e) < 0) {
		say_error(&e);
		b->broken = true;
		plan_close(&plan);
		return 0;
	}
	plan_pack(&plan, at.weight);
	if (strcmp(i->version, "v1") != 0)
		plan_run(&plan, &at);
	while (n < SAMPLES && spent < ENOUGH * CLOCK_MS && !stop_check(&b->stop)) {
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
	char name[48];
	double rate = 0, percent;

	sample_peak(b);
	if (d->c)
		printf("%5d %6d ", d->c->channels, d->c->k);
	else
		printf("%*s ", SHAPE_WIDTH, burnin_item_name(d, name, sizeof(name)));
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

	printf("\n%s, %s, %d thread%s; rate: of %s\n", burn_op_name(op), burn_dtype_name(t),
		b->j->threads, b->j->threads == 1 ? "" : "s", best->name);
	if (b->j->o->shapes.n > 0)
		printf("%*s ", SHAPE_WIDTH, "M x K x N");
	else
		printf("%5s %6s ", "ic", "K");
	printf("%10s %7s |", "state size", "AI");
	for (int i = 0; impls[i]; i++)
		if (impl_usable(impls[i], op, t))
			printf(" %2s %10s", impls[i]->version, impls[i]->name);
	printf(" | %8s %8s %7s\n", "GFLOP/s", "peak", "of it");
	for (size_t i = 0; i < burnin_items(b->j) && !stop_check(&b->stop); i++) {
		struct data d;

		if (!burnin_item(b->j, i, &d))
			continue;
		data_draw(&d);
		data_turn(&d, t);
		bench_row(b, &d, op);
		data_clear(&d);
	}
}

enum exit_code burnin_bench(const struct burnin_job *j)
{
	struct bench b = { .j = j };
	bool stopped;
	struct error e;

	if (!burnin_items_fit(j, false))
		return EXIT_FAILED;
	for (int i = 0; impls[i]; i++)
		if (impls[i]->peak && impl_usable(impls[i], BURN_CONV2D, BURN_FLOAT32))
			b.wide = impls[i];
	/* Do this before there are threads, which a signal could reach otherwise. */
	stop_open_printing(&b.stop, true);
	if (team_open(&b.team, j->threads, false, &e) < 0) {
		say_error(&e);
		stop_close(&b.stop);
		return EXIT_FAILED;
	}
	for (int op = j->o->shapes.n > 0 ? BURN_MATMUL : 0; op < BURN_OPS; op++)
		for (int t = 0; t < BURN_COMPUTED; t++)
			if (j->which.dtypes[t] && !stop_check(&b.stop))
				bench_table(&b, (enum burn_op)op, (enum burn_dtype)t);
	stopped = stop_check(&b.stop);
	stop_close(&b.stop);
	team_close(b.team);
	printf("\nTimes are medians in microseconds (us).  AI: FLOP a byte, every tensor once.\n"
	       "FLOP: 2 M N K, terms on padding too, which need not be computed.\n"
	       "peak: multiply-adds in registers (%s), the best median so far, GFLOP/s; of\n"
	       "float64 half of it, since a register holds half as many.\n",
		b.wide->name);
	if (stopped)
		printf("stopped before its end\n");
	if (b.left_out)
		printf("naive is timed up to K = %d, or as many operations.\n", NAIVE_MOST);
	return b.broken || stopped ? EXIT_FAILED : EXIT_DONE;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.c - --burnin profile: where the time of the chosen kernels goes, thread by
 * thread, in words and as a trace for Perfetto and chrome://tracing.
 */
#include "config.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "burnin/reference/data.h"
#include "burnin/kernels/impl.h"
#include "burnin/kernels/trace.h"
#include "src/burnin/burnin.h"
#include "src/say.h"
#include "src/stop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

	if (plan_open(&plan, i, &d->shapes[op], d->dtype, p->team, &e) < 0) {
		say("%s", e.text);
		p->broken = true;
	} else {
		plan.job.trace = p->trace;
		plan_pack(&plan, at.weight);
		plan_run(&plan, &at);
		printf("%-7s %-9s ic %4d, K %5d: %s\n", burn_op_name(op), burn_dtype_name(d->dtype),
			d->c->channels, d->c->k, i->name);
	}
	plan_close(&plan);
	free(output);
}

static void profile_case(struct profile *p, const struct burn_case *c)
{
	struct data d;

	data_init(&d, c, BURN_FLOAT32);
	data_draw(&d);
	for (int i = 0; i < BURN_DTYPES; i++) {
		const enum burn_dtype t = i == 0 ? BURN_FLOAT32 : BURN_BFLOAT16;

		if (!p->j->which.dtypes[t])
			continue;
		if (t == BURN_BFLOAT16)
			data_round(&d);
		for (int op = 0; op < BURN_OPS; op++)
			run_op(p, &d, (enum burn_op)op);
	}
	data_clear(&d);
}

static void print_phase(void *arg, const char *name, int64_t spent, size_t count)
{
	printf("%6d  %-24s %10zu %14.1f\n", *(const int *)arg, name, count, (double)spent / 1000);
}

static int write_trace(const struct trace *t, const char *path, struct error *e)
{
	struct strbuf text = { 0 };
	struct file_new f;
	int r;

	trace_write(t, &text);
	r = file_new_open(&f, path, true, e);
	if (r == 0) {
		r = file_write_all(f.fd, text.text, text.len);
		if (r < 0) {
			fail(e, r, "%s: cannot write: %s", path, strerror(-r));
			file_new_discard(&f);
		} else {
			r = file_new_keep(&f, e);
		}
	}
	strbuf_clear(&text);
	return r;
}

enum exit_code burnin_profile(const struct burnin_job *j)
{
	struct profile p = { .j = j };
	char own[256], plain[4096];
	const char *path = j->n_args > 0 ? j->args[0] : own;
	struct stop stop;
	bool stopped;
	struct error e;

	if (j->n_args == 0 && file_free_name("burnin-trace", ".json", own, sizeof(own)) < 0) {
		say("burnin-trace.json: no free name");
		return EXIT_FAILED;
	}
	/* Before there are threads, which a signal would else reach. */
	stop_open_printing(&stop, true);
	if (team_open(&p.team, j->threads, false, &e) < 0) {
		say("%s", e.text);
		stop_close(&stop);
		return EXIT_FAILED;
	}
	p.trace = trace_new(j->threads, ROOM);
	for (int i = 0; i < BURN_CASES && !stop_check(&stop); i++)
		if (j->which.cases[i])
			profile_case(&p, &burn_cases[i]);
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
		say("%s", e.text);
		p.broken = true;
	} else {
		printf("%s: load it at ui.perfetto.dev or chrome://tracing\n",
			text_plain(plain, sizeof(plain), path));
	}
	trace_free(p.trace);
	team_close(p.team);
	return p.broken || stopped ? EXIT_FAILED : EXIT_DONE;
}

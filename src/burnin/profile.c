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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.c - -b profile: where the time of the chosen kernels goes, thread by thread, in words and
 * as a trace for Perfetto and chrome://tracing.
 */
#include "config.h"
#include "src/reference/kernels.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "burnin/kernels/trace.h"
#include "src/say.h"

#include <stdio.h>
#include <stdlib.h>

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

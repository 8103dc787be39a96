/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines.c - a burn as it goes on, in lines, where it has no screen.
 */
#include "config.h"
#include "src/burnin/run.h"

#include "base/clock.h"

#define STANDS (3 * CLOCK_SECOND)	/* without a single result: then lines say so */

void burnin_lines_begin(struct burnin_run *r, const struct burn_config *c)
{
	const struct checkpoint *before = &r->facts->resume.before;

	if (r->screen)
		return;
	if (c)
		strbuf_printf(&r->out.text, "Burning the host: %d thread%s, seed %llu, every "
			"result verified\n", c->threads, c->threads == 1 ? "" : "s",
			(unsigned long long)c->seed);
	burnin_report_announce(&r->out.text, r->facts);
	if (before->runs > 0)
		strbuf_printf(&r->out.text, "Continues after %.0f s of %llu earlier run%s "
			"(kernel %s)\n", (double)before->elapsed / 1e9,
			(unsigned long long)before->runs, before->runs == 1 ? "" : "s",
			before->kernel);
	outlet_push(&r->out);
}

/* Its time stands still, and so do the lines of it. */
void burnin_lines_stop(struct burnin_run *r)
{
	if (r->burn.stopped == r->told_stop || r->screen || !outlet_push(&r->out))
		return;
	r->told_stop = r->burn.stopped;
	strbuf_printf(&r->out.text, "%10s%s\n", "", r->told_stop ?
		"the load is stopped from outside (SIGSTOP)" : "the load goes on");
	outlet_push(&r->out);
}

static void put_host_progress(struct burnin_run *r)
{
	const struct sensor *hot = r->sensors.known ? sensors_hottest(&r->sensors.now) : NULL;
	struct burn_result now;
	char text[32];
	int64_t mw;

	burn_judge(&r->burn, 0, "", &now);
	if (now.total > 0)
		strbuf_printf(&r->out.text, "  %8.1f GFLOP/s", now.total);
	if (now.memory_rate[0] > 0)
		strbuf_printf(&r->out.text, "  %7.2f GB/s of memory", now.memory_rate[0]);
	else if (now.total > 0 && now.peak > 0)
		strbuf_printf(&r->out.text, "  %5.1f %% of the peak", 100 * now.total / now.peak);
	else
		strbuf_puts(&r->out.text, "  the first results are awaited");
	strbuf_printf(&r->out.text, "  round %llu  %llu wrong", (unsigned long long)now.rounds + 1,
		(unsigned long long)now.errors);
	if (r->woken - r->burn.changed > STANDS)
		strbuf_printf(&r->out.text, "  thread %d stands still for %.0f s", r->burn.slowest,
			(double)(r->woken - r->burn.changed) / 1e9);
	if (hot)
		strbuf_printf(&r->out.text, "  %s", sensor_text(hot, text, sizeof(text)));
	if (r->sensors.known && sensors_power(&r->sensors.now, &mw))
		strbuf_printf(&r->out.text, "  %.1f W", (double)mw / 1000);
}

/* One line a second, and none that waits for its reader. */
void burnin_lines_progress(struct burnin_run *r, int64_t since)
{
	char making[64];

	if (r->screen || !outlet_push(&r->out))
		return;
	strbuf_printf(&r->out.text, "%6.0f s", (double)since / 1e9);
	if (r->phase == BURNIN_MAKING)
		strbuf_printf(&r->out.text, "  %s", r->burns ?
			burn_making(&r->burn, making, sizeof(making)) : "operands are being made");
	else if (r->burns)
		put_host_progress(r);
	burnin_report_put_progress(&r->out.text, r->facts);
	strbuf_putc(&r->out.text, '\n');
	outlet_push(&r->out);
}

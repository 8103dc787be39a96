/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host.c - the host as a target of a burn: its memory, its load and its verdict.
 */
#include "config.h"
#include "src/burnin/run.h"

#include "base/clock.h"
#include "base/parse.h"
#include "burnin/host/burn_room.h"
#include "burnin/kernels/team.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE (20 * CLOCK_SECOND)	/* the longest without a result of any worker */

enum { MEMORY_LEAST = 2 << 20 };	/* bytes, of each thread */

/* Choose the bytes to test: never more than is free, however they were requested. */
static int take_memory(const struct burnin_work *w, int threads, uint64_t *bytes,
	struct error *e)
{
	uint64_t most;
	const char *by;
	int r = burn_room_free("", &most, &by, e);

	if (r < 0)
		return r;
	*bytes = w->share > 0 ? (uint64_t)((double)most * (double)w->share / 100000) : w->size;
	if (*bytes > most)
		return fail(e, -ENOMEM, "memory: %llu MiB were asked for, %llu MiB can be had (%s)",
			(unsigned long long)(*bytes >> 20), (unsigned long long)(most >> 20), by);
	if (*bytes / (uint64_t)threads < MEMORY_LEAST)
		return fail(e, -ENOMEM, "memory: %llu KiB for %d thread%s are too little (%s)",
			(unsigned long long)(*bytes >> 10), threads, threads == 1 ? "" : "s", by);
	return 0;
}

/* For tests of everything but the load: a round that is much shorter, or does not end. */
static unsigned dwell_wished(void)
{
	const char *text = getenv("TT_SMI_BURNIN_DWELL");
	uint64_t blocks;

	return text && parse_u64(text, &blocks) && blocks <= 1000000 ? (unsigned)blocks : 0;
}

/* Configure the load; its memory depends on how much is free now. */
static int host_configure(const struct burnin_run *r, struct burn_config *c, struct error *e)
{
	const struct options *o = r->act.o;

	*c = (struct burn_config){ .iterations = o->iterations,
		.pattern = (enum load_pattern)o->pattern,
		.threads = o->threads ? (int)o->threads : team_processors(),
		.processors = team_processors(),
		.seed = o->seed,
		.stop_on_error = o->stop_on_error,
		.unwatched = BURNIN_UNWATCHED,
		.duration = r->facts.duration,
		.dwell = dwell_wished(),
		.fault = { .name = getenv("TT_SMI_BURNIN_FAULT") } };
	memcpy(c->kinds, r->work.kinds, sizeof(c->kinds));
	if (c->threads > TEAM_MAX)
		c->threads = TEAM_MAX;
	return r->work.memory ? take_memory(&r->work, c->threads, &c->memory, e) : 0;
}

static int host_start(struct burnin_run *r, struct error *e)
{
	struct burnin_facts *f = &r->facts;
	struct burn_config c;
	int err = host_configure(r, &c, e);

	if (err == 0)
		err = burnin_resume_open(&r->resume, f->job, &c, f->duration, e);
	if (err < 0)
		return err;
	c.resumed = burnin_resume_from(&r->resume);
	f->before = r->loaded = burnin_resume_elapsed(&r->resume);
	f->runs_before = r->resume.before.runs;
	return burn_start(&r->burn, &c, e);
}

void burnin_host_start(struct burnin_run *r)
{
	struct error e;

	if (!r->host)
		return;
	r->burns = host_start(r, &e) == 0;
	if (r->burns)
		burn_meter_init(&r->meter, (size_t)r->burn.config.threads);
	else
		burnin_leave_out(r->host, BURN_INCOMPLETE, e.word, "%s", e.text);
}

bool burnin_host_watch(struct burnin_run *r, bool *running)
{
	if (!r->burns || r->is_host_over)
		return false;
	if (burn_watch(&r->burn, PATIENCE)) {
		*running = *running && burn_is_running(&r->burn);
		return true;
	}
	r->host_cut = *r->burn.stood.text ? &r->burn.stood : NULL;
	r->is_host_over = true;
	return false;
}

void burnin_host_stop(struct burnin_run *r)
{
	/* While its operands are being made, there is nothing to verify yet. */
	if (r->burns && !burn_is_running(&r->burn))
		burn_end(&r->burn, 0);
	else if (r->burns)
		burn_stop(&r->burn);
}

static bool is_at_end(const struct ledger *l)
{
	return l->done[LEDGER_TIME] >= l->asked[LEDGER_TIME] &&
		l->done[LEDGER_ROUNDS] >= l->asked[LEDGER_ROUNDS];
}

void burnin_host_judge(struct burnin_run *r)
{
	struct burnin_facts *f = &r->facts;
	const struct error *cut = *r->cut.text ? &r->cut : r->host_cut;
	const int64_t most = f->took + f->before, loaded = r->loaded < most ? r->loaded : most;

	if (!r->burns)
		return;
	/* The load cannot have lasted longer than the burn, which another clock has measured. */
	burn_judge(&r->burn, loaded, cut, &r->host->result);
	burnin_resume_judge(&r->resume, &r->host->result);
	burnin_resume_close(&r->resume, &r->burn, loaded,
		cut || r->burn.child.status != 0 || !is_at_end(&r->host->result.ledger));
	f->burn = &r->burn;
	r->host->ran = true;
}

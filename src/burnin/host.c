/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host.c - the work of a burn, and the host as its target: its memory, its load and its verdict.
 */
#include "config.h"
#include "src/burnin/run.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/text.h"
#include "burnin/cores/card_data.h"
#include "burnin/host/burn_room.h"
#include "burnin/kernels/team.h"
#include "burnin/memory/card_memory.h"
#include "src/say.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The work, chosen from the options.  An option that all targets would ignore was meant for
 * something else, so it is refused.  Work that a target cannot do is refused before anything
 * happens: otherwise it would be missing from the verdict.
 */

enum {
	USUAL_SHARE = 50000,		/* of what is free, in 1/1000 percent */
	HOST_LEAST = 2 << 20		/* bytes of memory */
};

enum { NOT_THERE = -1 };

/* A row that lacks a column is an error, whatever warnings are on. */
#pragma GCC diagnostic error "-Wmissing-field-initializers"

/*
 * The meaning of a word of --workload.  The code that makes, covers and judges the work is with the
 * kind that the word names: of the host in burnin/host/, of a card's cores in card_kinds[].
 */
static const struct workload {
	int op;			/* of the host: enum burn_op, or NOT_THERE */
	int kind;		/* of a card's cores: enum card_kind, or NOT_THERE */
	size_t flag;		/* the member of struct burnin_work that it sets */
} workloads[] = {
	/* In the order of enum work. */
	{ BURN_CONV2D, CARD_CONV, offsetof(struct burnin_work, computes) },
	{ BURN_MATMUL, CARD_MATMUL, offsetof(struct burnin_work, computes) },
	{ NOT_THERE, NOT_THERE, offsetof(struct burnin_work, memory) },
	{ NOT_THERE, NOT_THERE, offsetof(struct burnin_work, vector) },
};
_Static_assert(ARRAY_LEN(workloads) == WORKS, "each word of --workload has a row");

/* A card computes in bfloat16. */
static void choose_workload(const struct workload *x, uint32_t dtypes, struct burnin_work *w)
{
	*(bool *)((char *)w + x->flag) = true;
	for (int t = 0; x->op != NOT_THERE && t < BURN_DTYPES; t++)
		w->kinds[x->op * BURN_DTYPES + t] = dtypes & 1u << t;
	if (x->kind != NOT_THERE)
		w->card_kinds[x->kind] = dtypes & 1u << BURN_BFLOAT16;
}

/* --workload and --dtype. */
static void choose_kinds(const struct options *o, struct burnin_work *w)
{
	for (int i = 0; i < WORKS; i++)
		if (o->workload & 1u << i)
			choose_workload(&workloads[i], o->dtypes, w);
}

static bool has_host_work(const struct burnin_work *w)
{
	for (size_t k = 0; k < ARRAY_LEN(w->kinds); k++)
		if (w->kinds[k])
			return true;
	return w->memory;
}

/* Check that each option goes with the requested work; if it does not, say why. */
static bool goes_with_work(const struct options *o, const struct burnin_work *w)
{
	const struct {
		enum option_id id;
		bool goes;
		const char *why;
	} rules[] = {
		{ OPT_SIZE, w->memory, "goes with memory in --workload" },
		{ OPT_CHANNELS, w->memory, "goes with memory in --workload" },
		{ OPT_DTYPE, w->computes, "goes with conv or matmul in --workload" },
		{ OPT_BLOCK, w->computes, "goes with conv or matmul in --workload" },
		{ OPT_PHASES, w->computes, "goes with conv or matmul in --workload" },
		{ OPT_HELD, w->computes, "goes with conv or matmul in --workload" },
		{ OPT_FIRST_LIGHT, w->computes, "goes with conv or matmul in --workload" },
		{ OPT_PATTERN, w->computes || w->host, "goes with conv or matmul in --workload" },
		{ OPT_WORKLOAD, !w->vector || (w->cards && w->computes),
			"vector works beside conv or matmul of a card" },
		{ OPT_WORKLOAD, !w->host || has_host_work(w), "is work of cards alone" },
		{ OPT_RESUME, !w->cards, "continues a burn of the host, not one of cards" },
		{ OPT_SIZE, w->host || !w->computes, "is of a card whose memory alone is tested "
			"(--workload memory); beside products its cores read 512 KiB of each "
			"channel, and the operands" },
		{ OPT_SIZE, w->share > 0 || w->size >= CARD_MEMORY_LEAST,
			"is neither a size of at least 2M (4G) nor a share (50%, all)" },
		{ OPT_SIZE, !w->host || w->share > 0 || w->size >= HOST_LEAST,
			"is less than the 2M that a test of the host's memory takes" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		const char *typed = o->typed[rules[i].id];

		if (typed && !rules[i].goes) {
			say_as(CODE_CONFLICT, "%.*s: %s", (int)strcspn(typed, "="), typed,
				rules[i].why);
			return false;
		}
	}
	return true;
}

/* Refuse here what a card cannot compute, instead of leaving it to the verdict. */
static bool cards_can(const struct options *o, const struct burnin_work *w)
{
	const bool narrow = o->dtypes & 1u << BURN_BFLOAT16, wide = o->dtypes & 1u << BURN_FLOAT32;

	if (!w->cards || !w->computes || !o->typed[OPT_DTYPE] || (narrow && (w->host || !wide)))
		return true;
	say_as(CODE_UNSUPPORTED, "--dtype: a card burns conv and matmul in bfloat16, not in "
		"float32");
	return false;
}

bool burnin_choose_work(const struct options *o, struct burnin_work *w)
{
	*w = (struct burnin_work){ .host = o->commands & 1u << COMMAND_HOST,
		.cards = o->commands & 1u << COMMAND_CARDS, .channels = o->channels,
		.size = o->size.bytes,
		.share = o->typed[OPT_SIZE] ? o->size.share : USUAL_SHARE };
	choose_kinds(o, w);
	return goes_with_work(o, w) && cards_can(o, w);
}

/* The host. */

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
			(unsigned long long)(*bytes >> 10), threads,
			text_plural((uint64_t)threads), by);
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
		err = burnin_resume_open(&r->resume, r->act.o, &c, f->duration, e);
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
		burnin_leave_out(r->host, VERDICT_INCOMPLETE, e.word, "%s", e.text);
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

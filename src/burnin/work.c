/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work.c - choose the work of a burn from its options.
 *
 * An option that all targets would ignore was meant for something else, so it is refused.
 * Work that a target cannot do is refused before anything happens: otherwise it would be
 * missing from the verdict.
 */
#include "config.h"
#include "src/burnin/work.h"

#include "base/array.h"
#include "burnin/memory/card_memory.h"
#include "src/say.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

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
static void choose_workload(const struct workload *x, const bool *dtypes, struct burnin_work *w)
{
	*(bool *)((char *)w + x->flag) = true;
	for (int t = 0; x->op != NOT_THERE && t < BURN_DTYPES; t++)
		w->kinds[x->op * BURN_DTYPES + t] = dtypes[t];
	if (x->kind != NOT_THERE)
		w->card_kinds[x->kind] = dtypes[BURN_BFLOAT16];
}

/* --workload and --dtype. */
static void choose_kinds(const struct burnin_job *j, struct burnin_work *w)
{
	for (int i = 0; i < WORKS; i++)
		if (j->o->workload & 1u << i)
			choose_workload(&workloads[i], j->which.dtypes, w);
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
static bool cards_can(const struct burnin_job *j, const struct burnin_work *w)
{
	const bool *dtypes = j->which.dtypes;

	if (!w->cards || !w->computes || !j->o->dtypes ||
		(dtypes[BURN_BFLOAT16] && (w->host || !dtypes[BURN_FLOAT32])))
		return true;
	say_as(CODE_UNSUPPORTED, "--dtype: a card burns conv and matmul in bfloat16, not in "
		"float32");
	return false;
}

bool burnin_choose_work(const struct burnin_job *j, struct burnin_work *w)
{
	const struct options *o = j->o;

	*w = (struct burnin_work){ .host = o->commands & 1u << COMMAND_HOST,
		.cards = o->commands & 1u << COMMAND_CARDS, .channels = o->channels,
		.size = o->size.bytes,
		.share = o->typed[OPT_SIZE] ? o->size.share : USUAL_SHARE };
	choose_kinds(j, w);
	return goes_with_work(o, w) && cards_can(j, w);
}

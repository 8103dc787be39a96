/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work.c - an option that would be ignored by all targets was meant for something else,
 * and work that a target cannot do is refused before anything happens: what is asked for
 * and not done would have to be missed in the verdict.
 */
#include "config.h"
#include "src/burnin/work.h"

#include "base/array.h"
#include "burnin/memory/card_memory.h"
#include "src/say.h"

#include <stdio.h>
#include <string.h>

enum {
	USUAL_SHARE = 50000,		/* of what is free, in 1/1000 percent */
	HOST_LEAST = 2 << 20		/* bytes of memory */
};

/* --workload and --dtype. */
static void choose_kinds(const struct burnin_job *j, struct burnin_work *w)
{
	const bool ops[BURN_OPS] = {
		[BURN_CONV2D] = j->o->workload & 1u << WORK_CONV,
		[BURN_MATMUL] = j->o->workload & 1u << WORK_MATMUL,
	};

	w->memory = j->o->workload & 1u << WORK_MEMORY;
	w->vector = j->o->workload & 1u << WORK_VECTOR;
	w->computes = ops[BURN_CONV2D] || ops[BURN_MATMUL];
	for (int k = 0; k < BURN_OPS * BURN_DTYPES; k++)
		w->kinds[k] = ops[k / BURN_DTYPES] && j->which.dtypes[k % BURN_DTYPES];
}

/* An option, the work that it is about, and what is said where that is not asked for. */
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
			say("%.*s: %s", (int)strcspn(typed, "="), typed, rules[i].why);
			return false;
		}
	}
	return true;
}

/* What a card cannot compute is not left to the verdict. */
static bool cards_can(const struct burnin_job *j, const struct burnin_work *w)
{
	const bool *dtypes = j->which.dtypes;

	if (!w->cards || !w->computes || !j->o->dtypes ||
		(dtypes[BURN_BFLOAT16] && (w->host || !dtypes[BURN_FLOAT32])))
		return true;
	say("--dtype: a card burns conv and matmul in bfloat16, not in float32");
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

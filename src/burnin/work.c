/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work.c - an option that would be ignored by all targets was meant for something else,
 * and work that a target cannot do is refused before anything happens: what is asked for
 * and not done would have to be missed in the verdict.
 */
#include "config.h"
#include "src/burnin/work.h"

#include "base/array.h"
#include "base/parse.h"
#include "burnin/memory/card_memory.h"
#include "burnin/memory/memory_channels.h"
#include "src/say.h"

#include <stdio.h>
#include <string.h>

enum {
	USUAL_SHARE = 50000,		/* of what is free, in 1/1000 percent */
	HOST_LEAST = 2 << 20		/* bytes of memory */
};

static bool names(const struct options *o, bool host)
{
	for (size_t i = 0; i < o->n_targets; i++)
		if ((strcmp(o->targets[i], "host") == 0) == host ||
			strcmp(o->targets[i], "all") == 0)
			return true;
	return false;
}

bool burnin_names_cards(const struct options *o)
{
	return names(o, false);
}

/* "conv,matmul,memory" and --dtype. */
static bool choose_kinds(const struct burnin_job *j, struct burnin_work *w)
{
	const char *list = j->o->workload ? j->o->workload : "conv,matmul";
	bool ops[BURN_OPS] = { false };
	const struct {
		const char *name;
		bool *to;
	} words[] = { { "conv", &ops[BURN_CONV2D] }, { "matmul", &ops[BURN_MATMUL] },
		{ "memory", &w->memory }, { "vector", &w->vector } };

	do {
		const size_t len = strcspn(list, ",");
		size_t i = 0;

		while (i < ARRAY_LEN(words) && (strlen(words[i].name) != len ||
			strncmp(list, words[i].name, len) != 0))
			i++;
		if (i == ARRAY_LEN(words)) {
			say("--workload: '%.*s' is none of conv, matmul, memory, vector", (int)len,
				list);
			return false;
		}
		*words[i].to = true;
		list += len + (list[len] == ',');
	} while (*list);
	w->computes = ops[BURN_CONV2D] || ops[BURN_MATMUL];
	for (int k = 0; k < BURN_OPS * BURN_DTYPES; k++)
		w->kinds[k] = ops[k / BURN_DTYPES] && j->which.dtypes[k % BURN_DTYPES];
	return true;
}

/* "4G", "50%" of what is free, half of it by default. */
static bool choose_size(const char *text, struct burnin_work *w)
{
	const size_t len = text ? strlen(text) : 0;
	char number[24];

	if (!text) {
		w->share = USUAL_SHARE;
		return true;
	}
	if (strcmp(text, "all") == 0) {
		w->share = 100000;
		return true;
	}
	if (len > 1 && len < sizeof(number) && text[len - 1] == '%') {
		snprintf(number, sizeof(number), "%.*s", (int)len - 1, text);
		if (parse_decimal(number, 1000, &w->share) && w->share > 0 && w->share <= 100000)
			return true;
	} else if (parse_size(text, &w->size) && w->size >= CARD_MEMORY_LEAST) {
		return true;
	}
	say("--size: '%.40s' is neither a size of at least 2M (4G) nor a share (50%%, all)", text);
	return false;
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
	struct error e;

	*w = (struct burnin_work){ .host = names(j->o, true), .cards = names(j->o, false) };
	if (!choose_kinds(j, w) || !choose_size(j->o->size, w))
		return false;
	if (memory_channels_parse(j->o->channels, &w->channels, &e) < 0) {
		say("--channels: %s", e.text);
		return false;
	}
	return goes_with_work(j->o, w) && cards_can(j, w);
}

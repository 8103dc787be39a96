/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_kind.h - the kinds of work on a card's cores, a row each: what makes it, what covers it,
 * what judges it.  A row is positional, so that one without a judge does not compile.
 */
#pragma once

#include "burnin/cores/card_data.h"
#include "burnin/cores/card_judge.h"

struct card_kind_ops {
	const char *name;		/* "conv2d" */
	/* The shape of its operands. */
	void (*make)(struct card_work *w);
	/* What this core has done of it, compared word by word; 0: it is not covered. */
	uint64_t (*cover)(const struct card_core *c, enum card_kind k);
	/* Each thing wrong with it becomes a finding of the result. */
	void (*judge)(const struct card_burn *b, struct card_result *r);
};

extern const struct card_kind_ops card_kinds[];

/* How many kinds this burn has. */
size_t card_kinds_count(const struct card_burn_config *c);

/* Whether its cores compute: a kind of work, or reference data. */
bool card_kinds_compute(const struct card_burn_config *c);

/* The judges of the kinds that this burn has, each once. */
void card_kinds_judge(const struct card_burn *b, struct card_result *r);

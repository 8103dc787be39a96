/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_kind.h - the kinds of work on a card's cores, one row each: functions that make the work,
 * count its coverage and judge it.  Rows are positional, so that one without a judge does not
 * compile.
 */
#pragma once

#include "burnin/cores/card_data.h"
#include "burnin/cores/card_judge.h"

struct card_kind_ops {
	const char *name;		/* "conv2d" */
	/* Set the shape of its operands. */
	void (*make)(struct card_work *w);
	/* How much of it this core has done and compared word by word; 0: it is not covered. */
	uint64_t (*cover)(const struct card_core *c, enum card_kind k);
	/* Add a finding to the result for each fault. */
	void (*judge)(const struct card_burn *b, struct card_result *r);
};

extern const struct card_kind_ops card_kinds[];

/* How many kinds this burn has. */
size_t card_kinds_count(const struct card_burn_config *c);

/* Whether its cores compute: a kind of work, or reference data. */
bool card_kinds_compute(const struct card_burn_config *c);

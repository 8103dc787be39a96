/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host.h - the host as a target of a burn: its memory, its load and its verdict.
 */
#pragma once

#include "burnin/cores/card_data.h"
#include "src/burnin/burnin.h"

#include <stdint.h>

struct card_reference;

struct burnin_work {
	bool host, cards;		/* are among the targets */
	bool kinds[BURN_OPS * BURN_DTYPES];	/* of the host */
	bool card_kinds[CARD_KINDS];
	bool computes;			/* conv or matmul */
	const struct card_reference *reference;	/* data that a card computes instead; NULL */
	bool memory, vector;
	uint32_t channels;		/* --channels, or all */
	uint64_t size;			/* --size: bytes; */
	int64_t share;			/* or a share of the memory, in 1/1000 percent; 0 */
};

/* False: the options are a mistake, or request more than some target can do; we said why. */
bool burnin_choose_work(const struct burnin_job *j, struct burnin_work *w);

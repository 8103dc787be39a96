/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_gather.h - what the cores of a round found in the card's memory.
 */
#pragma once

#include "burnin/cores/card_round.h"

/*
 * Once the products have ended; a channel that gives no answer is waited for.  Words
 * that cores found wrong are read again by the host, while the memory still has them.
 */
int card_gather(struct card_round *w, struct error *e);

/* The faults of a channel as the cores saw them; 0 where no wrong word could be looked at. */
size_t card_gather_judge(const struct card_shared *s, unsigned channel,
	struct memory_finding found[MEMORY_FINDINGS]);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_gather.h - what the cores of a round found in the card's memory.
 */
#pragma once

#include "burnin/cores/card_round.h"

/*
 * Call it once the products have ended; it waits for channels that give no answer.  The host
 * reads words that cores found wrong again, while the memory still has them.
 */
int card_gather(struct card_round *w, struct error *e);

/* The faults of a channel as the cores saw them; returns 0 if no wrong word could be examined. */
size_t card_gather_judge(const struct card_shared *s, unsigned channel,
	struct memory_finding found[MEMORY_FINDINGS]);

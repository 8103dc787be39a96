/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_gather.h - what the cores of a round found in the card's memory.
 */
#pragma once

#include "burnin/card/card_round.h"

/* Once the products have ended; a channel that gives no answer is waited for. */
int card_gather(struct card_round *w, struct error *e);

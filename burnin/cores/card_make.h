/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_make.h - the operands of a round, and the orders that go with them.
 */
#pragma once

#include "burnin/cores/card_round.h"

/* Make w->data for w->stage; the stage's seed becomes that of the operands. */
int card_make(struct card_round *w, struct error *e);

/* Set the orders that do not depend on the operands, and the name, which follows w->loads. */
void card_make_orders(struct card_round *w);

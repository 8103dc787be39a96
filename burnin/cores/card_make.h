/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_make.h - the operands of a round, and the orders that go with them.
 */
#pragma once

#include "burnin/cores/card_round.h"

/* Into w->data, for w->stage, whose seed becomes that of the operands. */
int card_make(struct card_round *w, struct error *e);

/* What does not depend on the operands; the name is that of w->loads. */
void card_make_orders(struct card_round *w);

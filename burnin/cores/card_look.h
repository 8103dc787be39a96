/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_look.h - the cores of a round, as they are seen from the host.
 */
#pragma once

#include "burnin/cores/card_round.h"

/* The next so many cores in turn: counters, wrong words, which ones have ended or stand still. */
int card_look(struct card_round *w, size_t looks, struct error *e);

/* What was counted in this round belongs to the earlier ones from now on. */
void card_look_close(struct card_round *w);

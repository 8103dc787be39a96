/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_look.h - how the host sees the cores of a round.
 */
#pragma once

#include "burnin/cores/card_round.h"

/* Read the next `looks` cores in turn: counters, wrong words, which have ended or stand still. */
int card_look(struct card_round *w, size_t looks, struct error *e);

/* End the round: its counts now belong to those of earlier rounds. */
void card_look_close(struct card_round *w);

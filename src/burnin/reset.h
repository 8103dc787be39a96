/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reset.h - the chip resets around a burn of cards: a program before us
 * may have left the cores in any state, and so do we.
 */
#pragma once

#include <stdbool.h>

struct burnin_run;

/* How to burn without resets; said behind "nothing was burnt". */
#define BURNIN_NO_RESET " (--no-reset burns without a reset before and after)"

/* Decide whether to reset cards: if they compute and --no-reset does not forbid it. */
void burnin_choose_resets(struct burnin_run *r);

/*
 * Reset all cards that are to burn, or have burnt.  A card that is not well afterwards does not
 * burn, or its verdict changes.  False: none was reset, and we said why.
 */
bool burnin_reset_before(struct burnin_run *r);
void burnin_reset_after(struct burnin_run *r);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reset.h - the chip resets around a burn of cards: a program before us
 * may have left the cores in any state, and so do we.
 */
#pragma once

#include <stdbool.h>

struct burnin_run;

/* What burns without them, behind what says that nothing was burnt. */
#define BURNIN_NO_RESET " (--no-reset burns without a reset before and after)"

/* Whether cards are reset: where they compute, and --no-reset does not forbid it. */
void burnin_choose_resets(struct burnin_run *r);

/*
 * Reset all cards that are to burn, or have burnt; one that is not well then does not burn, or
 * has another verdict.  False, said why: none was reset.
 */
bool burnin_reset_before(struct burnin_run *r);
void burnin_reset_after(struct burnin_run *r);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reset.h - the chip resets around a burn of cards: a program before us
 * may have left the cores in any state, and so do we.
 */
#pragma once

#include "reset/reset.h"
#include "src/burnin/run.h"

/* Whether the cards can be reset; the reason is said where they cannot be. */
bool burnin_may_reset(const struct burnin_run *r);

/*
 * Reset all cards that burn (when: BURNIN_BEFORE) or have burnt; what came of it
 * stands with each card.  -errno, said why: none was reset.
 */
int burnin_reset(struct burnin_run *r, int when);

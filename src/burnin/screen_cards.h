/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen_cards.h - cards on the screen of a burn.
 */
#pragma once

#include "ui/burn.h"

struct burnin_run;

/*
 * The figures of a card that still burns, as its report would have them now.  The caller clears
 * them.
 */
void burnin_screen_take_figures(const struct burnin_run *r, int index, struct figures *to);

/* Add the cards, their errors and, where the host does not burn, their rate. */
void burnin_screen_fill_cards(const struct burnin_run *r, struct ui_burn *b,
	struct ui_burn_chip chips[UI_BURN_CHIPS]);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen_cards.h - cards on the screen of a burn.
 */
#pragma once

#include "src/burnin/run.h"
#include "ui/burn.h"

/* Add the cards, their errors and, where the host does not burn, their rate. */
void burnin_screen_fill_cards(const struct burnin_run *r, struct ui_burn *b,
	struct ui_burn_chip chips[UI_BURN_CHIPS]);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * figures_card.h - the figures that a burn reports of one card.
 */
#pragma once

#include "src/burnin/cards.h"
#include "telemetry/figure.h"

extern const struct figure_group burnin_card_figures;
void burnin_add_card(struct figure_value *to, const struct burnin_card *c);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * figures.h - what a burn reports: its figures, of the run, of the host (figures.c) and of
 * cards (figures_card.c).  Text, JSON and workbook walk them.
 */
#pragma once

#include "src/burnin/report.h"
#include "telemetry/figure.h"

/* Of the whole; its view is figures.c's own. */
extern const struct figure_group burnin_figures;

/* A target and the burn that it is of. */
struct burnin_target_of {
	const struct burnin_facts *facts;
	const struct burnin_target *target;
};

/* Of a card that burnt, from a struct burnin_target_of. */
extern const struct figure_group burnin_card_figures;

/* 0: the peak is not known, or was surpassed, which cannot be. */
double burnin_percent(double rate, double peak);

void burnin_figures_take(struct figures *to, const struct burnin_facts *f);

/* From the report in a dump's folder; false where there is none that can be read. */
bool burnin_figures_read(struct figures *to, const char *dir);

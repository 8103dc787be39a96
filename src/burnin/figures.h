/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * figures.h - what a burn reports: its figures, of the run, of the host (figures.c) and of
 * cards (figures_card.c).  Text, JSON and workbook walk them.
 */
#pragma once

#include "src/burnin/report.h"
#include "telemetry/figure.h"

/* Of the whole. */
extern const struct figure_group burnin_figures;

void burnin_figures_take(struct figures *to, const struct burnin_facts *f);

/* From the report in a dump's folder; false where there is none that can be read. */
bool burnin_figures_read(struct figures *to, const char *dir);

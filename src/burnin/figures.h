/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * figures.h - what a burn reports: its figures, of the run, of the host (figures.c) and of
 * cards (figures_card.c).  Text, JSON and workbook walk them.
 */
#pragma once

#include "src/burnin/report.h"
#include "telemetry/figure.h"

/* What a burn of this verdict exits with. */
enum exit_code burnin_exit(enum burn_verdict v);

/* Of the whole, and of a target. */
extern const struct figure_group burnin_figures, burnin_target_figures;

void burnin_figures_take(struct figures *to, const struct burnin_facts *f);

/* The text of a report's file, which is of no impossible size; the caller frees it. */
int burnin_report_text(const char *path, char **text, size_t *len, struct error *e);

/* From the report in a dump's folder; false where there is none that can be read. */
bool burnin_figures_read(struct figures *to, const char *dir);

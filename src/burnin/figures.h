/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * figures.h - the figures that a burn reports: of the run, of the host (figures.c) and of
 * cards (figures_card.c).  Text, JSON and workbook are made from them.
 */
#pragma once

#include "src/burnin/print.h"
#include "telemetry/figure.h"

/* The exit code of a burn with this verdict. */
enum exit_code burnin_exit(enum burn_verdict v);

/* Of the whole, and of a target. */
extern const struct figure_group burnin_figures, burnin_target_figures;

void burnin_figures_take(struct figures *to, const struct burnin_facts *f);

/* Read the text of a report's file, unless it is too large; the caller frees it. */
int burnin_report_text(const char *path, char **text, size_t *len, struct error *e);

/* Read the report in a dump's folder; false: there is none that can be read. */
bool burnin_figures_read(struct figures *to, const char *dir);

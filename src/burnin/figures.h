/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * figures.h - the figures that a burn reports: of the run, of the host (figures.c) and of
 * cards (figures_card.c).  JSON, workbook and the end table are made from them.
 */
#pragma once

#include "report/figure.h"
#include "src/burnin/cards.h"
#include "src/burnin/print.h"
#include "ui/burn.h"


/* Of the whole, and of a target. */
extern const struct figure_group burnin_figures, burnin_target_figures;

void burnin_figures_take(struct figures *to, const struct burnin_facts *f);

/* Read the text of a report's file, unless it is too large; the caller frees it. */
int burnin_report_text(const char *path, char **text, size_t *len, struct error *e);

/* Read the report in a dump's folder; false: there is none that can be read. */
bool burnin_figures_read(struct figures *to, const char *dir);

/* A kind of work of the host: "conv", "bfloat16". */
const char *burnin_op_name(int kind);
const char *burnin_dtype_name(int kind);

/* The figures that a burn reports of one card. */

double burnin_card_per_core(const struct burnin_card *c);	/* TFLOP/s */

/* Its rate is below CARD_SLOW of the median of its kind: an outlier, not a verdict. */
bool burnin_card_is_slow(const struct burnin_card *c);

extern const struct figure_group burnin_card_figures;
void burnin_add_card(struct figure_value *to, const struct burnin_card *c);

extern const enum field_id burnin_seen_fields[BURNIN_SEEN];

/* The state of a core, during the burn and at its end; of a byte lane of a memory channel. */
enum ui_core burnin_core_of(const struct burnin_card *c, const struct card_core *core,
	const struct card_result *now);

enum ui_core burnin_lane_of(const struct card_memory_sum *sum, unsigned lane);

/* Fill the map of the cores on the chip with their states. */
void burnin_fill_map(const struct burnin_card *c, const struct card_result *now,
	struct ui_burn_chip *to);

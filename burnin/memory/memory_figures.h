/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_figures.h - the figures that the burn, the memory test and --check-memory share: rows
 * for several tables, and groups with the functions that add their elements.
 */
#pragma once

#include "burnin/memory/card_memory.h"
#include "telemetry/figure.h"

/* Of a channel: words compared, and how many were wrong. */
#define MEMORY_COUNT_FIGURES(F, WORDS, WRONG) \
	F(INT, words, ("Words verified"), WORDS) \
	F(INT, wrong, ("Wrong words", .against = true), WRONG)

/* Wrong bytes of each lane. */
#define MEMORY_LANE_FIGURES(F, LANE) \
	F(LIST, lanes, (.group = &memory_number_figures), \
		for (unsigned k = 0; k < MEMORY_LANES; k++) memory_add_number(v, (LANE)[k]))

/* Bytes that a shifted lane is late by, in even and in odd chunks. */
#define MEMORY_LATE_FIGURES(F, KIND, LATE) \
	F(LIST, late_bytes, (.group = &memory_number_figures), \
		for (int k = 0; k < 2 && (KIND) == MEMORY_SHIFTED; k++) \
			memory_add_number(v, (LATE)[k]))

/* Errors that the memory controller counted, before and after. */
#define MEMORY_ERROR_FIGURES(F, BEFORE, AFTER) \
	F(OBJECT, errors_before, (.group = &memory_error_figures), memory_add_errors(v, BEFORE)) \
	F(OBJECT, errors_after, (.group = &memory_error_figures), memory_add_errors(v, AFTER))

/* Endpoints of these channels that are left alone; the same in words. */
#define MEMORY_KEPT_FIGURES(F, KEPT, CHANNELS) \
	F(LIST, endpoints_left_out, (.group = &memory_kept_figures), \
		memory_add_kept(v, KEPT, CHANNELS)) \
	F(TEXT, left_out, (.hidden = true), \
		memory_kept_text(KEPT, CHANNELS, (char[160]){ "" }, 160))

extern const struct figure_group memory_number_figures, memory_error_figures,
	memory_kept_figures, memory_finding_figures;

void memory_add_number(struct figure_value *to, uint64_t n);
void memory_add_errors(struct figure_value *to, const struct memory_errors *e);
void memory_add_kept(struct figure_value *to, const struct memory_kept *kept, uint32_t channels);
void memory_add_findings(struct figure_value *to, const struct memory_finding *found, size_t n);

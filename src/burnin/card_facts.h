/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_facts.h - facts about a card that burns, about each of its cores and byte lanes, and
 * where the cores are on the chip.
 */
#pragma once

#include "src/burnin/cards.h"
#include "ui/burn.h"

extern const enum field_id burnin_seen_fields[BURNIN_SEEN];

double burnin_card_per_core(const struct burnin_card *c);	/* TFLOP/s */

/* Its rate is below CARD_SLOW of the median of its kind: an outlier, not a verdict. */
bool burnin_card_is_slow(const struct burnin_card *c);

uint64_t burnin_core_blocks(const struct card_core *core);	/* of all kinds */

/* The state of a core, during the burn and at its end; of a byte lane of a memory channel. */
enum ui_core burnin_core_of(const struct burnin_card *c, const struct card_core *core,
	const struct card_result *now);
enum ui_core burnin_lane_of(const struct card_memory_sum *sum, unsigned lane);

/* Fill the map of the cores on the chip with their states. */
void burnin_fill_map(const struct burnin_card *c, const struct card_result *now,
	struct ui_burn_chip *to);

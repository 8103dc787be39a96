/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/burnin/card_facts.h"

#include "device/kind.h"

const enum field_id burnin_seen_fields[BURNIN_SEEN] = {
	[BURNIN_TEMP] = FIELD_ASIC_TEMP, [BURNIN_GDDR_TEMP] = FIELD_GDDR_MAX_TEMP,
	[BURNIN_POWER] = FIELD_POWER, [BURNIN_CURRENT] = FIELD_CURRENT,
	[BURNIN_VOLTAGE] = FIELD_VCORE, [BURNIN_CLOCK] = FIELD_AICLK, [BURNIN_FAN] = FIELD_FAN_RPM,
};

double burnin_card_per_core(const struct burnin_card *c)
{
	return c->result.rated_cores ? c->tflops / (double)c->result.rated_cores : 0;
}

bool burnin_card_is_slow(const struct burnin_card *c)
{
	const double rate = burnin_card_per_core(c);

	return rate > 0 && rate < CARD_SLOW * c->median;
}

uint64_t burnin_core_blocks(const struct card_core *core)
{
	uint64_t n = 0;

	for (int k = 0; k < CARD_KINDS; k++)
		n += atomic_load(&core->blocks[k]);
	return n;
}

enum ui_core burnin_core_of(const struct burnin_card *c, const struct card_core *core,
	const struct card_result *now)
{
	if (atomic_load(&core->errors) || atomic_load(&core->refuted))
		return UI_CORE_WRONG;
	if (atomic_load(&core->stood))
		return UI_CORE_STILL;
	/* The host compares blocks only at the end. */
	if (burnin_core_blocks(core) == 0 ||
		(c->burn.is_over && atomic_load(&core->rechecked) == 0))
		return UI_CORE_IDLE;
	return now->slow_cores && card_judge_is_slow(core, now) ? UI_CORE_SLOW : UI_CORE_WELL;
}

enum ui_core burnin_lane_of(const struct card_memory_sum *sum, unsigned lane)
{
	return sum->words == 0 ? UI_CORE_IDLE : sum->lane[lane] ? UI_CORE_WRONG : UI_CORE_WELL;
}

void burnin_fill_map(const struct burnin_card *c, const struct card_result *now,
	struct ui_burn_chip *to)
{
	const struct device_kind *k = kind_of(c->chip);

	to->first = k->tensix.x0;
	to->w = k->tensix.x1 - k->tensix.x0 + 1;
	to->h = 0;
	for (unsigned y = k->tensix.y0; y <= k->tensix.y1 && to->h < UI_BURN_ROWS; y++) {
		uint8_t *row = to->map + to->h * to->w;

		if (k->other_rows >> y & 1)
			continue;
		for (unsigned x = k->tensix.x0; x <= k->tensix.x1; x++)
			row[x - k->tensix.x0] = k->other_columns >> x & 1 ? UI_CORE_NONE
				: UI_CORE_OFF;
		for (size_t i = 0; i < now->cores; i++) {
			const struct card_core *core = &c->burn.shared->cores[i];
			const int column = core->x - k->tensix.x0;

			if (core->y == y && column >= 0 && column < to->w)
				row[column] = (uint8_t)burnin_core_of(c, core, now);
		}
		to->rows[to->h++] = (uint8_t)y;
	}
}

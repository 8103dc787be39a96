/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/card/card_off.h"

#include "base/array.h"

#include <errno.h>

#define WH_ROWS	   0x3ff
#define BH_COLUMNS 0x3fff

/* Where NOC0 has the n-th row of a Wormhole's die, or the n-th column of a Blackhole's. */
static const uint8_t wh_rows[] = { 11, 1, 10, 2, 9, 3, 8, 4, 7, 5 };
static const uint8_t bh_columns[] = { 1, 16, 2, 15, 3, 14, 4, 13, 5, 12, 6, 11, 7, 10 };
/* With translation the columns that live come first, from the left. */
static const uint8_t bh_translated[] = { 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16 };

uint32_t card_off_rows(uint32_t mask)
{
	uint32_t off = 0;

	for (size_t i = 0; i < ARRAY_LEN(wh_rows); i++)
		off |= (mask >> i & 1) << wh_rows[i];
	return off;
}

static uint32_t off_columns(uint32_t live, bool translated)
{
	const unsigned n = (unsigned)__builtin_popcount(live);
	uint32_t off = 0;

	for (unsigned i = 0; i < ARRAY_LEN(bh_columns); i++) {
		if (translated)
			off |= (uint32_t)(i >= n) << bh_translated[i];
		else
			off |= (~live >> i & 1) << bh_columns[i];
	}
	return off;
}

int card_off(const struct snapshot *s, uint32_t *off, bool *asks, struct error *e)
{
	const struct reading *rows = &s->r[FIELD_TENSIX_ROWS], *cols = &s->r[FIELD_TENSIX_COLS];
	const struct reading *translation = &s->r[FIELD_NOC_TRANSLATION];

	*off = 0;
	*asks = false;
	if (s->chip == DEVICE_WORMHOLE) {
		*asks = !reading_is_ok(rows);
		if (!*asks)
			*off = card_off_rows(~(uint32_t)rows->value & WH_ROWS);
		return 0;
	}
	if (s->chip != DEVICE_BLACKHOLE)
		return fail(e, -ENODATA, "there is no kernel for a %s", device_chip_name(s->chip));
	if (!reading_is_ok(cols) || !reading_is_ok(translation))
		return fail(e, -ENODATA, "its firmware does not tell which of its cores live");
	*off = off_columns((uint32_t)cols->value & BH_COLUMNS, translation->value != 0);
	return 0;
}

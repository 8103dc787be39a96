/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/cores/card_off.h"

#include "base/array.h"

#include <errno.h>

#define WH_ROWS	   0x3ff
#define BH_COLUMNS 0x3fff
#define RIGHT_SINCE 0x12070000	/* firmware bundle 18.7 */

/* The NOC0 coordinate of the n-th row of a Wormhole's die, of the n-th column of a Blackhole's. */
static const uint8_t wh_rows[] = { 11, 1, 10, 2, 9, 3, 8, 4, 7, 5 };
static const uint8_t bh_columns[] = { 1, 16, 2, 15, 3, 14, 4, 13, 5, 12, 6, 11, 7, 10 };
/* With translation, live columns come first, from the left. */
static const uint8_t bh_translated[] = { 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16 };

static uint32_t off_rows(uint32_t mask)
{
	uint32_t off = 0;

	for (size_t i = 0; i < ARRAY_LEN(wh_rows); i++)
		off |= (mask >> i & 1) << wh_rows[i];
	return off;
}

int card_off_rows(uint32_t mask, const struct card_rows *known, uint32_t *off, struct error *e)
{
	const unsigned live = ARRAY_LEN(wh_rows) - (unsigned)__builtin_popcount(mask & WH_ROWS);

	*off = off_rows(mask);
	if (known->live && live != known->live)
		return fail(e, -ENODATA, "its firmware says that %u rows of its cores live, where "
			"its board has %u: which may be touched is not known", live, known->live);
	if (known->is_published && known->is_certain && known->off != *off)
		return fail(e, -ENODATA, "its firmware says otherwise in a message than in "
			"telemetry which rows of its cores live (off: 0x%x and 0x%x)", *off,
			known->off);
	return 0;
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

/* Telemetry was wrong here before the bundle 18.7, so only the message counts. */
static struct card_rows find_rows(const struct snapshot *s)
{
	const struct reading *rows = &s->r[FIELD_TENSIX_ROWS], *bundle = &s->r[FIELD_FW_BUNDLE];
	const struct board *board = board_find(s->upi);

	return (struct card_rows){ .is_published = reading_is_ok(rows),
		.off = reading_is_ok(rows) ? off_rows(~(uint32_t)rows->value & WH_ROWS) : 0,
		.is_certain = reading_is_ok(bundle) && bundle->value >= RIGHT_SINCE,
		.live = board ? board->rows : 0 };
}

int card_off(const struct snapshot *s, uint32_t *off, bool *asks, struct card_rows *rows,
	struct error *e)
{
	const struct reading *cols = &s->r[FIELD_TENSIX_COLS];
	const struct reading *translation = &s->r[FIELD_NOC_TRANSLATION];

	*off = 0;
	*asks = s->chip == DEVICE_WORMHOLE;
	*rows = *asks ? find_rows(s) : (struct card_rows){ 0 };
	if (*asks)
		return 0;
	if (s->chip != DEVICE_BLACKHOLE)
		return fail_as(e, CODE_UNSUPPORTED, -ENODATA, "there is no kernel for a %s",
			device_chip_name(s->chip));
	if (cols->state == READING_STALE)
		return fail_as(e, CODE_HUNG, -ENODATA, "the card does not answer in time: its "
			"telemetry is old");
	if (!reading_is_ok(cols) || !reading_is_ok(translation))
		return fail(e, -ENODATA, "the firmware does not report which cores are enabled");
	*off = off_columns((uint32_t)cols->value & BH_COLUMNS, translation->value != 0);
	return 0;
}

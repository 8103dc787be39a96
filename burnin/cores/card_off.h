/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_off.h - which rows or columns of a chip's cores are switched off, for
 * card_tiles(): touching one of them can hang the chip.
 */
#pragma once

#include "base/error.h"
#include "telemetry/snapshot.h"

/* What is known of a Wormhole's rows before its firmware is asked. */
struct card_rows {
	uint32_t off;		/* as telemetry publishes them, by NOC0 coordinate */
	bool is_published;
	bool is_certain;	/* the firmware bundle has correct telemetry: 18.7 or later */
	uint8_t live;		/* rows that this board has; 0: not known */
};

/*
 * Find *off from a live snapshot.  *asks: a Wormhole's firmware must be asked instead, and
 * card_off_rows() checks its answer against *rows.  -ENODATA: it cannot be known.
 */
int card_off(const struct snapshot *s, uint32_t *off, bool *asks, struct card_rows *rows,
	struct error *e);

/*
 * Convert the firmware's answer, a bit for each row that is off, to NOC0 coordinates.  -ENODATA:
 * the board has another number of live rows, or telemetry publishes other rows.
 */
int card_off_rows(uint32_t mask, const struct card_rows *known, uint32_t *off, struct error *e);

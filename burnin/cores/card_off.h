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
	bool is_certain;	/* by a firmware bundle whose telemetry is right, 18.7 or later */
	uint8_t live;		/* rows that this board has; 0: not known */
};

/*
 * From a live snapshot.  *asks: a Wormhole's firmware must be asked, and card_off_rows() says
 * what to make of its answer: *rows is what to hold it against.  -ENODATA: it cannot be known.
 */
int card_off(const struct snapshot *s, uint32_t *off, bool *asks, struct card_rows *rows,
	struct error *e);

/*
 * Rows by NOC0 coordinate from the firmware's answer, a bit for each row that is off.  -ENODATA:
 * they are not as many as the board has off, or not those that telemetry publishes.
 */
int card_off_rows(uint32_t mask, const struct card_rows *known, uint32_t *off, struct error *e);

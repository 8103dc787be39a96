/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode.h - raw words to readings, by the chip's tables.  Pure: no clock, no
 * device, no memory but the caller's.
 */
#pragma once

#include "telemetry/snapshot.h"

/*
 * Fill out->r, upi, board, series, link, coords, findings, note and health
 * from out->raw.  Identity (index, bdf ...), time, tick and `since` are left
 * unchanged.  Order of preference for a field: tag table, legacy struct, tt_*
 * and hwmon.  Values that need two samples (beat, rates) come from track.c.
 */
void decode_snapshot(struct snapshot *out);

/* True when the field can have this value; the range is in the field table. */
bool decode_plausible(enum field_id id, int64_t value);

/* Fill in the shares of busy time, which x has if the source is BUSY_COUNTERS to BUSY_CORES. */
void decode_put_busy(struct snapshot *s, enum busy_source source, const struct busy_shares *x);

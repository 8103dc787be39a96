/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode_row.h - what decode.c and decode_attr.c share.
 */
#pragma once

#include "telemetry/chip/chip.h"
#include "telemetry/snapshot.h"

/* True when the field has a plausible value already. */
bool decode_settled(const struct snapshot *s, enum field_id id);

/* Set a reading, unless the field has a better one. */
void decode_put(struct snapshot *s, enum field_id id, enum reading_source source, bool believable,
	int64_t value);

/* The word a reading of this source came from. */
void decode_put_raw(struct snapshot *s, enum field_id id, enum reading_source source,
	uint32_t word);

/* v * mul / div, rounded to nearest. */
int64_t decode_scaled(const struct decode *row, int64_t v);

/* One row of a chip's attribute table. */
void decode_attr(struct snapshot *s, const struct decode *row);

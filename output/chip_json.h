/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chip_json.h - our own keys of one chip, beside upstream's.
 */
#pragma once

#include "base/json.h"
#include "telemetry/snapshot.h"

/*
 * Add the members identity, readings, link, health and tags to the open object.
 * Ages count to `now`, the clock_mono() of the tick.
 */
void chip_json_put(struct json_out *j, const struct snapshot *s, int64_t now, bool external);

/* The bare value of a reading in the type its field has; null where there is none. */
void chip_json_put_value(struct json_out *j, const char *key, enum field_id id,
	const struct reading *r);

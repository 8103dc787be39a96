/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chip_json.h - our own keys of one chip, beside upstream's.
 */
#pragma once

#include "base/json.h"
#include "telemetry/snapshot.h"

struct chip_json_options {
	bool external;		/* no raw words, ASIC ids and engineering fields */
	bool plain;		/* no readings, which are most of the text */
};

/*
 * Add the members identity, readings, link, health and tags to the open object.
 * Ages are relative to `now`, the clock_mono() of the tick.
 */
void chip_json_put(struct json_out *j, const struct snapshot *s, int64_t now,
	const struct chip_json_options *o);

/* Add the bare value of a reading, in the type of its field; null if there is none. */
void chip_json_put_value(struct json_out *j, const char *key, enum field_id id,
	const struct reading *r);

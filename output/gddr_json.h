/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gddr_json.h - the memory of one chip as tt-smi 6.3 prints it (clients.md):
 * every value is text except the channel's number and the two booleans.
 */
#pragma once

#include "base/json.h"
#include "telemetry/snapshot.h"

/*
 * Add "gddr_telemetry" to the open object; nothing for a chip for which upstream
 * prints none.  Values that were not read are "n/a" or "N/A".
 */
void gddr_json_put(struct json_out *j, const struct snapshot *s);

/* A transfer rate as upstream writes it: "16G", or the MT/s if that is not a whole number. */
const char *gddr_json_speed(const struct reading *r, char *buf, size_t size);

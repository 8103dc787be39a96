/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gddr_json.h - the memory of one chip as tt-smi 6.3 prints it (clients.md):
 * text in every leaf but the channel's number and the two booleans.
 */
#pragma once

#include "base/json.h"
#include "telemetry/snapshot.h"

/*
 * Add "gddr_telemetry" to the open object; nothing for a chip that upstream
 * prints none of.  What was not read is null, and all of it when nothing was.
 */
void gddr_json_put(struct json_out *j, const struct snapshot *s);

/* A transfer rate as upstream writes it: "16G", or the MT/s where that is no whole number. */
const char *gddr_json_speed(const struct reading *r, char *buf, size_t size);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * upstream_json.h - one chip as upstream's tool 6.2.1 prints it (chip-facts 6.1).
 */
#pragma once

#include "base/json.h"
#include "telemetry/snapshot.h"

/* Add all of upstream's members, from smbus_telem to ethernet, to the open object. */
void upstream_json_put(struct json_out *j, const struct snapshot *s, bool external);

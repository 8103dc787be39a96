/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load_chip.h - one entry of a snapshot file's device_info as a chip.
 */
#pragma once

#include "base/json.h"
#include "telemetry/snapshot.h"

/* Differences in every entry that depend on the version of the writing tool. */
struct load_era {
	bool fan_percent;	/* Blackhole's fan_speed is percent: upstream before 5.3 */
};

/*
 * Fill the identity of *s, which must be zeroed.  local becomes -1; where
 * raw.remote is set the caller has to find it.
 */
void load_chip_identity(struct snapshot *s, const struct json *entry);

/*
 * Fill the rest of *s: words, readings, link, health.  Times count from 0, the
 * moment the file was written.
 */
void load_chip(struct snapshot *s, const struct json *entry, const struct load_era *era);

/* A text of the file with control characters replaced; "" where there is none. */
void load_chip_text(const struct json *node, char *out, size_t size);

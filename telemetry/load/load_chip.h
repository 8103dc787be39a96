/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load_chip.h - one entry of a snapshot file's device_info as a chip.
 */
#pragma once

#include "base/json.h"
#include "telemetry/snapshot.h"

/* What the version of the writer changes in every entry. */
struct load_era {
	bool fan_percent;	/* Blackhole's fan_speed is percent: upstream before 5.3 */
};

/*
 * Fill the identity of *s, which is zeroed.  local becomes -1; where raw.remote
 * is set the caller has to find it.
 */
void load_chip_identity(struct snapshot *s, const struct json *entry);

/*
 * The rest of it: words, readings, link, health.  Its times count from 0, the
 * moment of the file.
 */
void load_chip(struct snapshot *s, const struct json *entry, const struct load_era *era);

/* A text of the file with control characters replaced; "" where there is none. */
void load_chip_text(const struct json *node, char *out, size_t size);

/* A member of board_info. */
const struct json *load_chip_info(const struct json *entry, const char *key);

/* The printed board id, padded or not; false where there is none. */
bool load_chip_board_id(const struct json *entry, uint64_t *id);

/* All words of an entry into raw, whose chip is known (load_words.c). */
void load_words(struct raw *raw, const struct json *entry);

/*
 * Take what is absent or failed in *s after decoding from the printed values;
 * their source is the file (load_values.c).
 */
void load_values(struct snapshot *s, const struct json *entry, const struct load_era *era);

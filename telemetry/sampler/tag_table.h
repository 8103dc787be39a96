/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tag_table.h - finds, checks and reads the firmware's telemetry in the chip's
 * memory.  The second half of reader.c.
 */
#pragma once

#include "device/device.h"
#include "telemetry/chip/chip.h"
#include "telemetry/raw.h"

#define TAG_TABLE_ENTRIES 256	/* more than this is not a table */

/* Where the words are; kept between samples, checked at each. */
struct tag_table_layout {
	bool known;
	uint32_t table, values;		/* ARC addresses */
	uint32_t version;
	size_t n;
	uint16_t tag[RAW_TAGS], offset[RAW_TAGS];
	uint16_t low, high;		/* the lowest and highest offset */
	uint32_t bundle, beat;		/* as last read, to detect new firmware and a reset */
};

/*
 * Read the tag table into raw.  Returns 0; -ENOENT if this firmware has none;
 * -EHOSTDOWN while it is not ready; -EPROTO if it cannot be a table; or the error of
 * the access.  After an error the layout is unknown.
 */
int tag_table_read(struct device *d, const struct chip_map *map, struct tag_table_layout *l,
	struct raw *raw, struct error *e);

/* The ARC address of the heartbeat's word; 0 if the layout is not known or has none. */
uint32_t tag_table_beat(const struct tag_table_layout *l);

/* Read one word at an ARC address; -EPROTO if it is all ones, as from a dead chip. */
int tag_table_read_word(struct device *d, const struct chip_map *map, uint32_t at, uint32_t *word,
	struct error *e);

/* Read the legacy struct at an ARC address into raw; -EPROTO when it is not there. */
int tag_table_read_legacy(struct device *d, const struct chip *chip, const struct chip_map *map,
	uint32_t at, struct raw *raw, struct error *e);

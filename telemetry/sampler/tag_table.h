/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tag_table.h - the firmware's telemetry in the chip's memory: found, checked,
 * read.  The second half of reader.c.
 */
#pragma once

#include "device/device.h"
#include "telemetry/chip/chip.h"
#include "telemetry/raw.h"

#define TAG_TABLE_ENTRIES 256	/* more than this is no table */

/* Where the words are; kept between samples, checked at each. */
struct tag_table_layout {
	bool known;
	uint32_t table, values;		/* ARC addresses */
	uint32_t version;
	size_t n;
	uint16_t tag[RAW_TAGS], offset[RAW_TAGS];
	uint16_t low, high;		/* the lowest and highest offset */
	uint32_t bundle, beat;		/* as last read: they tell of new firmware and of a reset */
};

/*
 * Read the tag table into raw.  0; -ENOENT where this firmware has none;
 * -EAGAIN while it is not ready; -EPROTO for what cannot be one; or what the
 * access failed with.  All but the first leave the layout unknown.
 */
int tag_table_read(struct device *d, const struct chip_map *map, struct tag_table_layout *l,
	struct raw *raw, struct error *e);

/* The ARC address of the heartbeat's word, by a layout that is known; 0 where it is not. */
uint32_t tag_table_beat(const struct tag_table_layout *l);

/* Read one word at an ARC address; -EPROTO for one that is all ones, as of a dead chip. */
int tag_table_read_word(struct device *d, const struct chip_map *map, uint32_t at, uint32_t *word,
	struct error *e);

/* Read the legacy struct at an ARC address into raw; -EPROTO when it is not there. */
int tag_table_read_legacy(struct device *d, const struct chip *chip, const struct chip_map *map,
	uint32_t at, struct raw *raw, struct error *e);

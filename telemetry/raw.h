/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raw.h - one sample of a chip before it is decoded: words by tag, words by
 * index, attributes as text.
 *
 * It is filled from a device (reader.c) or from a snapshot file (load.c), and
 * decode.c turns both into readings, so that they mean the same.
 */
#pragma once

#include "base/error.h"
#include "device/attr.h"
#include "device/eth_state.h"
#include "device/ident.h"
#include "telemetry/busy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the reason of a card off the bus begins: its error code is not in files. */
#define RAW_OFF_BUS    "off the PCI bus (its config space reads all ones)"
#define RAW_OFF_REASON RAW_OFF_BUS ": it needs a power cycle"
#define RAW_NOT_ON_BUS "not on the bus any more"

#define RAW_TAGS   160		/* tag table entries we keep; the newest firmware has 81 */
#define RAW_LEGACY 64

struct raw_tag {
	uint16_t tag;
	uint32_t word;
};

struct raw {
	enum device_chip chip;
	bool remote;		/* reached through another chip's ethernet */
	int64_t time;		/* clock_mono() when the sample began */
	int64_t took;		/* ns the sample took */
	bool repeated;		/* the last sample of a recording or file, again: no new values */
	bool is_still;		/* no firmware runs now, as in a tree: none can have stopped */

	size_t n_tags;
	struct raw_tag tags[RAW_TAGS];

	size_t n_legacy;	/* words of the SMBus struct, 0 when not read */
	uint32_t legacy[RAW_LEGACY];
	bool legacy_known[RAW_LEGACY];	/* from a file some words may be missing */

	/* Text of each attribute that was read; empty: not read, or see attr_error. */
	char attr[ATTR_COUNT][ATTR_TEXT];
	int16_t attr_error[ATTR_COUNT];	/* -errno of the last try; 0 when never tried or fine */

	uint32_t errors;	/* 1u << CHIP_ERROR_..., as the firmware reports them */
	bool has_coords;
	uint8_t coords[4];	/* x, y, rack, shelf (chip-facts 3.10) */

	/* Links as ethernet cores report them; or, if they were to be asked, why they do not. */
	bool has_links;
	struct eth_state links[ETH_LINKS_MOST];
	struct error links_error;

	struct busy busy;	/* counters of the runtime, if they were asked for */

	/* Why the tables were not read; code 0 when they were. */
	struct error table_error;
	/* Why nothing could be read at all; code 0 otherwise. */
	struct error sample_error;
};

/* The first entry of this tag, or NULL. */
static inline const struct raw_tag *raw_find_tag(const struct raw *raw, int tag)
{
	for (size_t i = 0; i < raw->n_tags; i++)
		if (raw->tags[i].tag == tag)
			return &raw->tags[i];
	return NULL;
}

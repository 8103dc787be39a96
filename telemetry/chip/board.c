/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * board.c - the table of boards (chip-facts 3.1).
 */
#include "config.h"
#include "telemetry/chip/board.h"
#include "base/array.h"

#include <string.h>

static const struct board boards[] = {
	/* upi	name		the driver's		chip	  asics remote resets rows spares */
	{ 0x03, "e150",		"e150",			DEVICE_GRAYSKULL, 1, false, true, 0, 0 },
	{ 0x07, "e75",		"e75",			DEVICE_GRAYSKULL, 1, false, true, 0, 0 },
	{ 0x0a, "e300",		"e300",			DEVICE_GRAYSKULL, 1, false, true, 0, 0 },
	{ 0x08, "nb_cb",	"nb_cb",		DEVICE_WORMHOLE, 1, false, true, 0, 0 },
	{ 0x0b, "wh_4u",	"wh_4u",		DEVICE_WORMHOLE, 1, false, false, 0, 0 },
	{ 0x14, "n300",		"n300",			DEVICE_WORMHOLE, 2, true, true, 8, 0 },
	{ 0x18, "n150",		"n150",			DEVICE_WORMHOLE, 1, false, true, 9, 0 },
	{ 0x35, "tt-galaxy-wh",	"galaxy-wormhole",	DEVICE_WORMHOLE, 32, false, true, 10, 0 },
	{ 0x36, "bh-scrappy",	"p100",			DEVICE_BLACKHOLE, 1, false, true, 0, 0 },
	{ 0x40, "p150a",	"p150a",		DEVICE_BLACKHOLE, 1, false, true, 0, 0 },
	{ 0x41, "p150b",	"p150b",		DEVICE_BLACKHOLE, 1, false, true, 0, 0 },
	{ 0x42, "p150c",	"p150c",		DEVICE_BLACKHOLE, 1, false, true, 0, 0 },
	{ 0x43, "p100a",	"p100a",		DEVICE_BLACKHOLE, 1, false, true, 0, 1 },
	{ 0x44, "p300b",	"p300b",		DEVICE_BLACKHOLE, 2, false, true, 0, 0 },
	{ 0x45, "p300a",	"p300a",		DEVICE_BLACKHOLE, 2, false, true, 0, 0 },
	{ 0x46, "p300c",	"p300c",		DEVICE_BLACKHOLE, 2, false, true, 0, 0 },
	{ 0x47, "tt-galaxy-bh",	"galaxy-blackhole",	DEVICE_BLACKHOLE, 32, false, true, 0, 0 },
	/* Bin 6 ships with a memory channel of each chip harvested; all eight are no fault. */
	{ 0x202, "tt-galaxy-bh", "galaxy-blackhole",	DEVICE_BLACKHOLE, 32, false, true, 0, 0 },
};

/* PCIe lanes that a board gives its chips: `width` to each, `wide` to the one at wide_place. */
static const struct {
	uint32_t upi;
	int revision;		/* the first one with these values */
	int32_t speed;		/* MT/s; 0: not known */
	uint8_t width, wide_place, wide;
} links[] = {
	{ 0x35, 0, 16000, 1, 0, 0 },
	{ 0x47, 0, 16000, 1, 6, 8 },	/* A and B */
	{ 0x47, 3, 32000, 1, 6, 8 },	/* C */
	{ 0x202, 0, 0, 1, 6, 8 },
};

uint32_t board_upi(uint64_t board_id)
{
	return (uint32_t)(board_id >> 36 & 0xfffff);
}

unsigned board_revision(uint64_t board_id)
{
	return (unsigned)(board_id >> 32 & 0xf);
}

const struct board *board_find(uint32_t upi)
{
	for (size_t i = 0; i < ARRAY_LEN(boards); i++)
		if (boards[i].upi == upi)
			return &boards[i];
	return NULL;
}

const struct board *board_find_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(boards); i++)
		if (strcmp(boards[i].name, name) == 0 || strcmp(boards[i].kmd_name, name) == 0)
			return &boards[i];
	return NULL;
}

struct board_link board_link(uint32_t upi, int revision, int place)
{
	struct board_link out = { 0, 0 };

	for (size_t i = 0; i < ARRAY_LEN(links); i++) {
		if (links[i].upi != upi || links[i].revision > (revision < 0 ? 0 : revision))
			continue;
		out.speed = links[i].speed;
		out.width = place && place == links[i].wide_place ? links[i].wide : links[i].width;
	}
	return out;
}

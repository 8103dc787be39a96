/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * board.c - the table of boards (chip-facts 3.1).
 */
#include "config.h"
#include "telemetry/chip/board.h"
#include "base/array.h"

#include <string.h>

static const struct board boards[] = {
	/* upi	name		the driver's		chip		asics remote resets rows */
	{ 0x03, "e150",		"e150",			DEVICE_GRAYSKULL, 1,	false,	true, 0 },
	{ 0x07, "e75",		"e75",			DEVICE_GRAYSKULL, 1,	false,	true, 0 },
	{ 0x0a, "e300",		"e300",			DEVICE_GRAYSKULL, 1,	false,	true, 0 },
	{ 0x08, "nb_cb",	"nb_cb",		DEVICE_WORMHOLE, 1,	false,	true, 0 },
	{ 0x0b, "wh_4u",	"wh_4u",		DEVICE_WORMHOLE, 1,	false,	false, 0 },
	{ 0x14, "n300",		"n300",			DEVICE_WORMHOLE, 2,	true,	true, 8 },
	{ 0x18, "n150",		"n150",			DEVICE_WORMHOLE, 1,	false,	true, 9 },
	{ 0x35, "tt-galaxy-wh",	"galaxy-wormhole",	DEVICE_WORMHOLE, 32,	false,	true, 10 },
	{ 0x36, "bh-scrappy",	"p100",			DEVICE_BLACKHOLE, 1,	false,	true, 0 },
	{ 0x40, "p150a",	"p150a",		DEVICE_BLACKHOLE, 1,	false,	true, 0 },
	{ 0x41, "p150b",	"p150b",		DEVICE_BLACKHOLE, 1,	false,	true, 0 },
	{ 0x42, "p150c",	"p150c",		DEVICE_BLACKHOLE, 1,	false,	true, 0 },
	{ 0x43, "p100a",	"p100a",		DEVICE_BLACKHOLE, 1,	false,	true, 0 },
	{ 0x44, "p300b",	"p300b",		DEVICE_BLACKHOLE, 2,	false,	true, 0 },
	{ 0x45, "p300a",	"p300a",		DEVICE_BLACKHOLE, 2,	false,	true, 0 },
	{ 0x46, "p300c",	"p300c",		DEVICE_BLACKHOLE, 2,	false,	true, 0 },
	{ 0x47, "tt-galaxy-bh",	"galaxy-blackhole",	DEVICE_BLACKHOLE, 32,	false,	true, 0 },
};

uint32_t board_upi(uint64_t board_id)
{
	return (uint32_t)(board_id >> 36 & 0xfffff);
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

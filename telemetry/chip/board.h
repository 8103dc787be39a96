/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * board.h - the known boards, by the UPI inside the board id (chip-facts 3.1).
 */
#pragma once

#include "device/ident.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct board {
	uint32_t upi;
	const char *name;	/* as upstream's tool prints it: "n300", "tt-galaxy-wh" */
	const char *kmd_name;	/* the driver's tt_card_type */
	enum device_chip chip;
	uint8_t asics;		/* on the board; 32 for a galaxy */
	bool remote;		/* the second ASIC has no PCIe of its own */
	bool resettable;	/* by -r (a wh_4u module is not) */
	uint8_t rows;		/* Wormhole: enabled rows of compute tiles, of 10; 0: not known */
	uint8_t spares;		/* memory channels of its chip that are always switched off */
};

/* Board id: UPI in bits 36 to 55, revision in 32 to 35. */
uint32_t board_upi(uint64_t board_id);
unsigned board_revision(uint64_t board_id);

/* What a board's wiring allows a chip's PCIe link, where that is less than the chip can do. */
struct board_link {
	int32_t speed;		/* MT/s; 0: not known */
	int32_t width;		/* lanes; 0: not known */
};

/* `place` is the chip's place on the board, 0: not known; revision -1: not known. */
struct board_link board_link(uint32_t upi, int revision, int place);

/* NULL where unknown. */
const struct board *board_find(uint32_t upi);
const struct board *board_find_name(const char *name);	/* either name */

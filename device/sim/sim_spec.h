/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_spec.h - parse the argument of --sim.
 */
#pragma once

#include "device/device.h"

/* How a board reports its fan speed (chip-facts 3.4). */
enum sim_fan {
	SIM_FAN_NONE,
	SIM_FAN_PERCENT,	/* legacy word: lo16 */
	SIM_FAN_RPM,		/* Blackhole: tag 41 */
	SIM_FAN_PAIR		/* Wormhole from 19.10 on: hi16 left (absent here), lo16 right */
};

struct sim_board {
	const char *name, *alias;
	enum device_chip chip;
	enum device_chip like;	/* the chip whose firmware it imitates */
	uint16_t upi;
	uint8_t revision;
	uint8_t asics;
	bool remote;		/* the second ASIC is reached over ethernet */
	bool galaxy;		/* its chips have the trays' bus numbers */
	uint32_t bundle;	/* 0xaabbccdd */
	uint32_t cm_fw, eth_fw, app_fw, bl_fw, gddr_fw;
	uint16_t mhz_idle, mhz_max;
	uint16_t mv_idle, mv_busy, mv_min, mv_max;
	uint16_t watt_idle, watt_busy, watt_limit, board_watt_limit;
	uint16_t amp_limit;
	uint8_t temp_idle, temp_busy, temp_throttle, temp_shutdown;
	enum sim_fan fan;
	uint16_t tensix, eth;	/* masks: BH columns, WH and GS rows; ethernet channels in use */
	uint8_t gddr;		/* mask of memory channels in use */
	uint16_t gddr_speed;	/* MT/s */
	uint16_t link_speed;	/* MT/s / 100: 320 is 32.0 GT/s */
	uint8_t link_width;
	/* Limits of the port above, if lower; wide_slot: width at a tray's sixth chip. */
	uint16_t slot_speed;
	uint8_t slot_width, wide_slot;
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chip_blackhole.c - Blackhole's tag table (chip-facts 2.2.1), read through
 * the network on chip at the ARC tile (8,0): its BAR0 window is not routed on
 * every board (chip-facts 1.9).
 *
 * Bundle bounds: 0x13080000 is 19.8, 0x13090000 is 19.9 (chip-facts 2.2.2).
 */
#include "config.h"
#include "telemetry/chip/chip.h"
#include "base/array.h"
#include "device/eth.h"

/* field, word, kind, shift, bits, mul, div, absent, bundles; omitted members are 0 */
static const struct decode tags[] = {
	{ FIELD_AICLK, .key = 14, DECODE_BITS },
	{ FIELD_ETH_LIVE, .key = 21, DECODE_BITS, 0, 14, .from = 0x13090000 },
	{ FIELD_ETH_LINK, .key = 21, DECODE_BITS, 16, 14, .from = 0x13090000 },
	{ FIELD_DRAM_STATUS, .key = 22, DECODE_DDR_2BIT_SPARE, 0, 8 },
	{ FIELD_ETH_FW, .key = 24, DECODE_ETH_VERSION8, .absent = 0xffffffff },
	{ FIELD_FAN_RPM, .key = 41, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_POWER_LIMIT, .key = 64, DECODE_NONZERO, 0, 0, 1000, 1, .from = 0x13080000 },
	{ .field = FIELD_NONE }
};

/* Tags 12 and 13 are 0 on every Blackhole (chip-facts 2.2.1). */
static const enum field_id never[] = { FIELD_VREG_TEMP, FIELD_BOARD_TEMP, FIELD_NONE };

/* Attributes that the driver publishes (chip-facts 1.3, 1.4). */
static const struct decode own_attrs[] = {
	{ FIELD_ASIC_ID, .key = ATTR_TT_ASIC_ID, DECODE_TEXT_HEX },
	{ FIELD_DM_APP_FW, .key = ATTR_TT_M3APP_FW_VER, DECODE_TEXT_VERSION4,
		.absent = 0xffffffff },
	{ FIELD_HEARTBEAT, .key = ATTR_TT_HEARTBEAT, DECODE_TEXT_INT },
	{ FIELD_THERM_TRIPS, .key = ATTR_TT_THERM_TRIP_COUNT, DECODE_TEXT_INT },
	{ FIELD_POWER_LIMIT, .key = ATTR_HWMON_POWER_MAX, DECODE_TEXT_NONZERO, 0, 0, 1, 1000,
		.from = 0x13080000 },
	{ FIELD_FAN_RPM, .key = ATTR_HWMON_FAN, DECODE_TEXT_INT, .absent = 0xffffffff },
	{ .field = FIELD_NONE }
};

const struct chip chip_blackhole = {
	.id = DEVICE_BLACKHOLE,
	.name = "Blackhole",
	.map = {
		.table_ptr = { REG_NOC, 8, 0, 0x80030434 },	/* SCRATCH_RAM[13] */
		.values_ptr = { REG_NOC, 8, 0, 0x80030430 },	/* SCRATCH_RAM[12] */
		.csm = { REG_NOC, 8, 0, 0x10000000 },
		.hang = { REG_BAR0, 0, 0, 0x1fd04044 },		/* NOC id of the PCIe tile */
		.boot = { REG_NOC, 8, 0, 0x80030408 },		/* SCRATCH_RAM[2] */
		.boot_mask = 7, .boot_value = 5,
	},
	.rows = {
		[CHIP_COMMON_TAGS] = chip_common_tags,
		[CHIP_TAGS] = tags,
		[CHIP_COMMON_ATTRS] = chip_common_attrs,
		[CHIP_ATTRS] = own_attrs,
	},
	.never = never,
	.heartbeat_raw = FIELD_HEARTBEAT,
	.heartbeat_div = 6,
	.swaps_limits = true,
	.date_is_version = true,
	.gddr_channels = 8,
	.prints_ethernet = true,
	.eth_channels = ARRAY_LEN(eth_xy_blackhole),
	.eth_xy = eth_xy_blackhole,
};

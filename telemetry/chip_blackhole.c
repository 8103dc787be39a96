/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chip_blackhole.c - Blackhole's tag table (chip-facts 2.2.1), read through
 * the network on chip at the ARC tile (8,0): its BAR0 window is not routed on
 * every board (chip-facts 1.9).
 *
 * Bundle bounds: 0x13080000 is 19.8, 0x13090000 is 19.9 (chip-facts 2.2.2).
 */
#include "config.h"
#include "telemetry/chip.h"
#include "base/array.h"
#include "device/eth.h"

/* field, word, kind, shift, bits, mul, div, absent, bundles; what is left out is 0 */
static const struct decode tags[] = {
	{ FIELD_BOARD_ID, .key = 1, DECODE_HIGH64 },
	{ FIELD_BOARD_ID, .key = 2, DECODE_LOW64 },
	{ FIELD_ASIC_ID_SHORT, .key = 3, DECODE_BITS },
	{ FIELD_HARVESTING_STATE, .key = 4, DECODE_BITS },
	{ FIELD_UPDATE_SPEED, .key = 5, DECODE_BITS },
	{ FIELD_VCORE, .key = 6, DECODE_BITS },
	{ FIELD_POWER, .key = 7, DECODE_BITS, 0, 0, 1000, 1 },
	{ FIELD_CURRENT, .key = 8, DECODE_BITS, 0, 0, 1000, 1 },
	{ FIELD_VDD_MIN, .key = 9, DECODE_NONZERO, 0, 16, .absent = 0xffff },
	{ FIELD_VDD_MAX, .key = 9, DECODE_NONZERO, 16, 16, .absent = 0xffff },
	{ FIELD_SHUTDOWN_TEMP, .key = 10, DECODE_NONZERO, 0, 0, 1000, 1 },
	{ FIELD_ASIC_TEMP, .key = 11, DECODE_S16_16, 0, 0, 1000, 1 },
	{ FIELD_VREG_TEMP, .key = 12, DECODE_NONZERO, 0, 0, 1000, 1 },
	{ FIELD_BOARD_TEMP, .key = 13, DECODE_S16_16_NONZERO, 0, 0, 1000, 1 },
	{ FIELD_AICLK, .key = 14, DECODE_BITS },
	{ FIELD_AXICLK, .key = 15, DECODE_BITS },
	{ FIELD_ARCCLK, .key = 16, DECODE_BITS },
	{ FIELD_L2CPUCLK0, .key = 17, DECODE_NONZERO },
	{ FIELD_L2CPUCLK1, .key = 18, DECODE_NONZERO },
	{ FIELD_L2CPUCLK2, .key = 19, DECODE_NONZERO },
	{ FIELD_L2CPUCLK3, .key = 20, DECODE_NONZERO },
	{ FIELD_ETH_LIVE, .key = 21, DECODE_BITS, 0, 14, .from = 0x13090000 },
	{ FIELD_ETH_LINK, .key = 21, DECODE_BITS, 16, 14, .from = 0x13090000 },
	{ FIELD_DRAM_ENABLED, .key = 36, DECODE_BITS, 0, 8 },
	{ FIELD_DRAM_STATUS, .key = 22, DECODE_DDR_2BIT, 0, 8 },
	{ FIELD_GDDR_STATUS_WORD, .key = 22, DECODE_BITS },
	{ FIELD_DRAM_SPEED, .key = 23, DECODE_NONZERO },
	{ FIELD_ETH_FW, .key = 24, DECODE_ETH_VERSION8, .absent = 0xffffffff },
	{ FIELD_GDDR_FW, .key = 25, DECODE_NONZERO, .absent = 0xffffffff },
	{ FIELD_DM_APP_FW, .key = 26, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_DM_BL_FW, .key = 27, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_FW_BUNDLE, .key = 28, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_CM_FW, .key = 29, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_L2CPU_FW, .key = 30, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_FAN_TARGET, .key = 31, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_HEARTBEAT, .key = 32, DECODE_BITS },
	{ FIELD_TAG_COUNT, .key = 33, DECODE_BITS },
	{ FIELD_TENSIX_COLS, .key = 34, DECODE_BITS },
	{ FIELD_ETH_ENABLED, .key = 35, DECODE_BITS },
	{ FIELD_L2CPU_ENABLED, .key = 37, DECODE_BITS },
	{ FIELD_PCIE_USAGE, .key = 38, DECODE_BITS },
	{ FIELD_INPUT_CURRENT, .key = 39, DECODE_BITS },
	{ FIELD_NOC_TRANSLATION, .key = 40, DECODE_BITS },
	{ FIELD_FAN_RPM, .key = 41, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_GDDR_TEMP, .key = 42, DECODE_NONZERO, 0, 8, 1000, 1 },
	{ FIELD_GDDR_TEMP + 1, .key = 42, DECODE_NONZERO, 8, 8, 1000, 1 },
	{ FIELD_GDDR_TEMP + 2, .key = 42, DECODE_NONZERO, 16, 8, 1000, 1 },
	{ FIELD_GDDR_TEMP + 3, .key = 42, DECODE_NONZERO, 24, 8, 1000, 1 },
	{ FIELD_GDDR_TEMP + 4, .key = 43, DECODE_NONZERO, 0, 8, 1000, 1 },
	{ FIELD_GDDR_TEMP + 5, .key = 43, DECODE_NONZERO, 8, 8, 1000, 1 },
	{ FIELD_GDDR_TEMP + 6, .key = 43, DECODE_NONZERO, 16, 8, 1000, 1 },
	{ FIELD_GDDR_TEMP + 7, .key = 43, DECODE_NONZERO, 24, 8, 1000, 1 },
	{ FIELD_GDDR_TEMP + 8, .key = 44, DECODE_NONZERO, 0, 8, 1000, 1 },
	{ FIELD_GDDR_TEMP + 9, .key = 44, DECODE_NONZERO, 8, 8, 1000, 1 },
	{ FIELD_GDDR_TEMP + 10, .key = 44, DECODE_NONZERO, 16, 8, 1000, 1 },
	{ FIELD_GDDR_TEMP + 11, .key = 44, DECODE_NONZERO, 24, 8, 1000, 1 },
	{ FIELD_GDDR_TEMP + 12, .key = 45, DECODE_NONZERO, 0, 8, 1000, 1 },
	{ FIELD_GDDR_TEMP + 13, .key = 45, DECODE_NONZERO, 8, 8, 1000, 1 },
	{ FIELD_GDDR_TEMP + 14, .key = 45, DECODE_NONZERO, 16, 8, 1000, 1 },
	{ FIELD_GDDR_TEMP + 15, .key = 45, DECODE_NONZERO, 24, 8, 1000, 1 },
	{ FIELD_GDDR_CORR_ERRS, .key = 46, DECODE_BITS, 0, 8 },
	{ FIELD_GDDR_CORR_ERRS + 1, .key = 46, DECODE_BITS, 8, 8 },
	{ FIELD_GDDR_CORR_ERRS + 2, .key = 46, DECODE_BITS, 16, 8 },
	{ FIELD_GDDR_CORR_ERRS + 3, .key = 46, DECODE_BITS, 24, 8 },
	{ FIELD_GDDR_CORR_ERRS + 4, .key = 47, DECODE_BITS, 0, 8 },
	{ FIELD_GDDR_CORR_ERRS + 5, .key = 47, DECODE_BITS, 8, 8 },
	{ FIELD_GDDR_CORR_ERRS + 6, .key = 47, DECODE_BITS, 16, 8 },
	{ FIELD_GDDR_CORR_ERRS + 7, .key = 47, DECODE_BITS, 24, 8 },
	{ FIELD_GDDR_CORR_ERRS + 8, .key = 48, DECODE_BITS, 0, 8 },
	{ FIELD_GDDR_CORR_ERRS + 9, .key = 48, DECODE_BITS, 8, 8 },
	{ FIELD_GDDR_CORR_ERRS + 10, .key = 48, DECODE_BITS, 16, 8 },
	{ FIELD_GDDR_CORR_ERRS + 11, .key = 48, DECODE_BITS, 24, 8 },
	{ FIELD_GDDR_CORR_ERRS + 12, .key = 49, DECODE_BITS, 0, 8 },
	{ FIELD_GDDR_CORR_ERRS + 13, .key = 49, DECODE_BITS, 8, 8 },
	{ FIELD_GDDR_CORR_ERRS + 14, .key = 49, DECODE_BITS, 16, 8 },
	{ FIELD_GDDR_CORR_ERRS + 15, .key = 49, DECODE_BITS, 24, 8 },
	{ FIELD_GDDR_UNCORR_ERRS, .key = 50, DECODE_BITS },
	{ FIELD_GDDR_MAX_TEMP, .key = 51, DECODE_NONZERO, 0, 0, 1000, 1 },
	{ FIELD_ASIC_LOCATION, .key = 52, DECODE_BITS },
	{ FIELD_BOARD_POWER_LIMIT, .key = 53, DECODE_NONZERO, 0, 0, 1000, 1 },
	{ FIELD_BOARD_POWER, .key = 54, DECODE_NONZERO, 0, 0, 1000, 1 },
	{ FIELD_CURRENT_LIMIT, .key = 55, DECODE_NONZERO, 0, 0, 1000, 1 },
	{ FIELD_THROTTLE_TEMP, .key = 56, DECODE_NONZERO, 0, 0, 1000, 1 },
	{ FIELD_FW_DATE, .key = 57, DECODE_NONZERO, .absent = 0xffffffff },
	{ FIELD_TT_FLASH, .key = 58, DECODE_NONZERO, .absent = 0xffffffff },
	{ FIELD_TENSIX_ROWS, .key = 59, DECODE_BITS },
	{ FIELD_THERM_TRIPS, .key = 60, DECODE_BITS },
	{ FIELD_ASIC_ID, .key = 61, DECODE_HIGH64 },
	{ FIELD_ASIC_ID, .key = 62, DECODE_LOW64 },
	{ FIELD_AICLK_LIMIT, .key = 63, DECODE_NONZERO },
	{ FIELD_POWER_LIMIT, .key = 64, DECODE_NONZERO, 0, 0, 1000, 1, .from = 0x13080000 },
	{ FIELD_AICLK_ARB_MIN, .key = 65, DECODE_BITS },
	{ FIELD_AICLK_ARB_MAX, .key = 66, DECODE_BITS },
	{ FIELD_THROTTLE, .key = 66, DECODE_BITS, 16, 16 },
	{ FIELD_ENABLED_MIN_ARB, .key = 67, DECODE_BITS },
	{ FIELD_ENABLED_MAX_ARB, .key = 68, DECODE_BITS },
	{ FIELD_AICLK_PPM_INFO, .key = 69, DECODE_BITS },
	{ .field = FIELD_NONE }
};

static const struct decode none[] = { { .field = FIELD_NONE } };

/* What the driver publishes of it (chip-facts 1.3, 1.4). */
static const struct decode attr[] = {
	{ FIELD_AICLK, .key = ATTR_TT_AICLK, DECODE_TEXT_INT },
	{ FIELD_AXICLK, .key = ATTR_TT_AXICLK, DECODE_TEXT_INT },
	{ FIELD_ARCCLK, .key = ATTR_TT_ARCCLK, DECODE_TEXT_INT },
	{ FIELD_BOARD_ID, .key = ATTR_TT_SERIAL, DECODE_TEXT_HEX },
	{ FIELD_ASIC_ID, .key = ATTR_TT_ASIC_ID, DECODE_TEXT_HEX },
	{ FIELD_FW_BUNDLE, .key = ATTR_TT_FW_BUNDLE_VER, DECODE_TEXT_VERSION4,
		.absent = 0xffffffff },
	{ FIELD_DM_APP_FW, .key = ATTR_TT_M3APP_FW_VER, DECODE_TEXT_VERSION4,
		.absent = 0xffffffff },
	{ FIELD_HEARTBEAT, .key = ATTR_TT_HEARTBEAT, DECODE_TEXT_INT },
	{ FIELD_THERM_TRIPS, .key = ATTR_TT_THERM_TRIP_COUNT, DECODE_TEXT_INT },
	{ FIELD_ASIC_TEMP, .key = ATTR_HWMON_TEMP, DECODE_TEXT_INT },
	{ FIELD_THROTTLE_TEMP, .key = ATTR_HWMON_TEMP_MAX, DECODE_TEXT_INT },
	{ FIELD_VCORE, .key = ATTR_HWMON_VCORE, DECODE_TEXT_INT },
	{ FIELD_VDD_MAX, .key = ATTR_HWMON_VCORE_MAX, DECODE_TEXT_INT },
	{ FIELD_CURRENT, .key = ATTR_HWMON_CURRENT, DECODE_TEXT_INT },
	{ FIELD_CURRENT_LIMIT, .key = ATTR_HWMON_CURRENT_MAX, DECODE_TEXT_INT },
	{ FIELD_POWER, .key = ATTR_HWMON_POWER, DECODE_TEXT_INT, 0, 0, 1, 1000 },
	{ FIELD_POWER_LIMIT, .key = ATTR_HWMON_POWER_MAX, DECODE_TEXT_INT, 0, 0, 1, 1000,
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
	.tags = tags,
	.legacy = none,
	.attr = attr,
	.heartbeat_raw = FIELD_HEARTBEAT,
	.heartbeat_div = 6,
	.eth_channels = ARRAY_LEN(eth_xy_blackhole),
	.eth_xy = eth_xy_blackhole,
};

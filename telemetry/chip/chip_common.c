/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chip_common.c - the tables of all chips.  First those that they share: the tags that mean the
 * same on every chip with a tag table (chip-facts 2.2.1), and the attributes that the driver
 * publishes for all chips (chip-facts 1.3, 1.4).
 *
 * A tag's row stands in the shared table or in the chips' own, never in both.
 */
#include "config.h"

#include "base/mem.h"
#include "device/eth.h"
#include "telemetry/chip/chip.h"

#define WATT 1000000	/* in hwmon: the driver multiplies whole watts */

/* field, word, kind, shift, bits, mul, div, absent; omitted members are 0 */
const struct decode chip_common_tags[] = {
	{ FIELD_BOARD_ID, .key = 1, DECODE_HIGH64 },
	{ FIELD_BOARD_ID, .key = 2, DECODE_LOW64 },
	{ FIELD_ASIC_ID_SHORT, .key = 3, DECODE_BITS },
	{ FIELD_HARVESTING_STATE, .key = 4, DECODE_BITS },
	{ FIELD_UPDATE_SPEED, .key = 5, DECODE_NONZERO },
	{ FIELD_VCORE, .key = 6, DECODE_BITS },
	{ FIELD_POWER, .key = 7, DECODE_BITS, 0, 0, 1000, 1 },
	{ FIELD_CURRENT, .key = 8, DECODE_BITS, 0, 0, 1000, 1 },
	{ FIELD_VDD_MIN, .key = 9, DECODE_NONZERO, 0, 16, .absent = 0xffff },
	{ FIELD_VDD_MAX, .key = 9, DECODE_NONZERO, 16, 16, .absent = 0xffff },
	{ FIELD_SHUTDOWN_TEMP, .key = 10, DECODE_NONZERO, 0, 0, 1000, 1 },
	{ FIELD_ASIC_TEMP, .key = 11, DECODE_S16_16, 0, 0, 1000, 1 },
	{ FIELD_VREG_TEMP, .key = 12, DECODE_NONZERO, 0, 0, 1000, 1 },
	{ FIELD_BOARD_TEMP, .key = 13, DECODE_S16_16_NONZERO, 0, 0, 1000, 1 },
	{ FIELD_AXICLK, .key = 15, DECODE_BITS },
	{ FIELD_ARCCLK, .key = 16, DECODE_BITS },
	{ FIELD_L2CPUCLK0, .key = 17, DECODE_NONZERO },
	{ FIELD_L2CPUCLK1, .key = 18, DECODE_NONZERO },
	{ FIELD_L2CPUCLK2, .key = 19, DECODE_NONZERO },
	{ FIELD_L2CPUCLK3, .key = 20, DECODE_NONZERO },
	{ FIELD_DRAM_ENABLED, .key = 36, DECODE_NONZERO },
	{ FIELD_GDDR_STATUS_WORD, .key = 22, DECODE_BITS },
	{ FIELD_DRAM_SPEED, .key = 23, DECODE_NONZERO },
	{ FIELD_GDDR_FW, .key = 25, DECODE_NONZERO, .absent = 0xffffffff },
	{ FIELD_DM_APP_FW, .key = 26, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_DM_BL_FW, .key = 27, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_FW_BUNDLE, .key = 28, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_CM_FW, .key = 29, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_L2CPU_FW, .key = 30, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_FAN_TARGET, .key = 31, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_HEARTBEAT, .key = 32, DECODE_BITS },
	{ FIELD_TAG_COUNT, .key = 33, DECODE_NONZERO },
	{ FIELD_TENSIX_COLS, .key = 34, DECODE_NONZERO },
	{ FIELD_ETH_ENABLED, .key = 35, DECODE_BITS },
	{ FIELD_L2CPU_ENABLED, .key = 37, DECODE_BITS },
	{ FIELD_PCIE_USAGE, .key = 38, DECODE_BITS },
	{ FIELD_INPUT_CURRENT, .key = 39, DECODE_BITS },
	{ FIELD_NOC_TRANSLATION, .key = 40, DECODE_BITS },
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
	/* These counters stop at 255, so a word of all ones is four counters at their maximum. */
	{ FIELD_GDDR_CORR_ERRS, .key = 46, DECODE_BITS, 0, 8, .ones = true },
	{ FIELD_GDDR_CORR_ERRS + 1, .key = 46, DECODE_BITS, 8, 8, .ones = true },
	{ FIELD_GDDR_CORR_ERRS + 2, .key = 46, DECODE_BITS, 16, 8, .ones = true },
	{ FIELD_GDDR_CORR_ERRS + 3, .key = 46, DECODE_BITS, 24, 8, .ones = true },
	{ FIELD_GDDR_CORR_ERRS + 4, .key = 47, DECODE_BITS, 0, 8, .ones = true },
	{ FIELD_GDDR_CORR_ERRS + 5, .key = 47, DECODE_BITS, 8, 8, .ones = true },
	{ FIELD_GDDR_CORR_ERRS + 6, .key = 47, DECODE_BITS, 16, 8, .ones = true },
	{ FIELD_GDDR_CORR_ERRS + 7, .key = 47, DECODE_BITS, 24, 8, .ones = true },
	{ FIELD_GDDR_CORR_ERRS + 8, .key = 48, DECODE_BITS, 0, 8, .ones = true },
	{ FIELD_GDDR_CORR_ERRS + 9, .key = 48, DECODE_BITS, 8, 8, .ones = true },
	{ FIELD_GDDR_CORR_ERRS + 10, .key = 48, DECODE_BITS, 16, 8, .ones = true },
	{ FIELD_GDDR_CORR_ERRS + 11, .key = 48, DECODE_BITS, 24, 8, .ones = true },
	{ FIELD_GDDR_CORR_ERRS + 12, .key = 49, DECODE_BITS, 0, 8, .ones = true },
	{ FIELD_GDDR_CORR_ERRS + 13, .key = 49, DECODE_BITS, 8, 8, .ones = true },
	{ FIELD_GDDR_CORR_ERRS + 14, .key = 49, DECODE_BITS, 16, 8, .ones = true },
	{ FIELD_GDDR_CORR_ERRS + 15, .key = 49, DECODE_BITS, 24, 8, .ones = true },
	{ FIELD_GDDR_UNCORR_ERRS, .key = 50, DECODE_BITS },
	{ FIELD_GDDR_MAX_TEMP, .key = 51, DECODE_NONZERO, 0, 0, 1000, 1 },
	{ FIELD_ASIC_LOCATION, .key = 52, DECODE_BITS },
	{ FIELD_BOARD_POWER_LIMIT, .key = 53, DECODE_NONZERO, 0, 0, 1000, 1 },
	{ FIELD_BOARD_POWER, .key = 54, DECODE_NONZERO, 0, 0, 1000, 1 },
	{ FIELD_CURRENT_LIMIT, .key = 55, DECODE_NONZERO, 0, 0, 1000, 1 },
	{ FIELD_THROTTLE_TEMP, .key = 56, DECODE_NONZERO, 0, 0, 1000, 1 },
	{ FIELD_FW_DATE, .key = 57, DECODE_NONZERO, .absent = 0xffffffff },
	{ FIELD_TT_FLASH, .key = 58, DECODE_NONZERO, .absent = 0xffffffff },
	{ FIELD_TENSIX_ROWS, .key = 59, DECODE_NONZERO },
	{ FIELD_THERM_TRIPS, .key = 60, DECODE_BITS },
	{ FIELD_ASIC_ID, .key = 61, DECODE_HIGH64 },
	{ FIELD_ASIC_ID, .key = 62, DECODE_LOW64 },
	{ FIELD_AICLK_LIMIT, .key = 63, DECODE_NONZERO },
	{ FIELD_AICLK_ARB_MIN, .key = 65, DECODE_BITS },
	{ FIELD_AICLK_ARB_MAX, .key = 66, DECODE_BITS },
	{ FIELD_THROTTLE, .key = 66, DECODE_BITS, 16, 16 },
	{ FIELD_ENABLED_MIN_ARB, .key = 67, DECODE_BITS },
	{ FIELD_ENABLED_MAX_ARB, .key = 68, DECODE_BITS },
	{ FIELD_AICLK_PPM_INFO, .key = 69, DECODE_BITS },
	{ FIELD_AICLK_HOST_LIMIT, .key = 70, DECODE_NONZERO },
	{ FIELD_SMBUS_ERRORS, .key = 71, DECODE_BITS },
	{ FIELD_GDDR_PORTS, .key = 72, DECODE_BITS },
	{ FIELD_GDDR_IO_POWER_WEST, .key = 73, DECODE_BITS, 0, 0, 1000, 1 },
	{ FIELD_GDDR_IO_POWER_EAST, .key = 74, DECODE_BITS, 0, 0, 1000, 1 },
	{ FIELD_KERNEL_THROTTLER, .key = 75, DECODE_BITS, 0, 1 },
	{ FIELD_KERNEL_THROTTLER_STOP, .key = 75, DECODE_NONZERO, 16, 16 },
	{ FIELD_NOP_STARTS, .key = 76, DECODE_BITS },
	{ FIELD_NOP_TIME, .key = 77, DECODE_BITS },
	{ FIELD_FW_CAPABILITIES, .key = 78, DECODE_BITS },
	{ FIELD_FW_CONFIG, .key = 79, DECODE_BITS },
	{ FIELD_FLASH_ID, .key = 80, DECODE_NONZERO },
	{ .field = FIELD_NONE }
};

const struct decode chip_common_attrs[] = {
	{ FIELD_AICLK, .key = ATTR_TT_AICLK, DECODE_TEXT_INT },
	{ FIELD_AXICLK, .key = ATTR_TT_AXICLK, DECODE_TEXT_INT },
	{ FIELD_ARCCLK, .key = ATTR_TT_ARCCLK, DECODE_TEXT_INT },
	{ FIELD_BOARD_ID, .key = ATTR_TT_SERIAL, DECODE_TEXT_HEX },
	{ FIELD_FW_BUNDLE, .key = ATTR_TT_FW_BUNDLE_VER, DECODE_TEXT_VERSION4,
		.absent = 0xffffffff },
	{ FIELD_ASIC_TEMP, .key = ATTR_HWMON_TEMP, DECODE_TEXT_INT },
	{ FIELD_THROTTLE_TEMP, .key = ATTR_HWMON_TEMP_MAX, DECODE_TEXT_NONZERO },
	{ FIELD_VCORE, .key = ATTR_HWMON_VCORE, DECODE_TEXT_INT },
	{ FIELD_VDD_MAX, .key = ATTR_HWMON_VCORE_MAX, DECODE_TEXT_NONZERO },
	{ FIELD_CURRENT, .key = ATTR_HWMON_CURRENT, DECODE_TEXT_INT },
	{ FIELD_CURRENT_LIMIT, .key = ATTR_HWMON_CURRENT_MAX, DECODE_TEXT_NONZERO },
	{ FIELD_POWER, .key = ATTR_HWMON_POWER, DECODE_TEXT_INT, 0, 0, 1, 1000, .step = WATT },
	{ .field = FIELD_NONE }
};

/*
 * Blackhole's tag table (chip-facts 2.2.1), read through the network on chip at the ARC tile (8,0):
 * its BAR0 window is not routed on every board (chip-facts 1.9).
 *
 * Bundle bounds: 0x13080000 is 19.8, 0x13090000 is 19.9 (chip-facts 2.2.2).
 */

/* field, word, kind, shift, bits, mul, div, absent, bundles; omitted members are 0 */
static const struct decode blackhole_tags[] = {
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
static const enum field_id blackhole_never[] = { FIELD_VREG_TEMP, FIELD_BOARD_TEMP, FIELD_NONE };

/* Attributes that the driver publishes (chip-facts 1.3, 1.4). */
static const struct decode blackhole_own_attrs[] = {
	{ FIELD_ASIC_ID, .key = ATTR_TT_ASIC_ID, DECODE_TEXT_HEX },
	{ FIELD_DM_APP_FW, .key = ATTR_TT_M3APP_FW_VER, DECODE_TEXT_VERSION4,
		.absent = 0xffffffff },
	{ FIELD_HEARTBEAT, .key = ATTR_TT_HEARTBEAT, DECODE_TEXT_INT },
	{ FIELD_THERM_TRIPS, .key = ATTR_TT_THERM_TRIP_COUNT, DECODE_TEXT_INT },
	{ FIELD_POWER_LIMIT, .key = ATTR_HWMON_POWER_MAX, DECODE_TEXT_NONZERO, 0, 0, 1, 1000,
		.from = 0x13080000, .step = WATT },
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
		.runtime = { REG_NOC, 8, 0, 0x80030458 },	/* SCRATCH_RAM[22] */
		.runtime_since = 0x130c0000,
		.errors = { REG_NOC, 8, 0, 0x80030410 },	/* SCRATCH_RAM[4] */
		.boot_mask = 7, .boot_value = 5,
	},
	.rows = {
		[CHIP_COMMON_TAGS] = chip_common_tags,
		[CHIP_TAGS] = blackhole_tags,
		[CHIP_COMMON_ATTRS] = chip_common_attrs,
		[CHIP_ATTRS] = blackhole_own_attrs,
	},
	.never = blackhole_never,
	.heartbeat_raw = FIELD_HEARTBEAT,
	.heartbeat_div = 6,
	.swaps_limits = true,
	.date_is_version = true,
	.gddr_limit = 89,		/* gddr_thm_limit of every board (chip-facts 3.3) */
	.gddr_channels = 8,
	.prints_ethernet = true,
	.eth_channels = ARRAY_LEN(eth_xy_blackhole),
	.eth_xy = eth_xy_blackhole,
};

/*
 * Grayskull's legacy struct (chip-facts 2.3.2).  The chip has
 * no tag table; a message asks it for the struct's address.
 */

/* field, word, kind, shift, bits, mul, div, absent; omitted members are 0 (struct decode) */
static const struct decode grayskull_legacy[] = {
	{ FIELD_ENUM_VERSION, .key = 0, DECODE_BITS },
	{ FIELD_DEVICE_ID, .key = 1, DECODE_BITS },
	{ FIELD_ASIC_RO, .key = 2, DECODE_BITS },
	{ FIELD_ASIC_IDD, .key = 3, DECODE_BITS },
	{ FIELD_BOARD_ID, .key = 4, DECODE_HIGH64 },
	{ FIELD_BOARD_ID, .key = 5, DECODE_LOW64 },
	{ FIELD_CM_FW, .key = 6, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_ARC1_FW, .key = 7, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_ARC2_FW, .key = 8, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_ARC3_FW, .key = 9, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_SPIBOOTROM_FW, .key = 10, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_DRAM_SPEED, .key = 11, DECODE_NONZERO, .absent = 0xffffffff },
	{ FIELD_DRAM_STATUS, .key = 12, DECODE_DDR_4BIT_GS, 0, 6 },
	{ FIELD_GDDR_STATUS_WORD, .key = 12, DECODE_BITS },
	{ FIELD_PCIE_STATUS, .key = 13, DECODE_BITS },
	{ FIELD_FAULTS, .key = 14, DECODE_BITS },
	{ FIELD_ARC0_HEALTH, .key = 15, DECODE_BITS },
	{ FIELD_HEARTBEAT, .key = 15, DECODE_BITS },
	{ FIELD_ARC1_HEALTH, .key = 16, DECODE_BITS },
	{ FIELD_ARC2_HEALTH, .key = 17, DECODE_BITS },
	{ FIELD_ARC3_HEALTH, .key = 18, DECODE_BITS },
	{ FIELD_FAN_LEGACY, .key = 19, DECODE_BITS, 0, 16, .absent = 0xffff },
	{ FIELD_AICLK, .key = 20, DECODE_BITS, 0, 16 },
	{ FIELD_AICLK_LIMIT, .key = 20, DECODE_NONZERO, 16, 16, .absent = 0xffff },
	{ FIELD_AXICLK, .key = 21, DECODE_BITS },
	{ FIELD_ARCCLK, .key = 22, DECODE_BITS },
	{ FIELD_THROTTLER, .key = 23, DECODE_BITS },
	{ FIELD_VCORE, .key = 24, DECODE_BITS },
	{ FIELD_ASIC_TEMP, .key = 25, DECODE_SIGNED, 0, 16, 1000, 16 },
	{ FIELD_VREG_TEMP, .key = 26, DECODE_NONZERO, 0, 16, 1000, 1, .absent = 0xffff },
	{ FIELD_POWER, .key = 27, DECODE_BITS, 0, 16, 1000, 1 },
	{ FIELD_POWER_LIMIT, .key = 27, DECODE_NONZERO, 16, 16, 1000, 1, .absent = 0xffff },
	{ FIELD_CURRENT, .key = 28, DECODE_BITS, 0, 16, 1000, 1 },
	{ FIELD_CURRENT_LIMIT, .key = 28, DECODE_NONZERO, 16, 16, 1000, 1, .absent = 0xffff },
	{ FIELD_VDD_MIN, .key = 29, DECODE_NONZERO, 0, 16, .absent = 0xffff },
	{ FIELD_VDD_MAX, .key = 29, DECODE_NONZERO, 16, 16, .absent = 0xffff },
	{ FIELD_THROTTLE_TEMP, .key = 30, DECODE_NONZERO, 0, 16, 1000, 1, .absent = 0xffff },
	{ FIELD_SHUTDOWN_TEMP, .key = 30, DECODE_NONZERO, 16, 16, 1000, 1, .absent = 0xffff },
	{ FIELD_FW_DATE, .key = 31, DECODE_NONZERO, .absent = 0xffffffff },
	{ FIELD_ASIC_TMON0, .key = 32, DECODE_BITS },
	{ FIELD_ASIC_TMON1, .key = 33, DECODE_BITS },
	{ FIELD_ASIC_POWER, .key = 34, DECODE_BITS },
	{ FIELD_AUX_STATUS, .key = 35, DECODE_BITS },
	{ FIELD_BOOT_DATE, .key = 36, DECODE_NONZERO, .absent = 0xffffffff },
	{ FIELD_RT_SECONDS, .key = 37, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_TT_FLASH, .key = 38, DECODE_NONZERO, .absent = 0xffffffff },
	{ FIELD_FW_BUNDLE, .key = 39, DECODE_BUNDLE, .mul = 0x01070000, .absent = 0xffffffff },
	{ .field = FIELD_NONE }
};

/* Attributes that drivers 1.28 to 2.1 publish (chip-facts 1.3, 1.4). */
static const struct decode grayskull_own_attrs[] = {
	{ FIELD_CM_FW, .key = ATTR_TT_ARC_FW_VER, DECODE_TEXT_VERSION4, .absent = 0xffffffff },
	{ FIELD_TT_FLASH, .key = ATTR_TT_TTFLASH_VER, DECODE_TEXT_VERSION4, .absent = 0xffffffff },
	{ FIELD_POWER_LIMIT, .key = ATTR_HWMON_POWER_MAX, DECODE_TEXT_NONZERO, 0, 0, 1, 1000,
		.step = WATT },
	{ .field = FIELD_NONE }
};

static const char *const grayskull_names[] = {
	"ENUM_VERSION", "DEVICE_ID", "ASIC_RO", "ASIC_IDD", "BOARD_ID_HIGH", "BOARD_ID_LOW",
	"ARC0_FW_VERSION", "ARC1_FW_VERSION", "ARC2_FW_VERSION", "ARC3_FW_VERSION",
	"SPIBOOTROM_FW_VERSION", "DDR_SPEED", "DDR_STATUS", "PCIE_STATUS", "FAULTS",
	"ARC0_HEALTH", "ARC1_HEALTH", "ARC2_HEALTH", "ARC3_HEALTH", "FAN_SPEED", "AICLK", "AXICLK",
	"ARCCLK", "THROTTLER", "VCORE", "ASIC_TEMPERATURE", "VREG_TEMPERATURE", "TDP", "TDC",
	"VDD_LIMITS", "THM_LIMITS", "FW_DATE", "ASIC_TMON0", "ASIC_TMON1", "ASIC_POWER",
	"AUX_STATUS", "BOOT_DATE", "RT_SECONDS", "TT_FLASH_VERSION", "FW_BUNDLE_VERSION",
};

const struct chip chip_grayskull = {
	.id = DEVICE_GRAYSKULL,
	.name = "Grayskull",
	.map = {
		.csm = { REG_BAR0, 0, 0, 0x1fe80000 },
		.hang = { REG_BAR0, 0, 0, 0x1ff30078 },		/* SCRATCH_6 */
		.boot = { REG_BAR0, 0, 0, 0x1ff30060 },		/* SCRATCH_0 */
		.boot_mask = 0xffff0000, .boot_value = 0xc0de0000,
	},
	.rows = {
		[CHIP_LEGACY] = grayskull_legacy,
		[CHIP_COMMON_ATTRS] = chip_common_attrs,
		[CHIP_ATTRS] = grayskull_own_attrs,
	},
	.legacy_names = grayskull_names,
	.n_legacy = ARRAY_LEN(grayskull_names),
	.heartbeat_raw = FIELD_ARC0_HEALTH,
	.heartbeat_div = 1000,
};

/*
 * Wormhole's tag table (bundle 18.4 on) and legacy struct
 * (all firmware), chip-facts 2.2.1 and 2.3.1.  Where both have a value the
 * tags win; inlet and outlet temperatures exist in the struct alone.
 *
 * Bundle bounds: 0x13090000 is 19.9, 0x130a0000 is 19.10 (chip-facts 2.2.2).
 */

/* field, word, kind, shift, bits, mul, div, absent, bundles; omitted members are 0 */
static const struct decode wormhole_tags[] = {
	{ FIELD_AICLK, .key = 14, DECODE_BITS, 0, 16 },
	{ FIELD_ETH_LIVE, .key = 21, DECODE_BITS, 0, 16, .ones = true },
	{ FIELD_ETH_RETRAIN, .key = 21, DECODE_BITS, 16, 16, .ones = true, .to = 0x13090000 },
	{ FIELD_ETH_LINK, .key = 21, DECODE_BITS, 16, 16, .ones = true, .from = 0x13090000 },
	{ FIELD_DRAM_STATUS, .key = 22, DECODE_DDR_2BIT, 0, 6 },
	{ FIELD_ETH_FW, .key = 24, DECODE_ETH_VERSION, .absent = 0xffffffff },
	{ FIELD_FAN_RPM, .key = 41, DECODE_BITS, .absent = 0xffffffff, .to = 0x130a0000 },
	{ FIELD_FAN_RPM, .key = 41, DECODE_FAN_PAIR, .from = 0x130a0000 },
	{ FIELD_POWER_LIMIT, .key = 64, DECODE_NONZERO, 0, 0, 1000, 1 },
	{ .field = FIELD_NONE }
};

/* Wormhole has no RISC-V CPU clusters (chip-facts 2.2.1). */
static const enum field_id wormhole_never[] = {
	FIELD_L2CPUCLK0, FIELD_L2CPUCLK1, FIELD_L2CPUCLK2, FIELD_L2CPUCLK3, FIELD_NONE
};

static const struct decode wormhole_legacy[] = {
	{ FIELD_ENUM_VERSION, .key = 0, DECODE_BITS },
	{ FIELD_DEVICE_ID, .key = 1, DECODE_BITS },
	{ FIELD_ASIC_RO, .key = 2, DECODE_BITS },
	{ FIELD_ASIC_IDD, .key = 3, DECODE_BITS },
	{ FIELD_BOARD_ID, .key = 4, DECODE_HIGH64 },
	{ FIELD_BOARD_ID, .key = 5, DECODE_LOW64 },
	{ FIELD_CM_FW, .key = 6, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_ARC1_FW, .key = 7, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_ARC2_FW, .key = 8, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_ARC3_FW, .key = 9, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_SPIBOOTROM_FW, .key = 10, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_ETH_FW, .key = 11, DECODE_ETH_VERSION, .absent = 0xffffffff },
	{ FIELD_DM_BL_FW, .key = 12, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_DM_APP_FW, .key = 13, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_DRAM_STATUS, .key = 14, DECODE_DDR_4BIT_WH, 0, 6 },
	{ FIELD_DRAM_SPEED, .key = 14, DECODE_DDR_SPEED_CODE, 24, 8 },
	{ FIELD_GDDR_STATUS_WORD, .key = 14, DECODE_BITS },
	{ FIELD_ETH_STATUS0, .key = 15, DECODE_BITS },
	{ FIELD_ETH_STATUS1, .key = 16, DECODE_BITS },
	{ FIELD_PCIE_STATUS, .key = 17, DECODE_BITS },
	{ FIELD_FAULTS, .key = 18, DECODE_BITS },
	{ FIELD_ARC0_HEALTH, .key = 19, DECODE_BITS },
	{ FIELD_ARC1_HEALTH, .key = 20, DECODE_BITS },
	{ FIELD_ARC2_HEALTH, .key = 21, DECODE_BITS },
	{ FIELD_ARC3_HEALTH, .key = 22, DECODE_BITS },
	{ FIELD_HEARTBEAT, .key = 22, DECODE_BITS },
	{ FIELD_FAN_LEGACY, .key = 23, DECODE_BITS, 0, 16, .absent = 0xffff },
	{ FIELD_FAN_LEGACY_REMOTE, .key = 23, DECODE_BITS, 16, 16, .absent = 0xffff },
	{ FIELD_AICLK, .key = 24, DECODE_BITS, 0, 16 },
	{ FIELD_AICLK_LIMIT, .key = 24, DECODE_NONZERO, 16, 16 },
	{ FIELD_AXICLK, .key = 25, DECODE_BITS },
	{ FIELD_ARCCLK, .key = 26, DECODE_BITS },
	{ FIELD_THROTTLER, .key = 27, DECODE_BITS },
	{ FIELD_VCORE, .key = 28, DECODE_BITS },
	{ FIELD_ASIC_TEMP, .key = 29, DECODE_SIGNED, 0, 16, 1000, 16 },
	{ FIELD_VREG_TEMP, .key = 30, DECODE_NONZERO, 0, 16, 1000, 1 },
	{ FIELD_INLET_TEMP, .key = 31, DECODE_NONZERO, 16, 8, 1000, 1 },
	{ FIELD_OUTLET_TEMP1, .key = 31, DECODE_NONZERO, 8, 8, 1000, 1 },
	{ FIELD_OUTLET_TEMP2, .key = 31, DECODE_NONZERO, 0, 8, 1000, 1 },
	{ FIELD_POWER, .key = 32, DECODE_BITS, 0, 16, 1000, 1 },
	{ FIELD_POWER_LIMIT, .key = 32, DECODE_NONZERO, 16, 16, 1000, 1 },
	{ FIELD_CURRENT, .key = 33, DECODE_BITS, 0, 16, 1000, 1 },
	{ FIELD_CURRENT_LIMIT, .key = 33, DECODE_NONZERO, 16, 16, 1000, 1 },
	{ FIELD_VDD_MIN, .key = 34, DECODE_NONZERO, 0, 16, .absent = 0xffff },
	{ FIELD_VDD_MAX, .key = 34, DECODE_NONZERO, 16, 16, .absent = 0xffff },
	{ FIELD_THROTTLE_TEMP, .key = 35, DECODE_NONZERO, 0, 16, 1000, 1 },
	{ FIELD_SHUTDOWN_TEMP, .key = 35, DECODE_NONZERO, 16, 16, 1000, 1 },
	{ FIELD_FW_DATE, .key = 36, DECODE_NONZERO, .absent = 0xffffffff },
	{ FIELD_ASIC_TMON0, .key = 37, DECODE_BITS },
	{ FIELD_ASIC_TMON1, .key = 38, DECODE_BITS },
	{ FIELD_MVDDQ_POWER, .key = 39, DECODE_BITS },
	{ FIELD_GDDR_TRAIN_TEMP0, .key = 40, DECODE_BITS },
	{ FIELD_GDDR_TRAIN_TEMP1, .key = 41, DECODE_BITS },
	{ FIELD_BOOT_DATE, .key = 42, DECODE_NONZERO, .absent = 0xffffffff },
	{ FIELD_RT_SECONDS, .key = 43, DECODE_BITS, .absent = 0xffffffff },
	{ FIELD_ETH_DEBUG_STATUS0, .key = 44, DECODE_BITS },
	{ FIELD_ETH_DEBUG_STATUS1, .key = 45, DECODE_BITS },
	{ FIELD_TT_FLASH, .key = 46, DECODE_NONZERO, .absent = 0xffffffff },
	{ FIELD_ETH_LOOPBACK_STATUS, .key = 47, DECODE_BITS },
	{ FIELD_ETH_LIVE, .key = 48, DECODE_BITS, 0, 16, .ones = true },
	{ FIELD_ETH_RETRAIN, .key = 48, DECODE_BITS, 16, 16, .ones = true, .to = 0x13090000 },
	{ FIELD_ETH_LINK, .key = 48, DECODE_BITS, 16, 16, .ones = true, .from = 0x13090000 },
	{ FIELD_FW_BUNDLE, .key = 49, DECODE_BUNDLE, 0, 0, 0x02190000, .absent = 0xffffffff },
	{ .field = FIELD_NONE }
};

/* Attributes that the driver publishes (chip-facts 1.3, 1.4). */
static const struct decode wormhole_own_attrs[] = {
	{ FIELD_ASIC_ID, .key = ATTR_TT_ASIC_ID, DECODE_TEXT_HEX },
	{ FIELD_DM_APP_FW, .key = ATTR_TT_M3APP_FW_VER, DECODE_TEXT_VERSION4,
		.absent = 0xffffffff },
	{ FIELD_DM_BL_FW, .key = ATTR_TT_M3BL_FW_VER, DECODE_TEXT_VERSION4,
		.absent = 0xffffffff },
	{ FIELD_CM_FW, .key = ATTR_TT_ARC_FW_VER, DECODE_TEXT_VERSION4,
		.absent = 0xffffffff },
	{ FIELD_TT_FLASH, .key = ATTR_TT_TTFLASH_VER, DECODE_TEXT_VERSION4,
		.absent = 0xffffffff },
	{ FIELD_ETH_FW, .key = ATTR_TT_ETH_FW_VER, DECODE_TEXT_VERSION3,
		.absent = 0x0ff0ffff },
	{ FIELD_HEARTBEAT, .key = ATTR_TT_HEARTBEAT, DECODE_TEXT_INT },
	{ FIELD_POWER_LIMIT, .key = ATTR_HWMON_POWER_MAX, DECODE_TEXT_NONZERO, 0, 0, 1, 1000,
		.step = WATT },
	{ .field = FIELD_NONE }
};

static const char *const wormhole_names[] = {
	"ENUM_VERSION", "DEVICE_ID", "ASIC_RO", "ASIC_IDD", "BOARD_ID_HIGH", "BOARD_ID_LOW",
	"ARC0_FW_VERSION", "ARC1_FW_VERSION", "ARC2_FW_VERSION", "ARC3_FW_VERSION",
	"SPIBOOTROM_FW_VERSION", "ETH_FW_VERSION", "DM_BL_FW_VERSION", "DM_APP_FW_VERSION",
	"DDR_STATUS", "ETH_STATUS0", "ETH_STATUS1", "PCIE_STATUS", "FAULTS", "ARC0_HEALTH",
	"ARC1_HEALTH", "ARC2_HEALTH", "ARC3_HEALTH", "FAN_SPEED", "AICLK", "AXICLK", "ARCCLK",
	"THROTTLER", "VCORE", "ASIC_TEMPERATURE", "VREG_TEMPERATURE", "BOARD_TEMPERATURE", "TDP",
	"TDC", "VDD_LIMITS", "THM_LIMITS", "WH_FW_DATE", "ASIC_TMON0", "ASIC_TMON1", "MVDDQ_POWER",
	"GDDR_TRAIN_TEMP0", "GDDR_TRAIN_TEMP1", "BOOT_DATE", "RT_SECONDS", "ETH_DEBUG_STATUS0",
	"ETH_DEBUG_STATUS1", "TT_FLASH_VERSION", "ETH_LOOPBACK_STATUS", "ETH_LIVE_STATUS",
	"FW_BUNDLE_VERSION",
};

const struct chip chip_wormhole = {
	.id = DEVICE_WORMHOLE,
	.name = "Wormhole",
	.map = {
		.table_ptr = { REG_BAR0, 0, 0, 0x1ff301d0 },
		.values_ptr = { REG_BAR0, 0, 0, 0x1ff301d4 },
		.csm = { REG_BAR0, 0, 0, 0x1fe80000 },
		.legacy = 0x10078d60,
		.hang = { REG_BAR0, 0, 0, 0x1ff30078 },		/* SCRATCH_6 */
		.boot = { REG_BAR0, 0, 0, 0x1ff30060 },		/* SCRATCH_0 */
		.runtime = { REG_BAR0, 0, 0, 0x1fef5c00 },
		.runtime_since = 0x130d0000,
		.boot_mask = 0xffff0000, .boot_value = 0xc0de0000,
	},
	/* The same registers at the ARC tile (0,10), for a chip reached over ethernet. */
	.remote = {
		.table_ptr = { REG_NOC, 0, 10, 0x8800301d0 },
		.values_ptr = { REG_NOC, 0, 10, 0x8800301d4 },
		.csm = { REG_NOC, 0, 10, 0x810000000 },
		.legacy = 0x10078d60,
		.hang = { REG_NOC, 0, 10, 0x880030078 },
		.boot = { REG_NOC, 0, 10, 0x880030060 },
		.boot_mask = 0xffff0000, .boot_value = 0xc0de0000,
	},
	.rows = {
		[CHIP_COMMON_TAGS] = chip_common_tags,
		[CHIP_TAGS] = wormhole_tags,
		[CHIP_LEGACY] = wormhole_legacy,
		[CHIP_COMMON_ATTRS] = chip_common_attrs,
		[CHIP_ATTRS] = wormhole_own_attrs,
	},
	.legacy_names = wormhole_names,
	.n_legacy = ARRAY_LEN(wormhole_names),
	.never = wormhole_never,
	.heartbeat_raw = FIELD_ARC3_HEALTH,
	.heartbeat_div = 5,
	.has_sides = true,
	.gddr_channels = 6,
	.gddr_is_training = true,
	.eth_channels = ARRAY_LEN(eth_xy_wormhole),
	.eth_xy = eth_xy_wormhole,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chip_wormhole.c - Wormhole's tag table (bundle 18.4 on) and legacy struct
 * (all firmware), chip-facts 2.2.1 and 2.3.1.  Where both have a value the
 * tags win; inlet and outlet temperatures exist in the struct alone.
 *
 * Bundle bounds: 0x13090000 is 19.9, 0x130a0000 is 19.10 (chip-facts 2.2.2).
 */
#include "config.h"
#include "telemetry/chip/chip.h"
#include "base/array.h"
#include "device/eth.h"

/* field, word, kind, shift, bits, mul, div, absent, bundles; omitted members are 0 */
static const struct decode tags[] = {
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
static const enum field_id never[] = {
	FIELD_L2CPUCLK0, FIELD_L2CPUCLK1, FIELD_L2CPUCLK2, FIELD_L2CPUCLK3, FIELD_NONE
};

static const struct decode legacy[] = {
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
static const struct decode own_attrs[] = {
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
	{ FIELD_POWER_LIMIT, .key = ATTR_HWMON_POWER_MAX, DECODE_TEXT_NONZERO, 0, 0, 1, 1000 },
	{ .field = FIELD_NONE }
};

static const char *const names[] = {
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
		[CHIP_TAGS] = tags,
		[CHIP_LEGACY] = legacy,
		[CHIP_COMMON_ATTRS] = chip_common_attrs,
		[CHIP_ATTRS] = own_attrs,
	},
	.legacy_names = names,
	.n_legacy = ARRAY_LEN(names),
	.never = never,
	.heartbeat_raw = FIELD_ARC3_HEALTH,
	.heartbeat_div = 5,
	.has_sides = true,
	.gddr_channels = 6,
	.gddr_is_training = true,
	.eth_channels = ARRAY_LEN(eth_xy_wormhole),
	.eth_xy = eth_xy_wormhole,
};

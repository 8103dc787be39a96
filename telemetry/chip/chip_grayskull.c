/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chip_grayskull.c - Grayskull's legacy struct (chip-facts 2.3.2).  The chip has
 * no tag table; a message asks it for the struct's address.
 */
#include "config.h"
#include "telemetry/chip/chip.h"
#include "base/array.h"

/* field, word, kind, shift, bits, mul, div, absent; omitted members are 0 (struct decode) */
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
static const struct decode own_attrs[] = {
	{ FIELD_CM_FW, .key = ATTR_TT_ARC_FW_VER, DECODE_TEXT_VERSION4, .absent = 0xffffffff },
	{ FIELD_TT_FLASH, .key = ATTR_TT_TTFLASH_VER, DECODE_TEXT_VERSION4, .absent = 0xffffffff },
	{ FIELD_POWER_LIMIT, .key = ATTR_HWMON_POWER_MAX, DECODE_TEXT_NONZERO, 0, 0, 1, 1000 },
	{ .field = FIELD_NONE }
};

static const char *const names[] = {
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
		[CHIP_LEGACY] = legacy,
		[CHIP_COMMON_ATTRS] = chip_common_attrs,
		[CHIP_ATTRS] = own_attrs,
	},
	.legacy_names = names,
	.n_legacy = ARRAY_LEN(names),
	.heartbeat_raw = FIELD_ARC0_HEALTH,
	.heartbeat_div = 1000,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chip.c - the boards, the chips by id, and the names of tags and legacy words.
 */
#include "config.h"
#include "telemetry/chip/chip.h"

#include "base/mem.h"

#include <string.h>

/*
 * The boards (chip-facts 3.1).  Fans that the firmware turns: fan_ctrl_en in
 * boards/tenstorrent/tt_blackhole/spirom_data_tables of tt-system-firmware.
 */
static const struct board boards[] = {
	/* upi   name            the driver's        chip    asics remote resets rows spares fans */
	{ 0x03,  "e150",         "e150",             DEVICE_GRAYSKULL, 1, false, true, 0, 0, 1 },
	{ 0x07,  "e75",          "e75",              DEVICE_GRAYSKULL, 1, false, true, 0, 0, 1 },
	{ 0x0a,  "e300",         "e300",             DEVICE_GRAYSKULL, 1, false, true, 0, 0, 1 },
	{ 0x08,  "nb_cb",        "nb_cb",            DEVICE_WORMHOLE,  1, false, true, 0, 0, 2 },
	{ 0x0b,  "wh_4u",        "wh_4u",            DEVICE_WORMHOLE,  1, false, false, 0, 0, 2 },
	{ 0x14,  "n300",         "n300",             DEVICE_WORMHOLE,  2, true, true, 8, 0, 2 },
	{ 0x18,  "n150",         "n150",             DEVICE_WORMHOLE,  1, false, true, 9, 0, 2 },
	{ 0x35,  "tt-galaxy-wh", "galaxy-wormhole",  DEVICE_WORMHOLE,  32, false, true, 10, 0, 0 },
	{ 0x36,  "bh-scrappy",   "p100",             DEVICE_BLACKHOLE, 1, false, true, 0, 0, 1 },
	{ 0x40,  "p150a",        "p150a",            DEVICE_BLACKHOLE, 1, false, true, 0, 0, 1 },
	{ 0x41,  "p150b",        "p150b",            DEVICE_BLACKHOLE, 1, false, true, 0, 0, 0 },
	{ 0x42,  "p150c",        "p150c",            DEVICE_BLACKHOLE, 1, false, true, 0, 0, 0 },
	{ 0x43,  "p100a",        "p100a",            DEVICE_BLACKHOLE, 1, false, true, 0, 1, 1 },
	{ 0x44,  "p300b",        "p300b",            DEVICE_BLACKHOLE, 2, false, true, 0, 0, 0 },
	{ 0x45,  "p300a",        "p300a",            DEVICE_BLACKHOLE, 2, false, true, 0, 0, 1 },
	{ 0x46,  "p300c",        "p300c",            DEVICE_BLACKHOLE, 2, false, true, 0, 0, 0 },
	{ 0x47,  "tt-galaxy-bh", "galaxy-blackhole", DEVICE_BLACKHOLE, 32, false, true, 0, 0, 0 },
	/* Bin 6 ships with a memory channel of each chip harvested; all eight are no fault. */
	{ 0x202, "tt-galaxy-bh", "galaxy-blackhole", DEVICE_BLACKHOLE, 32, false, true, 0, -1, 0 },
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

unsigned board_on_pcie(uint32_t upi)
{
	const struct board *b = board_find(upi);

	return b ? (unsigned)(b->asics - b->remote) : 1;
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

/* The chips. */

static const struct chip *const chips[DEVICE_CHIPS] = {
	[DEVICE_GRAYSKULL] = &chip_grayskull,
	[DEVICE_WORMHOLE] = &chip_wormhole,
	[DEVICE_BLACKHOLE] = &chip_blackhole,
};

static const struct tag_name tag_names[] = {
	{ 1, "BOARD_ID_HIGH", NULL },
	{ 2, "BOARD_ID_LOW", NULL },
	{ 3, "ASIC_ID", NULL },
	{ 4, "HARVESTING_STATE", NULL },
	{ 5, "UPDATE_TELEM_SPEED", NULL },
	{ 6, "VCORE", NULL },
	{ 7, "TDP", NULL },
	{ 8, "TDC", NULL },
	{ 9, "VDD_LIMITS", NULL },
	{ 10, "THM_LIMIT_SHUTDOWN", NULL },
	{ 11, "ASIC_TEMPERATURE", NULL },
	{ 12, "VREG_TEMPERATURE", NULL },
	{ 13, "BOARD_TEMPERATURE", NULL },
	{ 14, "AICLK", NULL },
	{ 15, "AXICLK", NULL },
	{ 16, "ARCCLK", NULL },
	{ 17, "L2CPUCLK0", NULL },
	{ 18, "L2CPUCLK1", NULL },
	{ 19, "L2CPUCLK2", NULL },
	{ 20, "L2CPUCLK3", NULL },
	{ 21, "ETH_LIVE_STATUS", NULL },
	{ 22, "GDDR_STATUS", "DDR_STATUS" },
	{ 23, "GDDR_SPEED", "DDR_SPEED" },
	{ 24, "ETH_FW_VERSION", NULL },
	{ 25, "GDDR_FW_VERSION", NULL },
	{ 26, "DM_APP_FW_VERSION", NULL },
	{ 27, "DM_BL_FW_VERSION", NULL },
	{ 28, "FLASH_BUNDLE_VERSION", NULL },
	{ 29, "CM_FW_VERSION", NULL },
	{ 30, "L2CPU_FW_VERSION", NULL },
	{ 31, "FAN_SPEED", NULL },
	{ 32, "TIMER_HEARTBEAT", NULL },
	{ 33, "TELEM_ENUM_COUNT", "TELEMETRY_ENUM_COUNT" },
	{ 34, "ENABLED_TENSIX_COL", NULL },
	{ 35, "ENABLED_ETH", NULL },
	{ 36, "ENABLED_GDDR", NULL },
	{ 37, "ENABLED_L2CPU", NULL },
	{ 38, "PCIE_USAGE", NULL },
	{ 39, "INPUT_CURRENT", NULL },
	{ 40, "NOC_TRANSLATION", NULL },
	{ 41, "FAN_RPM", NULL },
	{ 42, "GDDR_0_1_TEMP", NULL },
	{ 43, "GDDR_2_3_TEMP", NULL },
	{ 44, "GDDR_4_5_TEMP", NULL },
	{ 45, "GDDR_6_7_TEMP", NULL },
	{ 46, "GDDR_0_1_CORR_ERRS", NULL },
	{ 47, "GDDR_2_3_CORR_ERRS", NULL },
	{ 48, "GDDR_4_5_CORR_ERRS", NULL },
	{ 49, "GDDR_6_7_CORR_ERRS", NULL },
	{ 50, "GDDR_UNCORR_ERRS", NULL },
	{ 51, "MAX_GDDR_TEMP", NULL },
	{ 52, "ASIC_LOCATION", NULL },
	{ 53, "BOARD_POWER_LIMIT", NULL },
	{ 54, "INPUT_POWER", NULL },
	{ 55, "TDC_LIMIT_MAX", NULL },
	{ 56, "THM_LIMIT_THROTTLE", NULL },
	{ 57, "FW_BUILD_DATE", NULL },
	{ 58, "TT_FLASH_VERSION", NULL },
	{ 59, "ENABLED_TENSIX_ROW", NULL },
	{ 60, "THERM_TRIP_COUNT", NULL },
	{ 61, "ASIC_ID_HIGH", NULL },
	{ 62, "ASIC_ID_LOW", NULL },
	{ 63, "AICLK_LIMIT_MAX", NULL },
	{ 64, "TDP_LIMIT_MAX", NULL },
	{ 65, "AICLK_ARB_MIN", NULL },
	{ 66, "AICLK_ARB_MAX", NULL },
	{ 67, "ENABLED_MIN_ARB", NULL },
	{ 68, "ENABLED_MAX_ARB", NULL },
	{ 69, "AICLK_PPM_INFO", "NUMBER_OF_TAGS" },
	{ 70, "HOST_AICLK_LIMIT", NULL },
	{ 71, "SMBUS_ERRORS", NULL },
	{ 72, "GDDR_MRISC_NOC2AXI_PORT", NULL },
	{ 73, "GDDR_WEST_IO_POWER", NULL },
	{ 74, "GDDR_EAST_IO_POWER", NULL },
	{ 75, "KERNEL_THROTTLER", NULL },
	{ 76, "NOP_START_COUNT", NULL },
	{ 77, "NOP_ON_DURATION", NULL },
	{ 78, "FW_CAPABILITIES_0", NULL },
	{ 79, "FW_ACTIVE_CONFIG_0", NULL },
	{ 80, "FLASH_JEDEC_ID", NULL },
};

const size_t tag_names_len = ARRAY_LEN(tag_names);

/* Names of these words in other versions of upstream's tool (chip-facts 2.2.1, 6.1). */
static const struct {
	const char *old, *name;
} aliases[] = {
	{ "THM_LIMITS", "THM_LIMIT_SHUTDOWN" },
	{ "M3_APP_FW_VERSION", "DM_APP_FW_VERSION" },
	{ "M3_BL_FW_VERSION", "DM_BL_FW_VERSION" },
	{ "BM_APP_FW_VERSION", "DM_APP_FW_VERSION" },
	{ "BM_BL_FW_VERSION", "DM_BL_FW_VERSION" },
};

const struct chip *chip_find(enum device_chip id)
{
	return id < DEVICE_CHIPS ? chips[id] : NULL;
}

static const struct chip_printed printed[] = {
	{ "telemetry", "voltage", FIELD_VCORE, 2, 4, false },
	{ "telemetry", "current", FIELD_CURRENT, 1, 5, false },
	{ "telemetry", "power", FIELD_POWER, 1, 5, false },
	{ "telemetry", "board_power", FIELD_BOARD_POWER, 1, 5, false },
	{ "telemetry", "aiclk", FIELD_AICLK, 0, 4, false },
	{ "telemetry", "asic_temperature", FIELD_ASIC_TEMP, 1, 4, false },
	{ "limits", "vdd_min", FIELD_VDD_MIN, 2, 4, false },
	{ "limits", "vdd_max", FIELD_VDD_MAX, 2, 4, false },
	{ "limits", "tdp_limit", FIELD_POWER_LIMIT, 0, 3, false },
	{ "limits", "tdc_limit", FIELD_CURRENT_LIMIT, 0, 3, false },
	{ "limits", "asic_fmax", FIELD_AICLK_LIMIT, 0, 4, false },
	{ "limits", "therm_trip_l1_limit", FIELD_SHUTDOWN_TEMP, 0, 2, false },
	{ "limits", "thm_limit", FIELD_THROTTLE_TEMP, 0, 2, false },
	{ "limits", "bus_peak_limit", FIELD_NONE, 0, 0, false },
	{ "limits", "fan_rpm_limit", FIELD_NONE, 0, 0, false },
	{ "limits", "board_power_limit", FIELD_BOARD_POWER_LIMIT, 0, 3, false },
	{ "firmwares", "fw_bundle_version", FIELD_FW_BUNDLE, 0, 0, false },
	{ "firmwares", "tt_flash_version", FIELD_TT_FLASH, 0, 0, false },
	{ "firmwares", "cm_fw", FIELD_CM_FW, 0, 0, false },
	{ "firmwares", "arc_fw", FIELD_CM_FW, 0, 0, true },
	{ "firmwares", "cm_fw_date", FIELD_FW_DATE, 0, 0, false },
	{ "firmwares", "arc_fw_date", FIELD_FW_DATE, 0, 0, true },
	{ "firmwares", "eth_fw", FIELD_ETH_FW, 0, 0, false },
	{ "firmwares", "dm_bl_fw", FIELD_DM_BL_FW, 0, 0, false },
	{ "firmwares", "bm_bl_fw", FIELD_DM_BL_FW, 0, 0, true },
	{ "firmwares", "m3_bl_fw", FIELD_DM_BL_FW, 0, 0, true },
	{ "firmwares", "dm_app_fw", FIELD_DM_APP_FW, 0, 0, false },
	{ "firmwares", "bm_app_fw", FIELD_DM_APP_FW, 0, 0, true },
	{ "firmwares", "m3_app_fw", FIELD_DM_APP_FW, 0, 0, true },
	{ "firmwares", "gddr_fw", FIELD_GDDR_FW, 0, 0, false },
};

const struct chip_printed *chip_printed_next(const char *section, const struct chip_printed *row)
{
	for (row = row ? row + 1 : printed; row < printed + ARRAY_LEN(printed); row++)
		if (!section || (!row->is_old && strcmp(row->section, section) == 0))
			return row;
	return NULL;
}

enum field_id chip_printed_as(const struct chip *c, enum field_id id)
{
	if (c && c->date_is_version && id == FIELD_FW_DATE)
		return FIELD_NONE;
	if (!c || !c->swaps_limits)
		return id;
	return id == FIELD_SHUTDOWN_TEMP ? FIELD_THROTTLE_TEMP :
	       id == FIELD_THROTTLE_TEMP ? FIELD_SHUTDOWN_TEMP : id;
}

const struct decode *chip_rows(const struct chip *c, enum chip_table t)
{
	static const struct decode none = { .field = FIELD_NONE };

	return c->rows[t] ? c->rows[t] : &none;
}

static bool is_row_of(const struct chip *c, enum field_id id)
{
	for (enum chip_table t = 0; t < CHIP_TABLES; t++)
		for (const struct decode *row = chip_rows(c, t); row->field != FIELD_NONE; row++)
			if (row->field == id || (row->kind == DECODE_FAN_PAIR &&
							row->field + 1 == id))
				return true;
	return false;
}

bool chip_may_have(const struct chip *c, enum field_id id)
{
	bool anywhere = false;

	for (const enum field_id *f = c->never; f && *f != FIELD_NONE; f++)
		if (*f == id)
			return false;
	if (is_row_of(c, id))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(chips); i++)
		anywhere |= chips[i] && is_row_of(chips[i], id);
	return !anywhere;
}

const struct tag_name *tag_find(uint16_t tag)
{
	/* The table has the tags 1 to its length, in order; a test keeps it so. */
	return tag > 0 && tag <= ARRAY_LEN(tag_names) ? &tag_names[tag - 1] : NULL;
}

static const char *bare(const char *name)
{
	return strncmp(name, "SMBUS_TX_", 9) == 0 ? name + 9 : name;
}

static const char *today(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(aliases); i++)
		if (strcmp(aliases[i].old, name) == 0)
			return aliases[i].name;
	return name;
}

static int tag_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(tag_names); i++) {
		const struct tag_name *t = &tag_names[i];

		if (strcmp(t->name, name) == 0 || (t->smi_name && strcmp(t->smi_name, name) == 0))
			return t->tag;
	}
	return -1;
}

int tag_find_name(const char *name)
{
	return tag_of(today(bare(name)));
}

static int legacy_of(const struct chip *c, const char *name)
{
	for (size_t i = 0; i < c->n_legacy; i++)
		if (strcmp(c->legacy_names[i], name) == 0)
			return (int)i;
	return -1;
}

int chip_legacy_find(const struct chip *c, const char *name)
{
	int i = legacy_of(c, bare(name));

	return i >= 0 ? i : legacy_of(c, today(bare(name)));
}

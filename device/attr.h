/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attr.h - the text attributes that the driver and the kernel publish for a card,
 * one row each (chip-facts 1.3 to 1.7).  Each transport looks a row up its own way:
 * the driver's by file, a simulated board in its registers, a recording by name.
 */
#pragma once

enum attr_dir {
	ATTR_CLASS,		/* /sys/class/tenstorrent/tenstorrent!N/ */
	ATTR_PERF,		/* its pcie_perf_counters/ */
	ATTR_HWMON,		/* <PCI device>/hwmon/hwmonK/ */
	ATTR_PCI		/* /sys/bus/pci/devices/<BDF>/ */
};

enum attr {
	ATTR_NONE,
	ATTR_TT_AICLK, ATTR_TT_AXICLK, ATTR_TT_ARCCLK, ATTR_TT_SERIAL, ATTR_TT_CARD_TYPE,
	ATTR_TT_ASIC_ID, ATTR_TT_FW_BUNDLE_VER, ATTR_TT_M3APP_FW_VER, ATTR_TT_M3BL_FW_VER,
	ATTR_TT_ARC_FW_VER, ATTR_TT_ETH_FW_VER, ATTR_TT_TTFLASH_VER, ATTR_TT_HEARTBEAT,
	ATTR_TT_THERM_TRIP_COUNT,
	ATTR_HWMON_TEMP, ATTR_HWMON_TEMP_MAX, ATTR_HWMON_VCORE, ATTR_HWMON_VCORE_MAX,
	ATTR_HWMON_CURRENT, ATTR_HWMON_CURRENT_MAX, ATTR_HWMON_POWER, ATTR_HWMON_POWER_MAX,
	ATTR_HWMON_FAN,
	ATTR_LINK_SPEED, ATTR_LINK_SPEED_MAX, ATTR_LINK_WIDTH, ATTR_LINK_WIDTH_MAX,
	ATTR_SLOT_SPEED_MAX, ATTR_SLOT_WIDTH_MAX,	/* of the port above the card */
	ATTR_CONFIG_ID,		/* first 4 bytes of PCI config space, as 8 hex digits: "b1401e52" */
	ATTR_PERF_MST_RD_0, ATTR_PERF_MST_RD_1,
	ATTR_PERF_MST_NP_WR_0, ATTR_PERF_MST_NP_WR_1,
	ATTR_PERF_MST_P_WR_0, ATTR_PERF_MST_P_WR_1,
	ATTR_PERF_SLV_NP_WR_0, ATTR_PERF_SLV_NP_WR_1,
	ATTR_PERF_SLV_P_WR_0, ATTR_PERF_SLV_P_WR_1,
	ATTR_PERF_SLV_RD_0, ATTR_PERF_SLV_RD_1,
	ATTR_COUNT
};

#define ATTR_TEXT 64		/* longest value with its NUL; a longer one is -EFBIG */

struct attr_info {
	const char *name;	/* of the file, and in a recording */
	enum attr_dir dir;
};

extern const struct attr_info attrs[ATTR_COUNT];

/* The attribute with this file name, or ATTR_NONE. */
enum attr attr_find(const char *name);

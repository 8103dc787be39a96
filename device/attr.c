/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "device/attr.h"

#include <string.h>

const struct attr_info attrs[ATTR_COUNT] = {
	[ATTR_NONE] = { "", ATTR_CLASS },
	[ATTR_TT_AICLK] = { "tt_aiclk", ATTR_CLASS },
	[ATTR_TT_AXICLK] = { "tt_axiclk", ATTR_CLASS },
	[ATTR_TT_ARCCLK] = { "tt_arcclk", ATTR_CLASS },
	[ATTR_TT_SERIAL] = { "tt_serial", ATTR_CLASS },
	[ATTR_TT_CARD_TYPE] = { "tt_card_type", ATTR_CLASS },
	[ATTR_TT_ASIC_ID] = { "tt_asic_id", ATTR_CLASS },
	[ATTR_TT_FW_BUNDLE_VER] = { "tt_fw_bundle_ver", ATTR_CLASS },
	[ATTR_TT_M3APP_FW_VER] = { "tt_m3app_fw_ver", ATTR_CLASS },
	[ATTR_TT_M3BL_FW_VER] = { "tt_m3bl_fw_ver", ATTR_CLASS },
	[ATTR_TT_ARC_FW_VER] = { "tt_arc_fw_ver", ATTR_CLASS },
	[ATTR_TT_ETH_FW_VER] = { "tt_eth_fw_ver", ATTR_CLASS },
	[ATTR_TT_TTFLASH_VER] = { "tt_ttflash_ver", ATTR_CLASS },
	[ATTR_TT_HEARTBEAT] = { "tt_heartbeat", ATTR_CLASS },
	[ATTR_TT_THERM_TRIP_COUNT] = { "tt_therm_trip_count", ATTR_CLASS },
	[ATTR_HWMON_TEMP] = { "temp1_input", ATTR_HWMON },
	[ATTR_HWMON_TEMP_MAX] = { "temp1_max", ATTR_HWMON },
	[ATTR_HWMON_VCORE] = { "in0_input", ATTR_HWMON },
	[ATTR_HWMON_VCORE_MAX] = { "in0_max", ATTR_HWMON },
	[ATTR_HWMON_CURRENT] = { "curr1_input", ATTR_HWMON },
	[ATTR_HWMON_CURRENT_MAX] = { "curr1_max", ATTR_HWMON },
	[ATTR_HWMON_POWER] = { "power1_input", ATTR_HWMON },
	[ATTR_HWMON_POWER_MAX] = { "power1_max", ATTR_HWMON },
	[ATTR_HWMON_FAN] = { "fan1_input", ATTR_HWMON },
	[ATTR_LINK_SPEED] = { "current_link_speed", ATTR_PCI },
	[ATTR_LINK_SPEED_MAX] = { "max_link_speed", ATTR_PCI },
	[ATTR_LINK_WIDTH] = { "current_link_width", ATTR_PCI },
	[ATTR_LINK_WIDTH_MAX] = { "max_link_width", ATTR_PCI },
	/* In sysfs a card's folder is inside its port's. */
	[ATTR_SLOT_SPEED_MAX] = { "../max_link_speed", ATTR_PCI },
	[ATTR_SLOT_WIDTH_MAX] = { "../max_link_width", ATTR_PCI },
	[ATTR_CONFIG_ID] = { "config", ATTR_PCI },
	[ATTR_PERF_MST_RD_0] = { "mst_rd_data_word_received0", ATTR_PERF },
	[ATTR_PERF_MST_RD_1] = { "mst_rd_data_word_received1", ATTR_PERF },
	[ATTR_PERF_MST_NP_WR_0] = { "mst_nonposted_wr_data_word_sent0", ATTR_PERF },
	[ATTR_PERF_MST_NP_WR_1] = { "mst_nonposted_wr_data_word_sent1", ATTR_PERF },
	[ATTR_PERF_MST_P_WR_0] = { "mst_posted_wr_data_word_sent0", ATTR_PERF },
	[ATTR_PERF_MST_P_WR_1] = { "mst_posted_wr_data_word_sent1", ATTR_PERF },
	[ATTR_PERF_SLV_NP_WR_0] = { "slv_nonposted_wr_data_word_received0", ATTR_PERF },
	[ATTR_PERF_SLV_NP_WR_1] = { "slv_nonposted_wr_data_word_received1", ATTR_PERF },
	[ATTR_PERF_SLV_P_WR_0] = { "slv_posted_wr_data_word_received0", ATTR_PERF },
	[ATTR_PERF_SLV_P_WR_1] = { "slv_posted_wr_data_word_received1", ATTR_PERF },
	[ATTR_PERF_SLV_RD_0] = { "slv_rd_data_word_sent0", ATTR_PERF },
	[ATTR_PERF_SLV_RD_1] = { "slv_rd_data_word_sent1", ATTR_PERF },
};

enum attr attr_find(const char *name)
{
	for (enum attr a = ATTR_NONE + 1; a < ATTR_COUNT; a++)
		if (strcmp(attrs[a].name, name) == 0)
			return a;
	return ATTR_NONE;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tab 1: the chips and their state, and whether memory and link are as they should be.
 */
#include "config.h"
#include "ui/tab.h"

#include "base/array.h"
#include "ui/table.h"

/* First the kind and state of a chip, then its place and its names. */
static const struct column columns[] = {
	{ .kind = COLUMN_INDEX, .width = 3, .rank = 0, .title = "#" },
	{ .kind = COLUMN_BOARD, .rank = 0, .left = true, .title = "Board" },
	{ .kind = COLUMN_STATE, .rank = 0, .left = true, .title = "State" },
	{ .kind = COLUMN_TRAY, .width = 4, .rank = 3, .left = true, .title = "Tray" },
	{ .kind = COLUMN_PLACE, .width = 4, .left = true, .joined = true, .title = "Pos" },
	{ .kind = COLUMN_FIELD, .width = 4, .rank = 1, .whole = true, .field = FIELD_ASIC_TEMP },
	{ .kind = COLUMN_FIELD, .width = 4, .rank = 2, .whole = true, .field = FIELD_POWER },
	{ .kind = COLUMN_FIELD, .rank = 3, .field = FIELD_AICLK },
	{ .kind = COLUMN_BDF, .width = 12, .rank = 4, .left = true, .title = "Bus ID" },
	{ .kind = COLUMN_NODE, .width = 4, .rank = 8, .title = "Node" },
	{ .kind = COLUMN_DRAM, .width = 7, .rank = 6, .left = true, .title = "DRAM" },
	{ .kind = COLUMN_FIELD, .width = 5, .rank = 10, .title = "Speed",
		.field = FIELD_DRAM_SPEED },
	{ .kind = COLUMN_LINK, .width = 8, .rank = 5, .left = true, .title = "PCIe now" },
	{ .kind = COLUMN_LINK_STATE, .width = 10, .left = true, .joined = true, .title = "Link" },
	{ .kind = COLUMN_LINK_MAX, .width = 8, .rank = 9, .left = true, .title = "PCIe max" },
	{ .kind = COLUMN_CHIP, .width = 10, .rank = 12, .left = true, .title = "Chip" },
	{ .kind = COLUMN_FIELD, .width = 16, .rank = 7, .left = true, .title = "Board ID",
		.field = FIELD_BOARD_ID },
	{ .kind = COLUMN_COORDS, .width = 9, .rank = 11, .left = true, .title = "Coords" },
	{ .kind = COLUMN_NUMA, .width = 4, .rank = 14, .title = "NUMA" },
	{ .kind = COLUMN_FIELD, .rank = 13, .title = "Location", .width = 8,
		.field = FIELD_ASIC_LOCATION },
	{ .kind = COLUMN_FIELD, .rank = 15, .title = "ASIC ID", .width = 16, .left = true,
		.field = FIELD_ASIC_ID },
};

static void tab_devices_draw(struct canvas *c, struct rect r, const struct model *m, struct view *v,
	struct foot *foot)
{
	table_draw(c, r, m, v, &tab_devices, false, foot);
	tab_remark_firmware(foot, m, v);
}

const struct tab_ops tab_devices = {
	.name = "Devices",
	.brief = "Dev",
	.columns = columns,
	.n_columns = ARRAY_LEN(columns),
	.overview = true,
	.calm = true,
	.draw = tab_devices_draw,
};

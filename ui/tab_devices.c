/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tab 1: which chips there are, and whether board, memory and link are as they should be.
 */
#include "config.h"
#include "ui/tab.h"

#include "base/array.h"
#include "ui/table.h"

static const struct column columns[] = {
	{ .kind = COLUMN_INDEX, .width = 3, .rank = 0, .title = "#" },
	{ .kind = COLUMN_BOARD, .rank = 0, .left = true, .title = "Board" },
	{ .kind = COLUMN_STATE, .width = 8, .rank = 0, .left = true, .title = "State" },
	{ .kind = COLUMN_BDF, .width = 12, .rank = 1, .left = true, .title = "Bus ID" },
	{ .kind = COLUMN_NODE, .width = 4, .rank = 6, .title = "Node" },
	{ .kind = COLUMN_CHIP, .width = 10, .rank = 10, .left = true, .title = "Chip" },
	{ .kind = COLUMN_FIELD, .width = 16, .rank = 5, .left = true, .title = "Board ID",
		.field = FIELD_BOARD_ID },
	{ .kind = COLUMN_COORDS, .width = 9, .rank = 9, .left = true, .title = "Coords" },
	{ .kind = COLUMN_DRAM, .width = 7, .rank = 2, .left = true, .title = "DRAM" },
	{ .kind = COLUMN_FIELD, .width = 5, .rank = 8, .title = "Speed",
		.field = FIELD_DRAM_SPEED },
	{ .kind = COLUMN_LINK, .width = 8, .rank = 3, .left = true, .title = "PCIe now" },
	{ .kind = COLUMN_LINK_MAX, .width = 8, .left = true, .joined = true, .title = "max" },
	{ .kind = COLUMN_LINK_STATE, .width = 10, .left = true, .joined = true, .title = "Link" },
	{ .kind = COLUMN_NUMA, .width = 4, .rank = 12, .title = "NUMA" },
	{ .kind = COLUMN_FIELD, .rank = 11, .title = "Location", .width = 8,
		.field = FIELD_ASIC_LOCATION },
	{ .kind = COLUMN_FIELD, .rank = 13, .title = "ASIC ID", .width = 16, .left = true,
		.field = FIELD_ASIC_ID },
};

static void draw(struct canvas *c, struct rect r, const struct model *m, struct view *v,
	struct foot *foot)
{
	table_draw(c, r, m, v, &tab_devices, false, false, foot);
	tab_remark_firmware(foot, m, v);
}

const struct tab_ops tab_devices = {
	.name = "Devices",
	.brief = "Dev",
	.columns = columns,
	.n_columns = ARRAY_LEN(columns),
	.overview = true,
	.draw = draw,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tab 2: values that change, beside the limits that they must not exceed.
 */
#include "config.h"
#include "ui/tab.h"

#include "base/array.h"
#include "ui/table.h"

static const struct column columns[] = {
	{ .kind = COLUMN_INDEX, .width = 3, .rank = 0, .title = "#" },
	{ .kind = COLUMN_BOARD, .rank = 0, .left = true, .title = "Board" },
	{ .kind = COLUMN_MARK, .width = 1, .rank = 0, .left = true, .title = "♥" },
	{ .kind = COLUMN_FIELD, .rank = 4, .field = FIELD_VCORE },
	{ .kind = COLUMN_FIELD, .rank = 5, .field = FIELD_CURRENT },
	{ .kind = COLUMN_FIELD, .rank = 2, .field = FIELD_POWER },
	{ .kind = COLUMN_FIELD, .rank = 7, .field = FIELD_BOARD_POWER, .title = "Brd pwr" },
	{ .kind = COLUMN_FIELD, .rank = 3, .field = FIELD_AICLK },
	{ .kind = COLUMN_FIELD, .rank = 13, .field = FIELD_ARCCLK },
	{ .kind = COLUMN_FIELD, .rank = 14, .field = FIELD_AXICLK },
	{ .kind = COLUMN_FIELD, .rank = 1, .field = FIELD_ASIC_TEMP },
	{ .kind = COLUMN_FIELD, .rank = 8, .field = FIELD_VREG_TEMP },
	{ .kind = COLUMN_FIELD, .rank = 10, .field = FIELD_INLET_TEMP },
	{ .kind = COLUMN_FIELD, .rank = 11, .field = FIELD_OUTLET_TEMP1, .title = "Out1" },
	{ .kind = COLUMN_FIELD, .rank = 12, .field = FIELD_OUTLET_TEMP2, .title = "Out2" },
	{ .kind = COLUMN_FIELD, .rank = 9, .field = FIELD_GDDR_MAX_TEMP },
	{ .kind = COLUMN_FIELD, .rank = 15, .field = FIELD_BOARD_TEMP },
	{ .kind = COLUMN_FIELD, .rank = 6, .field = FIELD_FAN_RPM },
	{ .kind = COLUMN_FIELD, .rank = 6, .width = 12, .left = true, .field = FIELD_THROTTLE,
		.title = "Throttle" },
	{ .kind = COLUMN_FIELD, .rank = 16, .field = FIELD_PCIE_RX },
	{ .kind = COLUMN_FIELD, .rank = 16, .field = FIELD_PCIE_TX },
	{ .kind = COLUMN_FIELD, .rank = 17, .field = FIELD_HEARTBEAT },
	{ .kind = COLUMN_FIELD, .rank = 18, .field = FIELD_THERM_TRIPS },
	{ .kind = COLUMN_FIELD, .rank = 19, .field = FIELD_FAN_RPM2 },
	{ .kind = COLUMN_FIELD, .rank = 20, .field = FIELD_FAN_TARGET },
	{ .kind = COLUMN_FIELD, .rank = 21, .field = FIELD_L2CPUCLK0, .together = "L2CPU" },
	{ .kind = COLUMN_FIELD, .rank = 21, .field = FIELD_L2CPUCLK1, .like = true },
	{ .kind = COLUMN_FIELD, .rank = 21, .field = FIELD_L2CPUCLK2, .like = true },
	{ .kind = COLUMN_FIELD, .rank = 21, .field = FIELD_L2CPUCLK3, .like = true },
};

static void tab_telemetry_draw(struct canvas *c, struct rect r, const struct model *m,
	struct view *v, struct foot *foot)
{
	table_draw(c, r, m, v, &tab_telemetry, v->limits, foot);
}

const struct tab_ops tab_telemetry = {
	.name = "Telemetry",
	.brief = "Tele",
	.columns = columns,
	.n_columns = ARRAY_LEN(columns),
	.overview = true,
	.limits = true,
	.averages = true,
	.draw = tab_telemetry_draw,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tab 3: what runs on the chips.  A version that most boards of the same type
 * do not have is marked.
 */
#include "config.h"
#include "ui/tab.h"

#include "base/array.h"
#include "ui/table.h"

#include <stdio.h>

static const struct column columns[] = {
	{ .kind = COLUMN_INDEX, .width = 3, .rank = 0, .title = "#" },
	{ .kind = COLUMN_BOARD, .rank = 0, .left = true, .title = "Board" },
	{ .kind = COLUMN_MARK, .width = 1, .rank = 0, .left = true, .title = "♥" },
	{ .field = FIELD_FW_BUNDLE, .width = 11, .rank = 1, .odd = true, .left = true,
		.title = "Bundle" },
	{ .field = FIELD_CM_FW, .width = 11, .rank = 2, .odd = true, .left = true,
		.title = "CM" },
	{ .field = FIELD_ETH_FW, .width = 9, .rank = 3, .odd = true, .left = true,
		.title = "Ethernet" },
	{ .field = FIELD_DM_APP_FW, .width = 9, .rank = 4, .odd = true, .left = true,
		.title = "DM app" },
	{ .field = FIELD_DM_BL_FW, .width = 9, .rank = 6, .odd = true, .left = true,
		.title = "DM boot" },
	{ .field = FIELD_GDDR_FW, .width = 7, .rank = 5, .odd = true, .left = true,
		.title = "GDDR" },
	{ .field = FIELD_L2CPU_FW, .width = 9, .rank = 8, .odd = true, .left = true,
		.title = "L2CPU" },
	{ .field = FIELD_TT_FLASH, .width = 9, .rank = 7, .odd = true, .left = true,
		.title = "tt-flash" },
	{ .field = FIELD_FW_DATE, .width = 16, .rank = 9, .odd = true, .left = true,
		.title = "Built" },
	{ .field = FIELD_SPIBOOTROM_FW, .width = 11, .rank = 10, .odd = true, .left = true,
		.title = "Bootrom" },
	{ .field = FIELD_ARC1_FW, .width = 10, .rank = 11, .odd = true, .left = true,
		.title = "ARC1" },
	{ .field = FIELD_ARC2_FW, .width = 10, .rank = 11, .odd = true, .left = true,
		.title = "ARC2" },
	{ .field = FIELD_ARC3_FW, .width = 10, .rank = 11, .odd = true, .left = true,
		.title = "ARC3" },
};

/* Odd versions may be out of sight or in a column that does not fit: count them all. */
static size_t count_odd(const struct model *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->fleet->n; i++)
		for (size_t k = 0; k < ARRAY_LEN(columns); k++)
			if (columns[k].odd && column_is_odd(&columns[k], m, i)) {
				n++;
				break;
			}
	return n;
}

static void put_first(char *text, size_t size, const char *remark)
{
	char rest[300];

	snprintf(rest, sizeof(rest), "%s", text);
	snprintf(text, size, "%s%s%.200s", remark, rest[0] ? ", " : "", rest);
}

void tab_remark_firmware(struct foot *foot, const struct model *m, const struct view *v)
{
	size_t odd = count_odd(m);
	const char *s = odd == 1 ? "s" : "";
	char remark[64];

	if (odd == 0 || v->filter[0])
		return;
	if (v->tab == UI_TAB_FIRMWARE)
		snprintf(remark, sizeof(remark), "≠ %zu differ%s from boards like it", odd, s);
	else
		snprintf(remark, sizeof(remark), "≠ firmware: %zu differ%s (3)", odd, s);
	put_first(foot->left, sizeof(foot->left), remark);
	put_first(foot->brief, sizeof(foot->brief), remark);
}

static void tab_firmware_draw(struct canvas *c, struct rect r, const struct model *m,
	struct view *v, struct foot *foot)
{
	table_draw(c, r, m, v, &tab_firmware, false, foot);
	tab_remark_firmware(foot, m, v);
}

const struct tab_ops tab_firmware = {
	.name = "Firmware",
	.brief = "FW",
	.columns = columns,
	.n_columns = ARRAY_LEN(columns),
	.draw = tab_firmware_draw,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "ui/tab.h"

#include "base/mem.h"
#include "telemetry/change.h"
#include "telemetry/identity.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Tab 3: what runs on the chips.  A version that most boards of the same type lack is marked. */

static const struct column firmware_columns[] = {
	{ .kind = COLUMN_INDEX, .width = 3, .rank = 0, .title = "#" },
	{ .kind = COLUMN_BOARD, .rank = 0, .left = true, .title = "Board" },
	{ .kind = COLUMN_MARK, .width = 1, .rank = 0, .left = true, .title = "♥" },
	{ .field = FIELD_FW_BUNDLE, .width = 11, .rank = 1, .odd = true, .title = "Bundle" },
	{ .field = FIELD_CM_FW, .width = 11, .rank = 2, .odd = true, .title = "CM" },
	{ .field = FIELD_ETH_FW, .width = 9, .rank = 3, .odd = true, .title = "Ethernet" },
	{ .field = FIELD_DM_APP_FW, .width = 9, .rank = 4, .odd = true, .title = "DM app" },
	{ .field = FIELD_DM_BL_FW, .width = 9, .rank = 6, .odd = true, .title = "DM boot" },
	{ .field = FIELD_GDDR_FW, .width = 7, .rank = 5, .odd = true, .title = "GDDR" },
	{ .field = FIELD_L2CPU_FW, .width = 9, .rank = 8, .odd = true, .title = "L2CPU" },
	{ .field = FIELD_TT_FLASH, .width = 9, .rank = 7, .odd = true, .title = "tt-flash" },
	{ .field = FIELD_FW_DATE, .width = 16, .rank = 9, .odd = true, .title = "Built" },
	{ .field = FIELD_SPIBOOTROM_FW, .width = 11, .rank = 10, .odd = true, .title = "Bootrom" },
	{ .field = FIELD_ARC1_FW, .width = 10, .rank = 11, .odd = true, .title = "ARC1" },
	{ .field = FIELD_ARC2_FW, .width = 10, .rank = 11, .odd = true, .title = "ARC2" },
	{ .field = FIELD_ARC3_FW, .width = 10, .rank = 11, .odd = true, .title = "ARC3" },
};

/* Odd versions may be out of sight or in a column that does not fit: count them all. */
static size_t count_odd(const struct model *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->fleet->n; i++)
		for (size_t k = 0; k < ARRAY_LEN(firmware_columns); k++)
			if (firmware_columns[k].odd && column_is_odd(&firmware_columns[k], m, i)) {
				n++;
				break;
			}
	return n;
}

/* How many chips have firmware unlike boards of their type. */
static void remark_firmware(struct foot *foot, const struct model *m, const struct view *v)
{
	size_t odd = count_odd(m);
	const char *s = odd == 1 ? "s" : "";

	if (odd == 0 || v->filter[0])
		return;
	snprintf(foot->left, sizeof(foot->left), v->tab == UI_TAB_FIRMWARE ?
		"≠ %zu differ%s from boards like it" : "≠ firmware: %zu differ%s (3)", odd, s);
	mem_copy_text(foot->brief, sizeof(foot->brief), foot->left);
}

static const struct tab_ops tab_firmware = {
	.name = "Firmware",
	.brief = "FW",
	.columns = firmware_columns,
	.n_columns = ARRAY_LEN(firmware_columns),
	.remark = remark_firmware,
};

/* Tab 1: the chips and their state, and whether memory and link are as they should be. */

/* First the kind and state of a chip, then its place and its names. */
static const struct column devices_columns[] = {
	{ .kind = COLUMN_INDEX, .width = 3, .rank = 0, .title = "#" },
	{ .kind = COLUMN_BOARD, .rank = 0, .left = true, .title = "Board" },
	{ .kind = COLUMN_STATE, .rank = 0, .left = true, .title = "State" },
	{ .kind = COLUMN_NAME + IDENTITY_TRAY, .width = 4, .rank = 3, .left = true,
		.title = "Tray" },
	{ .kind = COLUMN_NAME + IDENTITY_POSITION, .width = 4, .left = true, .joined = true,
		.title = "Pos" },
	{ .width = 4, .rank = 1, .whole = true, .field = FIELD_ASIC_TEMP },
	{ .width = 4, .rank = 2, .whole = true, .field = FIELD_POWER },
	{ .rank = 3, .field = FIELD_AICLK },
	{ .kind = COLUMN_NAME + IDENTITY_BDF, .width = 12, .rank = 4, .left = true,
		.title = "Bus ID" },
	{ .kind = COLUMN_NODE, .width = 4, .rank = 8, .title = "Node" },
	{ .kind = COLUMN_DRAM, .width = 7, .rank = 6, .left = true, .title = "DRAM" },
	{ .width = 5, .rank = 10, .title = "Speed", .field = FIELD_DRAM_SPEED },
	{ .kind = COLUMN_LINK, .width = 8, .rank = 5, .left = true, .title = "PCIe now" },
	{ .kind = COLUMN_LINK_STATE, .width = 10, .left = true, .joined = true, .title = "Link" },
	{ .kind = COLUMN_LINK_MAX, .width = 8, .rank = 9, .left = true, .title = "PCIe max" },
	{ .kind = COLUMN_NAME + IDENTITY_CHIP, .width = 10, .rank = 12, .left = true,
		.title = "Chip" },
	{ .width = 16, .rank = 7, .left = true, .title = "Board ID", .field = FIELD_BOARD_ID },
	{ .kind = COLUMN_NAME + IDENTITY_COORDS, .width = 9, .rank = 11, .left = true,
		.title = "Coords" },
	{ .kind = COLUMN_NAME + IDENTITY_NUMA, .width = 4, .rank = 14, .title = "NUMA" },
	{ .rank = 13, .title = "Location", .width = 8, .field = FIELD_ASIC_LOCATION },
	{ .rank = 15, .title = "ASIC ID", .width = 16, .left = true, .field = FIELD_ASIC_ID },
};

static const struct tab_ops tab_devices = {
	.name = "Devices",
	.brief = "Dev",
	.columns = devices_columns,
	.n_columns = ARRAY_LEN(devices_columns),
	.overview = true,
	.calm = true,
	.remark = remark_firmware,
};

/* Tab 2: values that change, beside the limits that they must not exceed. */

static const struct column telemetry_columns[] = {
	{ .kind = COLUMN_INDEX, .width = 3, .rank = 0, .title = "#" },
	{ .kind = COLUMN_BOARD, .rank = 0, .left = true, .title = "Board" },
	{ .kind = COLUMN_MARK, .width = 1, .rank = 0, .left = true, .title = "♥" },
	{ .rank = 4, .field = FIELD_VCORE },
	{ .rank = 5, .field = FIELD_CURRENT },
	{ .rank = 2, .field = FIELD_POWER },
	{ .rank = 7, .field = FIELD_BOARD_POWER, .title = "Brd pwr" },
	{ .rank = 3, .field = FIELD_AICLK },
	{ .rank = 13, .field = FIELD_ARCCLK },
	{ .rank = 14, .field = FIELD_AXICLK },
	{ .rank = 1, .field = FIELD_ASIC_TEMP },
	{ .rank = 8, .field = FIELD_VREG_TEMP },
	{ .rank = 10, .field = FIELD_INLET_TEMP },
	{ .rank = 11, .field = FIELD_OUTLET_TEMP1, .title = "Out1" },
	{ .rank = 12, .field = FIELD_OUTLET_TEMP2, .title = "Out2" },
	{ .rank = 9, .field = FIELD_GDDR_MAX_TEMP },
	{ .rank = 15, .field = FIELD_BOARD_TEMP },
	{ .rank = 6, .field = FIELD_FAN_RPM },
	{ .rank = 6, .width = 12, .left = true, .field = FIELD_THROTTLE, .title = "Throttle" },
	{ .rank = 3, .field = FIELD_BUSY },
	{ .rank = 3, .field = FIELD_BUSY_CORES },
	{ .rank = 16, .field = FIELD_PCIE_RX },
	{ .rank = 16, .field = FIELD_PCIE_TX },
	{ .rank = 17, .field = FIELD_HEARTBEAT },
	{ .rank = 18, .field = FIELD_THERM_TRIPS },
	{ .rank = 19, .field = FIELD_FAN_RPM2 },
	{ .rank = 20, .field = FIELD_FAN_TARGET },
	{ .rank = 21, .field = FIELD_L2CPUCLK0, .together = "L2CPU" },
	{ .rank = 21, .field = FIELD_L2CPUCLK1, .like = true },
	{ .rank = 21, .field = FIELD_L2CPUCLK2, .like = true },
	{ .rank = 21, .field = FIELD_L2CPUCLK3, .like = true },
};

static const struct tab_ops tab_telemetry = {
	.name = "Telemetry",
	.brief = "Tele",
	.columns = telemetry_columns,
	.n_columns = ARRAY_LEN(telemetry_columns),
	.overview = true,
	.limits = true,
	.averages = true,
};

/*
 * Tab 7: ethernet.  A line for each chip counts its ports by state.  Below are the ports of the
 * selected chip and of as many after it as fit.  Ports in one state that lead to the same place
 * share a line, so that no chip has more than a few.
 */

static const struct column links_columns[] = {
	{ .kind = COLUMN_INDEX, .width = 3, .rank = 0, .title = "#" },
	{ .kind = COLUMN_BOARD, .rank = 0, .left = true, .title = "Board" },
	{ .kind = COLUMN_MARK, .width = 1, .rank = 0, .left = true, .title = "♥" },
	{ .kind = COLUMN_PORTS, .state = PORT_DOWN, .width = 4, .rank = 1, .title = "Down" },
	{ .kind = COLUMN_PORTS, .state = PORT_UP, .width = 8, .rank = 1, .title = "Up" },
	{ .kind = COLUMN_PORTS, .state = PORT_NO_LINK, .width = 7, .rank = 2, .title = "No link" },
	{ .kind = COLUMN_PORTS, .state = PORT_ALIVE, .width = 5, .rank = 3, .title = "Alive" },
	{ .kind = COLUMN_PORTS, .state = PORT_UNUSED, .width = 6, .rank = 5, .title = "Unused" },
	{ .rank = 4, .width = 9, .field = FIELD_ETH_FW, .title = "Eth fw" },
};

enum { STATE = 4, PORTS = 13, LEADS = 39, BLOCK = 57 };	/* where they begin, and the width */

static const enum style state_styles[PORT_STATES] = {
	[PORT_UNKNOWN] = STYLE_DIM, [PORT_UNUSED] = STYLE_DIM, [PORT_ALIVE] = STYLE_NORMAL,
	[PORT_UP] = STYLE_GOOD, [PORT_NO_LINK] = STYLE_NORMAL, [PORT_DOWN] = STYLE_BAD,
};

static size_t runs_of(const struct fleet *f, size_t chip, struct port_run runs[static PORT_MOST])
{
	struct port ports[PORT_MOST];

	return port_runs(ports, port_list(f->chips, f->n, chip, ports), runs);
}

static int height_of(const struct fleet *f, size_t chip)
{
	struct port_run runs[PORT_MOST];

	return 1 + (int)runs_of(f, chip, runs);
}

/* Old values are dim, whatever they are. */
static void draw_run(struct canvas *c, int x, int y, const struct fleet *f, bool old,
	const struct port_run *run)
{
	const enum style style = old || run->state == PORT_UNUSED ? STYLE_DIM : STYLE_NORMAL;
	char text[PORT_TEXT];

	canvas_text(c, x + STATE, y, old ? STYLE_DIM : state_styles[run->state],
		port_state_word(run->state));
	canvas_words(c, x + PORTS, y, LEADS - PORTS - 1, style,
		port_mask_text(run->ports, text, sizeof(text)));
	if (run->medium == PORT_BOARD && run->partner >= 0)
		canvas_printf(c, x + LEADS, y, style, "%d, port %s",
			f->chips[run->partner].index,
			port_mask_text(run->partner_ports, text, sizeof(text)));
	else if (run->medium == PORT_BOARD || run->medium == PORT_TRAY)
		canvas_text(c, x + LEADS, y, style, run->medium == PORT_TRAY ? "another tray" :
			"on the board");
	else if (run->medium == PORT_CABLE && run->state != PORT_UNUSED)
		canvas_text(c, x + LEADS, y, style, "cable");
}

static void draw_chip(struct canvas *c, struct rect r, const struct fleet *f, size_t chip)
{
	const struct snapshot *s = &f->chips[chip];
	struct port_run runs[PORT_MOST];
	const size_t n = runs_of(f, chip, runs);

	canvas_words(c, canvas_printf(c, r.x, r.y, STYLE_HEADING, "%3d ", s->index), r.y,
		PORTS - STATE - 1, STYLE_HEADING, s->series);
	if (n == 0) {
		canvas_words(c, r.x + PORTS, r.y, r.w - PORTS, STYLE_DIM, port_any(s) ?
			"nothing is known of its ports" : "it has no ports");
		return;
	}
	canvas_text(c, r.x + PORTS, r.y, STYLE_HEADING, "Ports");
	canvas_text(c, r.x + LEADS, r.y, STYLE_HEADING, "Lead to");
	for (size_t i = 0; i < n && (int)i + 1 < r.h; i++)
		draw_run(c, r.x, r.y + 1 + (int)i, f, snapshot_trouble(s) != NULL, &runs[i]);
}

static const struct blocks links = { .w = BLOCK, .height = height_of, .draw = draw_chip };

static const struct tab_ops tab_links = {
	.name = "Links",
	.brief = "Link",
	.columns = links_columns,
	.n_columns = ARRAY_LEN(links_columns),
	.blocks = &links,
};

/* All tabs, and how one is found. */

const struct tab_ops *const tabs[UI_TABS] = {
	[UI_TAB_DEVICES] = &tab_devices,
	[UI_TAB_TELEMETRY] = &tab_telemetry,
	[UI_TAB_FIRMWARE] = &tab_firmware,
	[UI_TAB_PROCESSES] = &tab_processes,
	[UI_TAB_HISTORY] = &tab_history,
	[UI_TAB_MEMORY] = &tab_memory,
	[UI_TAB_LINKS] = &tab_links,
};

/* Choosing the columns of a tab by their titles on the screen. */

int tab_find(const char *name, enum ui_tab *out, struct error *e)
{
	for (int i = 0; i < UI_TABS; i++)
		if (strcasecmp(tabs[i]->name, name) == 0 && tabs[i]->n_columns > 0) {
			*out = (enum ui_tab)i;
			return 0;
		}
	*out = UI_TABS;
	return fail_as(e, CODE_UNKNOWN_FIELD, -EINVAL, "no tab with columns is named %.40s", name);
}

/* The end of the columns that are shown or left out together with the i-th. */
static size_t group_end(const struct tab_ops *tab, size_t i)
{
	for (i++; i < tab->n_columns; i++)
		if (!tab->columns[i].joined && !tab->columns[i].like)
			break;
	return i;
}

/* Clear the bits of the columns that a word names; false: it names none. */
static bool choose_word(const struct tab_ops *tab, const char *word, uint64_t *left_out)
{
	bool known = false;
	size_t end;

	for (size_t i = 0; i < tab->n_columns; i = end) {
		const struct column *col = &tab->columns[i];

		end = group_end(tab, i);
		if (strcasecmp(column_title(col), word) != 0 && (col->kind != COLUMN_FIELD ||
			strcasecmp(fields[col->field].key, word) != 0))
			continue;
		known = true;
		for (size_t k = i; k < end; k++)
			*left_out &= ~(UINT64_C(1) << k);
	}
	return known;
}

int tab_choose(enum ui_tab id, const char *list, uint64_t *left_out, struct error *e)
{
	const struct tab_ops *tab = tabs[id];
	uint64_t rest = 0;
	char word[40];

	for (size_t i = 0; i < tab->n_columns; i++)
		if (tab->columns[i].rank > 0 || tab->columns[i].joined)
			rest |= UINT64_C(1) << i;
	for (const char *p = list; *p;) {
		size_t len = strcspn(p, ","), next = len + (p[len] == ',');

		while (len > 0 && p[len - 1] == ' ')
			len--;
		snprintf(word, sizeof(word), "%.*s", (int)len, p);
		if (!choose_word(tab, word, &rest))
			return fail_as(e, CODE_UNKNOWN_FIELD, -EINVAL, "%s: no column of the tab "
				"is named '%s'", tab->name, word);
		p += next + strspn(p + next, " ");
	}
	*left_out = rest;
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tab 7: ethernet.  A line for each chip counts its ports by state.  Below are the ports of the
 * selected chip and of as many after it as fit.  Ports in one state that lead to the same place
 * share a line, so that no chip has more than a few.
 */
#include "config.h"
#include "ui/tab.h"

#include "base/array.h"
#include "telemetry/port.h"
#include "ui/blocks.h"

#include <stdio.h>

static const struct column columns[] = {
	{ .kind = COLUMN_INDEX, .width = 3, .rank = 0, .title = "#" },
	{ .kind = COLUMN_BOARD, .rank = 0, .left = true, .title = "Board" },
	{ .kind = COLUMN_MARK, .width = 1, .rank = 0, .left = true, .title = "♥" },
	{ .kind = COLUMN_PORTS_DOWN, .width = 4, .rank = 1, .title = "Down" },
	{ .kind = COLUMN_PORTS_UP, .width = 8, .rank = 1, .title = "Up" },
	{ .kind = COLUMN_PORTS_NO_LINK, .width = 7, .rank = 2, .title = "No link" },
	{ .kind = COLUMN_PORTS_ALIVE, .width = 5, .rank = 3, .title = "Alive" },
	{ .kind = COLUMN_PORTS_UNUSED, .width = 6, .rank = 5, .title = "Unused" },
	{ .kind = COLUMN_FIELD, .rank = 4, .width = 9, .field = FIELD_ETH_FW, .title = "Eth fw" },
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
	else if (run->medium == PORT_BOARD)
		canvas_text(c, x + LEADS, y, style, "on the board");
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

static void tab_links_draw(struct canvas *c, struct rect r, const struct model *m, struct view *v,
	struct foot *foot)
{
	blocks_draw(c, r, m, v, &tab_links,
		&(struct blocks){ .w = BLOCK, .height = height_of, .draw = draw_chip }, foot);
}

const struct tab_ops tab_links = {
	.name = "Links",
	.brief = "Link",
	.columns = columns,
	.n_columns = ARRAY_LEN(columns),
	.draw = tab_links_draw,
};

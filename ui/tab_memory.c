/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tab 6: the memory.  A line for each chip, and below them the modules one by
 * one: of the selected chip and as many after it as there is room for.
 */
#include "config.h"
#include "ui/tab.h"

#include "base/array.h"
#include "ui/column.h"
#include "ui/memory.h"
#include "ui/table.h"

#include <stdio.h>

static const struct column columns[] = {
	{ .kind = COLUMN_INDEX, .width = 3, .rank = 0, .title = "#" },
	{ .kind = COLUMN_BOARD, .rank = 0, .left = true, .title = "Board" },
	{ .kind = COLUMN_MARK, .width = 1, .rank = 0, .left = true, .title = "♥" },
	{ .kind = COLUMN_TRAINED, .width = 8, .rank = 1, .title = "Trained" },
	{ .kind = COLUMN_TESTED, .width = 8, .rank = 3, .title = "BIST" },
	{ .kind = COLUMN_FIELD, .rank = 5, .width = 5, .field = FIELD_DRAM_SPEED,
		.title = "Speed" },
	{ .kind = COLUMN_FIELD, .rank = 2, .width = 5, .field = FIELD_GDDR_MAX_TEMP,
		.title = "Hottest" },
	{ .kind = COLUMN_CORRECTED, .width = 5, .rank = 4, .title = "Corrected" },
	{ .kind = COLUMN_UNCORRECTED, .width = 5, .rank = 2, .title = "Uncorrected" },
	{ .kind = COLUMN_FIELD, .rank = 6, .width = 7, .field = FIELD_GDDR_FW, .title = "GDDR fw" },
};

enum { BLOCK_W = 73, BLOCK_HEAD = 1, BLOCK_GAP = 1 };

static enum style state_style(enum memory_state state)
{
	return state == MEMORY_FAILED ? STYLE_BAD : STYLE_DIM;
}

static void put_reading(struct canvas *c, int x, int y, int w, const struct snapshot *s,
	enum field_id id)
{
	const struct column col = { .kind = COLUMN_FIELD, .field = id };
	enum style style = STYLE_DIM;
	char text[48] = "-";

	if (id != FIELD_NONE)
		style = column_text(&col, s, text, sizeof(text));
	if (id >= FIELD_GDDR_CORR_ERRS && id <= FIELD_GDDR_CORR_ERRS_END && s->r[id].value > 0 &&
		style == STYLE_NORMAL)
		style = STYLE_WARN;
	canvas_number(c, x, y, w, style, text);
}

static void put_uncorrected(struct canvas *c, int x, int y, int w, const struct memory_module *m)
{
	bool read = m->read == MEMORY_FAILED, write = m->write == MEMORY_FAILED;

	canvas_number(c, x, y, w, read || write ? STYLE_BAD : STYLE_DIM,
		read && write ? "both" : read ? "read" : write ? "write" :
		m->read == MEMORY_UNKNOWN ? "-" : "none");
}

/* Where the parts of a module's line end; texts begin at MODULE and the next two. */
enum { MODULE = 4, TRAINING = 16, TEST = 25, BOTTOM = 40, TOP = 47, READ = 55, WRITE = 63,
	UNCORRECTED = 70 };

static void draw_module(struct canvas *c, int x, int y, const struct snapshot *s, size_t i,
	const struct memory_module *m)
{
	bool lost = snapshot_is_lost(s);
	char text[16];

	snprintf(text, sizeof(text), "%zu", i);
	canvas_number(c, x, y, MODULE, STYLE_NORMAL, text);
	canvas_text(c, x + TRAINING, y, lost ? STYLE_DIM : state_style(m->training),
		memory_state_name(m->training));
	canvas_text(c, x + TEST, y, lost ? STYLE_DIM : state_style(m->test),
		memory_state_name(m->test));
	put_reading(c, x + BOTTOM - 5, y, 5, s, m->bottom);
	put_reading(c, x + TOP - 5, y, 5, s, m->top);
	put_reading(c, x + READ - 5, y, 5, s, m->corrected_read);
	put_reading(c, x + WRITE - 5, y, 5, s, m->corrected_write);
	put_uncorrected(c, x + UNCORRECTED - 5, y, 5, m);
}

static void draw_block(struct canvas *c, struct rect r, const struct snapshot *s)
{
	struct memory_module m[MEMORY_MODULES];
	size_t n = memory_modules(s, m);

	canvas_printf(c, r.x, r.y, STYLE_HEADING, "%3d %.11s", s->index, s->series);
	if (n == 0) {
		canvas_text(c, r.x + TRAINING, r.y + 1, STYLE_DIM,
			"nothing is known of its modules");
		return;
	}
	canvas_text(c, r.x + TRAINING, r.y, STYLE_HEADING, "Trained");
	canvas_text(c, r.x + TEST, r.y, STYLE_HEADING,
		"BIST     Bot °C Top °C Corr rd Corr wr Uncorr");
	for (size_t i = 0; i < n && (int)i + BLOCK_HEAD < r.h; i++)
		draw_module(c, r.x, r.y + BLOCK_HEAD + (int)i, s, i, &m[i]);
}

/* Lines that the modules of any chip need. */
static int block_height(const struct fleet *f)
{
	struct memory_module m[MEMORY_MODULES];
	size_t most = 1;

	for (size_t i = 0; i < f->n; i++) {
		size_t n = memory_modules(&f->chips[i], m);

		most = n > most ? n : most;
	}
	return BLOCK_HEAD + (int)most;
}

static void draw(struct canvas *c, struct rect r, const struct model *m, struct view *v,
	struct foot *foot)
{
	const struct fleet *f = m->fleet;
	int h = block_height(f), across = (r.w - 2) / BLOCK_W, down, chip = v->selected;
	struct rect table = r;

	/* The table has at least a line for a chip; a small screen is its own. */
	if (f->n == 0 || across < 1 || r.h < h + BLOCK_GAP + 4) {
		table_draw(c, r, m, v, &tab_memory, false, false, foot);
		return;
	}
	table.h = table_height(m, v, r.w);
	if (table.h > r.h - h - BLOCK_GAP)
		table.h = r.h - h - BLOCK_GAP;
	table_draw(c, table, m, v, &tab_memory, false, false, foot);
	r.y += table.h + BLOCK_GAP;
	r.h -= table.h + BLOCK_GAP;
	down = (r.h + BLOCK_GAP) / (h + BLOCK_GAP);
	for (int i = 0; i < across * down && chip < (int)f->n; chip++) {
		struct rect block = { r.x + 1 + i % across * BLOCK_W,
			r.y + i / across * (h + BLOCK_GAP), BLOCK_W - 1, h };

		if (f->wanted && !f->wanted[chip])
			continue;
		draw_block(c, block, &f->chips[chip]);
		i++;
	}
}

const struct tab_ops tab_memory = {
	.name = "Memory",
	.brief = "Mem",
	.columns = columns,
	.n_columns = ARRAY_LEN(columns),
	.draw = draw,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tab 6: the memory.  A line for each chip, and below them the modules of the
 * selected chip and of as many after it as fit: one line for each module if more
 * is known of them than their training, else one line for all.
 */
#include "config.h"
#include "ui/tab.h"

#include "base/mem.h"
#include "telemetry/change.h"

#include <stdio.h>

static const struct column columns[] = {
	{ .kind = COLUMN_INDEX, .width = 3, .rank = 0, .title = "#" },
	{ .kind = COLUMN_BOARD, .rank = 0, .left = true, .title = "Board" },
	{ .kind = COLUMN_MARK, .width = 1, .rank = 0, .left = true, .title = "♥" },
	{ .kind = COLUMN_TRAINED, .width = 8, .rank = 1, .title = "Trained" },
	{ .kind = COLUMN_TESTED, .width = 8, .rank = 3, .title = "BIST" },
	{ .rank = 5, .width = 5, .field = FIELD_DRAM_SPEED, .title = "Speed" },
	{ .rank = 2, .width = 5, .field = FIELD_GDDR_MAX_TEMP, .title = "Hottest" },
	{ .kind = COLUMN_CORRECTED, .width = 5, .rank = 4, .title = "Corrected" },
	{ .kind = COLUMN_UNCORRECTED, .width = 5, .rank = 2, .title = "Uncorrected" },
	{ .rank = 6, .width = 7, .field = FIELD_GDDR_FW, .title = "GDDR fw" },
};

/* The parts of a module's line; a part that no module of a chip has is left out. */
enum part { PART_TRAINED, PART_TEST, PART_BOTTOM, PART_TOP, PART_READ, PART_WRITE, PART_UNCORRECTED,
	PARTS };

static const struct {
	const char *title;
	int w;
	bool left;
} parts[PARTS] = {
	[PART_TRAINED] = { "Trained", 8, true },
	[PART_TEST] = { "BIST", 8, true },
	[PART_BOTTOM] = { "Bot °C", 6, false },
	[PART_TOP] = { "Top °C", 6, false },
	[PART_READ] = { "Corr rd", 7, false },
	[PART_WRITE] = { "Corr wr", 7, false },
	[PART_UNCORRECTED] = { "Uncorr", 6, false },
};

enum { MODULE = 4, FIRST_PART = 16 };	/* where they begin; the module's number ends at MODULE */

static const enum style state_styles[] = {
	[MEMORY_UNKNOWN] = STYLE_DIM, [MEMORY_UNUSED] = STYLE_DIM, [MEMORY_PASSED] = STYLE_GOOD,
	[MEMORY_FAILED] = STYLE_BAD,
};

static enum field_id reading_of(const struct memory_module *m, enum part part)
{
	return part == PART_BOTTOM ? m->bottom : part == PART_TOP ? m->top : part == PART_READ ?
		m->corrected_read : part == PART_WRITE ? m->corrected_write : FIELD_NONE;
}

/* Write a part of a module's line; false: nothing is known of it. */
static bool part_text(const struct snapshot *s, const struct memory_module *m, enum part part,
	enum style *style, char *text, size_t size)
{
	const enum memory_state state = part == PART_TEST ? m->test : m->training;
	const bool read = m->read == MEMORY_FAILED, write = m->write == MEMORY_FAILED;
	const struct column col = { .field = reading_of(m, part) };

	switch (part) {
	case PART_TRAINED:
	case PART_TEST:
		*style = snapshot_is_lost(s) ? STYLE_DIM : state_styles[state];
		mem_copy_text(text, size, memory_state_names[state]);
		return part == PART_TEST ? state == MEMORY_PASSED || state == MEMORY_FAILED :
			state != MEMORY_UNKNOWN;
	case PART_UNCORRECTED:
		*style = read || write ? STYLE_BAD : STYLE_DIM;
		mem_copy_text(text, size, read && write ? "both" : read ? "read" :
			write ? "write" : m->read == MEMORY_UNKNOWN ? "-" : "none");
		return m->read != MEMORY_UNKNOWN || m->write != MEMORY_UNKNOWN;
	default:
		*style = STYLE_DIM;
		mem_copy_text(text, size, "-");
		if (col.field == FIELD_NONE)
			return false;
		*style = column_text(&col, s, text, size);
		if ((part == PART_READ || part == PART_WRITE) && *style == STYLE_NORMAL &&
			s->r[col.field].value > 0)
			*style = STYLE_WARN;
		return s->r[col.field].state != READING_ABSENT;
	}
}

/* The memory of one chip, and which parts of it are known. */
struct block {
	const struct snapshot *s;
	struct memory_module m[MEMORY_MODULES];
	size_t n;
	bool has[PARTS];
	bool figures;		/* more than training: a line for each module */
};

static void fill_block(struct block *b, const struct snapshot *s)
{
	enum style style;
	char text[48];

	*b = (struct block){ .s = s };
	b->n = memory_modules(s, b->m);
	for (size_t i = 0; i < b->n; i++)
		for (int part = 0; part < PARTS; part++)
			b->has[part] = b->has[part] || part_text(s, &b->m[i], (enum part)part,
				&style, text, sizeof(text));
	for (int part = PART_TEST; part < PARTS; part++)
		b->figures |= b->has[part];
}

static int height_of(const struct fleet *f, size_t chip)
{
	struct block b;

	fill_block(&b, &f->chips[chip]);
	return b.figures ? 1 + (int)b.n : 1;
}

static void draw_module(struct canvas *c, int x, int y, const struct block *b, size_t i)
{
	int at = x + FIRST_PART;
	enum style style;
	char text[48];

	snprintf(text, sizeof(text), "%zu", i);
	canvas_number(c, x, y, MODULE, STYLE_NORMAL, text);
	for (int part = 0; part < PARTS; part++) {
		if (!b->has[part])
			continue;
		part_text(b->s, &b->m[i], (enum part)part, &style, text, sizeof(text));
		if (parts[part].left)
			canvas_text(c, at, y, style, text);
		else
			canvas_number(c, at, y, parts[part].w, style, text);
		at += parts[part].w + 1;
	}
}

/* If only training is known: "modules 0-3, 5 ok, 4 FAILED". */
static void draw_training(struct canvas *c, int x, int y, const struct block *b)
{
	static const enum memory_state order[] = { MEMORY_FAILED, MEMORY_PASSED, MEMORY_UNUSED };
	const char *before = "";
	char text[PORT_TEXT];

	x = canvas_text(c, x, y, STYLE_DIM, "modules ");
	for (size_t k = 0; k < ARRAY_LEN(order); k++) {
		uint32_t modules = 0;

		for (size_t i = 0; i < b->n; i++)
			modules |= (uint32_t)(b->m[i].training == order[k]) << i;
		if (!modules)
			continue;
		x = canvas_printf(c, x, y, STYLE_NORMAL, "%s%s", before,
			port_mask_text(modules, text, sizeof(text)));
		x = canvas_text(c, x + 1, y, snapshot_is_lost(b->s) ? STYLE_DIM :
			state_styles[order[k]], memory_state_names[order[k]]);
		before = ", ";
	}
}

static void draw_chip(struct canvas *c, struct rect r, const struct fleet *f, size_t chip)
{
	int x = r.x + FIRST_PART;
	struct block b;

	fill_block(&b, &f->chips[chip]);
	canvas_words(c, canvas_printf(c, r.x, r.y, STYLE_HEADING, "%3d ", b.s->index), r.y,
		FIRST_PART - MODULE - 1, STYLE_HEADING, b.s->series);
	if (!b.figures && b.has[PART_TRAINED]) {
		draw_training(c, x, r.y, &b);
		return;
	}
	if (!b.figures) {
		canvas_words(c, x, r.y, r.x + r.w - x, STYLE_DIM,
			"nothing is known of its modules");
		return;
	}
	for (int part = 0; part < PARTS; part++) {
		if (!b.has[part])
			continue;
		if (parts[part].left)
			canvas_text(c, x, r.y, STYLE_HEADING, parts[part].title);
		else
			canvas_number(c, x, r.y, parts[part].w, STYLE_HEADING, parts[part].title);
		x += parts[part].w + 1;
	}
	for (size_t i = 0; i < b.n && (int)i + 1 < r.h; i++)
		draw_module(c, r.x, r.y + 1 + (int)i, &b, i);
}

static const struct blocks blocks = { .w = 73, .height = height_of, .draw = draw_chip };

const struct tab_ops tab_memory = {
	.name = "Memory",
	.brief = "Mem",
	.columns = columns,
	.n_columns = ARRAY_LEN(columns),
	.blocks = &blocks,
};

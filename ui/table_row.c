/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "ui/table.h"

#include "base/clock.h"
#include "base/mem.h"
#include "ui/column.h"
#include "ui/notice.h"

#include <stdio.h>
#include <string.h>

/*
 * Strips for chips in folded lines: power against each chip's own limit, so that they can be
 * compared: an idle board is low and one that works is high, whatever its type.
 */

#define SPAN	(5 * 60 * CLOCK_SECOND)
#define METRIC	1			/* power, of the history */
#define LEVELS	8			/* of a cell: U+2581 to U+2588 */

enum { SHORTEST = 5, LONGEST = 30, GAP = 2, EDGES = 3 };	/* cells */

struct grid {
	int digits;		/* of the largest index */
	int length;		/* of a strip */
	int across, lines;
};

/* The chips that have no line of their own. */
static size_t folded(const struct model *m, const struct rows *rows, int16_t out[DEVICE_MAX])
{
	bool is_in[DEVICE_MAX] = { false };
	size_t n = 0;

	for (size_t k = 0; k < rows->n; k++)
		for (int i = 0; i < rows->row[k].count && rows->row[k].kind == ROW_FOLD; i++)
			is_in[rows->chips[rows->row[k].at + i]] = true;
	for (size_t i = 0; i < m->fleet->n; i++)
		if (is_in[i])
			out[n++] = (int16_t)i;
	return n;
}

static struct grid grid_of(size_t n, int last, int length, int w)
{
	struct grid g = { .digits = last > 99 ? 3 : 2, .length = length };

	g.across = (w + GAP) / (g.digits + 1 + length + GAP);
	g.across = g.across > 0 ? g.across : 1;
	g.lines = ((int)n + g.across - 1) / g.across;
	return g;
}

int strips_height(const struct model *m, const struct rows *rows, int w)
{
	int16_t chips[DEVICE_MAX];
	size_t n = m->history && !m->ended ? folded(m, rows, chips) : 0;

	return n > 0 ? 1 + grid_of(n, chips[n - 1], SHORTEST, w - EDGES).lines : 0;
}

/* A strip moves when a slice is full, not with every reading. */
static void draw_strip(struct canvas *c, int x, int y, int length, const struct model *m, int chip)
{
	const struct reading *limit = model_reading(m, (size_t)chip, fields[FIELD_POWER].limit);
	struct history_bin bins[LONGEST];
	int64_t slot = SPAN / length, to = m->now - m->now % slot + slot, most = 0;

	if (!history_series(m->history, (size_t)chip, METRIC, to - SPAN, to,
		2 * slot + 3 * m->interval, bins, (size_t)length))
		return;
	for (int i = 0; i < length; i++)
		most = bins[i].n > 0 && bins[i].max > most ? bins[i].max : most;
	if (reading_has_value(limit) && limit->value > 0)
		most = limit->value;
	for (int i = 0; i < length && most > 0; i++) {
		int64_t level = bins[i].avg * LEVELS / most;
		enum style style = column_level_style(field_level(FIELD_USE_SHOWN, FIELD_POWER,
			bins[i].avg, most));

		level = level < 0 ? 0 : level >= LEVELS ? LEVELS - 1 : level;
		if (bins[i].n > 0)
			canvas_put(c, x + i, y, style == STYLE_NORMAL ? STYLE_PLOT : style,
				0x2581 + (uint32_t)level);
	}
}

void strips_draw(struct canvas *c, struct rect r, const struct model *m, const struct view *v,
	const struct rows *rows)
{
	int16_t chips[DEVICE_MAX];
	size_t n = folded(m, rows, chips), shown = n;
	int x = r.x + 2, length = LONGEST;
	struct grid g = { 0 };

	if (n == 0 || r.h < 2)
		return;
	/* The blank line above the strips is the first to be dropped. */
	if (r.h > 1 + grid_of(n, chips[n - 1], SHORTEST, r.w - EDGES).lines) {
		r.y++;
		r.h--;
	}
	do
		g = grid_of(n, chips[n - 1], length, r.w - EDGES);
	while (g.lines > r.h - 1 && --length >= SHORTEST);
	if (g.lines > r.h - 1)
		shown = (size_t)(g.across * (r.h - 1) - 1);
	canvas_words(c, x, r.y, r.w - 3, STYLE_DIM, "Power in the last 5 min, of its limit");
	for (size_t i = 0; i < shown; i++) {
		int at = x + (int)i % g.across * (g.digits + 1 + g.length + GAP);
		int y = r.y + 1 + (int)i / g.across;

		c->hit = (uint16_t)(UI_HIT_CHIP + chips[i]);
		canvas_printf(c, at, y, chips[i] == v->selected ? STYLE_KEY : STYLE_DIM, "%*d",
			g.digits, chips[i]);
		draw_strip(c, at + g.digits + 1, y, g.length, m, chips[i]);
		c->hit = 0;
	}
	if (shown < n)
		canvas_printf(c, x + (g.across - 1) * (g.digits + 1 + g.length + GAP),
			r.y + r.h - 1, STYLE_DIM, "+ %zu", n - shown);
}

/* The lines of a table. */

#define NOTICE_INDENT 4

const struct layout_column *table_next(const struct table *t, size_t *i)
{
	while (*i < t->l->n) {
		const struct layout_column *lc = &t->l->col[(*i)++];

		if (lc->band == LAYOUT_EVERY || lc->band == t->band)
			return lc;
	}
	return NULL;
}

int table_notice_width(const struct table *t)
{
	return t->w > 40 ? t->w - NOTICE_INDENT - 2 : 0;
}

static void put_at(const struct table *t, int x, int y, const struct layout_column *lc,
	enum style style, const char *text)
{
	int w = lc->w - (lc->col->odd ? 2 : 0);

	if (lc->col->left || lc->col->odd)
		canvas_words(t->c, x + lc->x, y, w, style, text);
	else
		canvas_number(t->c, x + lc->x, y, w, style, text);
}

void table_put(const struct table *t, int y, const struct layout_column *lc, enum style style,
	const char *text)
{
	put_at(t, t->x, y, lc, style, text);
}

static void draw_limit(const struct table *t, int y, const struct layout_column *lc,
	const struct snapshot *s, enum style value)
{
	enum field_id id = column_limit(lc->col);
	char text[48];

	field_text(id, &s->r[id], text, sizeof(text));
	canvas_number(t->c, t->x + lc->limit_x, y, lc->limit_w,
		s->r[id].state == READING_OK ? column_limit_style(value) : STYLE_DIM, text);
}

static void put_odd(const struct table *t, int y, const struct layout_column *lc)
{
	canvas_put(t->c, t->x + lc->x + lc->w - 1, y, STYLE_WARN, 0x2260);
}

enum style table_text(const struct model *m, const struct column *col, int chip, char *buf,
	size_t size)
{
	const struct ui_act *act = model_act(m, (size_t)chip);

	if (!act || (col->kind != COLUMN_STATE && col->kind != COLUMN_MARK))
		return column_text(col, &m->fleet->chips[chip], buf, size);
	mem_copy_text(buf, size, col->kind == COLUMN_STATE ? act->what :
		mark_looks[MARK_WARN].text);
	return STYLE_WARN;
}

char *table_fold_name(const struct model *m, const struct row *fold, char *buf, size_t size)
{
	const struct snapshot *first = &m->fleet->chips[fold->chip];

	/* The chips of a galaxy differ by tray. */
	if (first->tray > 0)
		snprintf(buf, size, "%d × UBB%d", fold->count, first->tray);
	else
		snprintf(buf, size, "%d × %s", fold->count, first->board);
	return buf;
}

static void draw_chip(const struct table *t, int y, const struct row *row,
	const struct layout_column *lc)
{
	const struct snapshot *s = &t->m->fleet->chips[row->chip];
	char text[80];
	enum style style = table_text(t->m, lc->col, row->chip, text, sizeof(text));

	if (snapshot_is_lost(s) && lc->col->kind != COLUMN_BOARD &&
		lc->col->kind != COLUMN_STATE && lc->col->kind != COLUMN_MARK)
		style = STYLE_DIM;
	table_put(t, y, lc, style, text);
	if (lc->limit_w)
		draw_limit(t, y, lc, s, style);
	if (lc->col->odd && column_is_odd(lc->col, t->m, (size_t)row->chip))
		put_odd(t, y, lc);
}

static void draw_stat(const struct table *t, int y, const struct row *row,
	const struct layout_column *lc)
{
	static const char *const labels[] = {
		[ROW_MIN] = "min", [ROW_AVG] = "avg", [ROW_MAX] = "max"
	};
	const enum field_id id = lc->col->field;
	const struct range *stat;
	char text[48];

	if (lc->col->kind == COLUMN_BOARD)
		put_at(t, t->x + 2, y, lc, STYLE_DIM, labels[row->kind]);
	if (lc->col->kind != COLUMN_FIELD || !field_is_number(id) || !t->m->history)
		return;
	stat = history_stats(t->m->history, (size_t)row->chip, id);
	if (stat && stat->n > 0)
		table_put(t, y, lc, STYLE_DIM, column_value_text(id,
			row->kind == ROW_MIN ? stat->least : row->kind == ROW_MAX ? stat->most :
			stat->sum / stat->n, text, sizeof(text)));
}

static const char differ[] = "·";	/* instead of texts that differ */

/* The cell of many chips in one line: the lowest or highest number, or the text they share. */
static enum style fold_text(const struct table *t, const struct row *row, const struct column *col,
	char *text, size_t size)
{
	const bool number = col->kind == COLUMN_FIELD && field_is_number(col->field);
	const struct snapshot *chips = t->m->fleet->chips, *end = &chips[row->chip];
	char other[80];

	for (int i = 0; i < row->count; i++) {
		const struct snapshot *s = &chips[t->rows->chips[row->at + i]];

		if (number) {
			int order = column_compare(col, s, end);

			if (reading_has_value(&s->r[col->field]) &&
				(row->kind == ROW_MOST ? order > 0 : order < 0))
				end = s;
			continue;
		}
		column_text(col, end, text, size);
		column_text(col, s, other, sizeof(other));
		if (strcmp(text, other) != 0) {
			mem_copy_text(text, size, differ);
			return STYLE_DIM;
		}
	}
	return column_text(col, end, text, size);
}

/* Whether the most differs from the least; there is always a least. */
static bool has_most(const struct table *t, const struct row *row, const struct column *col)
{
	struct row least = *row;
	char low[80], high[80];

	if (col->kind != COLUMN_FIELD || !field_is_number(col->field))
		return false;
	least.kind = ROW_FOLD;
	fold_text(t, &least, col, low, sizeof(low));
	fold_text(t, row, col, high, sizeof(high));
	return strcmp(low, high) != 0;
}

bool table_row_says(const struct table *t, const struct row *row)
{
	const struct layout_column *lc;

	for (size_t i = 0; row->kind == ROW_MOST && (lc = table_next(t, &i));)
		if (has_most(t, row, lc->col))
			return true;
	return row->kind != ROW_MOST;
}

static void draw_fold(const struct table *t, int y, const struct row *row,
	const struct layout_column *lc)
{
	enum style style;
	char text[80];

	if (lc->col->kind == COLUMN_BOARD && row->kind == ROW_FOLD) {
		/* It begins at the place of the index. */
		table_fold_name(t->m, row, text, sizeof(text));
		canvas_words(t->c, t->x, y, lc->x + lc->w, STYLE_NORMAL, text);
		return;
	}
	if (lc->col->kind == COLUMN_BOARD)
		canvas_number(t->c, t->x + lc->x, y, lc->w, STYLE_DIM, "to");
	if (lc->col->kind == COLUMN_INDEX ||
		(row->kind == ROW_MOST && !has_most(t, row, lc->col)))
		return;
	style = fold_text(t, row, lc->col, text, sizeof(text));
	table_put(t, y, lc, style, text);
	if (lc->col->odd && strcmp(text, differ) == 0)
		put_odd(t, y, lc);
	if (lc->limit_w && row->kind == ROW_FOLD)
		draw_limit(t, y, lc, &t->m->fleet->chips[row->chip], style);
}

/* The line between chips with trouble and the rest says how many the rest are. */
static void draw_rule(const struct table *t, int y, const struct row *row)
{
	bool well = true;
	char text[40];
	int x;

	for (int i = 0; i < row->count; i++)
		well = well && t->m->fleet->chips[t->rows->chips[row->at + i]].health ==
			SNAPSHOT_OK;
	snprintf(text, sizeof(text), " %d %s ", row->count, well ? "well" : "others");
	x = t->x + t->w - 2 - glyph_text_width(text);
	canvas_fill(t->c, (struct rect){ t->x, y, t->w, 1 }, STYLE_FRAME, 0x2500);
	if (x > t->x)
		canvas_text(t->c, x, y, STYLE_DIM, text);
}

static void draw_notice(const struct table *t, int y, const struct row *row)
{
	enum style style = STYLE_NORMAL;
	int wrap = table_notice_width(t), indent = wrap > 0 ? NOTICE_INDENT : 0;
	char text[NOTICE_SIZE];
	struct rect old;

	if (!notice_text(t->m, &t->m->fleet->chips[row->chip], t->wrapped, text, &style))
		return;
	if (!t->wrapped) {
		notice_draw_line(t->c, t->x + indent, y, t->w - indent, style, text);
		return;
	}
	/* Wrap the whole text, but clip to the requested line. */
	old = canvas_clip(t->c, (struct rect){ t->x, y, t->w, 1 });
	canvas_wrap(t->c, t->x + indent + (row->count > 0 ? 2 : 0), y - row->count, wrap,
		ROWS_NOTICE, style, text);
	t->c->clip = old;
}

void table_draw_row(const struct table *t, int y, const struct row *row)
{
	bool lit = t->selected >= 0 && row->chip == t->rows->row[t->selected].chip &&
		row->kind != ROW_NOTICE && row->kind != ROW_RULE;
	void (*const draw_cell)(const struct table *, int, const struct row *,
		const struct layout_column *) = row->kind == ROW_CHIP ? draw_chip :
		row->kind == ROW_FOLD || row->kind == ROW_MOST ? draw_fold : draw_stat;
	struct rect line = { t->x - 1, y, t->w + 1, 1 };
	const struct layout_column *lc;

	t->c->hit = (uint16_t)(UI_HIT_CHIP + row->chip);
	t->c->lit = lit;
	canvas_blank(t->c, line);
	if (lit && (row->kind == ROW_CHIP || row->kind == ROW_FOLD))
		canvas_put(t->c, line.x, y, STYLE_KEY, 0x25b8);
	if (row->kind == ROW_RULE)
		draw_rule(t, y, row);
	else if (row->kind == ROW_NOTICE)
		draw_notice(t, y, row);
	else
		for (size_t i = 0; (lc = table_next(t, &i));)
			draw_cell(t, y, row, lc);
	t->c->hit = 0;
	t->c->lit = false;
}

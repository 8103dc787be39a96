/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "ui/table.h"

#include "base/mem.h"
#include "ui/column.h"

#include <stdio.h>
#include <string.h>

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

int table_notice_width(int w)
{
	return w > 40 ? w - NOTICE_INDENT - 2 : 0;
}

void table_put(const struct table *t, int y, const struct layout_column *lc, enum style style,
	const char *text)
{
	const int w = lc->w - (lc->col->odd ? 2 : 0);

	if (lc->col->left || lc->col->odd)
		canvas_words(t->c, t->x + lc->x, y, w, style, text);
	else
		canvas_number(t->c, t->x + lc->x, y, w, style, text);
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
		canvas_words(t->c, t->x + lc->x + 2, y, lc->w, STYLE_DIM, labels[row->kind]);
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
	int wrap = table_notice_width(t->w), indent = wrap > 0 ? NOTICE_INDENT : 0;
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "ui/table.h"

#include "base/mem.h"
#include "ui/notice.h"
#include "ui/overview.h"
#include "ui/table_row.h"

#include <stdio.h>
#include <string.h>

int table_scroll(int top, int page, int lines, int from, int to)
{
	if (to >= top + page)
		top = to - page + 1;
	if (from >= 0 && from < top)
		top = from;
	if (top > lines - page)
		top = lines - page;
	return top < 0 ? 0 : top;
}

static void draw_heading(const struct table *t, int y, bool units)
{
	const struct view *v = t->v;

	for (size_t i = 0; i < t->l->n; i++) {
		const struct layout_column *lc = table_column(t, i);

		if (!lc)
			continue;
		t->c->hit = (uint16_t)(UI_HIT_COLUMN + lc->number);
		table_put(t, y, lc, STYLE_HEADING, column_title(lc->col));
		if (v->sort[v->tab] == lc->number && v->group == UI_GROUP_NONE)
			canvas_put(t->c, t->x + lc->x - 1, y, STYLE_KEY,
				v->descending[v->tab] ? 0x25bc : 0x25b2);
		if (units) {
			table_put(t, y + 1, lc, STYLE_DIM, column_unit(lc->col));
			if (lc->limit_w)
				canvas_number(t->c, t->x + lc->limit_x, y + 1, lc->limit_w,
					STYLE_DIM, "max");
		}
		t->c->hit = 0;
	}
}

/* Chips with trouble above and below the page. */
static void count_unseen(const struct table *t, size_t *above, size_t *below)
{
	const struct fleet *f = t->m->fleet;
	int top = t->v->top[t->v->tab], end = top + t->v->page;

	*above = *below = 0;
	for (size_t i = 0; i < f->n; i++) {
		int at = rows_has_trouble(&f->chips[i]) ? rows_find(t->rows, (int)i) : -1;

		*above += at >= 0 && at < top;
		*below += at >= end;
	}
}

/* What matters most comes first: the end is what a narrow screen leaves out. */
static void fill_foot_right(const struct table *t, struct foot *foot)
{
	const struct rows *r = t->rows;
	const struct view *v = t->v;
	size_t above, below, chips = r->shown + r->hidden;
	struct strbuf text = { 0 };

	count_unseen(t, &above, &below);
	if (above > 0)
		strbuf_printf(&text, "%zu to check above, ", above);
	if (below > 0)
		strbuf_printf(&text, "%zu to check below, ", below);
	if (v->lines > v->page && v->page > 0)
		strbuf_printf(&text, "lines %d-%d of %d", v->top[v->tab] + 1,
			v->top[v->tab] + v->page, v->lines);
	else
		strbuf_printf(&text, "%zu board%s, %zu chip%s", r->boards,
			r->boards == 1 ? "" : "s", chips, chips == 1 ? "" : "s");
	mem_copy_text(foot->right, sizeof(foot->right), text.text);
	strbuf_clear(&text);
}

static void fill_foot(const struct table *t, struct foot *foot, bool averages)
{
	const struct rows *r = t->rows;
	const struct view *v = t->v;
	size_t len = 0;
	int64_t since = t->m->history ? t->m->now - history_stats_since(t->m->history) : 0;
	char age[24];

	if (v->filter[0] || v->typing)
		len += (size_t)snprintf(foot->left, sizeof(foot->left), "filter \"%s\": %zu of %zu",
			v->filter, r->shown, r->shown + r->hidden);
	if (v->group != UI_GROUP_NONE && len < 100)
		len += (size_t)snprintf(foot->left + len, sizeof(foot->left) - len,
			"%sfolded by %s, highest values (g)", len ? ", " : "",
			v->group == UI_GROUP_BOARD ? "board" : "type");
	if (averages && t->m->history && len < 100)
		len += (size_t)snprintf(foot->left + len, sizeof(foot->left) - len,
			"%slast %s (V: anew)", len ? ", " : "",
			notice_age(since, age, sizeof(age)));
	if (t->m->fleet->selection && t->m->fleet->selection[0] && len < 100)
		len += (size_t)snprintf(foot->left + len, sizeof(foot->left) - len, "%s%.60s",
			len ? ", " : "", t->m->fleet->selection);
	snprintf(foot->brief, sizeof(foot->brief), "%s", foot->left);
	if (t->l->n_hidden > 0 && r->n > 0 && len < 120) {
		snprintf(foot->left + len, sizeof(foot->left) - len, "%sno room for %s",
			len ? ", " : "", t->l->hidden);
		snprintf(foot->brief + len, sizeof(foot->brief) - len,
			"%s%zu more column%s (Enter)", len ? ", " : "",
			t->l->n_hidden, t->l->n_hidden == 1 ? "" : "s");
	}
	fill_foot_right(t, foot);
}

static void draw_empty(const struct table *t, struct rect r)
{
	const struct fleet *f = t->m->fleet;
	const char *text = "no Tenstorrent device and no driver: is tt-kmd loaded? "
		"(modprobe tenstorrent)";

	if (f->n > 0)
		text = "no chip fits the filter (Esc: all)";
	else if (f->driver && f->driver[0])
		text = "no Tenstorrent device: the driver is there, the bus has none "
			"(lspci -d 1e52:)";
	canvas_wrap(t->c, r.x + 1, r.y, r.w - 2, r.h, f->n > 0 ? STYLE_DIM : STYLE_WARN, text);
}

#define HEADING 2	/* lines: titles and units */
#define UNITS_FROM 6	/* lines of a table that has the second of them */
#define ABSENT_RANK 100	/* and more: fields that no chip has are the first to go */

#define WORDS_MIN 6	/* cells of a column of names or states: most of them */
#define WORDS_MAX 20

/* Cells that the words of a column need, of which most are short. */
static uint8_t words_width(const struct column *col, const struct rows *rows, const struct model *m)
{
	int width = WORDS_MIN, w;
	char text[64];

	for (size_t i = 0; i < rows->n; i++) {
		const struct row *row = &rows->row[i];
		const struct snapshot *s = &m->fleet->chips[row->chip];

		if (row->kind == ROW_FOLD && col->kind == COLUMN_BOARD)
			snprintf(text, sizeof(text), "%d x %s", row->count, s->board);
		else
			column_text(col, s, text, sizeof(text));
		w = glyph_text_width(text);
		width = w > width ? w : width;
	}
	return (uint8_t)(width < WORDS_MAX ? width : WORDS_MAX);
}

/* Names and states have the cells that they need, and what no chip has comes last. */
static void fit_columns(struct column *columns, size_t n, const struct rows *rows,
	const struct model *m)
{
	for (size_t i = 0; i < n; i++) {
		if ((columns[i].kind == COLUMN_BOARD || columns[i].kind == COLUMN_STATE) &&
			columns[i].width == 0)
			columns[i].width = words_width(&columns[i], rows, m);
		if (column_is_absent(&columns[i], m->fleet))
			columns[i].rank = columns[i].optional ? COLUMN_NOWHERE :
				(uint8_t)(columns[i].rank + ABSENT_RANK);
	}
}

static bool has_units(const struct table *t)
{
	for (size_t i = 0; i < t->l->n; i++) {
		const struct layout_column *lc = table_column(t, i);

		if (lc && (column_unit(lc->col)[0] || lc->limit_w))
			return true;
	}
	return false;
}

/* A band has all rows, and only the first one the notices. */
static int bands_in(const struct rows *rows, int heading, int h)
{
	int first = heading + (int)rows->n, further = 1 + first - (int)rows->notices;

	return h < first || rows->n == 0 ? 1 : 1 + (h - first) / further;
}

static void draw_further_band(struct table *t, int *y)
{
	bool units = has_units(t);

	draw_heading(t, ++*y, units);
	*y += 1 + units;
	for (size_t i = 0; i < t->rows->n; i++)
		if (t->rows->row[i].kind != ROW_NOTICE)
			table_draw_row(t, (*y)++, &t->rows->row[i]);
}

/* The rows from the top of the page on; returns the y below the last. */
static int draw_page(struct table *t, struct rect r, struct view *v)
{
	const struct rows *rows = t->rows;
	int selected = rows_find(rows, v->selected), last = selected, i;

	v->page = r.h;
	v->lines = (int)rows->n;
	while (last >= 0 && last + 1 < v->lines && rows->row[last + 1].kind != ROW_CHIP &&
		rows->row[last + 1].kind != ROW_FOLD && last + 1 - selected < r.h)
		last++;
	v->top[v->tab] = table_scroll(v->top[v->tab], r.h, v->lines, selected, last);
	for (i = 0; i < r.h && v->top[v->tab] + i < v->lines; i++)
		table_draw_row(t, r.y + i, &rows->row[v->top[v->tab] + i]);
	return r.y + i;
}

int table_height(const struct model *m, const struct view *v, int w)
{
	const struct table t = { .m = m, .v = v, .w = w - 2 };
	struct rows rows;

	rows_build(&rows, m, v, NULL, false, table_notice_width(&t));
	return HEADING + (int)rows.n < UNITS_FROM ? UNITS_FROM : HEADING + (int)rows.n;
}

int table_least(const struct model *m, const struct view *v, int w)
{
	const struct table t = { .m = m, .v = v, .w = w - 2 };
	char text[NOTICE_SIZE];
	enum style style;
	struct rows rows;
	int last = 0;

	rows_build(&rows, m, v, NULL, false, table_notice_width(&t));
	for (size_t i = 0; i < rows.n; i++)
		if (rows.row[i].kind == ROW_NOTICE && notice_text(m,
			&m->fleet->chips[rows.row[i].chip], true, text, &style) &&
			style != STYLE_DIM)
			last = (int)i + 1;
	return HEADING + last;
}

void table_draw(struct canvas *c, struct rect r, const struct model *m, struct view *v,
	const struct tab_ops *tab, bool limits, bool averages, struct foot *foot)
{
	struct column columns[LAYOUT_COLUMNS];
	struct layout_table l;
	struct rows rows;
	struct table t = { .c = c, .m = m, .v = v, .rows = &rows, .l = &l, .x = r.x + 1,
		.w = r.w - 2 };
	int sort = v->sort[v->tab], y;
	const struct column *by = sort >= 0 && (size_t)sort < tab->n_columns ?
		&tab->columns[sort] : NULL;

	t.wrapped = table_notice_width(&t) > 0;
	rows_build(&rows, m, v, by, averages, table_notice_width(&t));
	if (t.wrapped && (int)rows.n + HEADING > r.h) {
		t.wrapped = false;
		rows_build(&rows, m, v, by, averages, 0);
	}
	memcpy(columns, tab->columns, tab->n_columns * sizeof(columns[0]));
	fit_columns(columns, tab->n_columns, &rows, m);
	layout_columns(&l, columns, tab->n_columns, t.w, bands_in(&rows, HEADING, r.h), limits);
	if (r.h >= 3) {
		bool units = r.h >= UNITS_FROM && has_units(&t);

		draw_heading(&t, r.y, units);
		r.y += 1 + units;
		r.h -= 1 + units;
	}
	y = draw_page(&t, r, v);
	for (t.band = 1; t.band < l.bands; t.band++)
		draw_further_band(&t, &y);
	if (rows.n == 0)
		draw_empty(&t, r);
	else if (tab->overview && l.n_hidden == 0)
		overview_draw(c, (struct rect){ r.x, y + 1, r.w, r.y + r.h - y - 1 }, m, v, &rows);
	fill_foot(&t, foot, averages);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "ui/table.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "ui/column.h"
#include "ui/plot.h"

#include <stdio.h>
#include <string.h>

/* Power and temperature of each chip, shown below a table if there is room. */

#define NAMES	 16			/* cells for index and board */
#define TEXT	 12			/* "58 / 150 W" */
#define LINES	 6			/* of a chip at most */
#define SPAN	 (5 * 60 * CLOCK_SECOND)
#define WIDEST	 100
#define POWER	 1			/* a metric of the history */

static const struct {
	enum field_id field;
	size_t metric;			/* of the history */
	const char *title;
} gauges[] = { { FIELD_POWER, POWER, "Power" }, { FIELD_ASIC_TEMP, 0, "Core temperature" } };

/*
 * Get the last SPAN in n slices; false if nothing is known.  The picture moves when a slice is
 * full, not with every reading.
 */
static bool recent_series(const struct model *m, int chip, size_t metric, struct history_bin *bins,
	size_t n)
{
	const int64_t slot = SPAN / (int64_t)n, to = m->now - m->now % slot + slot;

	return m->history && !m->ended && history_series(m->history, (size_t)chip, metric,
		to - slot * (int64_t)n, to, 2 * slot + 3 * m->interval, bins, n) > 0;
}

static void draw_history(struct canvas *c, struct rect r, const struct model *m, int chip,
	size_t gauge)
{
	struct history_bin bins[2 * WIDEST];
	struct plot p = { .bins = bins, .cursor = -1 };

	r.w = r.w < WIDEST ? r.w : WIDEST;
	p.n = (size_t)r.w * 2;
	if (r.w < 4 || !recent_series(m, chip, gauges[gauge].metric, bins, p.n))
		return;
	plot_range(&p, fields[gauges[gauge].field].scale * 10L, r.h);
	p.rows = 0;	/* there are no marks beside it */
	plot_draw(c, r, &p);
}

static void draw_gauge(struct canvas *c, struct rect r, const struct model *m, int chip,
	size_t gauge)
{
	const struct snapshot *s = &m->fleet->chips[chip];
	enum field_id id = gauges[gauge].field, limit = fields[id].limit;
	const struct column col = { .kind = COLUMN_FIELD, .field = id };
	int percent = field_load(id, s->r), bar = (r.w - TEXT) * (r.h > 1 ? 4 : 2) / 5;
	int x = r.x + bar + 1;
	char value[32], most[32], text[80];
	enum style style = column_text(&col, s, value, sizeof(value));
	bool lost = !reading_has_value(&s->r[id]);

	bar_draw(c, r.x, r.y, bar, lost ? 0 : percent,
		style == STYLE_NORMAL ? STYLE_GOOD : style);
	if (limit != FIELD_NONE && reading_has_value(&s->r[limit]))
		snprintf(text, sizeof(text), "%s/%s %s", value,
			field_text(limit, &s->r[limit], most, sizeof(most)), fields[id].unit);
	else
		snprintf(text, sizeof(text), "%s %s", value, fields[id].unit);
	canvas_words(c, x, r.y, TEXT, lost ? STYLE_DIM : style, text);
	x += TEXT + 1;
	/* Beside the figures, or below them if there are lines for it. */
	if (r.h == 1)
		draw_history(c, (struct rect){ x, r.y, r.x + r.w - x, 1 }, m, chip, gauge);
	else
		draw_history(c, (struct rect){ r.x, r.y + 1, r.w, r.h - 1 }, m, chip, gauge);
}

/* Draw into r if it has a line for each chip; else draw nothing. */
static void overview_draw(struct canvas *c, struct rect r, const struct model *m,
	const struct view *v, const struct rows *rows)
{
	int chips = 0, h, y = r.y + 1, w = (r.w - 2 - NAMES) / (int)ARRAY_LEN(gauges);

	for (size_t i = 0; i < rows->n; i++)
		chips += rows->row[i].kind == ROW_CHIP;
	h = chips > 0 ? (r.h - 1) / chips : 0;
	if (h < 1 || w < 30)
		return;
	h = h < LINES ? h : LINES;
	h = h == 2 ? 1 : h;
	canvas_text(c, r.x + 1, r.y, STYLE_DIM, m->ended ? "Now" : "Last 5 min");
	for (size_t g = 0; g < ARRAY_LEN(gauges); g++)
		canvas_text(c, r.x + 1 + NAMES + (int)g * w, r.y, STYLE_HEADING, gauges[g].title);
	for (size_t i = 0; i < rows->n; i++) {
		const struct row *row = &rows->row[i];
		const struct snapshot *s = &m->fleet->chips[row->chip];

		if (row->kind != ROW_CHIP)
			continue;
		c->hit = (uint16_t)(UI_HIT_CHIP + row->chip);
		canvas_printf(c, r.x + 1, y, row->chip == v->selected ? STYLE_KEY : STYLE_NORMAL,
			"%3d %.*s", s->index, NAMES - 5, s->series[0] ? s->series : s->board);
		for (size_t g = 0; g < ARRAY_LEN(gauges); g++)
			draw_gauge(c, (struct rect){ r.x + 1 + NAMES + (int)g * w, y, w - 2,
				h > 2 ? h - 1 : h }, m, row->chip, g);
		c->hit = 0;
		y += h;
	}
}

/*
 * Strips for chips in folded lines: power against each chip's own limit, so that they can be
 * compared: an idle board is low and one that works is high, whatever its type.
 */

#define LEVELS	8			/* of a cell: U+2581 to U+2588 */

enum { SHORTEST = 5, LONGEST = 30, APART = 2, EDGES = 3 };	/* cells */

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

	g.across = (w + APART) / (g.digits + 1 + length + APART);
	g.across = g.across > 0 ? g.across : 1;
	g.lines = ((int)n + g.across - 1) / g.across;
	return g;
}

/* Lines that the strips need at their shortest; 0: nothing is folded, or there is no history. */
static int strips_height(const struct model *m, const struct rows *rows, int w)
{
	int16_t chips[DEVICE_MAX];
	size_t n = m->history && !m->ended ? folded(m, rows, chips) : 0;

	return n > 0 ? 1 + grid_of(n, chips[n - 1], SHORTEST, w - EDGES).lines : 0;
}

static void draw_strip(struct canvas *c, int x, int y, int length, const struct model *m, int chip)
{
	const struct reading *limit = &m->fleet->chips[chip].r[fields[FIELD_POWER].limit];
	struct history_bin bins[LONGEST];
	int64_t most = 0;

	if (!recent_series(m, chip, POWER, bins, (size_t)length))
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

/* Draw strips as long as there is room for; if even short ones do not fit, as many as do. */
static void strips_draw(struct canvas *c, struct rect r, const struct model *m,
	const struct view *v, const struct rows *rows)
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
		int at = x + (int)i % g.across * (g.digits + 1 + g.length + APART);
		int y = r.y + 1 + (int)i / g.across;

		c->hit = (uint16_t)(UI_HIT_CHIP + chips[i]);
		canvas_printf(c, at, y, chips[i] == v->selected ? STYLE_KEY : STYLE_DIM, "%*d",
			g.digits, chips[i]);
		draw_strip(c, at + g.digits + 1, y, g.length, m, chips[i]);
		c->hit = 0;
	}
	if (shown < n)
		canvas_printf(c, x + (g.across - 1) * (g.digits + 1 + g.length + APART),
			r.y + r.h - 1, STYLE_DIM, "+ %zu", n - shown);
}

/* The table itself. */

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

/* The unit, and the limit if it is the same in all rows. */
static void draw_unit(const struct table *t, int y, const struct layout_column *lc)
{
	const char *unit = column_unit(lc->col), *limit = lc->col->limit;
	int width = glyph_text_width(unit) + (int)strlen(limit), x = t->x + lc->x + lc->w - width;

	if (!limit[0]) {
		table_put(t, y, lc, STYLE_DIM, unit);
		return;
	}
	x = canvas_text(t->c, x, y, STYLE_DIM, unit);
	canvas_text(t->c, x, y, lc->col->near ? STYLE_LIMIT_NEAR : STYLE_LIMIT, limit);
}

void table_draw_heading(const struct table *t, int y, bool units)
{
	const bool chips = t->v->tab != UI_TAB_PROCESSES;
	const struct view_order *order = &t->v->order[!chips];
	const struct layout_column *lc;

	for (size_t i = 0; (lc = table_next(t, &i));) {
		t->c->hit = (uint16_t)(UI_HIT_COLUMN + lc->number);
		table_put(t, y, lc, STYLE_HEADING, column_title(lc->col));
		if (order->by && column_is_same(order->by, lc->col) &&
			(!chips || t->v->group < UI_GROUP_BOARD))
			canvas_put(t->c, t->x + lc->x - 1, y, STYLE_KEY,
				order->descending ? 0x25bc : 0x25b2);
		if (units) {
			draw_unit(t, y + 1, lc);
			if (lc->limit_w)
				canvas_number(t->c, t->x + lc->limit_x, y + 1, lc->limit_w,
					STYLE_DIM, "max");
		}
		t->c->hit = 0;
	}
}

/* Chips with trouble above and below the page. */
static void count_unseen(const struct table *t, struct foot *foot)
{
	int top = t->v->top[t->v->tab], end = top + t->v->page;

	for (int i = 0; i < (int)t->rows->n; i++) {
		const struct row *row = &t->rows->row[i];

		if (row->kind == ROW_CHIP && (i < top || i >= end))
			rows_count_sick(t->m, row->chip, i < top ? &foot->above : &foot->below);
	}
}

static void fill_foot_right(const struct table *t, struct foot *foot)
{
	const struct rows *r = t->rows;
	const struct view *v = t->v;
	const size_t chips = r->shown + r->hidden + r->unread;
	const size_t present = fleet_present(t->m->fleet);

	count_unseen(t, foot);
	if (v->lines > v->page && v->page > 0)
		snprintf(foot->right, sizeof(foot->right), "lines %d-%d of %d",
			v->top[v->tab] + 1, v->top[v->tab] + v->page, v->lines);
	else if (t->m->expected > present)
		snprintf(foot->right, sizeof(foot->right), "%zu board%s, %zu of %zu chips",
			r->boards, text_plural(r->boards), present, t->m->expected);
	else
		snprintf(foot->right, sizeof(foot->right), "%zu board%s, %zu chip%s", r->boards,
			text_plural(r->boards), chips, text_plural(chips));
}

/* Add remarks to those that the tab itself has, which come first. */
static void fill_foot(const struct table *t, struct foot *foot)
{
	const struct rows *r = t->rows;
	const struct view *v = t->v;
	const size_t size = sizeof(foot->left);
	char *to = foot->left, age[24];

	if (v->filter[0] || v->typing)
		text_join(to, size, ", ", "filter \"%s\": %zu of %zu", v->filter, r->shown,
			r->shown + r->hidden);
	if (v->group >= UI_GROUP_BOARD)
		text_join(to, size, ", ", "folded by %s (Esc)",
			v->group == UI_GROUP_BOARD ? "board" : "type");
	else if (view_folds(v))
		text_join(to, size, ", ", "g: all rows");
	else if (v->group == UI_GROUP_NONE && view_would_fold(v))
		text_join(to, size, ", ", "Esc: fold");
	if (r->unread > 0)
		text_join(to, size, ", ", "%zu second chip%s not read%s", r->unread,
			text_plural(r->unread), t->m->ended ? "" : ": R");
	if (view_averages(v) && t->m->history)
		text_join(to, size, ", ", "last %s (V: anew)", notice_age(t->m->now -
			history_stats_since(t->m->history), age, sizeof(age)));
	if (t->m->fleet->selection && t->m->fleet->selection[0])
		text_join(to, size, ", ", "%.60s", t->m->fleet->selection);
	if (t->l->n_hidden > 0 && r->n > 0) {
		mem_copy_text(foot->brief, sizeof(foot->brief), to);
		text_join(foot->brief, sizeof(foot->brief), ", ", "%zu more column%s (Enter)",
			t->l->n_hidden, text_plural(t->l->n_hidden));
		text_join(to, size, ", ", "no room for %s", t->l->hidden);
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
#define UNITS_FROM 6	/* lines of a table that shows units */

#define WORDS_MIN 6	/* cells of a column of names or states */
#define WORDS_MAX 20

/* Cells that the words of a column need; most are short. */
static uint8_t words_width(const struct column *col, const struct rows *rows, const struct model *m)
{
	int width = WORDS_MIN, w;
	char text[64];

	for (size_t i = 0; i < rows->n; i++) {
		const struct row *row = &rows->row[i];

		if (row->kind == ROW_FOLD && col->kind == COLUMN_BOARD)
			table_fold_name(m, row, text, sizeof(text));
		else
			table_text(m, col, row->chip, text, sizeof(text));
		w = glyph_text_width(text) - (row->kind == ROW_FOLD ? TABLE_INDEX + 1 : 0);
		width = w > width ? w : width;
	}
	return (uint8_t)(width < WORDS_MAX ? width : WORDS_MAX);
}

/* If all `like` columns show the same for every chip, show only the first. */
static void join_like(struct column *first, const struct column *end, const struct fleet *f)
{
	struct column *col = first + 1;

	for (; col < end && col->like; col++)
		if (!column_is_like(first, col, f))
			return;
	first->title = first->together;
	while (--col > first)
		col->rank = COLUMN_NOWHERE;
}

/* Fit the columns to these rows: width of words, common limits to the heading, no empty ones. */
static void fit_columns(struct column *columns, size_t n, const struct rows *rows,
	const struct model *m, bool limits)
{
	for (size_t i = 0; i < n; i++) {
		struct column *col = &columns[i];

		if ((col->kind == COLUMN_BOARD || col->kind == COLUMN_STATE) && col->width == 0)
			col->width = words_width(col, rows, m);
		if (limits)
			column_join_limits(col, m->fleet, rows->chips, rows->shown);
		if (col->together)
			join_like(col, columns + n, m->fleet);
		if (column_is_like(col, NULL, m->fleet))
			col->rank = COLUMN_NOWHERE;
	}
}

static bool has_units(const struct table *t)
{
	const struct layout_column *lc;

	for (size_t i = 0; (lc = table_next(t, &i));)
		if (column_unit(lc->col)[0] || lc->limit_w)
			return true;
	return false;
}

/* Each band has all rows, but only the first one has the notices. */
static int bands_in(const struct rows *rows, int heading, int h)
{
	int first = heading + (int)rows->n, further = 1 + first - (int)rows->once;

	return h < first || rows->n == 0 ? 1 : 1 + (h - first) / further;
}

static void draw_further_band(struct table *t, int *y)
{
	bool units = has_units(t);

	table_draw_heading(t, ++*y, units);
	*y += 1 + units;
	for (size_t i = 0; i < t->rows->n; i++) {
		const struct row *row = &t->rows->row[i];

		if (row->kind != ROW_NOTICE && row->kind != ROW_RULE && table_row_says(t, row))
			table_draw_row(t, (*y)++, row);
	}
}

static void drop_silent(const struct table *t, struct rows *rows)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->n; i++)
		if (table_row_says(t, &rows->row[i]))
			rows->row[kept++] = rows->row[i];
	rows->n = kept;
}

/* Draw the rows from the top of the page on; returns the y below the last. */
static int draw_page(struct table *t, struct rect r, struct view *v)
{
	const struct rows *rows = t->rows;
	int selected = t->selected, last = selected, y = r.y;

	v->page = r.h;
	v->lines = (int)rows->n;
	/* The lines that continue the selected chip or fold are kept in sight with it. */
	while (last >= 0 && last + 1 < v->lines && last + 1 - selected < r.h &&
		rows->row[last + 1].kind != ROW_CHIP && rows->row[last + 1].kind != ROW_FOLD &&
		rows->row[last + 1].kind != ROW_RULE)
		last++;
	v->top[v->tab] = table_scroll(v->top[v->tab], r.h, v->lines, selected, last);
	for (int i = v->top[v->tab]; i < v->top[v->tab] + r.h && i < v->lines; i++)
		if (table_row_says(t, &rows->row[i]))
			table_draw_row(t, y++, &rows->row[i]);
	return y;
}

/* Build the rows as they would be in this grouping, with notices of `wrap` cells. */
static void build_as(struct rows *rows, const struct model *m, const struct view *v,
	enum ui_group group, bool tight, int wrap)
{
	struct view as = *v;

	as.group = group;
	as.tight = tight;
	rows_build(rows, m, &as, wrap);
}

static int table_height(const struct model *m, const struct view *v, int w)
{
	struct rows rows;

	build_as(&rows, m, v, v->group, false, table_notice_width(w - 2));
	return HEADING + (int)rows.n < UNITS_FROM ? UNITS_FROM : HEADING + (int)rows.n;
}

static int table_least(const struct model *m, const struct view *v, int w)
{
	char text[NOTICE_SIZE];
	enum style style;
	struct rows rows;
	int last = 0;

	build_as(&rows, m, v, v->group, true, table_notice_width(w - 2));
	for (size_t i = 0; i < rows.n; i++)
		if (rows.row[i].kind == ROW_NOTICE && notice_text(m,
			&m->fleet->chips[rows.row[i].chip], true, text, &style) &&
			style != STYLE_DIM)
			last = (int)i + 1;
	return HEADING + last;
}

/*
 * Build the rows in the widest form that fits: with whole notices, else with a line for each
 * notice.  If neither fits, chips with trouble come first and others are folded.
 */
static void arrange(struct table *t, struct rows *rows, struct view *v, int h)
{
	for (int tight = 0; tight < 2; tight++)
		for (int wrap = table_notice_width(t->w);; wrap = 0) {
			v->tight = tight;
			t->wrapped = wrap > 0;
			rows_build(rows, t->m, v, wrap);
			if ((int)rows->n + HEADING <= h)
				return;
			if (wrap == 0 || (!tight && (int)rows->shown + HEADING > h))
				break;
		}
}

static void draw_table(struct canvas *c, struct rect r, const struct model *m, struct view *v,
	struct foot *foot)
{
	const struct tab_ops *tab = v->tabs[v->tab];
	const bool limits = tab->limits && v->limits;
	struct column columns[LAYOUT_COLUMNS];
	struct layout_table l;
	struct rows rows;
	struct table t = { .c = c, .m = m, .v = v, .rows = &rows, .l = &l, .x = r.x + 1,
		.w = r.w - 2 };
	int y, strips = 0;

	/* Whether a line for each chip, and one more for its trouble, would not all fit. */
	build_as(&rows, m, v, UI_GROUP_NONE, false, 0);
	v->crowded = (int)rows.n + HEADING > r.h;
	arrange(&t, &rows, v, r.h);
	if (v->chosen >= 0 && v->selected == v->chosen && rows.n > 0)
		v->selected = v->chosen = rows.row[0].chip;
	memcpy(columns, tab->columns, tab->n_columns * sizeof(columns[0]));
	fit_columns(columns, tab->n_columns, &rows, m, limits);
	layout_leave_out(columns, tab->n_columns, v->left_out[v->tab]);
	if (tab->overview)
		strips = strips_height(m, &rows, r.w);
	layout_columns(&l, columns, tab->n_columns, t.w, bands_in(&rows, HEADING, r.h - strips),
		limits);
	/* With several bands all rows fit, and each band draws only rows that are not empty. */
	if (l.bands == 1)
		drop_silent(&t, &rows);
	t.selected = rows_find(&rows, v->selected);
	if (r.h >= 3) {
		bool units = r.h >= UNITS_FROM && has_units(&t);

		table_draw_heading(&t, r.y, units);
		r.y += 1 + units;
		r.h -= 1 + units;
	}
	y = draw_page(&t, r, v);
	for (t.band = 1; t.band < l.bands; t.band++)
		draw_further_band(&t, &y);
	r = (struct rect){ r.x, y, r.w, r.y + r.h - y };
	if (rows.n == 0)
		draw_empty(&t, r);
	else if (strips > 0)
		strips_draw(c, r, m, v, &rows);
	else if (tab->overview && l.n_hidden == 0)
		overview_draw(c, (struct rect){ r.x, r.y + 1, r.w, r.h - 1 }, m, v, &rows);
	fill_foot(&t, foot);
}

/* Blocks of lines below a table. */

#define GAP    1
#define ACROSS 8	/* blocks beside each other at most */
#define LEAST  4	/* lines of the table above them */

/* Draw blocks side by side, each row as high as its highest; omit a row that does not fit. */
static void draw_blocks(struct canvas *c, struct rect r, const struct fleet *f, size_t chip,
	const struct blocks *b)
{
	const int fits = (r.w - 2) / b->w, across = fits < ACROSS ? fits : ACROSS;
	size_t row[ACROSS];
	int y = r.y, before = 0;

	while (across > 0) {
		int n = 0, h = 0;

		for (; chip < f->n && n < across; chip++) {
			const int high = b->height(f, chip);

			if (!fleet_wants(f, chip))
				continue;
			row[n++] = chip;
			h = high > h ? high : h;
		}
		y += before > 1 || (before == 1 && h > 1) ? GAP : 0;
		if (n == 0 || y + h > r.y + r.h)
			return;
		for (int i = 0; i < n; i++)
			b->draw(c, (struct rect){ r.x + 1 + i * b->w, y, b->w - 1, h }, f, row[i]);
		y += h;
		before = h;
	}
}

void table_draw(struct canvas *c, struct rect r, const struct model *m, struct view *v,
	struct foot *foot)
{
	const struct tab_ops *tab = v->tabs[v->tab];
	const struct blocks *b = tab->blocks;
	const bool known = v->selected >= 0 && (size_t)v->selected < m->fleet->n;
	const int high = b && known ? b->height(m->fleet, (size_t)v->selected) : 0;
	const int least = b ? table_least(m, v, r.w) : 0;
	struct rect table = r;

	/* First the lines that show all trouble and its reasons; blocks take the rest. */
	if (b && known && r.w - 2 >= b->w &&
		r.h >= (least > LEAST ? least : LEAST) + GAP + high) {
		table.h = table_height(m, v, r.w);
		if (table.h > r.h - high - GAP)
			table.h = r.h - high - GAP;
	}
	if (tab->remark)
		tab->remark(foot, m, v);
	draw_table(c, table, m, v, foot);
	r.y += table.h + GAP;
	r.h -= table.h + GAP;
	if (b)
		draw_blocks(c, r, m->fleet, v->selected < 0 ? 0 : (size_t)v->selected, b);
}

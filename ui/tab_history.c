/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tab 5: the history of the chips.  As many plots as fit: the metrics of one
 * chip, or one metric of many chips, all over the same time.
 */
#include "config.h"
#include "ui/tab.h"

#include "base/clock.h"
#include "base/mem.h"
#include "ui/plot.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define LABELS     8		/* cells for the numbers at the left */
#define PLOT_LINES 8		/* least height of a plot with its title, unless it is alone */
#define PLOTS_MAX  6
#define BINS       4000		/* two for each cell of the widest canvas */
#define JUMP	   (3 * CLOCK_SECOND / 2)
#define WORDS_FROM 70		/* cells needed to explain the keys in words */

const struct tab_span tab_spans[] = {
	{ 15 * CLOCK_SECOND, 3, 5, "s" }, { 60 * CLOCK_SECOND, 4, 15, "s" },
	{ 5 * 60 * CLOCK_SECOND, 5, 1, "min" }, { 15 * 60 * CLOCK_SECOND, 3, 5, "min" },
	{ 3600 * CLOCK_SECOND, 4, 15, "min" }, { 4 * 3600 * CLOCK_SECOND, 4, 1, "h" },
	{ 24 * 3600 * CLOCK_SECOND, 4, 6, "h" },
};
const size_t tab_spans_len = ARRAY_LEN(tab_spans);

/* The time that is shown. */
struct span {
	int64_t from, to, gap;
	int ticks;		/* equal parts, with labels between them */
	int left;		/* cells before the plots: numbers, and the rest of the division */
};

/*
 * The right end is at most one jump ahead of now.  A jump is a whole number of cells, long enough
 * that the plot does not move with every reading, and short enough that it ends near the edge.
 */
static struct span span_of(const struct model *m, const struct view *v, int w)
{
	int64_t width = tab_spans[v->zoom].ns, cell, jump, to;
	int64_t gap = m->interval * 3 > 2 * CLOCK_SECOND ? m->interval * 3 : 2 * CLOCK_SECOND;
	int ticks = w - LABELS >= 12 * tab_spans[v->zoom].ticks ? tab_spans[v->zoom].ticks : 1;
	int left = LABELS + (w - LABELS) % ticks;

	cell = width / (w - left);
	jump = JUMP < width / 16 ? JUMP : width / 16;
	jump = (jump + cell - 1) / cell * cell;
	to = (m->now / jump + 1) * jump - v->back;
	return (struct span){ to - width, to, gap, ticks, left };
}

static int64_t least_span(enum field_id id)
{
	const struct field *f = &fields[id];

	if (strcmp(f->unit, "V") == 0)
		return f->scale / 10;
	if (strcmp(f->unit, "MHz") == 0)
		return f->scale * 100L;
	return strcmp(f->unit, "RPM") == 0 ? f->scale * 500L : f->scale * 10L;
}

static char *time_text(const struct model *m, int64_t mono, bool seconds, char *buf, size_t size)
{
	time_t t = (time_t)((m->real - (m->now - mono)) / CLOCK_SECOND);
	struct tm tm;

	localtime_r(&t, &tm);
	strftime(buf, size, seconds ? "%H:%M:%S" : "%H:%M", &tm);
	return buf;
}

static int figure(struct canvas *c, int x, int y, int right, const char *name, enum style style,
	const char *value)
{
	int w = glyph_text_width(name) + 1 + glyph_text_width(value);

	/* A figure that does not fit whole is left out. */
	if (x + 2 + w > right)
		return x;
	x = canvas_text(c, x + 2, y, STYLE_DIM, name);
	return canvas_text(c, x + 1, y, style, value);
}

static const struct history_bin *cursor_bin(const struct view *v, const struct plot *p, int w)
{
	int x = w - 1 - v->cursor;

	if (v->cursor < 0 || x < 0 || (size_t)x * 2 + 1 >= p->n)
		return NULL;
	if (p->bins[x * 2 + 1].n > 0)
		return &p->bins[x * 2 + 1];
	return p->bins[x * 2].n > 0 ? &p->bins[x * 2] : NULL;
}

static void draw_title(struct canvas *c, struct rect r, const struct model *m, const struct view *v,
	const struct span *span, size_t chip, enum field_id id, const struct plot *p)
{
	const struct snapshot *s = &m->fleet->chips[chip];
	const struct reading *limit = &s->r[fields[id].limit];
	const struct history_bin *bin = cursor_bin(v, p, r.w - span->left);
	const struct history_bin all = plot_sum(p->bins, p->n);
	const struct {
		const char *name;
		int64_t value;
	} figures[] = { { "min", all.min }, { "avg", all.avg }, { "max", all.max } };
	int x = r.x, right = r.x + r.w;
	char text[64];

	if (v->across)
		x = canvas_printf(c, x, r.y, STYLE_NORMAL, "%d %s  ", s->index, s->series);
	x = canvas_text(c, x, r.y, STYLE_HEADING, fields[id].title);
	if (fields[id].unit[0])
		x = canvas_text(c, x + 1, r.y, STYLE_DIM, fields[id].unit);
	x = figure(c, x, r.y, right, s->r[id].state == READING_STALE ? "last" : "now",
		s->r[id].state == READING_OK ? STYLE_NORMAL : STYLE_DIM,
		field_text(id, &s->r[id], text, sizeof(text)));
	if (bin) {
		char name[32], at[16];
		int64_t slot = (span->to - span->from) / (r.w - span->left);

		snprintf(name, sizeof(name), "at %s", time_text(m,
			span->to - v->cursor * slot - slot / 2, true, at, sizeof(at)));
		x = figure(c, x, r.y, right, name, STYLE_CURSOR,
			column_value_text(id, bin->avg, text, sizeof(text)));
	}
	for (size_t i = 0; i < ARRAY_LEN(figures) && all.n > 0; i++)
		x = figure(c, x, r.y, right, figures[i].name, STYLE_NORMAL,
			column_value_text(id, figures[i].value, text, sizeof(text)));
	if (v->limits && limit->state == READING_OK)
		figure(c, x, r.y, right, "limit", STYLE_LIMIT,
			field_text(fields[id].limit, limit, text, sizeof(text)));
}

static void draw_label(struct canvas *c, struct rect r, int y, enum style style, uint32_t mark,
	const char *text)
{
	canvas_blank(c, (struct rect){ r.x, r.y + y, r.w, 1 });
	canvas_number(c, r.x, r.y + y, r.w - 2, style, text);
	canvas_put(c, r.x + r.w - 1, r.y + y, STYLE_FRAME, mark);
}

/* Write each round value, and the limit, into the row in which the plot draws it. */
static void draw_labels(struct canvas *c, struct rect r, enum field_id id, const struct plot *p,
	int64_t step)
{
	int last = INT_MAX, rows = p->rows > 0 ? p->rows : r.h;
	char text[64];

	for (int y = 0; y < rows; y++)
		canvas_put(c, r.x + r.w - 1, r.y + y, STYLE_FRAME, 0x2502);
	for (int64_t value = p->low; value <= p->high; value += step) {
		int y = plot_row(p, value, r.h);

		if (y < last)
			draw_label(c, r, y, STYLE_DIM, 0x2524,
				column_value_text(id, value, text, sizeof(text)));
		last = y < last ? y : last;
	}
	if (p->has_limit && p->limit >= p->low && p->limit <= p->high)
		draw_label(c, r, plot_row(p, p->limit, r.h), STYLE_LIMIT, 0x253c,
			column_value_text(id, p->limit, text, sizeof(text)));
}

/* How long before now a tick is or, if scrolled back, its time of day. */
static void tick_text(const struct model *m, const struct view *v, const struct span *s, int before,
	char *buf, size_t size)
{
	int64_t width = s->to - s->from;
	const struct tab_span *x = &tab_spans[v->zoom];

	if (v->back > 0)
		time_text(m, s->to - width / s->ticks * before, width <= 600 * CLOCK_SECOND, buf,
			size);
	else if (before == 0)
		snprintf(buf, size, "now");
	else
		snprintf(buf, size, "-%d %s", before * x->ticks / s->ticks * x->each, x->unit);
}

static void draw_axis(struct canvas *c, struct rect r, const struct model *m, const struct view *v,
	const struct span *s)
{
	int w = r.w - s->left, end = r.x;
	char text[16];

	for (int before = s->ticks; before >= 0; before--) {
		int x = r.x + r.w - w / s->ticks * before, half, n;

		tick_text(m, v, s, before, text, sizeof(text));
		n = glyph_text_width(text);
		half = before == s->ticks ? 0 : before == 0 ? n : n / 2;
		if (x - half > end)
			end = canvas_text(c, x - half, r.y, STYLE_DIM, text);
	}
}

static void draw_plot(struct canvas *c, struct rect r, const struct model *m, const struct view *v,
	const struct span *span, size_t chip, size_t metric)
{
	static struct history_bin bins[BINS];
	enum field_id id = history_fields[metric];
	const struct reading *limit = &m->fleet->chips[chip].r[fields[id].limit];
	struct plot p = { .bins = bins,
		.at_limit = column_level_style(field_level(FIELD_USE_SHOWN, id, 100, 100)),
		.over_limit = column_level_style(field_level(FIELD_USE_SHOWN, id, 101, 100)),
		.cursor = v->cursor < 0 ? -1 : r.w - span->left - 1 - v->cursor };
	struct rect area = { r.x + span->left, r.y + 1, r.w - span->left, r.h - 1 };
	int64_t step;
	size_t known;

	p.n = area.w * 2 < BINS ? (size_t)area.w * 2 : BINS;
	known = history_series(m->history, chip, metric, span->from, span->to, span->gap, bins,
		p.n);
	/* The last reading does not reach into the time after now. */
	for (size_t i = 0; i < p.n; i++)
		if (span->from + (span->to - span->from) * (int64_t)i / (int64_t)p.n > m->now)
			bins[i].n = 0;
	p.has_limit = v->limits && fields[id].limit != FIELD_NONE && reading_has_value(limit);
	if (p.has_limit)
		p.limit = limit->value;
	step = plot_range(&p, least_span(id), area.h);
	draw_title(c, (struct rect){ r.x, r.y, r.w, 1 }, m, v, span, chip, id, &p);
	if (area.h < 1)
		return;
	if (known > 0)
		draw_labels(c, (struct rect){ r.x, area.y, span->left, area.h }, id, &p, step);
	if (known == 0) {
		canvas_words(c, area.x + 1, area.y + area.h / 2, area.w - 1, STYLE_DIM,
			"no readings in this time");
		return;
	}
	for (int x = 0; x < area.w; x++) {
		/* A click on a column means its distance from the right. */
		c->hit = (uint16_t)(UI_HIT_PLOT + area.w - 1 - x);
		canvas_blank(c, (struct rect){ area.x + x, area.y, 1, area.h });
	}
	c->hit = 0;
	plot_draw(c, area, &p);
}

/* The metrics that the selected chip has, from the chosen one on. */
struct metrics {
	int n;
	size_t at[HISTORY_METRICS];
	int place;		/* the number, from 1, of the first among those of the chip */
};

static struct metrics metrics_of(const struct model *m, const struct view *v)
{
	const struct reading *r = m->fleet->chips[v->selected].r;
	struct metrics x = { .n = 0, .place = 1 };

	for (size_t i = 0; i < HISTORY_METRICS; i++) {
		const size_t metric = (v->metric + i) % HISTORY_METRICS;

		if (r[history_fields[metric]].state == READING_ABSENT)
			continue;
		x.at[x.n++] = metric;
		x.place += metric < x.at[0];
	}
	if (x.n == 0)
		x.at[x.n++] = v->metric % HISTORY_METRICS;
	return x;
}

/* Draw as many plots as have enough lines; they share all lines. */
static void draw_plots(struct canvas *c, struct rect r, const struct model *m, const struct view *v,
	const struct span *span)
{
	const struct metrics metrics = metrics_of(m, v);
	const size_t chips = m->fleet->n;
	int n = r.h / PLOT_LINES, most = v->across ? (int)chips : metrics.n;

	n = n < 1 ? 1 : n > PLOTS_MAX ? PLOTS_MAX : n;
	n = n < most ? n : most;
	for (int i = 0; i < n; i++) {
		int top = r.h * i / n, bottom = r.h * (i + 1) / n;

		bottom -= i + 1 < n && n < 4;
		draw_plot(c, (struct rect){ r.x, r.y + top, r.w, bottom - top }, m, v, span,
			(size_t)(v->selected + (v->across ? i : 0)) % chips,
			metrics.at[v->across ? 0 : i]);
	}
}

/* The card and its number among those that the arrows reach; or the metric of all cards. */
static void draw_foot_right(struct foot *foot, const struct model *m, const struct view *v)
{
	const struct snapshot *s = &m->fleet->chips[v->selected];
	static struct rows rows;
	size_t at = 0;
	int n;

	if (v->across) {
		snprintf(foot->right, sizeof(foot->right), "%s of all cards",
			fields[history_fields[v->metric % HISTORY_METRICS]].brief);
		return;
	}
	n = snprintf(foot->right, sizeof(foot->right), "%d %s", s->index, s->series);
	rows = (struct rows){ 0 };
	rows_build(&rows, m, v, 0);
	while (at < rows.shown && rows.chips[at] != v->selected)
		at++;
	if (rows.shown > 1 && at < rows.shown)
		snprintf(foot->right + n, sizeof(foot->right) - (size_t)n, ", ↑↓ %zu of %zu",
			at + 1, rows.shown);
}

/* Explain the keys and what they choose from; if scrolled back, say how far. */
static void draw_foot(struct foot *foot, int width, const struct model *m, const struct view *v)
{
	const struct metrics metrics = metrics_of(m, v);
	char age[24], back[24];

	draw_foot_right(foot, m, v);
	notice_age(tab_spans[v->zoom].ns, age, sizeof(age));
	if (v->back > 0) {
		snprintf(foot->left, sizeof(foot->left), "%s, ending %s ago (End: now)", age,
			notice_age(v->back, back, sizeof(back)));
		return;
	}
	snprintf(foot->brief, sizeof(foot->brief),
		"←→ back  + - zoom  m metric (%d of %d)  a %s", metrics.place, metrics.n,
		v->across ? "one card" : "all cards");
	snprintf(foot->left, sizeof(foot->left), "%.280s  [ ] cursor", foot->brief);
	if (width < WORDS_FROM)
		snprintf(foot->brief, sizeof(foot->brief), "←→ +- [] m a (h: help)");
}

static void tab_history_draw(struct canvas *c, struct rect r, const struct model *m, struct view *v,
	struct foot *foot)
{
	struct span span;

	v->plot_columns = 0;
	v->page = v->lines = 0;
	if (m->fleet->n == 0 || !m->history || (size_t)v->selected >= m->fleet->n) {
		canvas_words(c, r.x + 1, r.y, r.w - 2, STYLE_DIM, "no device, no history");
		return;
	}
	if (m->ended) {
		canvas_wrap(c, r.x + 1, r.y, r.w - 2, r.h, STYLE_DIM,
			"a snapshot is one moment and has no history (Enter: its values)");
		return;
	}
	r.x++;
	r.w -= 2;
	if (r.w < LABELS + 4 || r.h < 3) {
		canvas_words(c, r.x, r.y, r.w, STYLE_DIM, "too small for a plot");
		return;
	}
	span = span_of(m, v, r.w);
	v->plot_columns = r.w - span.left;
	draw_plots(c, (struct rect){ r.x, r.y, r.w, r.h - 1 }, m, v, &span);
	draw_axis(c, (struct rect){ r.x, r.y + r.h - 1, r.w, 1 }, m, v, &span);
	draw_foot(foot, r.w, m, v);
}

static void scroll(struct view *v, const struct model *m, int64_t by)
{
	int64_t oldest = m->history ? history_oldest(m->history, (size_t)v->selected) : 0;
	int64_t most = oldest > 0 ? m->now - oldest : 0;

	v->back += by;
	v->back = v->back > most ? most : v->back;
	v->back = v->back < 0 ? 0 : v->back;
}

static void move_cursor(struct view *v, int by)
{
	v->cursor = v->cursor < 0 ? 0 : v->cursor + by;
	v->cursor = v->cursor < 0 ? 0 : v->cursor;
	if (v->plot_columns > 0 && v->cursor >= v->plot_columns)
		v->cursor = v->plot_columns - 1;
}

/* How far a key scrolls back, or forth if negative; 0: it does not scroll. */
static int64_t scrolls_by(uint32_t key, int64_t span)
{
	return key == UI_KEY_LEFT ? span / 8 : key == UI_KEY_RIGHT ? -span / 8 :
		key == UI_KEY_PAGE_UP ? span : key == UI_KEY_PAGE_DOWN ? -span :
		key == UI_KEY_HOME ? INT64_MAX / 4 : key == UI_KEY_END ? -INT64_MAX / 4 : 0;
}

static bool key(struct view *v, uint32_t key, const struct model *m)
{
	const int64_t by = scrolls_by(key, tab_spans[v->zoom].ns);

	if (by != 0)
		scroll(v, m, by);
	switch (key) {
	case '+':
	case '=':
	case UI_KEY_WHEEL_UP:
		v->zoom -= v->zoom > 0;
		return true;
	case '-':
	case UI_KEY_WHEEL_DOWN:
		v->zoom += v->zoom + 1 < tab_spans_len;
		return true;
	case '[':
	case '<':
		move_cursor(v, 1);
		return true;
	case ']':
	case '>':
		move_cursor(v, -1);
		return true;
	case 'm':
		v->metric = (v->metric + 1) % HISTORY_METRICS;
		return true;
	case 'M':
		v->metric = (v->metric + HISTORY_METRICS - 1) % HISTORY_METRICS;
		return true;
	case 'a':
		v->across = !v->across;
		return true;
	default:
		return by != 0;
	}
}

const struct tab_ops tab_history = {
	.name = "History",
	.brief = "Hist",
	.apart = true,
	.limits = true,
	.draw = tab_history_draw,
	.key = key,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "ui/overview.h"

#include "base/array.h"
#include "base/clock.h"
#include "ui/bar.h"
#include "ui/column.h"
#include "ui/plot.h"

#include <stdio.h>
#include <string.h>

#define NAMES	 16			/* cells for index and board */
#define TEXT	 12			/* "58 / 150 W" */
#define LINES	 6			/* of a chip at most */
#define SPAN	 (5 * 60 * CLOCK_SECOND)
#define WIDEST	 100

static const struct {
	enum field_id field;
	size_t metric;			/* of the history */
	const char *title;
} gauges[] = { { FIELD_POWER, 1, "Power" }, { FIELD_ASIC_TEMP, 0, "Core temperature" } };

static void draw_history(struct canvas *c, struct rect r, const struct model *m, int chip,
	size_t gauge)
{
	struct history_bin bins[2 * WIDEST];
	struct plot p = { .bins = bins, .cursor = -1 };
	int64_t slot, to;

	if (!m->history || m->ended || r.w < 4)
		return;
	r.w = r.w < WIDEST ? r.w : WIDEST;
	p.n = (size_t)r.w * 2;
	/* The picture moves when a slice is full, not with every reading. */
	slot = SPAN / (int64_t)p.n;
	to = m->now - m->now % slot + slot;
	if (history_series(m->history, (size_t)chip, gauges[gauge].metric, to - slot * (int64_t)p.n,
		to, 2 * slot + 3 * m->interval, bins, p.n) == 0)
		return;
	plot_end(&p, to - slot * (int64_t)p.n, to, m->now);
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

void overview_draw(struct canvas *c, struct rect r, const struct model *m, const struct view *v,
	const struct rows *rows)
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

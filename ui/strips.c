/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The power of each chip against its own limit, so that strips can be compared: an idle board
 * is low and one that works is high, whatever its type.
 */
#include "config.h"
#include "ui/strips.h"

#include "base/clock.h"
#include "ui/column.h"

#include <stdio.h>

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
		for (size_t i = 0; i < rows->shown && rows->row[k].kind == ROW_FOLD; i++)
			if (rows_in_fold(rows, m, &rows->row[k], i))
				is_in[rows->chips[i]] = true;
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
		most = limit->value * fields[FIELD_POWER].scale /
			fields[fields[FIELD_POWER].limit].scale;
	for (int i = 0; i < length && most > 0; i++) {
		int64_t level = bins[i].avg * LEVELS / most;
		enum style style = column_load_style(FIELD_POWER, (int)(bins[i].avg * 100 / most));

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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each slice of time is filled up to its minimum, and with every other dot from there to its
 * maximum, so that a short peak or dip is visible at every zoom.
 */
#include "config.h"
#include "ui/plot.h"

void bar_draw(struct canvas *c, int x, int y, int w, int percent, enum style style)
{
	int full = percent < 0 ? 0 : percent >= 100 ? w : (percent * w + 50) / 100;

	canvas_fill(c, (struct rect){ x, y, full, 1 }, style, 0x2588);
	canvas_fill(c, (struct rect){ x + full, y, w - full, 1 }, STYLE_FRAME, 0x2591);
}

/* The braille dot of column 0 or 1, row 0 to 3 from above. */
static const uint8_t dots[2][4] = { { 0x01, 0x02, 0x04, 0x40 }, { 0x08, 0x10, 0x20, 0x80 } };

/* A step of 1, 2 or 5 times a power of ten that is at least v. */
static int64_t round_step(int64_t v)
{
	static const int mul[] = { 1, 2, 5 };

	for (int64_t ten = 1;; ten *= 10)
		for (int i = 0; i < 3; i++)
			if (ten * mul[i] >= v || ten > INT64_MAX / 100)
				return ten * mul[i];
}

static int64_t floor_to(int64_t v, int64_t step)
{
	int64_t rest = v % step;

	return v - rest - (rest < 0 ? step : 0);
}

/*
 * Put marks at both ends, and use as many of the h cells as allow equal distances.  Returns how
 * much a cell stands for, or 0 if there are too many marks.
 */
static int64_t set_marks(struct plot *p, int64_t min, int64_t max, int64_t step, int h)
{
	int64_t n, apart;

	p->low = floor_to(min, step);
	p->high = -floor_to(-max, step);
	/* Keep room above `most` only for values that are there. */
	if (p->most > 0 && p->most > min && p->high > p->most && p->most % step == 0)
		p->high = p->most;
	n = (p->high - p->low) / step;
	/* Too few cells for equal distances: the ends are the edges. */
	if (h < 4) {
		p->rows = 0;
		return n <= 2 ? step : 0;
	}
	apart = (h - 1) / n;
	p->rows = (int)(apart * n) + 1;
	return apart >= (h < 8 ? 1 : 2) ? step / apart : 0;
}

struct history_bin plot_sum(const struct history_bin *bins, size_t n)
{
	struct history_bin all = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (bins[i].n == 0)
			continue;
		all.min = all.n == 0 || bins[i].min < all.min ? bins[i].min : all.min;
		all.max = all.n == 0 || bins[i].max > all.max ? bins[i].max : all.max;
		all.avg += bins[i].avg;
		all.n++;
	}
	if (all.n > 0)
		all.avg /= (int64_t)all.n;
	return all;
}

int64_t plot_range(struct plot *p, int64_t least, int h)
{
	const struct history_bin all = plot_sum(p->bins, p->n);
	int64_t min = all.min, max = all.max, step, best = 1, least_cell = 0;
	int found = 0;

	if (all.n == 0)
		max = p->has_limit && p->limit > 0 ? p->limit : least;
	/* A limit that is far away would flatten the plot. */
	if (p->has_limit && p->limit > max && p->limit - max <= max - min + least * 4)
		max = p->limit;
	if (max > p->most)
		p->most = 0;
	/* Values that hardly change are drawn in the middle, not at an edge. */
	if (max - min < least) {
		int64_t low = min - (least - (max - min)) / 2;

		low = min >= 0 && low < 0 ? 0 : low;
		max = low + least;
		min = low;
	}
	/* Of three steps whose marks fit, take the one whose cells stand for least. */
	for (step = round_step((max - min) / h); found < 3 && step <= INT64_MAX / 100;
		step = round_step(step + 1)) {
		int64_t cell = set_marks(p, min, max, step, h);

		if (cell == 0)
			continue;
		if (found++ == 0 || cell < least_cell)
			best = step, least_cell = cell;
	}
	set_marks(p, min, max, best, h);
	return best;
}

/*
 * The row of dots of a value, 0 at the top, if each of h cells has `per` rows.  A mark is in the
 * middle of its cell; without marks the ends are the edges.
 */
static int row_of(const struct plot *p, int64_t v, int h, int per)
{
	int64_t rows = p->rows > 0 ? (int64_t)(p->rows - 1) * per : (int64_t)h * per;
	int64_t row = (p->high - v) * rows / (p->high - p->low) + (p->rows > 0 ? per / 2 : 0);

	return row < 0 ? 0 : row >= (int64_t)h * per ? h * per - 1 : (int)row;
}

int plot_row(const struct plot *p, int64_t value, int h)
{
	return row_of(p, value, h, 4) / 4;
}

static void draw_limit(struct canvas *c, struct rect r, const struct plot *p)
{
	int y;

	if (!p->has_limit || p->limit > p->high || p->limit < p->low)
		return;
	y = r.y + plot_row(p, p->limit, r.h);
	canvas_fill(c, (struct rect){ r.x, y, r.w, 1 }, STYLE_LIMIT, 0x2504);
}

/* The rows of dots of a slice's maximum and minimum; false: nothing is known. */
static bool slice(const struct plot *p, size_t i, int h, int per, int *top, int *solid)
{
	const struct history_bin *bin = &p->bins[i];

	*top = *solid = h * per;
	if (i >= p->n || bin->n == 0)
		return false;
	*top = row_of(p, bin->max, h, per);
	*solid = row_of(p, bin->min, h, per);
	return true;
}

/* The style of a cell in row y: only the part that reaches the limit stands out. */
static enum style cell_style(const struct plot *p, const struct history_bin *bin, int y, int limit)
{
	enum style style = STYLE_NORMAL;

	if (p->has_limit && bin->n > 0 && bin->max >= p->limit && y <= limit)
		style = bin->max > p->limit ? p->over_limit : p->at_limit;
	return style == STYLE_NORMAL ? STYLE_PLOT : style;
}

static void plot_put(struct canvas *c, int x, int y, enum style style, uint32_t ch)
{
	/* The area covers the limit's line. */
	canvas_put(c, x, y, STYLE_NORMAL, ' ');
	canvas_put(c, x, y, style, ch);
}

/* Whether a slice has this dot: all up to its minimum, every other one up to its maximum. */
static bool has_dot(int x, int y, int top, int solid)
{
	return y >= solid || y == top || (y > top && ((x + y) & 1));
}

static void draw_cell(struct canvas *c, struct rect r, const struct plot *p, int x, int limit)
{
	int rows = p->rows > 0 ? p->rows : r.h, top[2], solid[2], first;

	for (int side = 0; side < 2; side++)
		slice(p, (size_t)(x * 2 + side), r.h, 4, &top[side], &solid[side]);
	first = (top[0] < top[1] ? top[0] : top[1]) / 4;
	for (int y = first; y < rows; y++) {
		int higher = top[1] < top[0];
		uint8_t bits = 0;

		for (int side = 0; side < 2; side++)
			for (int dot = 0; dot < 4; dot++)
				if (has_dot(side, y * 4 + dot, top[side], solid[side]))
					bits |= dots[side][dot];
		if (bits)
			plot_put(c, r.x + x, r.y + y,
				cell_style(p, &p->bins[x * 2 + higher], y, limit), 0x2800U + bits);
	}
}

/* Without braille: three heights per cell, then '|' down to the minimum and ':' below it. */
static void draw_plain(struct canvas *c, struct rect r, const struct plot *p, int x, int limit)
{
	static const char shapes[] = "'-.";
	int rows = p->rows > 0 ? p->rows : r.h, top, solid;
	size_t i = (size_t)x * 2 + 1;

	if (!slice(p, i, r.h, 3, &top, &solid) && !slice(p, --i, r.h, 3, &top, &solid))
		return;
	for (int y = top / 3; y < rows; y++)
		plot_put(c, r.x + x, r.y + y, cell_style(p, &p->bins[i], y, limit),
			y == top / 3 ? (uint32_t)shapes[top % 3] : y < solid / 3 ? '|' : ':');
}

void plot_draw(struct canvas *c, struct rect r, const struct plot *p)
{
	int limit = p->has_limit ? plot_row(p, p->limit, r.h) : -1;

	if (r.w <= 0 || r.h <= 0 || p->high <= p->low)
		return;
	draw_limit(c, r, p);
	for (int x = 0; x < r.w && (size_t)x * 2 + 1 < p->n; x++) {
		if (c->charset == CHARSET_UTF8)
			draw_cell(c, r, p, x, limit);
		else
			draw_plain(c, r, p, x, limit);
	}
	if (p->cursor < 0 || p->cursor >= r.w)
		return;
	for (int y = 0; y < r.h; y++) {
		const struct cell *at = canvas_at(c, r.x + p->cursor, r.y + y);
		bool free = at && (at->ch == ' ' || at->style == STYLE_LIMIT);

		if (at)
			plot_put(c, r.x + p->cursor, r.y + y, STYLE_CURSOR, free ? 0x2502 : at->ch);
	}
}

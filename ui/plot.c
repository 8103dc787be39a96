/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line of dots a slice, from its minimum to its maximum and to where the
 * slice before ended, so that a short peak is seen at every zoom.
 */
#include "config.h"
#include "ui/plot.h"

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

int64_t plot_range(struct plot *p, int64_t least, int h)
{
	int64_t min = INT64_MAX, max = INT64_MIN, step, marks = h > 5 ? h / 2 : 2;

	for (size_t i = 0; i < p->n; i++)
		if (p->bins[i].n > 0) {
			min = p->bins[i].min < min ? p->bins[i].min : min;
			max = p->bins[i].max > max ? p->bins[i].max : max;
		}
	if (min > max)
		min = 0, max = p->has_limit && p->limit > 0 ? p->limit : least;
	/* A limit that is far away would press the line flat. */
	if (p->has_limit && p->limit > max && p->limit - max <= max - min + least * 4)
		max = p->limit;
	/* A line that hardly moves stands in the middle, not on an edge. */
	if (max - min < least) {
		int64_t low = min - (least - (max - min)) / 2;

		low = min >= 0 && low < 0 ? 0 : low;
		max = low + least;
		min = low;
	}
	/* Rounding the edges may add up to two steps. */
	for (step = round_step((max - min) / marks);; step = round_step(step + 1)) {
		p->low = floor_to(min, step);
		p->high = -floor_to(-max, step);
		if ((p->high - p->low) / step <= marks || step > INT64_MAX / 100)
			return step;
	}
}

void plot_end(struct plot *p, int64_t from, int64_t to, int64_t now)
{
	for (size_t i = 0; i < p->n; i++)
		if (from + (to - from) * (int64_t)i / (int64_t)p->n > now)
			p->bins[i].n = 0;
}

/* Which of `rows` rows of dots, 0 at the top. */
static int row_of(const struct plot *p, int64_t v, int rows)
{
	int64_t row = (p->high - v) * rows / (p->high - p->low);

	return row < 0 ? 0 : row >= rows ? rows - 1 : (int)row;
}

int plot_row(const struct plot *p, int64_t value, int h)
{
	return row_of(p, value, h * 4) / 4;
}

static void draw_limit(struct canvas *c, struct rect r, const struct plot *p)
{
	int y;

	if (!p->has_limit || p->limit > p->high || p->limit < p->low)
		return;
	y = r.y + plot_row(p, p->limit, r.h);
	canvas_fill(c, (struct rect){ r.x, y, r.w, 1 }, STYLE_LIMIT, 0x2504);
}

/* The dots that a slice fills, top and bottom row; false: nothing is known. */
static bool slice(const struct plot *p, size_t i, int rows, int *top, int *bottom)
{
	const struct history_bin *bin = &p->bins[i];

	if (i >= p->n || bin->n == 0)
		return false;
	*top = row_of(p, bin->max, rows);
	*bottom = row_of(p, bin->min, rows);
	if (i > 0 && p->bins[i - 1].n > 0) {
		int last_top = row_of(p, p->bins[i - 1].max, rows);
		int last_bottom = row_of(p, p->bins[i - 1].min, rows);

		if (last_bottom < *top)
			*top = last_bottom + 1;
		if (last_top > *bottom)
			*bottom = last_top - 1;
	}
	return true;
}

static enum style line_style(const struct plot *p, const struct history_bin *bin)
{
	enum style style = STYLE_NORMAL;

	if (p->has_limit && bin->n > 0 && bin->max >= p->limit)
		style = bin->max > p->limit ? p->over_limit : p->at_limit;
	return style == STYLE_NORMAL ? STYLE_PLOT : style;
}

static void put(struct canvas *c, int x, int y, enum style style, uint32_t ch)
{
	/* The line runs over the limit's. */
	canvas_put(c, x, y, STYLE_NORMAL, ' ');
	canvas_put(c, x, y, style, ch);
}

static void draw_cell(struct canvas *c, struct rect r, const struct plot *p, int x, int rows)
{
	int top[2] = { rows, rows }, bottom[2] = { -1, -1 }, first, last;

	for (int side = 0; side < 2; side++)
		slice(p, (size_t)(x * 2 + side), rows, &top[side], &bottom[side]);
	first = (top[0] < top[1] ? top[0] : top[1]) / 4;
	last = (bottom[0] > bottom[1] ? bottom[0] : bottom[1]) / 4;
	for (int y = first; y <= last && y < r.h; y++) {
		uint8_t bits = 0;

		for (int side = 0; side < 2; side++)
			for (int dot = 0; dot < 4; dot++)
				if (y * 4 + dot >= top[side] && y * 4 + dot <= bottom[side])
					bits |= dots[side][dot];
		if (bits)
			put(c, r.x + x, r.y + y, line_style(p, &p->bins[x * 2 + (bottom[1] >= 0)]),
				0x2800U + bits);
	}
}

/* Without braille: three heights a cell. */
static void draw_plain(struct canvas *c, struct rect r, const struct plot *p, int x)
{
	static const char marks[] = "'-.";
	int top = 0, bottom = -1;

	if (!slice(p, (size_t)(x * 2 + 1), r.h * 3, &top, &bottom) &&
		!slice(p, (size_t)(x * 2), r.h * 3, &top, &bottom))
		return;
	for (int y = top / 3; y <= bottom / 3; y++) {
		bool whole = bottom - top >= 2;

		put(c, r.x + x, r.y + y, line_style(p, &p->bins[x * 2 + 1]),
			whole ? '|' : (uint32_t)marks[(y == top / 3 ? top : bottom) % 3]);
	}
}

void plot_draw(struct canvas *c, struct rect r, const struct plot *p)
{
	if (r.w <= 0 || r.h <= 0 || p->high <= p->low)
		return;
	draw_limit(c, r, p);
	for (int x = 0; x < r.w && (size_t)x * 2 + 1 < p->n; x++) {
		if (c->charset == CHARSET_UTF8)
			draw_cell(c, r, p, x, r.h * 4);
		else
			draw_plain(c, r, p, x);
	}
	if (p->cursor < 0 || p->cursor >= r.w)
		return;
	for (int y = 0; y < r.h; y++) {
		const struct cell *at = canvas_at(c, r.x + p->cursor, r.y + y);

		if (at && (at->ch == ' ' || at->style == STYLE_LIMIT))
			put(c, r.x + p->cursor, r.y + y, STYLE_CURSOR, 0x2502);
	}
}

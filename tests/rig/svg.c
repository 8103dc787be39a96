/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svg.c - a screen as a picture.  Fonts differ from one viewer to the next, so each run of
 * text is stretched to its cells, and frames, bars and plots are drawn as shapes.
 */
#include "config.h"
#include "tests/rig/svg.h"
#include "base/mem.h"
#include "ui/term_local.h"

#include <stdio.h>
#include <string.h>

/* Of a cell, and of its text above the lower end; a cell is twice as high as wide. */
enum { CELL_W = 9, CELL_H = 18, BASE_LINE = 5, MARGIN = 9, FONT = 15 };

#define GROUND 0x16181d
#define TEXT   0xd8dbe0

uint32_t svg_rgb(int color)
{
	static const uint32_t levels[] = { 0x00, 0x5f, 0x87, 0xaf, 0xd7, 0xff };

	if (color < 16)
		return 0;
	if (color >= 232)
		return (uint32_t)(8 + 10 * (color - 232)) * 0x10101;
	color -= 16;
	return levels[color / 36] << 16 | levels[color / 6 % 6] << 8 | levels[color % 6];
}

/* How a cell looks; what both sides of a run share. */
static struct look look_of(const struct cell *cell)
{
	return palette_look(PALETTE_DARK, 256, (enum style)cell->style, cell->lit);
}

static bool looks_alike(const struct cell *a, const struct cell *b)
{
	struct look x = look_of(a), y = look_of(b);

	return x.fg == y.fg && x.bg == y.bg && x.attr == y.attr;
}

static uint32_t color_of(int color, uint32_t own)
{
	return color < 0 ? own : svg_rgb(color);
}

/* The arms of the frames' characters, from the middle of the cell. */
enum { UP = 1, DOWN = 2, LEFT = 4, RIGHT = 8, ROUND = 16, DASHED = 32 };

static unsigned arms_of(uint32_t ch)
{
	static const struct {
		uint16_t ch, arms;
	} table[] = {
		{ 0x2500, LEFT | RIGHT }, { 0x2502, UP | DOWN }, { 0x2504, LEFT | RIGHT | DASHED },
		{ 0x250a, UP | DOWN | DASHED }, { 0x251c, UP | DOWN | RIGHT },
		{ 0x2524, UP | DOWN | LEFT }, { 0x253c, UP | DOWN | LEFT | RIGHT },
		{ 0x256d, DOWN | RIGHT | ROUND }, { 0x256e, DOWN | LEFT | ROUND },
		{ 0x256f, UP | LEFT | ROUND }, { 0x2570, UP | RIGHT | ROUND },
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (table[i].ch == ch)
			return table[i].arms;
	return 0;
}

static bool is_block(uint32_t ch)
{
	return (ch >= 0x2581 && ch <= 0x2588) || (ch >= 0x2591 && ch <= 0x2593);
}

static bool is_braille(uint32_t ch)
{
	return ch >= 0x2800 && ch < 0x2900;
}

static bool is_shape(uint32_t ch)
{
	return arms_of(ch) || is_block(ch) || is_braille(ch);
}

static void put_frame(struct strbuf *to, int x, int y, int n, unsigned arms)
{
	int mid_x = x + CELL_W / 2, mid_y = y + CELL_H / 2;

	if (arms & ROUND) {
		strbuf_printf(to, "M%d.5 %dQ%d.5 %d.5 %d %d.5", mid_x,
			arms & UP ? y : y + CELL_H, mid_x, mid_y,
			arms & LEFT ? x : x + CELL_W, mid_y);
		return;
	}
	if (arms & (LEFT | RIGHT))
		strbuf_printf(to, "M%d %d.5H%d", arms & LEFT ? x : mid_x, mid_y,
			arms & RIGHT ? x + n * CELL_W : mid_x);
	if (arms & (UP | DOWN))
		strbuf_printf(to, "M%d.5 %dV%d", mid_x, y, y + CELL_H);
}

static void put_block(struct strbuf *to, int x, int y, int n, uint32_t ch)
{
	int h = ch <= 0x2588 ? (int)(ch - 0x2580) * CELL_H / 8 : CELL_H;

	strbuf_printf(to, "M%d %dH%dV%dH%dz", x, y + CELL_H - h, x + n * CELL_W, y + CELL_H, x);
}

static void put_braille(struct strbuf *to, int x, int y, uint32_t ch)
{
	/* Column and row of each bit. */
	static const uint8_t places[8][2] = {
		{ 0, 0 }, { 0, 1 }, { 0, 2 }, { 1, 0 }, { 1, 1 }, { 1, 2 }, { 0, 3 }, { 1, 3 }
	};

	for (int i = 0; i < 8; i++)
		if (ch >> i & 1)
			strbuf_printf(to, "M%d %dh2v2h-2z", x + 2 + 4 * places[i][0],
				y + 1 + (CELL_H - 2) / 4 * places[i][1]);
}

/* n cells of one shape and look. */
static void draw_shape(struct strbuf *to, const struct cell *cell, int x, int y, int n)
{
	unsigned arms = arms_of(cell->ch);
	uint32_t color = color_of(look_of(cell).fg, TEXT);

	strbuf_puts(to, "<path d=\"");
	if (arms)
		put_frame(to, x, y, n, arms);
	else if (is_block(cell->ch))
		put_block(to, x, y, n, cell->ch);
	else
		for (int i = 0; i < n; i++)
			put_braille(to, x + i * CELL_W, y, cell[i].ch);
	if (arms)
		strbuf_printf(to, "\" fill=\"none\" stroke=\"#%06x\"%s/>\n", color,
			arms & DASHED ? " stroke-dasharray=\"3 3\"" : "");
	else
		strbuf_printf(to, "\" fill=\"#%06x\"%s/>\n", color,
			cell->ch == 0x2591 ? " opacity=\".25\"" :
			cell->ch == 0x2593 ? " opacity=\".75\"" : "");
}

static void draw_text(struct strbuf *to, const struct cell *cell, int x, int y, int n)
{
	struct look look = look_of(cell);

	strbuf_printf(to, "<text x=\"%d\" y=\"%d\" textLength=\"%d\" fill=\"#%06x\"%s>",
		x, y + CELL_H - BASE_LINE, n * CELL_W, color_of(look.fg, TEXT),
		look.attr & LOOK_BOLD ? " class=\"b\"" : "");
	for (int i = 0; i < n; i++) {
		char utf8[4];

		if (cell[i].ch == '<' || cell[i].ch == '&')
			strbuf_puts(to, cell[i].ch == '<' ? "&lt;" : "&amp;");
		else if (cell[i].ch)
			strbuf_printf(to, "%.*s", glyph_encode(cell[i].ch, utf8), utf8);
	}
	strbuf_puts(to, "</text>\n");
}

static bool is_blank(const struct cell *cell)
{
	return cell->ch == ' ' || cell->ch == 0;
}

/* How many cells from here on are drawn at once: a shape, or a text with single blanks in it. */
static int run_of(const struct cell *cell, int left)
{
	bool same = !is_braille(cell->ch) && is_shape(cell->ch);
	int n = 1;

	for (; n < left && looks_alike(cell, cell + n); n++) {
		if (same ? cell[n].ch != cell->ch || arms_of(cell->ch) & UP :
			is_braille(cell->ch) != is_braille(cell[n].ch))
			break;
		if (!same && !is_braille(cell->ch) && (is_shape(cell[n].ch) ||
			(is_blank(cell + n) && n + 1 < left && is_blank(cell + n + 1))))
			break;
	}
	while (!same && n > 1 && is_blank(cell + n - 1))
		n--;
	return n;
}

static void draw_grounds(const struct canvas *c, int row, struct strbuf *to)
{
	const struct cell *cells = c->cells + (ptrdiff_t)row * c->w;

	for (int x = 0, n; x < c->w; x += n) {
		int bg = look_of(&cells[x]).bg;

		for (n = 1; x + n < c->w && look_of(&cells[x + n]).bg == bg; n++)
			;
		if (bg >= 0)
			strbuf_printf(to, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
				"fill=\"#%06x\"/>\n", MARGIN + x * CELL_W, MARGIN + row * CELL_H,
				n * CELL_W, CELL_H, svg_rgb(bg));
	}
}

static void draw_row(const struct canvas *c, int row, struct strbuf *to)
{
	const struct cell *cells = c->cells + (ptrdiff_t)row * c->w;
	int y = MARGIN + row * CELL_H;

	draw_grounds(c, row, to);
	for (int x = 0, n; x < c->w; x += n) {
		n = 1;
		if (is_blank(&cells[x]))
			continue;
		n = run_of(&cells[x], c->w - x);
		(is_shape(cells[x].ch) ? draw_shape : draw_text)(to, &cells[x],
			MARGIN + x * CELL_W, y, n);
	}
}

void svg_draw(const struct canvas *c, const char *title, struct strbuf *to)
{
	int w = c->w * CELL_W + 2 * MARGIN, h = c->h * CELL_H + 2 * MARGIN;

	strbuf_printf(to,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
		"width=\"%d\" height=\"%d\" role=\"img\">\n<title>%s</title>\n"
		"<style>text{font:%dpx ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}"
		".b{font-weight:bold}</style>\n"
		"<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#%06x\"/>\n",
		w, h, w, h, title, FONT, w, h, GROUND);
	for (int row = 0; row < c->h; row++)
		draw_row(c, row, to);
	strbuf_puts(to, "</svg>\n");
}

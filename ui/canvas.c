/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term_draw.c compares the cells with those of the last picture, so a cell must
 * hold everything that decides how it looks.
 */
#include "config.h"
#include "ui/canvas.h"

#include "base/mem.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/*
 * All screens are written in UTF-8.  For a terminal that shows less, each
 * character is replaced by one of the same width when its cell is set, so no
 * layout depends on the character set.
 */

static const struct {
	uint16_t ch, console;
	char ascii;
} substitutes[] = {
	{ 0x00b0, 0x00b0, ' ' },	/* degree: "°C" in a heading; see glyph_is_dropped() */
	{ 0x00b7, 0x00b7, '.' },
	{ 0x00d7, 'x', 'x' },
	{ 0x2013, '-', '-' },
	{ 0x2026, '>', '>' },
	{ 0x2190, 0x2190, '<' },
	{ 0x2191, 0x2191, '^' },
	{ 0x2192, 0x2192, '>' },
	{ 0x2193, 0x2193, 'v' },
	{ 0x2260, '!', '!' },
	{ 0x2500, 0x2500, '-' },
	{ 0x2501, 0x2500, '-' },
	{ 0x2502, 0x2502, '|' },
	{ 0x2503, 0x2502, '|' },
	{ 0x2504, 0x2500, '-' },
	{ 0x250a, 0x2502, ':' },
	{ 0x256d, 0x250c, '+' },
	{ 0x256e, 0x2510, '+' },
	{ 0x256f, 0x2518, '+' },
	{ 0x2570, 0x2514, '+' },
	{ 0x2581, '_', '_' },
	{ 0x2582, '_', '_' },
	{ 0x2583, 0x2584, '.' },
	{ 0x2584, 0x2584, '-' },
	{ 0x2585, 0x2584, '-' },
	{ 0x2586, 0x2588, '=' },
	{ 0x2587, 0x2588, '=' },
	{ 0x2588, 0x2588, '#' },
	{ 0x2591, 0x2591, '.' },
	{ 0x2593, 0x2593, '=' },
	{ 0x25b2, 0x25b2, '^' },
	{ 0x25b8, 0x25ba, '>' },
	{ 0x25bc, 0x25bc, 'v' },
	{ 0x25cb, 0x25cb, 'o' },
	{ 0x25cf, 0x2022, '*' },
	{ 0x2665, 0x2665, 'H' },
	{ 0x2713, 0x221a, '+' },
	{ 0x2717, 'x', 'x' },
};

uint32_t glyph_next_other(const char **text)
{
	const size_t len = utf8_len_printed(*text);
	const uint32_t ch = len > 0 ? utf8_code(*text, len) : 0xfffd;

	if (**text == '\0')
		return 0;
	*text += len > 0 ? len : 1;
	return ch;
}

/* Box drawing. */
static bool glyph_is_line(uint32_t ch)
{
	return ch >= 0x2500 && ch < 0x2580;
}

/* The code point to show for ch in this character set. */
static uint32_t glyph_for(enum charset set, uint32_t ch)
{
	if (ch < 0x80 || set == CHARSET_UTF8)
		return ch;
	for (size_t i = 0; i < ARRAY_LEN(substitutes); i++)
		if (substitutes[i].ch == ch)
			return set == CHARSET_ASCII ? (uint32_t)substitutes[i].ascii :
				substitutes[i].console;
	if (set == CHARSET_ASCII)
		return glyph_is_line(ch) ? '+' : '?';
	return ch;
}

/* True if a text omits ch after `before` in this set: "94.1 °C" is "94.1 C" in ASCII. */
static bool glyph_is_dropped(enum charset set, uint32_t before, uint32_t ch)
{
	return set == CHARSET_ASCII && ch == 0x00b0 && before == ' ';
}

void glyph_put_ascii(struct strbuf *to, const char *text)
{
	size_t owed = 0;

	for (uint32_t ch, before = 0; *text; before = ch) {
		ch = (unsigned char)*text < 0x80 ? (unsigned char)*text++ : glyph_next(&text);
		if (ch == 0x00b0) {
			owed++;
			continue;
		}
		if (ch == '\n')
			owed = 0;
		if (before == ' ' && (ch == ' ' || glyph_is_line(ch))) {
			strbuf_put_times(to, " ", owed);
			owed = 0;
		}
		strbuf_putc(to, (char)glyph_for(CHARSET_ASCII, ch));
	}
}

int glyph_width_other(uint32_t ch)
{
	int width = ch == 0xfffd ? 1 : wcwidth((wchar_t)ch);

	return width < 0 ? 1 : width;
}

int glyph_text_width(const char *text)
{
	int width = 0;

	for (uint32_t ch; (ch = glyph_next(&text)) != 0;)
		width += glyph_width(ch);
	return width;
}

int glyph_encode(uint32_t ch, char *out)
{
	static const uint32_t leads[] = { 0, 0xc0, 0xe0, 0xf0 };
	const int more = ch < 0x80 ? 0 : ch < 0x800 ? 1 : ch < 0x10000 ? 2 : 3;

	out[0] = (char)(leads[more] | ch >> 6 * more);
	for (int i = 1; i <= more; i++)
		out[i] = (char)(0x80 | (ch >> 6 * (more - i) & 0x3f));
	return more + 1;
}

/* The grid. */

struct rect rect_take_top(struct rect *from, int h)
{
	struct rect r = { from->x, from->y, from->w, h < from->h ? h : from->h };

	from->y += r.h;
	from->h -= r.h;
	return r;
}

struct rect rect_take_bottom(struct rect *from, int h)
{
	h = h < from->h ? h : from->h;
	from->h -= h;
	return (struct rect){ from->x, from->y + from->h, from->w, h };
}

void canvas_resize(struct canvas *c, int w, int h, enum charset charset)
{
	size_t need = (size_t)w * (size_t)h;

	if (need > c->size) {
		c->cells = mem_realloc(c->cells, need * sizeof(*c->cells));
		c->size = need;
	}
	c->w = w;
	c->h = h;
	c->charset = charset;
	canvas_erase(c);
}

void canvas_clear(struct canvas *c)
{
	free(c->cells);
	*c = (struct canvas){ 0 };
}

void canvas_erase(struct canvas *c)
{
	size_t row = (size_t)c->w, n = row * (size_t)c->h;

	for (size_t i = 0; i < row && i < n; i++)
		c->cells[i] = (struct cell){ .ch = ' ' };
	for (size_t i = row; i < n; i += row)
		memcpy(c->cells + i, c->cells, row * sizeof(*c->cells));
	c->clip = (struct rect){ 0, 0, c->w, c->h };
	c->hit = 0;
	c->lit = false;
	c->cuts = c->overlaps = 0;
}

struct rect canvas_clip(struct canvas *c, struct rect r)
{
	struct rect old = c->clip;
	int right = r.x + r.w < old.x + old.w ? r.x + r.w : old.x + old.w;
	int bottom = r.y + r.h < old.y + old.h ? r.y + r.h : old.y + old.h;

	c->clip.x = r.x > old.x ? r.x : old.x;
	c->clip.y = r.y > old.y ? r.y : old.y;
	c->clip.w = right > c->clip.x ? right - c->clip.x : 0;
	c->clip.h = bottom > c->clip.y ? bottom - c->clip.y : 0;
	return old;
}

static bool is_line_shown(const struct canvas *c, int y)
{
	return y >= c->clip.y && y < c->clip.y + c->clip.h;
}

static bool inside(const struct canvas *c, int x, int y)
{
	return x >= c->clip.x && x < c->clip.x + c->clip.w && is_line_shown(c, y);
}

static struct cell *cell_at(const struct canvas *c, int x, int y)
{
	return &c->cells[(size_t)y * (size_t)c->w + (size_t)x];
}

static inline void set(struct canvas *c, int x, int y, enum style style, uint32_t ch)
{
	struct cell *cell = cell_at(c, x, y);

	if (ch != ' ' && cell->ch != ' ' && cell->style != STYLE_FRAME)
		c->overlaps++;
	/* If half of a wide character is overwritten, the other half becomes blank. */
	if (cell->ch == 0 && x > 0)
		cell[-1].ch = ' ';
	if (x + 1 < c->w && cell[1].ch == 0)
		cell[1].ch = ' ';
	*cell = (struct cell){ .ch = ch, .hit = c->hit, .style = (uint8_t)style, .lit = c->lit };
}

/* Whether writing this cell would overwrite half of a wide character. */
static inline bool is_half(const struct canvas *c, int x, int y)
{
	const struct cell *cell = cell_at(c, x, y);

	return cell->ch == 0 || (x + 1 < c->w && cell[1].ch == 0);
}

void canvas_put(struct canvas *c, int x, int y, enum style style, uint32_t ch)
{
	int width;

	ch = glyph_for(c->charset, ch);
	width = glyph_width(ch);
	if (width == 0 || !inside(c, x, y))
		return;
	if (width == 2 && !inside(c, x + 1, y)) {
		set(c, x, y, style, ' ');
		return;
	}
	set(c, x, y, style, ch);
	if (width == 2)
		set(c, x + 1, y, style, 0);
}

void canvas_fill(struct canvas *c, struct rect r, enum style style, uint32_t ch)
{
	const struct rect old = canvas_clip(c, r), in = c->clip;
	const struct cell blank = { .ch = ' ', .hit = c->hit, .style = (uint8_t)style,
		.lit = c->lit };

	c->clip = old;
	ch = glyph_for(c->charset, ch);
	for (int y = in.y; y < in.y + in.h; y++)
		for (int x = in.x; x < in.x + in.w; x++)
			if (ch == ' ' && !is_half(c, x, y))
				*cell_at(c, x, y) = blank;
			else
				set(c, x, y, style, ch);
}

/* Put the characters that end before `end`; returns the x after them. */
static int put_text(struct canvas *c, int x, int y, int end, enum style style, const char *text)
{
	const int left = c->clip.x, right = left + c->clip.w;
	const bool shown = is_line_shown(c, y);

	for (uint32_t ch, before = 0; (ch = glyph_next(&text)) != 0 && x + glyph_width(ch) < end;
		before = ch) {
		if (glyph_is_ascii(ch)) {
			if (shown && x >= left && x < right)
				set(c, x, y, style, ch);
			x++;
		} else if (!glyph_is_dropped(c->charset, before, ch)) {
			canvas_put(c, x, y, style, ch);
			x += glyph_width(ch);
		}
	}
	return x;
}

int canvas_text(struct canvas *c, int x, int y, enum style style, const char *text)
{
	return put_text(c, x, y, INT_MAX, style, text);
}

int canvas_printf(struct canvas *c, int x, int y, enum style style, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return canvas_text(c, x, y, style, text);
}

int canvas_words(struct canvas *c, int x, int y, int w, enum style style, const char *text)
{
	if (glyph_text_width(text) <= w)
		return canvas_text(c, x, y, style, text);
	if (w <= 0)
		return x;
	x = put_text(c, x, y, x + w, style, text);
	canvas_put(c, x, y, style, 0x2026);
	return x + 1;
}

int canvas_tail(struct canvas *c, int x, int y, int w, enum style style, const char *text)
{
	int over = glyph_text_width(text) - w;

	if (over <= 0)
		return canvas_text(c, x, y, style, text);
	if (w <= 0)
		return x;
	while (over >= 0 && *text)
		over -= glyph_width(glyph_next(&text));
	canvas_put(c, x, y, style, 0x2026);
	return canvas_text(c, x + 1, y, style, text);
}

/* Returns the end of the line that begins at text; *next is where the next line begins. */
static const char *line_end(const char *text, int w, const char **next)
{
	const char *end = NULL, *at = text, *before = text;
	int width = 0;

	for (uint32_t ch; (ch = glyph_next(&at)) != 0; before = at) {
		if (ch == ' ')
			end = before;
		width += glyph_width(ch);
		if (width > w && (ch != ' ' || end != before))
			break;
	}
	if (width <= w) {
		*next = before;
		return before;
	}
	/* A word that is longer than the line is split. */
	if (!end || end == text)
		end = before > text ? before : at;
	for (*next = end; **next == ' ';)
		(*next)++;
	return end;
}

int canvas_wrap(struct canvas *c, int x, int y, int w, int h, enum style style, const char *text)
{
	const char *next;
	int n = 0;

	if (w <= 0)
		return 0;
	for (; *text; text = next, n++) {
		const int len = (int)(line_end(text, w, &next) - text);

		if (n >= h || !is_line_shown(c, y + n))
			continue;
		if (n + 1 == h && *next)
			canvas_words(c, x, y + n, w, style, text);
		else
			canvas_printf(c, x, y + n, style, "%.*s", len, text);
	}
	return n;
}

int canvas_wrap_height(int w, const char *text)
{
	return canvas_wrap(NULL, 0, 0, w, 0, STYLE_NORMAL, text);
}

void canvas_number(struct canvas *c, int x, int y, int w, enum style style, const char *text)
{
	int width = glyph_text_width(text);

	if (!inside(c, x, y) || !inside(c, x + w - 1, y)) {
		c->cuts += inside(c, x, y) || inside(c, x + w - 1, y);
		return;
	}
	if (width > w)
		for (int i = 0; i < w; i++)
			canvas_put(c, x + i, y, style, '#');
	else
		canvas_text(c, x + w - width, y, style, text);
}

void canvas_blank(struct canvas *c, struct rect r)
{
	canvas_fill(c, r, STYLE_NORMAL, ' ');
}

void canvas_box(struct canvas *c, struct rect r, const char *title)
{
	int right = r.x + r.w - 1, bottom = r.y + r.h - 1;

	if (r.w < 2 || r.h < 2)
		return;
	canvas_fill(c, (struct rect){ r.x + 1, r.y, r.w - 2, 1 }, STYLE_FRAME, 0x2500);
	canvas_fill(c, (struct rect){ r.x + 1, bottom, r.w - 2, 1 }, STYLE_FRAME, 0x2500);
	canvas_fill(c, (struct rect){ r.x, r.y + 1, 1, r.h - 2 }, STYLE_FRAME, 0x2502);
	canvas_fill(c, (struct rect){ right, r.y + 1, 1, r.h - 2 }, STYLE_FRAME, 0x2502);
	canvas_put(c, r.x, r.y, STYLE_FRAME, 0x256d);
	canvas_put(c, right, r.y, STYLE_FRAME, 0x256e);
	canvas_put(c, r.x, bottom, STYLE_FRAME, 0x2570);
	canvas_put(c, right, bottom, STYLE_FRAME, 0x256f);
	if (title && r.w > glyph_text_width(title) + 4)
		canvas_printf(c, r.x + 1, r.y, STYLE_TITLE, " %s ", title);
}

const struct cell *canvas_at(const struct canvas *c, int x, int y)
{
	if (x < 0 || y < 0 || x >= c->w || y >= c->h)
		return NULL;
	return cell_at(c, x, y);
}

void canvas_to_text(const struct canvas *c, struct strbuf *to)
{
	for (int y = 0; y < c->h; y++) {
		const struct cell *row = cell_at(c, 0, y);
		int last = c->w - 1;

		while (last >= 0 && row[last].ch == ' ')
			last--;
		for (int x = 0; x <= last; x++) {
			char text[4];

			if (row[x].ch != 0)
				strbuf_add(to, text, (size_t)glyph_encode(row[x].ch, text));
		}
		strbuf_putc(to, '\n');
	}
}

const struct mark_look mark_looks[MARKS] = {
	[MARK_NONE] = { "-", STYLE_DIM },
	[MARK_WAITS] = { "·", STYLE_DIM },
	[MARK_GOOD] = { "✓", STYLE_GOOD },
	[MARK_BAD] = { "✗", STYLE_BAD },
	[MARK_WARN] = { "!", STYLE_WARN },
	[MARK_ALIVE] = { "●", STYLE_DIM },
	[MARK_STILL] = { "○", STYLE_BAD },
	[MARK_STANDS] = { "○", STYLE_WARN },
	[MARK_FULL] = { "█", STYLE_GOOD },
	[MARK_SLOW] = { "▓", STYLE_WARN },
	[MARK_IDLE] = { "░", STYLE_DIM },
	[MARK_OFF] = { "·", STYLE_DIM },
};

void mark_draw(struct canvas *c, int x, int y, enum mark mark)
{
	canvas_text(c, x, y, mark_looks[mark].style, mark_looks[mark].text);
}

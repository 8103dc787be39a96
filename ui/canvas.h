/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * canvas.h - a grid of cells to draw on, without a terminal.
 *
 * Drawing outside of the clipping rectangle does nothing.  The canvas counts
 * what good layout never does (numbers that were cut, text over text), so that
 * a test of any screen at any size is one comparison with zero.
 */
#pragma once

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum charset {
	CHARSET_UTF8,		/* all of it */
	CHARSET_CONSOLE,	/* UTF-8, but a font of 256 or 512 glyphs: the Linux console */
	CHARSET_ASCII
};

/* What a cell means; term_out.c says how that looks. */
enum style {
	STYLE_NORMAL, STYLE_DIM, STYLE_HEADING, STYLE_LIMIT, STYLE_WARN, STYLE_BAD, STYLE_GOOD,
	STYLE_TITLE, STYLE_FRAME, STYLE_TAB, STYLE_TAB_ON, STYLE_KEY, STYLE_PLOT, STYLE_CURSOR,
	STYLE_WARM,		/* a value that comes near its limit */
	STYLE_LIMIT_NEAR,	/* the limit of such a value */
	STYLES
};

struct cell {
	uint32_t ch;		/* 0: the right half of the wide character before it */
	uint16_t hit;		/* what a click here means (view.h); 0: nothing */
	uint8_t style;		/* enum style */
	bool lit;		/* on the selected line */
};

struct rect {
	int x, y, w, h;
};

/* Cut at most h lines off from, at its top or bottom; returns them. */
struct rect rect_take_top(struct rect *from, int h);
struct rect rect_take_bottom(struct rect *from, int h);

struct canvas {
	int w, h;
	enum charset charset;
	struct rect clip;
	uint16_t hit;		/* given to every cell that is drawn */
	bool lit;		/* likewise */
	unsigned cuts;		/* numbers that did not fit where they were put */
	unsigned overlaps;	/* texts put over other texts */
	size_t size;		/* cells allocated */
	struct cell *cells;	/* w * h of them, by rows */
};

/* Zero-initialise a canvas before the first use; clear frees. */
void canvas_resize(struct canvas *c, int w, int h, enum charset charset);
void canvas_clear(struct canvas *c);

/* Blank all cells, clip to the whole canvas, and set the counters to 0. */
void canvas_erase(struct canvas *c);

/* Restrict drawing to r, within the present clip; returns the present clip. */
struct rect canvas_clip(struct canvas *c, struct rect r);

void canvas_put(struct canvas *c, int x, int y, enum style style, uint32_t ch);

/* UTF-8 text from x on; returns the x after it. */
int canvas_text(struct canvas *c, int x, int y, enum style style, const char *text);
int canvas_printf(struct canvas *c, int x, int y, enum style style, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/* Text in at most w cells; a longer one ends in "…".  Returns the x after it. */
int canvas_words(struct canvas *c, int x, int y, int w, enum style style, const char *text);

/* The same, but the end of a longer text is shown, and "…" before it. */
int canvas_tail(struct canvas *c, int x, int y, int w, enum style style, const char *text);

/*
 * Text in at most h lines of w cells, broken at blanks, from y down; the last
 * line may end in "…".  Returns how many lines the whole text needs; with h 0
 * nothing is drawn.
 */
int canvas_wrap(struct canvas *c, int x, int y, int w, int h, enum style style, const char *text);

/* Lines that the whole text needs in w cells. */
int canvas_wrap_height(int w, const char *text);

/* A number at the right end of w cells; "##" replaces one that does not fit. */
void canvas_number(struct canvas *c, int x, int y, int w, enum style style, const char *text);

/* Fill a rectangle with a character that takes one cell. */
void canvas_fill(struct canvas *c, struct rect r, enum style style, uint32_t ch);

/* Blank a rectangle, whatever is there. */
void canvas_blank(struct canvas *c, struct rect r);

/* A frame with rounded corners around r. */
void canvas_box(struct canvas *c, struct rect r, const char *title);

/* The cell there, or NULL outside. */
const struct cell *canvas_at(const struct canvas *c, int x, int y);

/* Append all lines, without trailing blanks. */
void canvas_to_text(const struct canvas *c, struct strbuf *to);

/* Signs of one cell, with the same meaning in tables, beside checks, in maps of cores. */
enum mark {
	MARK_NONE,		/* nothing to show */
	MARK_WAITS,		/* not known yet */
	MARK_GOOD,		/* a check that passes */
	MARK_BAD,		/* failed, gone, wrong */
	MARK_WARN,		/* to be checked */
	MARK_ALIVE,		/* moves */
	MARK_STILL,		/* stands still and should not */
	MARK_STANDS,		/* a thread that stands still, but may only be waiting */
	MARK_FULL, MARK_SLOW, MARK_IDLE, MARK_OFF,	/* cores; FULL: as fast as they should be */
	MARKS
};

extern const struct mark_look {
	const char *text;
	enum style style;
} mark_looks[MARKS];

void mark_draw(struct canvas *c, int x, int y, enum mark mark);

/* Characters: from UTF-8 and back, their width, substitutes for terminals that lack them. */

/* Printable ASCII, most of every screen: one byte and one cell in every character set. */
static inline bool glyph_is_ascii(uint32_t ch)
{
	return ch >= 0x20 && ch < 0x7f;
}

uint32_t glyph_next_other(const char **text);

int glyph_width_other(uint32_t ch);

/*
 * Returns the next code point and advances *text; 0 at the end.  Invalid bytes
 * and control characters become U+FFFD, so that no text from outside can move
 * the cursor.
 */
static inline uint32_t glyph_next(const char **text)
{
	const unsigned char ch = (unsigned char)**text;

	return glyph_is_ascii(ch) ? ((*text)++, ch) : glyph_next_other(text);
}

/*
 * Add lines of text in ASCII.  "94 °C" becomes "94 C", and the next gap of two spaces, or before a
 * frame, gets the cell back, so that columns stay aligned.  Control characters stay.
 */
void glyph_put_ascii(struct strbuf *to, const char *text);

/* Cells that ch takes on a terminal: 0, 1 or 2. */
static inline int glyph_width(uint32_t ch)
{
	/* The characters of our own screens: no need to ask the locale. */
	return ch < 0x300 || (ch >= 0x2010 && ch < 0x2e00) ? 1 : glyph_width_other(ch);
}

/* Cells of a whole text. */
int glyph_text_width(const char *text);

/* Write ch as UTF-8 into out (at least 4 bytes); returns the length. */
int glyph_encode(uint32_t ch, char *out);

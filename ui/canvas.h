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
#include "ui/glyph.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a cell means; palette.c says how that looks. */
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

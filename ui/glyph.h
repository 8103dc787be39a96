/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * glyph.h - characters: UTF-8 to code points and back, their width, and
 * substitutes for terminals that lack them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum charset {
	CHARSET_UTF8,		/* all of it */
	CHARSET_CONSOLE,	/* UTF-8, but a font of 256 or 512 glyphs: the Linux console */
	CHARSET_ASCII
};

/* Printable ASCII, most of every screen: one byte and one cell in every character set. */
static inline bool glyph_is_ascii(uint32_t ch)
{
	return ch >= 0x20 && ch < 0x7f;
}

uint32_t glyph_next_other(const char **text);
uint32_t glyph_for_other(enum charset set, uint32_t ch);
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

/* The code point to show for ch in this character set. */
static inline uint32_t glyph_for(enum charset set, uint32_t ch)
{
	return ch < 0x80 || set == CHARSET_UTF8 ? ch : glyph_for_other(set, ch);
}

/* True if a text omits ch after `before` in this set: "94.1 °C" is "94.1 C" in ASCII. */
bool glyph_is_dropped(enum charset set, uint32_t before, uint32_t ch);

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

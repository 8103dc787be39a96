/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * glyph.h - characters: UTF-8 in, code points out, how wide they are, and what
 * stands for them where a terminal does not have them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum charset {
	CHARSET_UTF8,		/* all of it */
	CHARSET_CONSOLE,	/* UTF-8, but a font of 256 or 512 glyphs: the Linux console */
	CHARSET_ASCII
};

/* Printable ASCII, of which most of every screen is made: one byte, one cell, in every set. */
static inline bool glyph_is_ascii(uint32_t ch)
{
	return ch >= 0x20 && ch < 0x7f;
}

uint32_t glyph_next_other(const char **text);
uint32_t glyph_for_other(enum charset set, uint32_t ch);
int glyph_width_other(uint32_t ch);

/*
 * The next code point of *text, which moves on; 0 at the end.  A byte that is
 * not UTF-8 and a control character are U+FFFD: nothing that comes from
 * outside moves the cursor.
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

/* "94.1 °C" is "94.1 C" in ASCII: of a text, ch after this one is not shown at all. */
bool glyph_is_dropped(enum charset set, uint32_t before, uint32_t ch);

/* Cells of a terminal it takes: 0, 1 or 2. */
static inline int glyph_width(uint32_t ch)
{
	/* What the screens are made of, without asking the locale. */
	return ch < 0x300 || (ch >= 0x2010 && ch < 0x2e00) ? 1 : glyph_width_other(ch);
}

/* Cells of a whole text. */
int glyph_text_width(const char *text);

/* Write ch as UTF-8 into out (at least 4 bytes); returns the length. */
int glyph_encode(uint32_t ch, char *out);

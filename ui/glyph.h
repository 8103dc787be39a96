/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * glyph.h - characters: UTF-8 in, code points out, how wide they are, and what
 * stands for them where a terminal does not have them.
 */
#pragma once

#include <stdint.h>

enum charset {
	CHARSET_UTF8,		/* all of it */
	CHARSET_CONSOLE,	/* UTF-8, but a font of 256 or 512 glyphs: the Linux console */
	CHARSET_ASCII
};

/*
 * The next code point of *text, which moves on; 0 at the end.  A byte that is
 * not UTF-8 and a control character are U+FFFD: nothing that comes from
 * outside moves the cursor.
 */
uint32_t glyph_next(const char **text);

/* The code point to show for ch in this character set. */
uint32_t glyph_for(enum charset set, uint32_t ch);

/* Cells of a terminal it takes: 0, 1 or 2. */
int glyph_width(uint32_t ch);

/* Cells of a whole text. */
int glyph_text_width(const char *text);

/* Write ch as UTF-8 into out (at least 4 bytes); returns the length. */
int glyph_encode(uint32_t ch, char *out);

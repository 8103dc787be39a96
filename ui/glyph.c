/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All screens are written in UTF-8.  For a terminal that shows less, each
 * character is replaced by one of the same width when its cell is set, so no
 * layout depends on the character set.
 */
#include "config.h"
#include "ui/glyph.h"

#include "base/array.h"

#include <stddef.h>
#include <wchar.h>

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
	{ 0x2502, 0x2502, '|' },
	{ 0x2504, 0x2500, '-' },
	{ 0x250a, 0x2502, ':' },
	{ 0x251c, 0x251c, '|' },
	{ 0x2524, 0x2524, '|' },
	{ 0x253c, 0x253c, '+' },
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
	const unsigned char *at = (const unsigned char *)*text;
	static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
	uint32_t ch = *at;
	int more;

	if (ch == 0)
		return 0;
	*text += 1;
	if (ch < 0x80)
		return ch < 0x20 || ch == 0x7f ? 0xfffd : ch;
	more = ch < 0xc2 ? 0 : ch < 0xe0 ? 1 : ch < 0xf0 ? 2 : ch < 0xf5 ? 3 : 0;
	if (more == 0)
		return 0xfffd;
	ch &= 0x3fU >> more;
	for (int i = 1; i <= more; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0xfffd;
		ch = ch << 6 | (at[i] & 0x3f);
	}
	if (ch < least[more] || ch < 0xa0 || ch > 0x10ffff || (ch >= 0xd800 && ch < 0xe000))
		return 0xfffd;
	*text += more;
	return ch < 0xa0 ? 0xfffd : ch;
}

uint32_t glyph_for_other(enum charset set, uint32_t ch)
{
	for (size_t i = 0; i < ARRAY_LEN(substitutes); i++)
		if (substitutes[i].ch == ch)
			return set == CHARSET_ASCII ? (uint32_t)substitutes[i].ascii :
				substitutes[i].console;
	return set == CHARSET_ASCII ? '?' : ch;
}

bool glyph_is_dropped(enum charset set, uint32_t before, uint32_t ch)
{
	return set == CHARSET_ASCII && ch == 0x00b0 && before == ' ';
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
	if (ch < 0x80) {
		out[0] = (char)ch;
		return 1;
	}
	if (ch < 0x800) {
		out[0] = (char)(0xc0 | ch >> 6);
		out[1] = (char)(0x80 | (ch & 0x3f));
		return 2;
	}
	if (ch < 0x10000) {
		out[0] = (char)(0xe0 | ch >> 12);
		out[1] = (char)(0x80 | (ch >> 6 & 0x3f));
		out[2] = (char)(0x80 | (ch & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | ch >> 18);
	out[1] = (char)(0x80 | (ch >> 12 & 0x3f));
	out[2] = (char)(0x80 | (ch >> 6 & 0x3f));
	out[3] = (char)(0x80 | (ch & 0x3f));
	return 4;
}

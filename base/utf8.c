/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/utf8.h"
#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

size_t utf8_len(const char *text)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t least;
	} kinds[] = { { 0x80, 0x00, 0 }, { 0xe0, 0xc0, 0x80 }, { 0xf0, 0xe0, 0x800 },
		{ 0xf8, 0xf0, 0x10000 } };
	const unsigned char *p = (const unsigned char *)text;

	for (size_t n = 0; n < ARRAY_LEN(kinds); n++) {
		uint32_t c = p[0] & (unsigned char)~kinds[n].mask;

		if ((p[0] & kinds[n].mask) != kinds[n].lead)
			continue;
		for (size_t i = 1; i <= n; i++) {
			if ((p[i] & 0xc0) != 0x80)
				return 0;
			c = c << 6 | (p[i] & 0x3f);
		}
		if (c < kinds[n].least || (c >= 0xd800 && c < 0xe000) || c == 0xfffe ||
			c == 0xffff || c > 0x10ffff)
			return 0;
		return n + 1;
	}
	return 0;
}

size_t utf8_len_printed(const char *p)
{
	const unsigned char *c = (const unsigned char *)p;
	bool is_c1 = c[0] == 0xc2 && c[1] < 0xa0;	/* U+0080 to U+009F */

	return c[0] < 0x20 || c[0] == 0x7f || is_c1 ? 0 : utf8_len(p);
}

void utf8_clean(char *text)
{
	while (*text) {
		size_t n = utf8_len_printed(text);

		if (n == 0)
			*text = '?';
		text += n ? n : 1;
	}
}

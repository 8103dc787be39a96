/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/text.h"

#include <stdint.h>
#include <stdio.h>

/* Bytes of the UTF-8 character at p that a terminal shows; 0 if it is none. */
static size_t printable(const unsigned char *p)
{
	size_t n = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	uint32_t c = n == 1 ? p[0] : n == 0 || p[0] > 0xf4 ? 0 : p[0] & (0x7fu >> n);

	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff ||
		(n == 3 && c < 0x800) || (n == 4 && c < 0x10000))
		return 0;
	return n;
}

char *text_plain(char *dst, size_t size, const char *src)
{
	const unsigned char *p = (const unsigned char *)src;
	size_t len = 0;

	while (*p) {
		size_t n = printable(p), need = n ? n : 4;

		if (len + need >= size)
			break;
		if (n == 0)
			snprintf(dst + len, size - len, "\\x%02x", *p);
		for (size_t i = 0; i < n; i++)
			dst[len + i] = (char)p[i];
		p += n ? n : 1;
		len += need;
	}
	if (size > 0)
		dst[len] = '\0';
	return dst;
}

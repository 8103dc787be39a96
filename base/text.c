/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/text.h"
#include "base/utf8.h"

#include <stdio.h>

char *text_plain(char *dst, size_t size, const char *src)
{
	size_t len = 0;

	for (const char *p = src; *p;) {
		size_t n = utf8_len_printed(p), need = n ? n : 4;

		if (len + need >= size)
			break;
		if (n == 0)
			snprintf(dst + len, size - len, "\\x%02x", (unsigned)(unsigned char)*p);
		for (size_t i = 0; i < n; i++)
			dst[len + i] = p[i];
		p += n ? n : 1;
		len += need;
	}
	if (size > 0)
		dst[len] = '\0';
	return dst;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/text.h"
#include "base/utf8.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

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

void text_put_plain(struct strbuf *to, const char *text)
{
	const size_t most = 4 * strlen(text) + 1;	/* each byte as \x1b */
	char *at = strbuf_room(to, most);

	strbuf_took(to, at + strlen(text_plain(at, most, text)));
}

void text_put_wrapped(struct strbuf *to, const char *text, size_t indent, size_t columns)
{
	const size_t room = columns > indent + 20 ? columns - indent : SIZE_MAX;

	while (strlen(text) > room) {
		size_t cut = room;

		while (cut > 0 && text[cut] != ' ')
			cut--;
		if (cut == 0)
			break;
		strbuf_printf(to, "%.*s\n%*s", (int)cut, text, (int)indent, "");
		text += cut + 1;
	}
	strbuf_printf(to, "%s\n", text);
}

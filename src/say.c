/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/say.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

void say(const char *fmt, ...)
{
	char text[5000], plain[10000];	/* with a path in it */
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(stderr, "tt-smi: %s\n", text_plain(plain, sizeof(plain), text));
}

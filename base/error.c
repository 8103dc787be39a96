/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/error.h"
#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int fail(struct error *e, int code, const char *fmt, ...)
{
	char text[sizeof(e->text)];
	va_list ap;

	if (e) {
		e->code = code;
		va_start(ap, fmt);
		vsnprintf(text, sizeof(text), fmt, ap);
		va_end(ap);
		text_plain(e->text, sizeof(e->text), text);
	}
	return code;
}

int fail_errno(struct error *e, const char *fmt, ...)
{
	char text[sizeof(e->text)];
	int cause = errno;
	va_list ap;

	if (e) {
		va_start(ap, fmt);
		vsnprintf(text, sizeof(text), fmt, ap);
		va_end(ap);
		fail(e, -cause, "%s: %s", text, strerror(cause));
	}
	return -cause;
}

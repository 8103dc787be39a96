/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/error.h"
#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 4, 0)))
static int fill(struct error *e, int code, enum code word, const char *fmt, va_list ap)
{
	char text[sizeof(e->text)];

	if (e) {
		e->code = code;
		e->word = word;
		vsnprintf(text, sizeof(text), fmt, ap);
		text_plain(e->text, sizeof(e->text), text);
	}
	return code;
}

int fail(struct error *e, int code, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = fill(e, code, code_find(code), fmt, ap);
	va_end(ap);
	return r;
}

int fail_as(struct error *e, enum code word, int code, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = fill(e, code, word, fmt, ap);
	va_end(ap);
	return r;
}

int fail_because(struct error *e, int code, const struct error *why, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = fill(e, code, why->code == code ? why->word : code_find(code), fmt, ap);
	va_end(ap);
	return r;
}

int fail_errno(struct error *e, const char *fmt, ...)
{
	char text[sizeof(e->text)];
	int cause = errno;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return fail(e, -cause, "%s: %s", text, strerror(cause));
}

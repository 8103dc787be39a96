/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int fail(struct error *e, int code, const char *fmt, ...)
{
	va_list ap;

	if (e) {
		e->code = code;
		va_start(ap, fmt);
		vsnprintf(e->text, sizeof(e->text), fmt, ap);
		va_end(ap);
	}
	return code;
}

int fail_errno(struct error *e, const char *fmt, ...)
{
	int cause = errno;
	va_list ap;
	int n;

	if (e) {
		e->code = -cause;
		va_start(ap, fmt);
		n = vsnprintf(e->text, sizeof(e->text), fmt, ap);
		va_end(ap);
		if (n >= 0 && (size_t)n < sizeof(e->text))
			snprintf(e->text + n, sizeof(e->text) - (size_t)n, ": %s", strerror(cause));
	}
	return -cause;
}

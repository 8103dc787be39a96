/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ini_text.h - lines "name = value" below [section] headings, as libinih reads them.
 */
#pragma once

#include "base/error.h"

#include <stddef.h>

#define INI_TEXT_MOST 198	/* bytes of a line that libinih takes as Debian builds it */

struct ini_text_ops {
	/* A line; section is "" before the first heading.  The texts are not kept. */
	void (*take)(void *arg, size_t line, const char *section, const char *name,
		const char *value);
	/* A line that cannot be read, and why; reading goes on behind it. */
	void (*trouble)(void *arg, size_t line, const char *why);
};

/*
 * Read a text of any bytes.  Blank lines and those that begin with # or ; say nothing, and a value
 * ends before " ;".  A byte order mark at its beginning is passed over, as blanks before a line
 * are.  -ELIBACC, -ELIBBAD: without libinih nothing was read.
 */
int ini_text_read(const char *text, size_t len, const struct ini_text_ops *ops, void *arg,
	struct error *e);

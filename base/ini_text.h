/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ini_text.h - lines "name = value" below [section] headings, as libinih reads them.
 */
#pragma once

#include "base/error.h"

#include <stddef.h>

#define INI_TEXT_MOST 198	/* bytes of the longest line that Debian's libinih takes */

struct ini_text_ops {
	/* A line; section is "" before the first heading.  The strings do not outlive the call. */
	void (*take)(void *arg, size_t line, const char *section, const char *name,
		const char *value);
	/* A line that cannot be read, and why; reading goes on with the next line. */
	void (*trouble)(void *arg, size_t line, const char *why);
};

/*
 * Read a text of any bytes.  Blank lines and lines that begin with # or ; are skipped, and a value
 * ends before " ;".  A byte order mark at the beginning and blanks before a line are skipped too.
 * -ELIBACC, -ELIBBAD: libinih could not be loaded, and nothing was read.
 */
int ini_text_read(const char *text, size_t len, const struct ini_text_ops *ops, void *arg,
	struct error *e);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - makes text from elsewhere safe to show, and breaks text into lines.
 */
#pragma once

#include "base/strbuf.h"

/*
 * Copy src into dst, cut to fit.  Bytes that a terminal might act on are written
 * in the form \x1b: control characters (C0, DEL, C1) and bytes that are not UTF-8.
 * Returns dst.
 */
char *text_plain(char *dst, size_t size, const char *src);

/* Append all of text in the same form. */
void text_put_plain(struct strbuf *to, const char *text);

/*
 * Append text and a newline, broken at blanks into lines of `columns` cells (0: never), with
 * further lines at this indent.  The first line continues the caller's.
 */
void text_put_wrapped(struct strbuf *to, const char *text, size_t indent, size_t columns);

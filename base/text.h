/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - text from elsewhere, made safe to show, and text in lines.
 */
#pragma once

#include "base/strbuf.h"

/*
 * Copy src into dst, cut to fit.  What a terminal would act on is written out
 * as \x1b: control characters (C0, DEL, C1) and bytes that are no UTF-8.
 * Returns dst.
 */
char *text_plain(char *dst, size_t size, const char *src);

/* Append it so, whole. */
void text_put_plain(struct strbuf *to, const char *text);

/*
 * Text that goes on at this indent, broken at blanks for lines of so many cells (0: never), and
 * its line's end.  The first line begins where the caller has ended.
 */
void text_put_wrapped(struct strbuf *to, const char *text, size_t indent, size_t columns);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - text from elsewhere, made safe to show.
 */
#pragma once

#include <stddef.h>

/*
 * Copy src into dst, cut to fit.  What a terminal would act on is written out
 * as \x1b: control characters (C0, DEL, C1) and bytes that are no UTF-8.
 * Returns dst.
 */
char *text_plain(char *dst, size_t size, const char *src);

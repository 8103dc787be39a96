/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * utf8.h - which bytes are text that other programs will take.
 */
#pragma once

#include <stddef.h>

/*
 * Bytes of the UTF-8 character at p, which ends with a NUL somewhere; 0 when it
 * is none: overlong, a surrogate, cut off, or U+FFFE and U+FFFF, which XML has not.
 */
size_t utf8_len(const char *p);

/* The same without control characters (C0, DEL, C1), the NUL among them. */
size_t utf8_len_printed(const char *p);

/* Make a question mark of each byte that is no printed text. */
void utf8_clean(char *text);

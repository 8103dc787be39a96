/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * utf8.h - which bytes are text that other programs accept.
 */
#pragma once

#include <stddef.h>

/*
 * Length of the UTF-8 character at p, a NUL-terminated string; 0 if it is invalid:
 * overlong, a surrogate, cut off, or U+FFFE and U+FFFF, which XML does not allow.
 */
size_t utf8_len(const char *p);

/* The same, but also 0 for control characters (C0 with NUL, DEL, C1). */
size_t utf8_len_printed(const char *p);

/* Replace each byte that is not printed text with a question mark. */
void utf8_clean(char *text);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line.h - take an expected item off the front of a text, or return false.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

bool line_word(char **at, const char *text);

/* Digits of the base (lower case), at most max. */
bool line_number(char **at, unsigned base, uint64_t max, uint64_t *out);

/* Decimal, maybe negative. */
bool line_int(char **at, int *out);

/* Hex. */
bool line_u16(char **at, uint16_t *out);

/* Decode \xNN in place; returns the new length, or -1 at a \ without xNN. */
ssize_t line_unescape(char *text);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line.c - the small steps of parsing a line of a recording.
 */
#include "config.h"
#include "device/record/line.h"

#include <limits.h>
#include <string.h>

bool line_word(char **at, const char *text)
{
	size_t len = strlen(text);

	if (strncmp(*at, text, len) != 0)
		return false;
	*at += len;
	return true;
}

static int digit(char c, unsigned base)
{
	int v = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;

	return v < (int)base ? v : -1;
}

bool line_number(char **at, unsigned base, uint64_t max, uint64_t *out)
{
	uint64_t v = 0;
	const char *start = *at;

	for (int d; (d = digit(**at, base)) >= 0; ++*at) {
		if (v > (max - (uint64_t)d) / base)
			return false;
		v = v * base + (uint64_t)d;
	}
	*out = v;
	return *at > start;
}

bool line_int(char **at, int *out)
{
	bool negative = line_word(at, "-");
	uint64_t v;

	if (!line_number(at, 10, INT_MAX, &v))
		return false;
	*out = negative ? -(int)v : (int)v;
	return true;
}

bool line_u16(char **at, uint16_t *out)
{
	uint64_t v;

	if (!line_number(at, 16, UINT16_MAX, &v))
		return false;
	*out = (uint16_t)v;
	return true;
}

ssize_t line_unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		int hi, lo;

		if (*from != '\\') {
			*to = *from++;
			continue;
		}
		if (from[1] != 'x' || (hi = digit(from[2], 16)) < 0 ||
			(lo = digit(from[3], 16)) < 0)
			return -1;
		*to = (char)(hi << 4 | lo);
		from += 4;
	}
	*to = '\0';
	return to - text;
}

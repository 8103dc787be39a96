/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parse.h - strict text to number or address.  The whole text is the number (one newline at its end
 * is allowed, as in sysfs), or the answer is false and *out is untouched.  No locale, no leading
 * white space, no overflow.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool parse_u64(const char *text, uint64_t *out);
bool parse_i64(const char *text, int64_t *out);

/* Hex digits, either case, with or without "0x"; at most 16 of them. */
bool parse_hex(const char *text, uint64_t *out);

/*
 * Decimal with an optional fraction ("0.25", "-3.5", "16") in units of
 * 1/scale, rounded to nearest.  More digits than scale can hold are accepted.
 * scale is a power of ten up to 10^9.
 */
bool parse_decimal(const char *text, int64_t scale, int64_t *out);

/* Seconds ("30", "0.01") to nanoseconds; negative is refused. */
bool parse_seconds(const char *text, int64_t *ns);

/* The same with an optional unit: "30", "0.5s", "500ms", "10m", "1h", "2d". */
bool parse_duration(const char *text, int64_t *ns);

/* A byte count with an optional k, M or G (1024-based). */
bool parse_size(const char *text, uint64_t *out);

/* Up to four parts "a.b.c.d", each 0..255, into 0xaabbccdd; missing parts are 0. */
bool parse_version4(const char *text, uint32_t *out);

/* Exactly three parts, 0..255, 0..255 and 0..4095: "a.b.c" is a << 20 | b << 12 | c. */
bool parse_version3(const char *text, int64_t *out);

/*
 * Take the next word of a list: what stands between any of the characters in `apart`.  False at its
 * end.  A word that does not fit is cut.
 */
bool parse_word(const char **list, const char *apart, char *word, size_t size);

/*
 * "HOST" or "HOST:PORT" as people type it: a name, an IPv4 address, or an IPv6 address (in brackets
 * where a port follows).
 */
struct address {
	char host[254];		/* without brackets */
	char port[6];		/* 1 to 65535, or "" if none was given */
	bool is_ipv6;
};

/* False if text is not an address; *out must not be used then.  No name is looked up. */
bool address_parse(const char *text, struct address *out);

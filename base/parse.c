/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/parse.h"

#include "base/mem.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool at_end(const char *p)
{
	return *p == '\0' || (*p == '\n' && p[1] == '\0');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits from p on; false without a digit or on overflow. */
static bool digits(const char **p, uint64_t *out)
{
	uint64_t v = 0;

	if (!is_digit(**p))
		return false;
	for (; is_digit(**p); (*p)++) {
		uint64_t d = (uint64_t)(**p - '0');

		if (v > (UINT64_MAX - d) / 10)
			return false;
		v = v * 10 + d;
	}
	*out = v;
	return true;
}

bool parse_u64(const char *text, uint64_t *out)
{
	uint64_t v;

	if (!digits(&text, &v) || !at_end(text))
		return false;
	*out = v;
	return true;
}

bool parse_i64(const char *text, int64_t *out)
{
	bool minus = *text == '-';
	uint64_t v;

	if (!parse_u64(text + minus, &v) || v > (uint64_t)INT64_MAX)
		return false;
	*out = minus ? -(int64_t)v : (int64_t)v;
	return true;
}

bool parse_hex(const char *text, uint64_t *out)
{
	uint64_t v = 0;
	size_t n = 0;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2;
	for (; isxdigit((unsigned char)*text); text++, n++) {
		int c = tolower((unsigned char)*text);

		v = v << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	if (n == 0 || n > 16 || !at_end(text))
		return false;
	*out = v;
	return true;
}

bool parse_decimal(const char *text, int64_t scale, int64_t *out)
{
	bool minus = *text == '-', up = false;
	uint64_t whole, part = 0;
	int64_t left = scale;

	text += minus;
	if (!digits(&text, &whole) || whole > (uint64_t)(INT64_MAX / scale))
		return false;
	if (*text == '.') {
		text++;
		if (!is_digit(*text))
			return false;
		for (; is_digit(*text); text++) {
			if (left >= 10) {
				left /= 10;
				part += (uint64_t)(*text - '0') * (uint64_t)left;
			} else {
				up = up || (left == 1 && *text >= '5');
				left = 0;
			}
		}
	}
	if (!at_end(text))
		return false;
	whole = whole * (uint64_t)scale + part + up;
	if (whole > (uint64_t)INT64_MAX)
		return false;
	*out = minus ? -(int64_t)whole : (int64_t)whole;
	return true;
}

bool parse_seconds(const char *text, int64_t *ns)
{
	return *text != '-' && parse_decimal(text, 1000000000, ns);
}

bool parse_duration(const char *text, int64_t *ns)
{
	static const struct {
		const char *name;
		int64_t scale, times;	/* for parse_decimal(); then times this is ns */
	} units[] = {
		{ "", 1000000000, 1 }, { "ms", 1000000, 1 }, { "s", 1000000000, 1 },
		{ "m", 1000000000, 60 }, { "h", 1000000000, 3600 }, { "d", 1000000000, 86400 },
	};
	const size_t n = strspn(text, "0123456789.");
	char number[32];
	int64_t v;

	if (n >= sizeof(number))
		return false;
	memcpy(number, text, n);
	number[n] = '\0';
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(text + n, units[i].name) != 0)
			continue;
		if (!parse_decimal(number, units[i].scale, &v) || v > INT64_MAX / units[i].times)
			return false;
		*ns = v * units[i].times;
		return true;
	}
	return false;
}

bool parse_size(const char *text, uint64_t *out)
{
	static const char units[] = "kMG";
	unsigned shift = 0;
	const char *unit;
	uint64_t v;

	if (!digits(&text, &v))
		return false;
	unit = *text ? strchr(units, *text == 'K' ? 'k' : *text) : NULL;
	if (unit) {
		shift = 10 * (unsigned)(unit - units + 1);
		text++;
	}
	if (!at_end(text) || v > UINT64_MAX >> shift)
		return false;
	*out = v << shift;
	return true;
}

bool parse_version4(const char *text, uint32_t *out)
{
	uint32_t v = 0;
	int parts = 0;

	for (;; text++) {
		uint64_t part;

		if (!digits(&text, &part) || part > 255 || parts == 4)
			return false;
		v |= (uint32_t)part << (24 - 8 * parts++);
		if (*text != '.')
			break;
	}
	if (!at_end(text))
		return false;
	*out = v;
	return true;
}

bool parse_version3(const char *text, int64_t *out)
{
	int64_t part[3] = { 0, 0, 0 };
	size_t n = 0;

	for (const char *p = text; *p; p++) {
		if (*p == '.' && p > text && p[-1] != '.' && p[1] && n < 2)
			n++;
		else if (*p >= '0' && *p <= '9' && part[n] < 10000)
			part[n] = part[n] * 10 + (*p - '0');
		else
			return false;
	}
	if (n != 2 || part[0] > 255 || part[1] > 255 || part[2] > 4095)
		return false;
	*out = part[0] << 20 | part[1] << 12 | part[2];
	return true;
}

bool parse_word(const char **list, const char *apart, char *word, size_t size)
{
	size_t len;

	*list += strspn(*list, apart);
	len = strcspn(*list, apart);
	snprintf(word, size, "%.*s", (int)(len < size ? len : size), *list);
	*list += len;
	return len > 0;
}

/* Addresses. */

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define LABEL	63	/* longest part of a name between two dots */

static bool take_host(struct address *out, const char *text, size_t len)
{
	if (len == 0 || len >= sizeof(out->host))
		return false;
	memcpy(out->host, text, len);
	out->host[len] = '\0';
	return true;
}

static bool take_port(struct address *out, const char *text)
{
	uint64_t port;

	if (*text < '1' || *text > '9' || strlen(text) >= sizeof(out->port) ||
		!parse_u64(text, &port) || port > 65535)
		return false;
	mem_copy_text(out->port, sizeof(out->port), text);
	return true;
}

static bool is_ipv6(const char *host)
{
	struct in6_addr unused;

	return inet_pton(AF_INET6, host, &unused) == 1;
}

/* Labels of letters, digits, - and _; the last one may be empty: "host.example." */
static bool is_name(const char *host)
{
	for (size_t len; *host; host += len + (host[len] == '.')) {
		len = strcspn(host, ".");
		if (len == 0 || len > LABEL || *host == '-' ||
			strspn(host, LETTERS "0123456789-_") != len)
			return false;
	}
	return true;
}

bool address_parse(const char *text, struct address *out)
{
	const char *colon = strchr(text, ':'), *end;

	*out = (struct address){ .is_ipv6 = *text == '[' || (colon && strchr(colon + 1, ':')) };
	if (*text == '[') {
		end = strchr(text, ']');
		if (!end || (end[1] && end[1] != ':') || (end[1] && !take_port(out, end + 2)))
			return false;
		text++;
	} else {
		end = out->is_ipv6 || !colon ? text + strlen(text) : colon;
		if (*end && !take_port(out, end + 1))
			return false;
	}
	return take_host(out, text, (size_t)(end - text)) &&
		(out->is_ipv6 ? is_ipv6(out->host) : is_name(out->host));
}

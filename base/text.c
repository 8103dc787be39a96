/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/text.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

void strbuf_clear(struct strbuf *b)
{
	free(b->text);
	*b = (struct strbuf){ 0 };
}

void strbuf_grow(struct strbuf *b, size_t len)
{
	b->size = (b->len + len + 1) * 2;
	if (b->size < 256)
		b->size = 256;
	b->text = mem_realloc(b->text, b->size);
}

void strbuf_put_times(struct strbuf *b, const char *text, size_t n)
{
	while (n--)
		strbuf_puts(b, text);
}

void strbuf_printf(struct strbuf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n <= 0)
		return;
	strbuf_room(b, (size_t)n);
	va_start(ap, fmt);
	vsnprintf(b->text + b->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)n;
}

/* Digits of v, at least `least` of them, ending before `end`; returns their start. */
static char *digits(char *end, uint64_t v, int least)
{
	do {
		*--end = (char)('0' + v % 10);
		v /= 10;
		least--;
	} while (v || least > 0);
	return end;
}

void strbuf_put_u64(struct strbuf *b, uint64_t v)
{
	char text[24], *end = text + sizeof(text);
	const char *at = digits(end, v, 1);

	strbuf_add(b, at, (size_t)(end - at));
}

void strbuf_put_i64(struct strbuf *b, int64_t v)
{
	if (v < 0)
		strbuf_putc(b, '-');
	strbuf_put_u64(b, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

static int digits_of(int64_t scale)
{
	int n = 0;

	for (; scale >= 10; scale /= 10)
		n++;
	return n;
}

void strbuf_put_decimal(struct strbuf *b, int64_t value, int64_t scale)
{
	int decimals = digits_of(scale);

	while (decimals > 0 && value % 10 == 0) {
		value /= 10;
		scale /= 10;
		decimals--;
	}
	strbuf_put_fixed(b, value, scale, decimals);
}

/* The text runs from the returned pointer to `end`. */
static char *fixed_text(char *end, int64_t value, int64_t scale, int decimals)
{
	uint64_t v = value < 0 ? 0 - (uint64_t)value : (uint64_t)value, part = 1;
	int have = digits_of(scale);
	char *at = end;

	for (; have > decimals; have--) {
		bool up = v % 10 >= 5 && have == decimals + 1;

		v = v / 10 + up;
	}
	for (int i = 0; i < have; i++)
		part *= 10;
	if (decimals > 0) {
		for (int i = have; i < decimals; i++)
			*--at = '0';
		if (have > 0)
			at = digits(at, v % part, have);
		*--at = '.';
	}
	at = digits(at, v / part, 1);
	if (value < 0 && v != 0)
		*--at = '-';
	return at;
}

void strbuf_put_fixed(struct strbuf *b, int64_t value, int64_t scale, int decimals)
{
	char text[STRBUF_NUMBER], *end = text + sizeof(text);
	char *at = fixed_text(end, value, scale, decimals);

	strbuf_add(b, at, (size_t)(end - at));
}

char *strbuf_rounded(char text[static STRBUF_NUMBER], int64_t value, int64_t scale, int decimals)
{
	char *end = text + STRBUF_NUMBER - 1, *at;
	int64_t step = scale, half;

	for (int i = 0; i < decimals; i++)
		step /= 10;
	half = step > 1 ? value % step * 2 : 0;
	if (half != 0 && (half == step || half == -step)) {
		snprintf(text, STRBUF_NUMBER, "%.*f", decimals, (double)value / (double)scale);
		at = text;
		end = text + strlen(text);
		at += *at == '-' && at[1 + strspn(at + 1, "0.")] == '\0';	/* no "-0" */
	} else {
		*end = '\0';
		at = fixed_text(end, value, scale, decimals);
	}
	memmove(text, at, (size_t)(end - at) + 1);
	return text;
}

size_t utf8_len(const char *text)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t least;
	} kinds[] = { { 0x80, 0x00, 0 }, { 0xe0, 0xc0, 0x80 }, { 0xf0, 0xe0, 0x800 },
		{ 0xf8, 0xf0, 0x10000 } };
	const unsigned char *p = (const unsigned char *)text;

	for (size_t n = 0; n < ARRAY_LEN(kinds); n++) {
		uint32_t c = p[0] & (unsigned char)~kinds[n].mask;

		if ((p[0] & kinds[n].mask) != kinds[n].lead)
			continue;
		for (size_t i = 1; i <= n; i++) {
			if ((p[i] & 0xc0) != 0x80)
				return 0;
			c = c << 6 | (p[i] & 0x3f);
		}
		if (c < kinds[n].least || (c >= 0xd800 && c < 0xe000) || c == 0xfffe ||
			c == 0xffff || c > 0x10ffff)
			return 0;
		return n + 1;
	}
	return 0;
}

uint32_t utf8_code(const char *p, size_t len)
{
	uint32_t c = (unsigned char)p[0] & (len == 1 ? 0x7fU : 0x7fU >> len);

	for (size_t i = 1; i < len; i++)
		c = c << 6 | ((unsigned char)p[i] & 0x3f);
	return c;
}

/*
 * Characters that show nothing, or change how their neighbours are shown: C0, DEL and C1, and
 * Unicode's format characters and default ignorables (DerivedCoreProperties.txt), in order.
 */
static const struct {
	uint32_t first, last;
} unseen[] = {
	{ 0x0000, 0x001f }, { 0x007f, 0x009f }, { 0x00ad, 0x00ad }, { 0x034f, 0x034f },
	{ 0x061c, 0x061c }, { 0x115f, 0x1160 }, { 0x17b4, 0x17b5 }, { 0x180b, 0x180f },
	{ 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0x3164, 0x3164 },
	{ 0xfdd0, 0xfdef }, { 0xfe00, 0xfe0f }, { 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 },
	{ 0xfff0, 0xfffb }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
};

size_t utf8_len_printed(const char *p)
{
	const size_t len = utf8_len(p);
	const uint32_t c = utf8_code(p, len);

	for (size_t i = 0; len > 0 && i < ARRAY_LEN(unseen) && unseen[i].first <= c; i++)
		if (c <= unseen[i].last)
			return 0;
	return len;
}

char *text_plain(char *dst, size_t size, const char *src)
{
	size_t len = 0;

	for (const char *p = src; *p;) {
		size_t n = utf8_len_printed(p), need = n ? n : 4;

		if (len + need >= size)
			break;
		if (n == 0)
			snprintf(dst + len, size - len, "\\x%02x", (unsigned)(unsigned char)*p);
		for (size_t i = 0; i < n; i++)
			dst[len + i] = p[i];
		p += n ? n : 1;
		len += need;
	}
	if (size > 0)
		dst[len] = '\0';
	return dst;
}

void text_put_plain(struct strbuf *to, const char *text)
{
	const size_t most = 4 * strlen(text) + 1;	/* each byte as \x1b */
	char *at = strbuf_room(to, most);

	strbuf_took(to, at + strlen(text_plain(at, most, text)));
}

void text_put_plain_in(struct strbuf *to, const char *before, const char *text,
	const char *after)
{
	strbuf_puts(to, before);
	text_put_plain(to, text);
	strbuf_puts(to, after);
}

void text_put_count(struct strbuf *to, const char **before, size_t n, const char *word)
{
	if (n == 0)
		return;
	strbuf_printf(to, "%s%zu %s", *before, n, word);
	*before = ", ";
}

size_t text_cells(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

void text_put_wrapped(struct strbuf *to, const char *text, size_t indent, size_t columns)
{
	const size_t room = columns > indent + 20 ? columns - indent : SIZE_MAX;

	while (strlen(text) > room) {
		size_t cut = room;

		while (cut > 0 && text[cut] != ' ')
			cut--;
		if (cut == 0)
			break;
		strbuf_printf(to, "%.*s\n%*s", (int)cut, text, (int)indent, "");
		text += cut + 1;
	}
	strbuf_printf(to, "%s\n", text);
}

void text_join(char *list, size_t size, const char *between, const char *fmt, ...)
{
	size_t at = strlen(list);
	va_list args;

	if (at > 0) {
		mem_copy_text(list + at, size - at, between);
		at = strlen(list);
	}
	va_start(args, fmt);
	vsnprintf(list + at, size - at, fmt, args);
	va_end(args);
}

size_t text_group(const void *all, size_t n, size_t at,
	bool (*is_alike)(const void *all, size_t a, size_t b), int *group)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		if (i == at || is_alike(all, i, at))
			group[found++] = (int)i;
	if (found >= TEXT_ALIKE)
		return group[0] == (int)at ? found : 0;
	group[0] = (int)at;
	return 1;
}

void text_put_cards(struct strbuf *to, const int *index, size_t n)
{
	strbuf_puts(to, "cards ");
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && index[end] == index[end - 1] + 1;)
			end++;
		strbuf_printf(to, "%s%d", i ? ", " : "", index[i]);
		if (end > i + 1)
			strbuf_printf(to, "%s%d", end > i + 2 ? "-" : ", ", index[end - 1]);
	}
}

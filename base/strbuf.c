/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/strbuf.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

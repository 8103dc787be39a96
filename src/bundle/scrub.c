/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scrub.c - one walk over the hexadecimal numbers of a text.
 *
 * A recording has a serial number as two words among others, the high word first.  A small word
 * may be anything, so a small low word is replaced only right after its high word.
 */
#include "config.h"
#include "src/bundle/scrub.h"

#include "base/array.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALL 0x10000

static void scrub_add_reading(struct scrub *s, const struct reading *r, bool is_board)
{
	const uint64_t id = (uint64_t)r->value;

	if (!reading_has_value(r) || id == 0 || s->n == ARRAY_LEN(s->ids))
		return;
	for (size_t i = 0; i < s->n; i++)
		if (s->ids[i].secret == id)
			return;
	/* The upper half of a board's number is its kind. */
	s->ids[s->n].secret = id;
	s->ids[s->n].instead = (is_board ? id & ~(uint64_t)UINT32_MAX : 0) | (s->n + 1);
	s->n++;
}

void scrub_take(struct scrub *s, const struct fleet *f)
{
	for (size_t k = 0; k < f->n; k++) {
		scrub_add_reading(s, &f->chips[k].r[FIELD_BOARD_ID], true);
		scrub_add_reading(s, &f->chips[k].r[FIELD_ASIC_ID], false);
		scrub_add_reading(s, &f->chips[k].r[FIELD_ASIC_ID_SHORT], false);
	}
}

/* A number, and the one before it. */
struct number {
	uint64_t value, before;
	size_t digits;
};

static bool is_whole(const struct number *n, uint64_t secret)
{
	return n->digits > 8 && n->value == secret;
}

static bool is_low(const struct number *n, uint64_t secret)
{
	const uint32_t low = (uint32_t)secret;

	return n->digits <= 8 && n->value == low &&
		(low >= SMALL || (n->before == secret >> 32 && n->before != 0));
}

static bool is_high(const struct number *n, uint64_t secret)
{
	return n->digits <= 8 && n->value == secret >> 32 && n->value >= SMALL;
}

static bool replace(const struct scrub *s, const struct number *n, uint64_t *out)
{
	for (size_t i = 0; i < s->n; i++) {
		const uint64_t secret = s->ids[i].secret, instead = s->ids[i].instead;

		if (is_whole(n, secret))
			*out = instead;
		else if (is_low(n, secret))
			*out = (uint32_t)instead;
		else if (is_high(n, secret))
			*out = instead >> 32;
		else
			continue;
		return true;
	}
	return false;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The digits of the number that begins here; 0 if none does. */
static size_t count_digits(const char *text, size_t at, size_t len)
{
	const bool prefixed = at >= 2 && text[at - 1] == 'x' && text[at - 2] == '0';
	size_t n = 0;

	if (at > 0 && is_word(text[at - 1]) && !prefixed)
		return 0;
	while (at + n < len && isxdigit((unsigned char)text[at + n]))
		n++;
	return n <= 16 && (at + n == len || !is_word(text[at + n])) ? n : 0;
}

void scrub_put(const struct scrub *s, struct strbuf *to, const char *text, size_t len)
{
	struct number n = { 0 };

	for (size_t at = 0; at < len; at += n.digits ? n.digits : 1) {
		char digits[17];
		uint64_t instead;

		n.digits = count_digits(text, at, len);
		if (n.digits == 0) {
			strbuf_putc(to, text[at]);
			continue;
		}
		memcpy(digits, text + at, n.digits);
		digits[n.digits] = '\0';
		n.before = n.value;
		n.value = strtoull(digits, NULL, 16);
		if (replace(s, &n, &instead))
			strbuf_printf(to, "%0*llx", (int)n.digits, (unsigned long long)instead);
		else
			strbuf_add(to, text + at, n.digits);
	}
}

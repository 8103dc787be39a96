/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - text: a buffer that grows, UTF-8, and text from elsewhere made safe to show.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A text buffer that grows.  Zero-initialise it; strbuf_clear() frees. */
struct strbuf {
	char *text;		/* ended by NUL whenever len > 0; NULL while empty */
	size_t len, size;
};

void strbuf_clear(struct strbuf *b);

/* Room for at least len bytes more, and a NUL. */
void strbuf_grow(struct strbuf *b, size_t len);

/*
 * For a caller that writes the bytes itself: strbuf_room() makes room for len of them and a
 * NUL, then strbuf_took() is given the end of the bytes written.
 */
static inline char *strbuf_room(struct strbuf *b, size_t len)
{
	if (b->size - b->len <= len)
		strbuf_grow(b, len);
	return b->text + b->len;
}

static inline void strbuf_took(struct strbuf *b, char *end)
{
	*end = '\0';
	b->len = (size_t)(end - b->text);
}

/* Inline, so that the compiler knows a literal's length.  text may be NULL if len is 0. */
static inline void strbuf_add(struct strbuf *b, const char *text, size_t len)
{
	char *at = strbuf_room(b, len);

	if (len > 0)
		memcpy(at, text, len);
	strbuf_took(b, at + len);
}

static inline void strbuf_puts(struct strbuf *b, const char *text)
{
	strbuf_add(b, text, strlen(text));
}

static inline void strbuf_putc(struct strbuf *b, char c)
{
	strbuf_add(b, &c, 1);
}

/* The same n times. */
void strbuf_put_times(struct strbuf *b, const char *text, size_t n);

void strbuf_printf(struct strbuf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Fast paths for numbers that are written a hundred thousand times. */
void strbuf_put_i64(struct strbuf *b, int64_t v);
void strbuf_put_u64(struct strbuf *b, uint64_t v);

/* value / scale as a decimal with all digits that matter, no locale: 71500/1000 is "71.5". */
void strbuf_put_decimal(struct strbuf *b, int64_t value, int64_t scale);

/* value / scale with exactly `decimals` digits (0 to 9) after the point, half away from zero. */
void strbuf_put_fixed(struct strbuf *b, int64_t value, int64_t scale, int decimals);

static inline bool text_ends(const char *text, const char *end)
{
	const size_t len = strlen(text), n = strlen(end);

	return len >= n && memcmp(text + len - n, end, n) == 0;
}

/* The "s" of n things. */
static inline const char *text_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

#define STRBUF_NUMBER 64	/* bytes that are enough for any number */

/*
 * The same, rounded like printf() and upstream's Python, as rounded values are
 * shown everywhere: 40.25 gives 40.2, but 0.795 as a double is a little more than
 * half, so it is rounded up.  Returns text.
 */
char *strbuf_rounded(char text[static STRBUF_NUMBER], int64_t value, int64_t scale, int decimals);

/*
 * Length of the UTF-8 character at p, a NUL-terminated string; 0 if it is invalid:
 * overlong, a surrogate, cut off, or U+FFFE and U+FFFF, which XML does not allow.
 */
size_t utf8_len(const char *p);

/* Its code point; len: its bytes, as of utf8_len(). */
uint32_t utf8_code(const char *p, size_t len);

/*
 * utf8_len(), but also 0 for characters that a reader does not see or that change what he sees:
 * controls (NUL, too), directions, zero width, line separators, tags.
 */
size_t utf8_len_printed(const char *p);

/*
 * The one way to make text from elsewhere printable: copy src into dst, cut to fit.  Bytes of
 * what utf8_len_printed() does not count are written in the form \x1b.  Returns dst.
 */
char *text_plain(char *dst, size_t size, const char *src);

/*
 * Append an item to a list in a buffer, cut to fit; before any but the first goes `between`.  The
 * buffer begins as "".
 */
void text_join(char *list, size_t size, const char *between, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Append all of text in the same form; text_put_plain_in(): between two texts of ours. */
void text_put_plain(struct strbuf *to, const char *text);
void text_put_plain_in(struct strbuf *to, const char *before, const char *text,
	const char *after);

/*
 * Append one of several counts, as in "2 FAIL, 1 WARN"; nothing if n is 0.  *before comes first;
 * after a count it is ", ".
 */
void text_put_count(struct strbuf *to, const char **before, size_t n, const char *word);

/* Terminal cells of UTF-8 text without wide or combining characters, as ours is. */
size_t text_cells(const char *text);

/*
 * Append text and a newline, broken at blanks into lines of `columns` cells (0: never), with
 * further lines at this indent.  The first line continues the caller's.
 */
void text_put_wrapped(struct strbuf *to, const char *text, size_t indent, size_t columns);

/* So many cards with one text share a line; fewer have lines of their own, with their addresses. */
enum { TEXT_ALIKE = 3 };

/*
 * Find which of n are like the one at `at`, for a line that they share: puts their places into
 * group[n] and returns how many.  1: it has a line of its own; 0: an earlier one names it.
 */
size_t text_group(const void *all, size_t n, size_t at,
	bool (*is_alike)(const void *all, size_t a, size_t b), int *group);

/* Put the name of several cards, whose indices are sorted: "cards 0-5, 9". */
void text_put_cards(struct strbuf *to, const int *index, size_t n);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error.h - why something failed, in words: filled where the cause is known, printed by src/.
 */
#pragma once

#include "base/code.h"

/*
 * code is a negative errno, for our own decisions; word is for other programs; text is one sentence
 * without a newline, for people: the thing, the trouble, the cause.  text_plain() makes it safe to
 * print, whatever names it quotes.
 */
struct error {
	int code;
	enum code word;
	char text[256];
};

/*
 * Fill e (which may be NULL) and return code, so: return fail(e, -EIO, ...);  The word is that of
 * code_find().
 */
int fail(struct error *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The same with a word that says more than the errno does. */
int fail_as(struct error *e, enum code word, int code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* fail() with ": " and strerror(errno) added; returns -errno. */
int fail_errno(struct error *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* fail() with the word of another error of this errno, whose text fmt usually quotes. */
int fail_because(struct error *e, int code, const struct error *why, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

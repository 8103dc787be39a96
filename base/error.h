/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error.h - why something failed, in words: filled where the cause is known, printed by src/.
 */
#pragma once

/*
 * code is a negative errno, for programs; text is one sentence without a
 * newline, for people: the thing, the trouble, the cause.  text_plain() makes
 * it safe to print, whatever names it quotes.
 */
struct error {
	int code;
	char text[256];
};

/* Fill e (which may be NULL) and return code, so: return fail(e, -EIO, ...); */
int fail(struct error *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The same with ": " and strerror(errno) added; returns -errno. */
int fail_errno(struct error *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

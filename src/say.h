/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * say.h - the program's own lines on stderr.
 */
#pragma once

#include "base/error.h"

/*
 * "tt-smi: <text>" and a newline on stderr, cut at 5000 bytes.  Whatever the
 * text quotes, nothing in it can command the terminal.
 */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Put codes after the texts of say_as() and say_error(), as in "tt-smi: <text> [held]". */
void say_codes(void);

/* The same for trouble, which has a code. */
void say_as(enum code code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void say_error(const struct error *e);

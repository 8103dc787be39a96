/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * say.h - the program's own lines on stderr.
 */
#pragma once

/*
 * "tt-smi: <text>" and a newline on stderr, cut at 5000 bytes.  Whatever the
 * text quotes, nothing in it can command the terminal.
 */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

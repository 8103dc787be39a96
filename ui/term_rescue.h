/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term_rescue.h - what gives the terminal back when a signal ends the program:
 * prepared while all is well, carried out by a signal handler with nothing but
 * write() and tcsetattr().
 */
#pragma once

#include <stdbool.h>

/*
 * Remember the modes of the terminal at `keys`, that bytes go to `out`, and
 * what was stderr (or -1).
 */
void term_rescue_prepare(int out, int keys, int real_stderr);

/* The bytes that undo what was switched on; at most 250, copied. */
void term_rescue_bytes(const char *text);

/* From here on every signal that would end the program gives the terminal back first. */
void term_rescue_arm(void);
void term_rescue_disarm(void);

/* Whether a write to the terminal at fd would not wait. */
bool term_has_room(int fd);

/*
 * At the end of a program: a write to a terminal that stands still would wait
 * for ever.  When fd is one, it becomes /dev/null.
 */
void term_mute(int fd);

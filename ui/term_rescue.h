/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term_rescue.h - gives the terminal back when a signal ends the program.  All is
 * prepared beforehand, so that the signal handler needs only calls such as
 * write() and tcsetattr().
 */
#pragma once

#include <stdbool.h>

/*
 * Remember the modes of the terminal at `keys`, the descriptor `out` for output,
 * and the original stderr (or -1).
 */
void term_rescue_prepare(int out, int keys, int real_stderr);

/* Set the bytes that undo what was switched on; at most 250, copied. */
void term_rescue_bytes(const char *text);

/* From here on every signal that would end the program gives the terminal back first. */
void term_rescue_arm(void);
void term_rescue_disarm(void);

/* Whether a write to the terminal at fd would not wait. */
bool term_has_room(int fd);

/*
 * For the end of the program: if fd is a terminal that takes no output, replace
 * it with /dev/null, since a write would wait for ever.
 */
void term_mute(int fd);

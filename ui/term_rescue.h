/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term_rescue.h - what gives the terminal back when the program dies: prepared
 * while all is well, carried out by a signal handler with nothing but write()
 * and tcsetattr().
 */
#pragma once

/* Remember the modes of the terminal at tty, and who is stderr (or -1). */
void term_rescue_prepare(int tty, int real_stderr);

/* The bytes that undo what was switched on; at most 256, copied. */
void term_rescue_bytes(const char *bytes, int len);

/* From here on SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT give the terminal back first. */
void term_rescue_arm(void);
void term_rescue_disarm(void);

/* Do it now: modes and bytes. */
void term_rescue_now(void);

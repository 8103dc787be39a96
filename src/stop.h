/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stop.h - the ways a person or a program ends a long run: Enter or q on a
 * terminal, SIGINT, SIGTERM, SIGHUP.
 *
 * The end of input is not Enter: a run in the background, in cron or with
 * </dev/null goes on.  Signals are noted and polled for, so that nothing is
 * interrupted half way; but SIGTERM and SIGHUP (and whatever asks a second time)
 * end the waiting for a terminal or pipe that takes nothing: what does not fit
 * there is lost.
 */
#pragma once

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <termios.h>

#define STOP_FDS 2

/* What of the terminal at standard input is ours. */
enum stop_tty {
	STOP_TTY_NONE,
	STOP_TTY_KEYS,			/* each key at once, not shown: Enter or q stops */
	STOP_TTY_HIDDEN,		/* whole lines, not shown */
	STOP_TTY_TYPED			/* each key at once, not shown, pasted text in brackets */
};

struct stop {
	bool open;
	int signals;			/* readable when one has come */
	enum stop_tty tty;
	int out;			/* the terminal, for what commands it; it never waits */
	bool changed;			/* its settings are ours for now */
	bool found;			/* saved are those that it had before */
	struct termios saved;
	bool asked;
	unsigned times;			/* signals that asked */
	bool resumed;			/* continued after a stop; the caller clears it */
	bool terminated;		/* by SIGTERM: be quick */
	bool hurried;			/* by SIGTERM or SIGHUP: nobody may read what is said yet */
	int deadly;			/* the last that asked and was not SIGINT; 0: none */
	bool printing;			/* every signal ends a write that waits */
	bool ends;			/* SIGTERM, SIGHUP and a second SIGINT are not ours */
	bool screen;			/* the terminal has the live display: keys are its own */
	bool redraw;			/* its size has changed, or it was given back meanwhile */
};

/* Also lets writes to a closed pipe and over a file size limit fail instead of kill. */
void stop_open(struct stop *s, bool keys);

/* From now on a display has the terminal: signals alone ask to stop. */
void stop_take_screen(struct stop *s);

/* From now on Enter or q asks, too, where standard input is a terminal. */
void stop_take_keys(struct stop *s);

/*
 * The same for a program that prints through stdio as it goes: after a signal no
 * write to a terminal or pipe waits, and what does not fit is lost.  ends: it
 * leaves nothing behind, so SIGTERM, SIGHUP and a second SIGINT end it at once.
 */
void stop_open_printing(struct stop *s, bool ends);

/* The program goes on as it was before.  Safe for one that was never opened, or is closed. */
void stop_close(struct stop *s);

/*
 * The last of a program whose exit code is known: a signal does not replace that code any more,
 * but no write to a terminal or pipe waits after one.  As safe as stop_close().
 */
void stop_end(struct stop *s);

/* From now on the terminal is ours in this way; STOP_TTY_NONE gives it back. */
void stop_take_tty(struct stop *s, enum stop_tty tty);

/* Fill STOP_FDS entries for poll(). */
void stop_poll(const struct stop *s, struct pollfd *fds);

/* Handle what poll() found (nothing blocks without, either); true once a stop was requested. */
bool stop_check(struct stop *s);

/* Signals that would end us wait until no temporary file is left; *before is to be set again. */
void stop_hold(sigset_t *before);

/* An error of a write that says no more than this: the program ends, and does not wait for it. */
bool stop_let_go(int code);

/*
 * From now on a write to this terminal or pipe never waits: what does not fit
 * is dropped, or reported by EAGAIN.  Other processes that have it open see no difference.
 */
void stop_unblock(int fd);

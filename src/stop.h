/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stop.h - the ways a person or a program ends a long run: Enter or q on a
 * terminal, SIGINT, SIGTERM, SIGHUP.
 *
 * The end of input is not Enter: a run in the background, in cron or with
 * </dev/null goes on.  Signals are noted and polled for, so that nothing is
 * interrupted half way.  But SIGTERM, SIGHUP and a second signal that asks end the
 * wait for a terminal or pipe that takes nothing: what does not fit is lost.
 */
#pragma once

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <termios.h>

#define STOP_FDS 2

/* How we use the terminal at standard input. */
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
	int out;			/* the terminal, for control sequences; it never blocks */
	bool changed;			/* the terminal has our settings */
	bool found;			/* saved has the settings from before */
	struct termios saved;
	bool asked;
	unsigned times;			/* signals that asked */
	bool resumed;			/* continued after a stop; the caller clears it */
	bool terminated;		/* by SIGTERM: be quick */
	bool hurried;			/* by SIGTERM or SIGHUP: output may have no reader */
	int deadly;			/* the last signal that asked, except SIGINT; 0: none */
	bool screen;			/* the live display has the terminal, and its keys */
	bool redraw;			/* its size changed, or another program had it meanwhile */
};

/* Also makes writes to a closed pipe or beyond a file size limit fail, instead of killing us. */
void stop_open(struct stop *s, bool keys);

/* From now on a display has the terminal: signals alone ask to stop. */
void stop_take_screen(struct stop *s);

/* From now on Enter or q asks, too, where standard input is a terminal. */
void stop_take_keys(struct stop *s);

/*
 * stop_open() for a program that prints through stdio as it goes: after a signal no
 * write to a terminal or pipe blocks, and what does not fit is lost.  It leaves
 * nothing behind, so SIGTERM, SIGHUP and a second SIGINT end it at once.
 */
void stop_open_printing(struct stop *s);

/* Undo all of it; the program goes on.  Safe for one that was never opened, or is closed. */
void stop_close(struct stop *s);

/*
 * For a program that is about to end: a signal no longer replaces its exit code, but after one no
 * write to a terminal or pipe blocks.  As safe as stop_close().
 */
void stop_end(struct stop *s);

/* From now on we use the terminal in this way; STOP_TTY_NONE gives it back. */
void stop_take_tty(struct stop *s, enum stop_tty tty);

/* Fill STOP_FDS entries for poll(). */
void stop_poll(const struct stop *s, struct pollfd *fds);

/* Handle what poll() found (without poll() it does not block either); true: a stop was asked. */
bool stop_check(struct stop *s);

/* Block signals that would end us and leave a temporary file; the caller restores *before. */
void stop_hold(sigset_t *before);

/* Whether a write failed only because we no longer wait for its reader. */
bool stop_let_go(int code);

/*
 * From now on a write to this terminal or pipe never blocks: what does not fit
 * is dropped, or reported by EAGAIN.  Other processes that have it open see no difference.
 */
void stop_unblock(int fd);

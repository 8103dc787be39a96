/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term.h - the terminal.
 *
 * Drawing a canvas sends only the cells that changed.  Nothing here waits for
 * the terminal, and it is given back as it was found, however the program ends.
 */
#pragma once

#include "base/error.h"
#include "ui/canvas.h"
#include "ui/view.h"

#include <poll.h>
#include <stdbool.h>
#include <sys/types.h>

/* Colours for the background that the terminal has, or for the one that was asked for. */
enum term_theme { TERM_THEME_AUTO, TERM_THEME_ON_DARK, TERM_THEME_ON_LIGHT };

/*
 * Whether TERM names a terminal that can show a picture.  -ENOTTY if not: TERM is unset or "dumb"
 * (e->word is that of the errno), or terminfo does not know it (CODE_UNSUPPORTED).  -ELIBACC or
 * -ELIBBAD without terminfo's library.  Reads terminfo only once.
 */
int term_find(struct error *e);

/* Take over the terminal.  The caller gives it back with term_close(). */
int term_open(enum term_theme theme, bool no_color, struct error *e);

/* Give it back; safe to call again.  Call term_read_log() before: its end is closed here. */
void term_close(void);

/* Give it back for a while (a stopped process), and take it over again. */
void term_suspend(void);
void term_resume(void);

/* An erased canvas for the next picture: as large as the terminal now, at most 2000 by 1000. */
struct canvas *term_canvas(void);

/* Let the next draw send every cell: the size changed, or other output overwrote the picture. */
void term_forget(void);

/* Write what waits; false while the terminal has not taken the last picture: draw later. */
bool term_flush(void);

/* Show the canvas; returns how many cells differ from the last picture. */
size_t term_draw(const struct canvas *c);

/* Ring the bell, unless the terminal takes no output. */
void term_bell(void);

/* The next key, or UI_KEY_NONE; a click is UI_KEY_RESIZE and sets *hit. */
uint32_t term_key(unsigned *hit);

/* True if no input has come beyond the keys already taken. */
bool term_is_quiet(void);

/* How long poll() may wait before term_key() must be called without input; -1: for ever. */
int term_wait_ms(void);

/*
 * Fill in what to poll: first keys, then lines that libraries wrote to stderr, then room (POLLOUT)
 * while the terminal is not ready.
 */
#define TERM_FDS 3
void term_poll(struct pollfd fds[static TERM_FDS]);

/* Read such lines; returns the bytes, or 0 or less if none wait. */
ssize_t term_read_log(char *text, size_t size);

/* True when the terminal cannot move its cursor: each picture is printed below the last. */
bool term_is_plain(void);

/* Gives the terminal back when a signal ends the program; its handler needs plain calls alone. */

/*
 * From here on every signal that would end the program first writes `text` (at most 250 bytes,
 * copied) to `out`, and restores the present modes of `keys` and stderr from real_stderr (or -1).
 */
void term_rescue_arm(int out, int keys, int real_stderr, const char *text);

void term_rescue_disarm(void);

/* Whether a write to the terminal at fd would not wait. */
bool term_has_room(int fd);

/*
 * For the end of the program: if fd is a terminal that takes no output, replace
 * it with /dev/null, since a write would wait for ever.
 */
void term_mute(int fd);

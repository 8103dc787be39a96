/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term.h - the terminal.
 *
 * A canvas goes in and only cells that changed go out.  Nothing here waits for
 * the terminal, and whatever ends the program gives it back as it was found.
 */
#pragma once

#include "base/error.h"
#include "ui/canvas.h"
#include "ui/view.h"

/* Which colours: those for the background it has, or as they were asked for. */
enum term_theme { TERM_THEME_AUTO, TERM_THEME_ON_DARK, TERM_THEME_ON_LIGHT };

struct term_config {
	enum term_theme theme;
	bool no_color;
};

/* Take over the terminal.  The caller gives it back by term_close(). */
int term_open(const struct term_config *c, struct error *e);

/* Give it back; safe to call again.  Then what libraries wrote in the meantime is in the log. */
void term_close(void);

/* Give it back for a while (a stopped process), and take it over again. */
void term_suspend(void);
void term_resume(void);

/* What the terminal can show, and its size now (at most 2000 by 1000 of it). */
enum charset term_charset(void);
void term_size(int *w, int *h);

/* The next draw sends every cell: its size has changed, or other output went over the picture. */
void term_forget(void);

/* False while the terminal has not taken the last picture: draw later. */
bool term_is_ready(void);

/* Show the canvas; returns how many cells differ from the last picture. */
size_t term_draw(const struct canvas *c);

/* Ring, unless the terminal stands still. */
void term_bell(void);

/* The next key, or UI_KEY_NONE when there is none; a click is UI_KEY_RESIZE and sets *hit. */
uint32_t term_key(unsigned *hit);

/* Nothing more has come than the keys that were taken. */
bool term_is_quiet(void);

/* How long poll() may wait before term_key() is due without news; -1: for ever. */
int term_wait_ms(void);

/*
 * What to poll: for keys, for lines that libraries wrote to stderr, and for
 * room (POLLOUT) while the terminal is not ready, else -1.
 */
int term_input_fd(void);
int term_log_fd(void);
int term_output_fd(void);

/* True when the terminal cannot move its cursor: each picture is printed below the last. */
bool term_is_plain(void);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term.h - the terminal: the only place that knows curses.
 *
 * A canvas goes in and only cells that changed go out.  Whatever ends the
 * program, the terminal is given back as it was found.
 */
#pragma once

#include "base/error.h"
#include "ui/canvas.h"
#include "ui/view.h"

struct term_config {
	bool dark;		/* colours for a light background */
	bool no_color;
};

/* Take over the terminal.  The caller gives it back by term_close(). */
int term_open(const struct term_config *c, struct error *e);

/* Give it back; safe to call again.  Then what libraries wrote in the meantime is in the log. */
void term_close(void);

/* Give it back for a while (a stopped process), and take it over again. */
void term_suspend(void);
void term_resume(void);

/* What the terminal can show, and its size now. */
enum charset term_charset(void);
void term_size(int *w, int *h);

/* Take in a changed size. */
void term_resize(void);

/* The next draw sends every cell. */
void term_forget(void);

/* Show the canvas; returns how many cells were sent. */
size_t term_draw(const struct canvas *c);

/* The next key, or UI_KEY_NONE when there is none; a click is UI_KEY_RESIZE and sets *hit. */
uint32_t term_key(unsigned *hit);

/* What to poll for keys, and for lines that libraries wrote to stderr. */
int term_input_fd(void);
int term_log_fd(void);

/* True when the terminal cannot move its cursor: each picture is printed below the last. */
bool term_is_plain(void);

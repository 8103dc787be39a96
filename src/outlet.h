/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outlet.h - stdout: text that a mode prints once, what stdio holds, and lines that never make
 * their writer wait.
 */
#pragma once

#include "base/text.h"
#include "src/options.h"
#include "src/say.h"
#include "src/stop.h"
#include "ui/model.h"

#include <poll.h>
#include <stdbool.h>

/* Write a one-shot mode's text and clear it; returns `code` or outlet_fail(). */
enum exit_code outlet_print(struct strbuf *text, enum exit_code code);

/* Write what stdio holds, at the end of the program; returns `code` or outlet_fail(). */
enum exit_code outlet_flush(enum exit_code code);

/*
 * Say that stdout cannot be written, unless the program was stopped while it waited to write
 * there.  Returns exit_unwritten() of `code`, which was to be the exit code.
 */
enum exit_code outlet_fail(int error, enum exit_code code);

/*
 * Lines that a pipe or a stopped terminal does not take now stay here until the end: a card that
 * has been reset must not stay closed because our lines are not read.
 */
struct outlet {
	struct strbuf text;	/* output is added here */
	size_t sent;
	int fd;			/* our own open file on stdout, if that is a pipe or a terminal */
	bool is_broken;		/* a write failed: outlet_close() tries again, and gets the error */
};

void outlet_open(struct outlet *o);

/* Write the rest through stdio, however long its reader takes; errors are left in stdout. */
void outlet_close(struct outlet *o);

/* Write as much as is possible without waiting; false: there is more. */
bool outlet_push(struct outlet *o);

/* For poll(): stdout, while there is something to write. */
struct pollfd outlet_poll(const struct outlet *o);

/* Whether a line can be written to this descriptor now, without waiting. */
bool outlet_is_free(int fd);

/* Columns and rows of this terminal; 0 if it is not a terminal, or they are unknown. */
size_t outlet_columns(int fd);
size_t outlet_rows(int fd);

/*
 * Whether stdout is a terminal that can move its cursor.  One that terminfo does not know counts as
 * dumb, and a message advises another TERM, once.
 */
bool outlet_is_screen(void);

/*
 * The terminal of a mode that draws: taken over as the options say, and given back with what was
 * written to stderr meanwhile.
 */

/* Take it over (errors as of term_open()); on an error it is left as it was. */
int display_open(const struct options *o, struct error *e);

/* Take in messages that were written to stderr; true: there were some. */
bool display_take_messages(struct ui_log *log);

/* Give it back, end its signal handling, and print all messages on it, shown before or not. */
void display_close(struct stop *stop, struct ui_log *log);

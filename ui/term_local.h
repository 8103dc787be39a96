/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term_local.h - what the files of the terminal share: pictures (term.c), bytes
 * (term_out.c), colours (term_look.c), keys (term_keys.c).
 */
#pragma once

#include "base/strbuf.h"
#include "ui/keys.h"
#include "ui/palette.h"
#include "ui/term.h"

#include <termios.h>

struct term_look {
	struct look look;
	const struct term_look *as;	/* the first that looks so, maybe itself */
	bool ground;			/* colours the cell, not its text alone */
};

#define TERM_SGR  48		/* bytes of a sequence that changes the look, with its NUL */
#define TERM_STEP 16		/* of one that moves the cursor */
#define TERM_MOVE (2 * TERM_STEP + 4)

struct terminal {
	int out;			/* the terminal as we opened it: it never waits */
	int in;				/* keys */
	struct termios found, ours;	/* its modes */
	bool changed;			/* they are ours now */
	bool shared;			/* out is stdout itself, with O_NONBLOCK switched on */
	bool plain, right_margin;	/* the last cell of a line may be written safely */
	int colors;
	enum palette_ground ground;
	enum charset charset;
	char enter[256], leave[256];	/* what takes the screen over, and gives it back */

	struct strbuf bytes;		/* on their way out */
	size_t sent;			/* how many of them have gone */
	bool broken;			/* the terminal has gone: nothing is sent any more */

	struct canvas last;		/* what it shows once all bytes are out */
	bool forget;			/* the next picture is sent whole */
	struct term_look look[2][STYLES];	/* of a cell, and of one on the selected line */

	struct keys keys;
	int64_t keys_since;		/* clock_steady() of the bytes that are not whole yet */
	bool asked;			/* for its background, and it has not answered yet */

	int log_read, real_stderr;
};
extern struct terminal term;

/* Write what is waiting, as far as the terminal takes it; true when nothing is left. */
bool term_flush(void);

/* The same for at most ms milliseconds. */
bool term_drain(int ms);

/* Fill term.look for what the terminal can show. */
void term_look_init(void);

/* What leads from one look (NULL: any) to another, as short as it can be; returns its length. */
size_t term_look_change(const struct term_look *from, const struct term_look *to,
	char text[static TERM_SGR]);

/* The background that the environment names; else dark. */
enum palette_ground term_look_guess(void);

/* Ask the terminal for it; term_keys.c takes the answer. */
void term_look_ask(const char *name);

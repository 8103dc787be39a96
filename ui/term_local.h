/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term_local.h - the state that the files of the terminal share: opening (term.c),
 * pictures, looks and keys (term_draw.c), colours, output and terminfo (term_out.c).
 */
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "ui/canvas.h"
#include "ui/keys.h"
#include "ui/term.h"

#include <stdbool.h>
#include <termios.h>

/* The colours of the styles, on dark and on light backgrounds. */

enum palette_ground { PALETTE_DARK, PALETTE_LIGHT, PALETTES };

enum {
	LOOK_BOLD = 1, LOOK_DIM = 2, LOOK_UNDERLINE = 4, LOOK_REVERSE = 8
};

/* Colours are numbers of xterm's 8 or 256; -1 is the terminal's own. */
struct look {
	int fg, bg;
	unsigned attr;		/* LOOK_ flags */
};

/* How a cell looks with 256, 8 or 0 colours; lit: on the selected line. */
struct look palette_look(enum palette_ground ground, int colors, enum style style, bool lit);

/* Whether a background colour (0xRRGGBB) counts as dark or light. */
enum palette_ground palette_ground_of(uint32_t rgb);

/* WCAG's contrast of two colours in hundredths: 100 (none) to 2100. */
int palette_contrast(uint32_t a, uint32_t b);

struct term_look {
	struct look look;
	const struct term_look *as;	/* the first with the same look, maybe itself */
	bool ground;			/* colours the whole cell, not only its text */
};

/* A cell that differs between the terminal and the picture. */
struct term_change {
	int16_t x, y;
	bool drawn;
};

#define TERM_SGR  48		/* bytes of a sequence that changes the look, with its NUL */
#define TERM_STEP 16		/* of a sequence that moves the cursor */
#define TERM_MOVE (2 * TERM_STEP + 4)

struct terminal {
	int out;			/* the terminal as we opened it: writes never wait */
	int in;				/* keys */
	struct termios found, ours;	/* its modes before and while we use it */
	bool changed;			/* our modes are set now */
	bool shared;			/* out is stdout itself, with O_NONBLOCK switched on */
	bool plain;			/* cannot move its cursor, or not in the usual way */
	bool right_margin;		/* its last cell may be written without scrolling */
	int colors;			/* 0, 8 or 256 */
	enum palette_ground ground;
	enum charset charset;
	char enter[256], leave[256];	/* sequences that take over the screen and give it back */

	struct strbuf bytes;		/* to be sent */
	size_t sent;			/* how many of them were written */
	bool broken;			/* the terminal is gone: nothing is sent any more */

	struct canvas last;		/* what it shows once all bytes are out */
	struct canvas next;		/* to be drawn on */
	struct term_change *changes;	/* room for all cells */
	bool forget;			/* the next picture is sent whole */
	struct term_look look[2][STYLES];	/* of a cell, and of one on the selected line */

	struct keys keys;
	int64_t keys_since;		/* clock_steady() when its last bytes came */
	bool asked;			/* for its background, and it has not answered yet */

	int log_read, real_stderr;
};
extern struct terminal term;

/* Fill in what terminfo knows of the terminal of this name, which is stdout. */
int term_read_info(const char *name, struct error *e);

/* term_flush(), but wait for the terminal for at most ms milliseconds. */
bool term_drain(int ms);

/* Fill term.look for what the terminal can show. */
void term_look_init(void);

/* Write the shortest sequence from one look (NULL: any) to another; returns its length. */
size_t term_look_change(const struct term_look *from, const struct term_look *to,
	char text[static TERM_SGR]);

/* The background according to the environment; else dark. */
enum palette_ground term_look_guess(void);

/* Ask the terminal for its background; term_key() takes the answer. */
void term_look_ask(const char *name);

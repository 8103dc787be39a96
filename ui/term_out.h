/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output to the terminal.  It may take no output for any length of time: the
 * bytes wait here, and no picture is added to them.
 */
#pragma once

#include "base/error.h"
#include "ui/canvas.h"

#include <stdbool.h>

enum palette_ground { PALETTE_DARK, PALETTE_LIGHT, PALETTES };

enum {
	LOOK_BOLD = 1, LOOK_DIM = 2, LOOK_UNDERLINE = 4, LOOK_REVERSE = 8
};

/* Colours are numbers of xterm's 8 or 256; -1 is the terminal's own. */
struct look {
	int fg, bg;
	unsigned attr;		/* LOOK_ flags */
};

struct term_info {
	bool plain;			/* cannot move its cursor, or not in the usual way */
	bool right_margin;		/* its last cell may be written without scrolling */
	int colors;			/* 0, 8 or 256 */
	char enter[256], leave[256];	/* sequences that take over the screen and give it back */
};

/* Fill *info for the terminal of that name at fd. */
int term_info_read(const char *name, int fd, struct term_info *info, struct error *e);

/* How a cell looks with 256, 8 or 0 colours; lit: on the selected line. */
struct look palette_look(enum palette_ground ground, int colors, enum style style, bool lit);

/* Whether a background colour (0xRRGGBB) counts as dark or light. */
enum palette_ground palette_ground_of(uint32_t rgb);

/* WCAG's contrast of two colours in hundredths: 100 (none) to 2100. */
int palette_contrast(uint32_t a, uint32_t b);

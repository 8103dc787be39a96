/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * palette.h - the colours of the styles, on dark and on light backgrounds.
 * Plain data: a test works out the contrast of every pair.
 */
#pragma once

#include "ui/canvas.h"

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

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "ui/palette.h"

#include <math.h>

enum { BLACK = 16, WHITE = 231 };

struct style_look {
	int8_t basic;		/* of the 8 */
	int16_t many;		/* of the 256 */
	uint8_t attr;		/* with 256 colours */
	uint8_t basic_attr;	/* with 8: bold is a brighter colour on many terminals */
	uint8_t mono;		/* without colours */
	int16_t lit;		/* of the 256 on the selected line; 0: as elsewhere */
};

enum { RED = 1, GREEN, YELLOW, BLUE, MAGENTA, CYAN };

static const struct style_look looks[PALETTES][STYLES] = {
	[PALETTE_DARK] = {
		[STYLE_NORMAL] = { -1, -1, 0, 0, 0, 0 },
		[STYLE_DIM] = { -1, 248, 0, 0, LOOK_DIM, 0 },
		[STYLE_HEADING] = { CYAN, 80, LOOK_BOLD, LOOK_BOLD, LOOK_BOLD, 0 },
		[STYLE_LIMIT] = { -1, 143, 0, 0, 0, 0 },
		[STYLE_WARN] = { YELLOW, 214, LOOK_BOLD, LOOK_BOLD, LOOK_BOLD, 0 },
		[STYLE_BAD] = { RED, 210, LOOK_BOLD, LOOK_BOLD, LOOK_REVERSE, 217 },
		[STYLE_GOOD] = { GREEN, 114, 0, LOOK_BOLD, 0, 0 },
		[STYLE_TITLE] = { GREEN, 114, LOOK_BOLD, LOOK_BOLD, LOOK_BOLD, 0 },
		[STYLE_FRAME] = { CYAN, 73, 0, 0, LOOK_DIM, 0 },
		[STYLE_TAB] = { -1, 250, 0, 0, 0, 0 },
		[STYLE_TAB_ON] = { GREEN, 114, LOOK_BOLD | LOOK_REVERSE,
			LOOK_BOLD | LOOK_REVERSE, LOOK_REVERSE, 0 },
		[STYLE_KEY] = { GREEN, 114, LOOK_BOLD, LOOK_BOLD, LOOK_BOLD, 0 },
		[STYLE_PLOT] = { CYAN, 80, 0, LOOK_BOLD, 0, 0 },
		[STYLE_CURSOR] = { -1, WHITE, LOOK_BOLD, LOOK_BOLD, LOOK_BOLD, 0 },
		[STYLE_WARM] = { -1, 222, 0, LOOK_BOLD, LOOK_BOLD, 0 },
		[STYLE_LIMIT_NEAR] = { YELLOW, 220, LOOK_BOLD, LOOK_BOLD, LOOK_BOLD, 0 },
	},
	[PALETTE_LIGHT] = {
		[STYLE_NORMAL] = { -1, -1, 0, 0, 0, 0 },
		[STYLE_DIM] = { -1, 240, 0, 0, LOOK_DIM, 0 },
		[STYLE_HEADING] = { BLUE, 24, LOOK_BOLD, 0, LOOK_BOLD, 0 },
		[STYLE_LIMIT] = { -1, 94, 0, 0, 0, 0 },
		[STYLE_WARN] = { MAGENTA, 90, LOOK_BOLD, 0, LOOK_BOLD, 0 },
		[STYLE_BAD] = { RED, 88, LOOK_BOLD, 0, LOOK_REVERSE, 0 },
		[STYLE_GOOD] = { -1, 22, 0, 0, 0, 0 },
		[STYLE_TITLE] = { BLUE, 24, LOOK_BOLD, 0, LOOK_BOLD, 0 },
		[STYLE_FRAME] = { -1, 60, 0, 0, LOOK_DIM, 0 },
		[STYLE_TAB] = { -1, 240, 0, 0, 0, 0 },
		[STYLE_TAB_ON] = { BLUE, 24, LOOK_BOLD | LOOK_REVERSE, LOOK_REVERSE,
			LOOK_REVERSE, 0 },
		[STYLE_KEY] = { BLUE, 24, LOOK_BOLD, 0, LOOK_BOLD, 0 },
		[STYLE_PLOT] = { BLUE, 25, 0, 0, 0, 0 },
		[STYLE_CURSOR] = { -1, BLACK, LOOK_BOLD, LOOK_BOLD, LOOK_BOLD, 0 },
		[STYLE_WARM] = { -1, 52, 0, LOOK_BOLD, LOOK_BOLD, 0 },
		[STYLE_LIMIT_NEAR] = { BLUE, 94, LOOK_BOLD, LOOK_BOLD, LOOK_BOLD, 0 },
	},
};

/* The background of the selected line, and the colour of text that has none of its own there. */
static const struct {
	int16_t ground, text;
} lit_line[PALETTES] = {
	[PALETTE_DARK] = { 236, WHITE },
	[PALETTE_LIGHT] = { 195, BLACK },
};

static struct look look_256(enum palette_ground ground, const struct style_look *s, bool lit)
{
	struct look l = { s->many, -1, s->attr };

	/* Set both colours of a reversed cell: the terminal's own may be anything. */
	if (l.attr & LOOK_REVERSE) {
		l.attr &= ~(unsigned)LOOK_REVERSE;
		l.bg = s->many;
		l.fg = ground == PALETTE_DARK ? BLACK : WHITE;
	} else if (lit) {
		l.bg = lit_line[ground].ground;
		l.fg = s->lit ? s->lit : l.fg < 0 ? lit_line[ground].text : l.fg;
	}
	return l;
}

struct look palette_look(enum palette_ground ground, int colors, enum style style, bool lit)
{
	const struct style_look *s = &looks[ground][style];

	if (colors >= 256)
		return look_256(ground, s, lit);
	if (colors >= 8)
		return (struct look){ s->basic, -1, s->basic_attr ^ (lit ? LOOK_REVERSE : 0U) };
	return (struct look){ -1, -1, s->mono | (lit ? LOOK_UNDERLINE : 0U) };
}

/* Relative luminance, 0 to 1 (WCAG 2). */
static double luminance(uint32_t rgb)
{
	static const double weight[] = { 0.0722, 0.7152, 0.2126 };
	double sum = 0;

	for (int i = 0; i < 3; i++) {
		double v = (double)(rgb >> 8 * i & 0xff) / 255;

		sum += weight[i] * (v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
	}
	return sum;
}

int palette_contrast(uint32_t a, uint32_t b)
{
	double x = luminance(a) + 0.05, y = luminance(b) + 0.05;

	return (int)(100 * (x > y ? x / y : y / x));
}

enum palette_ground palette_ground_of(uint32_t rgb)
{
	return palette_contrast(rgb, 0x000000) > palette_contrast(rgb, 0xffffff) ? PALETTE_LIGHT :
		PALETTE_DARK;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term_look.c - what a style looks like with 8, 256 and all colours, and with
 * none.
 */
#include "config.h"
#include "ui/term_local.h"

/* The look of a style: colours of the 8, of the 256, as 0xRRGGBB (all -1: the terminal's own). */
struct look {
	short basic, many;
	int direct;
	attr_t attr;
	attr_t mono;		/* without colours */
};

static const struct look looks[2][STYLES] = {
	{	/* for dark backgrounds */
		[STYLE_NORMAL] = { -1, -1, -1, 0, 0 },
		[STYLE_DIM] = { -1, 245, 0x8a8a8a, 0, A_DIM },
		[STYLE_HEADING] = { COLOR_CYAN, 80, 0x5fd7d7, A_BOLD, A_BOLD },
		[STYLE_LIMIT] = { COLOR_YELLOW, 220, 0xffd700, A_BOLD, A_BOLD },
		[STYLE_WARN] = { COLOR_MAGENTA, 214, 0xffaf00, A_BOLD, A_BOLD },
		[STYLE_BAD] = { COLOR_RED, 203, 0xff5f5f, A_BOLD, A_REVERSE },
		[STYLE_GOOD] = { COLOR_GREEN, 114, 0x87d787, 0, 0 },
		[STYLE_TITLE] = { COLOR_GREEN, 114, 0x87d787, A_BOLD, A_BOLD },
		[STYLE_FRAME] = { COLOR_BLUE, 66, 0x5f8787, 0, A_DIM },
		[STYLE_TAB] = { -1, 250, 0xbcbcbc, 0, 0 },
		[STYLE_TAB_ON] = { COLOR_GREEN, 114, 0x87d787, A_BOLD | A_REVERSE, A_REVERSE },
		[STYLE_KEY] = { COLOR_GREEN, 114, 0x87d787, A_BOLD, A_BOLD },
		[STYLE_PLOT] = { COLOR_CYAN, 80, 0x5fd7d7, 0, 0 },
		[STYLE_CURSOR] = { COLOR_WHITE, 231, 0xffffff, A_BOLD, A_BOLD },
	},
	{	/* for light backgrounds */
		[STYLE_NORMAL] = { -1, -1, -1, 0, 0 },
		[STYLE_DIM] = { -1, 243, 0x767676, 0, A_DIM },
		[STYLE_HEADING] = { COLOR_BLUE, 24, 0x005f87, A_BOLD, A_BOLD },
		[STYLE_LIMIT] = { COLOR_YELLOW, 136, 0xaf8700, A_BOLD, A_BOLD },
		[STYLE_WARN] = { COLOR_MAGENTA, 166, 0xd75f00, A_BOLD, A_BOLD },
		[STYLE_BAD] = { COLOR_RED, 160, 0xd70000, A_BOLD, A_REVERSE },
		[STYLE_GOOD] = { COLOR_GREEN, 28, 0x008700, 0, 0 },
		[STYLE_TITLE] = { COLOR_BLUE, 24, 0x005f87, A_BOLD, A_BOLD },
		[STYLE_FRAME] = { COLOR_BLUE, 109, 0x87afaf, 0, A_DIM },
		[STYLE_TAB] = { -1, 240, 0x585858, 0, 0 },
		[STYLE_TAB_ON] = { COLOR_BLUE, 24, 0x005f87, A_BOLD | A_REVERSE, A_REVERSE },
		[STYLE_KEY] = { COLOR_BLUE, 24, 0x005f87, A_BOLD, A_BOLD },
		[STYLE_PLOT] = { COLOR_BLUE, 31, 0x0087af, 0, 0 },
		[STYLE_CURSOR] = { COLOR_BLACK, 16, 0x000000, A_BOLD, A_BOLD },
	},
};

/* Behind the selected line. */
static const struct {
	short many;
	int direct;
} lit[2] = { { 237, 0x3a3a3a }, { 254, 0xe4e4e4 } };

void term_look_init(void)
{
	for (int on = 0; on < 2; on++)
		for (int i = 0; i < STYLES; i++) {
			const struct look *l = &looks[term.dark][i];
			short pair = (short)(1 + on * STYLES + i);

			if (!term.color) {
				term.attr[on][i] = l->mono | (on ? A_UNDERLINE : 0);
			} else if (COLORS > 256) {
				init_extended_pair(pair, l->direct,
					on ? lit[term.dark].direct : -1);
				term.attr[on][i] = l->attr | (attr_t)COLOR_PAIR(pair);
			} else if (COLORS >= 256) {
				init_pair(pair, l->many, on ? lit[term.dark].many : -1);
				term.attr[on][i] = l->attr | (attr_t)COLOR_PAIR(pair);
			} else {
				init_pair(pair, l->basic, -1);
				term.attr[on][i] = (l->attr | (attr_t)COLOR_PAIR(pair)) ^
					(on ? A_REVERSE : 0);
			}
		}
}

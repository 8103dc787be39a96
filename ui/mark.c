/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "ui/mark.h"

const struct mark_look marks[MARKS] = {
	[MARK_NONE] = { "-", STYLE_DIM },
	[MARK_WAITS] = { "·", STYLE_DIM },
	[MARK_GOOD] = { "✓", STYLE_GOOD },
	[MARK_BAD] = { "✗", STYLE_BAD },
	[MARK_WARN] = { "!", STYLE_WARN },
	[MARK_ALIVE] = { "●", STYLE_DIM },
	[MARK_STILL] = { "○", STYLE_BAD },
	[MARK_STANDS] = { "○", STYLE_WARN },
	[MARK_FULL] = { "█", STYLE_GOOD },
	[MARK_SLOW] = { "▓", STYLE_WARN },
	[MARK_IDLE] = { "░", STYLE_DIM },
	[MARK_OFF] = { "·", STYLE_DIM },
};

void mark_draw(struct canvas *c, int x, int y, enum mark mark)
{
	canvas_text(c, x, y, marks[mark].style, marks[mark].text);
}

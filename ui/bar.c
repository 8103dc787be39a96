/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "ui/bar.h"

void bar_draw(struct canvas *c, int x, int y, int w, int percent, enum style style)
{
	int full = percent < 0 ? 0 : percent >= 100 ? w : (percent * w + 50) / 100;

	canvas_fill(c, (struct rect){ x, y, full, 1 }, style, 0x2588);
	canvas_fill(c, (struct rect){ x + full, y, w - full, 1 }, STYLE_FRAME, 0x2591);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "ui/blocks.h"

#include "ui/table.h"

#define GAP    1
#define ACROSS 8	/* blocks beside each other at most */
#define LEAST  4	/* lines of the table above them */

/* Draw blocks side by side, each row as high as its highest; omit a row that does not fit. */
static void draw_blocks(struct canvas *c, struct rect r, const struct fleet *f, size_t chip,
	const struct blocks *b)
{
	const int fits = (r.w - 2) / b->w, across = fits < ACROSS ? fits : ACROSS;
	size_t row[ACROSS];
	int y = r.y, before = 0;

	while (across > 0) {
		int n = 0, h = 0;

		for (; chip < f->n && n < across; chip++) {
			const int high = b->height(f, chip);

			if (f->wanted && !f->wanted[chip])
				continue;
			row[n++] = chip;
			h = high > h ? high : h;
		}
		y += before > 1 || (before == 1 && h > 1) ? GAP : 0;
		if (n == 0 || y + h > r.y + r.h)
			return;
		for (int i = 0; i < n; i++)
			b->draw(c, (struct rect){ r.x + 1 + i * b->w, y, b->w - 1, h }, f, row[i]);
		y += h;
		before = h;
	}
}

void blocks_draw(struct canvas *c, struct rect r, const struct model *m, struct view *v,
	const struct tab_ops *tab, const struct blocks *b, struct foot *foot)
{
	const bool known = v->selected >= 0 && (size_t)v->selected < m->fleet->n;
	const int high = known ? b->height(m->fleet, (size_t)v->selected) : 0;
	struct rect table = r, below = r;
	int least = table_least(m, v, r.w);

	least = least < LEAST ? LEAST : least;
	if (known && (r.w - 2) / b->w > 0 && r.h >= least + GAP + high) {
		table.h = table_height(m, v, r.w);
		if (table.h > r.h - high - GAP)
			table.h = r.h - high - GAP;
	}
	table_draw(c, table, m, v, tab, false, foot);
	below.y += table.h + GAP;
	below.h -= table.h + GAP;
	draw_blocks(c, below, m->fleet, v->selected < 0 ? 0 : (size_t)v->selected, b);
}

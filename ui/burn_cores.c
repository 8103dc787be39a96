/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn_cores.c - the cores of the cards that burn: a map for each card, a cell a core.
 */
#include "config.h"
#include "ui/burn_local.h"
#include "ui/mark.h"

#include <stdio.h>

#define CHIP  34		/* cells of a card's map with its words, and room beside it */
#define LABEL 3			/* of them for the number of a row */
#define WORDS 3			/* lines above a map */

static const enum mark cores[UI_CORES] = {
	[UI_CORE_OFF] = MARK_OFF,
	[UI_CORE_IDLE] = MARK_IDLE,
	[UI_CORE_WELL] = MARK_FULL,
	[UI_CORE_SLOW] = MARK_SLOW,
	[UI_CORE_STILL] = MARK_STILL,
	[UI_CORE_WRONG] = MARK_BAD,
};

void burn_put_core(struct canvas *c, int x, int y, enum ui_core core)
{
	if (core != UI_CORE_NONE)
		mark_draw(c, x, y, cores[core]);
}

static int across(int w)
{
	return w / CHIP > 1 ? w / CHIP : 1;
}

static int chip_height(const struct ui_burn *b)
{
	int h = 0;

	for (size_t i = 0; i < b->n_chips; i++)
		h = b->chips[i].h > h ? b->chips[i].h : h;
	return h + WORDS;
}

int burn_cores_height(const struct ui_burn *b, int w)
{
	const int lines = ((int)b->n_chips + across(w) - 1) / across(w);

	return b->n_chips > 0 ? lines * chip_height(b) + lines - 1 : 0;
}

/* Where there is no room for all of it, its first rows. */
static void draw_chip(struct canvas *c, struct rect r, const struct ui_burn_chip *chip)
{
	const int bottom = r.y + r.h;
	char row[8];

	canvas_words(c, r.x, r.y++, r.w, STYLE_HEADING, chip->name);
	if (r.y < bottom)
		canvas_words(c, r.x, r.y++, r.w, STYLE_NORMAL, chip->rate);
	if (r.y < bottom)
		canvas_words(c, r.x, r.y++, r.w, chip->is_bad ? STYLE_BAD : STYLE_NORMAL,
			chip->found);
	for (int y = 0; y < chip->h && r.y < bottom; y++, r.y++) {
		snprintf(row, sizeof(row), "%d", chip->rows[y]);
		canvas_number(c, r.x, r.y, LABEL - 1, STYLE_DIM, row);
		for (int x = 0; x < chip->w && LABEL + x < r.w; x++)
			burn_put_core(c, r.x + LABEL + x, r.y,
				(enum ui_core)chip->map[y * chip->w + x]);
	}
}

/* As many as there is room for, those with trouble first. */
void burn_draw_cores(struct canvas *c, struct rect r, const struct ui_burn *b)
{
	const int h = chip_height(b), rows = (r.h + 1) / (h + 1) > 1 ? (r.h + 1) / (h + 1) : 1;
	const int room = rows * across(r.w);
	int n = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < b->n_chips && n < room; i++) {
			const bool sorts = (int)b->n_chips > room;
			const struct rect at = { r.x + n % across(r.w) * CHIP,
				r.y + n / across(r.w) * (h + 1), CHIP - 2, 0 };
			const int end = r.y + r.h < at.y + h ? r.y + r.h : at.y + h;
			const int w = at.x + at.w > r.x + r.w ? r.x + r.w - at.x : at.w;

			if (sorts ? b->chips[i].is_bad != (pass == 0) : pass > 0)
				continue;
			/* The last place says how many have none. */
			if (sorts && n == room - 1 && room > 1) {
				canvas_printf(c, at.x, at.y, STYLE_DIM, "and %d more cards",
					(int)b->n_chips - n);
				return;
			}
			draw_chip(c, (struct rect){ at.x, at.y, w, end - at.y }, &b->chips[i]);
			n++;
		}
}

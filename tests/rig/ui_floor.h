/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ui_floor.h - the fewest bytes that could turn one picture into another.
 *
 * What any order of drawing must send at least: the characters of the changed
 * cells, for each run of them the shortest way there from any other run or from
 * where the cursor stands, for each look the shortest way there from any other
 * or from what is switched on.  No order has all of the shortest ways at once, so
 * the floor is below what can be reached.
 */
#pragma once

#include "ui/canvas.h"
#include "ui/term_local.h"

struct ui_floor {
	size_t cells;		/* changed */
	size_t bytes;
};

/*
 * Both pictures have one size; looks and their sequences are those of
 * term_look_init().  The cursor is at x, y (x is the width: after the last column).
 */
struct ui_floor ui_floor_of(const struct canvas *old, const struct canvas *new, int x, int y,
	const struct look *look);

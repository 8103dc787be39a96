/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strips.h - what each of the chips in folded lines did in the last minutes, in a few cells.
 */
#pragma once

#include "ui/rows.h"

#include "ui/canvas.h"

/* Lines that the strips need at their shortest; 0: nothing is folded, or there is no history. */
int strips_height(const struct model *m, const struct rows *rows, int w);

/* Draw strips as long as there is room for; if even short ones do not fit, as many as do. */
void strips_draw(struct canvas *c, struct rect r, const struct model *m, const struct view *v,
	const struct rows *rows);

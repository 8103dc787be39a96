/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * overview.h - what a screen with room to spare shows below its table: power
 * and temperature of each chip against their limits, and how they came there.
 */
#pragma once

#include "ui/rows.h"

#include "ui/canvas.h"

/* Draw into r, where there is a line for each chip; else nothing. */
void overview_draw(struct canvas *c, struct rect r, const struct model *m, const struct view *v,
	const struct rows *rows);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * overview.h - shown below a table if there is room: power and temperature of
 * each chip, against their limits and over the last minutes.
 */
#pragma once

#include "ui/rows.h"

#include "ui/canvas.h"

/* Draw into r if it has a line for each chip; else draw nothing. */
void overview_draw(struct canvas *c, struct rect r, const struct model *m, const struct view *v,
	const struct rows *rows);

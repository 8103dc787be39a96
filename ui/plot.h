/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plot.h - a line over time in braille (two by four dots a cell), or in plain
 * characters where there is no braille.
 */
#pragma once

#include "telemetry/history.h"
#include "ui/canvas.h"

struct plot {
	const struct history_bin *bins;	/* two a cell, oldest first */
	size_t n;
	int64_t low, high;	/* values of the bottom and the top edge */
	bool has_limit;
	int64_t limit;
	int cursor;		/* cell from the left; -1: none */
};

void plot_draw(struct canvas *c, struct rect r, const struct plot *p);

/* Round edges that hold all bins and, where it is near, the limit; at least `least` apart. */
void plot_range(const struct history_bin *bins, size_t n, bool has_limit, int64_t limit,
	int64_t least, int64_t *low, int64_t *high);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plot.h - values over time as a filled area of braille (two by four dots a cell), or of
 * plain characters where there is no braille.
 */
#pragma once

#include "telemetry/history.h"
#include "ui/canvas.h"

struct plot {
	struct history_bin *bins;	/* two a cell, oldest first */
	size_t n;
	int64_t low, high;	/* values of the lowest and the highest mark */
	int64_t most;		/* the highest mark, where no value is above it; 0: any */
	int rows;		/* cells from one to the other, both counted; 0: all */
	bool has_limit;
	int64_t limit;
	enum style at_limit, over_limit;	/* of the area there */
	int cursor;		/* cell from the left; -1: none */
};

/* Bins from..to that begin after `now` know nothing: the last reading does not reach there. */
void plot_end(struct plot *p, int64_t from, int64_t to, int64_t now);

void plot_draw(struct canvas *c, struct rect r, const struct plot *p);

/* The cell of h, 0 at the top, that a value is drawn in. */
int plot_row(const struct plot *p, int64_t value, int h);

/*
 * Set low, high and rows so that they hold all bins and, where it is near, the limit, and
 * are at least `least` apart.  Returns the step of the marks: 1, 2 or 5 times a power of
 * ten, of which both ends are multiples; marks are equally far from each other, two cells or
 * more where h is 8 or more.
 */
int64_t plot_range(struct plot *p, int64_t least, int h);

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
	int64_t most;		/* the highest mark allowed unless a value is above it; 0: any */
	int rows;		/* cells from lowest to highest mark, both counted; 0: all */
	bool has_limit;
	int64_t limit;
	enum style at_limit, over_limit;	/* of the area at and over the limit */
	int cursor;		/* cell from the left; -1: none */
};

/* Least, most and mean of the bins that are known; n: how many are. */
struct history_bin plot_sum(const struct history_bin *bins, size_t n);

void plot_draw(struct canvas *c, struct rect r, const struct plot *p);

/* The row of h, 0 at the top, in which a value is drawn. */
int plot_row(const struct plot *p, int64_t value, int h);

/*
 * Set low, high and rows so that all bins fit, and the limit if it is near; low and high are
 * at least `least` apart.  Returns the step of the marks: 1, 2 or 5 times a power of ten.  Low
 * and high are multiples of it.  Marks are equally far apart, by two cells or more if h is 8
 * or more.
 */
int64_t plot_range(struct plot *p, int64_t least, int h);

/* A percentage as a bar of w cells. */
void bar_draw(struct canvas *c, int x, int y, int w, int percent, enum style style);

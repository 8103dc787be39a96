/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "tests/rig/ui_floor.h"

#include "base/mem.h"
#include "ui/term_local.h"

#include <stdio.h>
#include <stdlib.h>

struct run {
	int y, x, end;		/* end: exclusive */
};

static const struct term_look *look_of(const struct cell *cell)
{
	return term.look[cell->lit][cell->style].as;
}

static int index_of(const struct term_look *look)
{
	for (int i = 0;; i++)
		if (look == &term.look[i / STYLES][i % STYLES])
			return i;
}

static bool is_free(const struct cell *cell)
{
	return cell->ch == ' ' && !look_of(cell)->ground;
}

static size_t change_length(const struct term_look *a, const struct term_look *b)
{
	char text[TERM_SGR];

	return term_look_change(a, b, text);
}

static bool same(const struct cell *a, const struct cell *b)
{
	return a->ch == b->ch && (look_of(a) == look_of(b) || (is_free(a) && is_free(b)));
}

static size_t step_length(int n)
{
	n = abs(n);
	return n == 0 ? 0 : n == 1 ? 3 : n < 10 ? 4 : n < 100 ? 5 : 6;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* From behind a run to another: named, by steps, by backspaces, or over what lies between. */
static size_t move_length(const struct run *from, const struct run *to, int w)
{
	int right = to->x - from->end, down = to->y - from->y;
	size_t named = (size_t)snprintf(NULL, 0, "\033[%d;%dH", to->y + 1, to->x + 1);
	size_t side = step_length(right);

	if (right < 0)
		side = least(side, (size_t)-right);
	if (to->y == 0 || to->x == 0)
		named -= to->x == 0 ? 2 : 1;
	if (down == 0 && right > 0)
		side = least(side, (size_t)right);
	/* After the last column only its name is a way back. */
	return from->end >= w ? named : least(named, step_length(down) + side);
}

/* The first run is where the cursor stands. */
static size_t motion(const struct run *runs, size_t n, int w)
{
	size_t sum = 0;

	for (size_t i = 1; i < n; i++) {
		size_t best = SIZE_MAX;

		for (size_t k = 0; k < n; k++)
			if (k != i)
				best = least(best, move_length(&runs[k], &runs[i], w));
		sum += best;
	}
	return sum;
}

static size_t switches(const bool needed[2 * STYLES], const struct look *now)
{
	const struct term_look begun = { .look = *now };
	size_t sum = 0;

	for (int i = 0; i < 2 * STYLES; i++) {
		const struct term_look *to = &term.look[i / STYLES][i % STYLES];
		size_t best = needed[i] ? change_length(&begun, to) : 0;

		for (int k = 0; needed[i] && k < 2 * STYLES; k++)
			if (k != i && needed[k])
				best = least(best,
					change_length(&term.look[k / STYLES][k % STYLES], to));
		sum += best;
	}
	return sum;
}

struct ui_floor ui_floor_of(const struct canvas *old, const struct canvas *new, int x, int y,
	const struct look *look)
{
	struct run *runs = mem_calloc((size_t)(new->w * new->h) + 1, sizeof(*runs));
	bool needed[2 * STYLES] = { false };
	struct ui_floor floor = { 0 };
	size_t n = 1;
	char text[4];

	runs[0] = (struct run){ y, x, x };
	for (int i = 0; i < new->w * new->h; i++) {
		const struct cell *cell = &new->cells[i];
		int column = i % new->w, line = i / new->w;

		if (same(cell, &old->cells[i]))
			continue;
		floor.cells++;
		floor.bytes += cell->ch ? (size_t)glyph_encode(cell->ch, text) : 0;
		if (!is_free(cell))
			needed[index_of(look_of(cell))] = true;
		if (n > 1 && runs[n - 1].y == line && runs[n - 1].end == column)
			runs[n - 1].end++;
		else
			runs[n++] = (struct run){ line, column, column + 1 };
	}
	floor.bytes += motion(runs, n, new->w) + switches(needed, look);
	free(runs);
	return floor;
}

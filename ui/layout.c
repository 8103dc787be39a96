/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "ui/layout.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

bool layout_has_sidebar(const struct view *v, int w)
{
	if (v->compact || w < LAYOUT_SIDEBAR_MIN)
		return false;
	return v->sidebar_set ? v->sidebar : w >= LAYOUT_SIDEBAR_OWN;
}

static struct rect take_top(struct rect *from, int h)
{
	struct rect r = { from->x, from->y, from->w, h };

	from->y += h;
	from->h -= h;
	return r;
}

static struct rect take_bottom(struct rect *from, int h)
{
	from->h -= h;
	return (struct rect){ from->x, from->y + from->h, from->w, h };
}

static void place_sidebar(struct layout *l, struct rect *all, int host_lines, int check_lines)
{
	struct rect side = { all->x, all->y, LAYOUT_SIDEBAR, all->h };
	int want = host_lines + 2, rest;

	all->x += LAYOUT_SIDEBAR;
	all->w -= LAYOUT_SIDEBAR;
	rest = side.h - want;
	if (rest < check_lines + 2 && side.h >= 10)
		want = side.h - (check_lines + 2) >= 5 ? side.h - (check_lines + 2) : 5;
	l->host = take_top(&side, want < side.h ? want : side.h);
	if (side.h >= 3)
		l->checks = take_top(&side, check_lines + 2 < side.h ? check_lines + 2 : side.h);
}

void layout_screen(struct layout *l, const struct view *v, int w, int h, int host_lines,
	int check_lines)
{
	struct rect all = { 0, 0, w, h };

	*l = (struct layout){ 0 };
	if (!v->compact && h >= 8)
		l->header = take_top(&all, 1);
	if (h >= 4)
		l->footer = take_bottom(&all, 1);
	if (layout_has_sidebar(v, w) && all.h >= 3)
		place_sidebar(l, &all, host_lines, check_lines);
	if (!v->compact && all.h >= 5 && all.w >= 20) {
		l->box = all;
		l->inner = (struct rect){ all.x + 1, all.y + 1, all.w - 2, all.h - 2 };
		l->foot = (struct rect){ all.x + 2, all.y + all.h - 1, all.w - 4, 1 };
		return;
	}
	if (all.h >= 4)
		l->foot = take_bottom(&all, 1);
	l->inner = all;
}

static int limit_width(const struct column *col)
{
	enum field_id id = column_limit(col);

	/* At least "max", its heading. */
	return id == FIELD_NONE ? 0 : fields[id].width > 3 ? fields[id].width : 3;
}

static int cells(const struct column *col, bool limits)
{
	int limit = limits ? limit_width(col) : 0;

	return column_width(col) + (limit ? limit + 1 : 0);
}

#define UNPLACED INT_MAX

/* Columns that stay together, from the i-th on: how many, and their cells. */
static size_t group_of(const struct column *columns, size_t n, size_t i, bool limits, int *width)
{
	size_t end = i;

	for (*width = -1; end < n && (end == i || columns[end].joined); end++)
		*width += 1 + cells(&columns[end], limits);
	return end - i;
}

/* Fill one band by rank with what has no place yet, and return how many columns that is. */
static size_t fill_band(const struct column *columns, size_t n, int width, bool limits, int band,
	int *bands)
{
	size_t count = 0, size;
	int used = -1, need;

	for (size_t i = 0; i < n; i++)
		if (bands[i] == LAYOUT_EVERY)
			used += 1 + cells(&columns[i], limits);
	for (int rank = 0; rank < COLUMN_NOWHERE; rank++)
		for (size_t i = 0; i < n; i += size) {
			size = group_of(columns, n, i, limits, &need);
			/* What is too wide is passed over: a narrower one may still fit. */
			if (columns[i].rank != rank || bands[i] != UNPLACED ||
				used + 1 + need > width)
				continue;
			used += 1 + need;
			count += size;
			for (size_t k = i; k < i + size; k++)
				bands[k] = rank == 0 ? LAYOUT_EVERY : band;
		}
	return count;
}

/* The widest gap up to 3 cells with which every band fits: columns stand at the same places. */
static int widest_gap(const struct column *columns, size_t n, int width, bool limits, int count,
	const int *bands)
{
	int gap = 3;

	for (int band = 0; band < count; band++) {
		int used = 0, gaps = -1;

		for (size_t i = 0; i < n; i++)
			if (bands[i] == band || bands[i] == LAYOUT_EVERY) {
				used += cells(&columns[i], limits);
				gaps++;
			}
		while (gap > 1 && used + gap * gaps > width)
			gap--;
	}
	return gap;
}

static void hide(struct layout_table *t, const struct column *col)
{
	size_t len = strlen(t->hidden);

	snprintf(t->hidden + len, sizeof(t->hidden) - len, "%s%s", len ? ", " : "",
		column_title(col));
	t->n_hidden++;
}

void layout_columns(struct layout_table *t, const struct column *columns, size_t n, int width,
	int bands, bool limits)
{
	int place[LAYOUT_COLUMNS], x[LAYOUT_COLUMNS] = { 0 }, gap;

	n = n < LAYOUT_COLUMNS ? n : LAYOUT_COLUMNS;
	bands = bands < LAYOUT_COLUMNS ? bands : LAYOUT_COLUMNS;
	t->n = t->n_hidden = 0;
	t->hidden[0] = 0;
	for (size_t i = 0; i < n; i++)
		place[i] = UNPLACED;
	for (t->bands = 0; t->bands < bands; t->bands++)
		if (fill_band(columns, n, width, limits, t->bands, place) == 0)
			break;
	t->bands += t->bands == 0;
	gap = widest_gap(columns, n, width, limits, t->bands, place);
	for (size_t i = 0; i < n; i++) {
		struct layout_column *c = &t->col[t->n];
		int w = cells(&columns[i], limits), limit = limits ? limit_width(&columns[i]) : 0;
		int *at = &x[place[i] < 0 || place[i] == UNPLACED ? 0 : place[i]];

		if (place[i] == UNPLACED) {
			if (columns[i].rank != COLUMN_NOWHERE)
				hide(t, &columns[i]);
			continue;
		}
		*c = (struct layout_column){ .col = &columns[i], .number = (int)i, .band = place[i],
			.x = *at, .w = column_width(&columns[i]), .limit_w = limit,
			.limit_x = *at + w - limit };
		for (int band = 0; band < t->bands; band++)
			if (place[i] == LAYOUT_EVERY || place[i] == band)
				x[band] += w + gap;
		t->n++;
	}
}

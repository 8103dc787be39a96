/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "ui/screen.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static void place_sidebar(struct layout *l, struct rect *all, int host_lines, int check_lines)
{
	struct rect side = { all->x, all->y, LAYOUT_SIDEBAR, all->h };
	int want = host_lines + 2, rest;

	all->x += LAYOUT_SIDEBAR;
	all->w -= LAYOUT_SIDEBAR;
	rest = side.h - want;
	if (rest < check_lines + 2 && side.h >= 10)
		want = side.h - (check_lines + 2) >= 5 ? side.h - (check_lines + 2) : 5;
	l->host = rect_take_top(&side, want);
	if (side.h >= 3)
		l->checks = rect_take_top(&side, check_lines + 2);
}

void layout_screen(struct layout *l, const struct view *v, int w, int h, int host_lines,
	int check_lines)
{
	const bool sidebar = !v->compact && w >= LAYOUT_SIDEBAR_MIN &&
		(v->sidebar_set ? v->sidebar : w >= LAYOUT_SIDEBAR_OWN);
	struct rect all = { 0, 0, w, h };

	*l = (struct layout){ 0 };
	if (!v->compact && h >= 8)
		l->header = rect_take_top(&all, 1);
	if (h >= 4)
		l->footer = rect_take_bottom(&all, 1);
	if (sidebar && all.h >= 3)
		place_sidebar(l, &all, host_lines, check_lines);
	if (!v->compact && all.h >= 5 && all.w >= 20) {
		l->box = all;
		l->inner = (struct rect){ all.x + 1, all.y + 1, all.w - 2, all.h - 2 };
		l->foot = (struct rect){ all.x + 2, all.y + all.h - 1, all.w - 4, 1 };
		return;
	}
	if (all.h >= 4)
		l->foot = rect_take_bottom(&all, 1);
	l->inner = all;
}

static int limit_width(const struct column *col)
{
	enum field_id id = column_limit(col);

	if (id == FIELD_NONE || col->limit[0] || col->unlimited)
		return 0;
	/* At least "max", its heading. */
	return fields[id].width > 3 ? fields[id].width : 3;
}

#define UNPLACED INT_MAX

/* The columns of one layout, and what is computed once for them. */
struct column_plan {
	const struct column *col;
	size_t n;
	int width;			/* of a band */
	int limit[LAYOUT_COLUMNS];	/* cells of the limit; 0: none */
	int w[LAYOUT_COLUMNS];		/* cells, with the limit */
	int band[LAYOUT_COLUMNS];
	size_t order[LAYOUT_COLUMNS];	/* by rank */
};

static void put_in_order(struct column_plan *p)
{
	for (size_t i = 0; i < p->n; i++) {
		size_t at = i;

		for (; at > 0 && p->col[p->order[at - 1]].rank > p->col[i].rank; at--)
			p->order[at] = p->order[at - 1];
		p->order[at] = i;
	}
}

/* Returns how many columns from the i-th on stay together; *width: their cells. */
static size_t group_of(const struct column_plan *p, size_t i, int *width)
{
	size_t end = i + 1;

	for (*width = p->w[i]; end < p->n && p->col[end].joined; end++)
		*width += 1 + p->w[end];
	return end - i;
}

/* Fill one band, by rank, with groups that have no place yet; returns how many were placed. */
static size_t fill_band(struct column_plan *p, int band)
{
	size_t count = 0, size;
	int used = -1, need;

	for (size_t i = 0; i < p->n; i++)
		if (p->band[i] == LAYOUT_EVERY)
			used += 1 + p->w[i];
	for (size_t o = 0; o < p->n; o++) {
		size_t i = p->order[o];

		if (p->col[i].rank == COLUMN_NOWHERE || p->col[i].joined ||
			p->band[i] != UNPLACED)
			continue;
		size = group_of(p, i, &need);
		/* Skip a group that is too wide: a narrower one may still fit. */
		if (used + 1 + need > p->width)
			continue;
		used += 1 + need;
		count++;
		for (size_t k = i; k < i + size; k++)
			p->band[k] = p->col[i].rank == 0 ? LAYOUT_EVERY : band;
	}
	return count;
}

/* The widest gap, up to 3 cells, with which every band fits; all use it so that columns align. */
static int widest_gap(const struct column_plan *p, int bands)
{
	int gap = 3;

	for (int band = 0; band < bands; band++) {
		int used = 0, gaps = -1;

		for (size_t i = 0; i < p->n; i++)
			if (p->band[i] == band || p->band[i] == LAYOUT_EVERY) {
				used += p->w[i];
				gaps++;
			}
		while (gap > 1 && used + gap * gaps > p->width)
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

/* Give each column the next free place in its band. */
static void place_in_bands(struct layout_table *t, const struct column_plan *p)
{
	int x[LAYOUT_COLUMNS] = { 0 }, gap = widest_gap(p, t->bands);

	for (size_t i = 0; i < p->n; i++) {
		int band = p->band[i], limit = p->limit[i], at;

		if (band == UNPLACED) {
			if (p->col[i].rank != COLUMN_NOWHERE)
				hide(t, &p->col[i]);
			continue;
		}
		at = x[band == LAYOUT_EVERY ? 0 : band];
		t->col[t->n++] = (struct layout_column){ .col = &p->col[i], .number = (int)i,
			.band = band, .x = at, .w = p->w[i] - (limit ? limit + 1 : 0),
			.limit_w = limit, .limit_x = at + p->w[i] - limit };
		for (int k = 0; k < t->bands; k++)
			if (band == LAYOUT_EVERY || band == k)
				x[k] += p->w[i] + gap;
	}
}

void layout_leave_out(struct column *columns, size_t n, uint64_t left_out)
{
	for (size_t i = 0; i < n; i++)
		if (left_out >> i & 1)
			columns[i].rank = COLUMN_NOWHERE;
}

void layout_columns(struct layout_table *t, const struct column *columns, size_t n, int width,
	int bands, bool limits)
{
	struct column_plan p = { .col = columns, .n = n < LAYOUT_COLUMNS ? n : LAYOUT_COLUMNS,
		.width = width };

	for (size_t i = 0; i < p.n; i++) {
		p.limit[i] = limits ? limit_width(&columns[i]) : 0;
		p.w[i] = column_width(&columns[i]) + (p.limit[i] ? p.limit[i] + 1 : 0);
		p.band[i] = UNPLACED;
	}
	put_in_order(&p);
	t->n = t->n_hidden = 0;
	t->hidden[0] = 0;
	bands = bands < LAYOUT_COLUMNS ? bands : LAYOUT_COLUMNS;
	for (t->bands = 0; t->bands < bands; t->bands++)
		if (fill_band(&p, t->bands) == 0)
			break;
	t->bands += t->bands == 0;
	place_in_bands(t, &p);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "ui/layout.h"

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

/* Keep columns by rank while they fit with one blank between them. */
static size_t choose(const struct column *columns, size_t n, int width, bool limits, bool *kept)
{
	size_t count = 0;
	int used = 0;

	memset(kept, 0, n * sizeof(*kept));
	for (int rank = 0; rank <= UINT8_MAX; rank++)
		for (size_t i = 0; i < n; i++) {
			int need = cells(&columns[i], limits) + (count > 0);

			if (columns[i].rank != rank)
				continue;
			/* What is too wide is passed over: a narrower one may still fit. */
			if (used + need > width)
				continue;
			used += need;
			kept[i] = true;
			count++;
		}
	return count;
}

size_t layout_columns(const struct column *columns, size_t n, int width, bool limits,
	struct layout_column out[LAYOUT_COLUMNS], char *hidden, size_t hidden_size)
{
	bool kept[LAYOUT_COLUMNS];
	size_t count, at = 0, len = 0;
	int used = 0, gap = 1, x = 0;

	n = n < LAYOUT_COLUMNS ? n : LAYOUT_COLUMNS;
	count = choose(columns, n, width, limits, kept);
	for (size_t i = 0; i < n; i++)
		if (kept[i])
			used += cells(&columns[i], limits);
	while (gap < 3 && count > 0 && used + (gap + 1) * ((int)count - 1) <= width)
		gap++;
	if (hidden_size > 0)
		hidden[0] = 0;
	for (size_t i = 0; i < n; i++) {
		struct layout_column *c = &out[at];

		if (!kept[i]) {
			int added = snprintf(hidden + len, hidden_size - len, "%s%s",
				len ? ", " : "", column_title(&columns[i]));

			len = added > 0 && len + (size_t)added < hidden_size ? len + (size_t)added :
				hidden_size - 1;
			continue;
		}
		*c = (struct layout_column){ .col = &columns[i], .number = (int)i, .x = x,
			.w = column_width(&columns[i]) };
		x += c->w;
		if (limits && limit_width(&columns[i])) {
			c->limit_x = x + 1;
			c->limit_w = limit_width(&columns[i]);
			x += 1 + c->limit_w;
		}
		x += gap;
		at++;
	}
	return count;
}

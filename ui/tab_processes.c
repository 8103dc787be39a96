/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tab 4: which processes hold the cards.
 */
#include "config.h"
#include "ui/tab.h"

#include "base/clock.h"
#include "base/mem.h"
#include "ui/screen.h"
#include "ui/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	PROCESS_DEVICE, PROCESS_BOARD, PROCESS_PID, PROCESS_USER, PROCESS_START, PROCESS_PINNED,
	PROCESS_BUSY, PROCESS_BUSY_CORES,
	PROCESS_MEMORY,			/* the first kind of memory */
	PROCESS_CONTAINER = PROCESS_MEMORY + PROCESS_MEMORIES, PROCESS_COMMAND
};

static const struct column columns[] = {
	[PROCESS_DEVICE] = { .kind = COLUMN_INDEX, .width = 3, .rank = 0, .title = "#" },
	[PROCESS_BOARD] = { .kind = COLUMN_BOARD, .width = 14, .rank = 6, .left = true,
		.title = "Board" },
	[PROCESS_PID] = { .kind = COLUMN_INDEX, .width = 7, .rank = 0, .title = "PID" },
	[PROCESS_USER] = { .kind = COLUMN_BOARD, .width = 12, .rank = 2, .left = true,
		.title = "User" },
	[PROCESS_START] = { .kind = COLUMN_BOARD, .width = 11, .rank = 4, .left = true,
		.title = "Start" },
	[PROCESS_PINNED] = { .kind = COLUMN_INDEX, .width = 8, .rank = 5, .title = "Pinned" },
	[PROCESS_BUSY] = { .kind = COLUMN_INDEX, .width = 5, .rank = 3, .title = "Busy%" },
	[PROCESS_BUSY_CORES] = { .kind = COLUMN_INDEX, .width = 6, .rank = 3, .title = "Cores%" },
	[PROCESS_MEMORY + PROCESS_MEMORY_DRAM] = { .kind = COLUMN_INDEX, .width = 8, .rank = 3,
		.title = "DRAM" },
	[PROCESS_MEMORY + PROCESS_MEMORY_L1] = { .kind = COLUMN_INDEX, .width = 8, .rank = 4,
		.title = "L1" },
	[PROCESS_MEMORY + PROCESS_MEMORY_L1_SMALL] = { .kind = COLUMN_INDEX, .width = 8, .rank = 9,
		.title = "L1 small" },
	[PROCESS_MEMORY + PROCESS_MEMORY_TRACE] = { .kind = COLUMN_INDEX, .width = 8, .rank = 8,
		.title = "Trace" },
	[PROCESS_MEMORY + PROCESS_MEMORY_CB] = { .kind = COLUMN_INDEX, .width = 8, .rank = 7,
		.title = "CB" },
	[PROCESS_CONTAINER] = { .kind = COLUMN_BOARD, .width = 20, .rank = 3, .left = true,
		.title = "Container" },
	[PROCESS_COMMAND] = { .kind = COLUMN_BOARD, .width = 28, .rank = 1, .left = true,
		.title = "Command" },
};

struct list {
	const struct model *m;
	int sort;			/* number of the column; -1: none */
	bool descending;
	size_t n;
	uint16_t at[PROCESS_LISTED];
};

static void put_start(const struct process *p, char *buf, size_t size)
{
	const time_t at = (time_t)(p->started / CLOCK_SECOND);
	struct tm tm;

	if (p->started <= 0 || !localtime_r(&at, &tm) || !strftime(buf, size, "%m-%d %H:%M", &tm))
		snprintf(buf, size, "-");
}

/* The number of a process in a column, -1 if not known; 0 in a column of texts. */
static int64_t number_of(const struct fleet *f, const struct process *p, int column)
{
	if (column == PROCESS_BUSY || column == PROCESS_BUSY_CORES)
		return fleet_busy(f, p, column == PROCESS_BUSY ? FIELD_BUSY : FIELD_BUSY_CORES);
	if (column >= PROCESS_MEMORY && column < PROCESS_MEMORY + PROCESS_MEMORIES)
		return p->has_memory ? p->memory[column - PROCESS_MEMORY] : -1;
	return column == PROCESS_PINNED ? p->pinned : column == PROCESS_START ? p->started :
		column == PROCESS_PID ? p->pid : column == PROCESS_DEVICE ? p->device : 0;
}

/* "512 KiB", "64.0 MiB", "1.5 GiB" */
static void put_bytes(int64_t bytes, char *buf, size_t size)
{
	static const char units[] = "KMGTP";
	double amount = (double)bytes / 1024;
	size_t u = 0;

	for (; amount >= 1000 && units[u + 1]; u++)
		amount /= 1024;
	if (bytes < 0)
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%.*f %ciB", amount < 100 && u > 0, amount, units[u]);
}

static void cell(const struct model *m, const struct process *p, int column, char *buf, size_t size)
{
	const bool known = p->device >= 0 && (size_t)p->device < m->fleet->n;
	const int64_t number = number_of(m->fleet, p, column);

	if (column == PROCESS_BOARD)
		mem_copy_text(buf, size, known ? m->fleet->chips[p->device].series : "?");
	else if (column == PROCESS_USER)
		mem_copy_text(buf, size, p->user);
	else if (column == PROCESS_CONTAINER)
		mem_copy_text(buf, size, p->container[0] ? p->container : "-");
	else if (column == PROCESS_COMMAND)
		mem_copy_text(buf, size, p->command);
	else if (column == PROCESS_START)
		put_start(p, buf, size);
	else if (column == PROCESS_PID && number <= 0)
		/* A pid of another pid namespace cannot be named. */
		mem_copy_text(buf, size, "?");
	else if (column == PROCESS_PID || column == PROCESS_DEVICE)
		snprintf(buf, size, "%d", (int)number);
	else if ((column == PROCESS_BUSY || column == PROCESS_BUSY_CORES) && number < 0)
		mem_copy_text(buf, size, "-");
	else if (column == PROCESS_BUSY || column == PROCESS_BUSY_CORES)
		snprintf(buf, size, "%.1f", (double)number / fields[FIELD_BUSY].scale);
	else
		put_bytes(number, buf, size);
}

static int compare_processes(const void *a, const void *b, void *arg)
{
	const struct list *l = arg;
	const struct process *x = &l->m->fleet->processes[*(const uint16_t *)a];
	const struct process *y = &l->m->fleet->processes[*(const uint16_t *)b];
	char left[256], right[256];
	int64_t m, n;
	int order;

	if (l->sort < 0)
		return *(const uint16_t *)a - *(const uint16_t *)b;
	m = number_of(l->m->fleet, x, l->sort);
	n = number_of(l->m->fleet, y, l->sort);
	order = (m > n) - (m < n);
	if (order == 0) {
		cell(l->m, x, l->sort, left, sizeof(left));
		cell(l->m, y, l->sort, right, sizeof(right));
		order = strcmp(left, right);
	}
	order = order ? order : *(const uint16_t *)a - *(const uint16_t *)b;
	return l->descending ? -order : order;
}

static bool passes(const struct model *m, const struct process *p, const char *filter)
{
	char text[256];

	for (int i = 0; i < (int)ARRAY_LEN(columns); i++) {
		cell(m, p, i, text, sizeof(text));
		if (strcasestr(text, filter))
			return true;
	}
	return false;
}

static void build(struct list *l, const struct view *v)
{
	const struct fleet *f = l->m->fleet;

	l->sort = v->order[1].by ? (int)(v->order[1].by - columns) : -1;
	l->descending = v->order[1].descending;
	for (size_t i = 0; i < f->n_processes && l->n < PROCESS_LISTED; i++)
		if (passes(l->m, &f->processes[i], v->filter))
			l->at[l->n++] = (uint16_t)i;
	qsort_r(l->at, l->n, sizeof(l->at[0]), compare_processes, l);
}

static void draw_line(const struct table *t, int y, const struct process *p)
{
	char text[256];

	for (size_t i = 0; i < t->l->n; i++) {
		cell(t->m, p, t->l->col[i].number, text, sizeof(text));
		table_put(t, y, &t->l->col[i], STYLE_NORMAL, text);
	}
}

static bool is_unknown(const struct fleet *f)
{
	return f->processes_unknown && f->processes_unknown[0];
}

/* Whether a column of memory is shown: DRAM and L1 even if all are 0, the others only above 0. */
static bool is_published(const struct fleet *f, size_t kind)
{
	for (size_t i = 0; i < f->n_processes; i++)
		if (f->processes[i].has_memory && (kind <= PROCESS_MEMORY_L1 ||
			f->processes[i].memory[kind] > 0))
			return true;
	return false;
}

/* Fit columns of texts to the longest text, up to their width; drop unused columns. */
static void lay_out(struct layout_table *t, const struct model *m, uint64_t left_out, int width,
	struct column fitted[static ARRAY_LEN(columns)])
{
	bool contained = false, busy = false;
	char text[256];

	memcpy(fitted, columns, sizeof(columns));
	for (size_t k = 0; k < ARRAY_LEN(columns); k++) {
		int most = 0;

		for (size_t i = 0; i < m->fleet->n_processes && columns[k].left; i++) {
			cell(m, &m->fleet->processes[i], (int)k, text, sizeof(text));
			most = glyph_text_width(text) > most ? glyph_text_width(text) : most;
			contained |= k == PROCESS_CONTAINER && strcmp(text, "-") != 0;
		}
		if (columns[k].left && most < fitted[k].width)
			fitted[k].width = (uint8_t)(most > 0 ? most : 1);
	}
	for (size_t i = 0; i < m->fleet->n_processes; i++)
		busy |= fleet_busy(m->fleet, &m->fleet->processes[i], FIELD_BUSY_CORES) >= 0;
	if (!busy)
		fitted[PROCESS_BUSY].rank = fitted[PROCESS_BUSY_CORES].rank = COLUMN_NOWHERE;
	if (!contained)
		fitted[PROCESS_CONTAINER].rank = COLUMN_NOWHERE;
	for (size_t k = 0; k < PROCESS_MEMORIES; k++)
		if (!is_published(m->fleet, k))
			fitted[PROCESS_MEMORY + k].rank = COLUMN_NOWHERE;
	layout_leave_out(fitted, ARRAY_LEN(columns), left_out);
	/* The last column takes the rest of the line; reserve at most half of the line for it. */
	if (fitted[PROCESS_COMMAND].width > width / 2)
		fitted[PROCESS_COMMAND].width = (uint8_t)(width / 2);
	layout_columns(t, fitted, ARRAY_LEN(columns), width, 1, false);
	if (t->n > 0 && t->col[t->n - 1].col->left)
		t->col[t->n - 1].w = width - t->col[t->n - 1].x;
}

static void fill_foot(struct foot *foot, const struct model *m, const struct view *v, size_t shown,
	const struct layout_table *t)
{
	const struct fleet *f = m->fleet;

	if (v->filter[0] || v->typing)
		snprintf(foot->left, sizeof(foot->left), "filter \"%s\": %zu of %zu", v->filter,
			shown, f->n_processes);
	else if (is_unknown(f))
		snprintf(foot->left, sizeof(foot->left), "processes: %s", f->processes_unknown);
	else if (f->processes_partial)
		snprintf(foot->left, sizeof(foot->left),
			"processes of other users are hidden from you: run as root to see all");
	else if (f->pinned_unknown && f->n_processes > 0)
		snprintf(foot->left, sizeof(foot->left), "pinned: %s", f->pinned_unknown);
	else if (t->n_hidden > 0)
		snprintf(foot->left, sizeof(foot->left), "no room for %s", t->hidden);
	snprintf(foot->right, sizeof(foot->right), "%zu process%s", f->n_processes,
		f->n_processes == 1 ? "" : "es");
}

static void tab_processes_draw(struct canvas *c, struct rect r, const struct model *m,
	struct view *v, struct foot *foot)
{
	struct column fitted[ARRAY_LEN(columns)];
	struct list list = { .m = m };
	struct layout_table l;
	const struct table t = { .c = c, .m = m, .v = v, .l = &l, .x = r.x + 1, .w = r.w - 2 };
	int *top = &v->top[UI_TAB_PROCESSES];

	lay_out(&l, m, v->left_out[UI_TAB_PROCESSES], t.w, fitted);
	build(&list, v);
	if (r.h >= 3) {
		table_draw_heading(&t, r.y, false);
		r.y++;
		r.h--;
	}
	v->page = r.h;
	v->lines = (int)list.n;
	*top = table_scroll(*top, r.h, v->lines, -1, -1);
	for (int i = 0; i < r.h && *top + i < v->lines; i++)
		draw_line(&t, r.y + i, &m->fleet->processes[list.at[*top + i]]);
	if (list.n == 0)
		canvas_words(c, r.x + 1, r.y, r.w - 2, STYLE_DIM, m->fleet->n_processes ?
			"no process fits the filter (Esc: all)" :
			is_unknown(m->fleet) ? "which processes hold a device is not known" :
			"no process holds a device");
	fill_foot(foot, m, v, list.n, &l);
}

const struct tab_ops tab_processes = {
	.name = "Processes",
	.brief = "Proc",
	.columns = columns,
	.n_columns = ARRAY_LEN(columns),
	.apart = true,
	.draw = tab_processes_draw,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tab 4: which processes hold the cards.
 */
#include "config.h"
#include "ui/tab.h"

#include "base/array.h"
#include "ui/layout.h"
#include "ui/rows.h"
#include "ui/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PROCESS_DEVICE, PROCESS_BOARD, PROCESS_PID, PROCESS_USER, PROCESS_CONTAINER, PROCESS_COMMAND
};

static const struct column columns[] = {
	[PROCESS_DEVICE] = { .kind = COLUMN_INDEX, .width = 3, .rank = 0, .title = "#" },
	[PROCESS_BOARD] = { .kind = COLUMN_BOARD, .width = 14, .rank = 3, .left = true,
		.title = "Board" },
	[PROCESS_PID] = { .kind = COLUMN_INDEX, .width = 7, .rank = 0, .title = "PID" },
	[PROCESS_USER] = { .kind = COLUMN_BOARD, .width = 12, .rank = 2, .left = true,
		.title = "User" },
	[PROCESS_CONTAINER] = { .kind = COLUMN_BOARD, .width = 16, .rank = 4, .left = true,
		.title = "Container" },
	[PROCESS_COMMAND] = { .kind = COLUMN_BOARD, .width = 12, .rank = 1, .left = true,
		.title = "Command" },
};

#define PROCESSES_SHOWN 1024

struct list {
	const struct model *m;
	int sort;
	bool descending;
	size_t n;
	uint16_t at[PROCESSES_SHOWN];
};

static void cell(const struct model *m, const struct process *p, int column, char *buf, size_t size)
{
	bool known = p->device >= 0 && (size_t)p->device < m->fleet->n;

	switch (column) {
	case PROCESS_DEVICE:
		snprintf(buf, size, "%d", p->device);
		break;
	case PROCESS_BOARD:
		snprintf(buf, size, "%s", known ? m->fleet->chips[p->device].series : "?");
		break;
	case PROCESS_PID:
		/* A pid of another pid namespace cannot be named. */
		if (p->pid > 0)
			snprintf(buf, size, "%d", (int)p->pid);
		else
			snprintf(buf, size, "?");
		break;
	case PROCESS_USER:
		snprintf(buf, size, "%s", p->user);
		break;
	case PROCESS_CONTAINER:
		snprintf(buf, size, "%s", p->container[0] ? p->container : "-");
		break;
	default:
		snprintf(buf, size, "%s", p->command);
	}
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct list *l = arg;
	const struct process *x = &l->m->fleet->processes[*(const uint16_t *)a];
	const struct process *y = &l->m->fleet->processes[*(const uint16_t *)b];
	char left[256], right[256];
	int order;

	if (l->sort < 0)
		return *(const uint16_t *)a - *(const uint16_t *)b;
	if (l->sort == PROCESS_PID)
		order = (x->pid > y->pid) - (x->pid < y->pid);
	else if (l->sort == PROCESS_DEVICE)
		order = x->device - y->device;
	else {
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
		if (rows_match(text, filter))
			return true;
	}
	return false;
}

static void build(struct list *l, const struct view *v)
{
	const struct fleet *f = l->m->fleet;

	l->sort = v->sort[UI_TAB_PROCESSES];
	l->descending = v->descending[UI_TAB_PROCESSES];
	for (size_t i = 0; i < f->n_processes && l->n < PROCESSES_SHOWN; i++)
		if (passes(l->m, &f->processes[i], v->filter))
			l->at[l->n++] = (uint16_t)i;
	qsort_r(l->at, l->n, sizeof(l->at[0]), compare, l);
}

static void draw_heading(struct canvas *c, struct rect r, const struct view *v,
	const struct layout_table *t)
{
	const struct layout_column *col = t->col;

	for (size_t i = 0; i < t->n; i++) {
		int x = r.x + 1 + col[i].x;

		c->hit = (uint16_t)(UI_HIT_COLUMN + col[i].number);
		if (col[i].col->left)
			canvas_text(c, x, r.y, STYLE_HEADING, column_title(col[i].col));
		else
			canvas_number(c, x, r.y, col[i].w, STYLE_HEADING, column_title(col[i].col));
		if (v->sort[UI_TAB_PROCESSES] == col[i].number)
			canvas_put(c, x - 1, r.y, STYLE_KEY,
				v->descending[UI_TAB_PROCESSES] ? 0x25bc : 0x25b2);
		c->hit = 0;
	}
}

static void draw_line(struct canvas *c, struct rect line, const struct model *m,
	const struct process *p, const struct layout_table *t)
{
	const struct layout_column *col = t->col;
	char text[256];

	for (size_t i = 0; i < t->n; i++) {
		int x = line.x + 1 + col[i].x;
		/* The last column takes what is left of the line. */
		int w = i + 1 == t->n ? line.x + line.w - 1 - x : col[i].w;

		cell(m, p, col[i].number, text, sizeof(text));
		if (col[i].col->left)
			canvas_words(c, x, line.y, w, STYLE_NORMAL, text);
		else
			canvas_number(c, x, line.y, col[i].w, STYLE_NORMAL, text);
	}
}

static bool is_unknown(const struct fleet *f)
{
	return f->processes_unknown && f->processes_unknown[0];
}

static void draw(struct canvas *c, struct rect r, const struct model *m, struct view *v,
	struct foot *foot)
{
	struct list list = { .m = m };
	struct layout_table t;
	int *top = &v->top[UI_TAB_PROCESSES];

	layout_columns(&t, columns, ARRAY_LEN(columns), r.w - 2, 1, false);
	build(&list, v);
	if (r.h >= 3) {
		draw_heading(c, r, v, &t);
		r.y++;
		r.h--;
	}
	v->page = r.h;
	v->lines = (int)list.n;
	*top = table_scroll(*top, r.h, v->lines, -1, -1);
	for (int i = 0; i < r.h && *top + i < v->lines; i++)
		draw_line(c, (struct rect){ r.x, r.y + i, r.w, 1 }, m,
			&m->fleet->processes[list.at[*top + i]], &t);
	if (list.n == 0)
		canvas_words(c, r.x + 1, r.y, r.w - 2, STYLE_DIM, m->fleet->n_processes ?
			"no process fits the filter (Esc: all)" :
			is_unknown(m->fleet) ? "which processes hold a device is not known" :
			"no process holds a device");
	if (v->filter[0] || v->typing)
		snprintf(foot->left, sizeof(foot->left), "filter \"%s\": %zu of %zu", v->filter,
			list.n, m->fleet->n_processes);
	else if (is_unknown(m->fleet))
		snprintf(foot->left, sizeof(foot->left), "processes: %s",
			m->fleet->processes_unknown);
	else if (m->fleet->processes_partial)
		snprintf(foot->left, sizeof(foot->left),
			"processes of other users are hidden from you: run as root to see all");
	else if (t.n_hidden > 0)
		snprintf(foot->left, sizeof(foot->left), "no room for %s", t.hidden);
	snprintf(foot->right, sizeof(foot->right), "%zu process%s", m->fleet->n_processes,
		m->fleet->n_processes == 1 ? "" : "es");
}

const struct tab_ops tab_processes = {
	.name = "Processes",
	.brief = "Proc",
	.columns = columns,
	.n_columns = ARRAY_LEN(columns),
	.draw = draw,
};

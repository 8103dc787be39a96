/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A key goes to the first of these that takes it: the filter while it is being
 * typed, an open panel, the tab, then the keys that mean the same everywhere.
 */
#include "config.h"
#include "ui/view.h"

#include "base/clock.h"
#include "base/mem.h"
#include "ui/rows.h"
#include "ui/tab.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MESSAGE_TIME (6 * CLOCK_SECOND)
#define TO_THE_END   1000000	/* lines: more than any table or page has */

void view_init(struct view *v, const struct tab_ops *const *all)
{
	*v = (struct view){ .tabs = all, .tab = UI_TAB_DEVICES, .limits = true, .zoom = 1,
		.cursor = -1 };
}

void view_say(struct view *v, const struct model *m, bool bad, const char *fmt, ...)
{
	va_list args;

	/* News do not hide a question.  Trouble does, and the question is withdrawn. */
	if (v->asking && !bad)
		return;
	v->asking = false;
	va_start(args, fmt);
	vsnprintf(v->message, sizeof(v->message), fmt, args);
	va_end(args);
	v->message_bad = bad;
	v->message_until = m->now + MESSAGE_TIME;
}

void view_ask(struct view *v, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(v->message, sizeof(v->message), fmt, args);
	va_end(args);
	v->asking = v->message_bad = true;
	v->message_until = INT64_MAX;
}

/* Only y means yes; any other key withdraws the question. */
static enum ui_request answer_question(struct view *v, uint32_t key, const struct model *m)
{
	v->asking = false;
	v->message[0] = 0;
	if (key == 'y' || key == 'Y')
		return UI_RESET;
	view_say(v, m, false, "nothing was reset");
	return UI_NONE;
}

/* If chips fold, types share lines already; if none fold, there is nothing to open. */
enum ui_group view_next_group(const struct view *v, const struct model *m)
{
	const bool folds = view_would_fold(v);

	for (int group = (int)v->group + 1; group < UI_GROUPS; group++)
		if (group == UI_GROUP_NONE ? folds :
			(group == UI_GROUP_BOARD || !folds) &&
			rows_can_share(m, (enum ui_group)group))
			return (enum ui_group)group;
	return UI_GROUP_AUTO;
}

/* Build all rows and find the line of the selection. */
static int find_selected(const struct view *v, const struct model *m, struct rows *rows)
{
	rows_build(rows, m, v, 0);
	return rows_find(rows, v->selected);
}

static bool is_fold(const struct rows *rows, int at)
{
	return at >= 0 && (size_t)at < rows->n && rows->row[at].kind == ROW_FOLD;
}

/* Step through the chips in the order shown; a fold on the way down is opened. */
static void select_step(struct view *v, const struct model *m, int step)
{
	struct rows rows;
	int at = find_selected(v, m, &rows), kept;

	v->chosen = -1;
	if (at < 0 && rows.n > 0) {
		v->selected = rows.row[0].chip;
		return;
	}
	kept = v->selected;
	for (int left = step < 0 ? -step : step; left > 0;) {
		if (step > 0 && view_folds(v) && is_fold(&rows, at)) {
			v->group = UI_GROUP_NONE;
			v->selected = kept = rows.row[at].chip;
			at = find_selected(v, m, &rows);
		}
		at += step < 0 ? -1 : 1;
		if (at < 0 || (size_t)at >= rows.n)
			break;
		if (rows.row[at].kind != ROW_CHIP && rows.row[at].kind != ROW_FOLD)
			continue;
		kept = rows.row[at].chip;
		left--;
	}
	v->selected = kept;
}

/* Select the next chip that has trouble; after the last one, the first. */
static void select_trouble(struct view *v, const struct model *m)
{
	struct rows rows;
	int at = find_selected(v, m, &rows);

	/* If drawing chose the selection, begin at the first line. */
	at = v->chosen >= 0 ? -1 : at;
	v->chosen = -1;
	for (size_t i = 1; i <= rows.n; i++) {
		const struct row *row = &rows.row[((size_t)(at + (int)rows.n) + i) % rows.n];

		if (row->kind == ROW_CHIP && rows_is_sick(m, row->chip)) {
			v->selected = row->chip;
			return;
		}
	}
	view_say(v, m, false, "nothing is wrong with any chip");
}

/* Scroll the lines themselves: panels and the processes have no selection. */
static void scroll(struct view *v, int by)
{
	int *top = v->panel ? &v->panel_top : &v->top[v->tab];
	int most = v->lines > v->page ? v->lines - v->page : 0;

	*top += by;
	*top = *top > most ? most : *top;
	*top = *top < 0 ? 0 : *top;
}

/* The lines that a key moves down, or up if negative; 0: it does not move. */
static int lines_of(const struct view *v, uint32_t key)
{
	const int page = v->page > 1 ? v->page - 1 : 1;

	if (key == UI_KEY_UP || key == 'k' || key == UI_KEY_WHEEL_UP)
		return -1;
	if (key == UI_KEY_DOWN || key == 'j' || key == UI_KEY_WHEEL_DOWN)
		return 1;
	return key == UI_KEY_PAGE_UP ? -page : key == UI_KEY_PAGE_DOWN ? page :
		key == UI_KEY_HOME ? -TO_THE_END : key == UI_KEY_END ? TO_THE_END : 0;
}

static bool move_key(struct view *v, uint32_t key, const struct model *m)
{
	const int by = lines_of(v, key);

	if (by != 0 && (v->panel != UI_PANEL_NONE || v->tab == UI_TAB_PROCESSES))
		scroll(v, by);
	else if (by != 0)
		select_step(v, m, by);
	return by != 0;
}

static void filter_key(struct view *v, uint32_t key)
{
	size_t len = strlen(v->filter);

	if (key == UI_KEY_ESC) {
		v->filter[0] = 0;
		v->typing = false;
	} else if (key == UI_KEY_ENTER) {
		v->typing = false;
	} else if (key == UI_KEY_BACKSPACE) {
		if (len == 0)
			v->typing = false;
		while (len > 0 && (v->filter[len - 1] & 0xc0) == 0x80)
			len--;
		v->filter[len > 0 ? len - 1 : 0] = 0;
	} else if (key == 21) {		/* Ctrl-U */
		v->filter[0] = 0;
	} else if (key >= ' ' && key < UI_KEY_UP && len + 5 < sizeof(v->filter)) {
		v->filter[len + (size_t)glyph_encode(key, v->filter + len)] = 0;
	}
}

static struct view_order *order_of(struct view *v)
{
	return &v->order[v->tab == UI_TAB_PROCESSES];
}

/* Sort by the column left or right of the present one, which another tab may have, too. */
static void sort_key(struct view *v, uint32_t key)
{
	const struct tab_ops *tab = v->tabs[v->tab];
	struct view_order *order = order_of(v);
	const int n = (int)tab->n_columns;
	int at = n;

	if (n == 0)
		return;
	for (int i = 0; i < n; i++)
		if (order->by && column_is_same(&tab->columns[i], order->by))
			at = i;
	/* There is one position more than columns: unsorted. */
	at = (at + (key == '>' ? 1 : n)) % (n + 1);
	order->by = at < n ? &tab->columns[at] : NULL;
}

static void open_tab(struct view *v, enum ui_tab tab)
{
	v->tab = tab;
	v->panel = UI_PANEL_NONE;
}

static void open_panel(struct view *v, enum ui_panel panel)
{
	v->panel = v->panel == panel ? UI_PANEL_NONE : panel;
	v->panel_top = 0;
}

static void escape(struct view *v)
{
	if (v->panel != UI_PANEL_NONE)
		v->panel = UI_PANEL_NONE;
	else if (v->cursor >= 0 && v->tab == UI_TAB_HISTORY)
		v->cursor = -1;
	else if (v->filter[0])
		v->filter[0] = 0;
	else
		v->group = UI_GROUP_AUTO;
}

/* Enter on a folded line shows its chips; a click on the strip of one chip does not. */
static bool open_fold(struct view *v, const struct model *m, bool clicked)
{
	struct rows rows;
	int at = find_selected(v, m, &rows);

	if (v->tabs[v->tab]->apart || !is_fold(&rows, at) ||
		(clicked && rows.row[at].chip != v->selected))
		return false;
	v->group = UI_GROUP_NONE;
	v->chosen = -1;
	return true;
}

/* Keys that open panels and tabs. */
static void open_key(struct view *v, uint32_t key, const struct model *m)
{
	switch (key) {
	case 'h':
	case '?':
	case UI_KEY_F1:
		open_panel(v, UI_PANEL_HELP);
		break;
	case 'l':
		open_panel(v, UI_PANEL_LOG);
		break;
	case UI_KEY_ENTER:
		if (v->panel == UI_PANEL_NONE && open_fold(v, m, false))
			break;
		if (v->tab != UI_TAB_PROCESSES && m->fleet->n > 0)
			open_panel(v, UI_PANEL_CHIP);
		break;
	case UI_KEY_ESC:
		escape(v);
		break;
	case UI_KEY_TAB:
		open_tab(v, (v->tab + 1) % UI_TABS);
		break;
	case UI_KEY_BACKTAB:
		open_tab(v, (v->tab + UI_TABS - 1) % UI_TABS);
		break;
	default:
		if (key >= '1' && key < '1' + UI_TABS)
			open_tab(v, (enum ui_tab)(key - '1'));
	}
}

static void show_key(struct view *v, uint32_t key, const struct model *m)
{
	switch (key) {
	case 't':
		v->sidebar = v->sidebar_set ? !v->sidebar : !v->sidebar_now;
		v->sidebar_set = true;
		if (v->sidebar && !v->sidebar_fits)
			view_say(v, m, true, "no room for the sidebar: it needs 64 columns");
		break;
	case 'w':
		v->limits = !v->limits;
		break;
	case 'v':
		v->averages = !v->averages;
		break;
	case 'g':
		v->group = view_next_group(v, m);
		break;
	case 'c':
		v->compact = !v->compact;
		break;
	case 'r':
		order_of(v)->descending = !order_of(v)->descending;
		break;
	case '<':
	case '>':
		sort_key(v, key);
		break;
	case '!':
		select_trouble(v, m);
		break;
	case '/':
		v->typing = true;
		v->panel = UI_PANEL_NONE;
		break;
	default:
		open_key(v, key, m);
	}
}

enum ui_request view_key(struct view *v, uint32_t key, const struct model *m)
{
	if (v->typing && key != UI_KEY_RESIZE && key != UI_KEY_REDRAW) {
		filter_key(v, key);
		return UI_NONE;
	}
	if (v->asking && key != UI_KEY_RESIZE && key != UI_KEY_REDRAW)
		return answer_question(v, key, m);
	if (!v->asking)
		v->message[0] = 0;
	if (v->panel == UI_PANEL_CHIP && (key == UI_KEY_LEFT || key == UI_KEY_RIGHT)) {
		select_step(v, m, key == UI_KEY_LEFT ? -1 : 1);
		return UI_NONE;
	}
	if (v->panel == UI_PANEL_NONE && v->tabs[v->tab]->key && v->tabs[v->tab]->key(v, key, m))
		return UI_NONE;
	if (move_key(v, key, m))
		return UI_NONE;
	switch (key) {
	case 'q':
	case 'Q':
		if (v->panel == UI_PANEL_NONE)
			return UI_QUIT;
		v->panel = UI_PANEL_NONE;
		return UI_NONE;
	case 3:		/* Ctrl-C, where it does not come as a signal */
		return UI_QUIT;
	case 's':
		return UI_SNAPSHOT;
	case 'd':
		return UI_DUMP;
	case 'p':
		v->paused = !v->paused;
		return UI_PAUSE;
	case 'V':
		v->averages = true;
		return UI_RESTART_STATS;
	case 'x':
		/* On a folded line it would not be clear which chip is meant. */
		if (v->tab != UI_TAB_DEVICES || m->fleet->n == 0 || open_fold(v, m, false))
			return UI_NONE;
		return UI_RESET_ASK;
	case 'R':
		return UI_REMOTE;
	case 'B':
		return UI_BUSY;
	case UI_KEY_REDRAW:
		return UI_REDRAW;
	default:
		show_key(v, key, m);
		return UI_NONE;
	}
}

enum ui_request view_click(struct view *v, unsigned hit, const struct model *m)
{
	if (v->asking)
		return answer_question(v, UI_KEY_ESC, m);
	if (hit >= UI_HIT_KEY && hit < UI_HIT_PANEL)
		return view_key(v, hit - UI_HIT_KEY, m);
	if (hit >= UI_HIT_PLOT && hit < UI_HIT_KEY) {
		v->cursor = (int)(hit - UI_HIT_PLOT);
	} else if (hit >= UI_HIT_COLUMN && hit < UI_HIT_PLOT) {
		const struct tab_ops *tab = v->tabs[v->tab];
		const size_t at = hit - UI_HIT_COLUMN;
		/* The click may be on the picture of a tab that has been left since. */
		const struct column *column = at < tab->n_columns ? &tab->columns[at] : NULL;
		struct view_order *order = order_of(v);

		if (order->by && column && column_is_same(order->by, column))
			order->descending = !order->descending;
		else
			order->by = column;
	} else if (hit >= UI_HIT_CHIP && hit < UI_HIT_COLUMN) {
		int chip = (int)(hit - UI_HIT_CHIP);

		/* A click on the selected chip opens it. */
		if (v->selected == chip && !open_fold(v, m, true))
			open_panel(v, UI_PANEL_CHIP);
		v->selected = chip;
		v->chosen = -1;
	} else if (hit >= UI_HIT_TAB && hit < UI_HIT_TAB + UI_TABS) {
		open_tab(v, (enum ui_tab)(hit - UI_HIT_TAB));
	}
	return UI_NONE;
}

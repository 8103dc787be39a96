/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "ui/shortcuts.h"

#include "base/array.h"
#include "ui/rows.h"
#include "ui/tab.h"

#include <stdio.h>
#include <string.h>

/* What the keys of some shortcuts depend on. */
struct footing {
	const struct model *m;
	const struct view *v;
	const struct tab_ops *tab;
	struct rows_sum sum;
	bool known, sick;	/* the selected chip */
	bool page;		/* help, messages or details lie over the tab */
	bool table;		/* a line for each chip is in sight */
	enum ui_group next;
};

static size_t count_sick(const struct footing *f)
{
	const size_t n = f->sum.failed + f->sum.check;
	bool is_only = n == 1 && f->sick && f->v->chosen < 0;

	return f->page ? f->v->panel == UI_PANEL_CHIP && !is_only ? n : 0 :
		f->v->tab == UI_TAB_PROCESSES || is_only ? 0 : n;
}

static size_t is_sick(const struct footing *f)
{
	return f->sick && f->v->tab != UI_TAB_PROCESSES && !f->page;
}

/* On a folded line Enter shows its chips, as g does. */
static size_t is_well(const struct footing *f)
{
	return f->known && !f->sick && f->v->tab != UI_TAB_PROCESSES && !f->page &&
		!(f->table && view_folds(f->v));
}

static size_t is_resettable(const struct footing *f)
{
	return f->sick && f->v->tab == UI_TAB_DEVICES && !f->page && !f->m->ended &&
		strcmp(f->m->fleet->source, "replay") != 0 && f->known &&
		fleet_can_be_reset(f->m->fleet, (size_t)f->v->selected);
}

static size_t count_unread(const struct footing *f)
{
	return f->m->ended ? 0 : f->sum.unread;
}

static size_t is_page(const struct footing *f)
{
	return f->page;
}

static size_t is_tab(const struct footing *f)
{
	return !f->page;
}

static size_t has_help(const struct footing *f)
{
	return f->v->panel != UI_PANEL_HELP;
}

static size_t shows_all(const struct footing *f)
{
	return f->table && f->next == UI_GROUP_NONE;
}

static size_t folds_again(const struct footing *f)
{
	return f->table && !f->v->filter[0] && f->v->group == UI_GROUP_NONE &&
		view_would_fold(f->v);
}

static size_t parts_again(const struct footing *f)
{
	return f->table && !f->v->filter[0] && f->v->group > UI_GROUP_NONE;
}

static size_t groups_boards(const struct footing *f)
{
	return f->table && f->next == UI_GROUP_BOARD && f->v->group != UI_GROUP_BOARD;
}

static size_t groups_types(const struct footing *f)
{
	return f->table && f->next == UI_GROUP_TYPE && f->v->group != UI_GROUP_TYPE;
}

static size_t has_room(const struct footing *f)
{
	return f->v->sidebar_fits && !f->v->compact;
}

static size_t has_limits(const struct footing *f)
{
	return f->tab->limits && !f->page;
}

static size_t has_averages(const struct footing *f)
{
	return f->tab->averages && !f->page;
}

static size_t is_filtered(const struct footing *f)
{
	return !f->page && f->v->tab != UI_TAB_HISTORY;
}

static size_t is_alive(const struct footing *f)
{
	return !f->m->ended;
}

static size_t has_messages(const struct footing *f)
{
	return f->m->log && f->m->log->n > 0 && f->v->panel != UI_PANEL_LOG;
}

static const struct {
	uint32_t key;
	const char *name, *what;
	size_t (*when)(const struct footing *f);	/* shown if not 0; NULL: always */
	bool counted;				/* show that number, too */
} shortcuts[] = {
	{ '!', "!", "next trouble", count_sick, true },
	{ UI_KEY_ENTER, "Enter", "all of it", is_sick, false },
	{ 'x', "x", "reset", is_resettable, false },
	{ 'R', "R", "second chips", count_unread, true },
	{ 'q', "q", "quit", is_tab, false },
	{ 'q', "q", "back", is_page, false },
	{ 'h', "h", "help", has_help, false },
	{ 'g', "g", "all rows", shows_all, false },
	{ UI_KEY_ESC, "Esc", "fold", folds_again, false },
	{ UI_KEY_ESC, "Esc", "ungroup", parts_again, false },
	{ UI_KEY_ENTER, "Enter", "details", is_well, false },
	{ 't', "t", "sidebar", has_room, false },
	{ 'w', "w", "limits", has_limits, false },
	{ 'v', "v", "average", has_averages, false },
	{ 's', "s", "snapshot", NULL, false },
	{ 'd', "d", "dump", is_alive, false },
	{ '/', "/", "filter", is_filtered, false },
	{ 'p', "p", "pause", is_alive, false },
	{ 'g', "g", "by board", groups_boards, false },
	{ 'g', "g", "by type", groups_types, false },
	{ 'l', "l", "messages", has_messages, false },
};

static void fill_footing(struct footing *f, const struct model *m, const struct view *v)
{
	*f = (struct footing){ .m = m, .v = v, .tab = tabs[v->tab],
		.known = v->selected >= 0 && (size_t)v->selected < m->fleet->n,
		.page = v->panel != UI_PANEL_NONE };
	f->sick = f->known && rows_is_sick(m, v->selected);
	f->table = !f->page && !f->tab->apart;
	f->next = f->table ? view_next_group(v, m) : v->group;
	rows_sum(m, &f->sum);
}

void shortcuts_draw(struct canvas *c, struct rect r, const struct model *m, const struct view *v)
{
	int x = r.x + 1, end = r.x + r.w;
	struct footing f;
	char what[40];

	fill_footing(&f, m, v);
	for (size_t i = 0; i < ARRAY_LEN(shortcuts); i++) {
		size_t n = shortcuts[i].when ? shortcuts[i].when(&f) : 1;

		if (n == 0)
			continue;
		snprintf(what, sizeof(what), shortcuts[i].counted ? "%s (%zu)" : "%s",
			shortcuts[i].what, n);
		if (x + (int)strlen(shortcuts[i].name) + 1 + (int)strlen(what) > end)
			break;
		c->hit = (uint16_t)(UI_HIT_KEY + shortcuts[i].key);
		x = canvas_text(c, x, r.y, STYLE_KEY, shortcuts[i].name) + 1;
		x = canvas_text(c, x, r.y, STYLE_DIM, what) + 2;
		c->hit = 0;
	}
}

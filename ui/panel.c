/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "ui/panel.h"

#include "base/array.h"
#include "ui/table.h"

#include <stdio.h>

const struct help_line help[] = {
	{ NULL, "Tabs" },
	{ "1 2 3 4 5 6 7", "devices, telemetry, firmware, processes, history, memory, links" },
	{ "Tab", "next tab (Shift-Tab: previous)" },
	{ "Enter", "all that is known of the selected chip, in full; opens what is folded" },
	{ "Esc", "back (q, too); no filter; no cursor; no groups, fold again" },
	{ NULL, "Show and hide" },
	{ "t", "sidebar with host and compatibility" },
	{ "w", "limits beside the values and in the history" },
	{ "v", "lowest, average and highest value (V: count anew)" },
	{ "g", "open what is folded; group by board, by type (Esc: back)" },
	{ "c", "compact: the table alone" },
	{ "p", "hold the picture; readings go on" },
	{ "l", "messages: of libraries, and alerts" },
	{ "h", "this page" },
	{ NULL, "Do" },
	{ "s", "save a snapshot" },
	{ "d", "start or stop a telemetry dump" },
	{ "x", "devices: reset the selected board, after a question" },
	{ "R", "read second chips of boards, as --remote does; again: stop reading them" },
	{ "q", "quit; of a page: back" },
	{ NULL, "Find" },
	{ "/", "show only lines with a word (Enter: done, Esc: all)" },
	{ "!", "select the next chip with which something is wrong" },
	{ "< >", "sort every tab by the column left or right; a click on a heading, too" },
	{ "r", "sort the other way round" },
	{ "↑ ↓ PgUp PgDn", "select a chip, scroll" },
	{ "Home End", "first, last" },
	{ NULL, "History" },
	{ "← →", "scroll back and forth (PgUp, PgDn: a page; Home: oldest, End: now)" },
	{ "+ -", "zoom" },
	{ "[ ]", "move the cursor: value and time at its place; a click sets it" },
	{ "m M", "next, previous metric" },
	{ "a", "one metric of all cards, or all metrics of one card" },
	{ NULL, "Signs" },
	{ "● ○", "firmware's heartbeat moves, stands still" },
	{ "! ✗", "something is to be checked; failed or gone: see the line below" },
	{ "≠", "version differs from most boards of the same type" },
	{ "- err ? ...",
		"there is none; not readable; impossible value; one reading is not enough" },
};
const size_t help_len = ARRAY_LEN(help);

#define HELP_TEXT 17		/* where the explanations begin */

int page_next(struct page *p)
{
	int y = p->line++ - p->top;

	return y >= 0 && y < p->r.h ? p->r.y + y : -1;
}

int page_text(struct page *p, int x, enum style style, const char *text)
{
	int w = p->r.w - x, lines = canvas_wrap(NULL, 0, 0, w, 0, style, text), first = -1;

	for (int i = 0; i < lines || i == 0; i++) {
		int y = page_next(p);
		struct rect old;

		if (y < 0)
			continue;
		/* Wrap the whole text, but clip to this line of it. */
		old = canvas_clip(p->c, (struct rect){ p->r.x, y, p->r.w, 1 });
		canvas_wrap(p->c, p->r.x + x, y - i, w, lines, style, text);
		p->c->clip = old;
		first = i == 0 ? y : first;
	}
	return first;
}

static void draw_help(struct page *p)
{
	for (size_t i = 0; i < ARRAY_LEN(help); i++) {
		bool heading = !help[i].keys;
		int y;

		if (heading && i > 0)
			page_next(p);
		if (heading) {
			page_text(p, 0, STYLE_HEADING, help[i].what);
			continue;
		}
		y = page_text(p, HELP_TEXT, STYLE_NORMAL, help[i].what);
		if (y >= 0)
			canvas_words(p->c, p->r.x + 2, y, HELP_TEXT - 3, STYLE_KEY, help[i].keys);
	}
}

static void draw_log(struct page *p, const struct ui_log *log)
{
	if (!log || log->n == 0) {
		page_text(p, 0, STYLE_DIM, "no messages");
		return;
	}
	for (size_t i = 0; i < log->n; i++)
		page_text(p, 0, STYLE_NORMAL, ui_log_line(log, i));
}

const char *panel_title(const struct view *v)
{
	static const char *const titles[] = {
		[UI_PANEL_HELP] = "Help", [UI_PANEL_LOG] = "Messages", [UI_PANEL_CHIP] = "Chip",
	};

	return titles[v->panel];
}

static int draw_once(struct canvas *c, struct rect r, const struct model *m, struct view *v)
{
	struct page p = { .c = c, .r = r, .top = v->panel_top };

	switch (v->panel) {
	case UI_PANEL_HELP:
		draw_help(&p);
		break;
	case UI_PANEL_LOG:
		draw_log(&p, m->log);
		v->log_seen = m->log ? m->log->total : 0;
		break;
	case UI_PANEL_CHIP:
		if (v->selected >= 0 && (size_t)v->selected < m->fleet->n)
			panel_draw_chip(&p, m, &m->fleet->chips[v->selected]);
		break;
	case UI_PANEL_NONE:
		break;
	}
	return p.line;
}

void panel_draw(struct canvas *c, struct rect r, const struct model *m, struct view *v,
	struct foot *foot)
{
	struct rect old, page = { r.x + 1, r.y, r.w - 2, r.h };
	int top;

	/* The length of the page is known only after drawing: draw it once, clipped to nothing. */
	old = canvas_clip(c, (struct rect){ 0, 0, 0, 0 });
	v->lines = draw_once(c, page, m, v);
	c->clip = old;
	v->page = r.h;
	top = table_scroll(v->panel_top, r.h, v->lines, -1, -1);
	v->panel_top = top;
	draw_once(c, page, m, v);
	snprintf(foot->left, sizeof(foot->left), "q back");
	if (v->lines > r.h)
		snprintf(foot->right, sizeof(foot->right), "%d-%d of %d", top + 1,
			top + r.h < v->lines ? top + r.h : v->lines, v->lines);
}

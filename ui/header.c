/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * header.c - the lines around a tab: the header, the keys that work, and remarks.
 *
 * On a narrow line, parts of the header change to shorter forms in a fixed order until all fit,
 * so that no part is ever cut.  The counts and the source of the boards are always shown.
 */
#include "config.h"
#include "ui/screen.h"

#include "base/clock.h"
#include "base/mem.h"
#include "ui/rows.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* From left to right; the title is in the middle and the time at the right end. */
enum { NAME, SOURCE, ALERTS, FAILED, CHECK, OF, TITLE, WHEN, PARTS };

/* A text with its shorter forms; without forms left it is not shown. */
struct remark {
	enum style style;
	char text[3][48];	/* from long to short; "": none */
	int form;
};

/* The order in which parts change to their next form. */
static const uint8_t gives_way[] = { TITLE, WHEN, WHEN, NAME, ALERTS, OF, SOURCE, NAME, CHECK,
	FAILED };

#define HEADER_REMARKS 4

static const char *text_of(const struct remark *r)
{
	return r->text[r->form];
}

/* Fill in "1 FAILED" and "2 to check", the last of them with `where` added; "" for a count of 0. */
static void header_count(const struct rows_sum *sum, const char *where, struct remark out[2])
{
	const size_t counts[] = { sum->failed, sum->check };
	static const char *const words[] = { " FAILED", " to check" };
	static const enum mark shapes[] = { MARK_BAD, MARK_WARN };

	for (int i = 0; i < 2; i++) {
		const struct mark_look *look = &mark_looks[shapes[i]];
		const char *place = i == 1 || sum->check == 0 ? where : "";

		out[i] = (struct remark){ .style = look->style };
		if (counts[i] == 0)
			continue;
		snprintf(out[i].text[0], sizeof(out->text[0]), "%zu%s%s", counts[i], words[i],
			place);
		snprintf(out[i].text[1], sizeof(out->text[0]), "%zu%s%s", counts[i], look->text,
			place);
	}
}

/* What a screen without a header must show: source, alerts, counts. */
static void header_remarks(const struct model *m, struct remark out[HEADER_REMARKS])
{
	const char *source = m->fleet->origin->title;
	const struct rows_sum sum = rows_sum(m);

	out[0] = (struct remark){ .style = STYLE_WARN };
	mem_copy_text(out[0].text[0], sizeof(out->text[0]), source);
	snprintf(out[0].text[1], sizeof(out->text[0]), "%.*s", (int)strcspn(source, " "), source);
	out[1] = (struct remark){ .style = STYLE_WARN };
	if (m->alerts[0]) {
		snprintf(out[1].text[0], sizeof(out->text[0]), "alert: %s", m->alerts);
		mem_copy_text(out[1].text[1], sizeof(out->text[0]), "alert");
	}
	header_count(&sum, "", out + 2);
}

static void fill_parts(struct remark p[PARTS], const struct model *m, const char *title,
	bool is_held)
{
	const time_t seconds = (time_t)(m->real / CLOCK_SECOND);
	const struct rows_sum sum = rows_sum(m);
	struct tm tm;

	snprintf(p[NAME].text[0], sizeof(p->text[0]), "tt-smi %s", m->version);
	mem_copy_text(p[NAME].text[1], sizeof(p->text[0]), "tt-smi");
	p[NAME].style = STYLE_TITLE;
	header_remarks(m, &p[SOURCE]);
	p[OF].style = STYLE_DIM;
	if (sum.failed + sum.check > 0)
		snprintf(p[OF].text[0], sizeof(p->text[0]), "of %zu", sum.chips);
	mem_copy_text(p[TITLE].text[0], sizeof(p->text[0]), title);
	p[TITLE].style = STYLE_HEADING;
	localtime_r(&seconds, &tm);
	strftime(p[WHEN].text[0], sizeof(p->text[0]), "%a %Y-%m-%d %H:%M:%S", &tm);
	strftime(p[WHEN].text[1], sizeof(p->text[0]), "%H:%M:%S", &tm);
	p[WHEN].style = is_held ? STYLE_WARN : STYLE_NORMAL;
}

/* The width of n remarks with two cells between them and one at both ends. */
static int width_of(const struct remark *p, size_t n)
{
	int width = 0;

	for (size_t i = 0; i < n; i++)
		if (text_of(&p[i])[0])
			width += glyph_text_width(text_of(&p[i])) + 2;
	return width;
}

void header_draw(struct canvas *c, struct rect r, const struct model *m, const char *title,
	bool is_held)
{
	struct remark p[PARTS] = { 0 };
	int x = r.x + 1, right, middle;

	fill_parts(p, m, title, is_held);
	for (size_t i = 0; i < ARRAY_LEN(gives_way) && width_of(p, PARTS) > r.w; i++)
		p[gives_way[i]].form++;
	for (int i = 0; i < TITLE; i++)
		if (text_of(&p[i])[0])
			x = canvas_text(c, x, r.y, p[i].style, text_of(&p[i])) + 2;
	right = r.x + r.w - 1 - glyph_text_width(text_of(&p[WHEN]));
	canvas_text(c, right, r.y, p[WHEN].style, text_of(&p[WHEN]));
	/* In the middle, or as near to it as the parts on both sides allow. */
	middle = r.x + (r.w - glyph_text_width(text_of(&p[TITLE]))) / 2;
	right -= 2 + glyph_text_width(text_of(&p[TITLE]));
	middle = middle < x ? x : middle > right ? right : middle;
	canvas_text(c, middle, r.y, p[TITLE].style, text_of(&p[TITLE]));
}

/* The keys that work in this picture. */

struct shortcut {
	uint32_t key;
	const char *name, *what;
	size_t n;		/* shown if not 0 */
	bool counted;		/* show that number, too */
};

/* Chips with trouble that the key ! reaches, unless that is only the selected one. */
static size_t count_trouble(const struct view *v, const struct rows_sum *sum, bool sick)
{
	const size_t n = sum->failed + sum->check;
	const bool is_only = n == 1 && sick && v->chosen < 0;
	const bool is_shown = v->panel == UI_PANEL_NONE ? v->tab != UI_TAB_PROCESSES :
		v->panel == UI_PANEL_CHIP;

	return is_shown && !is_only ? n : 0;
}

static bool is_resettable(const struct model *m, const struct view *v)
{
	return v->tab == UI_TAB_DEVICES && v->panel == UI_PANEL_NONE && !m->ended &&
		!m->fleet->origin->is_recorded && fleet_can_be_reset(m->fleet, (size_t)v->selected);
}

/* Returns the x after it; 0: there is no room. */
static int draw_shortcut(struct canvas *c, int x, int y, int end, const struct shortcut *s)
{
	char what[40];

	snprintf(what, sizeof(what), s->counted ? "%s (%zu)" : "%s", s->what, s->n);
	if (x + (int)strlen(s->name) + 1 + (int)strlen(what) > end)
		return 0;
	c->hit = (uint16_t)(UI_HIT_KEY + s->key);
	x = canvas_text(c, x, y, STYLE_KEY, s->name) + 1;
	x = canvas_text(c, x, y, STYLE_DIM, what) + 2;
	c->hit = 0;
	return x;
}

void shortcuts_draw(struct canvas *c, struct rect r, const struct model *m, const struct view *v)
{
	const struct tab_ops *tab = tabs[v->tab];
	const bool known = v->selected >= 0 && (size_t)v->selected < m->fleet->n;
	const bool sick = known && rows_is_sick(m, v->selected);
	/* Nothing lies over the tab; it shows chips; it has a line for each. */
	const bool open = v->panel == UI_PANEL_NONE, chips = open && v->tab != UI_TAB_PROCESSES;
	const bool table = open && !tab->apart, part = table && !v->filter[0];
	const enum ui_group group = v->group, next = table ? view_next_group(v, m) : group;
	const struct rows_sum sum = rows_sum(m);
	/* Most important first.  On a folded line Enter shows its chips, as g does. */
	const struct shortcut shortcuts[] = {
		{ '!', "!", "next trouble", count_trouble(v, &sum, sick), true },
		{ UI_KEY_ENTER, "Enter", "all of it", chips && sick, false },
		{ 'x', "x", "reset", sick && is_resettable(m, v), false },
		{ 'R', "R", "second chips", m->ended ? 0 : sum.unread, true },
		{ 'q', "q", open ? "quit" : "back", true, false },
		{ 'h', "h", "help", v->panel != UI_PANEL_HELP, false },
		{ 'g', "g", "all rows", table && next == UI_GROUP_NONE, false },
		{ UI_KEY_ESC, "Esc", "fold", part && group == UI_GROUP_NONE && view_would_fold(v),
			false },
		{ UI_KEY_ESC, "Esc", "ungroup", part && group > UI_GROUP_NONE, false },
		{ UI_KEY_ENTER, "Enter", "details", chips && known && !sick &&
			!(table && view_folds(v)), false },
		{ 't', "t", "sidebar", v->sidebar_fits && !v->compact, false },
		{ 'w', "w", "limits", open && tab->limits, false },
		{ 'v', "v", "average", open && tab->averages, false },
		{ 's', "s", "snapshot", true, false },
		{ 'd', "d", "dump", !m->ended, false },
		{ '/', "/", "filter", open && v->tab != UI_TAB_HISTORY, false },
		{ 'p', "p", "pause", !m->ended, false },
		{ 'g', "g", "by board", next == UI_GROUP_BOARD && group != next, false },
		{ 'g', "g", "by type", next == UI_GROUP_TYPE && group != next, false },
		{ 'l', "l", "messages", v->panel != UI_PANEL_LOG && m->log ? m->log->n : 0, false },
	};
	int x = r.x + 1;

	for (size_t i = 0; i < ARRAY_LEN(shortcuts) && x > 0; i++)
		if (shortcuts[i].n > 0)
			x = draw_shortcut(c, x, r.y, r.x + r.w, &shortcuts[i]);
}

/*
 * Remarks are shown whole or not at all.  Those at the right are a list: trouble with boards
 * comes first, in its colour, and takes a shorter form before it is dropped.
 */

enum { REMARKS = 12 };

struct remarks {
	struct remark at[REMARKS];
	size_t n, loud;		/* loud: how many, from the first on, report trouble */
};

static void add_remarks(struct remarks *r, const struct remark *from, size_t n)
{
	for (size_t i = 0; i < n && r->n < REMARKS; i++)
		if (from[i].text[0][0])
			r->at[r->n++] = from[i];
}

static void add_counts(struct remarks *r, const struct rows_sum *sum, const char *where)
{
	struct remark counts[2];

	header_count(sum, where, counts);
	add_remarks(r, counts, 2);
}

/* Add each part between commas as a remark, so that each can be dropped alone. */
static void add_quiet(struct remarks *r, const char *text)
{
	while (*text && r->n < REMARKS) {
		struct remark *to = &r->at[r->n++];
		const char *comma = strstr(text, ", ");
		int len = comma ? (int)(comma - text) : (int)strlen(text);

		to->style = STYLE_DIM;
		snprintf(to->text[0], sizeof(to->text[0]), "%.*s", len, text);
		text += len + (comma ? 2 : 0);
	}
}

/*
 * Shorten the loud remarks until they fit into w, then drop quiet ones from the end to leave
 * `least` cells to the left.  The first remark of all is dropped only if w is too narrow for it.
 */
static void remarks_fit(struct remarks *r, int w, int least)
{
	for (size_t i = r->loud; i-- > 0 && width_of(r->at, r->loud) > w;)
		r->at[i].form = 1;
	while (r->n > 1 && r->n > r->loud && width_of(r->at, r->n) > w - least)
		r->n--;
	while (r->n > 0 && width_of(r->at, r->n) > w)
		r->n--;
}

/*
 * Cut whole remarks from the end until the rest fits or one is left.  A remark keeps its
 * "(Enter)".
 */
static void shorten(char *text, int room)
{
	while (glyph_text_width(text) > room) {
		char *cut = NULL;

		for (char *at = text + 1; text[0] && *at; at++)
			if (strncmp(at, ", ", 2) == 0 || (strncmp(at, " (", 2) == 0 &&
				strncmp(at, " (Enter", 7) != 0))
				cut = at;
		if (!cut)
			return;
		*cut = 0;
	}
}

static void draw_left(struct canvas *c, struct rect r, const struct foot *foot)
{
	const bool is_brief = foot->brief[0] && glyph_text_width(foot->left) > r.w - 3;
	char text[sizeof(foot->left)];
	int end;

	mem_copy_text(text, sizeof(text), is_brief ? foot->brief : foot->left);
	shorten(text, r.w - 3);
	/* Only a filter, which a person has typed, may be cut. */
	if (!text[0] || r.w < 12 ||
		(glyph_text_width(text) > r.w - 3 && strncmp(text, "filter", 6) != 0))
		return;
	canvas_text(c, r.x, r.y, STYLE_DIM, " ");
	end = canvas_words(c, r.x + 1, r.y, r.w - 3, STYLE_DIM, text);
	canvas_text(c, end, r.y, STYLE_DIM, " ");
}

/* Returns the cells used. */
static int draw_right(struct canvas *c, struct rect r, const struct remarks *remarks)
{
	const int width = width_of(remarks->at, remarks->n);
	int x = r.x + r.w - width;

	for (size_t i = 0; i < remarks->n; i++) {
		x = canvas_text(c, x, r.y, STYLE_DIM, i > 0 ? ", " : " ");
		x = canvas_text(c, x, r.y, remarks->at[i].style, text_of(&remarks->at[i]));
	}
	canvas_text(c, x, r.y, STYLE_DIM, remarks->n > 0 ? " " : "");
	return width;
}

#define LEFT_LEAST 26	/* cells of " 11 more columns (Enter) " */

/* The left gets what its brief form needs, up to half of the line or enough to name a key. */
static int least_left(const struct rect *r, const struct foot *foot)
{
	int half = r->w / 2, least = glyph_text_width(foot->brief[0] ? foot->brief : foot->left);

	if (half < LEFT_LEAST && r->w > LEFT_LEAST)
		half = LEFT_LEAST;
	return least == 0 ? 0 : least + 3 < half ? least + 3 : half;
}

void foot_draw(struct canvas *c, struct rect r, const struct model *m, const struct foot *foot,
	bool headless)
{
	struct remark head[HEADER_REMARKS];
	struct remarks right = { .n = 0 };

	if (headless) {
		header_remarks(m, head);
		add_remarks(&right, head, HEADER_REMARKS);
		right.loud = right.n;
	}
	add_counts(&right, &foot->above, " above");
	add_counts(&right, &foot->below, " below");
	/* The header's remarks include the sum, so the counts above and below may be dropped. */
	right.loud = headless ? right.loud : right.n;
	add_quiet(&right, foot->right);
	remarks_fit(&right, r.w, least_left(&r, foot));
	r.w -= draw_right(c, r, &right);
	draw_left(c, r, foot);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "ui/screen.h"

#include "base/clock.h"
#include "base/mem.h"
#include "ui/rows.h"
#include "ui/table.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define SIDEBAR     30	/* cells of the sidebar */
#define SIDEBAR_MIN 64	/* cells a screen needs to have one */
#define SIDEBAR_OWN 110	/* from this width on it is shown unless switched off */

enum { HOST_VALUE = 10, CHECK_TEXT = 12 };	/* where they begin in their boxes */

/* The lines about the host; those of the highest rank are dropped first if room is short. */
static const struct {
	const char *name;
	size_t value;		/* where it is in struct host */
	int rank;
} host_parts[] = {
	{ "OS", offsetof(struct host, os), 1 },
	{ "Distro", offsetof(struct host, distro), 2 },
	{ "Kernel", offsetof(struct host, kernel), 3 },
	{ "Host", offsetof(struct host, hostname), 4 },
	{ "Arch", offsetof(struct host, platform), 6 },
	{ "Memory", offsetof(struct host, memory), 5 },
	{ "Driver", offsetof(struct host, driver), 0 },
};

/* Lines of a text from x on in a box of the sidebar, at least one. */
static int side_lines(int x, const char *text)
{
	const int lines = canvas_wrap_height(SIDEBAR - x - 2, text);

	return lines > 1 ? lines : 1;
}

/* Lines that the values need when none is cut. */
static int host_height(const struct host *h)
{
	int height = 0;

	for (size_t i = 0; i < ARRAY_LEN(host_parts); i++)
		height += side_lines(HOST_VALUE, (const char *)h + host_parts[i].value);
	return height;
}

/* Draw a text into the sidebar: whole, or cut to one line; returns the y below it. */
static int draw_side(struct canvas *c, struct rect r, int x, int y, bool whole, enum style style,
	const char *text)
{
	canvas_wrap(c, r.x + x, y, r.w - x - 2, whole ? r.y + r.h - 1 - y : 1, style, text);
	return y + (whole ? side_lines(x, text) : 1);
}

static void draw_host(struct canvas *c, struct rect r, const struct host *h, int height)
{
	int y = r.y + 1;

	canvas_box(c, r, "Host");
	for (size_t i = 0; i < ARRAY_LEN(host_parts); i++) {
		if (host_parts[i].rank >= r.h - 2)
			continue;
		canvas_text(c, r.x + 2, y, STYLE_DIM, host_parts[i].name);
		y = draw_side(c, r, HOST_VALUE, y, r.h - 2 >= height, STYLE_NORMAL,
			(const char *)h + host_parts[i].value);
	}
}

/*
 * Lines that the checks need; whole: with the full text of each that does not pass.  A check that
 * passes needs only its name: two of them share a line.
 */
static int check_height(const struct host *h, bool whole)
{
	int passed = 0, others = 0;

	for (size_t i = 0; i < h->n_checks; i++)
		if (h->checks[i].verdict == HOST_PASS)
			passed++;
		else
			others += whole ? side_lines(CHECK_TEXT, h->checks[i].text) : 1;
	return (passed + 1) / 2 + others;
}

static void draw_checks(struct canvas *c, struct rect r, const struct host *h, int height)
{
	const int bottom = r.y + r.h - 1, half = (r.w - 4) / 2;
	int y = r.y + 1, at = 0;

	canvas_box(c, r, "Compatibility");
	for (size_t i = 0; i < h->n_checks && y < bottom; i++) {
		const struct host_check *k = &h->checks[i];
		const bool fails = k->verdict == HOST_FAIL;
		const enum style style = fails ? STYLE_WARN : STYLE_NORMAL;

		if (k->verdict == HOST_PASS)
			continue;
		if (fails)
			mark_draw(c, r.x + 2, y, MARK_BAD);
		else
			canvas_put(c, r.x + 2, y, STYLE_DIM, 'i');
		canvas_words(c, r.x + 4, y, 7, style, k->name);
		y = draw_side(c, r, CHECK_TEXT, y, r.h - 2 >= height, style, k->text);
	}
	for (size_t i = 0; i < h->n_checks && y < bottom; i++) {
		const int x = r.x + 2 + at % 2 * half;

		if (h->checks[i].verdict != HOST_PASS)
			continue;
		mark_draw(c, x, y, MARK_GOOD);
		canvas_words(c, x + 2, y, half - 3, STYLE_NORMAL, h->checks[i].name);
		y += at++ % 2;
	}
}

/* Draw the boxes of the sidebar at the left of *all, and cut them off. */
static void draw_sidebar(struct canvas *c, struct rect *all, const struct host *h)
{
	const int host = host_height(h), checks = check_height(h, true);
	/* They wrap long lines if the screen is high enough for all. */
	const bool whole = host + checks + 4 <= c->h - 2;
	const int below = 2 + (whole ? checks : check_height(h, false));
	struct rect side = { all->x, all->y, SIDEBAR, all->h };
	int top = 2 + (whole ? host : (int)ARRAY_LEN(host_parts));

	all->x += SIDEBAR;
	all->w -= SIDEBAR;
	if (side.h - top < below && side.h >= 10)
		top = side.h - below >= 5 ? side.h - below : 5;
	draw_host(c, rect_take_top(&side, top), h, host);
	if (side.h >= 3)
		draw_checks(c, rect_take_top(&side, below), h, checks);
}

/* Titles of the tabs: full names; without room the longest are shortened, then others dropped. */
static void fit_tabs(const struct view *v, int room, const char *names[static UI_TABS])
{
	int w = 0;

	for (int i = 0; i < UI_TABS; i++) {
		names[i] = tabs[i]->name;
		w += (int)strlen(names[i]) + 5;
	}
	while (w > room) {
		int longest = -1;

		for (int i = 0; i < UI_TABS; i++)
			if (names[i] == tabs[i]->name && i != (int)v->tab &&
				strlen(names[i]) > strlen(tabs[i]->brief) &&
				(longest < 0 || strlen(names[i]) > strlen(names[longest])))
				longest = i;
		if (longest < 0)
			break;
		w -= (int)(strlen(names[longest]) - strlen(tabs[longest]->brief));
		names[longest] = tabs[longest]->brief;
	}
	for (int i = 0; i < UI_TABS && w > room; i++)
		names[i] = i == (int)v->tab ? tabs[i]->brief : "";
}

/* Draw the frame around the tab, with the tabs in its upper line. */
static void draw_tabs(struct canvas *c, struct rect box, const struct model *m,
	const struct view *v)
{
	static const char *const panels[] = {
		[UI_PANEL_HELP] = "Help", [UI_PANEL_LOG] = "Messages", [UI_PANEL_CHIP] = "Chip",
	};
	const char *names[UI_TABS];
	int x = box.x + 1;
	char right[40];

	canvas_box(c, box, NULL);
	snprintf(right, sizeof(right), " %g s ", (double)m->interval / CLOCK_SECOND);
	if (v->panel != UI_PANEL_NONE)
		snprintf(right, sizeof(right), " %s ", panels[v->panel]);
	fit_tabs(v, box.w - 4, names);
	for (int i = 0; i < UI_TABS; i++) {
		bool on = i == (int)v->tab;
		const char *name = names[i];
		int w = 3 + (int)strlen(name) + (name[0] != 0);

		if (x + w + 1 > box.x + box.w - 1)
			break;
		c->hit = (uint16_t)(UI_HIT_TAB + i);
		x = canvas_printf(c, x, box.y, on ? STYLE_TAB_ON : STYLE_TAB,
			name[0] ? " %d %s " : " %d%s ", i + 1, name);
		c->hit = 0;
		if (i + 1 < UI_TABS)
			canvas_put(c, x++, box.y, STYLE_FRAME, 0x2502);
	}
	if (x + glyph_text_width(right) + 3 < box.x + box.w)
		canvas_text(c, box.x + box.w - 2 - glyph_text_width(right), box.y, STYLE_DIM,
			right);
}

/* The text at the right of the footer when no dump is running. */
static void footer_right(const struct model *m, const struct view *v, char *text, size_t size)
{
	uint64_t unread = m->log && m->log->total > v->log_seen ? m->log->total - v->log_seen : 0;

	text[0] = 0;
	if (v->paused)
		snprintf(text, size, "PAUSED (p: go on)");
	else if (m->ended)
		snprintf(text, size, "snapshot of %.19s",
			m->fleet->file_time ? m->fleet->file_time : "a time unknown");
	else if (unread > 0)
		snprintf(text, size, "%" PRIu64 " new message%s (l)", unread,
			unread == 1 ? "" : "s");
}

/* A dump has priority over shortcuts: its time, at least the end of its path, then its rows. */
static void draw_dump(struct canvas *c, struct rect *r, const struct model *m, const struct view *v)
{
	int64_t s = (m->now - m->dump->since) / CLOCK_SECOND;
	char head[64], rows[40];
	int w, path = glyph_text_width(m->dump->path), x, room = r->w - 2;

	snprintf(head, sizeof(head), "%s● dump %02" PRId64 ":%02d:%02d",
		v->paused ? "PAUSED  " : "", s / 3600, (int)(s / 60 % 60), (int)(s % 60));
	snprintf(rows, sizeof(rows), "  %" PRIu64 " row%s", m->dump->rows,
		m->dump->rows == 1 ? "" : "s");
	w = glyph_text_width(head);
	if (w + 2 + path + (int)strlen(rows) > room)
		rows[0] = 0;
	path = w + 2 + path < room ? path : room - w - 2;
	w += (path > 0 ? 2 + path : 0) + (int)strlen(rows);
	x = canvas_words(c, r->x + r->w - 1 - (w < room ? w : room), r->y, room, STYLE_WARN, head);
	if (path > 0)
		x = canvas_tail(c, x + 2, r->y, path, STYLE_WARN, m->dump->path);
	canvas_text(c, x, r->y, STYLE_WARN, rows);
	r->w -= w + 2;
}

/* For a tab without lines of chips: show the trouble of the selected chip, or of the worst. */
static void draw_trouble(struct canvas *c, struct rect *r, const struct model *m,
	const struct view *v)
{
	char notice[NOTICE_SIZE], text[NOTICE_SIZE + 64];
	enum style style;
	bool known = v->selected >= 0 && (size_t)v->selected < m->fleet->n, sick;
	int chip = rows_worst(m);

	sick = known && v->tab != UI_TAB_PROCESSES && rows_is_sick(m, v->selected);
	if (known && (sick || chip < 0))
		chip = v->selected;
	if (chip < 0 || !notice_text(m, &m->fleet->chips[chip], false, notice, &style))
		return;
	snprintf(text, sizeof(text), "%d %s %s", chip, m->fleet->chips[chip].series, notice);
	c->hit = (uint16_t)(UI_HIT_CHIP + chip);
	notice_draw_line(c, r->x + 1, r->y, r->w - 2, style, text);
	c->hit = 0;
	r->y++;
	r->h--;
}

/* A long message covers lines above the footer, so that it is not cut. */
static void draw_message(struct canvas *c, struct rect r, const struct view *v)
{
	int lines = canvas_wrap_height(r.w - 2, v->message);

	lines = lines < r.y + 1 ? lines : r.y + 1;
	if (lines > 1)
		canvas_blank(c, (struct rect){ r.x, r.y - lines + 1, r.w, lines });
	canvas_wrap(c, r.x + 1, r.y - lines + 1, r.w - 2, lines,
		v->message_bad ? STYLE_BAD : STYLE_GOOD, v->message);
}

static void draw_footer(struct canvas *c, struct rect r, const struct model *m,
	const struct view *v)
{
	char right[80];
	int w;

	footer_right(m, v, right, sizeof(right));
	w = glyph_text_width(right);
	if (v->typing) {
		int x = canvas_text(c, r.x + 1, r.y, STYLE_KEY, "/");

		x = canvas_words(c, x, r.y, r.w - 3, STYLE_NORMAL, v->filter);
		canvas_put(c, x, r.y, STYLE_CURSOR, '_');
		if (r.w - x > 40)
			canvas_text(c, x + 3, r.y, STYLE_DIM, "Enter done  Esc all");
		return;
	}
	if (v->message[0] && m->now < v->message_until) {
		draw_message(c, r, v);
		return;
	}
	if (m->dump && m->dump->on) {
		draw_dump(c, &r, m, v);
	} else if (w > 0) {
		w = w < r.w - 2 ? w : r.w - 2;
		canvas_words(c, r.x + r.w - 1 - w, r.y, w, v->paused ? STYLE_WARN : STYLE_DIM,
			right);
		r.w -= w + 2;
	}
	shortcuts_draw(c, r, m, v);
}

/* A part that does not fit is left out whole. */
void screen_draw(struct canvas *c, const struct model *m, struct view *v)
{
	const bool headed = !v->compact && c->h >= 8;
	struct rect all = { 0, 0, c->w, c->h }, inner, line, footer, old;
	struct foot foot = { .left = "" };

	if (headed)
		header_draw(c, rect_take_top(&all, 1), m,
			"Tenstorrent System Management Interface", v->paused);
	footer = rect_take_bottom(&all, c->h >= 4);
	v->sidebar_fits = c->w >= SIDEBAR_MIN;
	v->sidebar_now = v->sidebar_fits && !v->compact && all.h >= 3 &&
		(v->sidebar_set ? v->sidebar : c->w >= SIDEBAR_OWN);
	if (v->sidebar_now)
		draw_sidebar(c, &all, m->host);
	inner = all;
	if (!v->compact && all.h >= 5 && all.w >= 20) {
		draw_tabs(c, all, m, v);
		inner = (struct rect){ all.x + 1, all.y + 1, all.w - 2, all.h - 2 };
		line = (struct rect){ all.x + 2, all.y + all.h - 1, all.w - 4, 1 };
	} else {
		line = rect_take_bottom(&inner, all.h >= 4);
	}
	old = canvas_clip(c, inner);
	if (v->panel != UI_PANEL_NONE)
		panel_draw(c, inner, m, v, &foot);
	else if (tabs[v->tab]->apart)
		draw_trouble(c, &inner, m, v);
	if (v->panel == UI_PANEL_NONE)
		(tabs[v->tab]->draw ? tabs[v->tab]->draw : table_draw)(c, inner, m, v, &foot);
	c->clip = old;
	if (line.h > 0)
		foot_draw(c, line, m, &foot, !headed);
	if (footer.h > 0)
		draw_footer(c, footer, m, v);
}

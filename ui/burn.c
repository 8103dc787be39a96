/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn.c - where the parts of the burn's screen stand.
 *
 * What says whether all is well comes first and stays at every size; threads,
 * sensors and cards share what is left, and the plot takes the rest.
 */
#include "config.h"
#include "ui/burn_local.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SIDE      44		/* cells of the sensors beside the plot */
#define SIDE_FROM 76		/* cells that both need */
#define BOX_FROM  14		/* lines from which parts have frames */

static struct rect take_top(struct rect *from, int h)
{
	struct rect r = { from->x, from->y, from->w, h < from->h ? h : from->h };

	from->y += r.h;
	from->h -= r.h;
	return r;
}

static struct rect take_bottom(struct rect *from, int h)
{
	h = h < from->h ? h : from->h;
	from->h -= h;
	return (struct rect){ from->x, from->y + from->h, from->w, h };
}

/* A frame with its title; what is left inside. */
static struct rect boxed(struct canvas *c, struct rect r, const char *title)
{
	canvas_box(c, r, title);
	return (struct rect){ r.x + 2, r.y + 1, r.w - 4, r.h - 2 };
}

static void draw_header(struct canvas *c, struct rect r, const struct model *m)
{
	time_t seconds = (time_t)(m->real / CLOCK_SECOND);
	char name[64], when[48];
	struct tm tm;
	int x;

	snprintf(name, sizeof(name), "tt-smi %s", m->version);
	localtime_r(&seconds, &tm);
	strftime(when, sizeof(when), r.w >= 60 ? "%a %Y-%m-%d %H:%M:%S" : "%H:%M:%S", &tm);
	x = canvas_words(c, r.x + 1, r.y, r.w - 2, STYLE_TITLE, name);
	if (m->fleet && model_source(m)[0])
		x = canvas_words(c, x + 2, r.y, r.x + r.w - x - 3, STYLE_WARN, model_source(m));
	if (r.w >= 80 && x + 4 < r.x + r.w / 2 - 4)
		canvas_text(c, r.x + (r.w - 7) / 2, r.y, STYLE_HEADING, "Burn-in");
	if (x + 2 + (int)strlen(when) < r.x + r.w)
		canvas_text(c, r.x + r.w - 1 - (int)strlen(when), r.y, STYLE_NORMAL, when);
}

/* The verdict as it stands, in words that promise nothing. */
static const char *standing(const struct ui_burn *b, enum style *style)
{
	*style = b->errors ? STYLE_BAD : STYLE_GOOD;
	if (b->errors)
		return "will be FAIL";
	*style = STYLE_DIM;
	if (b->phase == UI_BURN_MAKING)
		return "";
	*style = b->ending[0] ? STYLE_WARN : STYLE_GOOD;
	return b->ending[0] ? "will be INCOMPLETE" : b->phase == UI_BURN_ENDING ?
		"last check" : "no error so far";
}

static void draw_footer(struct canvas *c, struct rect r, const struct model *m,
	const struct ui_burn *b)
{
	enum style style;
	const char *text = standing(b, &style);
	char dump[64] = "";
	int x = canvas_text(c, r.x + 1, r.y, STYLE_KEY, "q"), end = r.x + r.w - 1;

	x = canvas_text(c, x + 1, r.y, STYLE_DIM, "stop");
	if (text[0] && x + 3 + glyph_text_width(text) <= end) {
		end -= glyph_text_width(text);
		canvas_text(c, end, r.y, style, text);
		end -= 3;
	}
	if (!m->dump || !m->dump->on)
		return;
	snprintf(dump, sizeof(dump), "● dump %" PRIu64 " row%s", m->dump->rows,
		m->dump->rows == 1 ? "" : "s");
	if (x + 3 + glyph_text_width(dump) <= end)
		canvas_text(c, x + 3, r.y, STYLE_WARN, dump);
}

/* Sensors and threads in one column beside or below the plot; half each where both want more. */
static void draw_side(struct canvas *c, struct rect r, const struct ui_burn *b)
{
	const int host = burn_host_height(b, r.w - 4) + 2;
	const int threads = burn_threads_height(b, r.w - 4) + 2;
	int top = host;

	if (b->n_threads == 0)
		top = r.h;
	else if (host + threads > r.h)
		top = threads <= r.h / 2 ? r.h - threads : host <= r.h / 2 ? host : r.h / 2;
	if (r.h - top < 3)
		top = r.h;
	burn_draw_host(c, boxed(c, take_top(&r, top), "Host"), b);
	if (r.h >= 3)
		burn_draw_threads(c, boxed(c, r, "Threads"), b);
}

/* The maps above what else there is; without a load of the host, all that they need. */
static void take_cores(struct canvas *c, struct rect *r, const struct ui_burn *b)
{
	const bool lanes = burn_has_lanes(b);
	int h = (lanes ? burn_lanes_height : burn_cores_height)(b, r->w - 4) + 2;

	if (b->n_chips == 0)
		return;
	if (b->n_threads > 0 && h > r->h / 2)
		h = r->h / 2;
	h = h < r->h ? h : r->h;
	if (lanes && h >= 4)
		burn_draw_lanes(c, boxed(c, take_top(r, h), "Memory: channels and their byte "
			"lanes"), b);
	else if (h >= 6)
		burn_draw_cores(c, boxed(c, take_top(r, h), "Cores"), b);
}

static void draw_load(struct canvas *c, struct rect r, const struct ui_burn *b)
{
	struct rect work;

	if (b->n_work > 0 && r.h >= (int)b->n_work + 2 + 6) {
		work = take_bottom(&r, (int)b->n_work + 2);
		burn_draw_work(c, boxed(c, work, "Work, on average"), b);
	}
	burn_draw_plot(c, boxed(c, r, b->peak <= 0 && b->ceiling > 0 ? "% of one value" :
		"% of the peak"), b);
}

/* Below the head, with frames. */
static void draw_body(struct canvas *c, struct rect r, const struct model *m,
	const struct ui_burn *b)
{
	int cards = m->fleet ? burn_cards_height(m, r.w - 4) : 0, side;
	struct rect right;

	/* Cards take half of it at most. */
	if (cards > 0) {
		cards = cards + 2 < r.h / 2 ? cards + 2 : r.h / 2;
		if (cards >= 4)
			burn_draw_cards(c, boxed(c, take_bottom(&r, cards), "Cards"), m);
	}
	take_cores(c, &r, b);
	if (b->n_threads == 0 && (b->peak == 0 || r.h < 8)) {
		if (r.h >= 3)
			burn_draw_host(c, boxed(c, r, "Host"), b);
		return;
	}
	if (r.w < SIDE_FROM || r.h < 6) {
		side = burn_host_height(b, r.w - 4) + burn_threads_height(b, r.w - 4) + 4;
		if (r.h - side >= 6)
			draw_load(c, take_top(&r, r.h - side), b);
		if (r.h >= 3)
			draw_side(c, r, b);
		return;
	}
	side = r.w / 2 < 64 ? SIDE : 64;
	right = (struct rect){ r.x + r.w - side, r.y, side, r.h };
	r.w -= side;
	draw_load(c, r, b);
	draw_side(c, right, b);
}

void burn_draw(struct canvas *c, const struct model *m, const struct ui_burn *b)
{
	struct rect all = { 0, 0, c->w, c->h }, head;
	char title[200];

	if (all.h >= 5)
		draw_header(c, take_top(&all, 1), m);
	if (all.h >= 4)
		draw_footer(c, take_bottom(&all, 1), m, b);
	if (c->h < BOX_FROM || all.w < 30) {
		all.x++;
		all.w -= 2;
		head = take_top(&all, burn_head_height(b, all.h));
		burn_draw_head(c, head, b);
		burn_draw_host(c, take_top(&all, burn_host_height(b, all.w)), b);
		if (all.h > 0)
			burn_draw_threads(c, all, b);
		return;
	}
	head = take_top(&all, burn_head_height(b, all.h / 2 - 2) + 2);
	snprintf(title, sizeof(title), "%.*s", all.w - 6 > 0 ? all.w - 6 : 0, b->what);
	burn_draw_head(c, boxed(c, head, title), b);
	if (all.h >= 3)
		draw_body(c, all, m, b);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn.c - the layout of the burn's screen.
 *
 * The head, which says whether all is well, comes first and is shown at every
 * size.  Threads, sensors and cards share the other lines; the plot takes the rest.
 */
#include "config.h"
#include "ui/burn_local.h"

#include "ui/rows.h"
#include "ui/screen.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SIDE      44		/* cells of the sensors beside the plot */
#define SIDE_FROM 76		/* cells that both need */
#define BOX_FROM  14		/* lines of a screen whose parts have frames */
#define PLOT_FROM 8		/* lines that a plot needs if many cards burn */
#define KEPT	  5		/* lines kept below many cards: boxes with three lines inside */

static struct burn_cards cards;	/* sorted again for each picture or key */

/* Draw a frame with its title; returns the rectangle inside. */
static struct rect boxed(struct canvas *c, struct rect r, const char *title)
{
	canvas_box(c, r, title);
	return (struct rect){ r.x + 2, r.y + 1, r.w - 4, r.h - 2 };
}

/* The verdict so far, worded so that it promises nothing. */
static const char *standing(const struct ui_burn *b, char trouble[32], enum style *style)
{
	bool is_bad = b->errors > 0 || b->others_fail;
	size_t n = 0;

	for (size_t i = 0; i < cards.n; i++)
		n += cards.card[i].chip && cards.card[i].s && rows_has_trouble(cards.card[i].s);
	snprintf(trouble, 32, "cards in trouble: %zu", n);
	for (size_t i = 0; i < b->n_chips; i++)
		is_bad = is_bad || b->chips[i].is_bad;
	*style = STYLE_BAD;
	if (is_bad)
		return "will be FAIL";
	*style = STYLE_DIM;
	if (b->phase == UI_BURN_MAKING)
		return "";
	*style = b->ending[0] || n > 0 ? STYLE_WARN : STYLE_GOOD;
	return b->ending[0] ? "will be INCOMPLETE" : n > 0 ? trouble : b->phase == UI_BURN_ENDING ?
		"last check" : "no error so far";
}

/* Draw the keys that work now; returns the x after them. */
static int draw_keys(struct canvas *c, struct rect r, const struct ui_burn *b,
	const struct ui_burn_view *v)
{
	static const struct {
		const char *key, *what;
	} main_keys[] = { { "q", "stop" }, { "Enter", "one card" }, { "↑↓", "which" } },
		page_keys[] = { { "q", "back" }, { "↑↓", "other card" }, { "PgDn", "more" } };
	const size_t n = b->n_chips > 1 ? 3 : b->n_chips == 1 ? 2 : 1;
	int x = r.x - 1;

	for (size_t i = 0; i < n; i++) {
		const char *key = v->page ? page_keys[i].key : main_keys[i].key;
		const char *what = v->page ? page_keys[i].what : main_keys[i].what;

		if (i > 0 && x + 4 + glyph_text_width(key) + (int)strlen(what) > r.x + r.w)
			break;
		x = canvas_text(c, x + 2, r.y, STYLE_KEY, key);
		x = canvas_text(c, x + 1, r.y, STYLE_DIM, what);
	}
	return x;
}

static void draw_footer(struct canvas *c, struct rect r, const struct model *m,
	const struct ui_burn *b, const struct ui_burn_view *v)
{
	enum style style;
	char dump[64] = "", trouble[32];
	const char *text = standing(b, trouble, &style);
	int end = r.x + r.w - 1, x;

	x = draw_keys(c, (struct rect){ r.x, r.y, r.w - 3 - glyph_text_width(text), 1 }, b, v);
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

/* Sensors and threads in one column beside or below the plot; half each if both need more. */
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
	burn_draw_host(c, boxed(c, rect_take_top(&r, top), "Host"), b);
	if (r.h >= 3)
		burn_draw_threads(c, boxed(c, r, "Threads"), b);
}

/* Lines of r to keep for other parts below a list of cards that needs `list` lines. */
static int keep_lines(const struct ui_burn *b, struct rect r, int list)
{
	const int host = burn_host_height(b, r.w - 4);

	if (b->n_threads == 0)
		return r.h < 18 ? 0 : 2 + (host < 4 ? host : 4);
	/* A long list may take more than half, but a third or KEPT lines stay for the boxes. */
	if (r.w >= SIDE_FROM && list > r.h - r.h / 2)
		return r.h / 3 > KEPT ? r.h / 3 : KEPT;
	return r.h / 2;
}

static void draw_one(struct canvas *c, struct rect r, const struct model *m,
	const struct ui_burn *b, const struct burn_card *card, struct ui_burn_view *v)
{
	char title[80], name[48];

	snprintf(title, sizeof(title), "Card %s %s", burn_card_name(card, name, sizeof(name)),
		card->s ? card->s->bdf : "");
	if (c->h >= BOX_FROM && c->w >= 30)
		r = boxed(c, r, r.w >= (int)strlen(title) + 6 ? title : "Card");
	burn_draw_page(c, r, m, card, b, v);
}

/* Use the top of *r for the cards that burn and the map of the selected one. */
static void take_cards(struct canvas *c, struct rect *r, const struct model *m,
	const struct ui_burn *b, struct ui_burn_view *v)
{
	const struct burn_card *card = &cards.card[burn_cards_find(&cards, v)];
	const int list = burn_cards_height(&cards) + 2, keep = keep_lines(b, *r, list);
	int map = card->chip ? card->chip->h + 3 : 0;

	if (b->n_chips > 1) {
		const int most = r->h - keep;

		burn_draw_cards(c, rect_take_top(r, list < most ? list : most), m, &cards, v);
		map = r->h >= map + keep ? map : 0;
	} else if (map > r->h - (b->n_threads > 0 ? r->h / 2 : 0)) {
		map = r->h - (b->n_threads > 0 ? r->h / 2 : 0);
	}
	if (map >= 6)
		draw_one(c, rect_take_top(r, map), m, b, card, v);
}

static void draw_load(struct canvas *c, struct rect r, const struct ui_burn *b)
{
	struct rect work;

	if (b->n_work > 0 && r.h >= (int)b->n_work + 2 + 6) {
		work = rect_take_bottom(&r, (int)b->n_work + 2);
		burn_draw_work(c, boxed(c, work, "Work, on average"), b);
	}
	burn_draw_plot(c, boxed(c, r, b->rate <= 0 && b->memory > 0 ? "% of one value" :
		"% of the peak"), b);
}

/* All parts below the head, in frames. */
static void draw_body(struct canvas *c, struct rect r, const struct model *m,
	const struct ui_burn *b, struct ui_burn_view *v)
{
	int list = burn_cards_height(&cards) + 2, side;
	struct rect right;

	if (b->n_chips > 0)
		take_cards(c, &r, m, b, v);
	/* A list of cards that do not burn takes half of it at most; one that burns has its map. */
	list = list < r.h / 2 ? list : r.h / 2;
	if (b->n_chips <= 1 && cards.n > b->n_chips && list >= 4)
		burn_draw_cards(c, rect_take_bottom(&r, list), m, &cards, v);
	if (b->n_threads == 0 && (b->peak == 0 || r.h < 8)) {
		if (r.h >= 3)
			burn_draw_host(c, boxed(c, r, "Host"), b);
		return;
	}
	if (r.w >= SIDE_FROM && b->n_chips > 1 && b->n_threads > 0 && r.h >= 3 &&
		r.h < PLOT_FROM) {
		right = (struct rect){ r.x + r.w / 2, r.y, r.w - r.w / 2, r.h };
		burn_draw_threads(c, boxed(c, (struct rect){ r.x, r.y, r.w / 2, r.h }, "Threads"),
			b);
		burn_draw_host(c, boxed(c, right, "Host"), b);
		return;
	}
	if (r.w < SIDE_FROM || r.h < 6) {
		side = burn_host_height(b, r.w - 4) + burn_threads_height(b, r.w - 4) + 4;
		if (r.h - side >= 6)
			draw_load(c, rect_take_top(&r, r.h - side), b);
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

/* A small screen has no frames and shows what matters most. */
static void draw_small(struct canvas *c, struct rect r, const struct model *m,
	const struct ui_burn *b, struct ui_burn_view *v)
{
	r.x++;
	r.w -= 2;
	burn_draw_head(c, rect_take_top(&r, burn_head_height(b, b->n_chips > 1 ? 3 : r.h)), b);
	if (b->n_chips > 1 && r.h > 0) {
		burn_draw_cards(c, r, m, &cards, v);
		return;
	}
	burn_draw_host(c, rect_take_top(&r, burn_host_height(b, r.w)), b);
	if (r.h > 0)
		burn_draw_threads(c, r, b);
}

void burn_draw(struct canvas *c, const struct model *m, const struct ui_burn *b,
	struct ui_burn_view *v)
{
	struct rect all = { 0, 0, c->w, c->h }, head;
	char title[200];
	int at;

	burn_cards_sort(&cards, m, b);
	at = burn_cards_find(&cards, v);
	v->page = v->page && at < (int)cards.n && cards.card[at].chip;
	if (all.h >= 5)
		header_draw(c, rect_take_top(&all, 1), m, "Burn-in", false);
	if (all.h >= 4)
		draw_footer(c, rect_take_bottom(&all, 1), m, b, v);
	if (v->page) {
		draw_one(c, all, m, b, &cards.card[at], v);
		return;
	}
	if (c->h < BOX_FROM || all.w < 30) {
		draw_small(c, all, m, b, v);
		return;
	}
	head = rect_take_top(&all, burn_head_height(b, all.h / 2 - 2) + 2);
	snprintf(title, sizeof(title), "%.*s", all.w - 6 > 0 ? all.w - 6 : 0, b->what);
	burn_draw_head(c, boxed(c, head, title), b);
	if (all.h >= 3)
		draw_body(c, all, m, b, v);
}

const struct ui_burn_chip *burn_selected(const struct ui_burn_view *v, const struct model *m,
	const struct ui_burn *b)
{
	int at;

	burn_cards_sort(&cards, m, b);
	at = burn_cards_find(&cards, v);
	return at < (int)cards.n ? cards.card[at].chip : NULL;
}

/* Select the card that is `by` lines further down the list. */
static void move(struct ui_burn_view *v, int by)
{
	int at = burn_cards_find(&cards, v) + by;

	at = at >= (int)cards.n ? (int)cards.n - 1 : at;
	at = at < 0 ? 0 : at;
	if (cards.n == 0 || (v->page && !cards.card[at].chip))
		return;
	v->chosen = true;
	v->selected = cards.card[at].chip ? cards.card[at].chip->index :
		cards.card[at].s->index;
	v->page_top = 0;
}

bool burn_key(struct ui_burn_view *v, const struct model *m, const struct ui_burn *b,
	uint32_t key)
{
	const int page = v->room > 1 ? v->room - 1 : 1;

	burn_cards_sort(&cards, m, b);
	if (key == 'q' || key == 'Q' || key == UI_KEY_ESC) {
		if (!v->page)
			return key != UI_KEY_ESC;
		v->page = false;
	} else if (key == UI_KEY_ENTER && b->n_chips > 0) {
		move(v, 0);
		v->page = true;
		v->page_top = 0;
	} else if (v->page && (key == UI_KEY_PAGE_DOWN || key == UI_KEY_PAGE_UP)) {
		v->page_top += key == UI_KEY_PAGE_DOWN ? 1 : -1;
	} else if (key == UI_KEY_UP || key == UI_KEY_WHEEL_UP) {
		move(v, -1);
	} else if (key == UI_KEY_DOWN || key == UI_KEY_WHEEL_DOWN) {
		move(v, 1);
	} else if (key == UI_KEY_PAGE_UP || key == UI_KEY_PAGE_DOWN) {
		move(v, key == UI_KEY_PAGE_UP ? -page : page);
	} else if (key == UI_KEY_END) {
		move(v, (int)cards.n);
	} else if (key == UI_KEY_HOME) {
		move(v, -(int)cards.n);
		/* From now on the list follows the worst card. */
		v->chosen = v->page;
	}
	return false;
}

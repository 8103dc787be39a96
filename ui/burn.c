/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn.c - the layout of the burn's screen, and its list of cards.
 *
 * The head, which says whether all is well, comes first and is shown at every
 * size.  Threads, sensors and cards share the other lines; the plot takes the rest.
 */
#include "config.h"
#include "ui/burn_local.h"

#include "base/mem.h"
#include "ui/column.h"
#include "ui/rows.h"
#include "ui/screen.h"
#include "ui/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * The list of cards: one line each, with a strip of its cores or memory channels, the results of
 * its burn, and telemetry.
 *
 * Columns that do not fit are left out whole, the least important first.  The
 * strip then takes the widest form that fits: all cells of the map, two for
 * each of its rows, or one.
 */

struct burn_cards {
	size_t n;
	struct burn_card card[DEVICE_MAX];
};

#define BOARD_MOST 12	/* cells of a board's name */
#define NUMBER	   5	/* of the cursor and the index, with blanks */
#define STATE	   16	/* least cells of the state at the end, if cards burn */
#define STATE_MOST 30	/* cells that a wider strip leaves for the state */
#define STEPS	   3	/* widths of a strip */
#define REASON	   3	/* lines below the selected card for a state that is cut */

/* In this order from the left; those of the highest rank are dropped first. */
static const struct {
	const char *title;
	int w, rank;
	enum ui_burn_part part;		/* of the burn; UI_BURN_PARTS: telemetry's field */
	enum field_id field;
} columns[] = {
	{ "Wrong", 8, 1, UI_BURN_WRONG, FIELD_NONE },
	{ "Verified", 10, 8, UI_BURN_DONE, FIELD_NONE },
	{ "MVMUL", 7, 3, UI_BURN_MVMUL, FIELD_NONE },
	{ "TFLOP/s", 9, 7, UI_BURN_TFLOPS, FIELD_NONE },
	{ "Core °C", 8, 2, UI_BURN_PARTS, FIELD_ASIC_TEMP },
	{ "Power W", 8, 4, UI_BURN_PARTS, FIELD_POWER },
	{ "AI MHz", 7, 5, UI_BURN_PARTS, FIELD_AICLK },
	{ "Fan RPM", 8, 9, UI_BURN_PARTS, FIELD_FAN_RPM },
	{ "Throttled by", 13, 6, UI_BURN_PARTS, FIELD_THROTTLE },
};

/* The layout of a line. */
struct line_layout {
	int board, strip, step;		/* widths; step: which width the strip has */
	int x[ARRAY_LEN(columns)];	/* from the start of the line; 0: no room */
	int telemetry, state;		/* x where these begin */
	bool burns, lanes;
};

/* True for chips that do not burn; false for those not selected, or not read. */
static bool is_idle(const struct fleet *f, size_t i, const struct ui_burn *b)
{
	for (size_t k = 0; k < b->n_chips; k++)
		if (b->chips[k].index == (int)i)
			return false;
	return fleet_wants(f, i) && f->chips[i].health != SNAPSHOT_NOT_READ;
}

/* Higher levels are shown before lower ones. */
enum { LEVELS = 4 };
static int level_of(const struct burn_card *card)
{
	if (card->chip && card->chip->is_bad)
		return 3;
	return card->s && rows_has_trouble(card->s) ? 2 : card->chip ? 1 : 0;
}

static void add_card(struct burn_cards *l, int level, const struct snapshot *s,
	const struct ui_burn_chip *chip)
{
	const struct burn_card card = { s, chip };

	if (level_of(&card) == level && l->n < DEVICE_MAX)
		l->card[l->n++] = card;
}

/* Fill in the cards, the worst first, then those that burn. */
static void burn_cards_sort(struct burn_cards *l, const struct model *m, const struct ui_burn *b)
{
	const size_t chips = m->fleet ? m->fleet->n : 0;

	l->n = 0;
	for (int level = LEVELS - 1; level >= 0; level--) {
		for (size_t i = 0; i < b->n_chips; i++)
			add_card(l, level, b->chips[i].index < (int)chips ?
				&m->fleet->chips[b->chips[i].index] : NULL, &b->chips[i]);
		for (size_t i = 0; i < chips; i++)
			if (is_idle(m->fleet, i, b))
				add_card(l, level, &m->fleet->chips[i], NULL);
	}
}

static int index_of(const struct burn_card *card)
{
	return card->chip ? card->chip->index : card->s->index;
}

static int burn_cards_find(const struct burn_cards *l, const struct ui_burn_view *v)
{
	for (size_t i = 0; v->chosen && i < l->n; i++)
		if (index_of(&l->card[i]) == v->selected)
			return (int)i;
	return 0;
}

static const char *board_of(const struct burn_card *card)
{
	return card->chip ? card->chip->name : card->s->series[0] ? card->s->series :
		card->s->board;
}

/* Cells of a strip that one row of the map takes. */
static int row_cells(const struct ui_burn_chip *chip, int step)
{
	return step == 0 ? chip->w : step == 1 && chip->w > 4 ? 2 : 1;
}

static int strip_width(const struct ui_burn_chip *chip, int step)
{
	const int cells = row_cells(chip, step);
	const int rows = chip->h == 0 ? 0 : chip->lanes ? chip->rows[chip->h - 1] + 1 : chip->h;

	return rows * (cells + (cells > 1)) - (rows > 0 && cells > 1);
}

static int strips_width(const struct burn_cards *l, int step)
{
	int w = 0;

	for (size_t i = 0; i < l->n; i++)
		if (l->card[i].chip && strip_width(l->card[i].chip, step) > w)
			w = strip_width(l->card[i].chip, step);
	return w > 0 && w < 8 ? 8 : w;
}

/* Place the columns up to this rank; returns the width of a line without the state at its end. */
static int place_columns(struct line_layout *l, int rank)
{
	int x = NUMBER + l->board + (l->strip ? 1 + l->strip : 0);

	l->telemetry = 0;
	for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
		const bool is_own = columns[i].part != UI_BURN_PARTS;

		if (!is_own && l->telemetry == 0)
			l->telemetry = x + 1;
		l->x[i] = 0;
		if (columns[i].rank > rank || (is_own && (!l->burns ||
			(l->lanes && columns[i].part >= UI_BURN_MVMUL))))
			continue;
		l->x[i] = x + 1;
		x += columns[i].w;
	}
	l->state = x + 2;
	return l->state;
}

static struct line_layout lay_out(const struct burn_cards *all, int w)
{
	struct line_layout l = { .step = STEPS - 1 };
	int rank = (int)ARRAY_LEN(columns);

	for (size_t i = 0; i < all->n; i++) {
		const int board = glyph_text_width(board_of(&all->card[i]));

		l.board = board > l.board ? board : l.board;
		l.burns = l.burns || all->card[i].chip;
		l.lanes = l.lanes || (all->card[i].chip && all->card[i].chip->lanes);
	}
	l.board = l.board > BOARD_MOST ? BOARD_MOST : l.board < 5 ? 5 : l.board;
	l.strip = strips_width(all, l.step);
	while (place_columns(&l, rank) + (l.burns ? STATE : 0) > w && rank > 0)
		rank--;
	for (int step = 0; step < STEPS - 1 && l.strip > 0; step++) {
		const int more = strips_width(all, step) - l.strip;

		if (l.state + more + STATE_MOST > w)
			continue;
		l.strip += more;
		l.step = step;
		place_columns(&l, rank);
		break;
	}
	return l;
}

/* Draw the rows of the map side by side; a cell shows the worst of the cores that share it. */
static void draw_strip(struct canvas *c, struct rect r, const struct ui_burn_chip *chip, int step)
{
	const int cells = row_cells(chip, step);

	for (int y = 0; y < chip->h; y++) {
		const int at = (chip->lanes ? chip->rows[y] : y) * (cells + (cells > 1));

		for (int k = 0; k < cells && at + k < r.w; k++) {
			enum ui_core worst = UI_CORE_NONE;

			for (int x = k * chip->w / cells; x < (k + 1) * chip->w / cells; x++)
				if (chip->map[y * chip->w + x] > worst)
					worst = (enum ui_core)chip->map[y * chip->w + x];
			burn_put_core(c, r.x + at + k, r.y, worst);
		}
	}
}

static void draw_headings(struct canvas *c, struct rect r, const struct line_layout *l)
{
	if (r.w >= NUMBER)
		canvas_text(c, r.x + NUMBER - 2, r.y, STYLE_HEADING, "#");
	if (r.w >= NUMBER + l->board)
		canvas_text(c, r.x + NUMBER, r.y, STYLE_HEADING, "Board");
	if (l->strip > 0 && r.w >= NUMBER + l->board + 1 + l->strip)
		canvas_text(c, r.x + NUMBER + l->board + 1, r.y, STYLE_HEADING,
			l->lanes ? "Channels" : "Cores");
	for (size_t i = 0; i < ARRAY_LEN(columns); i++)
		if (l->x[i] > 0)
			canvas_number(c, r.x + l->x[i], r.y, columns[i].w - 1, STYLE_HEADING,
				columns[i].title);
	if (l->burns && l->state + 5 <= r.w)
		canvas_text(c, r.x + l->state, r.y, STYLE_HEADING, "State");
}

/* The text of a state: a failure of the burn, else trouble in telemetry, else what it is doing. */
static const char *state_of(const struct model *m, const struct burn_card *card,
	char notice[NOTICE_SIZE], enum style *style)
{
	*style = card->chip && card->chip->is_bad ? STYLE_BAD : STYLE_NORMAL;
	if (card->chip && card->chip->note[0] && card->chip->is_bad)
		return card->chip->note;
	if (card->s && notice_text(m, card->s, true, notice, style))
		return notice;
	*style = STYLE_DIM;
	return !card->chip ? "" : card->chip->note[0] ? card->chip->note : card->chip->state;
}

static void draw_columns(struct canvas *c, struct rect r, const struct line_layout *l,
	const struct burn_card *card)
{
	for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
		const struct column col = { .kind = COLUMN_FIELD, .field = columns[i].field };
		const bool is_own = columns[i].part != UI_BURN_PARTS;
		enum style style = STYLE_NORMAL;
		char text[48] = "";

		if (l->x[i] == 0 || (is_own ? !card->chip : !card->s || !snapshot_is_live(card->s)))
			continue;
		if (!is_own)
			style = column_text(&col, card->s, text, sizeof(text));
		else
			snprintf(text, sizeof(text), "%s", card->chip->part[columns[i].part]);
		if (columns[i].part == UI_BURN_WRONG && strcmp(text, "0") != 0)
			style = STYLE_BAD;
		canvas_number(c, r.x + l->x[i], r.y, columns[i].w - 1, text[0] ? style : STYLE_DIM,
			text[0] ? text : "-");
	}
}

/* The x of a card's state; if telemetry is lost, the state takes the place of its columns. */
static int words_at(const struct line_layout *l, const struct burn_card *card)
{
	const bool is_lost = card->s && !snapshot_is_live(card->s);

	return is_lost && (!card->chip || !card->chip->is_bad) ? l->telemetry : l->state;
}

/* Lines below a card's own that a state needs if it would be cut there; at most `most`. */
static int reason_lines(int w, const struct model *m, const struct line_layout *l,
	const struct burn_card *card, int most)
{
	char notice[NOTICE_SIZE];
	enum style style;
	const char *state = state_of(m, card, notice, &style);
	int lines;

	if (glyph_text_width(state) <= w - words_at(l, card))
		return 0;
	lines = canvas_wrap_height(w - NUMBER, state);
	return lines < most ? lines : most;
}

/* Draw a card's line; if r has further lines, the state goes there. */
static void draw_card(struct canvas *c, struct rect r, const struct model *m,
	const struct line_layout *l, const struct burn_card *card)
{
	char number[16], notice[NOTICE_SIZE];
	enum style style;
	const char *state = state_of(m, card, notice, &style);
	const int at = words_at(l, card);

	snprintf(number, sizeof(number), "%d", index_of(card));
	if (r.w < NUMBER)
		return;
	canvas_number(c, r.x + 1, r.y, NUMBER - 2, STYLE_NORMAL, number);
	if (r.w > NUMBER + 1)
		canvas_words(c, r.x + NUMBER, r.y, l->board < r.w - NUMBER ? l->board :
			r.w - NUMBER, card->chip && card->chip->is_bad ? STYLE_BAD : STYLE_NORMAL,
			board_of(card));
	if (card->chip && r.w >= NUMBER + l->board + 1 + l->strip)
		draw_strip(c, (struct rect){ r.x + NUMBER + l->board + 1, r.y, l->strip, 1 },
			card->chip, l->step);
	draw_columns(c, r, l, card);
	if (r.h > 1)
		canvas_wrap(c, r.x + NUMBER, r.y + 1, r.w - NUMBER, r.h - 1, style, state);
	else if (r.w - at >= 4)
		canvas_words(c, r.x + at, r.y, r.w - at, style, state);
}

/* Lines that all cards and the headings need. */
static int burn_cards_height(const struct burn_cards *l)
{
	return l->n > 0 ? (int)l->n + 1 : 0;
}

/* Write into the lower frame how many cards are out of sight. */
static void draw_rest(struct canvas *c, struct rect r, const struct burn_cards *l,
	const struct ui_burn_view *v)
{
	const int above = v->top, below = (int)l->n - v->top - v->room;
	char text[64];
	int n = 0;

	if (above > 0)
		n = snprintf(text, sizeof(text), " %d above%s", above, below > 0 ? "," : " ");
	if (below > 0)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " %d below ", below);
	if (n > 0 && n + 2 <= r.w)
		canvas_text(c, r.x + r.w - n - 2, r.y, STYLE_DIM, text);
}

static void burn_draw_cards(struct canvas *c, struct rect r, const struct model *m,
	const struct burn_cards *l, struct ui_burn_view *v)
{
	/* Not on a small screen, which has no frames. */
	const bool is_boxed = r.h >= 4 && r.x == 0;
	const int selected = burn_cards_find(l, v);
	const struct line_layout at = lay_out(l, is_boxed ? r.w - 3 : r.w);
	int reason = 0;

	if (is_boxed) {
		canvas_box(c, r, "Cards");
		v->room = r.h - 3;
	} else {
		v->room = r.h - (r.h > 2);
	}
	if (is_boxed && v->room > 2 * REASON && l->n > 0)
		reason = reason_lines(r.w - 3, m, &at, &l->card[selected], REASON);
	v->room -= reason;
	v->top = table_scroll(v->top, v->room, (int)l->n, selected, selected);
	if (is_boxed) {
		draw_rest(c, (struct rect){ r.x, r.y + r.h - 1, r.w, 1 }, l, v);
		r = (struct rect){ r.x + 1, r.y + 1, r.w - 3, r.h - 2 };
	}
	if (r.h > 2 || is_boxed) {
		draw_headings(c, r, &at);
		r.y++;
	}
	for (int i = v->top; i < (int)l->n && i < v->top + v->room; i++, r.y++) {
		const int more = i == selected ? reason : 0;

		draw_card(c, (struct rect){ r.x, r.y, r.w, 1 + more }, m, &at, &l->card[i]);
		if (i == selected && at.burns && l->n > 1)
			canvas_put(c, r.x, r.y, STYLE_KEY, 0x25b8);
		r.y += more;
	}
}

/* The whole screen. */

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
	char title[80];

	snprintf(title, sizeof(title), "Card %d %.40s %s", index_of(card), board_of(card),
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

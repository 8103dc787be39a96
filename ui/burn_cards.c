/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn_cards.c - the list of cards: one line each, with a strip of its cores
 * or memory channels, the results of its burn, and telemetry.
 *
 * Columns that do not fit are left out whole, the least important first.  The
 * strip then takes the widest form that fits: all cells of the map, two for
 * each of its rows, or one.
 */
#include "config.h"
#include "ui/burn_local.h"

#include "base/mem.h"
#include "ui/column.h"
#include "ui/notice.h"
#include "ui/rows.h"
#include "ui/table.h"

#include <stdio.h>
#include <string.h>

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
	return (!f->wanted || f->wanted[i]) && f->chips[i].health != SNAPSHOT_NOT_READ;
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

void burn_cards_sort(struct burn_cards *l, const struct model *m, const struct ui_burn *b)
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

int burn_cards_find(const struct burn_cards *l, const struct ui_burn_view *v)
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

char *burn_card_name(const struct burn_card *card, char *buf, size_t size)
{
	snprintf(buf, size, "%d %s", index_of(card), board_of(card));
	return buf;
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

static struct line_layout lay_out(const struct burn_cards *cards, int w)
{
	struct line_layout l = { .step = STEPS - 1 };
	int rank = (int)ARRAY_LEN(columns);

	for (size_t i = 0; i < cards->n; i++) {
		const int board = glyph_text_width(board_of(&cards->card[i]));

		l.board = board > l.board ? board : l.board;
		l.burns = l.burns || cards->card[i].chip;
		l.lanes = l.lanes || (cards->card[i].chip && cards->card[i].chip->lanes);
	}
	l.board = l.board > BOARD_MOST ? BOARD_MOST : l.board < 5 ? 5 : l.board;
	l.strip = strips_width(cards, l.step);
	while (place_columns(&l, rank) + (l.burns ? STATE : 0) > w && rank > 0)
		rank--;
	for (int step = 0; step < STEPS - 1 && l.strip > 0; step++) {
		const int more = strips_width(cards, step) - l.strip;

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

int burn_cards_height(const struct burn_cards *l)
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

void burn_draw_cards(struct canvas *c, struct rect r, const struct model *m,
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn_lanes.c - the memory of the cards that are tested: a line for each card,
 * channels beside each other with a cell for each byte lane, or one cell for a
 * channel where that is too wide.
 */
#include "config.h"
#include "ui/burn_local.h"

#define NAME_MOST  20	/* cells of a card's name */
#define FOUND	   14	/* that "123,456 wrong" may take */
#define AMOUNT	   14	/* and "123.4 M words" */
#define GAP	   2

/* Where things stand in a line. */
struct layout {
	int name, channel, channels, found, amount;	/* widths; channel: of one, with its gap */
	int w;						/* of all of it */
};

bool burn_has_lanes(const struct ui_burn *b)
{
	for (size_t i = 0; i < b->n_chips; i++)
		if (b->chips[i].lanes)
			return true;
	return false;
}

static int most_channels(const struct ui_burn *b)
{
	int n = 0;

	for (size_t i = 0; i < b->n_chips; i++)
		for (int y = 0; b->chips[i].lanes && y < b->chips[i].h; y++)
			n = b->chips[i].rows[y] >= n ? b->chips[i].rows[y] + 1 : n;
	return n;
}

/* What does not fit goes in this order: the amount, the lanes of a channel, what was found. */
static struct layout lay_out(const struct ui_burn *b, int w)
{
	struct layout l = { .channel = 5, .channels = most_channels(b), .found = FOUND,
		.amount = AMOUNT };

	for (size_t i = 0; i < b->n_chips; i++) {
		const int n = glyph_text_width(b->chips[i].name);

		l.name = n > l.name ? n : l.name;
	}
	l.name = l.name < NAME_MOST ? l.name : NAME_MOST;
	for (int step = 0;; step++) {
		l.w = l.name + GAP + l.channels * l.channel - 1 + (l.found ? GAP + l.found : 0) +
			(l.amount ? GAP + l.amount : 0);
		if (l.w <= w || step == 3)
			return l;
		l.amount = 0;
		if (step == 1)
			l.channel = 2;
		if (step == 2)
			l.found = 0;
	}
}

/* Lines of a card beside each other. */
static int across(const struct layout *l, int w)
{
	return (w + 2 * GAP) / (l->w + 2 * GAP) > 1 ? (w + 2 * GAP) / (l->w + 2 * GAP) : 1;
}

int burn_lanes_height(const struct ui_burn *b, int w)
{
	const struct layout l = lay_out(b, w);

	return 1 + ((int)b->n_chips + across(&l, w) - 1) / across(&l, w);
}

static void draw_numbers(struct canvas *c, int x, int y, const struct layout *l)
{
	for (int i = 0; i < l->channels; i++)
		canvas_printf(c, x + l->name + GAP + i * l->channel, y, STYLE_DIM, "%d", i);
}

/* The worst of a channel's lanes. */
static enum ui_core worst(const uint8_t *lanes, int n)
{
	enum ui_core core = (enum ui_core)lanes[0];

	for (int i = 1; i < n; i++)
		if (lanes[i] == UI_CORE_WRONG)
			core = UI_CORE_WRONG;
	return core;
}

static void draw_card(struct canvas *c, int x, int y, const struct layout *l,
	const struct ui_burn_chip *chip)
{
	int at = x + l->name + GAP;

	canvas_words(c, x, y, l->name, chip->is_bad ? STYLE_BAD : STYLE_HEADING, chip->name);
	if (!chip->lanes) {
		canvas_words(c, at, y, l->w - l->name - GAP, STYLE_NORMAL, chip->rate);
		return;
	}
	for (int i = 0; i < chip->h; i++) {
		const uint8_t *lanes = chip->map + i * chip->w;
		const int to = at + chip->rows[i] * l->channel;

		if (l->channel == 2)
			burn_put_core(c, to, y, worst(lanes, chip->w));
		for (int k = 0; l->channel > 2 && k < chip->w; k++)
			burn_put_core(c, to + k, y, (enum ui_core)lanes[k]);
	}
	at += l->channels * l->channel - 1 + GAP;
	if (l->found)
		canvas_number(c, at, y, l->found, chip->is_bad ? STYLE_BAD : STYLE_NORMAL,
			chip->found);
	if (l->amount)
		canvas_number(c, at + l->found + GAP, y, l->amount, STYLE_NORMAL, chip->rate);
}

/* As many as there is room for, those with trouble first. */
void burn_draw_lanes(struct canvas *c, struct rect r, const struct ui_burn *b)
{
	const struct layout l = lay_out(b, r.w);
	const int columns = across(&l, r.w), lines = r.h - 1;
	const bool sorts = (int)b->n_chips > lines * columns;
	int n = 0;

	for (int i = 0; i < columns && i < (int)b->n_chips; i++)
		draw_numbers(c, r.x + i * (l.w + 2 * GAP), r.y, &l);
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < b->n_chips && n < lines * columns; i++) {
			const int x = r.x + n % columns * (l.w + 2 * GAP);
			const int y = r.y + 1 + n / columns;

			if (sorts ? b->chips[i].is_bad != (pass == 0) : pass > 0)
				continue;
			/* The last place says how many have none. */
			if (sorts && n == lines * columns - 1) {
				canvas_printf(c, x, y, STYLE_DIM, "and %d more cards",
					(int)b->n_chips - n);
				return;
			}
			draw_card(c, x, y, &l, &b->chips[i]);
			n++;
		}
}

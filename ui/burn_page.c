/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn_page.c - what the burn's screen shows of the host and of one card.
 */
#include "config.h"

#include "base/mem.h"
#include "ui/burn_local.h"
#include "ui/canvas.h"
#include "ui/column.h"
#include "ui/notice.h"
#include "ui/plot.h"
#include "ui/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How the host bears the load. */

#define VALUE 9			/* cells of "118.2 W" */
#define NEAR  10000		/* m°C below its limit from which a value is coloured */

static enum style temp_style(const struct sensor *x)
{
	if (x->state != READING_OK)
		return STYLE_DIM;
	if (!x->has_limit || x->value < x->limit - NEAR)
		return STYLE_NORMAL;
	return x->value >= x->limit ? STYLE_BAD : STYLE_WARN;
}

/* Draw a name, its value at the right and, if there is room, a bar up to its limit. */
static void draw_line(struct canvas *c, struct rect r, const char *name, enum style style,
	const char *value, int percent)
{
	const int bar = r.w >= 52 ? r.w - 42 : 0, end = r.x + r.w - (bar ? bar + 1 : 0);

	if (r.w < VALUE + 4)
		return;
	canvas_words(c, r.x, r.y, end - r.x - VALUE - 1, STYLE_DIM, name);
	canvas_number(c, end - VALUE, r.y, VALUE, style, value);
	if (bar && percent >= 0)
		bar_draw(c, end + 1, r.y, bar, percent, style == STYLE_NORMAL ? STYLE_GOOD : style);
}

/* The order in which sensors get lines: those that may end the burn come first. */
static int rank(const struct sensors *s, const struct sensor *x)
{
	if (x == sensors_hottest(s))
		return 0;
	if (x->kind == SENSOR_CLOCK)
		return 2;
	if (x->kind == SENSOR_TEMP)
		return x->state != READING_OK ? 6 : x->has_limit ? 4 : 5;
	return x->kind == SENSOR_THROTTLE ? 9 : x->package ? 9 : 3;
}

static bool has_power(const struct sensors *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->s[i].package)
			return true;
	return false;
}

static void draw_sensor(struct canvas *c, struct rect r, const struct sensor *x)
{
	char value[32];
	int percent = -1;

	if (x->kind == SENSOR_TEMP && x->has_limit && x->state == READING_OK)
		percent = (int)(x->value * 100 / x->limit);
	draw_line(c, r, x->name, x->kind == SENSOR_TEMP ? temp_style(x) :
		x->state == READING_OK ? STYLE_NORMAL : STYLE_DIM,
		sensor_text(x, value, sizeof(value)), percent);
}

/* Draw the lines of the sensors that fit into r; returns how many there are. */
static int draw_sensors(struct canvas *c, struct rect r, const struct ui_burn *b)
{
	const struct sensors *s = b->sensors;
	const int end = r.y + r.h, begin = r.y;
	char text[32];
	int64_t mw;

	for (int at = 0; s && at < 9; at++) {
		for (size_t i = 0; i < s->n; i++)
			if (rank(s, &s->s[i]) == at && r.y++ < end)
				draw_sensor(c, (struct rect){ r.x, r.y - 1, r.w, 1 }, &s->s[i]);
		if (at == 0 && b->throttled >= 0 && r.y++ < end) {
			snprintf(text, sizeof(text), "%" PRId64, b->throttled);
			draw_line(c, (struct rect){ r.x, r.y - 1, r.w, 1 }, b->throttled ?
				"throttled for heat" : "not throttled for heat",
				b->throttled ? STYLE_WARN : STYLE_GOOD, text, -1);
		}
		if (at == 0 && has_power(s) && r.y++ < end) {
			const bool known = sensors_power(s, &mw);

			mem_copy_text(text, sizeof(text), "-");
			if (known)
				snprintf(text, sizeof(text), "%.1f W", (double)mw / 1000);
			draw_line(c, (struct rect){ r.x, r.y - 1, r.w, 1 }, "processor power",
				known ? STYLE_NORMAL : STYLE_DIM, text, -1);
		}
	}
	return r.y - begin;
}

static int rule_lines(const struct ui_burn *b, int w)
{
	return b->unwatched[0] ? canvas_wrap_height(w, b->unwatched) : 0;
}

int burn_host_height(const struct ui_burn *b, int w)
{
	const int n = draw_sensors(NULL, (struct rect){ 0 }, b);

	return n + rule_lines(b, w) + (n == 0 && !b->unwatched[0]);
}

/* Rules that are not applied are shown even if sensors must make room for them. */
void burn_draw_host(struct canvas *c, struct rect r, const struct ui_burn *b)
{
	int rules = rule_lines(b, r.w), n;

	rules = rules < r.h / 2 ? rules : r.h / 2;
	n = draw_sensors(c, (struct rect){ r.x, r.y, r.w, r.h - rules }, b);
	n = n < r.h - rules ? n : r.h - rules;
	if (n == 0 && rules == 0 && r.h > 0)
		canvas_words(c, r.x, r.y + n++, r.w, STYLE_DIM, b->sensors_trouble[0] ?
			b->sensors_trouble : b->sensors ? "no sensors" : "sensors are being read");
	if (b->unwatched[0] && n < r.h)
		canvas_wrap(c, r.x, r.y + n, r.w, r.h - n, STYLE_DIM, b->unwatched);
}

/* One card: the map of its cores, or of its memory by byte lanes, a legend, and its numbers. */

#define LABEL   3	/* cells for the number of a row */
#define MAP     22	/* of a map with its labels and the room beside it */
#define NAME    20	/* of a number's name */
#define NUMBERS 44	/* that numbers need beside the map */

static const struct {
	enum mark mark;
	char letter;
	const char *name;
} cores[UI_CORES] = {
	[UI_CORE_NONE] = { MARK_NONE, ' ', "none" },
	[UI_CORE_OFF] = { MARK_OFF, '.', "switched off" },
	[UI_CORE_WELL] = { MARK_FULL, '+', "well" },
	[UI_CORE_IDLE] = { MARK_IDLE, '?', "nothing done" },
	[UI_CORE_SLOW] = { MARK_SLOW, '-', "slow" },
	[UI_CORE_STILL] = { MARK_STILL, 'O', "stood still" },
	[UI_CORE_WRONG] = { MARK_BAD, 'X', "wrong" },
};

const char *burn_core_name(enum ui_core core)
{
	return cores[core].name;
}

char burn_core_letter(enum ui_core core)
{
	return cores[core].letter;
}

void burn_put_core(struct canvas *c, int x, int y, enum ui_core core)
{
	if (core == UI_CORE_NONE)
		return;
	if (c->charset == CHARSET_ASCII)
		canvas_put(c, x, y, mark_looks[cores[core].mark].style,
			(uint32_t)(unsigned char)cores[core].letter);
	else
		mark_draw(c, x, y, cores[core].mark);
}

/* Draw the rows of the map that fit, each with its number. */
static void draw_map(struct canvas *c, struct rect r, const struct ui_burn_chip *chip)
{
	char row[8];

	for (int y = 0; y < chip->h && y < r.h && r.w > LABEL; y++) {
		snprintf(row, sizeof(row), "%d", chip->rows[y]);
		canvas_number(c, r.x, r.y + y, LABEL - 1, STYLE_DIM, row);
		for (int x = 0; x < chip->w && LABEL + x < r.w; x++)
			burn_put_core(c, r.x + LABEL + x, r.y + y,
				(enum ui_core)chip->map[y * chip->w + x]);
	}
}

/* Draw what the cells of this map mean and how many there are of each; returns the lines used. */
static int draw_legend(struct canvas *c, struct rect r, const struct ui_burn_chip *chip)
{
	size_t n[UI_CORES] = { 0 };
	int y = 0;

	for (int i = 0; i < chip->w * chip->h; i++)
		n[chip->map[i]]++;
	for (int k = UI_CORES - 1; k > UI_CORE_NONE; k--) {
		if (n[k] == 0 || y >= r.h || r.w < 16)
			continue;
		burn_put_core(c, r.x, r.y + y, (enum ui_core)k);
		canvas_printf(c, r.x + 2, r.y + y++, STYLE_DIM, "%zu %s", n[k], cores[k].name);
	}
	return y;
}

static const enum field_id now_fields[] = { FIELD_ASIC_TEMP, FIELD_POWER, FIELD_AICLK,
	FIELD_FAN_RPM, FIELD_THROTTLE };

/* Append the card's present numbers as lines "name|value", or sentences. */
static void put_numbers(struct strbuf *to, const struct model *m, const struct burn_card *card,
	const char *numbers)
{
	char text[NOTICE_SIZE];
	enum style style;

	if (card->chip->note[0])
		strbuf_printf(to, "%s\n", card->chip->note);
	if (card->s && notice_text(m, card->s, true, text, &style))
		strbuf_printf(to, "%s\n", text);
	for (size_t i = 0; card->s && i < ARRAY_LEN(now_fields); i++) {
		const struct column col = { .kind = COLUMN_FIELD, .field = now_fields[i] };

		column_text(&col, card->s, text, sizeof(text));
		if (strcmp(text, "-") != 0)
			strbuf_printf(to, "%s now|%s %s\n", column_title(&col), text,
				column_unit(&col));
	}
	if (numbers)
		strbuf_puts(to, numbers);
}

/* Draw one such line; returns how many lines it takes. */
static int draw_number(struct canvas *c, struct rect r, char *line)
{
	char *value = strchr(line, '|');

	if (!value)
		return canvas_wrap(c, r.x, r.y, r.w, r.h, STYLE_NORMAL, line);
	canvas_printf(c, r.x, r.y, STYLE_DIM, "%.*s", (int)(value - line), line);
	return canvas_wrap(c, r.x + NAME, r.y, r.w - NAME, r.h, STYLE_NORMAL, value + 1);
}

/* Draw as many numbers as fit, from page_top on. */
static void draw_numbers(struct canvas *c, struct rect r, const struct model *m,
	const struct burn_card *card, const char *numbers, struct ui_burn_view *v)
{
	struct strbuf text = { 0 };
	int y = 0, n = 0, lines = 0;

	put_numbers(&text, m, card, numbers);
	for (size_t i = 0; i < text.len; i++)
		lines += text.text[i] == '\n';
	v->page_top = table_scroll(v->page_top, 1, lines, -1, v->page_top);
	for (char *rest = NULL, *line = text.len ? strtok_r(text.text, "\n", &rest) : NULL; line;
		line = strtok_r(NULL, "\n", &rest), n++)
		if (n >= v->page_top && y < r.h)
			y += draw_number(c, (struct rect){ r.x, r.y + y, r.w, r.h - y }, line);
	strbuf_clear(&text);
}

void burn_draw_page(struct canvas *c, struct rect r, const struct model *m,
	const struct burn_card *card, const struct ui_burn *b, struct ui_burn_view *v)
{
	const struct ui_burn_chip *chip = card->chip;
	const int right = r.w - MAP - 2 >= NUMBERS ? r.x + MAP + 2 : r.x;
	const int map = r.h < chip->h + 1 ? r.h : chip->h + 1, bottom = r.y + r.h;
	int y = r.y + map;

	/* The last digits of the columns' numbers. */
	for (int x = 0; x < chip->w && LABEL + x < r.w; x++)
		if (chip->map[x] != UI_CORE_NONE)
			canvas_put(c, r.x + LABEL + x, r.y, STYLE_DIM,
				(uint32_t)('0' + ((int)chip->first + x) % 10));
	draw_map(c, (struct rect){ r.x, r.y + 1, right > r.x ? MAP : r.w, map - 1 }, chip);
	if (right > r.x) {
		if (y < bottom)
			draw_legend(c, (struct rect){ r.x, y, MAP, bottom - y }, chip);
		draw_numbers(c, (struct rect){ right, r.y, r.x + r.w - right, r.h }, m, card,
			b->numbers, v);
		return;
	}
	if (r.w >= MAP + 18)
		draw_legend(c, (struct rect){ r.x + MAP, r.y + 1, r.w - MAP, map - 1 }, chip);
	else if (y < bottom)
		y += draw_legend(c, (struct rect){ r.x, y, r.w, bottom - y }, chip);
	if (y < bottom && r.w >= NAME + 10)
		draw_numbers(c, (struct rect){ r.x, y, r.w, bottom - y }, m, card, b->numbers, v);
}

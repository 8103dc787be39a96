/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn_page.c - one card: the map of its cores, or of its memory channels by
 * byte lanes, a legend, and its numbers.
 */
#include "config.h"
#include "ui/burn_local.h"

#include "base/array.h"
#include "ui/column.h"
#include "ui/mark.h"
#include "ui/notice.h"
#include "ui/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
		canvas_put(c, x, y, marks[cores[core].mark].style,
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

/* "name|value", or a sentence. */
static const char *const number_lines[] = {
	"[MVMUL per cycle|{mvmul_per_cycle:.4}\n]",
	"[{?mvmul_per_cycle}slowest, fastest|{extremes}\n]",
	"[matrix units|{tflops:.1} TFLOP/s[, {tflops_percent:.1} % of {documented_peak_tflops:.1}"
		"]\n]",
	"[{?computes}blocks compared|{blocks}[, {blocks_by_host} again by the host]\n]",
	"[{?words_verified}words compared|{words_verified}\n]",
	"[{?computes}wrong words|{wrong_words}\n]",
	"[{?cores_slow}slow cores|{cores_slow}\n]",
	"[{?rounds}rounds|{rounds}\n]",
	"[memory read|{memory_bytes:.1M} MiB\n]",
	"[{?power}power|{power}\n]",
	"{@memory.channels}[channel {channel}|{words} words, {wrong} wrong\n]",
	"[so far|{seen}\n]",
	"{@memory.findings}[{text}\n]",
	"{@wrong}[core {x}-{y}, {operation}: block {block}, word {index} is {got:8}, not {want:8}"
		"\n]",
};

static const enum field_id now_fields[] = { FIELD_ASIC_TEMP, FIELD_POWER, FIELD_AICLK,
	FIELD_FAN_RPM, FIELD_THROTTLE };

/* Append the card's present numbers as lines of that form. */
static void put_numbers(struct strbuf *to, const struct model *m, const struct burn_card *card,
	const struct figures *figures)
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
	if (figures)
		figures_put_lines(to, figures, number_lines, ARRAY_LEN(number_lines));
}

/* Draw one such line; returns how many lines it takes.  With h 0 nothing is drawn. */
static int draw_number(struct canvas *c, struct rect r, char *line)
{
	char *value = strchr(line, '|');

	if (!value)
		return canvas_wrap(r.h > 0 ? c : NULL, r.x, r.y, r.w, r.h, STYLE_NORMAL, line);
	if (r.h > 0)
		canvas_printf(c, r.x, r.y, STYLE_DIM, "%.*s", (int)(value - line), line);
	return canvas_wrap(r.h > 0 ? c : NULL, r.x + NAME, r.y, r.w - NAME, r.h, STYLE_NORMAL,
		value + 1);
}

/* Draw as many numbers as fit, from page_top on. */
static void draw_numbers(struct canvas *c, struct rect r, const struct model *m,
	const struct burn_card *card, const struct figures *figures, struct ui_burn_view *v)
{
	struct strbuf text = { 0 };
	int y = 0, n = 0, lines = 0;

	put_numbers(&text, m, card, figures);
	for (size_t i = 0; i < text.len; i++)
		lines += text.text[i] == '\n';
	v->lines = lines;
	v->page_room = r.h;
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
			b->figures, v);
		return;
	}
	if (r.w >= MAP + 18)
		draw_legend(c, (struct rect){ r.x + MAP, r.y + 1, r.w - MAP, map - 1 }, chip);
	else if (y < bottom)
		y += draw_legend(c, (struct rect){ r.x, y, r.w, bottom - y }, chip);
	if (y < bottom && r.w >= NAME + 10)
		draw_numbers(c, (struct rect){ r.x, y, r.w, bottom - y }, m, card, b->figures, v);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn_machine.c - the part that shows how the host bears the load.
 */
#include "config.h"
#include "ui/burn_local.h"

#include "ui/bar.h"

#include <stdio.h>
#include <string.h>

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

static bool has_power(const struct sensors *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->s[i].package)
			return true;
	return false;
}

static int rule_lines(const struct ui_burn *b, int w)
{
	return b->unwatched[0] ? canvas_wrap(NULL, 0, 0, w, 0, STYLE_DIM, b->unwatched) : 0;
}

int burn_host_height(const struct ui_burn *b, int w)
{
	int n = 0;

	for (size_t i = 0; b->sensors && i < b->sensors->n; i++)
		n += rank(b->sensors, &b->sensors->s[i]) < 9;
	if (b->sensors)
		n += has_power(b->sensors) + (b->throttled >= 0);
	return n + rule_lines(b, w) + (n == 0 && !b->unwatched[0]);
}

static void draw_power(struct canvas *c, struct rect r, const struct sensors *s)
{
	char text[32] = "-";
	int64_t mw;
	bool known = sensors_power(s, &mw);

	if (known)
		snprintf(text, sizeof(text), "%.1f W", (double)mw / 1000);
	draw_line(c, r, "processor power", known ? STYLE_NORMAL : STYLE_DIM, text, -1);
}

static void draw_throttled(struct canvas *c, struct rect r, int64_t events)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)events);
	draw_line(c, r, events ? "throttled for heat" : "not throttled for heat",
		events ? STYLE_WARN : STYLE_GOOD, text, -1);
}

/* Rules that are not applied are shown even if sensors must make room for them. */
void burn_draw_host(struct canvas *c, struct rect r, const struct ui_burn *b)
{
	const struct sensors *s = b->sensors;
	int y = r.y, end = r.y + r.h, rules = rule_lines(b, r.w);

	rules = rules < r.h / 2 ? rules : r.h / 2;
	for (int at = 0; s && at < 9; at++) {
		for (size_t i = 0; i < s->n && y < end - rules; i++)
			if (rank(s, &s->s[i]) == at)
				draw_sensor(c, (struct rect){ r.x, y++, r.w, 1 }, &s->s[i]);
		if (at == 0 && b->throttled >= 0 && y < end - rules)
			draw_throttled(c, (struct rect){ r.x, y++, r.w, 1 }, b->throttled);
		if (at == 0 && has_power(s) && y < end - rules)
			draw_power(c, (struct rect){ r.x, y++, r.w, 1 }, s);
	}
	if (y == r.y && rules == 0 && r.h > 0)
		canvas_words(c, r.x, y++, r.w, STYLE_DIM, b->sensors_trouble[0] ?
			b->sensors_trouble : s ? "no sensors" : "sensors are being read");
	if (b->unwatched[0] && y < end)
		canvas_wrap(c, r.x, y, r.w, end - y, STYLE_DIM, b->unwatched);
}

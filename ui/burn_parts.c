/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn_parts.c - the parts of the burn's screen that show the load (progress, rate, errors,
 * work, threads), the host, and one card.
 */
#include "config.h"
#include "ui/burn_local.h"

#include "base/clock.h"
#include "base/mem.h"
#include "ui/canvas.h"
#include "ui/column.h"
#include "ui/plot.h"
#include "ui/table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME   9		/* cells for a label such as "Errors" */
#define LABELS 6		/* beside the plot */
#define THREAD 26		/* cells of a thread's line */

/* "00:04:31" */
static char *burn_clock(int64_t ns, char *buf, size_t size)
{
	const int64_t s = ns / CLOCK_SECOND;
	int n = s >= 86400 ? snprintf(buf, size, "%" PRId64 " d ", s / 86400) : 0;

	snprintf(buf + n, size - (size_t)n, "%02d:%02d:%02d", (int)(s % 86400 / 3600),
		(int)(s % 3600 / 60), (int)(s % 60));
	return buf;
}

/* "501.2 GFLOP/s" of MFLOP/s; "-" for 0. */
static char *burn_rate(int64_t mflops, char *buf, size_t size)
{
	if (mflops <= 0)
		snprintf(buf, size, "-");
	else if (mflops < 10000000)
		snprintf(buf, size, "%.1f GFLOP/s", (double)mflops / 1e3);
	else
		snprintf(buf, size, "%.2f TFLOP/s", (double)mflops / 1e6);
	return buf;
}

static char *burn_memory_rate(int64_t mb, char *buf, size_t size)
{
	if (mb <= 0)
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%.2f GB/s", (double)mb / 1e3);
	return buf;
}

/* "12,345,678" */
static char *burn_count(uint64_t n, char *buf, size_t size)
{
	char digits[24], *to = buf;
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);

	for (int i = 0; i < len && (size_t)(to - buf) + 2 < size; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return buf;
}

/* Per mille of the requested time or rounds; -1 if neither has a limit. */
static int progress(const struct ui_burn *b)
{
	double time = b->duration > 0 ? (double)b->elapsed / (double)b->duration : -1;
	double round = b->iterations > 0 ? (double)b->rounds / (double)b->iterations : -1;
	double most = time > round ? time : round;

	return most < 0 ? -1 : most > 1 ? 1000 : (int)(most * 1000);
}

/* Draw text if all of it fits before end; returns the x after it. */
__attribute__((format(printf, 6, 7)))
static int put(struct canvas *c, int x, int y, int end, enum style style, const char *fmt, ...)
{
	char text[96];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return x + glyph_text_width(text) > end ? x : canvas_text(c, x, y, style, text);
}

static void draw_time(struct canvas *c, struct rect r, const struct ui_burn *b)
{
	const int part = progress(b), end = r.x + r.w;
	const uint64_t round = b->iterations == 0 || b->rounds < b->iterations ? b->rounds + 1 :
		b->iterations;
	char now[32], all[32];
	int x;

	canvas_text(c, r.x, r.y, STYLE_DIM, "Time");
	if (b->phase == UI_BURN_MAKING) {
		canvas_words(c, r.x + NAME, r.y, r.w - NAME, STYLE_NORMAL,
			*b->making ? b->making : "cards are being loaded");
		return;
	}
	x = canvas_text(c, r.x + NAME, r.y, STYLE_NORMAL,
		burn_clock(b->elapsed, now, sizeof(now)));
	if (b->duration > 0)
		x = put(c, x, r.y, end, STYLE_NORMAL, " of %s",
			burn_clock(b->duration, all, sizeof(all)));
	burn_count(round, now, sizeof(now));
	if (b->iterations > 0)
		x = put(c, x, r.y, end, STYLE_NORMAL, "   round %s of %s", now,
			burn_count(b->iterations, all, sizeof(all)));
	else if (r.w >= 70)
		x = put(c, x, r.y, end, STYLE_NORMAL, "   round %s", now);
	if (part < 0 || end - x < 18)
		return;
	bar_draw(c, x + 3, r.y, end - x - 9, part / 10, STYLE_PLOT);
	snprintf(now, sizeof(now), "%d %%", part / 10);
	canvas_number(c, end - 5, r.y, 5, STYLE_NORMAL, now);
}

int burn_share(int64_t rate, int64_t most)
{
	return most > 0 && rate <= most ? (int)(rate * 1000 / most) : -1;
}

/* If only memory is tested: its rate, and its share of the rate with one value. */
static void draw_rate(struct canvas *c, struct rect r, const struct ui_burn *b)
{
	const bool memory = b->rate <= 0 && b->memory > 0;
	const char *of = memory ? "one value" : "the peak";
	const int percent = memory ? burn_share(b->memory, b->ceiling) :
		burn_share(b->rate, b->peak);
	const int end = r.x + r.w;
	char rate[32];
	int x = r.x + NAME, next;

	canvas_text(c, r.x, r.y, STYLE_DIM, "Rate");
	if (b->stopped) {
		put(c, x, r.y, end, STYLE_WARN, "the load is stopped");
		return;
	}
	if (memory) {
		x = put(c, x, r.y, end, STYLE_NORMAL, "%s",
			burn_memory_rate(b->memory, rate, sizeof(rate)));
		x = put(c, x, r.y, end, STYLE_NORMAL, " of memory");
	} else {
		x = canvas_text(c, x, r.y, STYLE_NORMAL, burn_rate(b->rate, rate, sizeof(rate)));
	}
	if (memory ? percent <= 0 : percent < 0 || b->rate <= 0) {
		if (memory ? !b->no_peak[0] : b->rate <= 0)
			return;
		/* The share is not known, and why. */
		x = put(c, x, r.y, end, STYLE_NORMAL, "   - %% of %s", of);
		if (b->no_peak[0] && x + 4 < end)
			canvas_words(c, canvas_text(c, x, r.y, STYLE_NORMAL, ": "), r.y,
				end - x - 2, STYLE_NORMAL, b->no_peak);
		return;
	}
	next = put(c, x, r.y, end, STYLE_NORMAL, "   %d.%d %% of %s", percent / 10, percent % 10,
		of);
	if (memory)
		return;
	if (next == x)
		next = put(c, x, r.y, end, STYLE_NORMAL, "  %d.%d %%", percent / 10, percent % 10);
	x = next;
	if (r.w >= 70)
		x = put(c, x, r.y, end, STYLE_DIM, " (%s)", burn_rate(b->peak, rate, sizeof(rate)));
	if (end - x >= 12)
		bar_draw(c, x + 3, r.y, end - x - 3, percent / 10,
			percent >= 900 ? STYLE_GOOD : STYLE_PLOT);
}

static void draw_errors(struct canvas *c, struct rect r, const struct ui_burn *b)
{
	const enum style style = b->errors ? STYLE_BAD : STYLE_NORMAL;
	const int end = r.x + r.w;
	char n[40];
	int x;

	canvas_text(c, r.x, r.y, STYLE_DIM, "Errors");
	/* Zero errors are good only if something was verified. */
	x = canvas_text(c, r.x + NAME, r.y, b->errors ? STYLE_BAD : b->words ? STYLE_GOOD :
		STYLE_DIM, burn_count(b->errors, n, sizeof(n)));
	if (put(c, x, r.y, end, style, "%s in %s words verified", b->errors == 1 ? " word wrong" :
		b->errors ? " words wrong" : " wrong", burn_count(b->words, n, sizeof(n))) == x)
		put(c, x, r.y, end, style, "%s", b->errors ? " wrong" : " wrong words");
}

int burn_head_height(const struct ui_burn *b, int room)
{
	int n = 3 + (int)b->n_first + (b->ending[0] != 0) + (b->others[0] != 0);

	return n < room ? n : room;
}

void burn_draw_head(struct canvas *c, struct rect r, const struct ui_burn *b)
{
	int end = r.y + r.h;

	draw_time(c, (struct rect){ r.x, r.y, r.w, 1 }, b);
	if (r.h > 1)
		draw_errors(c, (struct rect){ r.x, r.y + (r.h > 2 ? 2 : 1), r.w, 1 }, b);
	if (r.h > 2)
		draw_rate(c, (struct rect){ r.x, r.y + 1, r.w, 1 }, b);
	r.y += 3;
	if (b->ending[0] && r.y < end)
		canvas_words(c, r.x, r.y++, r.w, STYLE_WARN, b->ending);
	for (size_t i = 0; i < b->n_first && r.y < end; i++)
		canvas_words(c, r.x, r.y++, r.w, STYLE_BAD, b->first[i]);
	if (b->others[0] && r.y < end)
		canvas_words(c, r.x, r.y++, r.w, b->others_fail ? STYLE_BAD : STYLE_DIM,
			b->others);
}

/* The whole burn from left to right; time that is still to come is empty. */
void burn_draw_plot(struct canvas *c, struct rect r, const struct ui_burn *b)
{
	static struct history_bin bins[2 * 512];
	struct plot p = { .bins = bins, .most = 1000, .has_limit = true, .limit = 1000,
		.at_limit = STYLE_NORMAL, .over_limit = STYLE_NORMAL, .cursor = -1 };
	struct rect area = { r.x + LABELS, r.y, r.w - LABELS, r.h };
	int64_t all = b->duration > b->elapsed ? b->duration : b->elapsed;
	int64_t step;
	char text[16];

	area.w = area.w > 512 ? 512 : area.w;
	if (area.w < 8 || area.h < 2)
		return;
	p.n = (size_t)area.w * 2;
	/* A slice covers at least one bin. */
	if (all < (int64_t)p.n * b->bin)
		all = (int64_t)p.n * b->bin;
	for (size_t i = 0; i < p.n; i++) {
		const int64_t slice = all / (int64_t)p.n, from = slice * (int64_t)i / b->bin;
		const int64_t to = (slice * (int64_t)(i + 1) + b->bin - 1) / b->bin;
		const int64_t end = to < (int64_t)b->n_bins ? to : (int64_t)b->n_bins;

		bins[i] = from < end ? plot_sum(&b->bins[from], (size_t)(end - from)) :
			(struct history_bin){ 0 };
	}
	step = plot_range(&p, 200, area.h);
	for (int64_t v = p.low; v <= p.high; v += step) {
		snprintf(text, sizeof(text), "%d", (int)(v / 10));
		canvas_blank(c, (struct rect){ r.x, r.y + plot_row(&p, v, area.h), LABELS - 2, 1 });
		canvas_number(c, r.x, r.y + plot_row(&p, v, area.h), LABELS - 2, STYLE_DIM, text);
	}
	for (int y = 0; y < area.h; y++)
		canvas_put(c, area.x - 1, area.y + y, STYLE_FRAME, 0x2502);
	plot_draw(c, area, &p);
}

void burn_draw_work(struct canvas *c, struct rect r, const struct ui_burn *b)
{
	char part[16];

	for (size_t i = 0; i < b->n_work && (int)i < r.h && r.w >= 31; i++) {
		const struct ui_burn_work *w = &b->work[i];
		int y = r.y + (int)i;

		canvas_words(c, r.x, y, 16, STYLE_NORMAL, w->name);
		canvas_number(c, r.x + 16, y, 15, STYLE_NORMAL, w->rate);
		if (w->percent >= 0 && r.w >= 40) {
			snprintf(part, sizeof(part), "%d.%d %%", w->percent / 10, w->percent % 10);
			canvas_number(c, r.x + 32, y, 8, STYLE_NORMAL, part);
		}
		if (r.w >= 44 + (int)strlen(w->by))
			canvas_text(c, r.x + 42, y, STYLE_DIM, w->by);
	}
}

static int threads_across(int w)
{
	return w / THREAD > 1 ? w / THREAD : 1;
}

int burn_threads_height(const struct ui_burn *b, int w)
{
	int across = threads_across(w);

	return ((int)b->n_threads + across - 1) / across + (b->share >= 0 && b->share < 95);
}

static void draw_thread(struct canvas *c, int x, int y, const struct ui_burn_thread *t)
{
	char cpu[16] = "", rate[32];
	enum style style = t->errors ? STYLE_BAD : t->stands ? STYLE_WARN : STYLE_NORMAL;

	if (t->cpu >= 0)
		snprintf(cpu, sizeof(cpu), "cpu %d", t->cpu);
	mark_draw(c, x, y, t->errors ? MARK_BAD : t->stands ? MARK_STANDS : MARK_ALIVE);
	canvas_text(c, x + 2, y, STYLE_DIM, cpu);
	canvas_number(c, x + 10, y, 14, style, t->stands ? "stands still" : t->rate > 0 ?
		burn_rate(t->rate, rate, sizeof(rate)) :
		burn_memory_rate(t->memory, rate, sizeof(rate)));
}

/* Draw as many threads as fit; if not all fit, the worst come first. */
void burn_draw_threads(struct canvas *c, struct rect r, const struct ui_burn *b)
{
	const int across = threads_across(r.w), threads = (int)b->n_threads;
	int lines = r.h, room, shown, n = 0;
	char text[64];

	if (r.w < THREAD - 2)
		return;
	if (b->share >= 0 && b->share < 95 && lines > 1) {
		snprintf(text, sizeof(text), "the load has %d %% of its processors", b->share);
		canvas_words(c, r.x, r.y + --lines, r.w, STYLE_WARN, text);
	}
	room = lines * across;
	/* The last place says how many are left out. */
	shown = threads <= room ? threads : room > 1 ? room - 1 : room;
	for (int bad = threads > room; bad >= 0; bad--)
		for (int i = 0; i < threads && n < shown; i++) {
			const struct ui_burn_thread *t = &b->threads[i];

			if (threads > room && (t->errors || t->stands) != bad)
				continue;
			draw_thread(c, r.x + n % across * THREAD, r.y + n / across, t);
			n++;
		}
	if (n < threads && n < room)
		canvas_printf(c, r.x + n % across * THREAD, r.y + n / across, STYLE_DIM,
			"and %d more", threads - n);
}

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
#define NAMES    20	/* of a number's name */
#define NUMBERS 44	/* that numbers need beside the map */

const struct burn_core_look burn_cores[UI_CORES] = {
	[UI_CORE_NONE] = { MARK_NONE, ' ', "none" },
	[UI_CORE_OFF] = { MARK_OFF, '.', "switched off" },
	[UI_CORE_WELL] = { MARK_FULL, '+', "well" },
	[UI_CORE_IDLE] = { MARK_IDLE, '?', "nothing done" },
	[UI_CORE_SLOW] = { MARK_SLOW, '-', "slow" },
	[UI_CORE_STILL] = { MARK_STILL, 'O', "stood still" },
	[UI_CORE_WRONG] = { MARK_BAD, 'X', "wrong" },
};

void burn_put_core(struct canvas *c, int x, int y, enum ui_core core)
{
	if (core == UI_CORE_NONE)
		return;
	if (c->charset == CHARSET_ASCII)
		canvas_put(c, x, y, mark_looks[burn_cores[core].mark].style,
			(uint32_t)(unsigned char)burn_cores[core].letter);
	else
		mark_draw(c, x, y, burn_cores[core].mark);
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
		canvas_printf(c, r.x + 2, r.y + y++, STYLE_DIM, "%zu %s", n[k], burn_cores[k].name);
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
	return canvas_wrap(c, r.x + NAMES, r.y, r.w - NAMES, r.h, STYLE_NORMAL, value + 1);
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
	if (y < bottom && r.w >= NAMES + 10)
		draw_numbers(c, (struct rect){ r.x, y, r.w, bottom - y }, m, card, b->numbers, v);
}

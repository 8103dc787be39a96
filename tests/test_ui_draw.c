/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From one picture to the next: what goes out is read by a small terminal here,
 * which must show the same cells in the same colours after every step.
 */
#include "config.h"
#include "tests/ui_fleet.h"

#include "base/array.h"
#include "base/clock.h"
#include "ui/screen.h"
#include "ui/term_local.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#define W 120
#define H 40

static struct shown {
	uint32_t ch;
	char sgr[40];
} shown[H][W];
static int x, y;
static char sgr[40];

/* One sequence from ESC [ on; returns the byte after it. */
static const char *sequence(const char *at)
{
	char *end;
	long first = strtol(at, &end, 10), second = *end == ';' ? strtol(end + 1, NULL, 10) : 0;
	size_t len = strcspn(at, "JHCm");

	switch (at[len]) {
	case 'J':
		for (int i = 0; i < W * H; i++)
			shown[i / W][i % W] = (struct shown){ ' ', "\033[0m" };
		break;
	case 'H':
		y = (int)first - 1;
		x = (int)second - 1;
		break;
	case 'C':
		x += first ? (int)first : 1;
		break;
	case 'm':
		assert_true(len + 4 < sizeof(sgr));
		memcpy(sgr, at - 2, len + 3);
		sgr[len + 3] = 0;
		break;
	default:
		fail();
	}
	return at + len + 1;
}

static void show(const char *at)
{
	while (*at) {
		uint32_t ch;

		if (at[0] == '\033' && at[1] == '[') {
			at = sequence(at + 2);
			continue;
		}
		ch = glyph_next(&at);
		assert_in_range(y, 0, H - 1);
		assert_in_range(x, 0, W - glyph_width(ch));
		shown[y][x].ch = ch;
		memcpy(shown[y][x].sgr, sgr, sizeof(sgr));
		if (glyph_width(ch) == 2)
			shown[y][x + 1] = (struct shown){ .ch = 0 };
		x += glyph_width(ch);
	}
}

static void compare(const struct canvas *c)
{
	for (int i = 0; i < W * H; i++) {
		const struct cell *cell = &c->cells[i];
		const struct term_look *look = &term.look[cell->lit][cell->style];
		const struct shown *s = &shown[i / W][i % W];

		if (s->ch != cell->ch)
			print_message("# %d,%d shows U+%04x, not U+%04x\n", i % W, i / W,
				(unsigned)s->ch, (unsigned)cell->ch);
		assert_int_equal(s->ch, cell->ch);
		/* A blank may have any style that colours nothing but text. */
		if (cell->ch == ' ' && !look->ground)
			assert_null(strstr(s->sgr, ";48;"));
		else if (cell->ch != 0)
			assert_string_equal(s->sgr, look->sgr);
	}
}

/* Draw it, show it, and return how many bytes that took. */
static size_t draw(const struct canvas *c)
{
	static char bytes[1 << 20];
	ssize_t n;

	assert_int_equal(ftruncate(term.out, 0), 0);
	lseek(term.out, 0, SEEK_SET);
	term_draw(c);
	n = pread(term.out, bytes, sizeof(bytes) - 1, 0);
	assert_true(n >= 0);
	bytes[n] = 0;
	show(bytes);
	compare(c);
	return (size_t)n;
}

static int begin(void **state)
{
	(void)state;
	term.out = memfd_create("terminal", MFD_CLOEXEC);
	term.colors = 256;
	term.right_margin = true;
	term.forget = true;
	term_look_init();
	return term.out < 0;
}

static int end(void **state)
{
	(void)state;
	close(term.out);
	canvas_clear(&term.last);
	strbuf_clear(&term.bytes);
	return 0;
}

/* Texts of all kinds anywhere, some of the last picture's, wide ones among them. */
static void scribble(struct canvas *c)
{
	static const char *const texts[] = { "p150a", "71.5", " ", "  12 ", "●", "漢字", "x" };

	for (int i = rand() % 60; i >= 0; i--) {
		c->lit = rand() % 4 == 0;
		canvas_text(c, rand() % W, rand() % H, (enum style)(rand() % STYLES),
			texts[(size_t)rand() % ARRAY_LEN(texts)]);
	}
}

static void any_picture_after_any_other_arrives(void **state)
{
	struct canvas c = { 0 };

	(void)state;
	srand(7);
	canvas_resize(&c, W, H, CHARSET_UTF8);
	for (int i = 0; i < 500; i++) {
		if (i % 50 == 0)
			canvas_erase(&c);
		scribble(&c);
		term.forget = term.forget || i % 37 == 0;
		draw(&c);
	}
	canvas_clear(&c);
}

static void what_stays_costs_nothing_and_a_digit_little(void **state)
{
	struct canvas c = { 0 };

	(void)state;
	canvas_resize(&c, W, H, CHARSET_UTF8);
	scribble(&c);
	draw(&c);
	assert_int_equal(draw(&c), 0);
	canvas_put(&c, 50, 20, STYLE_HEADING, '7');
	assert_in_range(draw(&c), 1, 32);
	canvas_put(&c, 52, 20, STYLE_HEADING, '8');
	assert_in_range(draw(&c), 1, 8);
	canvas_clear(&c);
}

/* A second later on every tab: the clock's digit, and those of the history's axis. */
static void a_second_without_news_costs_few_bytes(void **state)
{
	struct canvas c = { 0 };
	struct ui_fleet f;
	struct view v;

	(void)state;
	ui_fleet_make(&f, 4);
	view_init(&v);
	for (int tab = 0; tab < UI_TABS; tab++) {
		v.tab = (enum ui_tab)tab;
		for (int second = 0; second < 5; second++) {
			size_t cost;

			f.model.real += CLOCK_SECOND;
			canvas_resize(&c, W, H, CHARSET_UTF8);
			screen_draw(&c, &f.model, &v);
			cost = draw(&c);
			if (second > 0 && cost > 80)
				print_message("# tab %d: %zu bytes\n", tab + 1, cost);
			assert_true(second == 0 || (cost > 0 && cost <= 80));
		}
	}
	canvas_clear(&c);
	ui_fleet_free(&f);
}

/* A minute of readings that do not change: the line grows, and moves once in a jump. */
static void the_history_moves_in_jumps_and_sends_little_between_them(void **state)
{
	struct canvas c = { 0 };
	struct ui_fleet f;
	struct view v;
	int moved = 0;

	(void)state;
	ui_fleet_make(&f, 1);
	view_init(&v);
	v.tab = UI_TAB_HISTORY;
	v.zoom = 1;
	for (int i = 0; i < 121; i++) {
		size_t cost;

		f.model.now += CLOCK_SECOND / 2;
		f.model.real += CLOCK_SECOND / 2;
		f.fleet.time = f.model.now;
		history_push(f.history, &f.fleet);
		canvas_resize(&c, W, H, CHARSET_UTF8);
		screen_draw(&c, &f.model, &v);
		cost = draw(&c);
		moved += cost > 250;
	}
	/* The first picture, and 16 jumps in a minute. */
	assert_in_range(moved, 10, 18);
	canvas_clear(&c);
	ui_fleet_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(any_picture_after_any_other_arrives, begin, end),
		cmocka_unit_test_setup_teardown(what_stays_costs_nothing_and_a_digit_little, begin,
			end),
		cmocka_unit_test_setup_teardown(a_second_without_news_costs_few_bytes, begin, end),
		cmocka_unit_test_setup_teardown(
			the_history_moves_in_jumps_and_sends_little_between_them, begin, end),
	};

	setlocale(LC_CTYPE, "");
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must be seen at which size, whatever else a screen has to leave out. */
#include "config.h"
#include "tests/rig/ui_fleet.h"

#include "base/mem.h"
#include "ui/screen.h"
#include "ui/tab.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static struct canvas canvas;

static void draw(const struct ui_fleet *f, struct view *v, int w, int h, enum charset set)
{
	canvas_resize(&canvas, w, h, set);
	screen_draw(&canvas, &f->model, v);
}

static void columns_without_room_are_counted_or_named_in_the_frame(void **state)
{
	struct strbuf text = { 0 };
	struct ui_fleet f;
	struct view v;

	(void)state;
	ui_fleet_make(&f, 32);
	view_init(&v, tabs);
	v.tab = UI_TAB_TELEMETRY;
	draw(&f, &v, 80, 24, CHARSET_UTF8);
	canvas_to_text(&canvas, &text);
	assert_int_equal(count(text.text, " columns (Enter"), 1);
	strbuf_clear(&text);
	draw(&f, &v, 100, 24, CHARSET_UTF8);
	canvas_to_text(&canvas, &text);
	assert_int_equal(count(text.text, "no room for VREG, GDDR, Beat"), 1);
	/* What no board here has is not missed. */
	assert_int_equal(count(text.text, "PCIe tx"), 0);
	strbuf_clear(&text);
	draw(&f, &v, 300, 24, CHARSET_UTF8);
	canvas_to_text(&canvas, &text);
	assert_int_equal(count(text.text, "no room for"), 0);
	strbuf_clear(&text);
	ui_fleet_free(&f);
}

/* The guide's Table 3 and more: every column once, the names and the selection in each band. */
static void four_boards_show_every_column_at_120x40(void **state)
{
	struct strbuf text = { 0 };
	struct ui_fleet f;
	struct view v;

	(void)state;
	ui_fleet_make(&f, 4);
	view_init(&v, tabs);
	v.selected = 1;
	for (int tab = UI_TAB_DEVICES; tab <= UI_TAB_TELEMETRY; tab++) {
		size_t bands, lit = 0;

		v.tab = (enum ui_tab)tab;
		draw(&f, &v, 120, 40, CHARSET_UTF8);
		canvas_to_text(&canvas, &text);
		bands = count(text.text, " # Board ");
		assert_true(bands > 1);
		/* And once more in the overview, where there is one. */
		assert_int_equal(count(text.text, " n300 R "), bands +
			count(text.text, "Last 5 min"));
		for (int y = 0; y < canvas.h; y++)
			lit += canvas_at(&canvas, 40, y)->lit;
		assert_int_equal(lit, bands);
		assert_int_equal(count(text.text, "no room"), 0);
		for (size_t i = 2; i < tabs[tab]->n_columns; i++) {
			const struct column *col = &tabs[tab]->columns[i];
			size_t seen = 0;

			for (int x = 0; x < canvas.w * canvas.h; x++)
				seen += canvas.cells[x].hit == UI_HIT_COLUMN + i &&
					canvas.cells[x].style == STYLE_HEADING &&
					(x == 0 || canvas.cells[x - 1].hit != UI_HIT_COLUMN + i);
			if (column_is_like(col, NULL, &f.fleet))
				assert_int_equal(seen, 0);
			else
				assert_int_equal(seen, col->rank == 0 && !col->joined ? bands : 1);
		}
		strbuf_clear(&text);
	}
	ui_fleet_free(&f);
}

static void a_reason_wraps_where_there_is_height_and_keeps_its_age_where_not(void **state)
{
	struct strbuf text = { 0 };
	struct ui_fleet f;
	struct view v;

	(void)state;
	ui_fleet_make(&f, 32);
	mem_copy_text(f.chips[3].reason, sizeof(f.chips[3].reason),
		"chip does not answer (registers read all ones, as do those of the other half)");
	view_init(&v, tabs);
	draw(&f, &v, 80, 60, CHARSET_UTF8);
	canvas_to_text(&canvas, &text);
	assert_int_equal(count(text.text, "for 41 s, values 42 s old: chip does"), 1);
	assert_int_equal(count(text.text, "-> tt-smi -wr 3"), 1);
	strbuf_clear(&text);
	v.selected = 3;
	draw(&f, &v, 60, 24, CHARSET_UTF8);
	canvas_to_text(&canvas, &text);
	assert_int_equal(count(text.text, "for 41 s, values 42 s old: chip does"), 1);
	assert_int_equal(count(text.text, "-> tt-smi -wr 3"), 0);
	strbuf_clear(&text);
	ui_fleet_free(&f);
}

/* However narrow the screen, the last thing that is cut of a dump is the end of its path. */
static void a_running_dump_shows_its_time_and_the_end_of_its_path(void **state)
{
	struct ui_fleet f;
	struct view v;

	(void)state;
	ui_fleet_make(&f, 1);
	view_init(&v, tabs);
	f.dump = (struct ui_dump){ .on = true, .rows = 384, .since = f.model.now - 192000000000,
		.path = "./tt-smi-logs/tt-smi-dump_2026-11-21_14-26-06" };
	for (int w = 40; w <= 200; w++) {
		struct strbuf text = { 0 };

		draw(&f, &v, w, 24, CHARSET_UTF8);
		canvas_to_text(&canvas, &text);
		assert_int_equal(count(text.text, "● dump 00:03:12  "), 1);
		assert_int_equal(count(text.text, "_14-26-06"), 1);
		assert_int_equal(count(text.text, "./tt-smi-logs/"), w >= 64);
		assert_int_equal(count(text.text, "06  384 rows"), w >= 74);
		assert_true(w < 81 || count(text.text, " q quit") == 1);
		strbuf_clear(&text);
	}
	ui_fleet_free(&f);
}

/* At 40x10 a failed card is one on every tab with chips, with and without UTF-8. */
static void a_failed_card_is_seen_on_the_smallest_screen(void **state)
{
	static const char *const marks[][2] = {
		{ " FAILED   64", " FAILED   64" }, { " ✗ ", " x " }, { " ✗ ", " x " },
	};
	struct ui_fleet f;
	struct view v;

	(void)state;
	ui_fleet_make(&f, 32);
	view_init(&v, tabs);
	v.selected = 3;
	for (int tab = UI_TAB_DEVICES; tab <= UI_TAB_FIRMWARE; tab++)
		for (int ascii = 0; ascii < 2; ascii++) {
			struct strbuf text = { 0 };

			v.tab = (enum ui_tab)tab;
			draw(&f, &v, 40, 10, ascii ? CHARSET_ASCII : CHARSET_UTF8);
			canvas_to_text(&canvas, &text);
			assert_true(count(text.text, marks[tab][ascii]) >= 1);
			assert_int_equal(count(text.text, "2 FAILED"), 1);
			strbuf_clear(&text);
		}
	ui_fleet_free(&f);
}

/* Every word of the first line is one that it may have, and what must not go away is there. */
static void check_first_line(const char *line, int w, bool stand_in, bool sick)
{
	static const char *const words[] = {
		"tt-smi", "1.0.0", "simulated", "boards", "2", "FAILED", "1", "to", "check", "of",
		"33", "2✗", "2!", "Tenstorrent", "System", "Management", "Interface", "Sat",
		"2026-11-21", "09:12:44",
	};
	char copy[1024], *rest;

	mem_copy_text(copy, sizeof(copy), line);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		bool whole = false;

		for (size_t i = 0; i < ARRAY_LEN(words); i++)
			whole = whole || strcmp(word, words[i]) == 0;
		if (!whole)
			print_message("# at %d: '%s' in: %s\n", w, word, line);
		assert_true(whole);
	}
	assert_int_equal(count(line, "simulated"), stand_in);
	assert_int_equal(count(line, "2 FAILED") + count(line, "2✗"), sick);
	assert_int_equal(count(line, "2 to check") + count(line, "2!"), sick);
	assert_int_equal(count(line, "Interface"), count(line, "Tenstorrent System Management "));
	/* The title goes first, then the date, then the time. */
	assert_true(count(line, "Interface") <= count(line, "2026-11-21"));
	assert_true(count(line, "2026-11-21") <= count(line, "09:12:44"));
	assert_true(count(line, "09:12:44") <= count(line, "1.0.0"));
}

/* On a machine's own cards as on simulated ones. */
static void the_first_line_has_whole_words_at_every_width(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct strbuf text = { 0 };
		struct ui_fleet f;

		ui_fleet_make(&f, i % 2 ? 32 : 4);
		f.fleet.origin = i / 2 ? &origin_sim : &origin_machine;
		for (int w = 20; w <= 200; w++) {
			struct view v;

			view_init(&v, tabs);
			draw(&f, &v, w, 24, CHARSET_UTF8);
			canvas_to_text(&canvas, &text);
			*strchr(text.text, '\n') = 0;
			check_first_line(text.text, w, i / 2, i % 2);
			strbuf_clear(&text);
			/* Without it the frame says the same. */
			v.compact = true;
			draw(&f, &v, w, 24, CHARSET_UTF8);
			canvas_to_text(&canvas, &text);
			assert_int_equal(count(text.text, "simulated"), i / 2);
			assert_true(i % 2 == 0 || strstr(text.text, "2 FAILED") ||
				strstr(text.text, "2✗"));
			strbuf_clear(&text);
		}
		ui_fleet_free(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_without_room_are_counted_or_named_in_the_frame),
		cmocka_unit_test(four_boards_show_every_column_at_120x40),
		cmocka_unit_test(a_reason_wraps_where_there_is_height_and_keeps_its_age_where_not),
		cmocka_unit_test(a_running_dump_shows_its_time_and_the_end_of_its_path),
		cmocka_unit_test(a_failed_card_is_seen_on_the_smallest_screen),
		cmocka_unit_test(the_first_line_has_whole_words_at_every_width),
	};
	int failed;

	setlocale(LC_CTYPE, "");
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	canvas_clear(&canvas);
	return failed;
}

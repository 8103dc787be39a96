/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The screens: each tab, size and fleet against the golden that was
 * reviewed (UPDATE_GOLDEN=1 rewrites them; the diff is the review),
 * and every size from 1x1 on for text over text and numbers cut in two.
 */
#include "config.h"
#include "tests/rig/golden.h"
#include "tests/rig/ui_fleet.h"

#include "base/clock.h"
#include "base/mem.h"
#include "ui/screen.h"
#include "ui/tab.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct canvas canvas;

static void draw(const struct ui_fleet *f, struct view *v, int w, int h, enum charset set)
{
	canvas_resize(&canvas, w, h, set);
	screen_draw(&canvas, &f->model, v);
}

static void add_canvas(struct strbuf *to, bool styles)
{
	assert_int_equal(canvas.overlaps, 0);
	assert_int_equal(canvas.cuts, 0);
	if (styles)
		ui_fleet_put_styles(&canvas, to);
	else
		canvas_to_text(&canvas, to);
}

/* A picture in words, then the style of each cell. */
static void add_picture(struct strbuf *to, const struct ui_fleet *f, struct view *v, int w, int h)
{
	draw(f, v, w, h, CHARSET_UTF8);
	add_canvas(to, false);
	strbuf_puts(to, "-- styles\n");
	add_canvas(to, true);
}

static const int sizes[][2] = { { 80, 24 }, { 120, 40 }, { 200, 60 }, { 40, 10 } };
static const size_t fleets[] = { 1, 2, 32 };

/* What w and v change on each tab; elsewhere the screens must be the same. */
static const bool changes[UI_TABS][2] = {
	[UI_TAB_TELEMETRY] = { true, true },
	[UI_TAB_HISTORY] = { true, false },
};

/* One tab, size and fleet with limits and averages on and off: one file. */
static void compare_variants(const struct ui_fleet *f, int tab, const int size[2], size_t boards)
{
	struct strbuf text = { 0 }, drawn[4] = { { 0 } };
	char name[64];

	for (int i = 0; i < 4; i++) {
		bool no_limits = i & 1, averages = i & 2;
		int like = (no_limits && changes[tab][0]) + (averages && changes[tab][1]) * 2;
		struct view v;

		view_init(&v, tabs);
		v.tab = (enum ui_tab)tab;
		v.limits = !no_limits;
		v.averages = averages;
		add_picture(&drawn[i], f, &v, size[0], size[1]);
		if (like != i) {
			assert_string_equal(drawn[i].text, drawn[like].text);
			continue;
		}
		strbuf_printf(&text, "== limits %s, averages %s\n%s", no_limits ? "off" : "on",
			averages ? "on" : "off", drawn[i].text);
	}
	snprintf(name, sizeof(name), "ui/tab%d-%dx%d-%zu.txt", tab + 1, size[0], size[1], boards);
	golden_compare(name, &text);
	for (int i = 0; i < 4; i++)
		strbuf_clear(&drawn[i]);
	strbuf_clear(&text);
}

static void every_tab_looks_as_it_did_at_every_size(void **state)
{
	(void)state;
	for (size_t b = 0; b < ARRAY_LEN(fleets); b++) {
		struct ui_fleet f;

		ui_fleet_make(&f, fleets[b]);
		for (int tab = 0; tab < UI_TABS; tab++)
			for (size_t s = 0; s < ARRAY_LEN(sizes); s++)
				compare_variants(&f, tab, sizes[s], fleets[b]);
		ui_fleet_free(&f);
	}
}

/* Boards that need no label, none of them or three sick, on these tabs in one file each. */
static void compare_racks(const char *file, enum ui_tab first, enum ui_tab last, int64_t interval)
{
	static const size_t boards[] = { 4, 32, 128 };

	for (size_t i = 0; i < ARRAY_LEN(boards) * 2 * 3; i++) {
		const int *size = sizes[i % 3];
		size_t n = boards[i / 6], sick = i / 3 % 2 * 3;
		struct strbuf text = { 0 };
		struct ui_fleet f;
		char name[64];

		ui_fleet_make_rack(&f, n, sick);
		f.fleet.origin = &origin_machine;
		f.model.interval = interval;
		for (int tab = (int)first; tab <= (int)last; tab++) {
			struct view v;

			view_init(&v, tabs);
			v.tab = (enum ui_tab)tab;
			strbuf_printf(&text, "== tab %d\n", tab + 1);
			add_picture(&text, &f, &v, size[0], size[1]);
		}
		snprintf(name, sizeof(name), "ui/%s%zu-%dx%d-%zu-sick.txt", file, n, size[0],
			size[1], sick);
		golden_compare(name, &text);
		strbuf_clear(&text);
		ui_fleet_free(&f);
	}
}

static void many_boards_look_as_they_did(void **state)
{
	(void)state;
	compare_racks("rack", UI_TAB_DEVICES, UI_TAB_FIRMWARE, CLOCK_SECOND / 2);
}

static void pages_of_many_boards_look_as_they_did(void **state)
{
	(void)state;
	/* As often as the rack's history was read. */
	compare_racks("pages", UI_TAB_PROCESSES, UI_TAB_LINKS, 5 * CLOCK_SECOND);
}

static void panels_and_folds_look_as_they_did(void **state)
{
	struct strbuf text = { 0 };
	struct ui_fleet f;
	struct view v;

	(void)state;
	ui_fleet_make(&f, 32);
	ui_log_add(&f.log, "libfoo: first\nlibfoo: second\n", 29);
	view_init(&v, tabs);
	v.selected = 2;
	for (int panel = UI_PANEL_HELP; panel <= UI_PANEL_CHIP; panel++) {
		v.panel = (enum ui_panel)panel;
		draw(&f, &v, 120, 40, CHARSET_UTF8);
		strbuf_printf(&text, "== panel %d\n", panel);
		add_canvas(&text, false);
	}
	v.panel = UI_PANEL_NONE;
	v.tab = UI_TAB_TELEMETRY;
	for (int group = UI_GROUP_BOARD; group < UI_GROUPS; group++) {
		v.group = (enum ui_group)group;
		draw(&f, &v, 120, 24, CHARSET_UTF8);
		strbuf_printf(&text, "== folded %d\n", group);
		add_canvas(&text, false);
	}
	golden_compare("ui/panels.txt", &text);
	strbuf_clear(&text);
	ui_fleet_free(&f);
}

static void degrees_in_ascii_leave_no_gap(void **state)
{
	static const struct {
		const char *text, *shown;
		int w;
	} cases[] = {
		{ "at 94.1 °C, limit 90 °C", "at 94.1 C, limit 90 C", 40 },
		{ "°C", " C", 40 },
		{ "at 94.1 °C, limit 90 °C: check", "at 94.1 C, lim>", 15 },
	};
	struct strbuf text = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		canvas_resize(&canvas, 40, 1, CHARSET_ASCII);
		canvas_words(&canvas, 0, 0, cases[i].w, STYLE_NORMAL, cases[i].text);
		text.len = 0;
		canvas_to_text(&canvas, &text);
		text.text[strcspn(text.text, "\n")] = '\0';
		assert_string_equal(text.text, cases[i].shown);
	}
	strbuf_clear(&text);
}

static void plain_terminals_look_as_they_did(void **state)
{
	struct strbuf text = { 0 };

	(void)state;
	for (int tab = UI_TAB_TELEMETRY; tab <= UI_TAB_HISTORY; tab += 3)
		for (size_t b = 0; b < ARRAY_LEN(fleets); b++) {
			struct ui_fleet f;
			struct view v;

			ui_fleet_make(&f, fleets[b]);
			view_init(&v, tabs);
			v.tab = (enum ui_tab)tab;
			draw(&f, &v, 120, 40, CHARSET_ASCII);
			strbuf_printf(&text, "== tab %d, %zu boards\n", tab + 1, fleets[b]);
			add_canvas(&text, false);
			for (size_t i = 0; i < (size_t)canvas.w * (size_t)canvas.h; i++)
				assert_true(canvas.cells[i].ch < 0x80);
			ui_fleet_free(&f);
		}
	golden_compare("ui/ascii-120x40.txt", &text);
	strbuf_clear(&text);
}

static void check(const struct ui_fleet *f, struct view *v, int w, int h, const char *what)
{
	draw(f, v, w, h, CHARSET_UTF8);
	if (canvas.overlaps || canvas.cuts)
		print_message("# %s at %dx%d, tab %d: %u overlaps, %u cuts\n", what, w, h,
			(int)v->tab + 1, canvas.overlaps, canvas.cuts);
	assert_int_equal(canvas.overlaps, 0);
	assert_int_equal(canvas.cuts, 0);
	assert_true(v->top[v->tab] >= 0);
}

static void no_size_makes_texts_overlap_or_numbers_cut(void **state)
{
	static const size_t boards[] = { 0, 1, 4, 12, 127 };

	(void)state;
	for (size_t b = 0; b < ARRAY_LEN(boards); b++) {
		struct ui_fleet f;

		ui_fleet_make(&f, boards[b]);
		f.dump = (struct ui_dump){ .on = true, .rows = 384,
			.path = "tt-smi-logs/some-dump" };
		for (int w = 1; w <= 300; w += w < 130 ? 3 : 17)
			for (int h = 1; h <= 100; h += h < 30 ? 2 : 23) {
				struct view v;

				view_init(&v, tabs);
				v.averages = (w + h) % 2;
				v.sidebar_set = v.sidebar = w % 2;
				v.compact = h % 4 == 1;
				v.selected = f.fleet.n > 0 ? (w + h) % (int)f.fleet.n : 0;
				for (int tab = 0; tab < UI_TABS; tab++) {
					v.tab = (enum ui_tab)tab;
					check(&f, &v, w, h, "tab");
				}
				v.panel = w % 2 ? UI_PANEL_CHIP : UI_PANEL_HELP;
				check(&f, &v, w, h, "panel");
			}
		ui_fleet_free(&f);
	}
}

/* A value as the cells show it must be one that the table can write. */
static void a_selected_chip_is_always_in_sight(void **state)
{
	struct ui_fleet f;
	struct view v;

	(void)state;
	ui_fleet_make(&f, 64);
	view_init(&v, tabs);
	for (int h = 1; h <= 40; h++)
		for (int chip = 0; chip < (int)f.fleet.n; chip++) {
			bool seen = false;

			v.selected = chip;
			check(&f, &v, 100, h, "selection");
			for (size_t i = 0; i < (size_t)canvas.w * (size_t)canvas.h; i++)
				seen = seen || canvas.cells[i].lit;
			assert_true(seen);
		}
	ui_fleet_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_tab_looks_as_it_did_at_every_size),
		cmocka_unit_test(many_boards_look_as_they_did),
		cmocka_unit_test(pages_of_many_boards_look_as_they_did),
		cmocka_unit_test(panels_and_folds_look_as_they_did),
		cmocka_unit_test(degrees_in_ascii_leave_no_gap),
		cmocka_unit_test(plain_terminals_look_as_they_did),
		cmocka_unit_test(no_size_makes_texts_overlap_or_numbers_cut),
		cmocka_unit_test(a_selected_chip_is_always_in_sight),
	};
	int failed;

	setlocale(LC_CTYPE, "");
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	canvas_clear(&canvas);
	return failed;
}

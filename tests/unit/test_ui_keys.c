/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each key and click does to the view, and what it asks of the loop. */
#include "config.h"
#include "tests/rig/ui_fleet.h"

#include "base/clock.h"
#include "base/mem.h"
#include "ui/screen.h"
#include "ui/tab.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct ui_fleet fleet;
static struct view view;

static int begin(void **state)
{
	(void)state;
	ui_fleet_make(&fleet, 32);
	view_init(&view, tabs);
	return 0;
}

static int end(void **state)
{
	(void)state;
	ui_fleet_free(&fleet);
	return 0;
}

static enum ui_request press(uint32_t key)
{
	return view_key(&view, key, &fleet.model);
}

static void type(const char *text)
{
	while (*text)
		assert_int_equal(press((uint32_t)*text++), UI_NONE);
}

/* One picture, so that the view knows how long a page is. */
static void look_at(int h)
{
	struct canvas c = { 0 };

	canvas_resize(&c, 100, h, CHARSET_UTF8);
	screen_draw(&c, &fleet.model, &view);
	canvas_clear(&c);
}

static void look(void)
{
	look_at(24);
}

static void digits_and_tab_open_tabs(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < UI_TABS; i++) {
		assert_int_equal(press('1' + i), UI_NONE);
		assert_int_equal(view.tab, i);
	}
	press(UI_KEY_TAB);
	assert_int_equal(view.tab, UI_TAB_DEVICES);
	press(UI_KEY_BACKTAB);
	assert_int_equal(view.tab, UI_TABS - 1);
	press('0' + UI_TABS + 1);
	assert_int_equal(view.tab, UI_TABS - 1);
}

static void keys_ask_for_what_the_loop_does(void **state)
{
	static const struct {
		uint32_t key;
		enum ui_request request;
	} keys[] = {
		{ 'q', UI_QUIT }, { 's', UI_SNAPSHOT }, { 'd', UI_DUMP }, { 'p', UI_PAUSE },
		{ 'V', UI_RESTART_STATS }, { 'R', UI_REMOTE },
	 { UI_KEY_REDRAW, UI_REDRAW }, { 'x', UI_RESET_ASK }, { 'z', UI_NONE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		assert_int_equal(press(keys[i].key), keys[i].request);
	assert_true(view.paused);
	press('p');
	assert_false(view.paused);
}

/* Only y is yes; the question is gone after any key or click. */
static void a_question_takes_one_key_for_its_answer(void **state)
{
	static const uint32_t others[] = { 'n', 'q', 'd', UI_KEY_ENTER, UI_KEY_ESC, UI_KEY_DOWN,
		UI_KEY_WHEEL_UP, UI_KEY_WHEEL_DOWN };
	static const unsigned hits[] = { UI_HIT_TAB + UI_TAB_TELEMETRY, UI_HIT_CHIP,
		UI_HIT_COLUMN + 1, UI_HIT_PLOT + 3, UI_HIT_KEY + 'q', UI_HIT_KEY + 'y',
		UI_HIT_NOTHING };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		view_ask(&view, "reset?");
		assert_int_equal(press(others[i]), UI_NONE);
		assert_false(view.asking);
		assert_string_equal(view.message, "nothing was reset");
	}
	for (size_t i = 0; i < ARRAY_LEN(hits); i++) {
		view_ask(&view, "reset?");
		assert_int_equal(view_click(&view, hits[i], &fleet.model), UI_NONE);
		assert_false(view.asking);
		assert_string_equal(view.message, "nothing was reset");
	}
	view_ask(&view, "reset?");
	assert_int_equal(press(UI_KEY_RESIZE), UI_NONE);
	assert_true(view.asking);
	assert_int_equal(press('y'), UI_RESET);
	assert_int_equal(press('y'), UI_NONE);
	press('2');
	assert_int_equal(press('x'), UI_NONE);
}

static void w_v_t_c_g_r_switch_and_switch_back(void **state)
{
	static const enum ui_group groups[] = { UI_GROUP_BOARD, UI_GROUP_TYPE, UI_GROUP_AUTO,
		UI_GROUP_NONE, UI_GROUP_BOARD, UI_GROUP_AUTO };

	(void)state;
	assert_true(view.limits);
	press('w');
	assert_false(view.limits);
	press('w');
	assert_true(view.limits);
	press('v');
	assert_true(view.averages);
	press('v');
	assert_false(view.averages);
	press('c');
	assert_true(view.compact);
	press('c');
	assert_false(view.compact);
	/* Where nothing is folded by itself, g does not open it; what is, is folded by type. */
	for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
		view.tight = view.crowded = i >= 3;
		press('g');
		assert_int_equal(view.group, groups[i]);
	}
	view.tight = view.crowded = false;
	press('r');
	assert_true(view.order[0].descending);
}

static void t_turns_round_what_is_seen_now(void **state)
{
	(void)state;
	look();		/* 100 columns: no sidebar of its own */
	press('t');
	look();
	assert_true(view.sidebar_now);
	press('t');
	look();
	assert_false(view.sidebar_now);
}

static void arrows_move_the_selection_along_the_lines(void **state)
{
	(void)state;
	look_at(60);
	assert_int_equal(view.selected, 0);
	press(UI_KEY_UP);
	assert_int_equal(view.selected, 0);
	press(UI_KEY_DOWN);
	assert_int_equal(view.selected, 32);	/* the n300's second chip stands below the first */
	press(UI_KEY_DOWN);
	assert_int_equal(view.selected, 1);
	press(UI_KEY_END);
	assert_int_equal(view.selected, 31);
	press(UI_KEY_DOWN);
	assert_int_equal(view.selected, 31);
	press(UI_KEY_HOME);
	assert_int_equal(view.selected, 0);
	view.page = 12;
	press(UI_KEY_PAGE_DOWN);
	assert_int_equal(view.selected, view.page - 2);
	press(UI_KEY_PAGE_UP);
	assert_int_equal(view.selected, 0);
}

static void a_filter_is_typed_and_escape_lifts_it(void **state)
{
	(void)state;
	press('/');
	type("n30q");
	assert_true(view.typing);
	press(UI_KEY_BACKSPACE);
	press('0');
	assert_string_equal(view.filter, "n300");
	press(UI_KEY_ENTER);
	assert_false(view.typing);
	press(UI_KEY_END);
	assert_int_equal(view.selected, 32);
	press(UI_KEY_ESC);
	assert_string_equal(view.filter, "");
}

static void a_filter_takes_other_scripts_and_does_not_overflow(void **state)
{
	(void)state;
	press('/');
	press(0xe9);
	assert_string_equal(view.filter, "é");
	press(UI_KEY_BACKSPACE);
	assert_string_equal(view.filter, "");
	for (int i = 0; i < 500; i++)
		press(0x1f600);
	assert_true(strlen(view.filter) < sizeof(view.filter));
	press(UI_KEY_UP);
	press(21);
	assert_string_equal(view.filter, "");
}

static void sort_keys_walk_the_columns_and_come_round(void **state)
{
	int n = (int)tabs[UI_TAB_TELEMETRY]->n_columns;

	(void)state;
	press('2');
	for (int i = 0; i < n; i++) {
		press('>');
		assert_ptr_equal(view.order[0].by, &tabs[UI_TAB_TELEMETRY]->columns[i]);
		look();
	}
	press('>');
	assert_null(view.order[0].by);
	press('<');
	assert_ptr_equal(view.order[0].by, &tabs[UI_TAB_TELEMETRY]->columns[n - 1]);
}

static void sorting_by_power_puts_the_highest_last_and_r_first(void **state)
{
	(void)state;
	press('2');
	for (size_t i = 0; i < tabs[UI_TAB_TELEMETRY]->n_columns; i++)
		if (tabs[UI_TAB_TELEMETRY]->columns[i].field == FIELD_POWER)
			view.order[0].by = &tabs[UI_TAB_TELEMETRY]->columns[i];
	press('r');
	press(UI_KEY_END);
	press(UI_KEY_HOME);
	/* Chip 8 could not be read, so it stands first when everything is turned round. */
	assert_int_equal(view.selected, 8);
	press(UI_KEY_DOWN);
	assert_int_equal(view.selected, 31);
}

static void enter_opens_a_chip_arrows_change_it_escape_closes(void **state)
{
	(void)state;
	press(UI_KEY_ENTER);
	assert_int_equal(view.panel, UI_PANEL_CHIP);
	look();
	press(UI_KEY_RIGHT);
	assert_int_equal(view.selected, 32);
	press(UI_KEY_DOWN);
	assert_int_equal(view.panel_top, 1);
	press(UI_KEY_END);
	assert_int_equal(view.panel_top, view.lines - view.page);
	press(UI_KEY_HOME);
	assert_int_equal(view.panel_top, 0);
	press(UI_KEY_ESC);
	assert_int_equal(view.panel, UI_PANEL_NONE);
}

static void help_and_messages_open_and_close_by_their_keys(void **state)
{
	(void)state;
	press('h');
	assert_int_equal(view.panel, UI_PANEL_HELP);
	press('l');
	assert_int_equal(view.panel, UI_PANEL_LOG);
	press('l');
	assert_int_equal(view.panel, UI_PANEL_NONE);
	press('?');
	press('2');
	assert_int_equal(view.panel, UI_PANEL_NONE);
	assert_int_equal(view.tab, UI_TAB_TELEMETRY);
}

static void history_keys_zoom_scroll_and_move_the_cursor(void **state)
{
	size_t zoom = view.zoom;

	(void)state;
	press('5');
	look();
	press('-');
	assert_int_equal(view.zoom, zoom + 1);
	press('+');
	assert_int_equal(view.zoom, zoom);
	for (size_t i = 0; i < 2 * tab_spans_len; i++)
		press('-');
	assert_int_equal(view.zoom, tab_spans_len - 1);
	view.zoom = zoom;
	press(UI_KEY_LEFT);
	assert_int_equal(view.back, tab_spans[zoom].ns / 8);
	press(UI_KEY_RIGHT);
	press(UI_KEY_RIGHT);
	assert_int_equal(view.back, 0);
	press(UI_KEY_HOME);
	assert_true(view.back >= 119 * CLOCK_SECOND && view.back <= 120 * CLOCK_SECOND);
	press(UI_KEY_END);
	assert_int_equal(view.back, 0);
	press('[');
	press('[');
	assert_int_equal(view.cursor, 1);
	press(']');
	assert_int_equal(view.cursor, 0);
	press(UI_KEY_ESC);
	assert_int_equal(view.cursor, -1);
	press('m');
	assert_int_equal(view.metric, 1);
	press('M');
	assert_int_equal(view.metric, 0);
	press('a');
	assert_true(view.across);
}

static void q_closes_a_page_and_then_quits(void **state)
{
	static const uint32_t pages[] = { 'h', UI_KEY_ENTER, 'l' };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pages); i++) {
		press(pages[i]);
		assert_int_not_equal(view.panel, UI_PANEL_NONE);
		assert_int_equal(press('q'), UI_NONE);
		assert_int_equal(view.panel, UI_PANEL_NONE);
		press(pages[i]);
		assert_int_equal(press(3), UI_QUIT);
		press('q');
	}
	assert_int_equal(press('q'), UI_QUIT);
}

static void clicks_select_sort_open_and_press_keys(void **state)
{
	(void)state;
	look();
	view_click(&view, UI_HIT_TAB + UI_TAB_TELEMETRY, &fleet.model);
	assert_int_equal(view.tab, UI_TAB_TELEMETRY);
	view_click(&view, UI_HIT_CHIP + 7, &fleet.model);
	assert_int_equal(view.selected, 7);
	view_click(&view, UI_HIT_CHIP + 7, &fleet.model);
	assert_int_equal(view.panel, UI_PANEL_CHIP);
	press(UI_KEY_ESC);
	view_click(&view, UI_HIT_COLUMN + 4, &fleet.model);
	assert_ptr_equal(view.order[0].by, &tabs[UI_TAB_TELEMETRY]->columns[4]);
	view_click(&view, UI_HIT_COLUMN + 4, &fleet.model);
	assert_true(view.order[0].descending);
	assert_int_equal(view_click(&view, UI_HIT_KEY + 'q', &fleet.model), UI_QUIT);
}

static void no_key_is_too_much_without_any_device(void **state)
{
	(void)state;
	ui_fleet_free(&fleet);
	ui_fleet_make(&fleet, 0);
	for (uint32_t key = 1; key < 0x80; key++) {
		press(key);
		look();
	}
	for (uint32_t key = UI_KEY_UP; key <= UI_KEY_RESIZE; key++) {
		press(key);
		look();
	}
	assert_int_equal(fleet.fleet.n, 0);
}

static void a_log_keeps_the_last_lines_whole(void **state)
{
	struct ui_log log = { 0 };

	(void)state;
	ui_log_add(&log, "on", 2);
	ui_log_add(&log, "e\ntwo\npart", 10);
	assert_int_equal(log.n, 2);
	assert_string_equal(ui_log_line(&log, 0), "one");
	assert_string_equal(ui_log_line(&log, 1), "two");
	for (int i = 0; i < 1000; i++)
		ui_log_add(&log, "x\n", 2);
	assert_int_equal(log.total, 1002);
	assert_string_equal(ui_log_line(&log, 0), "x");
	assert_string_equal(ui_log_line(&log, log.n - 1), "x");
}

#define KEY_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		KEY_TEST(digits_and_tab_open_tabs),
		KEY_TEST(keys_ask_for_what_the_loop_does),
		KEY_TEST(a_question_takes_one_key_for_its_answer),
		KEY_TEST(w_v_t_c_g_r_switch_and_switch_back),
		KEY_TEST(t_turns_round_what_is_seen_now),
		KEY_TEST(arrows_move_the_selection_along_the_lines),
		KEY_TEST(a_filter_is_typed_and_escape_lifts_it),
		KEY_TEST(a_filter_takes_other_scripts_and_does_not_overflow),
		KEY_TEST(sort_keys_walk_the_columns_and_come_round),
		KEY_TEST(sorting_by_power_puts_the_highest_last_and_r_first),
		KEY_TEST(enter_opens_a_chip_arrows_change_it_escape_closes),
		KEY_TEST(help_and_messages_open_and_close_by_their_keys),
		KEY_TEST(history_keys_zoom_scroll_and_move_the_cursor),
		KEY_TEST(q_closes_a_page_and_then_quits),
		KEY_TEST(clicks_select_sort_open_and_press_keys),
		KEY_TEST(no_key_is_too_much_without_any_device),
		KEY_TEST(a_log_keeps_the_last_lines_whole),
	};

	setlocale(LC_CTYPE, "");
	return cmocka_run_group_tests(tests, NULL, NULL);
}

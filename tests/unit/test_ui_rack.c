/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many boards: what is wrong is on the first picture, at every size and on every tab; what is
 * well is folded, and can be reached; what is the same is said once.
 */
#include "config.h"
#include "tests/rig/ui_fleet.h"

#include "base/clock.h"
#include "base/mem.h"
#include "ui/tab.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct canvas canvas;
static struct ui_fleet fleet;
static struct view view;
static struct strbuf text;

static void make(size_t boards, size_t sick)
{
	ui_fleet_free(&fleet);
	ui_fleet_make_rack(&fleet, boards, sick);
	view_init(&view, tabs);
}

static const char *draw(int w, int h)
{
	return ui_fleet_draw(&fleet, &view, &canvas, w, h, &text);
}

static void press(uint32_t key)
{
	view_key(&view, key, &fleet.model);
}

static void type(const char *keys)
{
	while (*keys)
		press((uint32_t)*keys++);
}

/* Whether a cell that stands for this chip has this style. */
static bool shows(int chip, enum style style)
{
	for (int i = 0; i < canvas.w * canvas.h; i++)
		if (canvas.cells[i].hit == UI_HIT_CHIP + chip && canvas.cells[i].style == style)
			return true;
	return false;
}

static int line_of(int chip)
{
	for (int i = 0; i < canvas.w * canvas.h; i++)
		if (canvas.cells[i].hit == UI_HIT_CHIP + chip)
			return i / canvas.w;
	return -1;
}

static void the_worst_board_is_on_the_first_picture_of_every_tab_at_every_size(void **state)
{
	static const size_t boards[] = { 4, 32, 128 };

	(void)state;
	for (size_t b = 0; b < ARRAY_LEN(boards); b++) {
		make(boards[b], 3);
		for (int w = 20; w <= 200; w += w < 120 ? 10 : 40)
			for (int h = 5; h <= 60; h += h < 12 ? 1 : 12)
				for (int tab = 0; tab < UI_TABS; tab++) {
					view_init(&view, tabs);
					view.tab = (enum ui_tab)tab;
					draw(w, h);
					if (!shows((int)boards[b] - 2, STYLE_BAD))
						print_message("# %zu boards, tab %d, %d x %d:\n%s",
							boards[b], tab + 1, w, h, text.text);
					assert_true(shows((int)boards[b] - 2, STYLE_BAD));
				}
	}
}

static void make_sick(struct snapshot *s, int kind)
{
	s->health = kind == 0 ? SNAPSHOT_FAILED : kind == 1 ? SNAPSHOT_GONE : kind == 2 ?
		SNAPSHOT_WARN : SNAPSHOT_OK;
	s->beat = kind == 3 ? SNAPSHOT_BEAT_STOPPED : s->beat;
	s->n_findings = kind == 2;
	snprintf(s->findings[0].text, sizeof(s->findings[0].text), "an ethernet link is down");
}

static void one_sick_board_is_seen_wherever_it_is_and_whatever_it_has(void **state)
{
	static const int sizes[][2] = { { 20, 5 }, { 40, 10 }, { 80, 24 }, { 200, 60 } };
	static const int places[] = { 0, 64, 127 };

	(void)state;
	make(128, 0);
	for (size_t i = 0; i < ARRAY_LEN(sizes) * ARRAY_LEN(places) * 4; i++) {
		const int *size = sizes[i % ARRAY_LEN(sizes)];
		int chip = places[i / ARRAY_LEN(sizes) % ARRAY_LEN(places)];
		int kind = (int)(i / (ARRAY_LEN(sizes) * ARRAY_LEN(places)));
		const struct snapshot well = fleet.chips[chip];

		make_sick(&fleet.chips[chip], kind);
		for (int tab = 0; tab < UI_TABS; tab++) {
			view_init(&view, tabs);
			view.tab = (enum ui_tab)tab;
			draw(size[0], size[1]);
			if (!shows(chip, STYLE_BAD) && !shows(chip, STYLE_WARN))
				print_message("# %d of kind %d, tab %d, %d x %d:\n%s", chip, kind,
					tab + 1, size[0], size[1], text.text);
			assert_true(shows(chip, STYLE_BAD) || shows(chip, STYLE_WARN));
		}
		fleet.chips[chip] = well;
	}
}

/* From 80 x 24 on that is so of all three, with their reasons. */
static void all_that_are_sick_stand_first_with_their_reasons(void **state)
{
	static const int sizes[][2] = { { 80, 24 }, { 120, 40 }, { 200, 60 } };

	(void)state;
	for (size_t s = 0; s < ARRAY_LEN(sizes); s++)
		for (int tab = UI_TAB_DEVICES; tab <= UI_TAB_FIRMWARE; tab++) {
			make(128, 3);
			view.tab = (enum ui_tab)tab;
			draw(sizes[s][0], sizes[s][1]);
			assert_int_equal(count(text.text, "1 FAILED  2 to check"), 1);
			assert_int_equal(count(text.text, "chip does not answer"), 1);
			assert_int_equal(count(text.text, "throttles at 90"), 1);
			assert_int_equal(count(text.text, "memory channel 2"), 1);
			assert_true(strstr(text.text, "chip does not answer") <
				strstr(text.text, "throttles at 90"));
			assert_int_equal(count(text.text, "125 well"), 1);
			assert_true(count(text.text, "125 × p150a") >= 1);
		}
}

static void a_fold_has_least_and_most_and_a_strip_for_each(void **state)
{
	(void)state;
	make(32, 3);
	for (int i = 0; i < 29; i++)
		fleet.chips[i].r[FIELD_ASIC_TEMP].value = 41300 + i * 900;
	view.tab = UI_TAB_TELEMETRY;
	draw(80, 24);
	assert_int_equal(count(text.text, "29 × p150a"), 1);
	assert_int_equal(count(text.text, " 41.3 "), 1);
	assert_int_equal(count(text.text, " 66.5 "), 1);
	for (int i = 0; i < 29; i++)
		assert_true(shows(i, STYLE_PLOT));
	/* One that has no power is seen among those that have. */
	assert_true(count(text.text, "▁") > 5 && count(text.text, "▇") + count(text.text, "▆") > 5);
}

static void the_cursor_reaches_every_board(void **state)
{
	static const size_t boards[] = { 4, 32, 128 };

	(void)state;
	for (size_t b = 0; b < ARRAY_LEN(boards); b++)
		for (int tab = UI_TAB_DEVICES; tab <= UI_TAB_FIRMWARE; tab++) {
			bool seen[128] = { false };

			make(boards[b], 3);
			view.tab = (enum ui_tab)tab;
			for (size_t i = 0; i < 2 * boards[b]; i++) {
				draw(80, 24);
				seen[view.selected] = true;
				assert_true(shows(view.selected, STYLE_KEY));
				press(UI_KEY_DOWN);
			}
			for (size_t i = 0; i < boards[b]; i++)
				assert_true(seen[i]);
		}
}

static void g_enter_and_escape_open_and_close_the_fold(void **state)
{
	(void)state;
	make(32, 3);
	assert_int_equal(count(draw(80, 24), "g: all rows"), 1);
	assert_int_equal(count(text.text, "g all rows"), 1);
	press('g');
	assert_int_equal(count(draw(80, 24), " × p150a"), 0);
	/* The sick still come first. */
	assert_int_equal(count(text.text, "chip does not answer"), 1);
	press(UI_KEY_ESC);
	assert_int_equal(count(draw(80, 24), "29 × p150a"), 1);
	make(32, 0);
	assert_true(count(draw(80, 24), "32 × p150a") >= 1);
	press(UI_KEY_ENTER);
	assert_int_equal(view.panel, UI_PANEL_NONE);
	assert_int_equal(count(draw(80, 24), " × p150a"), 0);
	press(UI_KEY_ENTER);
	assert_int_equal(view.panel, UI_PANEL_CHIP);
}

static void a_reset_is_asked_of_a_card_that_is_seen(void **state)
{
	(void)state;
	make(32, 0);
	assert_true(count(draw(80, 24), "32 × p150a") >= 1);
	assert_int_equal(view_key(&view, 'x', &fleet.model), UI_NONE);
	assert_int_equal(count(draw(80, 24), " × p150a"), 0);
	assert_int_equal(view_key(&view, 'x', &fleet.model), UI_RESET_ASK);
}

static void whatever_shares_a_line_the_sick_stand_first(void **state)
{
	(void)state;
	make(32, 3);
	for (int i = 0; i < UI_GROUPS; i++) {
		view.group = (enum ui_group)i;
		draw(80, 24);
		assert_int_equal(count(text.text, "chip does not answer"), 1);
		assert_int_equal(count(text.text, "throttles at 90"), 1);
		assert_int_equal(count(text.text, "memory channel 2"), 1);
	}
}

/* A pair of chips on each board, as n300s have them. */
static void pair_chips(void)
{
	for (size_t i = 1; i < fleet.fleet.n; i += 2)
		fleet.chips[i].local = (int)i - 1;
}

/* What g does next is named, it is done, and round it goes; one step back is Esc. */
static void the_footer_says_what_g_does_next(void **state)
{
	static const struct {
		size_t boards;
		bool paired;
		const char *names[4];	/* what the footer says before each g */
	} cases[] = {
		{ 32, false, { "g all rows", "Esc fold" } },
		{ 32, true, { "g all rows", "g by board", "Esc ungroup" } },
		{ 4, true, { "g by board", "g by type", "Esc ungroup" } },
		{ 4, false, { "g by type", "Esc ungroup" } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		make(cases[i].boards, 0);
		if (cases[i].paired)
			pair_chips();
		for (size_t k = 0; k < 4 && cases[i].names[k]; k++) {
			draw(120, 24);
			assert_int_equal(count(text.text, cases[i].names[k]), 1);
			press('g');
		}
		assert_int_equal(view.group, UI_GROUP_AUTO);
	}
	/* One board is never grouped, and other tabs have no lines to group. */
	make(1, 0);
	assert_int_equal(count(draw(200, 24), "g by") + count(text.text, "ungroup"), 0);
	make(32, 0);
	for (int tab = UI_TAB_PROCESSES; tab <= UI_TAB_HISTORY; tab++) {
		view.tab = (enum ui_tab)tab;
		assert_int_equal(count(draw(200, 24), "g all rows"), 0);
	}
}

static void two_chips_that_agree_leave_no_empty_line(void **state)
{
	int last;

	(void)state;
	make(4, 0);
	pair_chips();
	fleet.chips[1] = fleet.chips[0];
	fleet.chips[1].index = 1;
	fleet.chips[1].local = 0;
	view.tab = UI_TAB_TELEMETRY;
	draw(80, 16);
	press('g');
	draw(80, 16);
	assert_int_equal(view.group, UI_GROUP_BOARD);
	assert_int_equal(count(text.text, "2 × p150a"), 2 * (size_t)(1 + (line_of(0) == -1)));
	last = line_of(0);
	for (int i = 0; i < canvas.w * canvas.h; i++)
		if (canvas.cells[i].hit == UI_HIT_CHIP && i / canvas.w < line_of(2))
			last = i / canvas.w;
	assert_int_equal(last, line_of(0));
}

/* The chips of 32 are on trays as bus numbers put them: not in the order of their indexes. */
static void make_galaxy(void)
{
	static const int trays[] = { 3, 4, 2, 1 };

	make(32, 0);
	for (int i = 0; i < 32; i++) {
		struct snapshot *s = &fleet.chips[i];

		s->tray = trays[i / 8];
		s->place = 8 - i % 8;
		s->r[FIELD_BOARD_ID].value = 0x1234;
		mem_copy_text(s->board, sizeof(s->board), "tt-galaxy-wh");
	}
}

static void a_galaxy_stands_by_tray_and_position(void **state)
{
	struct rows rows;

	(void)state;
	make_galaxy();
	rows_build(&rows, &fleet.model, &view, 0);
	assert_int_equal(rows.shown, 32);
	assert_int_equal(rows.boards, 1);
	for (int i = 0; i < 32; i++) {
		assert_int_equal(fleet.chips[rows.chips[i]].tray, 1 + i / 8);
		assert_int_equal(fleet.chips[rows.chips[i]].place, 1 + i % 8);
	}
	/* Folded, too. */
	draw(80, 24);
	assert_true(line_of(31) < line_of(23) && line_of(23) < line_of(7) &&
		line_of(7) < line_of(15));
}

static void a_board_with_a_lost_chip_is_one_board(void **state)
{
	(void)state;
	make_galaxy();
	fleet.chips[9].health = SNAPSHOT_FAILED;
	fleet.chips[9].r[FIELD_BOARD_ID] = (struct reading){ .state = READING_ABSENT };
	assert_int_equal(count(draw(200, 60), " 1 board, 32 chips"), 1);
	assert_int_equal(count(text.text, "1 FAILED  of 32"), 1);
	make(4, 0);
	pair_chips();
	fleet.chips[1].health = SNAPSHOT_GONE;
	fleet.chips[1].r[FIELD_BOARD_ID] = (struct reading){ .state = READING_ABSENT };
	assert_int_equal(count(draw(200, 60), " 2 boards, 4 chips"), 1);
}

/* The style of the cell at which a word of the frame below the tab begins. */
static enum style frame_style(const char *word)
{
	size_t len = strlen(word);

	for (int y = canvas.h - 1; y > 1; y--)
		for (int x = 0; x + (int)len < canvas.w; x++) {
			size_t i = 0;

			while (i < len && canvas_at(&canvas, x + (int)i, y)->ch ==
				(unsigned char)word[i])
				i++;
			if (i == len)
				return (enum style)canvas_at(&canvas, x, y)->style;
		}
	return STYLES;
}

/* What is out of sight is counted as it is above: never a failed one as one to check. */
static void the_frame_counts_failed_boards_as_failed(void **state)
{
	static const char *const words[] = { "1 FAILED", "1✗", "2 to check", "2!", "1 to check",
		"1!" };

	(void)state;
	make(32, 3);
	for (int tab = UI_TAB_DEVICES; tab <= UI_TAB_FIRMWARE; tab++)
		for (int w = 20; w <= 200; w += 10)
			for (int h = 5; h <= 24; h++) {
				size_t said = 0, failed;

				view_init(&view, tabs);
				view.tab = (enum ui_tab)tab;
				/* The last of a sorted table: all that are sick are below. */
				view.selected = 0;
				view.chosen = -1;
				view.order[0].by = &tabs[UI_TAB_DEVICES]->columns[0];
				draw(w, h);
				for (size_t i = 0; i < ARRAY_LEN(words); i++)
					said += count(text.text, words[i]);
				assert_true(said > 0);
				failed = count(text.text, "3 to check") + count(text.text, "3!");
				assert_int_equal(failed, 0);
				if (count(text.text, "1 FAILED, 2 to check below")) {
					assert_int_equal(frame_style("1 FAILED, "), STYLE_BAD);
					assert_int_equal(frame_style("2 to check below"),
						STYLE_WARN);
				} else {
					assert_true(w < 50 || h < 8);
				}
			}
}

static void a_click_on_a_fold_opens_it_as_enter_does(void **state)
{
	(void)state;
	make(32, 0);
	draw(80, 24);
	view_click(&view, UI_HIT_CHIP, &fleet.model);
	assert_int_equal(view.panel, UI_PANEL_NONE);
	assert_int_equal(count(draw(80, 24), " × p150a"), 0);
	view_click(&view, UI_HIT_CHIP, &fleet.model);
	assert_int_equal(view.panel, UI_PANEL_CHIP);
}

/* With least, mean and most of each chip nothing is folded, so nothing is to be opened. */
static void with_averages_keys_move_among_all_boards(void **state)
{
	(void)state;
	make(32, 0);
	view.tab = UI_TAB_TELEMETRY;
	press('v');
	assert_int_equal(count(draw(80, 24), "g all rows"), 0);
	view_click(&view, UI_HIT_CHIP + 10, &fleet.model);
	press(UI_KEY_DOWN);
	assert_int_equal(view.selected, 11);
	press(UI_KEY_ENTER);
	assert_int_equal(view.panel, UI_PANEL_CHIP);
	press(UI_KEY_ESC);
	press('v');
	assert_true(count(draw(80, 24), "32 × p150a") >= 1);
}

/* In a band of columns in which no board differs there is nothing to go to. */
static void to_stands_only_where_there_is_a_most(void **state)
{
	size_t folds, tos = 0;

	(void)state;
	make(32, 0);
	folds = count(draw(80, 24), "32 × p150a");
	assert_true(folds >= 2);
	for (const char *at = text.text; (at = strstr(at, " to ")) != NULL; at += 4, tos++)
		assert_non_null(strchr("0123456789", at[4 + strspn(at + 4, " ")]));
	assert_in_range(tos, 1, folds - 1);
}

static void a_value_that_is_not_read_any_more_is_the_last_and_not_that_of_now(void **state)
{
	(void)state;
	make(4, 0);
	view.tab = UI_TAB_HISTORY;
	assert_int_equal(count(draw(80, 24), "Core Temp °C  now "), 1);
	fleet.chips[0].r[FIELD_ASIC_TEMP].state = READING_STALE;
	assert_int_equal(count(draw(80, 24), "Core Temp °C  last "), 1);
}

static void a_name_that_is_cut_says_so(void **state)
{
	(void)state;
	make(4, 0);
	view.tab = UI_TAB_MEMORY;
	snprintf(fleet.chips[0].series, sizeof(fleet.chips[0].series), "tt-galaxy-wh L");
	assert_int_equal(count(draw(80, 24), "  0 tt-galaxy-… "), 1);
}

static void what_holds_a_board_is_named_on_narrow_terminals(void **state)
{
	(void)state;
	ui_fleet_free(&fleet);
	ui_fleet_make(&fleet, 4);
	view_init(&view, tabs);
	view.tab = UI_TAB_PROCESSES;
	for (int w = 40; w <= 120; w++)
		assert_int_equal(count(draw(w, 24), "vllm serve"), 1);
}

static void trays_of_two_kinds_of_galaxy_are_not_one(void **state)
{
	(void)state;
	make(32, 0);
	for (int i = 0; i < 32; i++) {
		fleet.chips[i].tray = 1 + i / 8 % 2;
		snprintf(fleet.chips[i].board, sizeof(fleet.chips[i].board), "galaxy-%c",
			i < 16 ? 'a' : 'b');
	}
	draw(80, 24);
	assert_int_equal(count(text.text, "16 × "), 0);
	/* A fold is called by its tray: on most tabs there is no column of trays. */
	assert_true(count(text.text, "8 × UBB1") >= 2);
	assert_true(count(text.text, "8 × UBB2") >= 2);
}

static void a_filter_that_leaves_few_opens_the_fold_and_one_that_leaves_many_counts(void **state)
{
	(void)state;
	make(32, 3);
	draw(80, 24);
	type("/0000:0\n");
	draw(80, 24);
	assert_int_equal(count(draw(80, 24), " × p150a"), 0);
	assert_int_equal(count(text.text, "filter \"0000:0\": 15 of 32"), 1);
	press(UI_KEY_ESC);
	type("/p150\n");
	draw(80, 24);
	assert_int_equal(count(draw(80, 24), "29 × p150a"), 1);
	assert_int_equal(count(text.text, "32 of 32, g: all rows"), 1);
}

static void where_all_rows_fit_nothing_is_moved(void **state)
{
	(void)state;
	make(8, 3);
	draw(80, 24);
	assert_int_equal(view.selected, 0);
	assert_false(view.tight);
	assert_true(line_of(0) < line_of(6));
	assert_int_equal(count(text.text, " well "), 0);
}

static void a_sort_follows_to_every_tab(void **state)
{
	(void)state;
	make(8, 0);
	fleet.chips[5].r[FIELD_POWER].value = 1000;
	view.tab = UI_TAB_TELEMETRY;
	for (int i = 0; i < 6; i++)
		press('>');
	assert_int_equal(view.order[0].by->field, FIELD_POWER);
	for (int tab = UI_TAB_DEVICES; tab <= UI_TAB_FIRMWARE; tab++) {
		view.tab = (enum ui_tab)tab;
		draw(80, 24);
		assert_true(line_of(5) < line_of(0));
		assert_int_equal(count(text.text, "▲"), tab != UI_TAB_FIRMWARE);
	}
	/* And can be turned round there, although this tab has no column of that name. */
	press('r');
	draw(80, 24);
	assert_true(line_of(5) > line_of(7));
}

static void second_chips_that_nobody_asked_for_are_one_remark(void **state)
{
	(void)state;
	ui_fleet_free(&fleet);
	ui_fleet_make(&fleet, 4);
	view_init(&view, tabs);
	fleet.chips[4].health = SNAPSHOT_NOT_READ;
	mem_copy_text(fleet.chips[4].reason, sizeof(fleet.chips[4].reason), "not read: this "
		"needs --remote, or -s or -ls");
	assert_int_equal(count(draw(80, 24), "1 second chip not read: R"), 1);
	assert_int_equal(count(text.text, "n300 R"), 0);
	assert_int_equal(count(text.text, "R second chips (1)"), 1);
	/* Who has asked for it sees why not. */
	fleet.model.remote = true;
	assert_int_equal(count(draw(80, 24), "second chip"), 0);
	assert_true(count(text.text, "n300 R") > 0);
	assert_int_equal(count(text.text, "not read: this needs --remote"), 1);
}

static void clocks_that_are_the_same_are_one_column(void **state)
{
	(void)state;
	make(4, 0);
	view.tab = UI_TAB_TELEMETRY;
	for (int i = 0; i < 4 * 4; i++)
		fleet.chips[i / 4].r[FIELD_L2CPUCLK0 + i % 4] = fleet.chips[i / 4].r[FIELD_AICLK];
	assert_int_equal(count(draw(200, 60), " L2CPU "), 1);
	assert_int_equal(count(text.text, "L2CPU0"), 0);
	fleet.chips[2].r[FIELD_L2CPUCLK3].value = 7;
	assert_int_equal(count(draw(200, 60), "L2CPU0"), 1);
	assert_int_equal(count(text.text, "L2CPU3"), 1);
}

static void a_limit_that_is_the_same_stands_in_the_heading_and_is_loud_from_90_on(
	void **state)
{
	(void)state;
	make(4, 0);
	view.tab = UI_TAB_TELEMETRY;
	assert_int_equal(count(draw(80, 24), " /150"), 1);
	assert_int_equal(count(text.text, " max "), 0);
	for (int near = 0; near < 2; near++) {
		size_t quiet = 0, loud = 0;

		fleet.chips[1].r[FIELD_POWER].value = near ? 135000 : 134000;
		draw(80, 24);
		for (int i = 0; i < canvas.w * canvas.h; i++) {
			quiet += canvas.cells[i].style == STYLE_LIMIT;
			loud += canvas.cells[i].style == STYLE_LIMIT_NEAR;
		}
		assert_true(quiet > 5);
		assert_int_equal(loud > 0, near);
		assert_int_equal(shows(1, STYLE_WARM), near);
	}
	/* A limit of its own stands beside each value. */
	fleet.chips[3].r[FIELD_POWER_LIMIT].value = 120 * (int64_t)fields[FIELD_POWER_LIMIT].scale;
	assert_int_equal(count(draw(80, 24), " /150"), 0);
	assert_int_equal(count(text.text, " max "), 1);
}

static enum style style_at(enum field_id id, int percent)
{
	return column_level_style(field_level(FIELD_USE_SHOWN, id, percent, 100));
}

static void temperatures_warm_up_by_level(void **state)
{
	static const struct {
		int load;
		enum style style;
	} levels[] = { { 89, STYLE_NORMAL }, { 90, STYLE_WARM }, { 95, STYLE_WARN },
		{ 100, STYLE_BAD } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(levels); i++)
		assert_int_equal(style_at(FIELD_ASIC_TEMP, levels[i].load), levels[i].style);
	assert_int_equal(style_at(FIELD_AICLK, 100), STYLE_NORMAL);
	assert_int_equal(style_at(FIELD_VCORE, 96), STYLE_NORMAL);
	assert_int_equal(style_at(FIELD_POWER, 101), STYLE_WARN);
}

static void a_board_that_is_being_reset_says_so_in_its_state(void **state)
{
	struct ui_act acts[32] = { 0 };

	(void)state;
	make(32, 3);
	acts[30] = (struct ui_act){ .what = "rebind", .by = "ASIC_RESET",
		.began = fleet.model.now - 2 * CLOCK_SECOND, .limit = 12 * CLOCK_SECOND };
	fleet.model.acts = acts;
	fleet.model.n_acts = ARRAY_LEN(acts);
	draw(80, 24);
	assert_int_equal(count(text.text, " 30 p150a  rebind "), 1);
	assert_int_equal(count(text.text, "is being reset: rebind for 2 s of 12 s"), 1);
	assert_int_equal(count(text.text, "1 FAILED"), 0);
	assert_int_equal(count(text.text, " 3 to check  of 32"), 1);
}

static void the_footer_names_keys_while_they_mean_something(void **state)
{
	(void)state;
	make(32, 3);
	draw(80, 24);
	assert_int_equal(count(text.text, "! next trouble (3)  Enter all of it  x reset"), 1);
	view.tab = UI_TAB_TELEMETRY;
	assert_int_equal(count(draw(80, 24), "x reset"), 0);
	/* On a page q leads back, and Enter opens nothing. */
	press('h');
	draw(80, 24);
	assert_int_equal(count(text.text, "q quit") + count(text.text, "all of it"), 0);
	assert_int_equal(count(text.text, " q back  t sidebar  s snapshot"), 1);
	press('h');
	/* Of one board's page it shows the next one's. */
	press(UI_KEY_ENTER);
	assert_int_equal(count(draw(80, 24), "! next trouble (3)  q back  h help"), 1);
	make(32, 0);
	draw(80, 24);
	assert_int_equal(count(text.text, "next trouble") + count(text.text, "x reset"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_worst_board_is_on_the_first_picture_of_every_tab_at_every_size),
		cmocka_unit_test(one_sick_board_is_seen_wherever_it_is_and_whatever_it_has),
		cmocka_unit_test(all_that_are_sick_stand_first_with_their_reasons),
		cmocka_unit_test(a_fold_has_least_and_most_and_a_strip_for_each),
		cmocka_unit_test(the_cursor_reaches_every_board),
		cmocka_unit_test(g_enter_and_escape_open_and_close_the_fold),
		cmocka_unit_test(a_reset_is_asked_of_a_card_that_is_seen),
		cmocka_unit_test(whatever_shares_a_line_the_sick_stand_first),
		cmocka_unit_test(the_footer_says_what_g_does_next),
		cmocka_unit_test(two_chips_that_agree_leave_no_empty_line),
		cmocka_unit_test(a_galaxy_stands_by_tray_and_position),
		cmocka_unit_test(a_board_with_a_lost_chip_is_one_board),
		cmocka_unit_test(the_frame_counts_failed_boards_as_failed),
		cmocka_unit_test(a_click_on_a_fold_opens_it_as_enter_does),
		cmocka_unit_test(with_averages_keys_move_among_all_boards),
		cmocka_unit_test(to_stands_only_where_there_is_a_most),
		cmocka_unit_test(
			a_value_that_is_not_read_any_more_is_the_last_and_not_that_of_now),
		cmocka_unit_test(a_name_that_is_cut_says_so),
		cmocka_unit_test(what_holds_a_board_is_named_on_narrow_terminals),
		cmocka_unit_test(trays_of_two_kinds_of_galaxy_are_not_one),
		cmocka_unit_test(
			a_filter_that_leaves_few_opens_the_fold_and_one_that_leaves_many_counts),
		cmocka_unit_test(where_all_rows_fit_nothing_is_moved),
		cmocka_unit_test(a_sort_follows_to_every_tab),
		cmocka_unit_test(second_chips_that_nobody_asked_for_are_one_remark),
		cmocka_unit_test(clocks_that_are_the_same_are_one_column),
		cmocka_unit_test(
			a_limit_that_is_the_same_stands_in_the_heading_and_is_loud_from_90_on),
		cmocka_unit_test(temperatures_warm_up_by_level),
		cmocka_unit_test(a_board_that_is_being_reset_says_so_in_its_state),
		cmocka_unit_test(the_footer_names_keys_while_they_mean_something),
	};
	int failed;

	setlocale(LC_CTYPE, "");
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	ui_fleet_end(&fleet, &canvas, &text);
	return failed;
}

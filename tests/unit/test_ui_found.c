/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a person searches for is found: by the filter, by !, in the frame, in the
 * overview, on the memory tab, in the manual; and no sentence is cut.
 */
#include "config.h"
#include "tests/rig/ui_fleet.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "ui/plot.h"
#include "ui/screen.h"
#include "ui/tab.h"

#include <errno.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct canvas canvas;
static struct ui_fleet fleet;
static struct view view;
static struct strbuf text;

static void make(size_t boards)
{
	ui_fleet_free(&fleet);
	ui_fleet_make(&fleet, boards);
	view_init(&view, tabs);
}

static const char *draw(int w, int h)
{
	return ui_fleet_draw(&fleet, &view, &canvas, w, h, &text);
}

static void type(const char *keys)
{
	while (*keys)
		view_key(&view, (uint32_t)*keys++, &fleet.model);
}

/* The screen without what breaks its lines: for sentences that go on in the next one. */
static char *words(const char *screen)
{
	static char out[1 << 16];
	size_t n = 0;

	for (; *screen && n + 2 < sizeof(out); screen++) {
		bool blank = *screen == ' ' || *screen == '\n';

		if (strncmp(screen, "│", 3) == 0) {
			screen += 2;
			blank = true;
		}
		if (!blank)
			out[n++] = *screen;
		else if (n > 0 && out[n - 1] != ' ')
			out[n++] = ' ';
	}
	out[n] = 0;
	return out;
}

static void the_filter_finds_what_is_on_the_screen(void **state)
{
	static const struct {
		char tab;
		const char *word, *found;
	} cases[] = {
		{ '1', "warn", ": 1 of 33" }, { '1', "DOWNGRADED", "1 of 33" },
		{ '1', "trained", "33 of 33" }, { '1', "Gen5", "31 of 33" },
		{ '1', "0000:05", "1 of 33" }, { '1', "-wr 9", "1 of 33" },
		{ '1', "did not answer", "1 of 33" }, { '1', "gone", "1 of 33" },
		{ '2', "thermal", "1 of 33" }, { '2', "91.2", "1 of 33" },
		{ '3', "19.7", "1 of 33" }, { '6', "8 of 8", "31 of 33" },
		{ '1', "no such thing", "0 of 33" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		make(32);
		mem_copy_text(fleet.chips[9].note, sizeof(fleet.chips[9].note), "");
		type((char[]){ cases[i].tab, '/', 0 });
		type(cases[i].word);
		if (count(draw(120, 40), cases[i].found) != 1)
			print_message("# '%s' on tab %c\n", cases[i].word, cases[i].tab);
		assert_int_equal(count(text.text, cases[i].found), 1);
	}
}

static void what_holds_a_link_is_no_downgrade(void **state)
{
	struct snapshot_link *l;

	(void)state;
	make(32);
	l = &fleet.chips[3].link;
	l->width = l->width_best = l->width_slot = 8;
	l->limit = SNAPSHOT_LIMIT_SLOT;
	assert_int_equal(count(words(draw(120, 60)), "Gen5 x8 slot "), 1);
	l->limit = SNAPSHOT_LIMIT_BOARD;
	assert_int_equal(count(words(draw(120, 60)), "Gen5 x8 board "), 1);
	assert_int_equal(count(text.text, "DOWNGRADED"), 1);
	l->width = 4;
	l->downgraded = true;
	assert_int_equal(count(words(draw(120, 60)), "Gen5 x4 DOWNGRADED "), 1);
	l->limit = SNAPSHOT_LIMIT_SLOT;
	view.selected = 3;
	type("\n");
	assert_int_equal(
		count(words(draw(120, 60)), "Gen5 x4 of Gen5 x8 slot is x8 DOWNGRADED"), 1);
}

static void the_frame_counts_what_is_wrong_and_where(void **state)
{
	(void)state;
	make(32);
	assert_int_equal(count(draw(120, 24), "2 FAILED  2 to check  of 33 "), 1);
	assert_int_equal(count(text.text, " above") + count(text.text, " below"), 0);
	fleet.chips[20].health = SNAPSHOT_WARN;
	assert_int_equal(count(draw(120, 10), "2 FAILED  3 to check  of 33 "), 1);
	assert_int_equal(count(text.text, "3 to check below"), 1);
	type("!!!!");
	draw(120, 10);
	assert_int_equal(count(draw(120, 10), " 2 FAILED above"), 1);
	/* The smallest screen still says how many have failed, and where. */
	assert_int_equal(count(draw(40, 10), "2 FAILED"), 2);
	view.compact = true;
	assert_int_equal(count(draw(40, 10), "simulated boards, 2 FAILED"), 1);
}

static void the_mark_key_goes_round_what_is_wrong(void **state)
{
	static const int order[] = { 2, 3, 5, 9, 2 };

	(void)state;
	make(32);
	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		type("!");
		assert_int_equal(view.selected, order[i]);
	}
	make(4);
	type("!");
	assert_int_equal(view.selected, 0);
	assert_string_equal(view.message, "nothing is wrong with any chip");
}

static void boards_that_are_not_the_machines_own_are_called_so(void **state)
{
	static const struct origin *const sources[] = {
		&origin_sim, &origin_ttsim, &origin_replay, &origin_file,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sources); i++)
		for (int compact = 0; compact < 2; compact++)
			for (int w = 40; w <= 120; w += 40) {
				make(4);
				fleet.fleet.origin = sources[i];
				view.compact = compact;
				assert_int_equal(count(draw(w, 24), sources[i]->title), 1);
			}
	make(4);
	fleet.fleet.origin = &origin_machine;
	for (size_t i = 0; i < ARRAY_LEN(sources); i++)
		assert_int_equal(count(draw(120, 24), sources[i]->title), 0);
}

static void room_to_spare_shows_power_and_temperature_against_their_limits(void **state)
{
	(void)state;
	for (int tab = UI_TAB_DEVICES; tab <= UI_TAB_TELEMETRY; tab++) {
		make(4);
		view.tab = (enum ui_tab)tab;
		draw(120, 40);
		assert_int_equal(count(text.text, "Core temperature"), 1);
		assert_int_equal(count(text.text, "60.7/150 W"), 1);
		assert_int_equal(count(text.text, "64.3/90 °C"), 1);
		/* 60.7 of 150 W is two fifths of the bar. */
		assert_true(count(text.text, "█") > 20 && count(text.text, "░") > 20);
		assert_true(count(text.text, "⣿") + count(text.text, "⣶") + count(text.text, "⣤") +
			count(text.text, "⣀") > 10);
	}
	make(32);
	assert_int_equal(count(draw(120, 40), "Core temperature"), 0);
}

static void a_reading_that_is_old_keeps_its_bar(void **state)
{
	size_t full;

	(void)state;
	make(2);
	draw(120, 40);
	full = count(text.text, "█");
	assert_true(full > 20);
	/* Second chips are read less often than the others. */
	fleet.chips[1].r[FIELD_POWER].state = READING_STALE;
	fleet.chips[1].r[FIELD_ASIC_TEMP].state = READING_STALE;
	assert_int_equal(count(draw(120, 40), "█"), full);
}

static void firmware_unlike_the_other_boards_is_said_on_the_first_tab(void **state)
{
	(void)state;
	make(32);
	for (int w = 80; w <= 200; w += 40)
		assert_int_equal(count(draw(w, 24), "≠ firmware: 1 differs (3)"), 1);
	fleet.chips[7].r[FIELD_FW_BUNDLE] = fleet.chips[9].r[FIELD_FW_BUNDLE];
	assert_int_equal(count(draw(120, 24), "≠"), 0);
}

/* A clock may stand at its limit all day, a temperature may not. */
static void history_shouts_where_the_table_does(void **state)
{
	const enum field_id ids[] = { FIELD_AICLK, FIELD_ASIC_TEMP };

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(ids); k++) {
		struct history_bin bins[2] = { { .n = 1, .min = 90, .max = 90 },
			{ .n = 1, .min = 90, .max = 90 } };
		struct plot p = { .bins = bins, .n = 2, .low = 80, .high = 100, .cursor = -1,
			.has_limit = true, .limit = 90,
			.at_limit = column_level_style(field_level(FIELD_USE_SHOWN, ids[k], 90,
				90)) };
		size_t bad = 0;

		canvas_resize(&canvas, 1, 5, CHARSET_UTF8);
		plot_draw(&canvas, (struct rect){ 0, 0, 1, 5 }, &p);
		for (int i = 0; i < 5; i++)
			bad += canvas.cells[i].style == STYLE_BAD;
		assert_int_equal(bad, k);
	}
}

static void one_snapshot_has_no_history(void **state)
{
	(void)state;
	make(4);
	fleet.model.ended = true;
	view.tab = UI_TAB_HISTORY;
	assert_int_equal(count(words(draw(80, 24)), "one moment and has no history"), 1);
	assert_int_equal(count(text.text, "┤"), 0);
	view.tab = UI_TAB_DEVICES;
	draw(120, 40);
	assert_int_equal(count(text.text, "Last 5 min"), 0);
	assert_int_equal(count(text.text, "60.7/150 W"), 1);
}

static void the_keys_of_the_history_stand_there_in_words(void **state)
{
	(void)state;
	make(4);
	view.tab = UI_TAB_HISTORY;
	draw(80, 24);
	assert_int_equal(count(text.text, "←→ back  + - zoom  m metric (1 of 6)  a all cards"), 1);
	assert_int_equal(count(text.text, " 0 n300 L, ↑↓ 1 of 5 "), 1);
	type("mj");
	draw(80, 24);
	assert_int_equal(count(text.text, "m metric (2 of "), 1);
	assert_int_equal(count(text.text, ", ↑↓ 2 of 5 "), 1);
	type("a");
	draw(80, 24);
	assert_int_equal(count(text.text, "  a one card"), 1);
}

/* A chip of a galaxy says on which tray it is, and where there. */
static void a_galaxys_chip_says_its_tray_and_position(void **state)
{
	(void)state;
	make(4);
	view.panel = UI_PANEL_CHIP;
	view.selected = 1;
	assert_int_equal(count(draw(80, 24), "UBB"), 0);
	fleet.chips[1].tray = 3;
	fleet.chips[1].place = 7;
	assert_int_equal(count(draw(80, 24), "tray 3 of its galaxy, chip 7 (UBB3 U7)"), 1);
	/* The chips of a tray share a line, whatever their order on the bus. */
	make(9);
	assert_int_equal(count(draw(100, 30), "Tray"), 0);
	for (size_t i = 0; i < fleet.fleet.n; i++) {
		fleet.chips[i].tray = i % 2 ? 1 : 4;
		fleet.chips[i].place = 1 + (int)i / 2;
	}
	assert_int_equal(count(draw(100, 30), " UBB4 U3 "), 1);
	view.group = UI_GROUP_BOARD;
	assert_int_equal(count(draw(100, 30), " UBB4 · "), 1);
	assert_int_equal(count(text.text, " UBB1 · "), 1);
	/* The n300's chips are of another board, and stand for themselves; two bands. */
	assert_int_equal(count(text.text, " × UBB"), 4);
	assert_int_equal(count(text.text, "UBB"), 8);
}

/* No column for containers where there is none; and what is not known says why. */
static void processes_have_no_empty_columns_and_say_why_they_lack_a_value(void **state)
{
	(void)state;
	make(2);
	view.tab = UI_TAB_PROCESSES;
	assert_int_equal(count(draw(80, 24), "Container"), 1);
	assert_int_equal(count(text.text, "1.5 GiB"), 0);
	fleet.processes[1].container[0] = '\0';
	assert_int_equal(count(draw(80, 24), "Container"), 0);
	assert_int_equal(count(text.text, "python3 train.py --layers 24"), 1);
	assert_int_equal(count(text.text, "11-21 06:12"), 1);
	assert_int_equal(count(text.text, " 1.5 GiB "), 1);
	assert_int_equal(count(text.text, "pinned:"), 0);
	for (size_t i = 0; i < 3; i++)
		fleet.processes[i].pinned = -1;
	fleet.fleet.pinned_unknown = "the driver says it to root alone (debugfs)";
	assert_int_equal(count(draw(80, 24), "pinned: the driver says it to root alone"), 1);
}

/* Nor one for memory, but where the runtime says it; of what no process has only DRAM and L1. */
static void processes_have_memory_where_the_runtime_says_so(void **state)
{
	struct process *p = fleet.processes;

	(void)state;
	make(2);
	view.tab = UI_TAB_PROCESSES;
	assert_int_equal(count(draw(160, 24), "DRAM"), 0);
	assert_int_equal(count(text.text, " L1 "), 0);
	p[0].has_memory = true;
	assert_int_equal(count(draw(160, 24), "  DRAM         L1   Container "), 1);
	assert_int_equal(count(text.text, " 0 KiB      0 KiB   - "), 1);
	assert_int_equal(count(text.text, " -          -   "), 2);
	p[0].memory[PROCESS_MEMORY_DRAM] = 12LL << 30;
	p[0].memory[PROCESS_MEMORY_CB] = 3 << 20;
	assert_int_equal(count(draw(160, 24), " DRAM "), 1);
	assert_int_equal(count(text.text, " CB "), 1);
	assert_int_equal(count(text.text, "Trace"), 0);
	assert_int_equal(count(text.text, " 12.0 GiB "), 1);
	assert_int_equal(count(text.text, " 3.0 MiB "), 1);
	/* Where there is little room, the seldom ones go first. */
	assert_int_equal(count(draw(66, 24), " DRAM "), 1);
	assert_int_equal(count(text.text, " CB "), 0);
}

static void a_card_that_is_waited_for_says_so_and_for_how_long(void **state)
{
	(void)state;
	make(4);
	fleet.chips[2].health = SNAPSHOT_PENDING;
	fleet.model.started = fleet.model.now - CLOCK_SECOND * 3;
	fleet.chips[2].since = 0;
	assert_int_equal(count(draw(120, 24), " pending "), 2);
	assert_int_equal(count(text.text, "waiting for its first answer for 3 s"), 1);
	assert_int_equal(count(text.text, "..."), 0);
}

static void the_memory_tab_names_each_module_and_its_errors(void **state)
{
	(void)state;
	make(2);
	fleet.chips[1].r[FIELD_GDDR_CORR_ERRS + 6].value = 17;
	fleet.chips[1].r[FIELD_GDDR_UNCORR_ERRS].value = 2;
	fleet.chips[1].r[FIELD_DRAM_TRAINED].value = 0xf7;
	fleet.chips[1].r[FIELD_DRAM_FAILED].value = 0x08;
	view.tab = UI_TAB_MEMORY;
	view.selected = 1;
	draw(80, 24);
	assert_int_equal(count(words(text.text), "1 p150a ● 7 of 8 8 of 8 16000 61 17 1"), 1);
	assert_int_equal(count(words(text.text), " 0 ok ok 46 47 0 0 write "), 1);
	assert_int_equal(count(words(text.text), " 3 FAILED ok 52 53 17 0 none "), 1);
	assert_int_equal(count(words(text.text), " 7 ok ok 60 61 0 0 none "), 1);
	/* Of a Wormhole training and speed are known, and nothing is made up. */
	view.selected = 0;
	draw(80, 24);
	assert_int_equal(count(words(text.text), "0 n300 L ● 6 of 6 - 12000 - - - "), 1);
	assert_int_equal(count(words(text.text), "0 n300 L modules 0-5 ok "), 1);
	fleet.chips[0].r[FIELD_DRAM_TRAINED].value = 0x2b;
	fleet.chips[0].r[FIELD_DRAM_FAILED] = fleet.chips[0].r[FIELD_DRAM_TRAINED];
	fleet.chips[0].r[FIELD_DRAM_FAILED].value = 0x14;
	draw(80, 24);
	assert_int_equal(count(words(text.text), "0 n300 L modules 2, 4 FAILED, 0-1, 3, 5 ok "), 1);
	/* What a Blackhole's firmware does not report has no column. */
	view.selected = 1;
	fleet.chips[1].r[FIELD_DRAM_BIST].state = READING_ABSENT;
	draw(80, 24);
	assert_int_equal(count(words(text.text), " 3 FAILED 52 53 17 0 none "), 1);
}

static void put_word(int chip, enum field_id id, int64_t value)
{
	fleet.chips[chip].r[id] = (struct reading){ .value = value, .state = READING_OK };
}

static void the_links_tab_says_which_ports_are_how_and_where_they_lead(void **state)
{
	(void)state;
	make(2);
	view.tab = UI_TAB_LINKS;
	put_word(1, FIELD_ETH_LIVE, 0x3edb);
	put_word(1, FIELD_ETH_LINK, 0x0edb);
	view.selected = 1;
	draw(80, 24);
	assert_int_equal(count(words(text.text), "1 p150a ● 1 9 of 12 2 - 2 "), 1);
	assert_int_equal(count(words(text.text), " DOWN 2 "), 1);
	assert_int_equal(count(words(text.text), " no link 12-13 cable "), 1);
	assert_int_equal(count(words(text.text), " up 0-1, 3 "), 1);
	assert_int_equal(count(words(text.text), " up 4, 6-7, 9-11 cable "), 1);
	assert_int_equal(count(words(text.text), " unused 5, 8 "), 1);
	/* What is down comes before what is up. */
	assert_true(strstr(words(text.text), " DOWN 2 ") < strstr(words(text.text), " up 0-1"));
	/* Firmware that does not tell of links, and the board's own wires. */
	view.selected = 0;
	draw(80, 24);
	assert_int_equal(count(words(text.text), "0 n300 L ● 0 - - 16 0 "), 1);
	assert_int_equal(count(words(text.text), " alive 0-1, 6-7, 14-15 cable "), 1);
	assert_int_equal(count(words(text.text), " alive 2-5, 10-13 "), 1);
	assert_int_equal(count(words(text.text), " alive 8-9 2, port 0-1 "), 1);
	/* What firmware said before it stopped is not in the colours of now. */
	fleet.chips[1].beat = SNAPSHOT_BEAT_STOPPED;
	fleet.chips[1].n_findings = 1;
	snprintf(fleet.chips[1].findings[0].id, sizeof(fleet.chips[1].findings[0].id), "heartbeat");
	/* No next step, whose words have a colour of their own. */
	fleet.chips[1].raw.sample_error.code = -ENOTCONN;
	view.selected = 1;
	draw(80, 24);
	strbuf_clear(&text);
	ui_fleet_put_styles(&canvas, &text);
	assert_int_equal(count(text.text, "bbbb"), 0);
	fleet.chips[1].n_findings = 0;
	/* A chip that has failed has no state of now. */
	fleet.chips[1].health = SNAPSHOT_FAILED;
	fleet.chips[1].r[FIELD_ETH_LIVE].state = fleet.chips[1].r[FIELD_ETH_LINK].state =
		fleet.chips[1].r[FIELD_ETH_ENABLED].state = READING_STALE;
	view.selected = 1;
	draw(80, 24);
	assert_int_equal(count(words(text.text), "1 p150a nothing is known of its ports "), 1);
}

/* Every card has 14 ports, and no card more lines for them than states, with a cable or without. */
static void ports_of_many_cards_do_not_flood_the_links_tab(void **state)
{
	(void)state;
	ui_fleet_free(&fleet);
	ui_fleet_make_rack(&fleet, 32, 0);
	view_init(&view, tabs);
	view.tab = UI_TAB_LINKS;
	put_word(20, FIELD_ETH_LIVE, 0x1555);
	put_word(20, FIELD_ETH_LINK, 0x1555);
	for (int w = 20; w <= 200; w += 4) {
		draw(w, 24);
		assert_true(count(text.text, " DOWN ") <= 2);
	}
	view.selected = 20;
	draw(80, 40);
	assert_int_equal(count(text.text, " DOWN "), 2);
	assert_int_equal(count(words(text.text), " DOWN 1, 3 "), 1);
	assert_int_equal(count(words(text.text), " DOWN 7, 9, 11, 13 cable "), 1);
}

/* Modules have the lines that what is wrong, with its reasons, leaves. */
static void no_reason_makes_way_for_modules_of_memory(void **state)
{
	static const char *const reasons[] = { "throttle", "did not answer", "gone from the bus",
		"firmware silent" };

	(void)state;
	make(32);
	view.tab = UI_TAB_MEMORY;
	for (view.selected = 0; view.selected < 2; view.selected++)
		for (int h = 24; h < 40; h++) {
			draw(80, h);
			for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
				assert_int_equal(count(text.text, reasons[i]), 1);
		}
}

static void the_memory_tab_has_every_chip_and_remark_where_there_is_room(void **state)
{
	(void)state;
	make(12);
	view.tab = UI_TAB_MEMORY;
	draw(120, 40);
	assert_int_equal(count(text.text, "…"), 0);
	assert_int_equal(count(text.text, "lines 1-"), 0);
	assert_true(count(text.text, "Corr rd") >= 1);
	assert_true(count(text.text, "for 41 s, values 42 s old: did not answer within 1 s") == 1);
}

static void no_sentence_is_cut_without_a_way_to_read_it(void **state)
{
	(void)state;
	make(0);
	fleet.fleet.driver = "";
	assert_int_equal(count(words(draw(40, 20)),
		"no Tenstorrent device and no driver: is tt-kmd loaded? (modprobe tenstorrent)"), 1);
	make(4);
	view_say(&view, &fleet.model, true, "%s", "dump: /a/long/path/of/a/folder: cannot be "
		"made: No space left on device (tt-smi --finish makes its workbook)");
	assert_int_equal(count(words(draw(80, 24)), "device (tt-smi --finish makes its workbook)"),
		1);
	assert_int_equal(count(text.text, "…"), 0);
	/* Remarks in the frame are there whole, or not at all. */
	make(32);
	for (int tab = 0; tab < UI_TABS; tab++)
		for (int w = 40; w < 200; w++) {
			const char *frame;

			view_init(&view, tabs);
			view.tab = (enum ui_tab)tab;
			frame = strstr(draw(w, 24), "╰");
			for (; strstr(frame + 1, "╰"); frame = strstr(frame + 1, "╰"))
				;
			assert_null(strstr(frame, "…"));
		}
}

/* Of a line that was cut: the cut sentence, or NULL where it is not one below a chip. */
static const char *cut_sentence(char *line)
{
	static char whole[2 * NOTICE_SIZE];
	char *end = strstr(line, "…");

	if (!end)
		return NULL;
	for (line += strspn(line, " │"); strncmp(line, "│", 3) == 0; )
		line += 3 + strspn(line + 3, " ");
	if (end - line < 4)
		return NULL;
	for (size_t i = 0; i < fleet.fleet.n; i++)
		for (int all = 0; all < 2; all++) {
			enum style style;

			if (notice_text(&fleet.model, &fleet.chips[i], all, whole, &style) &&
				memmem(whole, strlen(whole), line, (size_t)(end - line)))
				return whole;
		}
	return NULL;
}

/* Wherever a sentence about a chip is cut, its line names Enter. */
static void a_sentence_that_is_cut_names_the_key_that_shows_it(void **state)
{
	static const struct {
		int w, h;
	} sizes[] = { { 40, 10 }, { 40, 24 }, { 45, 12 }, { 60, 10 }, { 80, 10 }, { 80, 24 },
		{ 100, 24 }, { 120, 40 }, { 200, 60 } };
	size_t cut = 0;

	(void)state;
	make(12);
	for (size_t i = 0; i < ARRAY_LEN(sizes) * UI_TABS * fleet.fleet.n; i++) {
		size_t at = i / UI_TABS / fleet.fleet.n;
		int w = sizes[at].w, h = sizes[at].h;
		char *rest;

		view.tab = (enum ui_tab)(i % UI_TABS);
		view.selected = (int)(i / UI_TABS % fleet.fleet.n);
		draw(w, h);
		for (char *line = strtok_r(text.text, "\n", &rest); line;
			line = strtok_r(NULL, "\n", &rest)) {
			if (!cut_sentence(line) && !strstr(line, " more column"))
				continue;
			cut++;
			if (!strstr(line, "(Enter"))
				print_message("# tab %d at %d x %d: %s\n", view.tab + 1, w, h,
					line);
			assert_non_null(strstr(line, "(Enter"));
		}
	}
	assert_true(cut > 20);
}

static char *without_blanks(const char *from)
{
	char *out = mem_calloc(1, strlen(from) + 1), *to = out;

	for (from = words(from); *from; from++)
		if (*from != ' ')
			*to++ = *from;
	return out;
}

/* In full, wherever its lines are broken. */
static bool stands_on_screen(const char *sentence)
{
	char *screen = without_blanks(text.text), *wanted = without_blanks(sentence);
	bool there = strstr(screen, wanted);

	if (!there)
		print_message("# not there: %s\n", sentence);
	free(screen);
	free(wanted);
	return there;
}

/* And Enter shows it. */
static void enter_shows_every_sentence_about_a_chip_in_full(void **state)
{
	(void)state;
	make(12);
	for (size_t i = 0; i < fleet.fleet.n; i++) {
		const struct snapshot *s = &fleet.chips[i];

		view.selected = (int)i;
		view.panel = UI_PANEL_CHIP;
		draw(40, 200);
		assert_true(stands_on_screen(s->reason));
		for (size_t k = 0; k < s->n_findings; k++)
			assert_true(stands_on_screen(s->findings[k].text));
		assert_true(stands_on_screen(s->note));
	}
}

/* At any width each line of the help can be scrolled to and read in full. */
static void the_help_is_whole_at_any_width(void **state)
{
	(void)state;
	for (int w = 40; w <= 120; w += 20) {
		make(1);
		view.panel = UI_PANEL_HELP;
		draw(w, 200);
		for (size_t i = 0; i < help_len; i++)
			if (!strstr(words(text.text), help[i].what)) {
				print_message("# at %d: %s\n", w, help[i].what);
				fail();
			}
	}
}

/* Each key of the help that is a character or has a name stands in the manual, and back. */
static void help_and_manual_list_the_same_keys(void **state)
{
	char path[512], *manual = NULL, *section, *line;
	struct strbuf keys = { 0 };
	size_t len;

	(void)state;
	snprintf(path, sizeof(path), "%s/man/tt-smi.1", getenv("top_srcdir"));
	assert_int_equal(file_read_all(path, 1 << 22, &manual, &len, NULL), 0);
	section = strstr(manual, ".Sh LIVE DISPLAY");
	assert_non_null(section);
	*strstr(section, "\n.El") = 0;
	strbuf_puts(&keys, " ");
	for (size_t i = 0; i < help_len && strcmp(help[i].what, "Signs") != 0; i++)
		if (help[i].keys)
			strbuf_printf(&keys, "%s ", help[i].keys);
	for (line = section; (line = strstr(line, "\n.It Ic ")) != NULL;) {
		char one[64], *word, *rest;

		line += strlen("\n.It Ic ");
		snprintf(one, sizeof(one), "%.*s", (int)strcspn(line, "\n"), line);
		for (word = strtok_r(one, " ", &rest); word;
			word = strtok_r(NULL, " ", &rest)) {
			char want[64];

			word += strncmp(word, "\\&", 2) == 0 ? 2 : *word == '\\' ? 1 : 0;
			snprintf(want, sizeof(want), " %s ", word);
			if (!strstr(keys.text, want))
				print_message("# the help lacks '%s'\n", word);
			assert_non_null(strstr(keys.text, want));
		}
	}
	for (char *rest, *key = strtok_r(keys.text, " ", &rest); key;
		key = strtok_r(NULL, " ", &rest)) {
		char plain[64], escaped[64];

		if ((unsigned char)key[0] >= 0x80)	/* "and the arrows" */
			continue;
		snprintf(plain, sizeof(plain), " %s", key);
		snprintf(escaped, sizeof(escaped), "\\&%s", key);
		if (!strstr(section, plain) && !strstr(section, escaped))
			print_message("# the manual lacks '%s'\n", key);
		assert_true(strstr(section, plain) || strstr(section, escaped));
	}
	free(manual);
	strbuf_clear(&keys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_filter_finds_what_is_on_the_screen),
		cmocka_unit_test(what_holds_a_link_is_no_downgrade),
		cmocka_unit_test(the_frame_counts_what_is_wrong_and_where),
		cmocka_unit_test(the_mark_key_goes_round_what_is_wrong),
		cmocka_unit_test(boards_that_are_not_the_machines_own_are_called_so),
		cmocka_unit_test(room_to_spare_shows_power_and_temperature_against_their_limits),
		cmocka_unit_test(one_snapshot_has_no_history),
		cmocka_unit_test(the_keys_of_the_history_stand_there_in_words),
		cmocka_unit_test(a_galaxys_chip_says_its_tray_and_position),
		cmocka_unit_test(processes_have_no_empty_columns_and_say_why_they_lack_a_value),
		cmocka_unit_test(processes_have_memory_where_the_runtime_says_so),
		cmocka_unit_test(a_card_that_is_waited_for_says_so_and_for_how_long),
		cmocka_unit_test(the_memory_tab_names_each_module_and_its_errors),
		cmocka_unit_test(the_links_tab_says_which_ports_are_how_and_where_they_lead),
		cmocka_unit_test(ports_of_many_cards_do_not_flood_the_links_tab),
		cmocka_unit_test(no_reason_makes_way_for_modules_of_memory),
		cmocka_unit_test(the_memory_tab_has_every_chip_and_remark_where_there_is_room),
		cmocka_unit_test(a_reading_that_is_old_keeps_its_bar),
		cmocka_unit_test(firmware_unlike_the_other_boards_is_said_on_the_first_tab),
		cmocka_unit_test(history_shouts_where_the_table_does),
		cmocka_unit_test(no_sentence_is_cut_without_a_way_to_read_it),
		cmocka_unit_test(a_sentence_that_is_cut_names_the_key_that_shows_it),
		cmocka_unit_test(enter_shows_every_sentence_about_a_chip_in_full),
		cmocka_unit_test(the_help_is_whole_at_any_width),
		cmocka_unit_test(help_and_manual_list_the_same_keys),
	};
	int failed;

	setlocale(LC_CTYPE, "");
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	ui_fleet_end(&fleet, &canvas, &text);
	return failed;
}

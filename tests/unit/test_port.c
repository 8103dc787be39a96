/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_port.c - what telemetry's words say of ethernet ports, and which links were lost. */
#include "config.h"
#include "base/mem.h"
#include "telemetry/change.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#define NONE (-1)	/* a word that is not told */

static struct snapshot was[3], is[3];
static const struct host host;
static const struct change_side sides[2] = { { .host = &host, .chips = was, .n = 3 },
	{ .host = &host, .chips = is, .n = 3 } };
static struct port_report report;

static void set_words(struct snapshot *s, int64_t on, int64_t live, int64_t link)
{
	const struct {
		enum field_id id;
		int64_t value;
	} words[] = { { FIELD_ETH_ENABLED, on }, { FIELD_ETH_LIVE, live },
		{ FIELD_ETH_LINK, link } };

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		s->r[words[i].id] = (struct reading){ .value = words[i].value,
			.state = words[i].value == NONE ? READING_ABSENT : READING_OK };
}

/* A p150a, and an n300 of two chips. */
static int set_up(void **state)
{
	(void)state;
	memset(was, 0, sizeof(was));
	for (int i = 0; i < 3; i++) {
		was[i] = (struct snapshot){ .index = i, .local = i == 2 ? 1 : -1,
			.health = SNAPSHOT_OK, .upi = i ? 0x14 : 0x40,
			.chip = i ? DEVICE_WORMHOLE : DEVICE_BLACKHOLE };
		mem_copy_text(was[i].bdf, sizeof(was[i].bdf),
			i == 0 ? "0000:01:00.0" : i == 1 ? "0000:02:00.0" : "");
		set_words(&was[i], i ? NONE : 0x3edf, i ? 0xffff : 0x3edf, i ? 0x303 : 0x0fdf);
	}
	memcpy(is, was, sizeof(is));
	return 0;
}

/* A letter for each port. */
static const char *letters(const struct snapshot *chips, size_t at, char *buf)
{
	struct port ports[PORT_MOST];
	const size_t n = port_list(chips, 3, at, ports);

	for (size_t p = 0; p < n; p++)
		buf[p] = "x-aU.D"[ports[p].state];
	buf[n] = '\0';
	return buf;
}

static void words_make_states(void **state)
{
	static const struct {
		int64_t on, live, link;
		const char *letters;
	} cases[] = {
		{ 0x3edf, 0x3edf, 0x0fdf, "UUUUU-UU-UUU.." },
		{ 0x3edf, 0x3edd, 0x0fdd, "UDUUU-UU-UUU.." },
		{ 0x3edf, 0x3edf, 0, ".....-..-....." },
		/* Firmware that says nothing of links, of hearts, of either. */
		{ 0x3edf, 0x3edf, NONE, "aaaaa-aa-aaaaa" },
		{ 0x3edf, 0x3edd, NONE, "aDaaa-aa-aaaaa" },
		{ 0x3edf, NONE, 0x0fdf, "UUUUU-UU-UUU.." },
		{ 0x3edf, NONE, NONE, "xxxxx-xx-xxxxx" },
		{ 0x3edf, 0, NONE, "xxxxx-xx-xxxxx" },
		{ NONE, 0x3fff, 0x1, "U............." },
		{ 0, 0, 0, "--------------" },
		{ NONE, NONE, NONE, "" },
		/* What is beyond the last port is none. */
		{ 0xffff, 0xffff, 0xffff, "UUUUUUUUUUUUUU" },
	};
	char buf[PORT_MOST + 1];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		set_words(&is[0], cases[i].on, cases[i].live, cases[i].link);
		assert_string_equal(letters(is, 0, buf), cases[i].letters);
	}
	/* Values that are old are none. */
	set_words(&is[0], 0x3edf, 0x3edf, 0x0fdf);
	is[0].r[FIELD_ETH_LINK].state = is[0].r[FIELD_ETH_LIVE].state =
		is[0].r[FIELD_ETH_ENABLED].state = READING_STALE;
	assert_string_equal(letters(is, 0, buf), "");
	is[0].chip = DEVICE_GRAYSKULL;
	assert_false(port_any(&is[0]));
	assert_string_equal(letters(is, 0, buf), "");
}

static void an_n300_leads_to_its_other_chip(void **state)
{
	struct port left[PORT_MOST], right[PORT_MOST];
	char text[PORT_MOST + 1];

	(void)state;
	assert_int_equal(port_list(is, 3, 1, left), 16);
	assert_int_equal(port_list(is, 3, 2, right), 16);
	for (int p = 0; p < 16; p++) {
		const bool on_left = p == 8 || p == 9, on_right = p < 2;

		const enum port_medium of_left = 0xc0c3 >> p & 1 ? PORT_CABLE : PORT_ANYWHERE;
		const enum port_medium of_right = 0xc0 >> p & 1 ? PORT_CABLE : PORT_ANYWHERE;

		assert_int_equal(left[p].medium, on_left ? PORT_BOARD : of_left);
		assert_int_equal(left[p].partner, on_left ? 2 : -1);
		assert_int_equal(left[p].partner_port, on_left ? p - 8 : -1);
		assert_int_equal(right[p].medium, on_right ? PORT_BOARD : of_right);
		assert_int_equal(right[p].partner, on_right ? 1 : -1);
		assert_int_equal(right[p].partner_port, on_right ? p + 8 : -1);
	}
	/* Its second chip was read over these wires: firmware without a link reports none. */
	set_words(&is[1], NONE, 0xffff, 0);
	set_words(&is[2], NONE, 0xffff, 0);
	for (size_t at = 1; at < 3; at++)
		assert_string_equal(letters(is, at, text), "aaaaaaaaaaaaaaaa");
	is[2].health = SNAPSHOT_FAILED;
	assert_string_equal(letters(is, 1, text), "................");
	set_words(&is[1], NONE, 0xffff, 0x200);
	assert_string_equal(letters(is, 1, text), "........DU......");
	/* Without its second chip here, the port is known and the chip is not. */
	assert_int_equal(port_list(is, 2, 1, left), 16);
	assert_int_equal(left[8].medium, PORT_BOARD);
	assert_int_equal(left[8].partner, -1);
	/* A board whose wiring is not known. */
	is[0].upi = 0x45;
	port_list(is, 3, 0, left);
	assert_int_equal(left[0].medium, PORT_ANYWHERE);
	assert_null(port_medium_name(left[0].medium));
}

/* The ports of a chip by medium, and where they lead. */
static void assert_wired(const struct snapshot *chips, size_t n, size_t at, const char *media)
{
	struct port ports[PORT_MOST], ends[PORT_MOST];
	const size_t len = port_list(chips, n, at, ports);

	assert_int_equal(len, strlen(media));
	for (size_t p = 0; p < len; p++) {
		assert_int_equal("-cbt"[ports[p].medium], media[p]);
		if (ports[p].partner < 0 || ports[p].partner_port < 0)
			continue;
		port_list(chips, n, (size_t)ports[p].partner, ends);
		assert_int_equal(ends[ports[p].partner_port].partner, at);
		assert_int_equal(ends[ports[p].partner_port].partner_port, p);
	}
}

static void a_blackholes_wires_go_by_the_channels_that_are_on(void **state)
{
	(void)state;
	assert_wired(is, 1, 0, "----c-cc-ccccc");
	/* Other channels are off: the n-th that is on is another one. */
	set_words(&is[0], 0x3f6f, 0x3f6f, 0);
	assert_wired(is, 1, 0, "-----cc-cccccc");
	/* It is not known which are on. */
	set_words(&is[0], NONE, 0x3edf, 0);
	assert_wired(is, 1, 0, "--------------");
}

static void a_p300_leads_to_its_other_chip(void **state)
{
	struct port ports[PORT_MOST];
	char text[PORT_MOST + 1];

	(void)state;
	for (int i = 0; i < 2; i++) {
		is[i] = is[0];
		is[i].index = i;
		is[i].upi = 0x45;
		is[i].r[FIELD_BOARD_ID] = (struct reading){ .value = 0x4500000001,
			.state = READING_OK };
		is[i].r[FIELD_ASIC_LOCATION] = (struct reading){ .value = i, .state = READING_OK };
	}
	mem_copy_text(is[1].bdf, sizeof(is[1].bdf), "0000:02:00.0");
	assert_wired(is, 2, 0, "---b--c--c-c--");
	assert_wired(is, 2, 1, "--ccc--c--bb--");
	port_list(is, 2, 1, ports);
	assert_int_equal(ports[10].partner_port, 3);
	assert_int_equal(ports[11].partner, 0);
	assert_int_equal(ports[11].partner_port, -1);	/* the source has it twice */
	/* A wire without a link is down; a cage without a cable is not. */
	set_words(&is[0], 0x3edf, 0x3edf, 0x0fd7 & ~0x40);
	assert_string_equal(letters(is, 0, text), "UUUDU-.U-UUU..");
	/* Its place is not known. */
	is[0].r[FIELD_ASIC_LOCATION].state = READING_ABSENT;
	assert_wired(is, 1, 0, "--------------");
}

/* A tray of a galaxy; port_list() finds each wire from both ends. */
static void a_galaxys_wires_join_up(void **state)
{
	static struct snapshot tray[8];
	static const struct {
		uint32_t upi;
		enum device_chip chip;
		const char *media[8];
	} cases[] = {
		{ 0x35, DEVICE_WORMHOLE, { "ccccccccbbbbbbbb", "ccccbbbbbbbbbbbb",
			"ccccbbbbbbbbbbbb", "ccccbbbb----bbbb", "bbbbccccbbbb----",
			"bbbbbbbbbbbb----", "bbbbbbbbbbbb----", "bbbbbbbb--------" } },
		{ 0x47, DEVICE_BLACKHOLE, { "ccccb-bb-bcc--", "ccbbb-bb-bcc--",
			"ccbbb-bb-bcc--", "ccbbt-tb-bcc--", "bbccb-bt-tcc--",
			"bbbbb-bt-tcc--", "bbbbb-bt-tcc--", "bbbbt-tt-tcc--" } },
		{ 0x202, DEVICE_BLACKHOLE, { "ccccb-bb-bcc--", "ccbbb-bb-bcc--",
			"ccbbb-bb-bcc--", "ccbbt-tb-bcc--", "bbccb-bt-tcc--",
			"bbbbb-bt-tcc--", "bbbbb-bt-tcc--", "bbbbt-tt-tcc--" } },
	};

	(void)state;
	for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
		for (int i = 0; i < 8; i++) {
			tray[i] = (struct snapshot){ .index = i, .local = -1, .tray = 1,
				.place = i + 1, .upi = cases[c].upi, .chip = cases[c].chip };
			set_words(&tray[i], cases[c].chip == DEVICE_WORMHOLE ? NONE : 0x3edf,
				NONE, NONE);
			tray[i].r[FIELD_ETH_LIVE] = (struct reading){ .value = 0xffff,
				.state = READING_OK };
		}
		for (size_t i = 0; i < 8; i++)
			assert_wired(tray, 8, i, cases[c].media[i]);
	}
}

static void cores_that_were_asked_come_before_telemetry(void **state)
{
	static const uint8_t states[] = { ETH_LINK_UP, ETH_LINK_UP, ETH_LINK_UNKNOWN,
		ETH_LINK_UNUSED, ETH_LINK_DOWN };
	char text[PORT_MOST + 1];

	(void)state;
	is[0].raw.has_links = true;
	for (size_t i = 0; i < ARRAY_LEN(states); i++)
		is[0].raw.links[i] = (struct eth_state){ .is_on = true, .state = states[i],
			.pulse = i == 1 ? ETH_PULSE_FROZEN : ETH_PULSE_MOVES };
	assert_string_equal(letters(is, 0, text), "UDx..---------");
	/* All of them stand. */
	for (size_t i = 0; i < ARRAY_LEN(states); i++)
		is[0].raw.links[i].pulse = ETH_PULSE_FROZEN;
	assert_string_equal(letters(is, 0, text), "DDDDD---------");
}

static void masks_are_said_in_runs(void **state)
{
	char buf[PORT_TEXT];

	(void)state;
	assert_string_equal(port_mask_text(0, buf, sizeof(buf)), "");
	assert_string_equal(port_mask_text(0x3edf, buf, sizeof(buf)), "0-4, 6-7, 9-13");
	assert_string_equal(port_mask_text(0xffff, buf, sizeof(buf)), "0-15");
	assert_string_equal(port_mask_text(0x5555, buf, sizeof(buf)),
		"0, 2, 4, 6, 8, 10, 12, 14");
}

static void links_are_lost_found_and_unknown(void **state)
{
	static const struct {
		int64_t before[3], now[3];	/* on, live, link */
		uint32_t lost, found;
		bool unknown;
	} cases[] = {
		{ { 0x3edf, 0x3edf, 0x0fdf }, { 0x3edf, 0x3edf, 0x0fdf }, 0, 0, false },
		{ { 0x3edf, 0x3edf, 0x0fdf }, { 0x3edf, 0x3edf, 0x0fdd }, 2, 0, false },
		{ { 0x3edf, 0x3edf, 0x0fdf }, { 0x3edf, 0x3edd, 0x0fdd }, 2, 0, false },
		{ { 0x3edf, 0x3edf, 0x0fdf }, { 0x3edd, 0x3edd, 0x0fdd }, 2, 0, false },
		{ { 0x3edf, 0x3edf, 0x0fdd }, { 0x3edf, 0x3edf, 0x0fdf }, 0, 2, false },
		/* One that had no link and does not live any more. */
		{ { 0x3edf, 0x3edf, 0x0fdd }, { 0x3edf, 0x3edd, 0x0fdd }, 2, 0, false },
		/* Firmware that tells of them and one that does not. */
		{ { 0x3edf, 0x3edf, 0x0fdf }, { 0x3edf, 0x3edf, NONE }, 0, 0, true },
		{ { 0x3edf, 0x3edf, NONE }, { 0x3edf, 0x3edf, 0x0fdf }, 0, 0, true },
		{ { 0x3edf, 0x3edf, NONE }, { 0x3edf, 0x3edf, NONE }, 0, 0, true },
		{ { 0x3edf, 0x3edf, NONE }, { 0x3edf, 0x3edd, NONE }, 2, 0, true },
		{ { 0x3edf, 0x3edf, 0x0fdf }, { NONE, NONE, NONE }, 0, 0, true },
		{ { 0, 0, 0 }, { 0, 0, 0 }, 0, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		set_words(&was[0], cases[i].before[0], cases[i].before[1], cases[i].before[2]);
		set_words(&is[0], cases[i].now[0], cases[i].now[1], cases[i].now[2]);
		port_change_find(&sides[0], &sides[1], &report);
		assert_int_equal(report.cards[0].lost, cases[i].lost);
		assert_int_equal(report.cards[0].found, cases[i].found);
		assert_int_equal(report.unknown, cases[i].unknown);
		assert_int_equal(report.lost, __builtin_popcount(cases[i].lost));
		port_change_clear(&report);
	}
}

static void a_card_that_does_not_answer_or_is_gone_has_not_kept_its_links(void **state)
{
	const bool wanted[3] = { false, true, true };
	struct change_side fewer = sides[1], chosen = sides[1];

	(void)state;
	is[0].health = SNAPSHOT_FAILED;
	port_change_find(&sides[0], &sides[1], &report);
	assert_true(report.unknown);
	assert_int_equal(report.cards[0].unknown, 0x0edf);
	port_change_clear(&report);
	/* It was not asked for. */
	chosen.wanted = wanted;
	port_change_find(&sides[0], &chosen, &report);
	assert_false(report.unknown);
	port_change_clear(&report);
	is[0].health = SNAPSHOT_GONE;
	port_change_find(&sides[0], &sides[1], &report);
	assert_int_equal(report.lost, 10);
	port_change_clear(&report);
	fewer.n = 1;
	is[0].health = SNAPSHOT_OK;
	port_change_find(&sides[0], &fewer, &report);
	assert_int_equal(report.lost, 8);
	assert_false(report.unknown);
	port_change_clear(&report);
	was[0].health = SNAPSHOT_FAILED;
	port_change_find(&sides[0], &sides[1], &report);
	assert_true(report.unknown);
	port_change_clear(&report);
	/* A new card has lost nothing. */
	port_change_find(&fewer, &sides[1], &report);
	assert_int_equal(report.lost, 0);
	assert_int_equal(report.found, 8);
	port_change_clear(&report);
}

static void a_second_chip_that_nobody_looked_for_has_lost_nothing(void **state)
{
	struct change_side without = sides[1];
	const bool wanted[2] = { true, false };

	(void)state;
	without.n = 2;
	is[1].health = SNAPSHOT_FAILED;
	port_change_find(&sides[0], &without, &report);
	assert_int_equal(report.n, 3);
	assert_int_equal(report.cards[2].is, -1);
	assert_int_equal(report.lost, 0);
	assert_true(report.unknown);
	port_change_clear(&report);
	/* Its board was not asked for. */
	without.wanted = wanted;
	port_change_find(&sides[0], &without, &report);
	without.wanted = NULL;
	assert_int_equal(report.n, 1);
	assert_false(report.unknown);
	port_change_clear(&report);
	/* The other way round it is not new. */
	port_change_find(&without, &sides[0], &report);
	assert_int_equal(report.found, 0);
	assert_true(report.unknown);
	port_change_clear(&report);
	/* Its board was read, and does not have it any more. */
	is[1].health = SNAPSHOT_OK;
	port_change_find(&sides[0], &without, &report);
	assert_true(report.lost > 0);
	port_change_clear(&report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(words_make_states, set_up),
		cmocka_unit_test_setup(an_n300_leads_to_its_other_chip, set_up),
		cmocka_unit_test_setup(
			a_blackholes_wires_go_by_the_channels_that_are_on, set_up),
		cmocka_unit_test_setup(a_p300_leads_to_its_other_chip, set_up),
		cmocka_unit_test_setup(a_galaxys_wires_join_up, set_up),
		cmocka_unit_test_setup(cores_that_were_asked_come_before_telemetry, set_up),
		cmocka_unit_test_setup(masks_are_said_in_runs, set_up),
		cmocka_unit_test_setup(links_are_lost_found_and_unknown, set_up),
		cmocka_unit_test_setup(
			a_card_that_does_not_answer_or_is_gone_has_not_kept_its_links, set_up),
		cmocka_unit_test_setup(
			a_second_chip_that_nobody_looked_for_has_lost_nothing, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_select.c - every name a person may give a chip, and what is none. */
#include "config.h"
#include "base/mem.h"
#include "telemetry/select.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define N 5

/* A p150a, an n300, the two chips of a p300 in another domain; node numbers have a gap. */
static struct snapshot chips[N];

static int set_up(void **state)
{
	static const struct {
		const char *bdf;
		int node, local;
		uint64_t serial;
	} is[N] = {
		{ "0000:01:00.0", 0, -1, 0x0000040331921011 },
		{ "0000:c1:00.0", 2, -1, 0x010001461192717d },
		{ "0002:41:00.0", 3, -1, 0x0000045411923011 },
		{ "0002:c1:00.0", 4, -1, 0x0000045411923011 },
		{ "", -1, 1, 0x010001461192717d },
	};

	(void)state;
	memset(chips, 0, sizeof(chips));
	for (int i = 0; i < N; i++) {
		chips[i].index = i;
		chips[i].local = is[i].local;
		chips[i].node = is[i].node;
		mem_copy_text(chips[i].bdf, sizeof(chips[i].bdf), is[i].bdf);
		chips[i].r[FIELD_BOARD_ID] = (struct reading){ .state = READING_OK,
			.value = (int64_t)is[i].serial };
	}
	return 0;
}

static const char *marks(const bool *wanted, char *buf)
{
	for (int i = 0; i < N; i++)
		buf[i] = wanted[i] ? 'x' : '.';
	buf[N] = '\0';
	return buf;
}

static void every_name_of_a_chip_is_understood(void **state)
{
	static const struct {
		const char *names, *want;
	} cases[] = {
		{ "0", "x...." },
		{ "4", "....x" },
		{ "0,2", "x.x.." },
		{ "0 2\t3, 4", "x.xxx" },
		{ "all", "xxxxx" },
		{ "1,all", "xxxxx" },
		{ "cards", "xxxxx" },
		{ "0000:01:00.0", "x...." },
		{ "01:00.0", "x...." },
		{ "41:00.0", "..x.." },
		{ "0000:C1:00.0", ".x..." },
		{ "0002:c1:00.0", "...x." },
		{ "/dev/tenstorrent/0", "x...." },
		{ "/dev/tenstorrent/3", "..x.." },
		{ "010001461192717d", ".x..x" },
		{ "10001461192717D", ".x..x" },
		{ "0x10001461192717d", ".x..x" },
		{ "0000040331921011", "x...." },	/* no letter in it, yet no index */
		{ "45411923011", "..xx." },
		{ "0,/dev/tenstorrent/4,0000:c1:00.0", "xx.x." },
	};
	char got[N + 1];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		bool wanted[N] = { false };
		struct error e = { 0 };

		if (select_chips(cases[i].names, chips, N, wanted, &e) < 0)
			fail_msg("%s: %s", cases[i].names, e.text);
		if (strcmp(marks(wanted, got), cases[i].want) != 0)
			fail_msg("%s: %s, want %s", cases[i].names, got, cases[i].want);
	}
}

static void what_names_no_chip_is_told_with_the_reason(void **state)
{
	static const struct {
		const char *names;
		int code;
		const char *want;
	} cases[] = {
		{ "5", -ENODEV, "5: no such chip: they count from 0 to 4" },
		{ "0,9999", -ENODEV, "9999" },
		{ "0000:02:00.0", -ENODEV, "no chip at this address" },
		{ "c1:00.0", -EINVAL, "more than one PCI domain" },
		{ "/dev/tenstorrent/1", -ENODEV, "no chip has this node" },
		{ "/dev/tenstorrent/x", -EINVAL, "expected /dev/tenstorrent/N" },
		{ "/dev/tenstorrent/", -EINVAL, "expected /dev/tenstorrent/N" },
		{ "10001461192717e", -ENODEV, "no board has this serial" },
		{ "n300", -EINVAL, "not a name of a chip" },
		{ "-1", -EINVAL, "not a name of a chip" },
		{ "ALL", -EINVAL, "not a name of a chip" },
		{ "0000:01:00", -EINVAL, "not a name of a chip" },
		{ "0000:01:00.8", -EINVAL, "not a name of a chip" },
		{ "01:00.0:", -EINVAL, "not a name of a chip" },
		{ "", -EINVAL, "no chip is named" },
		{ " , ", -EINVAL, "no chip is named" },
		{ "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		  -EINVAL, "not a name of a chip" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		bool wanted[N] = { false };
		struct error e = { 0 };

		if (select_chips(cases[i].names, chips, N, wanted, &e) != cases[i].code)
			fail_msg("%s: code %d: %s", cases[i].names, e.code, e.text);
		if (!strstr(e.text, cases[i].want))
			fail_msg("%s: %s", cases[i].names, e.text);
	}
}

static void a_chip_without_a_known_serial_is_never_meant_by_one(void **state)
{
	bool wanted[N] = { false };
	struct error e;

	(void)state;
	chips[0].r[FIELD_BOARD_ID] = (struct reading){ .state = READING_FAILED };
	assert_int_equal(select_chips("0x0", chips, 1, wanted, &e), -ENODEV);
	assert_int_equal(select_chips("0", chips, 0, wanted, &e), -ENODEV);
	assert_non_null(strstr(e.text, "there is none"));
	assert_int_equal(select_chips("aaaaaaaaaa", chips, N, wanted, &e), -ENODEV);
	assert_non_null(strstr(e.text, "may be the board of chip 0 (0000:01:00.0)"));
	chips[0].health = SNAPSHOT_GONE;
	assert_int_equal(select_chips("aaaaaaaaaa", chips, N, wanted, &e), -ENODEV);
	assert_non_null(strstr(e.text, "no board has this serial"));
}

static void a_second_chip_that_was_not_read_is_on_its_firsts_board(void **state)
{
	bool wanted[N] = { false };
	char got[N + 1];
	struct error e;

	(void)state;
	chips[4].r[FIELD_BOARD_ID] = (struct reading){ .state = READING_ABSENT };
	assert_int_equal(select_chips("010001461192717d", chips, N, wanted, &e), 0);
	assert_string_equal(marks(wanted, got), ".x..x");
}

/* Boards are 0: p150a, 1: n300 (chips 1 and 4), 2 and 3: the PCI functions of the p300. */
static void visible_boards_take_their_second_chips_along(void **state)
{
	static const struct {
		const char *list, *want;
	} cases[] = {
		{ "0", "x...." }, { "1", ".x..x" }, { "0,2", "x.x.." }, { "0-1", "xx..x" },
		{ "0-3", "xxxxx" }, { "2-9", "..xx." }, { "1, 3", ".x.xx" },
		{ "0-18446744073709551615", "xxxxx" },
		{ "0000:01:00.0", "x...." }, { "0000:C1", ".x..x" }, { "0002:", "..xx." },
		{ "c1:00", ".x.xx" }, { "0000:01:00.0,0", "x...." }, { "0,0002:41", "x.x.." },
		{ "0,0000:ff:00.0", "x...." },
	};
	char got[N + 1];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		bool wanted[N] = { true, true, true, true, true };
		struct error e = { 0 };

		if (select_visible(cases[i].list, chips, N, wanted, &e) < 0)
			fail_msg("%s: %s", cases[i].list, e.text);
		if (strcmp(marks(wanted, got), cases[i].want) != 0)
			fail_msg("%s: %s, want %s", cases[i].list, got, cases[i].want);
	}
}

static void visible_boards_only_ever_take_chips_away(void **state)
{
	bool wanted[N] = { false, true, true, false, false };
	char got[N + 1];
	struct error e;

	(void)state;
	assert_int_equal(select_visible("1", chips, N, wanted, &e), 0);
	assert_string_equal(marks(wanted, got), ".x...");
}

static void a_list_of_boards_that_is_none_says_so(void **state)
{
	static const char *const bad[] = { "a", "1-", "-1", "2-1", "0,x", "1-2-3", "0x1", "0:g",
		"0000:01:00.0-3" };
	bool wanted[N] = { true, true, true, true, true };
	struct error e;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		assert_int_equal(select_visible(bad[i], chips, N, wanted, &e), -EINVAL);
		assert_non_null(strstr(e.text, bad[i]));
	}
	assert_int_equal(select_visible("7", chips, N, wanted, &e), -ENODEV);
	assert_non_null(strstr(e.text, "there are 4 here"));
	assert_int_equal(select_visible("0000:ff:00.0", chips, N, wanted, &e), -ENODEV);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(every_name_of_a_chip_is_understood, set_up),
		cmocka_unit_test_setup(what_names_no_chip_is_told_with_the_reason, set_up),
		cmocka_unit_test_setup(a_chip_without_a_known_serial_is_never_meant_by_one, set_up),
		cmocka_unit_test_setup(
			a_second_chip_that_was_not_read_is_on_its_firsts_board, set_up),
		cmocka_unit_test_setup(visible_boards_take_their_second_chips_along, set_up),
		cmocka_unit_test_setup(visible_boards_only_ever_take_chips_away, set_up),
		cmocka_unit_test_setup(a_list_of_boards_that_is_none_says_so, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

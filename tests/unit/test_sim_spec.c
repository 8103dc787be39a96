/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "device/sim/sim.h"
#include "base/mem.h"
#include "base/clock.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct sim_spec spec;

static void good_specs_give_boards_and_chips(void **state)
{
	static const struct {
		const char *text;
		size_t boards, chips;
	} cases[] = {
		{ "p150a", 1, 1 }, { "n300", 1, 2 }, { "p150a,n300", 2, 3 }, { "2*p300,e75", 3, 5 },
		{ "p300a", 1, 2 }, { "galaxy-bh", 1, 32 }, { "8*tt-galaxy-wh", 8, 256 },
		{ "256*e150", 256, 256 }, { " n150 , n150-old ", 2, 2 },
		{ "galaxy-wormhole", 1, 32 },
		{ "4*p150a:hang@5:eio", 4, 4 }, { "p150a:gone@1.5-2.25", 1, 1 },
		{ "p150c:runtime=60/20+a+q3@1-2:runtime", 1, 1 }, { "p150c:runtime=torn", 1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct error e = { 0 };

		if (sim_spec_parse(cases[i].text, &spec, &e) != 0)
			fail_msg("'%s': %s", cases[i].text, e.text);
		assert_int_equal(spec.n, cases[i].boards);
		assert_int_equal(spec.n_chips, cases[i].chips);
	}
}

static void faults_have_a_kind_and_a_time(void **state)
{
	(void)state;
	assert_int_equal(sim_spec_parse("n150:eio,2*p150a:hang@5:gone@1.5-2.25:reset@7", &spec,
		NULL), 0);
	assert_int_equal(spec.n, 3);
	assert_int_equal(spec.boards[0].n_faults, 1);
	assert_int_equal(spec.boards[0].faults[0].kind, SIM_EIO);
	assert_int_equal(spec.boards[0].faults[0].from, 0);
	assert_true(spec.boards[0].faults[0].to == INT64_MAX);
	for (size_t i = 1; i < 3; i++) {
		const struct sim_fault *f = spec.boards[i].faults;

		assert_int_equal(spec.boards[i].n_faults, 3);
		assert_int_equal(f[0].kind, SIM_HANG);
		assert_int_equal(f[0].from, 5 * CLOCK_SECOND);
		assert_int_equal(f[1].kind, SIM_GONE);
		assert_int_equal(f[1].from, 1500 * CLOCK_MS);
		assert_int_equal(f[1].to, 2250 * CLOCK_MS);
		assert_int_equal(f[2].kind, SIM_RESET);
		assert_int_equal(f[2].to, 10 * CLOCK_SECOND);
	}
}

/* The piece that is wrong is quoted, and what would be right is named. */
static void bad_specs_say_what_is_wrong(void **state)
{
	static const struct {
		const char *text, *quoted, *instead;
	} cases[] = {
		{ "", "board is missing", "2*p150a" }, { ",p150a", "board is missing", "BOARD" },
		{ "p150a,", "board is missing", "BOARD" }, { "  ", "board is missing", "BOARD" },
		{ "p15", "'p15'", "p150a" }, { "n300 L", "'n300 L'", "n300-new" },
		{ "N150", "'N150'", "n150" }, { "tt-", "'tt-'", "tt-galaxy-bh" },
		{ "0*p150a", "'0*p150a'", "1 to 256" }, { "257*p150a", "257", "1 to 256" },
		{ "*p150a", "'*p150a'", "4*p150a" }, { "-1*p150a", "-1", "4*p150a" },
		{ "2**p150a", "'*p150a'", "e75" }, { "2*", "''", "e75" },
		{ "p150a:", "''", "hang" }, { "p150a:hung", "'hung'", "hang" },
		{ "p150a::hang", "''", "hang" }, { "p150a:hang@", "'hang@'", "hang@5" },
		{ "p150a:hang@x", "'hang@x'", "@FROM-TO" },
		{ "p150a:hang@5-", "'hang@5-'", "gone@5" },
		{ "p150a:hang@5-5", "'hang@5-5'", "gone@5" },
		{ "p150a:hang@6-5", "'hang@6-5'", "@FROM" },
		{ "p150a:hang@-5", "'hang@-5'", "@FROM" },
		{ "p150a:hang@5@6", "'hang@5@6'", "@FROM" },
		{ "p150a:hang=1", "'hang=1'", "runtime=60/20" },
		{ "p150a:runtime=", "'runtime='", "runtime=60/20" },
		{ "p150a:runtime=60", "'runtime=60'", "runtime=60/20" },
		{ "p150a:runtime=60/61", "'runtime=60/61'", "runtime=60/20" },
		{ "p150a:runtime=101/2", "101/2", "runtime=60/20" },
		{ "p150a:runtime=a+b@2", "'runtime=a+b@2'", "runtime=60/20" },
		{ "9*galaxy-bh", "'galaxy-bh'", "256 chips" },
		{ "256*e75,p150a", "'p150a'", "256 chips" },
		{ "e75:eio:eio:eio:eio:eio:eio:eio:eio:eio", "'eio'", "at most 8" },
		{ "p150a:hang@99999999999999999999", "hang@9999", "@FROM" },
		{ "ppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp", "ppp...'", "e75" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct error e = { 0 };

		assert_int_equal(sim_spec_parse(cases[i].text, &spec, &e), -EINVAL);
		assert_int_equal(e.code, -EINVAL);
		if (!strstr(e.text, cases[i].quoted) || !strstr(e.text, cases[i].instead))
			fail_msg("'%s' is refused with: %s", cases[i].text, e.text);
		assert_null(strchr(e.text, '\n'));
	}
}

static void each_board_and_fault_is_named_in_the_messages(void **state)
{
	struct error boards, faults;

	(void)state;
	sim_spec_parse("?", &spec, &boards);
	sim_spec_parse("e75:?", &spec, &faults);
	for (size_t i = 0; sim_board_name(i); i++) {
		assert_non_null(strstr(boards.text, sim_board_name(i)));
		assert_int_equal(sim_spec_parse(sim_board_name(i), &spec, NULL), 0);
	}
	for (size_t i = 0; i < SIM_FAULTS; i++) {
		char text[64];

		assert_non_null(strstr(faults.text, sim_faults[i].name));
		snprintf(text, sizeof(text), "e75:%s@0.5", sim_faults[i].name);
		assert_int_equal(sim_spec_parse(text, &spec, NULL), 0);
		assert_int_equal(spec.boards[0].faults[0].kind, i);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_specs_give_boards_and_chips),
		cmocka_unit_test(faults_have_a_kind_and_a_time),
		cmocka_unit_test(bad_specs_say_what_is_wrong),
		cmocka_unit_test(each_board_and_fault_is_named_in_the_messages),
	};

	return cmocka_run_group_tests_name("sim_spec", tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_ledger.c - what was asked for against what was done: no gap goes unsaid.
 */
#include "config.h"
#include "report/ledger.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void an_empty_ledger_is_not_met(void **state)
{
	const struct ledger l = { 0 };
	char text[64];

	(void)state;
	assert_false(ledger_is_met(&l));
	ledger_put_gaps(&l, text, sizeof(text));
	assert_string_equal(text, "nothing was asked for");
}

static void each_item_that_falls_short_is_named(void **state)
{
	(void)state;
	for (int i = 0; i < LEDGER_ITEMS; i++) {
		struct ledger l = { 0 };
		char text[200], want[200];

		ledger_ask(&l, (enum ledger_item)i, 2 * ledger_rows[i].unit);
		ledger_count(&l, (enum ledger_item)i, ledger_rows[i].unit);
		assert_false(ledger_is_met(&l));
		ledger_put_gaps(&l, text, sizeof(text));
		snprintf(want, sizeof(want), "1 of 2 %s", ledger_rows[i].title);
		assert_string_equal(text, want);
		ledger_count(&l, (enum ledger_item)i, ledger_rows[i].unit);
		assert_true(ledger_is_met(&l));
		ledger_put_gaps(&l, text, sizeof(text));
		assert_string_equal(text, "");
	}
}

static void more_than_there_is_is_no_coverage_but_of_amounts(void **state)
{
	(void)state;
	for (int i = 0; i < LEDGER_ITEMS; i++) {
		struct ledger l = { 0 };

		ledger_ask(&l, (enum ledger_item)i, 1);
		ledger_count(&l, (enum ledger_item)i, 2);
		assert_int_equal(ledger_is_met(&l), ledger_rows[i].is_least);
	}
}

static void of_two_ends_the_first_counts(void **state)
{
	struct ledger l = { 0 };

	(void)state;
	ledger_ask(&l, LEDGER_TIME, 10);
	ledger_ask(&l, LEDGER_ROUNDS, 5);
	ledger_count(&l, LEDGER_TIME, 9);
	ledger_count(&l, LEDGER_ROUNDS, 4);
	ledger_choose_end(&l);
	assert_false(ledger_is_met(&l));
	l.asked[LEDGER_TIME] = 10;
	ledger_count(&l, LEDGER_TIME, 1);
	ledger_choose_end(&l);
	assert_true(ledger_is_met(&l));
}

static void what_nobody_asked_for_does_not_stand_for_what_was(void **state)
{
	struct ledger l = { 0 };
	char text[200];

	(void)state;
	ledger_ask(&l, LEDGER_BYTES, 1 << 30);
	ledger_count(&l, LEDGER_BYTES, 1 << 20);
	ledger_count(&l, LEDGER_TIME, 20000000000);
	assert_false(ledger_is_met(&l));
	ledger_put_gaps(&l, text, sizeof(text));
	assert_string_equal(text, "1 of 1024 MiB of memory verified");
}

static void gaps_end_at_the_border_of_a_part(void **state)
{
	struct ledger l = { 0 };
	char text[40];

	(void)state;
	ledger_ask(&l, LEDGER_CORES, 140);
	ledger_ask(&l, LEDGER_CHANNELS, 8);
	ledger_put_gaps(&l, text, sizeof(text));
	assert_string_equal(text, "0 of 140 cores were compared");
}

static void a_short_time_is_said_with_its_decimals(void **state)
{
	struct ledger l = { 0 };
	char text[80];

	(void)state;
	ledger_ask(&l, LEDGER_TIME, 3600000000000);
	ledger_count(&l, LEDGER_TIME, 12700000000);
	ledger_put_gaps(&l, text, sizeof(text));
	assert_string_equal(text, "12.70 of 3600 s of load");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_ledger_is_not_met),
		cmocka_unit_test(each_item_that_falls_short_is_named),
		cmocka_unit_test(more_than_there_is_is_no_coverage_but_of_amounts),
		cmocka_unit_test(of_two_ends_the_first_counts),
		cmocka_unit_test(what_nobody_asked_for_does_not_stand_for_what_was),
		cmocka_unit_test(gaps_end_at_the_border_of_a_part),
		cmocka_unit_test(a_short_time_is_said_with_its_decimals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

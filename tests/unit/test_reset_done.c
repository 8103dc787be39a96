/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What becomes of a reset with several tries: its verdict is that of all cards, and a try that
 * leaves a card alone changes nothing of it.
 */
#include "config.h"
#include "src/reset/run.h"

#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define CARDS 3

/* One letter a card: Recovered, Unproved, Lost, reFused, Stopped; '.': not in this try. */
static void take(struct reset_done *d, const char *try)
{
	struct reset_card *cards = calloc(CARDS, sizeof(*cards));
	size_t n = 0;

	for (int i = 0; try[i]; i++) {
		if (try[i] == '.')
			continue;
		cards[n].index = 10 + i;
		cards[n].is_unproved = try[i] == 'U';
		cards[n++].verdict = try[i] == 'R' ? RESET_RECOVERED : try[i] == 'U'
			? RESET_DEGRADED : try[i] == 'L' ? RESET_LOST : try[i] == 'F'
			? RESET_REFUSED : RESET_STOPPED;
	}
	reset_done_take(d, cards, n);
	free(cards);
}

static void the_verdict_is_of_all_tries(void **state)
{
	static const struct {
		const char *tries[2];
		enum exit_code code;
		const char *failed;		/* of the three cards */
		const char *text;
	} table[] = {
		{ { "RRR" }, EXIT_DONE, "---", "3 of 3 cards recovered" },
		{ { "SSS" }, EXIT_REFUSED, "xxx", "0 of 3 cards recovered, 3 stopped" },
		{ { "FFS" }, EXIT_REFUSED, "xxx", "0 of 3 cards recovered, 2 refused, 1 stopped" },
		{ { "RSS" }, EXIT_NEGATIVE, "-xx", "1 of 3 cards recovered, 2 stopped" },
		{ { "RLL", ".RR" }, EXIT_DONE, "---", "3 of 3 cards recovered" },
		/* Unproved in the first try, and no card of the second. */
		{ { "URL", "..R" }, EXIT_NEGATIVE, "---", "2 of 3 cards recovered, 1 degraded" },
		{ { "RRL", "RRS" }, EXIT_NEGATIVE, "--x", "2 of 3 cards recovered, 1 lost" },
		{ { "RRL", "SSS" }, EXIT_NEGATIVE, "--x", "2 of 3 cards recovered, 1 lost" },
		{ { "LLL", "FFF" }, EXIT_NEGATIVE, "xxx", "0 of 3 cards recovered, 3 lost" },
		{ { "RRL", "LRR" }, EXIT_NEGATIVE, "x--", "2 of 3 cards recovered, 1 lost" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct reset_done d = { 0 };
		struct strbuf text = { 0 };

		reset_done_init(&d);
		for (int k = 0; k < 2 && table[i].tries[k]; k++)
			take(&d, table[i].tries[k]);
		assert_int_equal(reset_done_put(&d, &text), table[i].code);
		assert_string_equal(text.text, table[i].text);
		for (int k = 0; k < CARDS; k++)
			assert_int_equal(reset_done_has_failed(&d, 10 + k),
				table[i].failed[k] == 'x');
		assert_false(reset_done_has_failed(&d, 9));
		strbuf_clear(&text);
		reset_done_clear(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(the_verdict_is_of_all_tries) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of a burn of many targets, as somebody looked at it (UPDATE_GOLDEN=1 rewrites): from
 * reports that are made here.
 */
#include "config.h"
#include "src/burnin/table.h"

#include "base/mem.h"
#include "output/figure_json.h"
#include "tests/rig/golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The keys of the report that the table is made of; values are read, not taken. */
static const struct figure seen_rows[] = {
	{ .key = "field", .kind = FIGURE_TEXT, .hidden = true },
	{ .key = "least", .kind = FIGURE_AMOUNT },
	{ .key = "most", .kind = FIGURE_AMOUNT },
};
static const struct figure_group seen = { seen_rows, ARRAY_LEN(seen_rows) };

static const struct figure core_rows[] = { { .key = "x", .kind = FIGURE_INT } };
static const struct figure_group cores = { core_rows, ARRAY_LEN(core_rows) };

static const struct figure target_rows[] = {
	{ .key = "target", .kind = FIGURE_TEXT },
	{ .key = "verdict", .kind = FIGURE_TEXT },
	{ .key = "reason", .kind = FIGURE_TEXT },
	{ .key = "second_chip_not_burnt", .kind = FIGURE_TEXT },
	{ .key = "errors", .kind = FIGURE_INT },
	{ .key = "board", .kind = FIGURE_TEXT },
	{ .key = "mvmul_per_cycle", .kind = FIGURE_RATE, .scale = 10000 },
	{ .key = "telemetry", .kind = FIGURE_MAP, .group = &seen },
	{ .key = "cores", .kind = FIGURE_LIST, .group = &cores },
	{ .key = "no_reset", .kind = FIGURE_BOOL },
	{ .key = "index", .kind = FIGURE_INT },
	{ .key = "bus_id", .kind = FIGURE_TEXT },
	{ .key = "named", .kind = FIGURE_TEXT },
};
static const struct figure_group targets = { target_rows, ARRAY_LEN(target_rows) };

static const struct figure rule_rows[] = {
	{ .key = "rule", .kind = FIGURE_TEXT },
	{ .key = "applied", .kind = FIGURE_BOOL },
};
static const struct figure_group rules = { rule_rows, ARRAY_LEN(rule_rows) };

static const struct figure all_rows[] = {
	{ .key = "verdict", .kind = FIGURE_TEXT },
	{ .key = "exit_code", .kind = FIGURE_INT },
	{ .key = "seconds", .kind = FIGURE_TIME },
	{ .key = "stop_rules", .kind = FIGURE_LIST, .group = &rules },
	{ .key = "targets", .kind = FIGURE_LIST, .group = &targets },
};
static const struct figure_group all = { all_rows, ARRAY_LEN(all_rows) };

static void put_rules(struct strbuf *to, int n)
{
	strbuf_puts(to, "\"stop_rules\": [{\"rule\": \"host temperature: there is no sensor\", "
		"\"applied\": false}");
	for (int i = 0; i < n; i++)
		strbuf_printf(to, ", {\"rule\": \"card %d 0000:%02x:00.0: ends its burn near its "
			"throttle temperature\", \"applied\": true}, {\"rule\": \"card %d "
			"0000:%02x:00.0: its memory's temperature, whose limit is not published\", "
			"\"applied\": false}", i, i + 1, i, i + 1);
	strbuf_puts(to, ", {\"rule\": \"card 0 0000:01:00.0: its core temperature, or its limit, "
		"is not known\", \"applied\": false}]");
}

static void put_card(struct strbuf *to, int i, const char *verdict, const char *reason)
{
	const bool fails = strcmp(verdict, "FAIL") == 0;

	strbuf_printf(to, ", {\"target\": \"%d 0000:%02x:00.0 p150a\", \"index\": %d, "
		"\"bus_id\": \"0000:%02x:00.0\", \"named\": \"p150a\", \"verdict\": \"%s\", "
		"\"reason\": ", i, i + 1, i, i + 1, verdict);
	strbuf_printf(to, *reason ? "\"%s\"" : "null%s", reason);
	strbuf_printf(to, ", \"errors\": %d, \"board\": \"p150a\", \"mvmul_per_cycle\": ", fails);
	strbuf_printf(to, strcmp(verdict, "INCOMPLETE") == 0 ? "null" : "%.4f", 0.9971 +
		i % 4 * 0.0009);
	strbuf_printf(to, ", \"telemetry\": {\"asic_temperature\": {\"least\": 40, \"most\": %.2f}"
		", \"power\": {\"least\": 20, \"most\": %d}}, \"cores\": [", 66.1 + i % 9, 147 + i % 3);
	for (int k = 0; k < 140; k++)
		strbuf_printf(to, "%s{\"x\": %d}", k ? ", " : "", k % 14);
	strbuf_puts(to, "]}");
}

/* So many cards, of which 7, 19 and 21, or the first three, do not pass. */
static void make(struct figures *f, int n, int sick)
{
	static const char *const reasons[][2] = {
		{ "FAIL", "1 wrong word on 1 core; the first on core 7-4: conv2d, block 18231, word "
			"1877 is 0x43a40000, not 0x43a00000" },
		{ "INCOMPLETE", "card 19 is at 88.0 °C, within 2 °C of its throttle limit for 5 s" },
		{ "INCOMPLETE", "the card could not be watched for 5 s: did not answer within 1 s" },
	};
	struct strbuf text = { 0 };
	struct json *report;
	struct error e;
	int done = 0;

	strbuf_printf(&text, "{\"verdict\": \"%s\", \"exit_code\": %d, \"seconds\": 600.4, ",
		sick ? "FAIL" : "PASS", sick ? 5 : 0);
	put_rules(&text, n);
	strbuf_puts(&text, ", \"targets\": [{\"target\": \"host\", \"verdict\": \"PASS\", "
		"\"reason\": null, \"errors\": 0}");
	for (int i = 0; i < n; i++) {
		const bool is_sick = done < sick && (n < 22 || i == 7 || i == 19 || i == 21);

		put_card(&text, i, is_sick ? reasons[done][0] : "PASS",
			is_sick ? reasons[done][1] : "");
		done += is_sick;
	}
	strbuf_puts(&text, "]}");
	assert_int_equal(json_parse(text.text, text.len, &report, &e), 0);
	figures_read_json(f, &all, report);
	json_free(report);
	strbuf_clear(&text);
}

static void tables_look_as_they_did(void **state)
{
	static const int cards[] = { 1, 4, 32, 128 };
	static const struct burnin_table looks[] = { { 0, false }, { 80, false }, { 120, true } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cards); i++)
		for (int sick = 0; sick <= 3; sick += 3) {
			struct figures f = { 0 };

			make(&f, cards[i], sick < cards[i] ? sick : cards[i]);
			for (size_t k = 0; k < ARRAY_LEN(looks); k++) {
				struct strbuf text = { 0 };
				char name[64];

				burnin_table_put_head(&text, &f, &looks[k]);
				burnin_table_put(&text, &f, &looks[k]);
				snprintf(name, sizeof(name), "burn-end-%d-%d-sick-%zu.txt",
					cards[i], sick, looks[k].columns);
				golden_compare(name, &text);
				strbuf_clear(&text);
			}
			figures_clear(&f);
		}
}

/* What a terminal has is no wider than it is, and a reason is whole all the same. */
static void no_line_of_a_terminal_is_too_wide(void **state)
{
	const struct burnin_table look = { 80, false };
	struct figures f = { 0 };
	struct strbuf text = { 0 };

	(void)state;
	make(&f, 128, 3);
	burnin_table_put(&text, &f, &look);
	assert_non_null(strstr(text.text, "1 FAIL, 2 INCOMPLETE, 126 PASS: FAIL\n"));
	assert_non_null(strstr(text.text, "word\n      1877 is 0x43a40000, not 0x43a00000\n"));
	for (char *rest = NULL, *line = strtok_r(text.text, "\n", &rest); line;
		line = strtok_r(NULL, "\n", &rest))
		assert_true(strlen(line) <= 80);
	strbuf_clear(&text);
	figures_clear(&f);
}

/* Many that did not pass for one reason are one line, with the indices of all of them. */
static void cards_with_one_reason_share_a_line(void **state)
{
	const struct burnin_table look = { 0, false };
	struct strbuf report = { 0 }, text = { 0 };
	struct figures f = { 0 };
	struct json *json;
	struct error e;

	(void)state;
	strbuf_puts(&report, "{\"verdict\": \"INCOMPLETE\", \"exit_code\": 1, \"seconds\": 3, "
		"\"targets\": [{\"target\": \"9 is no card\", \"verdict\": \"INCOMPLETE\", "
		"\"reason\": \"there is no such card\", \"no_reset\": true}");
	for (int i = 0; i < 9; i++)
		if (i != 4)
			put_card(&report, i, "INCOMPLETE", "it computes nothing");
	strbuf_puts(&report, "]}");
	assert_int_equal(json_parse(report.text, report.len, &json, &e), 0);
	figures_read_json(&f, &all, json);
	json_free(json);
	burnin_table_put(&text, &f, &look);
	assert_non_null(strstr(text.text, "\n      cards 0-3, 5-8: it computes nothing\n"));
	assert_non_null(strstr(text.text, "\n9 is no card  "));
	assert_non_null(strstr(text.text, "\nNo chip was reset before and after (--no-reset).\n"));
	assert_non_null(strstr(text.text, "\n9 INCOMPLETE: INCOMPLETE\n"));
	strbuf_clear(&report);
	strbuf_clear(&text);
	figures_clear(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_look_as_they_did),
		cmocka_unit_test(no_line_of_a_terminal_is_too_wide),
		cmocka_unit_test(cards_with_one_reason_share_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

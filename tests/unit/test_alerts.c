/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Alerts: rules as they are written, and what raises and clears them. */
#include "config.h"
#include "base/mem.h"
#include "telemetry/alerts.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Rules */

static void a_rule_is_a_field_and_two_values(void **state)
{
	static const struct {
		const char *text;
		enum alerts_kind kind;
		enum field_id field;
		int64_t raise, clear;
	} table[] = {
		{ "asic_temperature > 85 clear 80.5", ALERTS_ABOVE, FIELD_ASIC_TEMP, 85000, 80500 },
		{ " asic_temperature>85  clear\t85 ", ALERTS_ABOVE, FIELD_ASIC_TEMP, 85000, 85000 },
		{ "aiclk < 500 clear 800", ALERTS_BELOW, FIELD_AICLK, 500, 800 },
		{ "inlet_temp < -5 clear 0", ALERTS_BELOW, FIELD_INLET_TEMP, -5000, 0 },
		{ "therm_trip_count > 0 clear 0", ALERTS_ABOVE, FIELD_THERM_TRIPS, 0, 0 },
		{ "lost", ALERTS_LOST, FIELD_NONE, 0, 0 },
		{ " lost ", ALERTS_LOST, FIELD_NONE, 0, 0 },
	};
	struct alerts_rule rule;
	struct error e = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		if (alerts_parse("a-rule_1", table[i].text, &rule, &e) < 0)
			fail_msg("%s: %s", table[i].text, e.text);
		assert_string_equal(rule.name, "a-rule_1");
		assert_int_equal(rule.kind, table[i].kind);
		assert_int_equal(rule.field, table[i].field);
		assert_int_equal(rule.raise, table[i].raise);
		assert_int_equal(rule.clear, table[i].clear);
	}
}

static void what_is_no_rule_is_said(void **state)
{
	static const struct {
		const char *name, *text, *says;
	} table[] = {
		{ "hot", "", "FIELD > VALUE clear VALUE" },
		{ "hot", "asic_temperature", "FIELD > VALUE clear VALUE" },
		{ "hot", "asic_temperature > 85", "FIELD > VALUE clear VALUE" },
		{ "hot", "asic_temperature > 85 80", "FIELD > VALUE clear VALUE" },
		{ "hot", "asic_temperature > 85 clear 80 now", "FIELD > VALUE clear VALUE" },
		{ "hot", "asic_temperature >= 85 clear 80", "'=' is not a number" },
		{ "hot", "asic_temperature = 85 clear 80", "FIELD > VALUE clear VALUE" },
		{ "hot", "lost now", "FIELD > VALUE clear VALUE" },
		{ "hot", "lost > 1 clear 0", "FIELD > VALUE clear VALUE" },
		{ "hot", "asic_temperatur > 85 clear 80", "'asic_temperatur' is not a field" },
		{ "hot", "asic_temperature > 85C clear 80", "'85C' is not a number, which counts °C" },
		{ "hot", "asic_temperature > 85 clear", "'' is not a number" },
		{ "hot", "asic_temperature > nan clear 80", "'nan' is not a number" },
		{ "hot", "asic_temperature > 99999999999999999999999999 clear 80", "is not a number" },
		{ "hot", "asic_temperature > 80 clear 85", "clear 85 lies above 80" },
		{ "slow", "aiclk < 800 clear 500", "clear 500 lies below 800" },
		{ "hot", "asic_temperature > 85000 clear 80000", "from -40.0 to 150.0 °C" },
		{ "hot", "asic_temperature > 85 clear -50", "from -40.0 to 150.0 °C" },
		{ "held", "throttle_reason > 0 clear 0", "throttle_reason is not a number" },
		{ "live", "eth_live_mask < 1 clear 1", "is not a number" },
		{ "", "lost", "a name is" },
		{ "a b", "lost", "a name is" },
		{ "a\033[2J", "lost", "a name is" },
		{ "=a", "lost", "a name is" },
		{ "a123456789012345678901234567890123", "lost", "up to 31 letters" },
	};
	struct alerts_rule rule;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		struct error e = { 0 };

		assert_int_equal(alerts_parse(table[i].name, table[i].text, &rule, &e), -EINVAL);
		if (!strstr(e.text, table[i].says))
			fail_msg("'%s': %s", table[i].text, e.text);
		assert_null(strchr(e.text, '\033'));
	}
}

/* Judging */

static struct alerts *a;
static struct snapshot card;

static void watch(const char *text)
{
	struct alerts_rule rule;
	struct error e = { 0 };

	alerts_free(a);
	if (alerts_parse("it", text, &rule, &e) < 0)
		fail_msg("%s", e.text);
	a = alerts_new(&rule, 1);
}

static int end(void **state)
{
	(void)state;
	alerts_free(a);
	a = NULL;
	return 0;
}

/* A sample of a card that is fine; a value in thousandths of °C. */
static void begin_sample(int chip, enum reading_state state, int64_t value)
{
	card = (struct snapshot){ .index = chip, .local = -1, .health = SNAPSHOT_OK,
		.board = "p150a", .bdf = "0000:01:00.0" };
	card.r[FIELD_ASIC_TEMP] = (struct reading){ .state = (uint8_t)state, .value = value };
}

/* 'r' raised, 'c' cleared, '.' nothing. */
static char judge(void)
{
	const struct alerts_event *news;
	char said = '.';
	size_t n;

	alerts_judge(a, &card);
	news = alerts_news(a, &n);
	assert_true(n <= 1);
	if (n == 1) {
		assert_int_equal(news[0].chip, card.index);
		said = news[0].raised ? 'r' : 'c';
	}
	alerts_forget_news(a);
	return said;
}

static char sample(int64_t degrees)
{
	begin_sample(0, READING_OK, degrees * 1000);
	return judge();
}

/* A trace of whole degrees with blanks between, and what it has to say of each. */
static void follow(const char *trace, const char *says)
{
	char said[64] = "";
	size_t n = 0;

	for (const char *at = trace; *at; n++) {
		char *next;

		said[n] = sample(strtol(at, &next, 10));
		at = next + strspn(next, " ");
	}
	assert_string_equal(said, says);
}

static void two_samples_raise_and_two_clear(void **state)
{
	(void)state;
	watch("asic_temperature > 85 clear 80");
	follow("84 86 87 88", "..r.");
	follow("85 84 81 82 84 86 90 81", "........");
	follow("80 79 78 81 70", ".c...");
}

static void one_torn_sample_does_neither(void **state)
{
	(void)state;
	watch("asic_temperature > 85 clear 80");
	follow("60 140 60 140 60 140 85 140", "........");
	follow("140", "r");
	follow("-39 90 -39 90 -39 82 -39", ".......");
}

static void a_value_that_flaps_between_the_two_says_nothing(void **state)
{
	(void)state;
	watch("asic_temperature > 85 clear 80");
	follow("84 85 84 85 86 85 86 85 86 84", "..........");
	follow("86 86", ".r");
	follow("85 86 84 86 81 86 81 80 81 80", "..........");
}

static void below_is_the_same_upside_down(void **state)
{
	(void)state;
	watch("asic_temperature < 20 clear 25");
	follow("20 19 18 21 24 25 26 20 19 25 19 19", "..r...c....r");
}

static void a_counter_needs_no_room_between(void **state)
{
	(void)state;
	watch("asic_temperature > 0 clear 0");
	follow("0 0 1 1 2 0 0", "...r..c");
}

static void what_is_not_known_says_nothing(void **state)
{
	static const enum reading_state states[] = { READING_ABSENT, READING_FAILED,
		READING_IMPLAUSIBLE, READING_STALE, READING_UNJUDGED };

	(void)state;
	watch("asic_temperature > 85 clear 80");
	for (size_t i = 0; i < ARRAY_LEN(states); i++)
		for (int k = 0; k < 5; k++) {
			begin_sample(0, states[i], 140000);
			assert_int_equal(judge(), '.');
		}
	/* It does not come between two samples, either. */
	follow("90", ".");
	begin_sample(0, READING_FAILED, 0);
	assert_int_equal(judge(), '.');
	follow("90", "r");
	for (size_t i = 0; i < ARRAY_LEN(states); i++)
		for (int k = 0; k < 5; k++) {
			begin_sample(0, states[i], 0);
			assert_int_equal(judge(), '.');
		}
	follow("60 60", ".c");
}

static void a_lost_card_neither_raises_nor_clears(void **state)
{
	static const enum snapshot_health healths[] = { SNAPSHOT_FAILED, SNAPSHOT_GONE,
		SNAPSHOT_PENDING, SNAPSHOT_NOT_READ };

	(void)state;
	watch("asic_temperature > 85 clear 80");
	for (size_t i = 0; i < ARRAY_LEN(healths); i++)
		for (int k = 0; k < 5; k++) {
			begin_sample(0, READING_OK, 140000);
			card.health = healths[i];
			assert_int_equal(judge(), '.');
			assert_int_equal(card.n_findings, 0);
		}
}

static void the_end_of_a_recording_is_no_further_sample(void **state)
{
	(void)state;
	watch("asic_temperature > 85 clear 80");
	follow("90", ".");
	for (int k = 0; k < 5; k++) {
		begin_sample(0, READING_OK, 90000);
		card.raw.repeated = true;
		assert_int_equal(judge(), '.');
	}
}

static void two_reads_of_one_sample_agree_on_nothing(void **state)
{
	(void)state;
	watch("asic_temperature > 85 clear 80");
	follow("90", ".");
	for (int k = 0; k < 5; k++) {
		begin_sample(0, READING_OK, 90000);
		card.is_again = true;
		assert_int_equal(judge(), '.');
	}
	follow("90", "r");
	watch("lost");
	for (int k = 0; k < 2; k++) {
		begin_sample(0, READING_OK, 40000);
		card.health = SNAPSHOT_FAILED;
		assert_int_equal(judge(), k ? 'r' : '.');
	}
	for (int k = 0; k < 4; k++) {
		begin_sample(0, READING_OK, 40000);
		card.is_again = k % 2;
		assert_int_equal(judge(), k == 2 ? 'c' : '.');
	}
}

static void stopped_firmware_alerts_by_nothing_that_it_left_behind(void **state)
{
	(void)state;
	watch("asic_temperature > 85 clear 80");
	for (int k = 0; k < 5; k++) {
		begin_sample(0, READING_OK, 90000);
		card.health = SNAPSHOT_WARN;
		card.beat = SNAPSHOT_BEAT_STOPPED;
		card.findings[card.n_findings++] = (struct finding){ "heartbeat", "silent" };
		assert_int_equal(judge(), '.');
	}
}

static void lost_is_an_alert_of_its_own(void **state)
{
	static const struct {
		enum snapshot_health health;
		int want;
		char says;
	} table[] = {
		{ SNAPSHOT_OK, 0, '.' }, { SNAPSHOT_FAILED, 0, '.' }, { SNAPSHOT_WARN, 0, '.' },
		{ SNAPSHOT_FAILED, 0, '.' }, { SNAPSHOT_PENDING, 0, '.' },
		{ SNAPSHOT_NOT_READ, 0, '.' }, { SNAPSHOT_FAILED, EMFILE, '.' },
		{ SNAPSHOT_GONE, 0, 'r' }, { SNAPSHOT_GONE, 0, '.' }, { SNAPSHOT_PENDING, 0, '.' },
		{ SNAPSHOT_OK, 0, '.' }, { SNAPSHOT_OK, 0, 'c' },
	};

	(void)state;
	watch("lost");
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		begin_sample(0, READING_OK, 40000);
		card.health = table[i].health;
		card.raw.sample_error.code = -table[i].want;
		if (judge() != table[i].says)
			fail_msg("sample %zu", i);
	}
}

static void a_card_given_to_another_driver_is_not_lost(void **state)
{
	static const enum snapshot_health healths[] = { SNAPSHOT_GONE, SNAPSHOT_GONE,
		SNAPSHOT_NOT_READ, SNAPSHOT_NOT_READ, SNAPSHOT_NOT_READ };
	static const char says[] = ".r.c.";

	(void)state;
	watch("lost");
	for (size_t i = 0; i < ARRAY_LEN(healths); i++) {
		begin_sample(0, READING_OK, 40000);
		card.health = healths[i];
		card.code = CODE_NO_DRIVER;
		assert_int_equal(judge(), says[i]);
	}
}

static void cards_are_apart(void **state)
{
	(void)state;
	watch("asic_temperature > 85 clear 80");
	for (int i = 0; i < 320; i++) {
		begin_sample(i, READING_OK, 90000);
		assert_int_equal(judge(), '.');
	}
	for (int i = 0; i < 320; i += 2) {
		begin_sample(i, READING_OK, 90000);
		assert_int_equal(judge(), 'r');
	}
	for (int i = 1; i < 320; i += 2) {
		begin_sample(i, READING_OK, 70000);
		assert_int_equal(judge(), '.');
	}
}

static void all_rules_of_all_cards_at_once_are_all_news(void **state)
{
	struct alerts_rule rules[ALERTS_RULES + 1];
	struct error e = { 0 };
	size_t n;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		char name[16];

		snprintf(name, sizeof(name), "rule%zu", i);
		alerts_parse(name, "asic_temperature > 85 clear 80", &rules[i], &e);
	}
	a = alerts_new(rules, ARRAY_LEN(rules));
	for (int k = 0; k < 2; k++)
		for (int i = 0; i < 320; i++) {
			begin_sample(i, READING_OK, 90000);
			alerts_judge(a, &card);
		}
	alerts_news(a, &n);
	assert_int_equal(n, 320 * ALERTS_RULES);
	alerts_forget_news(a);
	/* More findings than a card has room for are dropped. */
	assert_int_equal(card.n_findings, SNAPSHOT_FINDINGS);
}

static void what_is_raised_is_a_finding(void **state)
{
	(void)state;
	watch("asic_temperature > 85 clear 80");
	follow("90", ".");
	assert_int_equal(card.health, SNAPSHOT_OK);
	follow("90", "r");
	assert_int_equal(card.health, SNAPSHOT_WARN);
	assert_string_equal(card.findings[0].id, "alert");
	assert_string_equal(card.findings[0].text,
		"alert it: Core Temp 90.0 °C, raised above 85 °C, clears at 80 °C");
	begin_sample(0, READING_FAILED, 0);
	judge();
	assert_string_equal(card.findings[0].text,
		"alert it: Core Temp not known now, raised above 85 °C, clears at 80 °C");
	follow("70 70", ".c");
	assert_int_equal(card.n_findings, 0);
}

static void the_longest_finding_has_room(void **state)
{
	struct alerts_rule rule;
	struct error e = { 0 };
	char text[120];

	(void)state;
	for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++) {
		if (!field_is_number(id))
			continue;
		snprintf(text, sizeof(text), "%s > 1 clear 1", fields[id].key);
		if (alerts_parse("a-name-of-thirty-one-characters", text, &rule, &e) < 0)
			continue;
		a = alerts_new(&rule, 1);
		for (int k = 0; k < 2; k++) {
			begin_sample(0, READING_OK, 0);
			card.r[id] = (struct reading){ .state = READING_OK,
				.value = fields[id].high ? fields[id].high : INT32_MAX };
			alerts_judge(a, &card);
		}
		if (!strstr(card.findings[0].text, "clears at 1"))
			fail_msg("%s", card.findings[0].text);
		alerts_free(a);
		a = NULL;
	}
}

static void an_event_is_a_sentence(void **state)
{
	const struct alerts_event *news;
	char text[ALERTS_TEXT];
	size_t n;

	(void)state;
	watch("asic_temperature > 85 clear 80");
	for (int k = 0; k < 2; k++) {
		begin_sample(0, READING_OK, 90040);
		alerts_judge(a, &card);
	}
	news = alerts_news(a, &n);
	assert_string_equal(alerts_event_text(&news[0], &card, text),
		"alert it raised: 0 p150a 0000:01:00.0: Core Temp 90.0 °C is above 85 °C");
	alerts_forget_news(a);
	for (int k = 0; k < 2; k++) {
		begin_sample(0, READING_OK, 70000);
		alerts_judge(a, &card);
	}
	news = alerts_news(a, &n);
	assert_string_equal(alerts_event_text(&news[0], &card, text),
		"alert it cleared: 0 p150a 0000:01:00.0: Core Temp 70.0 °C is not above 80 °C");
	watch("lost");
	for (int k = 0; k < 2; k++) {
		begin_sample(3, READING_ABSENT, 0);
		card.health = SNAPSHOT_GONE;
		mem_copy_text(card.reason, sizeof(card.reason), "not on the bus any more");
		alerts_judge(a, &card);
	}
	news = alerts_news(a, &n);
	assert_string_equal(alerts_event_text(&news[0], &card, text),
		"alert it raised: 3 p150a 0000:01:00.0: not on the bus any more");
}

static void what_stands_is_named_or_counted(void **state)
{
	struct alerts_rule rules[3];
	struct error e = { 0 };
	char text[32];

	(void)state;
	alerts_parse("hot", "asic_temperature > 85 clear 80", &rules[0], &e);
	alerts_parse("warm", "asic_temperature > 60 clear 50", &rules[1], &e);
	alerts_parse("a-name-that-is-rather-long", "asic_temperature > 95 clear 90", &rules[2], &e);
	a = alerts_new(rules, 3);
	assert_string_equal(alerts_standing(a, text, sizeof(text)), "");
	for (int k = 0; k < 2; k++)
		for (int i = 0; i < 3; i++) {
			begin_sample(i, READING_OK, i == 0 ? 90000 : 70000);
			alerts_judge(a, &card);
		}
	assert_string_equal(alerts_standing(a, text, sizeof(text)), "hot, warm 3");
	for (int k = 0; k < 2; k++) {
		begin_sample(1, READING_OK, 99000);
		alerts_judge(a, &card);
	}
	assert_string_equal(alerts_standing(a, text, sizeof(text)), "6 alerts");
	assert_string_equal(alerts_standing(NULL, text, sizeof(text)), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rule_is_a_field_and_two_values),
		cmocka_unit_test(what_is_no_rule_is_said),
		cmocka_unit_test_teardown(two_samples_raise_and_two_clear, end),
		cmocka_unit_test_teardown(one_torn_sample_does_neither, end),
		cmocka_unit_test_teardown(a_value_that_flaps_between_the_two_says_nothing, end),
		cmocka_unit_test_teardown(below_is_the_same_upside_down, end),
		cmocka_unit_test_teardown(a_counter_needs_no_room_between, end),
		cmocka_unit_test_teardown(what_is_not_known_says_nothing, end),
		cmocka_unit_test_teardown(a_lost_card_neither_raises_nor_clears, end),
		cmocka_unit_test_teardown(the_end_of_a_recording_is_no_further_sample, end),
		cmocka_unit_test_teardown(two_reads_of_one_sample_agree_on_nothing, end),
		cmocka_unit_test_teardown(stopped_firmware_alerts_by_nothing_that_it_left_behind,
			end),
		cmocka_unit_test_teardown(lost_is_an_alert_of_its_own, end),
		cmocka_unit_test_teardown(a_card_given_to_another_driver_is_not_lost, end),
		cmocka_unit_test_teardown(cards_are_apart, end),
		cmocka_unit_test_teardown(all_rules_of_all_cards_at_once_are_all_news, end),
		cmocka_unit_test_teardown(what_is_raised_is_a_finding, end),
		cmocka_unit_test_teardown(the_longest_finding_has_room, end),
		cmocka_unit_test_teardown(an_event_is_a_sentence, end),
		cmocka_unit_test_teardown(what_stands_is_named_or_counted, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

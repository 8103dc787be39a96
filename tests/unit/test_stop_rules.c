/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --max-temp: what is no reading, and how long a burn goes on without one.
 */
#include "config.h"
#include "base/mem.h"
#include "base/clock.h"
#include "burnin/host/stop_rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define S     CLOCK_SECOND
#define START (1000 * S)

static struct stop_rules rules;

/*
 * Judge one sensor ten times a second from one time to the other; read: when its value was read,
 * 0: each time anew.  True if the burn ends meanwhile.
 */
static bool judge(enum reading_state state, int64_t value, int64_t read, int64_t from, int64_t to)
{
	static struct sensors s = { .n = 1, .s = { { .kind = SENSOR_TEMP, .name = "board" } } };

	s.s[0].state = (uint8_t)state;
	s.s[0].value = value;
	for (int64_t now = from; now <= to; now += S / 10) {
		s.s[0].time = read ? read : now;
		if (stop_rules_judge(&rules, &s, NULL, now))
			return true;
	}
	return false;
}

static int begin(void **state)
{
	(void)state;
	stop_rules_begin(&rules, 90000, START);
	return 0;
}

static void one_that_is_known_to_the_end_passes(void **state)
{
	(void)state;
	assert_false(judge(READING_OK, 50000, 0, START, START + 60 * S));
	assert_false(stop_rules_end(&rules));
	assert_true(judge(READING_OK, 90000, 0, START + 60 * S, START + 61 * S));
	assert_string_equal(rules.why.text, "board is at 90.0 °C, over --max-temp");
}

static void one_that_is_lost_is_no_pass(void **state)
{
	(void)state;
	assert_false(judge(READING_OK, 50000, 0, START, START + 2 * S));
	assert_false(judge(READING_FAILED, 50000, 0, START + 2 * S, START + 9 * S));
	assert_true(stop_rules_end(&rules));
}

static void one_that_is_read_no_more_is_lost(void **state)
{
	(void)state;
	assert_false(judge(READING_OK, 50000, START, START, START + 4 * S));
	assert_false(judge(READING_OK, 50000, START, START + 4 * S, START + 14 * S));
	assert_true(judge(READING_OK, 50000, START, START + 14 * S, START + 16 * S));
	assert_true(stop_rules_end(&rules));
}

static void one_that_comes_back_is_watched_again(void **state)
{
	(void)state;
	assert_false(judge(READING_FAILED, 0, 0, START, START + 9 * S));
	assert_false(judge(READING_OK, 50000, 0, START + 9 * S, START + 10 * S));
	assert_false(judge(READING_FAILED, 0, 0, START + 10 * S, START + 19 * S));
	assert_false(judge(READING_OK, 50000, 0, START + 19 * S, START + 20 * S));
	assert_false(stop_rules_end(&rules));
}

/* After Ctrl-Z the newest reading may be old, until the next one comes. */
static void a_program_that_was_stopped_has_lost_nothing(void **state)
{
	const int64_t later = START + 3600 * S;

	(void)state;
	assert_false(judge(READING_OK, 50000, 0, START, START + 2 * S));
	assert_false(judge(READING_STALE, 50000, START, later, later + 2 * S));
	assert_false(judge(READING_OK, 50000, 0, later + 2 * S, later + 3 * S));
	assert_false(stop_rules_end(&rules));
}

static void what_was_never_judged_is_no_pass(void **state)
{
	(void)state;
	assert_true(stop_rules_end(&rules));
	stop_rules_begin(&rules, 0, START);
	assert_false(judge(READING_FAILED, 0, 0, START, START + 60 * S));
	assert_false(stop_rules_end(&rules));
}

/* The one that is lost may be the hottest, whatever the others say. */
static void one_of_two_that_is_lost_is_no_pass(void **state)
{
	struct sensors s = { .n = 3, .s = {
		{ SENSOR_TEMP, READING_OK, .value = 50000, .time = START, .name = "processor" },
		{ SENSOR_TEMP, READING_OK, .value = 50000, .time = START, .name = "board" },
		{ SENSOR_TEMP, READING_FAILED, .name = "never" } } };
	static struct stop_rule list[STOP_RULES_WATCHED];

	(void)state;
	assert_false(stop_rules_judge(&rules, &s, NULL, START));
	assert_int_equal(rules.blind, 0);
	for (int64_t now = START; now < START + 10 * S; now += S) {
		s.s[0].time = now;
		s.s[1].state = READING_FAILED;
		assert_false(stop_rules_judge(&rules, &s, NULL, now));
	}
	assert_true(stop_rules_end(&rules));
	assert_string_equal(rules.why.text,
		"--max-temp cannot be watched: the temperature of board is known no more");
	assert_int_equal(stop_rules_list(&rules, &s, NULL, list), 4);
	assert_string_equal(list[0].text, "board: its temperature is not known");
	assert_string_equal(list[1].text, "never: its temperature is not known");
	assert_string_equal(list[3].text, "--max-temp: the temperature of board is known no more");
	assert_false(list[0].applied || list[1].applied || list[3].applied);
	/* While it goes on, it ends for that as it does for the loss of all. */
	rules.why.text[0] = '\0';
	s.s[0].time = START + 10 * S;
	assert_true(stop_rules_judge(&rules, &s, NULL, START + 10 * S));
}

/* Judge one card ten times a second for so long, and give it the time of each sample. */
static const struct error *judge_card_for(struct snapshot *s, int64_t ns)
{
	struct fleet f = { .n = 1, .chips = s, .wanted = &(bool){ true }, .time = s->time };

	for (const int64_t end = f.time + ns; f.time <= end; f.time += S / 10) {
		s->time = f.time;
		assert_false(stop_rules_judge(&rules, NULL, &f, f.time));
		if (rules.own[0])
			break;
	}
	return rules.own[0];
}

static void a_card_whose_fan_stops_or_that_is_lost_ends_its_own_burn(void **state)
{
	static const struct {
		bool turns, stops, is_lost;
		enum code code;
	} cases[] = {
		{ true, false, false, CODE_NONE },
		{ true, true, false, CODE_FAN_STOPPED },
		{ false, true, false, CODE_NONE },	/* it has none, or it cannot be read */
		{ true, false, true, CODE_NOT_WATCHED },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		static struct snapshot s;
		const struct error *why;

		stop_rules_begin(&rules, 0, START);
		rules.burns[0] = true;
		s = (struct snapshot){ .health = SNAPSHOT_OK, .beat = SNAPSHOT_BEAT_ALIVE,
			.time = START };
		s.r[FIELD_FAN_RPM] = (struct reading){ .state = READING_OK,
			.value = cases[i].turns ? 1000 : 0 };
		assert_null(judge_card_for(&s, 10 * S));
		if (cases[i].stops)
			s.r[FIELD_FAN_RPM].value = 0;
		if (cases[i].is_lost)
			s.health = SNAPSHOT_FAILED;
		assert_null(judge_card_for(&s, 4 * S));
		why = judge_card_for(&s, 2 * S);
		assert_int_equal(why ? why->word : CODE_NONE, cases[i].code);
		stop_rules_clear(&rules);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(one_that_is_known_to_the_end_passes, begin),
		cmocka_unit_test_setup(one_that_is_lost_is_no_pass, begin),
		cmocka_unit_test_setup(one_that_is_read_no_more_is_lost, begin),
		cmocka_unit_test_setup(one_that_comes_back_is_watched_again, begin),
		cmocka_unit_test_setup(a_program_that_was_stopped_has_lost_nothing, begin),
		cmocka_unit_test_setup(one_of_two_that_is_lost_is_no_pass, begin),
		cmocka_unit_test_setup(what_was_never_judged_is_no_pass, begin),
		cmocka_unit_test(
			a_card_whose_fan_stops_or_that_is_lost_ends_its_own_burn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sampler above simulated boards: one bad card costs itself, nobody else,
 * and nothing is left running.
 */
#include "config.h"
#include "base/clock.h"
#include "device/bus.h"
#include "telemetry/sampler/sampler.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static struct bus *bus;

static struct sampler *open_sim(const char *spec, bool one_shot, int64_t deadline)
{
	struct sampler_config c = { .one_shot = one_shot, .deadline = deadline };
	struct sampler *s = NULL;
	struct error e = { 0 };

	if (bus_open(&(struct bus_config){ .root = "/", .sim = spec }, &bus, &e) < 0)
		fail_msg("%s: %s", spec, e.text);
	c.bus = bus;
	if (sampler_open(&c, &s, &e) < 0)
		fail_msg("%s: %s", spec, e.text);
	sampler_await_all(s);
	return s;
}

static void close_sim(struct sampler *s)
{
	sampler_close(s);
	bus_close(bus);
}

static void tick(struct sampler *s)
{
	struct error e = { 0 };

	assert_int_equal(sampler_tick(s, &e), 0);
}

static const struct snapshot *chip(struct sampler *s, size_t i)
{
	assert_true(i < sampler_fleet(s)->n);
	return &sampler_fleet(s)->chips[i];
}

/* All our children are gone, or go within the deadline of this test. */
static void assert_no_children(void)
{
	int64_t end = clock_steady() + 10 * CLOCK_SECOND;

	while (waitpid(-1, NULL, WNOHANG) >= 0 && clock_steady() < end)
		poll(NULL, 0, 1);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void every_board_is_read(void **state)
{
	struct sampler *s = open_sim("n150,p100a,p150a,p300", true, 0);

	(void)state;
	tick(s);
	assert_int_equal(sampler_fleet(s)->n, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(chip(s, i)->index, (int)i);
		assert_true(chip(s, i)->health == SNAPSHOT_OK || chip(s,
			i)->health == SNAPSHOT_WARN);
		assert_true(reading_is_ok(&chip(s, i)->r[FIELD_ASIC_TEMP]));
		assert_int_equal(chip(s, i)->tick, 1);
	}
	close_sim(s);
	assert_no_children();
}

static void remote_chips_stand_behind_all_functions(void **state)
{
	struct sampler *s = open_sim("n300,p150a,n300", true, 0);

	(void)state;
	tick(s);
	assert_int_equal(sampler_fleet(s)->n, 5);
	assert_string_equal(chip(s, 0)->series, "n300 L");
	assert_string_equal(chip(s, 1)->series, "p150a");
	assert_string_equal(chip(s, 2)->series, "n300 L");
	assert_string_equal(chip(s, 3)->series, "n300 R");
	assert_int_equal(chip(s, 3)->local, 0);
	assert_int_equal(chip(s, 4)->local, 2);
	close_sim(s);
	assert_no_children();
}

static void a_remote_chip_is_left_alone_by_live_looks_and_says_why(void **state)
{
	struct sampler *s = open_sim("n300", false, 0);

	(void)state;
	tick(s);
	assert_int_equal(sampler_fleet(s)->n, 2);
	assert_int_equal(chip(s, 1)->health, SNAPSHOT_NOT_READ);
	assert_non_null(strstr(chip(s, 1)->reason, "--remote"));
	close_sim(s);
	s = open_sim("n300:held", true, 0);
	tick(s);
	assert_int_equal(chip(s, 1)->health, SNAPSHOT_NOT_READ);
	assert_non_null(strstr(chip(s, 1)->reason, "holds the board"));
	assert_true(sampler_fleet(s)->n_processes >= 1);
	close_sim(s);
	assert_no_children();
}

static void a_stuck_card_is_left_behind_and_the_others_go_on(void **state)
{
	struct sampler *s = open_sim("p150a,p150a:slow,p150a,n150", false, 200 * CLOCK_MS);

	(void)state;
	tick(s);
	assert_int_equal(chip(s, 1)->health, SNAPSHOT_FAILED);
	assert_non_null(strstr(chip(s, 1)->reason, "no answer within 0.2 s"));
	assert_int_equal(sampler_fleet(s)->workers_lost, 1);
	for (size_t i = 0; i < 4; i++)
		if (i != 1)
			assert_true(chip(s, i)->health == SNAPSHOT_OK);
	/* It is left alone now: the next tick loses no worker. */
	tick(s);
	assert_int_equal(sampler_fleet(s)->workers_lost, 1);
	assert_int_equal(chip(s, 1)->health, SNAPSHOT_FAILED);
	assert_int_equal(chip(s, 3)->tick, 2);
	close_sim(s);
	assert_no_children();
}

static void each_of_many_stuck_cards_costs_one_worker(void **state)
{
	struct sampler *s = open_sim("p150a:slow,n150:slow,p150a,p100a:slow", true, 100 * CLOCK_MS);

	(void)state;
	tick(s);
	assert_int_equal(sampler_fleet(s)->workers_lost, 3);
	assert_true(chip(s, 2)->health == SNAPSHOT_OK);
	assert_true(chip(s, 3)->health == SNAPSHOT_FAILED);
	close_sim(s);
	assert_no_children();
}

static void a_killed_worker_is_replaced(void **state)
{
	struct sampler *s = open_sim("2*p150a", false, 0);
	char path[64], text[256] = "";
	FILE *f;

	(void)state;
	tick(s);
	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	for (char *p = text; *p && *p != '\n';) {
		long pid = strtol(p, &p, 10);

		if (pid > 0)
			kill((pid_t)pid, SIGKILL);
		p += strspn(p, " ");
	}
	tick(s);
	assert_true(chip(s, 0)->health == SNAPSHOT_OK && chip(s, 1)->health == SNAPSHOT_OK);
	assert_int_equal(chip(s, 1)->tick, 2);
	close_sim(s);
	assert_no_children();
}

static void values_of_a_failed_card_are_stale_not_gone(void **state)
{
	struct sampler *s;

	(void)state;
	setenv("TT_SMI_VIRTUAL_TIME", "1795252364", 1);
	clock_init();
	s = open_sim("p150a:eio@5,p150a", false, 0);
	tick(s);
	assert_true(chip(s, 0)->health == SNAPSHOT_OK);
	clock_sleep_until(clock_mono() + 6 * CLOCK_SECOND);
	tick(s);
	assert_int_equal(chip(s, 0)->health, SNAPSHOT_FAILED);
	assert_int_equal(chip(s, 0)->r[FIELD_ASIC_TEMP].state, READING_STALE);
	assert_true(chip(s, 0)->r[FIELD_ASIC_TEMP].time < sampler_fleet(s)->time);
	assert_true(chip(s, 1)->health == SNAPSHOT_OK);
	close_sim(s);
	assert_no_children();
}

static void a_card_that_vanishes_keeps_its_place_and_returns(void **state)
{
	struct sampler *s = open_sim("p150a,n150:gone@5-20", false, 0);
	struct error e;

	(void)state;
	tick(s);
	assert_true(chip(s, 1)->health == SNAPSHOT_OK);
	clock_sleep_until(clock_mono() + 6 * CLOCK_SECOND);
	assert_int_equal(sampler_rescan(s, &e), 1);
	tick(s);
	assert_int_equal(sampler_fleet(s)->n, 2);
	assert_int_equal(chip(s, 1)->health, SNAPSHOT_GONE);
	clock_sleep_until(clock_mono() + 20 * CLOCK_SECOND);
	assert_int_equal(sampler_rescan(s, &e), 1);
	tick(s);
	assert_true(chip(s, 1)->health == SNAPSHOT_OK);
	close_sim(s);
	assert_no_children();
}

static void unwanted_cards_are_not_looked_at(void **state)
{
	static const bool wanted[] = { false, true };
	struct sampler *s = open_sim("p150a:slow,p150a", true, 5 * CLOCK_SECOND);

	(void)state;
	sampler_select(s, wanted, 2, "");
	tick(s);
	assert_int_equal(sampler_fleet(s)->workers_lost, 0);
	assert_int_equal(chip(s, 0)->health, SNAPSHOT_PENDING);
	assert_true(chip(s, 1)->health == SNAPSHOT_OK);
	close_sim(s);
	assert_no_children();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_board_is_read),
		cmocka_unit_test(remote_chips_stand_behind_all_functions),
		cmocka_unit_test(a_remote_chip_is_left_alone_by_live_looks_and_says_why),
		cmocka_unit_test(a_stuck_card_is_left_behind_and_the_others_go_on),
		cmocka_unit_test(each_of_many_stuck_cards_costs_one_worker),
		cmocka_unit_test(a_killed_worker_is_replaced),
		cmocka_unit_test(values_of_a_failed_card_are_stale_not_gone),
		cmocka_unit_test(a_card_that_vanishes_keeps_its_place_and_returns),
		cmocka_unit_test(unwanted_cards_are_not_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

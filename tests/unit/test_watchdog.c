/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_watchdog.c - who has stood still, and for how long; never who was only not looked at.
 */
#include "config.h"
#include "act/watchdog.h"
#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define TURN (CLOCK_SECOND / 10)

/* Look each turn for so many of them; only party `mover` moves. */
static int64_t watch(struct watchdog *w, int64_t now, int turns, size_t mover)
{
	for (int i = 0; i < turns; i++) {
		now += TURN;
		watchdog_look(w, now);
		for (size_t k = 0; k < w->n; k++)
			watchdog_see(w, k, w->parties[k].count + (k == mover),
				w->parties[k].is_done);
	}
	return now;
}

static void the_one_that_stood_longest_is_named(void **state)
{
	struct watchdog w;
	int64_t now = 1000;
	size_t who;

	(void)state;
	watchdog_open(&w, 3, now);
	now = watch(&w, now, 10, 1);
	now = watch(&w, now, 10, 2);
	assert_int_equal(watchdog_stands(&w, 0), 20 * TURN);
	assert_int_equal(watchdog_stands(&w, 1), 10 * TURN);
	assert_int_equal(watchdog_stands(&w, 2), 0);
	assert_int_equal(watchdog_longest(&w, &who), 20 * TURN);
	assert_int_equal(who, 0);
	watchdog_close(&w);
}

static void one_that_is_done_does_not_stand_still(void **state)
{
	struct watchdog w;
	int64_t now = 1000;
	size_t who;

	(void)state;
	watchdog_open(&w, 2, now);
	watchdog_see(&w, 0, 1, true);
	now = watch(&w, now, 10, 2);
	assert_int_equal(watchdog_stands(&w, 0), 0);
	assert_int_equal(watchdog_longest(&w, &who), 10 * TURN);
	assert_int_equal(who, 1);
	/* All are: what holds them all has not moved since the last of them did. */
	watchdog_see(&w, 1, 1, true);
	now = watch(&w, now, 7, 2);
	assert_int_equal(watchdog_longest(&w, &who), 7 * TURN);
	watchdog_close(&w);
}

static void a_watch_that_was_away_has_seen_nobody_stand_still(void **state)
{
	struct watchdog w;
	int64_t now = 1000;
	size_t who;

	(void)state;
	watchdog_open(&w, 1, now);
	now = watch(&w, now, 10, 1) + 3600 * CLOCK_SECOND;
	assert_int_equal(watchdog_look(&w, now), 3600 * CLOCK_SECOND);
	assert_in_range(watchdog_longest(&w, &who), 10 * TURN, 10 * TURN + CLOCK_SECOND);
	/* But one that looks seldom finds it nevertheless. */
	for (int i = 0; i < 100; i++)
		watchdog_look(&w, now += 2 * CLOCK_SECOND);
	assert_true(watchdog_longest(&w, &who) > 20 * CLOCK_SECOND);
	watchdog_close(&w);
}

static void of_nobody_nothing_is_said(void **state)
{
	struct watchdog w;
	size_t who;

	(void)state;
	watchdog_open(&w, 0, 5);
	watchdog_look(&w, 7);
	watchdog_longest(&w, &who);
	assert_int_equal(who, 0);
	watchdog_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{ "the one that stood longest is named", the_one_that_stood_longest_is_named, NULL,
			NULL, NULL },
		{ "one that is done does not stand still", one_that_is_done_does_not_stand_still,
			NULL, NULL, NULL },
		{ "a watch that was away has seen nobody stand still",
			a_watch_that_was_away_has_seen_nobody_stand_still, NULL, NULL, NULL },
		{ "of nobody nothing is said", of_nobody_nothing_is_said, NULL, NULL, NULL },
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

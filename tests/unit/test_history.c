/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the history still knows, how finely, and what it must not invent. */
#include "config.h"
#include "telemetry/history.h"

#include "base/clock.h"
#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define TEMP 0		/* metric of FIELD_ASIC_TEMP */

static struct snapshot chip;
static struct fleet fleet = { .n = 1, .chips = &chip };

static void push(struct history *h, int64_t time, int64_t value)
{
	chip = (struct snapshot){ .index = 0, .local = -1, .health = SNAPSHOT_OK };
	chip.r[FIELD_ASIC_TEMP] = (struct reading){ .value = value, .state = READING_OK };
	fleet.time = time;
	history_push(h, &fleet);
}

static struct history *begin(void)
{
	struct history *h = history_new();

	history_reserve(h, 1);
	return h;
}

static void readings_come_back_in_their_slices(void **state)
{
	struct history_bin bins[10];
	struct history *h = begin();

	(void)state;
	for (int i = 0; i < 10; i++)
		push(h, (100 + i) * CLOCK_SECOND, 1000 * i);
	assert_int_equal(history_series(h, 0, TEMP, 100 * CLOCK_SECOND, 110 * CLOCK_SECOND, 0, bins,
		10),
		10);
	for (int i = 0; i < 10; i++)
		assert_int_equal(bins[i].max, 1000 * i);
	assert_int_equal(history_series(h, 0, TEMP, 100 * CLOCK_SECOND, 110 * CLOCK_SECOND, 0, bins,
		2), 2);
	assert_int_equal(bins[1].min, 5000);
	assert_int_equal(bins[1].max, 9000);
	assert_int_equal(bins[1].avg, 7000);
	history_free(h);
}

static void a_long_silence_stays_a_hole_and_a_short_one_is_bridged(void **state)
{
	struct history_bin bins[20];
	struct history *h = begin();

	(void)state;
	push(h, 100 * CLOCK_SECOND, 1);
	push(h, 102 * CLOCK_SECOND, 2);
	push(h, 115 * CLOCK_SECOND, 3);
	history_series(h, 0, TEMP, 100 * CLOCK_SECOND, 120 * CLOCK_SECOND, 3 * CLOCK_SECOND, bins,
		20);
	assert_int_equal(bins[1].n, 1);
	assert_int_equal(bins[1].max, 1);
	for (int i = 6; i < 15; i++)
		assert_int_equal(bins[i].n, 0);
	assert_int_equal(bins[19].n, 0);
	history_free(h);
}

static void only_readings_that_are_ok_count(void **state)
{
	static const enum reading_state states[] = { READING_ABSENT, READING_FAILED,
		READING_IMPLAUSIBLE, READING_STALE, READING_UNJUDGED };
	struct history *h = begin();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(states); i++) {
		chip = (struct snapshot){ .index = 0, .health = SNAPSHOT_OK };
		chip.r[FIELD_ASIC_TEMP] =
			(struct reading){ .value = 5, .state = (uint8_t)states[i] };
		fleet.time = (int64_t)(i + 1) * CLOCK_SECOND;
		history_push(h, &fleet);
	}
	assert_int_equal(history_oldest(h, 0), 0);
	assert_int_equal(history_stats(h, 0, FIELD_ASIC_TEMP)->n, 0);
	history_free(h);
}

/* The same value again in each of these samples, of which none is one of its own. */
static void what_is_no_new_sample_does_not_count(void **state)
{
	static const struct snapshot samples[] = {
		{ .health = SNAPSHOT_OK, .is_again = true },
		{ .health = SNAPSHOT_OK, .age = 1 },
		{ .health = SNAPSHOT_OK, .raw.repeated = true },
		{ .health = SNAPSHOT_FAILED },
		{ .health = SNAPSHOT_WARN, .beat = SNAPSHOT_BEAT_STOPPED, .n_findings = 1,
			.findings = { { .id = "heartbeat" } } },
	};
	struct history *h = begin();

	(void)state;
	push(h, 1 * CLOCK_SECOND, 10);
	push(h, 2 * CLOCK_SECOND, 20);
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		chip = samples[i];
		chip.r[FIELD_ASIC_TEMP] = (struct reading){ .value = 90, .state = READING_OK };
		fleet.time = (int64_t)(i + 3) * CLOCK_SECOND;
		history_push(h, &fleet);
	}
	assert_int_equal(history_stats(h, 0, FIELD_ASIC_TEMP)->n, 2);
	assert_int_equal(history_stats(h, 0, FIELD_ASIC_TEMP)->most, 20);
	history_free(h);
	/* Nor does the first one of firmware that had stopped before. */
	h = begin();
	push(h, 1 * CLOCK_SECOND, 10);
	chip = samples[ARRAY_LEN(samples) - 1];
	history_push(h, &fleet);
	assert_int_equal(history_stats(h, 0, FIELD_ASIC_TEMP)->n, 0);
	assert_int_equal(history_oldest(h, 0), 0);
	history_free(h);
}

static void a_day_is_kept_and_a_short_peak_in_it_is_not_lost(void **state)
{
	struct history_bin bins[240];
	struct history *h = begin();
	int64_t day = 86400, peak = 3 * 3600;
	int64_t max = 0;

	(void)state;
	for (int64_t t = 60; t <= day; t++)
		push(h, t * CLOCK_SECOND, t == peak ? 99000 : 50000);
	assert_true(history_series(h, 0, TEMP, 3600 * CLOCK_SECOND, day * CLOCK_SECOND,
			    120 * CLOCK_SECOND, bins, 240) > 235);
	for (size_t i = 0; i < 240; i++)
		max = bins[i].n && bins[i].max > max ? bins[i].max : max;
	assert_int_equal(max, 99000);
	assert_true(history_oldest(h, 0) < 3600 * CLOCK_SECOND);
	history_free(h);
}

static void running_figures_begin_anew_when_told(void **state)
{
	struct history *h = begin();

	(void)state;
	push(h, 1 * CLOCK_SECOND, 10);
	push(h, 2 * CLOCK_SECOND, 30);
	assert_int_equal(history_stats(h, 0, FIELD_ASIC_TEMP)->least, 10);
	assert_int_equal(history_stats(h, 0, FIELD_ASIC_TEMP)->most, 30);
	assert_int_equal(history_stats(h, 0, FIELD_ASIC_TEMP)->sum, 40);
	assert_int_equal(history_stats_since(h), CLOCK_SECOND);
	history_restart_stats(h);
	push(h, 3 * CLOCK_SECOND, 20);
	assert_int_equal(history_stats(h, 0, FIELD_ASIC_TEMP)->n, 1);
	assert_int_equal(history_stats(h, 0, FIELD_ASIC_TEMP)->least, 20);
	assert_int_equal(history_stats_since(h), 3 * CLOCK_SECOND);
	history_free(h);
}

static void a_chip_without_room_is_left_out(void **state)
{
	struct history_bin bins[4];
	struct history *h = history_new();

	(void)state;
	push(h, CLOCK_SECOND, 1);
	assert_null(history_stats(h, 0, FIELD_ASIC_TEMP));
	assert_int_equal(history_series(h, 0, TEMP, 0, CLOCK_SECOND, 0, bins, 4), 0);
	assert_int_equal(history_series(h, DEVICE_MAX + 1, TEMP, 0, CLOCK_SECOND, 0, bins, 4), 0);
	history_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readings_come_back_in_their_slices),
		cmocka_unit_test(a_long_silence_stays_a_hole_and_a_short_one_is_bridged),
		cmocka_unit_test(only_readings_that_are_ok_count),
		cmocka_unit_test(what_is_no_new_sample_does_not_count),
		cmocka_unit_test(a_day_is_kept_and_a_short_peak_in_it_is_not_lost),
		cmocka_unit_test(running_figures_begin_anew_when_told),
		cmocka_unit_test(a_chip_without_room_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

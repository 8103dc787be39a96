/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Totals over time: energy, throttled time, counters that never fall, link errors.
 */
#include "config.h"
#include "base/mem.h"
#include "device/bus.h"
#include "telemetry/tally.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct snapshot s;
static struct tally t;

static int begin(void **state)
{
	(void)state;
	memset(&s, 0, sizeof(s));
	s.health = SNAPSHOT_OK;
	tally_init(&t);
	return 0;
}

/* One reading at this time, in ms, and no other. */
static void take(enum field_id id, int64_t ms, int64_t value)
{
	memset(s.r, 0, sizeof(s.r));
	s.r[id] = (struct reading){ .value = value, .time = ms * CLOCK_MS, .state = READING_OK };
	tally_take(&t, &s, 0);
}

static void a_power_is_integrated_by_the_trapezium(void **state)
{
	(void)state;
	take(FIELD_POWER, 1000, 40000);
	assert_true(t.has[TALLY_CORE_ENERGY]);
	assert_int_equal(t.total[TALLY_CORE_ENERGY], 0);
	take(FIELD_POWER, 2000, 60000);
	assert_int_equal(t.total[TALLY_CORE_ENERGY], 50 * TALLY_ENERGY_SCALE);
	take(FIELD_POWER, 2001, 60000);
	assert_int_equal(t.total[TALLY_CORE_ENERGY], 50060000);
	/* The same reading again adds nothing, and neither does one that is older. */
	take(FIELD_POWER, 2001, 60000);
	s.r[FIELD_POWER].state = READING_STALE;
	s.r[FIELD_POWER].time = 9000 * CLOCK_MS;
	tally_take(&t, &s, 0);
	take(FIELD_POWER, 1500, 60000);
	assert_int_equal(t.total[TALLY_CORE_ENERGY], 50060000);
	assert_false(t.has[TALLY_BOARD_ENERGY]);
}

static void no_energy_is_made_up_for_a_gap(void **state)
{
	(void)state;
	take(FIELD_BOARD_POWER, 0, 100000);
	/* With -i 10 every other sample comes later than the one before it. */
	take(FIELD_BOARD_POWER, 10010, 100000);
	assert_int_equal(t.total[TALLY_BOARD_ENERGY], 1001LL * TALLY_ENERGY_SCALE);
	assert_int_equal(t.total[TALLY_GAPS + 1], 0);
	assert_true(t.has[TALLY_GAPS + 1]);
	assert_false(t.has[TALLY_GAPS]);
	take(FIELD_BOARD_POWER, 21011, 100000);
	assert_int_equal(t.total[TALLY_BOARD_ENERGY], 1001LL * TALLY_ENERGY_SCALE);
	assert_int_equal(t.total[TALLY_GAPS + 1], 1);
	assert_int_equal(t.total[TALLY_GAP_TIME + 1], 11001 * CLOCK_MS);
	take(FIELD_BOARD_POWER, 22011, 50000);
	assert_int_equal(t.total[TALLY_BOARD_ENERGY], 1076LL * TALLY_ENERGY_SCALE);
}

static void what_is_not_of_a_living_chip_is_not_taken(void **state)
{
	(void)state;
	take(FIELD_POWER, 0, 40000);
	s.health = SNAPSHOT_FAILED;
	take(FIELD_POWER, 1000, 1999999);
	s.health = SNAPSHOT_WARN;
	take(FIELD_POWER, 2000, 40000);
	assert_int_equal(t.total[TALLY_CORE_ENERGY], 0);
	assert_int_equal(t.total[TALLY_GAP_TIME], 2000 * CLOCK_MS);
	take(FIELD_POWER, 3000, 40000);
	assert_int_equal(t.total[TALLY_CORE_ENERGY], 40 * TALLY_ENERGY_SCALE);
	s.raw.repeated = true;
	take(FIELD_POWER, 4000, 40000);
	assert_int_equal(t.total[TALLY_CORE_ENERGY], 40 * TALLY_ENERGY_SCALE);
}

/* Each of these between two samples a second apart, of a chip that is throttled. */
static void whatever_was_not_seen_is_a_gap(void **state)
{
	static const struct {
		enum snapshot_health health;
		bool is_repeated, is_again, is_late;
		enum reading_state power;
		bool is_gap;
	} between[] = {
		{ SNAPSHOT_OK, false, false, false, READING_OK, false },
		{ SNAPSHOT_OK, false, true, false, READING_OK, false },
		{ SNAPSHOT_OK, false, false, true, READING_STALE, false },
		{ SNAPSHOT_FAILED, false, false, false, READING_STALE, true },
		{ SNAPSHOT_GONE, false, false, false, READING_STALE, true },
		{ SNAPSHOT_NOT_READ, false, false, false, READING_ABSENT, true },
		{ SNAPSHOT_OK, true, false, false, READING_OK, true },
		{ SNAPSHOT_OK, false, false, false, READING_IMPLAUSIBLE, true },
		{ SNAPSHOT_OK, false, false, false, READING_ABSENT, true },
	};

	for (size_t i = 0; i < ARRAY_LEN(between); i++) {
		begin(state);
		take(FIELD_POWER, 1000, 40000);
		s.health = between[i].health;
		s.raw.repeated = between[i].is_repeated;
		s.is_again = between[i].is_again;
		s.age = between[i].is_late;
		s.r[FIELD_POWER] = (struct reading){ .value = 40000, .time = 1500 * CLOCK_MS,
			.state = (uint8_t)between[i].power };
		tally_take(&t, &s, CLOCK_SECOND);
		memset(&s, 0, sizeof(s));
		s.health = SNAPSHOT_OK;
		take(FIELD_POWER, 2000, 40000);
		assert_int_equal(t.total[TALLY_GAPS], between[i].is_gap);
		assert_int_equal(t.total[TALLY_GAP_TIME], between[i].is_gap * CLOCK_SECOND);
		assert_int_equal(t.total[TALLY_CORE_ENERGY],
			!between[i].is_gap * 40 * TALLY_ENERGY_SCALE);
	}
	tally_break(&t);
	take(FIELD_POWER, 3000, 40000);
	assert_int_equal(t.total[TALLY_GAPS], 2);
}

/* The longest time between two samples that is no gap, by their interval and the firmware's. */
static void a_gap_follows_the_interval(void **state)
{
	static const struct {
		int64_t interval, period, longest;	/* ms */
	} cases[] = {
		{ 0, 0, 11000 }, { 100, 0, 1200 }, { 500, 0, 2000 }, { 1000, 0, 3000 },
		{ 5000, 0, 11000 }, { 10000, 0, 11000 }, { 500, 1000, 2000 }, { 500, 4000, 5000 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (int64_t more = 0; more <= 1; more++) {
			begin(state);
			take(FIELD_POWER, 1000, 40000);
			s.r[FIELD_POWER].time += (cases[i].longest + more) * CLOCK_MS;
			if (cases[i].period)
				s.r[FIELD_UPDATE_SPEED] = (struct reading){
					.value = cases[i].period, .state = READING_OK };
			tally_take(&t, &s, cases[i].interval * CLOCK_MS);
			assert_int_equal(t.total[TALLY_GAPS], more);
		}
}

static void what_stopped_firmware_left_behind_is_not_taken(void **state)
{
	(void)state;
	take(FIELD_POWER, 0, 40000);
	s.health = SNAPSHOT_WARN;
	s.beat = SNAPSHOT_BEAT_STOPPED;
	s.findings[s.n_findings++] = (struct finding){ "heartbeat", "firmware silent" };
	for (int64_t ms = 1000; ms <= 20000; ms += 1000)
		take(FIELD_POWER, ms, 40000);
	assert_int_equal(t.total[TALLY_CORE_ENERGY], 0);
	s.beat = SNAPSHOT_BEAT_ALIVE;
	s.n_findings = 0;
	take(FIELD_POWER, 21000, 40000);
	assert_int_equal(t.total[TALLY_CORE_ENERGY], 0);
	assert_int_equal(t.total[TALLY_GAP_TIME], 21000 * CLOCK_MS);
}

static void each_reason_has_its_time(void **state)
{
	const enum tally_id thermal = TALLY_THROTTLED + THROTTLE_THERMAL - 1,
		host = TALLY_THROTTLED + THROTTLE_HOST - 1;

	(void)state;
	take(FIELD_THROTTLE, 0, THROTTLE_NONE);
	assert_true(t.has[thermal]);
	take(FIELD_THROTTLE, 1000, THROTTLE_THERMAL);
	assert_int_equal(t.total[thermal], 500 * CLOCK_MS);
	take(FIELD_THROTTLE, 2000, THROTTLE_THERMAL);
	take(FIELD_THROTTLE, 3000, THROTTLE_HOST);
	assert_int_equal(t.total[thermal], 2000 * CLOCK_MS);
	assert_int_equal(t.total[host], 500 * CLOCK_MS);
	take(FIELD_THROTTLE, 4000, 63);
	take(FIELD_THROTTLE, 15001, THROTTLE_HOST);
	assert_int_equal(t.total[host], 1000 * CLOCK_MS);
	assert_int_equal(t.total[TALLY_THROTTLED_END], t.total[host]);
}

static void a_counter_that_falls_does_not_take_the_total_along(void **state)
{
	static const struct {
		enum field_id field;
		enum tally_id id;
		int64_t before, after;
		uint64_t total;
	} cases[] = {
		{ FIELD_GDDR_CORR_ERRS + 3, TALLY_CORRECTED + 3, 7, 9, 9 },
		{ FIELD_GDDR_CORR_ERRS_END, TALLY_CORRECTED_END, 255, 255, 255 },
		{ FIELD_GDDR_CORR_ERRS, TALLY_CORRECTED, 200, 3, 203 },	/* a reset */
		{ FIELD_THERM_TRIPS, TALLY_THERM_TRIPS, 2, 0, 2 },
		{ FIELD_HEARTBEAT, TALLY_HEARTBEATS, 4294967290, 5, 4294967301 },	/* a wrap */
		{ FIELD_HEARTBEAT, TALLY_HEARTBEATS, 1000000, 5, 1000005 },
		{ FIELD_NOP_STARTS, TALLY_NOP_STARTS, 0, 12, 12 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		begin(state);
		assert_false(t.has[cases[i].id]);
		take(cases[i].field, 1000, cases[i].before);
		assert_true(t.has[cases[i].id]);
		take(cases[i].field, 2000, cases[i].after);
		assert_int_equal(t.total[cases[i].id], cases[i].total);
	}
}

static void a_flag_counts_when_it_is_set(void **state)
{
	(void)state;
	take(FIELD_GDDR_UNCORR_ERRS, 1000, 0);
	assert_true(t.has[TALLY_UNCORRECTED_END]);
	take(FIELD_GDDR_UNCORR_ERRS, 2000, 0x0005);
	take(FIELD_GDDR_UNCORR_ERRS, 3000, 0x8005);
	take(FIELD_GDDR_UNCORR_ERRS, 4000, 0x0004);
	take(FIELD_GDDR_UNCORR_ERRS, 5000, 0x0005);
	assert_int_equal(t.total[TALLY_UNCORRECTED], 2);
	assert_int_equal(t.total[TALLY_UNCORRECTED + 1], 1);
	assert_int_equal(t.total[TALLY_UNCORRECTED + 2], 0);
	assert_int_equal(t.total[TALLY_UNCORRECTED_END], 1);
}

static void bridges_that_come_anew_do_not_take_the_others_along(void **state)
{
	struct aer links[] = {
		{ "0000:03:00.0", true, { 4, 0, 1 } },
		{ "0000:02:00.0", true, { 100, 2, 0 } },
		{ "0000:00:01.0", true, { 50, 0, 0 } },
	};

	(void)state;
	tally_take_links(&t, links, 1);
	assert_int_equal(t.total[TALLY_AER + AER_CORRECTABLE], 4);
	assert_int_equal(t.total[TALLY_AER + AER_FATAL], 1);
	assert_false(t.has[TALLY_AER_END]);
	tally_take_links(&t, links, 3);
	assert_int_equal(t.total[TALLY_AER + AER_KINDS + AER_CORRECTABLE], 150);
	/* The nearest was removed and found again, the host's port counted on. */
	links[1].errors[AER_CORRECTABLE] = 3;
	links[1].errors[AER_NONFATAL] = 0;
	links[2].errors[AER_CORRECTABLE] = 57;
	tally_take_links(&t, links, 3);
	links[2].known = false;
	tally_take_links(&t, links, 3);
	assert_int_equal(t.total[TALLY_AER + AER_KINDS + AER_CORRECTABLE], 160);
	assert_int_equal(t.total[TALLY_AER + AER_KINDS + AER_NONFATAL], 2);
}

static void what_was_added_since_is_the_difference(void **state)
{
	struct tally before;

	(void)state;
	take(FIELD_POWER, 0, 40000);
	take(FIELD_POWER, 1000, 40000);
	before = t;
	take(FIELD_POWER, 3000, 40000);
	t.total[TALLY_RESETS + TALLY_RESET_LOST]++;
	tally_subtract(&t, &before);
	assert_int_equal(t.total[TALLY_CORE_ENERGY], 80 * TALLY_ENERGY_SCALE);
	assert_int_equal(t.total[TALLY_RESETS + TALLY_RESET_LOST], 1);
}

static void each_total_has_a_name_and_labels_of_its_own(void **state)
{
	char all[TALLY_COUNT][160], labels[TALLY_LABELS];
	enum tally_id next = 0;

	(void)state;
	for (size_t i = 0; i < tally_families_len; i++) {
		const struct tally_family *f = &tally_families[i];
		const size_t len = strlen(tally_name(f));

		assert_int_equal(f->first, next);
		assert_true(len > 6 && strcmp(tally_name(f) + len - 6, "_total") == 0);
		assert_true(*tally_help(f));
		for (; next <= f->last; next++) {
			assert_ptr_equal(tally_family_of(next), f);
			snprintf(all[next], sizeof(all[next]), "%s{%s}", tally_name(f),
				tally_labels(next, labels));
			for (enum tally_id k = 0; k < next; k++)
				assert_string_not_equal(all[k], all[next]);
		}
	}
	assert_int_equal(next, TALLY_COUNT);
	assert_string_equal(all[TALLY_CORRECTED + 3],
		"gddr_corrected_errors_total{channel=\"1\",kind=\"write\"}");
	assert_string_equal(all[TALLY_UNCORRECTED_END],
		"gddr_uncorrected_errors_total{channel=\"7\"}");
	assert_string_equal(all[TALLY_AER_END],
		"pcie_aer_errors_total{device=\"bridges\",kind=\"fatal\"}");
	assert_string_equal(all[TALLY_THROTTLED_END],
		"throttled_seconds_total{reason=\"host-limit\"}");
	assert_string_equal(all[TALLY_CORE_ENERGY], "core_energy_joules_total{}");
}

static void each_counter_of_the_field_table_has_a_total(void **state)
{
	(void)state;
	for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++) {
		bool found = false;

		for (size_t i = 0; i < tally_families_len; i++) {
			const struct tally_family *f = &tally_families[i];

			found = found || (f->kind == TALLY_GROWTH && id >= f->field &&
				id <= f->field + (f->last - f->first));
		}
		assert_int_equal(found, fields[id].metric.type == METRIC_COUNTER);
	}
}

static void put(const char *folder, const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	fclose(f);
}

static void the_bridges_above_a_card_are_read_with_it(void **state)
{
	char tree[] = "/tmp/test_tally.XXXXXX", folder[128], command[512];
	static struct bus bus = { .ops = &transport_kmd };
	struct aer links[AER_LINKS];

	(void)state;
	assert_non_null(mkdtemp(tree));
	snprintf(bus.root, sizeof(bus.root), "%s", tree);
	snprintf(folder, sizeof(folder), "%s/sys/devices/pci0000:00/0000:00:04.0/0000:01:00.0",
		tree);
	snprintf(command, sizeof(command), "mkdir -p '%s/0000:02:00.0' %s/sys/bus/pci/devices && "
		"cd %s/sys/bus/pci/devices && ln -s ../../../devices/pci0000:00/0000:00:04.0 && "
		"ln -s ../../../devices/pci0000:00/0000:00:04.0/0000:01:00.0 && "
		"ln -s ../../../devices/pci0000:00/0000:00:04.0/0000:01:00.0/0000:02:00.0",
		folder, tree, tree);
	assert_int_equal(system(command), 0);
	put(folder, "aer_dev_correctable", "RxErr 2\nTOTAL_ERR_COR 3\n");
	put(folder, "aer_dev_nonfatal", "Undefined 0\nTOTAL_ERR_NONFATAL 0\n");
	put(folder, "aer_dev_fatal", "Undefined 0\nTOTAL_ERR_FATAL 1\n");
	assert_int_equal(aer_read_all(&bus, "0000:02:00.0", links), 3);
	assert_string_equal(links[0].bdf, "0000:02:00.0");
	assert_false(links[0].known);
	assert_true(links[1].known);
	assert_int_equal(links[1].errors[AER_CORRECTABLE], 3);
	assert_int_equal(links[1].errors[AER_FATAL], 1);
	assert_string_equal(links[2].bdf, "0000:00:04.0");
	bus.ops = &transport_sim;
	assert_int_equal(aer_read_all(&bus, "0000:02:00.0", links), 1);
	assert_false(links[0].known);
	snprintf(command, sizeof(command), "rm -r '%s'", tree);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_power_is_integrated_by_the_trapezium, begin),
		cmocka_unit_test_setup(no_energy_is_made_up_for_a_gap, begin),
		cmocka_unit_test_setup(what_is_not_of_a_living_chip_is_not_taken, begin),
		cmocka_unit_test_setup(whatever_was_not_seen_is_a_gap, begin),
		cmocka_unit_test_setup(a_gap_follows_the_interval, begin),
		cmocka_unit_test_setup(what_stopped_firmware_left_behind_is_not_taken, begin),
		cmocka_unit_test_setup(each_reason_has_its_time, begin),
		cmocka_unit_test_setup(a_counter_that_falls_does_not_take_the_total_along, begin),
		cmocka_unit_test_setup(a_flag_counts_when_it_is_set, begin),
		cmocka_unit_test_setup(bridges_that_come_anew_do_not_take_the_others_along, begin),
		cmocka_unit_test_setup(what_was_added_since_is_the_difference, begin),
		cmocka_unit_test_setup(each_total_has_a_name_and_labels_of_its_own, begin),
		cmocka_unit_test_setup(each_counter_of_the_field_table_has_a_total, begin),
		cmocka_unit_test_setup(the_bridges_above_a_card_are_read_with_it, begin),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("tally", tests, NULL, NULL);
}

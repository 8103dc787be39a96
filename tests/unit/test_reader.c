/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One sample of one chip: simulated boards, and chips that answer anything. */
#include "config.h"
#include "base/mem.h"
#include "base/clock.h"
#include "device/arc_msg.h"
#include "telemetry/decode.h"
#include "telemetry/sampler/sampler_local.h"
#include "tests/rig/fake_chip.h"
#include "tests/rig/sim_bus.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct snapshot s;
static struct fake_chip f;

#define TABLE  (FAKE_CSM + 0x74000)
#define VALUES (FAKE_CSM + 0x74400)
#define LEGACY (FAKE_CSM + 0x78d60)

static void sample(struct device *d, struct reader_policy p)
{
	memset(&s, 0, sizeof(s));
	s.index = d->index;
	s.local = d->local;
	s.chip = d->chip;
	reader_sample(d, &p, &s.raw);
	decode_snapshot(&s);
}

/* A fresh sample of the fake chip, which must never lead the reader astray. */
static void fresh(void)
{
	sample(&f.d, (struct reader_policy){ .fresh = true });
	assert_false(f.strayed);
	assert_false(f.used_unacquired);
	assert_false(f.acquired);
}

static const uint32_t good[][2] = {
	{ 1, 0x403 }, { 2, 0x31921011 }, { 6, 864 }, { 11, 54u << 16 }, { 28, 0x13080000 },
	{ 32, 1000 },
};

static int good_chip(void **state)
{
	(void)state;
	fake_init(&f, DEVICE_BLACKHOLE);
	fake_table(&f, TABLE, VALUES, good, ARRAY_LEN(good));
	return 0;
}

/* ---- simulated boards ------------------------------------------------------- */

static void every_simulated_board_is_read_well_and_within_the_rules(void **state)
{
	(void)state;
	for (size_t i = 0; sim_board_name(i); i++) {
		struct bus *bus = sim_bus(sim_board_name(i), 1);

		for (size_t k = 0; k < bus->n && k < 2; k++) {
			sample(&bus->dev[k],
				(struct reader_policy){ .active = true, .fresh = true });
			if (!snapshot_is_live(&s))
				fail_msg("%s: %s", sim_board_name(i), s.reason);
			if (s.note[0])
				fail_msg("%s: %s", sim_board_name(i), s.note);
			assert_string_not_equal(s.board, "N/A");
			assert_int_equal(s.r[FIELD_VCORE].state, READING_OK);
			assert_int_equal(s.r[FIELD_ASIC_TEMP].state, READING_OK);
			assert_int_equal(s.r[FIELD_DRAM_STATUS].value, 1);
		}
		if (counts(bus).violations)
			fail_msg("%s: %s", sim_board_name(i), counts(bus).last_violation);
		bus_close(bus);
	}
}

static void a_sample_that_is_not_active_writes_nothing_and_sends_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; sim_board_name(i); i++) {
		struct bus *bus = sim_bus(sim_board_name(i), 1);

		sample(&bus->dev[0], (struct reader_policy){ .fresh = true });
		assert_true(snapshot_is_live(&s));
		assert_int_equal(counts(bus).writes, 0);
		assert_int_equal(counts(bus).messages, 0);
		assert_int_equal(counts(bus).violations, 0);
		bus_close(bus);
	}
}

/* The words that a sample reads beyond the same one without --busy. */
static uint64_t words_for_busy(const char *board)
{
	struct bus *bus = sim_bus(board, 1);
	uint64_t reads[2];

	for (int busy = 0; busy < 2; busy++) {
		const uint64_t before = counts(bus).reads;

		sample(&bus->dev[0], (struct reader_policy){ .busy = busy, .fresh = true });
		reads[busy] = counts(bus).reads - before;
		if (!busy)
			assert_int_equal(s.r[FIELD_BUSY_SOURCE].state, READING_ABSENT);
	}
	assert_int_equal(counts(bus).violations, 0);
	bus_close(bus);
	return reads[1] - reads[0];
}

static void counters_are_read_only_if_asked_for_and_where_there_are_some(void **state)
{
	static const struct {
		const char *board;
		enum busy_source source;
		uint64_t words;
	} cases[] = {
		{ "p150a", BUSY_NO_BUFFER, 0 },		/* older firmware */
		{ "n150", BUSY_NO_BUFFER, 0 },
		{ "e150", BUSY_NOT_ASKED, 0 },		/* its tables were not read */
		{ "p150c", BUSY_NO_RUNTIME, 2 + BUSY_CONTROL_WORDS },
		{ "n150-new", BUSY_NO_RUNTIME, 2 + BUSY_CONTROL_WORDS },
		{ "p150c:runtime=slow", BUSY_SLOW_DISPATCH, 2 + BUSY_CONTROL_WORDS },
		{ "p150c:runtime=early", BUSY_LAYOUT, 2 + BUSY_CONTROL_WORDS },
		{ "p150c:runtime=off", BUSY_CORE_OFF, 2 + BUSY_CONTROL_WORDS },
		{ "n150-new:runtime=off", BUSY_CORE_OFF, 2 + BUSY_CONTROL_WORDS },
		{ "p150c:runtime=60/20", BUSY_FIRST,
			2 + BUSY_CONTROL_WORDS + 2 * BUSY_CORE_WORDS },
		{ "n150-new:runtime=60/20", BUSY_FIRST,
			2 + BUSY_CONTROL_WORDS + 2 * BUSY_CORE_WORDS },
		{ "p150c:runtime=60/20+q3", BUSY_FIRST,
			2 + BUSY_CONTROL_WORDS + 6 * BUSY_CORE_WORDS },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const uint64_t words = words_for_busy(cases[i].board);

		if (s.r[FIELD_BUSY_SOURCE].value != cases[i].source || words != cases[i].words)
			fail_msg("%s: %s, %llu words", cases[i].board,
				busy_sources[s.r[FIELD_BUSY_SOURCE].value],
				(unsigned long long)words);
	}
}

/* Of a card that was read before the heartbeat is one word, or one attribute of the driver. */
static void a_look_at_the_heartbeat_reads_one_word(void **state)
{
	(void)state;
	for (size_t i = 0; sim_board_name(i); i++) {
		struct bus *bus = sim_bus(sim_board_name(i), 1);

		for (size_t k = 0; k < bus->n && k < 2; k++) {
			uint32_t word = 0;
			uint64_t before;

			sample(&bus->dev[k],
				(struct reader_policy){ .active = true, .fresh = true });
			if (!reading_is_ok(&s.r[FIELD_HEARTBEAT]))
				continue;
			before = counts(bus).reads;
			assert_true(reader_beat(&bus->dev[k], s.r[FIELD_HEARTBEAT].source, &word));
			if (counts(bus).reads - before > 1)
				fail_msg("%s: %llu reads", sim_board_name(i),
					(unsigned long long)(counts(bus).reads - before));
			assert_in_range(word - (uint32_t)s.r[FIELD_HEARTBEAT].value, 0, 100000);
			assert_int_equal(counts(bus).violations, 0);
		}
		bus_close(bus);
	}
}

static void the_firmwares_error_word_is_read_with_what_stays_as_it_is(void **state)
{
	static const struct {
		const char *board, *finding;
		uint32_t errors;
	} cases[] = {
		{ "p150a", NULL, 0 }, { "p150a:regulator", "firmware-error", 1 },
		{ "p150a:cable", "power-cable", 2 }, { "p150a:dram", "dram", 16 },
		{ "n150:regulator", NULL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bus *bus = sim_bus(cases[i].board, 1);
		uint64_t first, second;

		sample(&bus->dev[0], (struct reader_policy){ .fresh = true });
		first = counts(bus).reads;
		sample(&bus->dev[0], (struct reader_policy){ .fresh = false });
		second = counts(bus).reads - first;
		assert_int_equal(s.raw.errors, cases[i].errors);
		assert_int_equal(s.n_findings, cases[i].finding != NULL);
		if (cases[i].finding)
			assert_string_equal(s.findings[0].id, cases[i].finding);
		sample(&bus->dev[0], (struct reader_policy){ .fresh = false });
		assert_int_equal(counts(bus).reads - first, 2 * second);
		assert_int_equal(counts(bus).violations, 0);
		bus_close(bus);
	}
}

static void a_passive_sample_opens_no_node(void **state)
{
	struct bus *bus = sim_bus("p150a", 1);

	(void)state;
	sample(&bus->dev[0], (struct reader_policy){ .passive = true, .fresh = true });
	assert_int_equal(counts(bus).opens, 0);
	assert_int_equal(counts(bus).reads, 0);
	assert_int_equal(s.health, SNAPSHOT_OK);
	assert_int_equal(s.r[FIELD_VCORE].source, SOURCE_HWMON);
	assert_string_equal(s.board, "p150a");
	assert_string_equal(s.note, "firmware tables not read: --passive");
	bus_close(bus);
}

static void both_tables_of_a_simulated_wormhole_are_read(void **state)
{
	struct bus *bus = sim_bus("n300-new", 1);

	(void)state;
	sample(&bus->dev[0], (struct reader_policy){ .active = true, .fresh = true });
	assert_int_equal(s.raw.n_legacy, 50);
	assert_true(s.raw.n_tags > 30);
	assert_int_equal(s.r[FIELD_VCORE].source, SOURCE_TAG);
	assert_int_equal(s.r[FIELD_INLET_TEMP].source, SOURCE_LEGACY);
	bus_close(bus);
}

/* ---- tables that cannot be -------------------------------------------------- */

static void a_good_table_is_read(void **state)
{
	(void)state;
	fresh();
	assert_int_equal(s.health, SNAPSHOT_OK);
	assert_int_equal(s.raw.n_tags, ARRAY_LEN(good));
	assert_int_equal(s.r[FIELD_VCORE].value, 864);
	assert_string_equal(s.board, "p150a");
	assert_int_equal(f.writes, 0);
}

static void pointers_that_lead_nowhere_are_not_followed(void **state)
{
	static const uint32_t bad[] = { 1, 0x0fffffff, FAKE_CSM - 4, FAKE_CSM + 2,
		FAKE_CSM + 0x80000, FAKE_CSM + 0x7fffd, 0x80030000, 0xfffffffc, UINT32_MAX };

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_LEN(bad); i++) {
		good_chip(state);
		*(i % 2 ? &f.table_ptr : &f.values_ptr) = bad[i / 2];
		fresh();
		assert_int_equal(s.raw.n_tags, 0);
		assert_int_equal(s.raw.table_error.code, -EPROTO);
		assert_int_equal(s.health, SNAPSHOT_FAILED);
		assert_int_equal(f.words, 5);
	}
	good_chip(state);
	f.table_ptr = 0;
	fresh();
	assert_int_equal(s.raw.table_error.code, -EHOSTDOWN);
	good_chip(state);
	f.table_ptr = FAKE_CSM + 0x7fffc;	/* its count would be outside */
	fresh();
	assert_int_equal(s.raw.table_error.code, -EPROTO);
}

static void counts_and_versions_that_cannot_be_are_refused(void **state)
{
	static const struct {
		uint32_t version, count;
	} bad[] = {
		{ 0x100, 0 }, { 0x100, 257 }, { 0x100, UINT32_MAX }, { 0x100, 0x40000000 },
		{ UINT32_MAX, 6 }, { 0x00020000, 6 }, { 0x00ff0000, 6 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		good_chip(state);
		*fake_word(&f, TABLE) = bad[i].version;
		*fake_word(&f, TABLE + 4) = bad[i].count;
		fresh();
		assert_int_equal(s.raw.table_error.code, -EPROTO);
		assert_int_equal(s.raw.n_tags, 0);
	}
	good_chip(state);
	f.table_ptr = FAKE_CSM + 0x80000 - 12;	/* room for one entry, 6 claimed */
	*fake_word(&f, f.table_ptr) = 0x100;
	*fake_word(&f, f.table_ptr + 4) = 6;
	fresh();
	assert_int_equal(s.raw.table_error.code, -EPROTO);
}

static void holes_and_offsets_out_of_memory_are_skipped(void **state)
{
	(void)state;
	*fake_word(&f, TABLE + 8) = 0;			/* where the board id's upper half was */
	*fake_word(&f, TABLE + 12) = 0xffff0002;	/* offset 256 KiB on: outside */
	fresh();
	assert_int_equal(s.raw.n_tags, ARRAY_LEN(good) - 2);
	assert_int_equal(s.r[FIELD_VCORE].value, 864);
	assert_int_equal(s.r[FIELD_BOARD_ID].state, READING_ABSENT);
	/* Only holes. */
	good_chip(state);
	for (uint32_t i = 0; i < ARRAY_LEN(good); i++)
		*fake_word(&f, TABLE + 8 + 4 * i) = 0;
	fresh();
	assert_int_equal(s.raw.table_error.code, -EPROTO);
}

static void offsets_far_apart_are_read_one_by_one(void **state)
{
	(void)state;
	*fake_word(&f, TABLE + 8 + 4 * 2) = 2000u << 16 | 6;
	*fake_word(&f, VALUES + 4 * 2000) = 812;
	fresh();
	assert_int_equal(s.r[FIELD_VCORE].value, 812);
	assert_int_equal(s.r[FIELD_ASIC_TEMP].value, 54000);
	assert_true(f.words < 40);
}

static void more_entries_than_we_keep_are_cut(void **state)
{
	(void)state;
	*fake_word(&f, TABLE + 4) = 256;
	for (uint32_t i = 0; i < 256; i++)
		*fake_word(&f, TABLE + 8 + 4 * i) = i << 16 | (i + 1);
	f.values_ptr = FAKE_CSM + 0x100;
	*fake_word(&f, f.values_ptr + 4 * 5) = 777;
	fresh();
	assert_int_equal(s.raw.n_tags, RAW_TAGS);
	assert_int_equal(s.r[FIELD_VCORE].value, 777);
}

static void words_all_ones_are_a_chip_that_does_not_answer(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < ARRAY_LEN(good); i++)
		*fake_word(&f, VALUES + 4 * i) = UINT32_MAX;
	fresh();
	assert_int_equal(s.health, SNAPSHOT_FAILED);
	assert_non_null(strstr(s.reason, "all reads are ones"));
}

static void a_dead_chip_is_left_alone_after_its_first_word(void **state)
{
	(void)state;
	f.hang = UINT32_MAX;
	f.attr[ATTR_HWMON_VCORE] = "800";
	fresh();
	assert_int_equal(s.health, SNAPSHOT_FAILED);
	assert_int_equal(s.raw.sample_error.code, -EIO);
	assert_int_equal(f.reads, 1);
	assert_int_equal(s.r[FIELD_VCORE].state, READING_ABSENT);
	good_chip(state);
	f.attr[ATTR_CONFIG_ID] = "ffffffff";
	fresh();
	assert_int_equal(s.raw.sample_error.code, -ENOLINK);
	assert_false(snapshot_is_gone(&s));
	assert_non_null(strstr(s.reason, "off the PCI bus"));
	assert_int_equal(f.reads, 0);
	assert_int_equal(f.attrs, 3);	/* its id; a counter and a clock tell it from a reset */
}

/* driver-behaviour 14: neither the bus nor a missing chip is to blame. */
static void a_card_that_a_program_resets_says_so(void **state)
{
	good_chip(state);
	f.attr[ATTR_CONFIG_ID] = "ffffffff";
	f.attr_error[ATTR_PERF_MST_RD_0] = -ENODATA;
	fresh();
	assert_int_equal(s.health, SNAPSHOT_FAILED);
	assert_true(snapshot_is_being_reset(&s));
	assert_non_null(strstr(s.reason, "being reset"));
	assert_null(strstr(s.reason, "power cycle"));
	assert_int_equal(f.reads, 0);
	f.attr[ATTR_CONFIG_ID] = "b1401e52";
	f.acquire_error = -ENODEV;
	fresh();
	assert_non_null(strstr(s.reason, "being reset"));
	/* The driver has let go of it, and no program resets it: a reset is not claimed. */
	f.attr_error[ATTR_PERF_MST_RD_0] = 0;
	f.attr[ATTR_TT_AICLK] = "800";
	fresh();
	assert_null(strstr(s.note, "being reset"));
	assert_null(strstr(s.reason, "being reset"));
}

static void a_chip_that_has_not_booted_is_read_through_sysfs(void **state)
{
	(void)state;
	f.boot = 2;
	f.attr[ATTR_HWMON_VCORE] = "800";
	fresh();
	assert_int_equal(s.raw.table_error.code, -EHOSTDOWN);
	assert_int_equal(s.r[FIELD_VCORE].source, SOURCE_HWMON);
	assert_non_null(strstr(s.note, "firmware is not running"));
	assert_int_equal(f.reads, 3);
}

/* Neither our own lack nor a reset by a program is behind it. */
static void assert_the_card_has_failed(const char *reason)
{
	assert_int_equal(s.health, SNAPSHOT_FAILED);
	assert_non_null(strstr(s.reason, reason));
	assert_false(snapshot_is_blind(&s));
	assert_false(snapshot_is_being_reset(&s));
}

static void firmware_that_does_not_run_is_the_cards_failure(void **state)
{
	static const struct reader_policy active = { .fresh = true, .active = true };

	(void)state;
	f.boot = 2;
	fresh();
	assert_the_card_has_failed("firmware is not running");
	good_chip(state);
	f.values_ptr = 0;
	fresh();
	assert_the_card_has_failed("not published");
	fake_init(&f, DEVICE_GRAYSKULL);
	f.scratch[5] = 0x60;
	sample(&f.d, active);
	assert_the_card_has_failed("takes no messages");
	fake_init(&f, DEVICE_GRAYSKULL);
	f.scratch[5] = 0xaa2c;
	sample(&f.d, active);
	assert_the_card_has_failed("another program's firmware message");
}

/* They are remembered, and most would be there whatever became of the card. */
static void static_attributes_are_no_sample(void **state)
{
	static const int errors[] = { -EACCES, -ENODEV, -EAGAIN };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(errors); i++) {
		good_chip(state);
		f.acquire_error = errors[i];
		f.attr[ATTR_TT_FW_BUNDLE_VER] = "18.7.0.0";
		f.attr[ATTR_HWMON_POWER_MAX] = "160000000";
		f.attr[ATTR_HWMON_VCORE] = "800";
		fresh();
		assert_true(snapshot_is_live(&s));
		f.attr[ATTR_HWMON_VCORE] = NULL;
		sample(&f.d, (struct reader_policy){ .keep = false });
		assert_int_equal(s.health, SNAPSHOT_FAILED);
		assert_int_equal(s.raw.sample_error.code, errors[i]);
	}
}

static void an_error_anywhere_in_a_sample_leaves_sysfs_and_a_reason(void **state)
{
	long total;

	(void)state;
	f.attr[ATTR_HWMON_VCORE] = "800";
	fresh();
	total = f.reads;
	assert_true(total > 5);
	for (long i = 0; i < total; i++) {
		good_chip(state);
		f.attr[ATTR_HWMON_VCORE] = "800";
		f.fail_at = i;
		f.error = i % 2 ? -ENODEV : -EIO;
		fresh();
		assert_int_equal(s.raw.table_error.code, f.error);
		assert_int_equal(s.raw.n_tags, 0);
		assert_int_equal(s.health, SNAPSHOT_WARN);
		assert_int_equal(s.r[FIELD_VCORE].value, 800);
		/* Without sysfs that is all there was. */
		f.attr[ATTR_HWMON_VCORE] = NULL;
		f.reads = 0;
		fresh();
		assert_int_equal(s.health, SNAPSHOT_FAILED);
		assert_int_equal(s.raw.sample_error.code, f.error);
		/* And the next sample finds it well again. */
		f.fail_at = -1;
		sample(&f.d, (struct reader_policy){ .keep = false });
		assert_int_equal(s.health, SNAPSHOT_OK);
	}
}

static void a_node_that_cannot_be_opened_leaves_sysfs(void **state)
{
	(void)state;
	f.acquire_error = -EACCES;
	f.attr[ATTR_HWMON_VCORE] = "800";
	fresh();
	assert_int_equal(s.health, SNAPSHOT_OK);
	assert_string_equal(s.note, "0000:41:00.0: cannot open its node");
	good_chip(state);
	f.d.trouble = DEVICE_NO_PERMISSION;
	snprintf(f.d.reason, sizeof(f.d.reason), "not ours to open");
	f.attr[ATTR_HWMON_VCORE] = "800";
	fresh();
	assert_int_equal(f.reads, 0);
	assert_string_equal(s.note, "not ours to open");
	f.d.trouble = DEVICE_NO_DRIVER;
	snprintf(f.d.reason, sizeof(f.d.reason), "no driver");
	f.attr[ATTR_LINK_WIDTH] = "16";
	f.attr[ATTR_LINK_SPEED] = "16.0 GT/s PCIe";
	fresh();
	assert_int_equal(s.health, SNAPSHOT_FAILED);
	assert_string_equal(s.reason, "no driver");
	assert_int_equal(s.link.width, 16);
}

/* ---- what is remembered ------------------------------------------------------ */

static void later_samples_read_only_the_values(void **state)
{
	long first;

	(void)state;
	fresh();
	first = f.words;
	f.words = 0;
	*fake_word(&f, VALUES + 8) = 801;
	sample(&f.d, (struct reader_policy){ .keep = true });
	assert_int_equal(s.r[FIELD_VCORE].value, 801);
	assert_int_equal(f.words, 4 + (long)ARRAY_LEN(good));
	assert_true(f.words < first);
}

/* By the clock that all processes share: a program that needs the card alone gets a turn. */
static void all_processes_close_a_kept_card_at_the_same_time(void **state)
{
	static const bool keeps[] = { true, false };
	unsigned seen = 0, n = 0;

	(void)state;
	fresh();
	for (const int64_t until = clock_mono() + CLOCK_SECOND; clock_mono() < until; n++) {
		for (size_t i = 0; i < ARRAY_LEN(keeps); i++) {
			bool closes;

			sample(&f.d, (struct reader_policy){ .keep = keeps[i] });
			closes = s.raw.time / CLOCK_MS % 500 < 150;
			assert_int_equal(f.acquired, keeps[i] && !closes);
			seen |= 1u << closes;
		}
		clock_sleep_until(clock_mono() + 10 * CLOCK_MS);
	}
	assert_int_equal(seen, 3);
	assert_true(n > 20);
}

static void a_reset_or_new_firmware_is_noticed(void **state)
{
	(void)state;
	fresh();
	/* The heartbeat began anew, and the values have moved. */
	*fake_word(&f, TABLE + 8 + 4 * 2) = 9u << 16 | 6;
	*fake_word(&f, VALUES + 4 * 9) = 745;
	*fake_word(&f, VALUES + 4 * 5) = 3;
	sample(&f.d, (struct reader_policy){ .keep = false });
	assert_int_equal(s.r[FIELD_VCORE].value, 745);
	/* Another bundle. */
	*fake_word(&f, TABLE + 8 + 4 * 2) = 10u << 16 | 6;
	*fake_word(&f, VALUES + 4 * 10) = 746;
	*fake_word(&f, VALUES + 4 * 4) = 0x13090000;
	sample(&f.d, (struct reader_policy){ .keep = false });
	assert_int_equal(s.r[FIELD_VCORE].value, 746);
	/* Another place. */
	fake_table(&f, TABLE + 0x1000, VALUES + 0x1000, good, ARRAY_LEN(good));
	sample(&f.d, (struct reader_policy){ .keep = false });
	assert_int_equal(s.r[FIELD_VCORE].value, 864);
}

static void what_does_not_change_is_asked_of_sysfs_once(void **state)
{
	long first;

	(void)state;
	f.acquire_error = -EACCES;
	f.attr[ATTR_HWMON_VCORE] = "800";
	f.attr[ATTR_TT_SERIAL] = "0000040331921011";
	f.attr[ATTR_HWMON_TEMP_MAX] = "90000";
	fresh();
	first = f.attrs;
	f.attrs = 0;
	f.attr[ATTR_TT_SERIAL] = "0000041331921011";
	sample(&f.d, (struct reader_policy){ .keep = false });
	assert_string_equal(s.board, "p150a");
	assert_int_equal(s.r[FIELD_THROTTLE_TEMP].value, 90000);
	assert_true(f.attrs < first);
	/* Nor for what the driver does not publish. */
	f.attr[ATTR_HWMON_POWER_MAX] = "150000000";
	sample(&f.d, (struct reader_policy){ .keep = false });
	assert_string_equal(s.raw.attr[ATTR_HWMON_POWER_MAX], "");
	assert_int_equal(s.raw.attr_error[ATTR_HWMON_POWER_MAX], -ENOENT);
	fresh();
	assert_string_equal(s.board, "p150b");
	assert_string_equal(s.raw.attr[ATTR_HWMON_POWER_MAX], "150000000");
}

static void sysfs_is_not_asked_for_what_the_tables_give(void **state)
{
	(void)state;
	f.attr[ATTR_HWMON_VCORE] = "800";
	f.attr[ATTR_HWMON_CURRENT] = "25000";
	fresh();
	assert_int_equal(s.r[FIELD_VCORE].source, SOURCE_TAG);
	assert_string_equal(s.raw.attr[ATTR_HWMON_VCORE], "");
	assert_int_equal(s.r[FIELD_CURRENT].source, SOURCE_HWMON);
}

/* ---- the older struct -------------------------------------------------------- */

static void fill_legacy(uint32_t at, uint32_t device_id, uint32_t board_high)
{
	*fake_word(&f, at + 4 * 1) = device_id;
	*fake_word(&f, at + 4 * 4) = board_high;
	*fake_word(&f, at + 4 * 5) = 0x1192717d;
	*fake_word(&f, at + 4 * 12) = 0x111111;		/* Grayskull's memory, trained */
	*fake_word(&f, at + 4 * 14) = 0x222222;		/* Wormhole's */
	/* Clocks, voltage, temperature: the words of Grayskull, those of Wormhole. */
	*fake_word(&f, at + 4 * 20) = 1200;
	*fake_word(&f, at + 4 * 21) = 900;
	*fake_word(&f, at + 4 * 22) = 540;
	*fake_word(&f, at + 4 * 24) = 795;
	*fake_word(&f, at + 4 * 25) = 900;
	*fake_word(&f, at + 4 * 26) = 95;	/* Grayskull's regulator, in °C */
	*fake_word(&f, at + 4 * 28) = 915;
	*fake_word(&f, at + 4 * 29) = 40 * 16;
}

static void older_wormhole_firmware_has_the_struct_alone(void **state)
{
	(void)state;
	fake_init(&f, DEVICE_WORMHOLE);
	f.table_ptr = 10;	/* a NOC coordinate */
	f.values_ptr = 0;
	fill_legacy(LEGACY, 0x401e1e52, 0x01000146);
	fresh();
	assert_int_equal(s.health, SNAPSHOT_OK);
	assert_string_equal(s.series, "n300 L");
	assert_int_equal(s.r[FIELD_VCORE].value, 915);
	assert_int_equal(s.r[FIELD_VCORE].source, SOURCE_LEGACY);
	assert_int_equal(f.writes, 0);
}

static void a_struct_is_believed_by_its_device_and_board(void **state)
{
	static const struct {
		uint32_t device_id, board_high;
		bool good;
	} cases[] = {
		{ 0x401e1e52, 0x01000146, true }, { 0x1e52401e, 0x01000146, true },
		{ 0x00000000, 0x01000146, false }, { 0xdeadbeef, 0x01000146, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		fake_init(&f, DEVICE_WORMHOLE);
		fill_legacy(LEGACY, cases[i].device_id, cases[i].board_high);
		fresh();
		assert_int_equal(s.raw.n_legacy, cases[i].good ? 50 : 0);
		assert_int_equal(s.health, cases[i].good ? SNAPSHOT_OK : SNAPSHOT_FAILED);
	}
	fake_init(&f, DEVICE_WORMHOLE);
	for (uint32_t i = 0; i < 50; i++)
		*fake_word(&f, LEGACY + 4 * i) = UINT32_MAX;
	fresh();
	assert_int_equal(s.health, SNAPSHOT_FAILED);
	assert_non_null(strstr(s.reason, "all reads are ones"));
}

static void grayskull_is_asked_for_its_struct_only_in_an_active_sample(void **state)
{
	(void)state;
	fake_init(&f, DEVICE_GRAYSKULL);
	fill_legacy(f.answer, 0xfaca1e52, 0x30);
	fresh();
	assert_int_equal(s.health, SNAPSHOT_NOT_READ);
	assert_int_equal(f.writes, 0);
	sample(&f.d, (struct reader_policy){ .fresh = true, .active = true });
	assert_int_equal(s.health, SNAPSHOT_OK);
	assert_string_equal(s.board, "e150");
	assert_int_equal(s.r[FIELD_VCORE].value, 795);
	assert_int_equal(f.writes, 6);
	/* It is known from then on. */
	sample(&f.d, (struct reader_policy){ .active = true });
	assert_int_equal(s.health, SNAPSHOT_OK);
	assert_int_equal(f.writes, 6);
	assert_false(f.strayed);
	/* An address that is none is not read. */
	f.answer = 0x20000000;
	sample(&f.d, (struct reader_policy){ .fresh = true, .active = true });
	assert_int_equal(s.health, SNAPSHOT_FAILED);
	assert_false(f.strayed);
	/* Firmware up to 1.3.0.0 has no such struct. */
	f.version = 0x01030000;
	sample(&f.d, (struct reader_policy){ .fresh = true, .active = true });
	assert_int_equal(s.raw.table_error.code, -ENOENT);
}

static void a_mailbox_that_is_not_ours_is_left_alone(void **state)
{
	static const struct {
		uint32_t post, slot;
		int code;
	} cases[] = {
		{ UINT32_MAX, 0, -EIO }, { 0x11110000, 0, -EHOSTDOWN },
		{ 0xc0de0001, 0xdeadc0de, -EIO },
		{ 0xc0de0001, 0x60, -EHOSTDOWN }, { 0xc0de0001, 0xaa00, -EHOSTDOWN },
		{ 0xc0de0001, 0x55, -EHOSTDOWN },
		{ 0xc0de0001, 0xaa2c, -EBUSY }, { 0xc0de0001, 0xaa2c0000, -EBUSY },
		{ 0xc0de0001, 0, 0 }, { 0xc0de0001, 0x000000b9, 0 }, { 0xc0de0001, UINT32_MAX, 0 },
	};
	const struct arc_mailbox box = { .unit = { REG_BAR0, 0, 0, 0x1ff30000 } };
	struct error e;
	uint32_t out[2];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		fake_init(&f, DEVICE_GRAYSKULL);
		f.acquired = true;
		f.boot = cases[i].post;
		f.scratch[5] = cases[i].slot;
		assert_int_equal(arc_msg_send(&f.d, &box, ARC_MSG_FW_VERSION, 0, 0, out, &e),
			cases[i].code);
		assert_int_equal(f.writes, cases[i].code ? 0 : 3);
	}
	assert_int_equal(out[0], 0x01040000);
}

static void a_message_that_fails_is_not_sent_again(void **state)
{
	static const struct {
		int mailbox, code;
	} cases[] = { { FAKE_UNKNOWN, -EPROTO }, { FAKE_REFUSES, -EPROTO },
		{ FAKE_INTRUDED, -EBUSY }, { FAKE_SILENT, -ETIMEDOUT } };
	const struct arc_mailbox box = { .unit = { REG_BAR0, 0, 0, 0x1ff30000 } };
	struct error e;
	uint32_t out[2];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		fake_init(&f, DEVICE_GRAYSKULL);
		f.acquired = true;
		f.mailbox = (unsigned)cases[i].mailbox;
		assert_int_equal(arc_msg_send(&f.d, &box, ARC_MSG_LEGACY_ADDRESS, 0, 0, out, &e),
			cases[i].code);
		assert_int_equal(f.writes, 3);
	}
}

/* driver-behaviour 15: each further load would take as long. */
static void a_chip_that_answers_late_costs_one_load(void **state)
{
	static const struct reader_policy policy = { .fresh = true };
	static const char *const boards[] = { "p150a:late", "n150:late", "n300:late", "e150:late" };
	static struct raw raw;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(boards); i++) {
		struct bus *bus = sim_bus(boards[i], 1);

		reader_sample(&bus->dev[0], &policy, &raw);
		assert_int_equal(counts(bus).reads, 1);
		assert_int_equal(raw.sample_error.code, -ETIMEDOUT);
		assert_non_null(strstr(raw.sample_error.text, "chip seems to hang"));
		bus_close(bus);
	}
}

static void a_good_word_that_comes_late_is_no_hang(void **state)
{
	good_chip(state);
	f.late = 450 * CLOCK_MS;
	fresh();
	assert_int_equal(s.raw.sample_error.code, 0);
	assert_int_equal(s.health, SNAPSHOT_OK);
	good_chip(state);
	f.late = 450 * CLOCK_MS;
	f.hang = UINT32_MAX;
	fresh();
	assert_int_equal(s.raw.sample_error.code, -EIO);
}

/* The first registers answer, a later one does not. */
static void a_chip_that_begins_to_hang_in_the_middle_is_left_alone(void **state)
{
	good_chip(state);
	f.attr[ATTR_HWMON_VCORE] = "800";
	f.fail_at = 4;
	f.error = -ETIMEDOUT;
	fresh();
	assert_int_equal(s.health, SNAPSHOT_FAILED);
	assert_int_equal(s.raw.sample_error.code, -ETIMEDOUT);
	assert_int_equal(f.reads, 4);
	assert_string_equal(s.raw.attr[ATTR_HWMON_VCORE], "");	/* the driver would load it too */
}

/* What is remembered of card 0 of one bus is nothing to card 0 of another. */
static void two_buses_do_not_share_what_is_remembered(void **state)
{
	static const struct reader_policy policy = { .fresh = false };
	struct bus *a = sim_bus("p150a", 1), *b = sim_bus("p300", 1);
	static struct raw raw;

	(void)state;
	for (int i = 0; i < 2; i++) {
		reader_sample(&a->dev[0], &policy, &raw);
		assert_string_equal(raw.attr[ATTR_LINK_WIDTH_MAX], "16");
		reader_sample(&b->dev[0], &policy, &raw);
		assert_string_equal(raw.attr[ATTR_LINK_WIDTH_MAX], "8");
	}
	bus_close(a);
	bus_close(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chip_that_answers_late_costs_one_load),
		cmocka_unit_test_setup(a_good_word_that_comes_late_is_no_hang, good_chip),
		cmocka_unit_test_setup(
			a_chip_that_begins_to_hang_in_the_middle_is_left_alone, good_chip),
		cmocka_unit_test(two_buses_do_not_share_what_is_remembered),
		cmocka_unit_test(every_simulated_board_is_read_well_and_within_the_rules),
		cmocka_unit_test(a_sample_that_is_not_active_writes_nothing_and_sends_nothing),
		cmocka_unit_test(counters_are_read_only_if_asked_for_and_where_there_are_some),
		cmocka_unit_test(a_look_at_the_heartbeat_reads_one_word),
		cmocka_unit_test(the_firmwares_error_word_is_read_with_what_stays_as_it_is),
		cmocka_unit_test(a_passive_sample_opens_no_node),
		cmocka_unit_test(both_tables_of_a_simulated_wormhole_are_read),
		cmocka_unit_test_setup(a_good_table_is_read, good_chip),
		cmocka_unit_test_setup(pointers_that_lead_nowhere_are_not_followed, good_chip),
		cmocka_unit_test_setup(counts_and_versions_that_cannot_be_are_refused, good_chip),
		cmocka_unit_test_setup(holes_and_offsets_out_of_memory_are_skipped, good_chip),
		cmocka_unit_test_setup(offsets_far_apart_are_read_one_by_one, good_chip),
		cmocka_unit_test_setup(more_entries_than_we_keep_are_cut, good_chip),
		cmocka_unit_test_setup(words_all_ones_are_a_chip_that_does_not_answer, good_chip),
		cmocka_unit_test_setup(a_dead_chip_is_left_alone_after_its_first_word, good_chip),
		cmocka_unit_test_setup(a_card_that_a_program_resets_says_so, good_chip),
		cmocka_unit_test_setup(a_chip_that_has_not_booted_is_read_through_sysfs, good_chip),
		cmocka_unit_test_setup(firmware_that_does_not_run_is_the_cards_failure, good_chip),
		cmocka_unit_test_setup(static_attributes_are_no_sample, good_chip),
		cmocka_unit_test_setup(
			an_error_anywhere_in_a_sample_leaves_sysfs_and_a_reason, good_chip),
		cmocka_unit_test_setup(a_node_that_cannot_be_opened_leaves_sysfs, good_chip),
		cmocka_unit_test_setup(later_samples_read_only_the_values, good_chip),
		cmocka_unit_test_setup(a_reset_or_new_firmware_is_noticed, good_chip),
		cmocka_unit_test_setup(all_processes_close_a_kept_card_at_the_same_time, good_chip),
		cmocka_unit_test_setup(what_does_not_change_is_asked_of_sysfs_once, good_chip),
		cmocka_unit_test_setup(sysfs_is_not_asked_for_what_the_tables_give, good_chip),
		cmocka_unit_test_setup(older_wormhole_firmware_has_the_struct_alone, good_chip),
		cmocka_unit_test_setup(a_struct_is_believed_by_its_device_and_board, good_chip),
		cmocka_unit_test_setup(
			grayskull_is_asked_for_its_struct_only_in_an_active_sample, good_chip),
		cmocka_unit_test_setup(a_mailbox_that_is_not_ours_is_left_alone, good_chip),
		cmocka_unit_test_setup(a_message_that_fails_is_not_sent_again, good_chip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

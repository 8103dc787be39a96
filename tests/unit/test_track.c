/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What several samples tell: heartbeat, rates, links, age. */
#include "config.h"
#include "base/clock.h"
#include "telemetry/decode.h"
#include "telemetry/link.h"
#include "telemetry/sampler/sampler_local.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct track t;
static struct snapshot s;

/* A Blackhole with a heartbeat and a voltage, sampled this many ms after the start. */
static void sample(int64_t ms, uint32_t beat)
{
	memset(&s, 0, sizeof(s));
	s.local = -1;
	s.index = 3;
	s.chip = s.raw.chip = DEVICE_BLACKHOLE;
	s.time = s.raw.time = ms * CLOCK_MS;
	s.raw.tags[0] = (struct raw_tag){ 32, beat };
	s.raw.tags[1] = (struct raw_tag){ 6, 800 };
	s.raw.n_tags = 2;
}

static enum snapshot_beat beat_after(int64_t ms, uint32_t beat)
{
	sample(ms, beat);
	decode_snapshot(&s);
	track_update(&t, &s);
	return s.beat;
}

static int begin(void **state)
{
	(void)state;
	memset(&t, 0, sizeof(t));
	return 0;
}

static bool has_finding(const char *id)
{
	for (size_t i = 0; i < s.n_findings; i++)
		if (strcmp(s.findings[i].id, id) == 0)
			return true;
	return false;
}

static enum busy_source look(int64_t ms, enum busy_source source, uint64_t busy)
{
	sample(ms, (uint32_t)ms);
	s.raw.busy = (struct busy){ .source = (uint8_t)source, .cores = 10, .control = { .n = 1 },
		.queue = { { .counts_any = true, .now = 1000 * (uint64_t)(ms + 1), .busy = busy,
			.part = { { .workers = 1, .done = 1 } } } } };
	decode_snapshot(&s);
	track_update(&t, &s);
	return (enum busy_source)s.r[FIELD_BUSY_SOURCE].value;
}

/* A share is of the time in which somebody looked. */
static void a_share_spans_no_time_without_looks(void **state)
{
	(void)state;
	assert_int_equal(look(0, BUSY_FIRST, 0), BUSY_FIRST);
	assert_int_equal(look(500, BUSY_TORN, 0), BUSY_TORN);
	assert_int_equal(look(1000, BUSY_FIRST, 500000), BUSY_COUNTERS);
	assert_int_equal(s.r[FIELD_BUSY].value, 50000);
	look(1500, BUSY_NOT_ASKED, 0);
	assert_int_equal(look(3600000, BUSY_FIRST, 600000), BUSY_FIRST);
	assert_int_equal(look(3600500, BUSY_FIRST, 600000), BUSY_COUNTERS);
	assert_int_equal(s.r[FIELD_BUSY].value, 0);
}

static void one_sample_does_not_judge_the_heartbeat(void **state)
{
	(void)state;
	assert_int_equal(beat_after(0, 7), SNAPSHOT_BEAT_UNJUDGED);
	assert_int_equal(beat_after(50, 7), SNAPSHOT_BEAT_UNJUDGED);
	assert_int_equal(beat_after(1900, 7), SNAPSHOT_BEAT_UNJUDGED);
}

static void a_heartbeat_that_moves_is_alive(void **state)
{
	(void)state;
	beat_after(0, 7);
	assert_int_equal(beat_after(100, 8), SNAPSHOT_BEAT_ALIVE);
	assert_int_equal(beat_after(150, 8), SNAPSHOT_BEAT_ALIVE);
	assert_int_equal(beat_after(250, 0), SNAPSHOT_BEAT_ALIVE);
	assert_int_equal(beat_after(350, 0xfffffffe), SNAPSHOT_BEAT_ALIVE);
}

static void a_heartbeat_that_rests_for_two_seconds_has_stopped(void **state)
{
	(void)state;
	beat_after(0, 7);
	beat_after(500, 8);
	assert_int_equal(beat_after(2400, 8), SNAPSHOT_BEAT_ALIVE);
	assert_int_equal(s.health, SNAPSHOT_OK);
	assert_int_equal(beat_after(3600, 8), SNAPSHOT_BEAT_STOPPED);
	assert_int_equal(s.health, SNAPSHOT_WARN);
	assert_true(has_finding("heartbeat"));
	assert_string_equal(s.findings[0].text,
		"firmware silent for 3 s");
	assert_int_equal(beat_after(3700, 9), SNAPSHOT_BEAT_ALIVE);
	assert_false(has_finding("heartbeat"));
}

static bool is_old(int64_t ms, uint32_t beat)
{
	beat_after(ms, beat);
	assert_int_equal(snapshot_is_current(&s),
		!snapshot_is_old(&s) && !has_finding("heartbeat"));
	return snapshot_is_old(&s);
}

static void two_reads_of_what_the_firmware_wrote_are_one_sample(void **state)
{
	(void)state;
	assert_false(is_old(0, 7));
	assert_true(is_old(50, 7));
	assert_false(is_old(100, 8));
	assert_true(is_old(150, 8));
	assert_true(is_old(2100, 8));
	/* One that has stopped is in trouble, and has no sample. */
	beat_after(2200, 8);
	assert_true(has_finding("heartbeat"));
	assert_false(snapshot_is_current(&s));
	assert_false(is_old(2300, 9));
	/* A chip without a heartbeat has a sample each time. */
	sample(2400, 9);
	s.raw.tags[0].tag = 6;
	decode_snapshot(&s);
	track_update(&t, &s);
	assert_true(snapshot_is_current(&s));
	sample(2500, 10);
	s.age = 1;
	decode_snapshot(&s);
	assert_true(snapshot_is_old(&s));
}

static bool is_old_record(int64_t ms, uint32_t beat)
{
	sample(ms, beat);
	s.raw.is_still = true;
	decode_snapshot(&s);
	track_update(&t, &s);
	return snapshot_is_old(&s);
}

static void a_tree_has_a_sample_each_time_a_recording_by_its_beat(void **state)
{
	(void)state;
	for (int64_t ms = 0; ms < 5000; ms += 500)
		assert_false(is_old_record(ms, 7));
	assert_false(is_old_record(5500, 8));
	assert_true(is_old_record(6000, 8));
	assert_true(is_old_record(60000, 8));
}

/* Two samples, a look between them (enum snapshot_beat), and what the second one says. */
static void every_source_and_mode_has_one_rule(void **state)
{
	static const struct {
		const char *name;
		bool is_still;
		enum snapshot_beat look;
		uint32_t period, ms;	/* 0: the firmware has none; of the second sample */
		bool moves;
		enum snapshot_beat then;
	} table[] = {
		{ "too early", false, 0, 0, 1900, false, SNAPSHOT_BEAT_UNJUDGED },
		{ "silent", false, 0, 0, 2100, false, SNAPSHOT_BEAT_STOPPED },
		{ "moved", false, 0, 0, 2100, true, SNAPSHOT_BEAT_ALIVE },
		{ "seen to stand", false, SNAPSHOT_BEAT_STOPPED, 0, 500, false,
			SNAPSHOT_BEAT_STOPPED },
		{ "moves again", false, SNAPSHOT_BEAT_STOPPED, 0, 500, true, SNAPSHOT_BEAT_ALIVE },
		{ "seen to move", false, SNAPSHOT_BEAT_ALIVE, 0, 500, false, SNAPSHOT_BEAT_ALIVE },
		{ "seen, then silent", false, SNAPSHOT_BEAT_ALIVE, 0, 2100, false,
			SNAPSHOT_BEAT_STOPPED },
		{ "seldom", false, 0, 3000, 5900, false, SNAPSHOT_BEAT_UNJUDGED },
		{ "seldom, and silent", false, 0, 3000, 6100, false, SNAPSHOT_BEAT_STOPPED },
		{ "often", false, 0, 10, 1900, false, SNAPSHOT_BEAT_UNJUDGED },
		{ "a tree", true, 0, 0, 60000, false, SNAPSHOT_BEAT_UNJUDGED },
		{ "a recording", true, 0, 0, 60000, true, SNAPSHOT_BEAT_ALIVE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		memset(&t, 0, sizeof(t));
		beat_after(0, 7);
		track_take_beat(&t, table[i].look);
		sample(table[i].ms, table[i].moves ? 8 : 7);
		s.raw.is_still = table[i].is_still;
		if (table[i].period)
			s.raw.tags[s.raw.n_tags++] = (struct raw_tag){ 5, table[i].period };
		decode_snapshot(&s);
		track_update(&t, &s);
		if (s.beat != table[i].then)
			print_error("%s: %s\n", table[i].name, snapshot_beat_name(s.beat));
		assert_int_equal(s.beat, table[i].then);
		assert_int_equal(has_finding("heartbeat"), s.beat == SNAPSHOT_BEAT_STOPPED);
	}
}

/* As when the node becomes unreadable: it is not firmware without one. */
static void a_heartbeat_that_cannot_be_read_any_more_is_unknown(void **state)
{
	(void)state;
	beat_after(0, 7);
	sample(500, 8);
	s.raw.tags[0].tag = 200;
	decode_snapshot(&s);
	track_update(&t, &s);
	assert_int_equal(s.beat, SNAPSHOT_BEAT_UNJUDGED);
}

static void a_chip_without_a_heartbeat_has_none(void **state)
{
	(void)state;
	sample(0, 0);
	s.raw.tags[0].tag = 200;
	decode_snapshot(&s);
	track_update(&t, &s);
	assert_int_equal(s.beat, SNAPSHOT_BEAT_NONE);
}

static void another_source_of_the_heartbeat_is_no_beat(void **state)
{
	(void)state;
	beat_after(0, 7);
	sample(100, 7);
	s.raw.tags[0].tag = 200;
	snprintf(s.raw.attr[ATTR_TT_HEARTBEAT], ATTR_TEXT, "9");
	decode_snapshot(&s);
	track_update(&t, &s);
	assert_int_equal(s.beat, SNAPSHOT_BEAT_UNJUDGED);
}

static void counters(uint32_t each)
{
	for (enum attr a = ATTR_PERF_MST_RD_0; a <= ATTR_PERF_SLV_RD_1; a++)
		snprintf(s.raw.attr[a], ATTR_TEXT, "%u", each);
}

static void rate(int64_t ms, uint32_t each)
{
	sample(ms, (uint32_t)ms);
	counters(each);
	decode_snapshot(&s);
	track_update(&t, &s);
}

static void rates_are_flits_of_32_bytes_of_both_networks(void **state)
{
	(void)state;
	rate(0, 1000);
	assert_int_equal(s.r[FIELD_PCIE_RX].state, READING_UNJUDGED);
	rate(500, 2000);
	/* 6 counters each way, 1000 flits each in half a second. */
	assert_int_equal(s.r[FIELD_PCIE_RX].state, READING_OK);
	assert_int_equal(s.r[FIELD_PCIE_RX].value, 6 * 1000 * 32 * 2);
	assert_int_equal(s.r[FIELD_PCIE_TX].value, 6 * 1000 * 32 * 2);
}

static void each_counter_counts_its_own_way(void **state)
{
	static const char in[12] = { 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0 };	/* as enum attr */

	(void)state;
	for (int i = 0; i < 12; i++) {
		begin(state);
		rate(0, 0);
		sample(1000, 1);
		counters(0);
		snprintf(s.raw.attr[ATTR_PERF_MST_RD_0 + i], ATTR_TEXT, "10");
		decode_snapshot(&s);
		track_update(&t, &s);
		assert_int_equal(s.r[FIELD_PCIE_RX].value, in[i] ? 320 : 0);
		assert_int_equal(s.r[FIELD_PCIE_TX].value, in[i] ? 0 : 320);
	}
}

static void a_counter_may_wrap(void **state)
{
	(void)state;
	rate(0, 0xffffff00);
	rate(1000, 0x100);
	assert_int_equal(s.r[FIELD_PCIE_RX].value, 6 * 512 * 32);
}

static void a_counter_that_began_anew_is_no_rate(void **state)
{
	(void)state;
	rate(0, 500000);
	rate(1000, 3);
	assert_int_equal(s.r[FIELD_PCIE_RX].state, READING_UNJUDGED);
	rate(2000, 4);
	assert_int_equal(s.r[FIELD_PCIE_RX].value, 6 * 32);
}

static void a_gap_in_which_a_counter_could_wrap_is_no_rate(void **state)
{
	(void)state;
	rate(0, 0);
	rate(3000, 100);
	assert_int_equal(s.r[FIELD_PCIE_RX].state, READING_UNJUDGED);
}

static void missing_counters_are_no_rate(void **state)
{
	(void)state;
	rate(0, 0);
	sample(1000, 1);
	counters(5);
	s.raw.attr[ATTR_PERF_SLV_RD_1][0] = '\0';
	decode_snapshot(&s);
	track_update(&t, &s);
	assert_int_equal(s.r[FIELD_PCIE_RX].state, READING_UNJUDGED);
}

static void a_failed_sample_shows_the_last_values_with_their_age(void **state)
{
	(void)state;
	beat_after(0, 1);
	beat_after(500, 2);
	sample(1000, 0);
	s.raw.n_tags = 0;
	s.raw.sample_error = (struct error){ .code = -ETIMEDOUT, .text = "too late" };
	decode_snapshot(&s);
	track_update(&t, &s);
	assert_int_equal(s.health, SNAPSHOT_FAILED);
	assert_string_equal(s.reason, "too late");
	assert_int_equal(s.r[FIELD_VCORE].state, READING_STALE);
	assert_int_equal(s.r[FIELD_VCORE].value, 800);
	assert_int_equal(s.r[FIELD_VCORE].time, 500 * CLOCK_MS);
	assert_int_equal(s.beat, SNAPSHOT_BEAT_UNJUDGED);
	assert_int_equal(s.since, 1000 * CLOCK_MS);
	beat_after(1500, 3);
	assert_int_equal(s.r[FIELD_VCORE].state, READING_OK);
	assert_int_equal(s.since, 1500 * CLOCK_MS);
}

static void the_link_of_a_chip_that_is_lost_is_the_last_one(void **state)
{
	(void)state;
	sample(0, 1);
	snprintf(s.raw.attr[ATTR_LINK_SPEED], ATTR_TEXT, "32.0 GT/s PCIe");
	snprintf(s.raw.attr[ATTR_LINK_WIDTH], ATTR_TEXT, "16");
	decode_snapshot(&s);
	track_update(&t, &s);
	assert_true(link_is_now(&s.link));
	sample(500, 0);
	s.raw.sample_error = (struct error){ .code = -ETIMEDOUT, .text = "too late" };
	decode_snapshot(&s);
	track_update(&t, &s);
	assert_int_equal(s.link.width, 16);
	assert_true(s.link.known && !link_is_now(&s.link));
}

static void values_only_the_tables_have_go_stale_when_the_tables_fail(void **state)
{
	(void)state;
	sample(0, 1);
	s.raw.tags[2] = (struct raw_tag){ 53, 300 };
	s.raw.n_tags = 3;
	decode_snapshot(&s);
	track_update(&t, &s);
	sample(500, 0);
	s.raw.n_tags = 0;
	snprintf(s.raw.attr[ATTR_HWMON_VCORE], ATTR_TEXT, "810");
	s.raw.table_error = (struct error){ .code = -EIO, .text = "EIO" };
	decode_snapshot(&s);
	track_update(&t, &s);
	assert_int_equal(s.health, SNAPSHOT_WARN);
	assert_int_equal(s.r[FIELD_VCORE].state, READING_OK);
	assert_int_equal(s.r[FIELD_VCORE].value, 810);
	assert_int_equal(s.r[FIELD_BOARD_POWER_LIMIT].state, READING_STALE);
	assert_int_equal(s.r[FIELD_BOARD_POWER_LIMIT].value, 300000);
}

static void nothing_is_stale_before_a_good_sample(void **state)
{
	(void)state;
	sample(0, 0);
	s.raw.n_tags = 0;
	s.raw.sample_error = (struct error){ .code = -EIO, .text = "EIO" };
	decode_snapshot(&s);
	track_update(&t, &s);
	assert_int_equal(s.r[FIELD_VCORE].state, READING_ABSENT);
}

static void links(int64_t ms, uint32_t up)
{
	sample(ms, (uint32_t)ms);
	s.raw.tags[2] = (struct raw_tag){ 21, up << 16 | 0x3fff };
	s.raw.tags[3] = (struct raw_tag){ 28, 0x13090000 };
	s.raw.n_tags = 4;
	decode_snapshot(&s);
	track_update(&t, &s);
}

static void a_link_that_was_up_is_missed_one_that_never_was_is_not(void **state)
{
	(void)state;
	links(0, 0x0f);
	assert_int_equal(s.n_findings, 0);
	links(100, 0x0b);
	assert_true(has_finding("eth-link"));
	assert_string_equal(s.findings[0].text, "ethernet link 2 was up and went down");
	links(200, 0x0f);
	assert_int_equal(s.n_findings, 0);
}

static void corrected(int64_t ms, uint32_t word)
{
	sample(ms, 1);
	s.raw.tags[s.raw.n_tags++] = (struct raw_tag){ 47, word };	/* modules 2 and 3 */
	decode_snapshot(&s);
	track_update(&t, &s);
}

static void corrected_memory_errors_that_grow_are_a_finding_from_then_on(void **state)
{
	(void)state;
	corrected(0, 0x00000007);
	assert_int_equal(s.health, SNAPSHOT_OK);
	corrected(100, 0x00000007);
	assert_int_equal(s.health, SNAPSHOT_OK);
	corrected(200, 0x00000009);
	assert_int_equal(s.health, SNAPSHOT_WARN);
	assert_true(has_finding("gddr-growing"));
	assert_string_equal(s.findings[0].text,
		"corrected errors grow in memory module 2: 2 since the first sample");
	corrected(300, 0x00000009);
	assert_true(has_finding("gddr-growing"));
	corrected(400, 0x01000009);
	assert_string_equal(s.findings[0].text,
		"corrected errors grow in memory modules 2 and 3: 3 since the first sample");
	/* Trained again, the counters begin at 0: nothing was added. */
	corrected(500, 0);
	assert_string_equal(s.findings[0].text,
		"corrected errors grow in memory modules 2 and 3: 3 since the first sample");
}

static void a_sample_without_the_counters_is_no_growth(void **state)
{
	(void)state;
	corrected(0, 5);
	beat_after(100, 2);
	assert_int_equal(s.n_findings, 0);
	corrected(200, 5);
	assert_int_equal(s.n_findings, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_share_spans_no_time_without_looks, begin),
		cmocka_unit_test_setup(one_sample_does_not_judge_the_heartbeat, begin),
		cmocka_unit_test_setup(a_heartbeat_that_moves_is_alive, begin),
		cmocka_unit_test_setup(a_heartbeat_that_rests_for_two_seconds_has_stopped, begin),
		cmocka_unit_test_setup(two_reads_of_what_the_firmware_wrote_are_one_sample, begin),
		cmocka_unit_test_setup(a_tree_has_a_sample_each_time_a_recording_by_its_beat,
			begin),
		cmocka_unit_test_setup(every_source_and_mode_has_one_rule, begin),
		cmocka_unit_test_setup(a_heartbeat_that_cannot_be_read_any_more_is_unknown, begin),
		cmocka_unit_test_setup(a_chip_without_a_heartbeat_has_none, begin),
		cmocka_unit_test_setup(another_source_of_the_heartbeat_is_no_beat, begin),
		cmocka_unit_test_setup(rates_are_flits_of_32_bytes_of_both_networks, begin),
		cmocka_unit_test_setup(each_counter_counts_its_own_way, begin),
		cmocka_unit_test_setup(a_counter_may_wrap, begin),
		cmocka_unit_test_setup(a_counter_that_began_anew_is_no_rate, begin),
		cmocka_unit_test_setup(a_gap_in_which_a_counter_could_wrap_is_no_rate, begin),
		cmocka_unit_test_setup(missing_counters_are_no_rate, begin),
		cmocka_unit_test_setup(a_failed_sample_shows_the_last_values_with_their_age, begin),
		cmocka_unit_test_setup(
			values_only_the_tables_have_go_stale_when_the_tables_fail, begin),
		cmocka_unit_test_setup(nothing_is_stale_before_a_good_sample, begin),
		cmocka_unit_test_setup(the_link_of_a_chip_that_is_lost_is_the_last_one, begin),
		cmocka_unit_test_setup(
			a_link_that_was_up_is_missed_one_that_never_was_is_not, begin),
		cmocka_unit_test_setup(
			corrected_memory_errors_that_grow_are_a_finding_from_then_on, begin),
		cmocka_unit_test_setup(a_sample_without_the_counters_is_no_growth, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

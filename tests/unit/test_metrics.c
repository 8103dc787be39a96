/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metrics: the table's column, the text that Prometheus reads, and the roster of chips that there
 * should be.
 */
#include "config.h"
#include "base/mem.h"
#include "base/clock.h"
#include "output/metrics.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define CHIPS 4

/* A machine whose ticks are made by hand. */
static struct {
	struct snapshot chips[CHIPS];
	bool wanted[CHIPS];
	struct fleet fleet;
	struct roster roster;
	struct strbuf text;
} m;

static void set(size_t i, enum field_id id, int64_t value)
{
	m.chips[i].r[id] = (struct reading){ .value = value, .state = READING_OK };
}

static int begin(void **state)
{
	(void)state;
	memset(&m, 0, sizeof(m));
	for (size_t i = 0; i < CHIPS; i++) {
		struct snapshot *s = &m.chips[i];

		s->index = (int)i;
		s->local = -1;
		s->health = SNAPSHOT_OK;
		s->beat = SNAPSHOT_BEAT_ALIVE;
		s->chip = DEVICE_BLACKHOLE;
		s->upi = 0x40;
		mem_copy_text(s->board, sizeof(s->board), "p150a");
		snprintf(s->bdf, sizeof(s->bdf), "0000:%02x:00.0", (unsigned)i + 1);
		set(i, FIELD_POWER, 40500);
		m.wanted[i] = true;
	}
	m.fleet = (struct fleet){ .n = 2, .chips = m.chips, .wanted = m.wanted,
		.origin = &origin_machine,
		.selection = "", .processes_unknown = "", .driver = "2.9.0",
		.real = 1795000000123456789 };
	return 0;
}

static int end(void **state)
{
	(void)state;
	strbuf_clear(&m.text);
	return 0;
}

static bool parse_roster(const char *text, struct roster *r)
{
	return record_file_parse(&roster_file, text, strlen(text), r);
}

static void tick_without_samples(void)
{
	const struct metrics what = { .fleet = &m.fleet, .roster = &m.roster, .version = "1" };

	roster_take(&m.roster, &m.fleet);
	m.text.len = 0;
	metrics_put(&m.text, &what);
}

static void tick(void)
{
	for (size_t i = 0; i < CHIPS; i++)
		m.chips[i].tick++;
	tick_without_samples();
}

/* Whether the text has this line. */
static bool has(const char *line)
{
	const size_t len = strlen(line);

	for (const char *at = m.text.text; (at = strstr(at, line)); at++)
		if ((at == m.text.text || at[-1] == '\n') && at[len] == '\n')
			return true;
	return false;
}

static bool has_word(const char *word)
{
	return strstr(m.text.text, word) != NULL;
}

/* Of whom the runtime says it, by pid; one without a pid cannot be told from another. */
static void a_process_has_memory_where_the_runtime_says_so(void **state)
{
	static const struct process all[] = {
		{ .device = 0, .has_memory = true, .memory = { 9 } },
		{ .device = 0, .pid = 7, .has_memory = true, .memory = { 1 << 30, 4096, 3, 2, 0 } },
		{ .device = 0, .pid = 7, .has_memory = true, .memory = { 1 << 30, 4096, 3, 2, 0 } },
		{ .device = 1, .pid = 7, .memory = { 5 } },
	};

	static const char l1[] = "tt_smi_process_memory_bytes{bdf=\"0000:01:00.0\",chip=\"0\","
		"pid=\"7\",kind=\"l1\"} 4096\n";
	const char *at;

	(void)state;
	tick();
	assert_false(has_word("process_memory"));
	m.fleet.processes = all;
	m.fleet.n_processes = ARRAY_LEN(all);
	tick();
	assert_true(has("# TYPE tt_smi_process_memory_bytes gauge"));
	assert_true(has("tt_smi_process_memory_bytes{bdf=\"0000:01:00.0\",chip=\"0\",pid=\"7\","
		"kind=\"dram\"} 1073741824"));
	at = strstr(m.text.text, l1);
	assert_non_null(at);
	assert_null(strstr(at + 1, l1));
	assert_true(has("tt_smi_process_memory_bytes{bdf=\"0000:01:00.0\",chip=\"0\",pid=\"7\","
		"kind=\"cb\"} 0"));
	assert_false(has_word("process_memory_bytes{bdf=\"0000:02:00.0\""));
	assert_false(has_word("process_memory_bytes{bdf=\"0000:01:00.0\",chip=\"0\",kind="));
}

/* Who holds a chip; what is not known is no label. */
static void a_holder_has_the_labels_that_are_known(void **state)
{
	static const struct process all[] = {
		{ .device = 0, .user = "?" }, { .device = 0, .user = "?" },
		{ .device = 0, .pid = 7, .user = "a\"b", .command = "x",
			.group.container = { "docker", "0123", "" } },
		{ .device = 1, .pid = 8, .user = "ada",
			.group = { { "cri-o", "4567", "u-1" }, { "12", "0" } } },
	};
	struct metrics what = { .fleet = &m.fleet, .roster = &m.roster, .version = "1",
		.external = true };

	(void)state;
	tick();
	assert_true(has("tt_smi_holders_listed 1"));
	assert_false(has_word("tt_smi_holder_info"));
	m.fleet.processes = all;
	m.fleet.n_processes = ARRAY_LEN(all);
	m.fleet.processes_partial = true;
	tick();
	assert_true(has("tt_smi_holders_listed 0"));
	assert_true(has("tt_smi_holder_info{bdf=\"0000:01:00.0\",chip=\"0\"} 1"));
	assert_true(has("tt_smi_holder_info{bdf=\"0000:01:00.0\",chip=\"0\",pid=\"7\","
		"user=\"a\\\"b\",container_id=\"0123\"} 1"));
	assert_true(has("tt_smi_holder_info{bdf=\"0000:02:00.0\",chip=\"0\",pid=\"8\",user=\"ada\","
		"container_id=\"4567\",pod_uid=\"u-1\",job_id=\"12\"} 1"));
	m.text.len = 0;
	metrics_put(&m.text, &what);
	assert_true(has("tt_smi_holder_info{bdf=\"0000:02:00.0\",chip=\"0\",pid=\"8\"} 1"));
	what.external = false;
	what.commands = true;
	m.text.len = 0;
	metrics_put(&m.text, &what);
	assert_true(has_word("container_id=\"0123\",command=\"x\"} 1"));
	m.fleet.processes_unknown = "no list";
	m.fleet.processes_partial = false;
	tick();
	assert_true(has("tt_smi_holders_listed 0"));
}

static bool is_series(enum field_id id)
{
	return fields[id].metric.type != METRIC_NONE && fields[id].metric.type != METRIC_LABEL;
}

static bool ends_in(const char *name, const char *end)
{
	const size_t n = strlen(name), k = strlen(end);

	return n > k && strcmp(name + n - k, end) == 0;
}

static void a_name_ends_in_its_unit_and_a_counter_in_total(void **state)
{
	static const struct {
		const char *unit, *end;
	} ends[] = {
		{ "V", "_volts" }, { "A", "_amperes" }, { "W", "_watts" }, { "°C", "_celsius" },
		{ "MHz", "_hertz" }, { "MB/s", "_bytes_per_second" }, { "RPM", "_rpm" },
		{ "MT/s", "_transfers_per_second" }, { "%", "_ratio" }, { "s", "_seconds" },
		{ "ms", "_seconds" },
	};

	(void)state;
	for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++) {
		const struct field_metric *f = &fields[id].metric;

		if (!is_series(id))
			continue;
		assert_int_equal(ends_in(f->name, "_total"), f->type == METRIC_COUNTER);
		if (f->type != METRIC_GAUGE)
			continue;
		for (size_t i = 0; i < ARRAY_LEN(ends); i++)
			if (strcmp(ends[i].unit, fields[id].unit) == 0)
				assert_true(ends_in(f->name, ends[i].end));
	}
}

static void rows_of_a_name_stand_together_and_differ_in_their_label(void **state)
{
	(void)state;
	for (enum field_id a = FIELD_NONE + 1; a < FIELD_COUNT; a++)
		for (enum field_id b = a + 1; is_series(a) && b < FIELD_COUNT; b++) {
			if (!is_series(b) ||
				strcmp(fields[a].metric.name, fields[b].metric.name) != 0)
				continue;
			assert_string_equal(fields[b - 1].metric.name, fields[b].metric.name);
			assert_string_not_equal(fields[a].metric.label, fields[b].metric.label);
			assert_int_equal(fields[a].metric.type, fields[b].metric.type);
		}
}

static void labels_are_of_a_closed_list(void **state)
{
	static const char *const closed[] = { "result", "reason", "channel", "kind", "port",
		"device" };

	(void)state;
	for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++) {
		const char *label = fields[id].metric.label;
		bool is_known = false;

		if (!is_series(id) || !label)
			continue;
		for (size_t i = 0; i < ARRAY_LEN(closed); i++)
			is_known |= strncmp(label, closed[i], strlen(closed[i])) == 0;
		assert_true(is_known);
	}
}

static void values_are_in_base_units(void **state)
{
	(void)state;
	set(0, FIELD_AICLK, 1350);
	set(0, FIELD_PCIE_RX, 123456789);
	set(0, FIELD_NOP_TIME, 5);
	set(0, FIELD_FAN_TARGET, 72);
	set(0, FIELD_ASIC_TEMP, -500);
	tick();
	assert_true(has("tt_smi_core_watts{bdf=\"0000:01:00.0\",chip=\"0\"} 40.5"));
	assert_true(has("tt_smi_aiclk_hertz{bdf=\"0000:01:00.0\",chip=\"0\"} 1350000000"));
	assert_true(has("tt_smi_pcie_receive_bytes_per_second{bdf=\"0000:01:00.0\",chip=\"0\"} "
			"123456789"));
	assert_true(has("tt_smi_kernel_throttle_seconds{bdf=\"0000:01:00.0\",chip=\"0\"} 0.005"));
	assert_true(has("tt_smi_fan_target_ratio{bdf=\"0000:01:00.0\",chip=\"0\"} 0.72"));
	assert_true(has("tt_smi_asic_celsius{bdf=\"0000:01:00.0\",chip=\"0\"} -0.5"));
	assert_true(has("tt_smi_sample_timestamp_seconds 1795000000.123"));
}

static void what_is_absent_has_no_series_and_no_head(void **state)
{
	static const enum reading_state no_value[] = { READING_ABSENT, READING_FAILED,
		READING_IMPLAUSIBLE, READING_UNJUDGED };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(no_value); i++) {
		set(0, FIELD_AICLK, 1350);
		m.chips[0].r[FIELD_AICLK].state = (uint8_t)no_value[i];
		tick();
		assert_false(has_word("aiclk_hertz"));
	}
	m.chips[0].r[FIELD_AICLK].state = READING_STALE;
	m.chips[0].age = 2500000000;
	tick();
	assert_true(has_word("tt_smi_aiclk_hertz{"));
	assert_true(has("tt_smi_sample_age_seconds{bdf=\"0000:01:00.0\",chip=\"0\"} 2.5"));
}

/* The tables could not be read, and sysfs has the clock alone. */
static void a_value_that_the_last_sample_could_not_read_has_no_series(void **state)
{
	(void)state;
	m.chips[0].raw.time = 2 * CLOCK_SECOND;
	set(0, FIELD_AICLK, 1350);
	m.chips[0].r[FIELD_AICLK].time = 2 * CLOCK_SECOND;
	set(0, FIELD_FW_BUNDLE, 0x12000000);
	m.chips[0].r[FIELD_FW_BUNDLE].state = READING_STALE;
	m.chips[0].r[FIELD_POWER].state = READING_STALE;
	m.chips[0].r[FIELD_FW_BUNDLE].time = m.chips[0].r[FIELD_POWER].time = CLOCK_SECOND;
	tick();
	assert_true(has("tt_smi_aiclk_hertz{bdf=\"0000:01:00.0\",chip=\"0\"} 1350000000"));
	assert_true(has("tt_smi_up{bdf=\"0000:01:00.0\",chip=\"0\"} 1"));
	assert_true(has("tt_smi_sample_age_seconds{bdf=\"0000:01:00.0\",chip=\"0\"} 0"));
	assert_true(has("tt_smi_firmware_info{bdf=\"0000:01:00.0\",chip=\"0\"} 1"));
	assert_false(has_word("tt_smi_core_watts{bdf=\"0000:01:00.0\""));
	assert_true(has_word("tt_smi_core_watts{bdf=\"0000:02:00.0\""));
}

static void bits_and_reasons_are_a_series_each(void **state)
{
	(void)state;
	set(0, FIELD_DRAM_TRAINED, 0x7f);
	set(1, FIELD_DRAM_TRAINED, 0x7f);
	set(1, FIELD_DRAM_ENABLED, 0xbf);
	set(1, FIELD_ETH_LINK, 1 << 12);
	set(1, FIELD_ETH_ENABLED, 0x3edf);
	set(0, FIELD_ETH_LINK, 1 << 12);
	m.chips[0].raw.chip = DEVICE_BLACKHOLE;
	set(0, FIELD_THROTTLE, THROTTLE_THERMAL);
	tick();
	assert_true(has("tt_smi_dram_channel_trained{bdf=\"0000:02:00.0\""
			",chip=\"0\",channel=\"7\"} 0"));
	assert_true(has("tt_smi_dram_channel_trained{bdf=\"0000:02:00.0\""
			",chip=\"0\",channel=\"5\"} 1"));
	/* One that is harvested, and a chip that does not say which are. */
	assert_false(has_word("channel_trained{bdf=\"0000:02:00.0\",chip=\"0\",channel=\"6\"}"));
	assert_false(has_word("channel_trained{bdf=\"0000:01:00.0\""));
	assert_true(has("tt_smi_dram_channels{bdf=\"0000:02:00.0\",chip=\"0\"} 7"));
	assert_true(has("tt_smi_eth_port_up{bdf=\"0000:02:00.0\",chip=\"0\",port=\"12\"} 1"));
	assert_true(has("tt_smi_eth_port_up{bdf=\"0000:02:00.0\",chip=\"0\",port=\"9\"} 0"));
	assert_false(has_word("eth_port_up{bdf=\"0000:02:00.0\",chip=\"0\",port=\"8\"}"));
	assert_false(has_word("eth_port_up{bdf=\"0000:02:00.0\",chip=\"0\",port=\"14\"}"));
	assert_false(has_word("eth_port_up{bdf=\"0000:01:00.0\""));
	assert_true(has("tt_smi_throttled{bdf=\"0000:01:00.0\",chip=\"0\",reason=\"thermal\"} 1"));
	assert_true(has("tt_smi_throttled{bdf=\"0000:01:00.0\",chip=\"0\",reason=\"tdp\"} 0"));
	assert_false(has_word("reason=\"none\""));
	/* No channel of a Wormhole is harvested. */
	m.chips[0].chip = m.chips[0].raw.chip = DEVICE_WORMHOLE;
	tick();
	assert_true(has("tt_smi_eth_port_up{bdf=\"0000:01:00.0\",chip=\"0\",port=\"12\"} 1"));
	assert_true(has("tt_smi_eth_port_up{bdf=\"0000:01:00.0\",chip=\"0\",port=\"15\"} 0"));
}

static void what_a_card_says_cannot_end_its_label(void **state)
{
	(void)state;
	mem_copy_text(m.chips[0].board, sizeof(m.chips[0].board), "a\"b\\c\nd\u202e");
	tick();
	assert_true(has("tt_smi_chip_info{bdf=\"0000:01:00.0\""
			",chip=\"0\",board=\"a\\\"b\\\\c\\\\x0ad\\\\xe2\\\\x80\\\\xae\"} 1"));
}

static void a_finding_that_is_there_twice_is_one_series(void **state)
{
	(void)state;
	m.chips[0].n_findings = 2;
	mem_copy_text(m.chips[0].findings[0].id, sizeof(m.chips[0].findings[0].id), "dram");
	mem_copy_text(m.chips[0].findings[1].id, sizeof(m.chips[0].findings[1].id), "dram");
	tick();
	assert_true(has("tt_smi_findings{bdf=\"0000:01:00.0\",chip=\"0\"} 2"));
	assert_non_null(strstr(m.text.text, "kind=\"dram\""));
	assert_null(strstr(strstr(m.text.text, "kind=\"dram\"") + 1, "kind=\"dram\""));
}

/* The roster */

static void a_chip_is_down_after_two_samples(void **state)
{
	(void)state;
	tick();
	assert_true(has("tt_smi_up{bdf=\"0000:01:00.0\",chip=\"0\"} 1"));
	m.chips[0].health = SNAPSHOT_FAILED;
	tick();
	assert_true(has("tt_smi_up{bdf=\"0000:01:00.0\",chip=\"0\"} 1"));
	assert_false(has_word("down_info"));
	assert_false(has_word("core_watts{bdf=\"0000:01:00.0\""));
	tick_without_samples();
	assert_true(has("tt_smi_up{bdf=\"0000:01:00.0\",chip=\"0\"} 1"));
	tick();
	assert_true(has("tt_smi_up{bdf=\"0000:01:00.0\",chip=\"0\"} 0"));
	assert_true(has("tt_smi_down_info{bdf=\"0000:01:00.0\",chip=\"0\",reason=\"failed\"} 1"));
	assert_true(has("tt_smi_up{bdf=\"0000:02:00.0\",chip=\"0\"} 1"));
	assert_true(has("tt_smi_chips_present 2"));
	assert_true(has("tt_smi_chips_not_read 0"));
	m.chips[0].health = SNAPSHOT_OK;
	tick();
	assert_true(has("tt_smi_up{bdf=\"0000:01:00.0\",chip=\"0\"} 1"));
	assert_false(has_word("down_info"));
}

static void what_the_exporter_lacks_is_not_the_chips_failure(void **state)
{
	(void)state;
	tick();
	m.chips[0].health = SNAPSHOT_FAILED;
	m.chips[0].raw.sample_error.code = -EMFILE;
	tick();
	tick();
	assert_true(has("tt_smi_down_info{bdf=\"0000:01:00.0\",chip=\"0\",reason=\"unread\"} 1"));
	m.chips[0].raw.sample_error.code = -EIO;
	tick();
	assert_true(has("tt_smi_down_info{bdf=\"0000:01:00.0\",chip=\"0\",reason=\"failed\"} 1"));
}

static void a_chip_that_was_never_well_is_not_up_at_first(void **state)
{
	(void)state;
	m.chips[0].health = SNAPSHOT_FAILED;
	tick();
	assert_false(has_word("tt_smi_up{bdf=\"0000:01:00.0\""));
	tick();
	assert_true(has("tt_smi_up{bdf=\"0000:01:00.0\",chip=\"0\"} 0"));
}

/* Neither 1, which would end its alerts, nor another reason while it is not on the bus. */
static void a_chip_that_is_down_stays_so_while_it_is_reset(void **state)
{
	static const char down[] =
		"tt_smi_down_info{bdf=\"0000:02:00.0\",chip=\"0\",reason=\"failed\"} 1";

	(void)state;
	m.chips[1].health = SNAPSHOT_FAILED;
	tick();
	tick();
	assert_true(has(down));
	for (size_t i = 0; i < m.roster.n; i++)
		m.roster.chips[i].is_reset = true;
	m.chips[0].health = SNAPSHOT_FAILED;
	tick();
	tick();
	assert_true(has("tt_smi_up{bdf=\"0000:01:00.0\",chip=\"0\"} 1"));
	assert_true(has(down));
	m.fleet.n = 1;
	tick();
	tick();
	assert_true(has("tt_smi_up{bdf=\"0000:02:00.0\",chip=\"0\"} 0"));
	assert_true(has(down));
}

static void firmware_that_has_stopped_is_down(void **state)
{
	(void)state;
	m.chips[1].beat = SNAPSHOT_BEAT_STOPPED;
	m.chips[1].n_findings = 1;
	mem_copy_text(m.chips[1].findings[0].id, sizeof(m.chips[1].findings[0].id), "heartbeat");
	tick();
	tick();
	assert_true(has("tt_smi_down_info{bdf=\"0000:02:00.0\""
			",chip=\"0\",reason=\"heartbeat\"} 1"));
	assert_false(has_word("core_watts{bdf=\"0000:02:00.0\""));
}

/* A value that stopped firmware left behind is not published once more as new. */
static void readings_end_once_the_firmware_has_stopped(void **state)
{
	(void)state;
	tick();
	m.chips[1].beat = SNAPSHOT_BEAT_STOPPED;
	m.chips[1].n_findings = 1;
	mem_copy_text(m.chips[1].findings[0].id, sizeof(m.chips[1].findings[0].id), "heartbeat");
	tick();
	assert_false(has_word("core_watts{bdf=\"0000:02:00.0\""));
	assert_false(has_word("sample_age_seconds{bdf=\"0000:02:00.0\""));
	assert_true(has_word("core_watts{bdf=\"0000:01:00.0\""));
}

/* Whether the firmware lives is not known yet, or not any more. */
static void a_chip_that_was_not_judged_is_neither_up_nor_down(void **state)
{
	static const struct {
		enum snapshot_beat beat;
		bool is_still;
		const char *up;
	} table[] = {
		{ SNAPSHOT_BEAT_ALIVE, false, " 1" },
		{ SNAPSHOT_BEAT_UNJUDGED, false, NULL },
		{ SNAPSHOT_BEAT_NONE, false, " 1" },
		{ SNAPSHOT_BEAT_UNJUDGED, true, " 1" },		/* a tree */
	};
	char line[80];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		m.chips[0].beat = table[i].beat;
		m.chips[0].raw.is_still = table[i].is_still;
		tick();
		snprintf(line, sizeof(line), "tt_smi_up{bdf=\"0000:01:00.0\",chip=\"0\"}%s",
			table[i].up ? table[i].up : "");
		assert_int_equal(has_word(line), table[i].up != NULL);
		assert_true(has_word("core_watts{bdf=\"0000:01:00.0\""));
	}
}

static void a_missing_chip_is_named_under_its_last_labels(void **state)
{
	(void)state;
	set(1, FIELD_BOARD_ID, 0x40123456789);
	tick();
	m.fleet.n = 1;
	tick();
	tick();
	assert_true(has("tt_smi_chips_present 1"));
	assert_true(has("tt_smi_chips_expected 2"));
	assert_true(has("tt_smi_up{bdf=\"0000:02:00.0\",chip=\"0\"} 0"));
	assert_true(has("tt_smi_down_info{bdf=\"0000:02:00.0\",chip=\"0\",reason=\"missing\"} 1"));
	assert_true(has("tt_smi_chip_info{bdf=\"0000:02:00.0\",chip=\"0\","
			"serial=\"0000040123456789\",board=\"p150a\"} 1"));
}

static void a_chip_in_the_place_of_another_ends_what_is_missing(void **state)
{
	(void)state;
	tick();
	mem_copy_text(m.chips[1].bdf, sizeof(m.chips[1].bdf), "0000:09:00.0");
	tick();
	assert_true(has("tt_smi_chips_present 2"));
	assert_true(has("tt_smi_chips_expected 2"));
	assert_false(has_word("0000:02:00.0"));
}

static void a_chip_that_is_never_read_is_not_expected(void **state)
{
	(void)state;
	m.fleet.n = 3;
	m.chips[2].local = 0;
	m.chips[2].bdf[0] = '\0';
	m.chips[2].health = SNAPSHOT_NOT_READ;
	tick();
	assert_true(has("tt_smi_chips_expected 2"));
	assert_false(has_word("chip=\"1\""));
	m.chips[2].health = SNAPSHOT_OK;
	tick();
	assert_true(has("tt_smi_up{bdf=\"0000:01:00.0\",chip=\"1\"} 1"));
	assert_true(has("tt_smi_chips_expected 3"));
	m.chips[2].health = SNAPSHOT_NOT_READ;
	tick();
	tick();
	assert_true(has("tt_smi_chips_present 3"));
	assert_false(has_word("core_watts{bdf=\"0000:01:00.0\",chip=\"1\""));
}

static void a_second_chip_that_another_program_read_is_neither_present_nor_expected(void **state)
{
	static const char kept[] = "tt-smi roster 1\nhighest 3\n0000:01:00.0 0 n300 - - 0 0\n"
		"0000:01:00.0 1 n300 - - 0 0\n0000:02:00.0 0 p150a - - 0 0\nend\n";

	(void)state;
	assert_true(parse_roster(kept, &m.roster));
	m.fleet.n = 3;
	m.chips[2].local = 0;
	m.chips[2].health = SNAPSHOT_NOT_READ;
	tick();
	tick();
	assert_true(has("tt_smi_chips_present 2"));
	assert_true(has("tt_smi_chips_expected 2"));
	assert_false(has_word("tt_smi_up{bdf=\"0000:01:00.0\",chip=\"1\""));
	/* A card more is one more, and a card that leaves is missing. */
	m.fleet.n = 4;
	tick();
	assert_true(has("tt_smi_chips_expected 3"));
	m.chips[1].health = SNAPSHOT_GONE;
	tick();
	assert_true(has("tt_smi_chips_present 2"));
	assert_true(has("tt_smi_chips_expected 3"));
	/* Nor is it if others were chosen for this run. */
	m.wanted[0] = m.wanted[2] = false;
	tick();
	assert_int_equal(m.roster.unread, 1);
}

static void a_card_of_another_driver_is_not_expected(void **state)
{
	(void)state;
	tick();
	assert_true(has("tt_smi_chips_expected 2"));
	m.chips[1].health = SNAPSHOT_NOT_READ;
	m.chips[1].code = CODE_NO_DRIVER;
	tick();
	tick();
	assert_true(has("tt_smi_chips_present 1"));
	assert_true(has("tt_smi_chips_expected 1"));
	assert_false(has_word("0000:02:00.0"));
	m.chips[1].health = SNAPSHOT_OK;
	m.chips[1].code = CODE_NONE;
	tick();
	assert_true(has("tt_smi_chips_expected 2"));
	assert_true(has("tt_smi_up{bdf=\"0000:02:00.0\",chip=\"0\"} 1"));
}

static void a_number_that_was_asked_for_counts(void **state)
{
	(void)state;
	m.roster.asked = 3;
	tick();
	assert_true(has("tt_smi_chips_present 2"));
	assert_true(has("tt_smi_chips_expected 3"));
}

static void the_roster_s_text_is_read_back_or_refused_whole(void **state)
{
	struct strbuf text = { 0 }, again = { 0 };
	struct roster *r = mem_calloc(1, sizeof(*r));

	(void)state;
	set(0, FIELD_BOARD_ID, 0x40123456789);
	mem_copy_text(m.chips[1].board, sizeof(m.chips[1].board), "a b");
	tick();
	record_file_put(&roster_file, &m.roster, &text);
	assert_true(parse_roster(text.text, r));
	record_file_put(&roster_file, r, &again);
	assert_string_equal(text.text, again.text);
	for (size_t cut = text.len; cut-- > 0;) {
		text.text[cut] = '\0';
		r->n = 77;
		assert_false(parse_roster(text.text, r));
		assert_int_equal(r->n, 77);
	}
	assert_false(parse_roster("tt-smi roster 1\nhighest 999\nend\n", r));
	assert_false(parse_roster("tt-smi roster 1\nhighest 2\n"
		"0000:01:00.0 0 a b c 0 0 more\nend\n", r));
	strbuf_clear(&text);
	strbuf_clear(&again);
	free(r);
}

static void a_chip_of_the_file_is_missing_at_once(void **state)
{
	(void)state;
	assert_true(parse_roster("tt-smi roster 1\nhighest 3\n0000:07:00.0 0 p150a - - 2 5\nend\n",
		&m.roster));
	tick();
	assert_true(has("tt_smi_chips_expected 3"));
	assert_true(has("tt_smi_up{bdf=\"0000:07:00.0\",chip=\"0\"} 0"));
	assert_true(has("tt_smi_chip_info{bdf=\"0000:07:00.0\""
			",chip=\"0\",board=\"p150a\",tray=\"2\","
			"position=\"5\"} 1"));
}

static void what_roster_take_says_is_whether_its_text_changed(void **state)
{
	(void)state;
	assert_true(roster_take(&m.roster, &m.fleet));
	assert_false(roster_take(&m.roster, &m.fleet));
	m.fleet.n = 3;
	assert_true(roster_take(&m.roster, &m.fleet));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_ends_in_its_unit_and_a_counter_in_total),
		cmocka_unit_test(rows_of_a_name_stand_together_and_differ_in_their_label),
		cmocka_unit_test(labels_are_of_a_closed_list),
		cmocka_unit_test_setup_teardown(
			a_process_has_memory_where_the_runtime_says_so, begin, end),
		cmocka_unit_test_setup_teardown(a_holder_has_the_labels_that_are_known, begin, end),
		cmocka_unit_test_setup_teardown(values_are_in_base_units, begin, end),
		cmocka_unit_test_setup_teardown(
			a_value_that_the_last_sample_could_not_read_has_no_series, begin, end),
		cmocka_unit_test_setup_teardown(what_is_absent_has_no_series_and_no_head,
			begin, end),
		cmocka_unit_test_setup_teardown(bits_and_reasons_are_a_series_each, begin, end),
		cmocka_unit_test_setup_teardown(what_a_card_says_cannot_end_its_label, begin, end),
		cmocka_unit_test_setup_teardown(a_finding_that_is_there_twice_is_one_series,
			begin, end),
		cmocka_unit_test_setup_teardown(a_chip_is_down_after_two_samples, begin, end),
		cmocka_unit_test_setup_teardown(what_the_exporter_lacks_is_not_the_chips_failure,
			begin, end),
		cmocka_unit_test_setup_teardown(a_chip_that_was_never_well_is_not_up_at_first,
			begin, end),
		cmocka_unit_test_setup_teardown(a_chip_that_is_down_stays_so_while_it_is_reset,
			begin, end),
		cmocka_unit_test_setup_teardown(firmware_that_has_stopped_is_down,
			begin, end),
		cmocka_unit_test_setup_teardown(readings_end_once_the_firmware_has_stopped,
			begin, end),
		cmocka_unit_test_setup_teardown(a_chip_that_was_not_judged_is_neither_up_nor_down,
			begin, end),
		cmocka_unit_test_setup_teardown(a_missing_chip_is_named_under_its_last_labels,
			begin, end),
		cmocka_unit_test_setup_teardown(a_chip_in_the_place_of_another_ends_what_is_missing,
			begin, end),
		cmocka_unit_test_setup_teardown(a_chip_that_is_never_read_is_not_expected,
			begin, end),
		cmocka_unit_test_setup_teardown(
			a_second_chip_that_another_program_read_is_neither_present_nor_expected,
			begin, end),
		cmocka_unit_test_setup_teardown(a_card_of_another_driver_is_not_expected, begin,
			end),
		cmocka_unit_test_setup_teardown(a_number_that_was_asked_for_counts, begin, end),
		cmocka_unit_test_setup_teardown(the_roster_s_text_is_read_back_or_refused_whole,
			begin, end),
		cmocka_unit_test_setup_teardown(a_chip_of_the_file_is_missing_at_once,
			begin, end),
		cmocka_unit_test_setup_teardown(what_roster_take_says_is_whether_its_text_changed,
			begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

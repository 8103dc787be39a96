/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_load.c - snapshot files of every era as machines: two real ones have to
 * come out of our writer as they went in, what is hostile has to be survived.
 */
#include "config.h"
#include "base/mem.h"
#include "base/file.h"
#include "base/json.h"
#include "output/snapshot_json.h"
#include "telemetry/external.h"
#include "telemetry/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *fixture(const char *name)
{
	const char *top = getenv("top_srcdir");
	char path[4096], *text;
	struct error e = { 0 };
	size_t len;

	snprintf(path, sizeof(path), "%s/tests/fixtures/snapshots/%s", top ? top : ".", name);
	if (file_read_all(path, 1 << 20, &text, &len, &e) < 0)
		fail_msg("%s", e.text);
	return text;
}

static struct loaded *load(const char *text)
{
	struct loaded *l = NULL;
	struct error e = { 0 };

	if (load_text(text, strlen(text), &l, &e) < 0)
		fail_msg("%s", e.text);
	return l;
}

static struct fleet fleet_of(const struct loaded *l)
{
	return (struct fleet){ .n = l->n, .chips = l->chips, .n_processes = l->n_processes,
		.processes = l->processes, .driver = l->host.driver, .origin = &origin_file,
		.tick = 1,
		.time = l->now, .file_time = l->time };
}

static char *write_out(const struct loaded *l, bool external)
{
	struct fleet f = fleet_of(l);
	struct snapshot_json_options o = { .version = "1.0.0", .external = external };
	struct strbuf b = { 0 };

	external_set(external);
	snapshot_json_put(&b, &f, &l->host, &o);
	external_set(false);
	return b.text;
}

static struct json *parse(const char *text)
{
	struct json *doc = NULL;
	struct error e = { 0 };

	if (json_parse(text, strlen(text), &doc, &e) < 0)
		fail_msg("%s", e.text);
	return doc;
}

static const char *shown(const struct json *node, char *buf, size_t size)
{
	double v;
	bool yes;

	if (json_get_text(node))
		snprintf(buf, size, "\"%s\"", json_get_text(node));
	else if (json_get_number(node, &v))
		snprintf(buf, size, "%g", v);
	else if (json_get_bool(node, &yes))
		snprintf(buf, size, "%s", yes ? "true" : "false");
	else
		snprintf(buf, size, "%s", json_is_null(node) ? "null" : "nothing");
	return buf;
}

struct difference {
	const char *key, *was, *is;
};

/* Every key of the old file is in the new one with the same value, or is a known difference. */
static void same_device(const struct json *was, const struct json *is,
	const struct difference *known, size_t n)
{
	for (const struct json *section = json_child(was); section; section = json_next(section)) {
		const struct json *now = json_get(is, json_key(section));

		for (const struct json *m = json_child(section); m; m = json_next(m)) {
			char a[200], b[200];
			bool fine;

			shown(m, a, sizeof(a));
			shown(json_get(now, json_key(m)), b, sizeof(b));
			fine = strcmp(a, b) == 0;
			for (size_t i = 0; i < n && !fine; i++)
				fine = strcmp(known[i].key, json_key(m)) == 0 &&
				       strcmp(known[i].was, a) == 0 && strcmp(known[i].is, b) == 0;
			if (!fine)
				fail_msg("%s.%s: was %s, is %s", json_key(section), json_key(m), a,
					b);
		}
	}
}

static void same_devices(const char *name, const struct difference *known, size_t n)
{
	char *text = fixture(name), *again;
	struct loaded *l = load(text);
	struct json *was = parse(text), *is;
	const struct json *a, *b;

	again = write_out(l, false);
	is = parse(again);
	a = json_child(json_get(was, "device_info"));
	b = json_child(json_get(is, "device_info"));
	for (; a && b; a = json_next(a), b = json_next(b))
		same_device(a, b, known, n);
	assert_null(a);
	assert_null(b);
	json_free(was);
	json_free(is);
	free(text);
	free(again);
	load_free(l);
}

static void a_real_n300_comes_out_as_upstream_printed_it(void **state)
{
	static const struct difference known[] = { { "fan_speed", "\"65535\"", "\"N/A\"" } };

	(void)state;
	same_devices("n300-tt_smi-5.3.0.json", known, ARRAY_LEN(known));
}

static void a_real_p150a_comes_out_as_upstream_printed_it(void **state)
{
	/* Percent then, RPM now; and upstream's date was a version. */
	static const struct difference known[] = {
		{ "fan_speed", "\" 55\"", "\"2758\"" },
		{ "cm_fw_date", "\"2020-00-17\"", "\"N/A\"" },
	};

	(void)state;
	same_devices("p150a-tt_smi-5.2.0.json", known, ARRAY_LEN(known));
}

/* The order is part of the shape: keys of the old file appear in its order in ours. */
static void keys_stand_in_upstreams_order(void **state)
{
	char *text = fixture("p150a-tt_smi-5.2.0.json"), *again;
	struct loaded *l = load(text);
	const char *at;
	struct json *was = parse(text);
	const struct json *section = json_child(json_child(json_get(was, "device_info")));

	(void)state;
	again = write_out(l, false);
	at = strstr(again, "\"device_info\"");
	for (; section; section = json_next(section))
		for (const struct json *m = json_child(section); m; m = json_next(m)) {
			char key[80];

			snprintf(key, sizeof(key), "\n                \"%s\": ", json_key(m));
			at = at ? strstr(at, key) : NULL;
			if (!at)
				fail_msg("%s is missing or too early", json_key(m));
		}
	json_free(was);
	free(text);
	free(again);
	load_free(l);
}

static void the_second_chip_knows_its_first(void **state)
{
	char *text = fixture("n300-tt_smi-5.3.0.json");
	struct loaded *l = load(text);

	(void)state;
	assert_int_equal(l->n, 2);
	assert_int_equal(l->chips[0].local, -1);
	assert_int_equal(l->chips[1].local, 0);
	assert_string_equal(l->chips[0].series, "n300 L");
	assert_string_equal(l->chips[1].series, "n300 R");
	assert_string_equal(l->chips[1].bdf, "");
	assert_true(l->chips[1].has_coords);
	assert_int_equal(l->chips[1].coords[0], 1);
	assert_int_equal(l->chips[0].link.speed, 16000);
	assert_int_equal(l->chips[0].link.width, 16);
	assert_false(l->chips[1].link.known);
	assert_string_equal(l->host.distro, "Ubuntu 22.04.5 LTS");
	assert_string_equal(l->version, "5.3.0");
	free(text);
	load_free(l);
}

/* tt-smi 2.0: other names, arc and m3 firmwares, an unpadded board id, no versions of software. */
static void the_oldest_names_are_read(void **state)
{
	static const char text[] =
		"{\"time\": \"2024-01-02T03:04:05.000006\", \"host_info\": "
		"{\"Memory\": \"125.49 GB\"}, \"device_info\": [{\"smbus_telem\": {"
		"\"SMBUS_TX_BOARD_ID_HIGH\": \"0x1000186\", \"SMBUS_TX_BOARD_ID_LOW\": \"0x11902010\","
		"\"SMBUS_TX_VCORE\": \"0x393\", \"SMBUS_TX_TDP\": \"0x550018\","
		"\"SMBUS_TX_M3_APP_FW_VERSION\": \"0x50c0000\", \"SMBUS_TX_AUX_STATUS\": null},"
		"\"board_info\": {\"bus_id\": \"0000:c1:00.0\", \"board_type\": \"n150 L\","
		"\"board_id\": \"100018611902010\", \"coords\": \"(0, 0, 0, 0)\","
		"\"dram_status\": true, \"dram_speed\": \"12G\", \"pcie_speed\": 4, \"pcie_width\": \"16\"},"
		"\"telemetry\": {\"voltage\": \"0.92\", \"current\": \" 26.0\", \"aiclk\": \" 500\"},"
		"\"firmwares\": {\"arc_fw\": \"2.21.0.0\", \"arc_fw_date\": \"2023-11-30\","
		"\"eth_fw\": \"6.8.0\", \"m3_bl_fw\": \"129.2.0.0\"},"
		"\"limits\": {\"vdd_max\": \"0.95\", \"tdc_limit\": 160, \"thm_limit\": 0}}]}";
	struct loaded *l = load(text);
	const struct snapshot *s = &l->chips[0];

	(void)state;
	assert_int_equal(s->chip, DEVICE_WORMHOLE);
	assert_string_equal(s->series, "n150 L");
	assert_int_equal(s->r[FIELD_BOARD_ID].value, 0x100018611902010);
	assert_int_equal(s->r[FIELD_VCORE].value, 915);
	assert_int_equal(s->r[FIELD_VCORE].source, SOURCE_LEGACY);
	assert_int_equal(s->r[FIELD_POWER_LIMIT].value, 85000);
	assert_int_equal(s->r[FIELD_DM_APP_FW].value, 0x050c0000);
	assert_int_equal(s->r[FIELD_CURRENT].value, 26000);
	assert_int_equal(s->r[FIELD_CURRENT].source, SOURCE_FILE);
	assert_int_equal(s->r[FIELD_AICLK].value, 500);
	assert_int_equal(s->r[FIELD_CM_FW].value, 0x02150000);
	assert_int_equal(s->r[FIELD_FW_DATE].value, 0x3b1e0000);
	assert_int_equal(s->r[FIELD_ETH_FW].value, 6 << 20 | 8 << 12);
	assert_int_equal(s->r[FIELD_DM_BL_FW].value, 0x81020000);
	assert_int_equal(s->r[FIELD_DRAM_SPEED].value, 12000);
	assert_int_equal(s->r[FIELD_DRAM_STATUS].value, 1);
	assert_int_equal(s->r[FIELD_THROTTLE_TEMP].state, READING_ABSENT);
	assert_string_equal(l->version, "");
	assert_true(l->host.memory_bytes > 134000000000 && l->host.memory_bytes < 135000000000);
	load_free(l);
}

/* A galaxy's low half is a zero word, which luwen's time wrote as null. */
static void half_a_board_id_is_completed(void **state)
{
	static const char text[] = "{\"device_info\": [{\"smbus_telem\": {\"BOARD_ID_HIGH\": "
		"\"0x1000357\", \"BOARD_ID_LOW\": null, \"VCORE\": \"0x393\"}, \"board_info\": "
		"{\"board_type\": \"tt-galaxy-wh L\", \"board_id\": \"0100035700000000\"}}]}";
	struct loaded *l = load(text);

	(void)state;
	assert_int_equal(l->chips[0].r[FIELD_BOARD_ID].value, 0x0100035700000000);
	assert_string_equal(l->chips[0].series, "tt-galaxy-wh L");
	load_free(l);
}

static void a_4u_module_has_its_bundle_in_the_flash_slot(void **state)
{
	static const char text[] =
		"{\"device_info\": [{\"smbus_telem\": {\"BOARD_ID_HIGH\": "
		"\"0x10000b1\", \"BOARD_ID_LOW\": \"0x1\", \"ARC0_FW_VERSION\": \"0x21c0000\","
		"\"TT_FLASH_VERSION\": \"0x500a0000\", \"FW_BUNDLE_VERSION\": \"0xffffffff\"},"
		"\"board_info\": {\"board_type\": \"wh_4u L\", \"board_id\": \"010000b100000001\"}}]}";
	struct loaded *l = load(text);

	(void)state;
	assert_int_equal(l->chips[0].r[FIELD_FW_BUNDLE].value, 0x500a0000);
	load_free(l);
}

static void blackhole_words_of_luwens_time_are_tags(void **state)
{
	static const char text[] =
		"{\"device_info\": [{\"smbus_telem\": {\"BOARD_ID_HIGH\": "
		"\"0x403\", \"BOARD_ID_LOW\": \"0x31921011\", \"VCORE\": \"0x360\", \"TDC\": \"0x44\","
		"\"THM_LIMITS\": \"0x6e\", \"FW_BUNDLE_VERSION\": \"0x12080000\", \"DDR_SPEED\": "
		"\"0x3e80\", \"ETH_STATUS0\": null},"
		"\"limits\": {\"thm_limit\": \"110\", \"therm_trip_l1_limit\": \"90\"}}]}";
	struct loaded *l = load(text);
	const struct snapshot *s = &l->chips[0];

	(void)state;
	assert_int_equal(s->chip, DEVICE_BLACKHOLE);
	assert_int_equal(s->r[FIELD_VCORE].value, 864);
	assert_int_equal(s->r[FIELD_SHUTDOWN_TEMP].value, 110000);
	assert_int_equal(s->r[FIELD_THROTTLE_TEMP].value, 90000);
	assert_int_equal(s->r[FIELD_THROTTLE_TEMP].source, SOURCE_FILE);
	assert_int_equal(s->r[FIELD_FW_BUNDLE].value, 0x12080000);
	assert_int_equal(s->r[FIELD_DRAM_SPEED].value, 16000);
	load_free(l);
}

/* Before 5.3 a Blackhole's fan was told in percent of 5000 RPM. */
static void fan_percent_becomes_rpm_only_where_it_was_percent(void **state)
{
	static const char form[] =
		"{\"host_sw_vers\": {\"tt_smi\": \"%s\"}, \"device_info\": "
		"[{\"board_info\": {\"board_type\": \"p150a\"}, \"telemetry\": {\"fan_speed\": \" 55\"}}]}";
	char text[400];
	struct loaded *l;

	(void)state;
	snprintf(text, sizeof(text), form, "5.2.0");
	l = load(text);
	assert_int_equal(l->chips[0].r[FIELD_FAN_RPM].value, 2750);
	load_free(l);
	snprintf(text, sizeof(text), form, "5.3.1");
	l = load(text);
	assert_int_equal(l->chips[0].r[FIELD_FAN_RPM].value, 55);
	load_free(l);
}

/* --external leaves no word in the file: our typed readings and upstream's strings stay. */
static void a_file_without_words_is_still_a_machine(void **state)
{
	char *text = fixture("n300-tt_smi-5.3.0.json"), *again, *third;
	struct loaded *l = load(text), *bare;

	(void)state;
	again = write_out(l, true);
	assert_null(strstr(again, "\"raw\""));
	assert_null(strstr(again, "asic_id"));
	assert_null(strstr(again, "node-b"));
	bare = load(again);
	assert_int_equal(bare->chips[0].raw.n_legacy, 0);
	assert_int_equal(bare->chips[0].health, SNAPSHOT_OK);
	assert_int_equal(bare->chips[0].r[FIELD_ASIC_TEMP].value, 44313);
	assert_int_equal(bare->chips[0].r[FIELD_ASIC_TEMP].source, SOURCE_FILE);
	assert_int_equal(bare->chips[1].r[FIELD_POWER_LIMIT].value, 85000);
	assert_string_equal(bare->chips[0].series, "n300 L");
	assert_int_equal(bare->chips[1].local, 0);
	third = write_out(bare, true);
	for (char *p = third; (p = strstr(p, "\"source\": \"file\"")) != NULL; p++)
		assert_null(strstr(again, "\"source\": \"file\""));
	free(text);
	free(again);
	free(third);
	load_free(l);
	load_free(bare);
}

static void our_own_file_comes_out_the_same_a_second_time(void **state)
{
	static const char *const names[] = { "n300-tt_smi-5.3.0.json", "p150a-tt_smi-5.2.0.json" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char *text = fixture(names[i]), *first, *second;
		struct loaded *l = load(text), *again;

		first = write_out(l, false);
		again = load(first);
		second = write_out(again, false);
		assert_string_equal(first, second);
		free(text);
		free(first);
		free(second);
		load_free(l);
		load_free(again);
	}
}

/* What was wrong with a chip is not forgotten; what it last said keeps its age. */
static void a_failed_chip_stays_failed_with_its_reason(void **state)
{
	char *text = fixture("p150a-tt_smi-5.2.0.json"), *first;
	struct loaded *l = load(text), *again;
	struct snapshot *s = &l->chips[0];

	(void)state;
	memset(s->r, 0, sizeof(s->r));
	s->raw.n_tags = 0;
	s->health = SNAPSHOT_FAILED;
	s->beat = SNAPSHOT_BEAT_STOPPED;
	mem_copy_text(s->reason, sizeof(s->reason), "no answer within 1 s");
	s->r[FIELD_POWER] = (struct reading){ .state = READING_STALE, .value = 58000,
		.time = -4000000000, .source = SOURCE_TAG };
	s->r[FIELD_AICLK] = (struct reading){ .state = READING_FAILED, .source = SOURCE_TAG };
	s->r[FIELD_VCORE] = (struct reading){ .state = READING_IMPLAUSIBLE, .raw = 0x310031,
		.has_raw = true, .source = SOURCE_TAG };
	first = write_out(l, false);
	again = load(first);
	s = &again->chips[0];
	assert_int_equal(s->health, SNAPSHOT_FAILED);
	assert_int_equal(s->beat, SNAPSHOT_BEAT_STOPPED);
	assert_string_equal(s->reason, "no answer within 1 s");
	assert_int_equal(s->r[FIELD_POWER].state, READING_STALE);
	assert_int_equal(s->r[FIELD_POWER].value, 58000);
	assert_int_equal(s->r[FIELD_POWER].time, -4000000000);
	assert_int_equal(s->r[FIELD_AICLK].state, READING_FAILED);
	assert_int_equal(s->r[FIELD_VCORE].state, READING_IMPLAUSIBLE);
	assert_int_equal(s->r[FIELD_VCORE].raw, 0x310031);
	assert_string_equal(s->series, "p150a");
	load_move(again, 7000000000);
	assert_int_equal(s->r[FIELD_POWER].time, 3000000000);
	assert_int_equal(s->time, 7000000000);
	load_move(again, 8000000000);
	assert_int_equal(s->r[FIELD_POWER].time, 4000000000);
	free(text);
	free(first);
	load_free(l);
	load_free(again);
}

static void a_chip_of_which_nothing_is_told_has_failed(void **state)
{
	struct loaded *l = load("{\"device_info\": [{\"board_info\": {\"board_type\": \"N/A\", "
		"\"dram_status\": false}}, {}, 7, null, []]}");

	(void)state;
	assert_int_equal(l->n, 5);
	for (size_t i = 0; i < l->n; i++) {
		assert_int_equal(l->chips[i].health, SNAPSHOT_FAILED);
		assert_string_equal(l->chips[i].series, "N/A");
		assert_int_equal(l->chips[i].index, i);
		assert_int_equal(l->chips[i].r[FIELD_DRAM_STATUS].state, READING_ABSENT);
	}
	load_free(l);
}

/* Without --device the index is the place; with it our files say it. */
static void processes_find_their_chip(void **state)
{
	struct loaded *l = load("{\"device_info\": [{\"identity\": {\"index\": 4}}, {\"identity\": "
		"{\"index\": 7}}], \"processes\": [{\"pid\": 42, \"user\": \"joe\", \"device\": 7, "
		"\"cmdline\": \"python3 run.py\", \"container\": \"docker:abc\", "
		"\"started\": \"2026-09-21T14:13:20.000000Z\", \"pinned_bytes\": 4096}, {\"pid\": 5, "
		"\"device\": 0, \"user\": \"x\"}, {\"pid\": -1, \"device\": 4}, {\"device\": 4}, 3]}");

	(void)state;
	assert_int_equal(l->n_processes, 1);
	assert_int_equal(l->processes[0].device, 1);
	assert_int_equal(l->processes[0].pid, 42);
	assert_string_equal(l->processes[0].user, "joe");
	assert_string_equal(l->processes[0].command, "python3 run.py");
	assert_string_equal(l->processes[0].container, "docker:abc");
	assert_int_equal(l->processes[0].started / 1000000000, 1790000000);
	assert_int_equal(l->processes[0].pinned, 4096);
	assert_false(l->processes[0].has_memory);
	load_free(l);
	l = load("{\"device_info\": [{}], \"processes\": [{\"pid\": 1, \"device\": 0, \"started\": "
		"\"9999-12-31T23:59:59Z\"}]}");
	assert_int_equal(l->processes[0].started, 0);
	load_free(l);
	l = load("{\"device_info\": [{}], \"processes\": [{\"pid\": 1, \"device\": 0, \"memory\": "
		"{\"dram_bytes\": 5, \"l1_bytes\": 4, \"l1_small_bytes\": 3, \"trace_bytes\": 2, "
		"\"cb_bytes\": 0}}, {\"pid\": 2, \"device\": 0, \"memory\": {\"dram_bytes\": 5}}, "
		"{\"pid\": 3, \"device\": 0, \"memory\": {\"dram_bytes\": -5, \"l1_bytes\": 4, "
		"\"l1_small_bytes\": 3, \"trace_bytes\": 2, \"cb_bytes\": 0}}]}");
	assert_int_equal(l->n_processes, 3);
	assert_true(l->processes[0].has_memory);
	assert_int_equal(l->processes[0].memory[PROCESS_MEMORY_DRAM], 5);
	assert_int_equal(l->processes[0].memory[PROCESS_MEMORY_TRACE], 2);
	assert_false(l->processes[1].has_memory);
	assert_false(l->processes[2].has_memory);
	load_free(l);
	l = load("{\"device_info\": [{}, {}], \"processes\": [{\"pid\": 9, \"device\": 1}, "
		"{\"pid\": 8, \"device\": 2}]}");
	assert_int_equal(l->n_processes, 1);
	assert_int_equal(l->processes[0].device, 1);
	load_free(l);
}

static void no_text_of_a_file_speaks_to_the_terminal(void **state)
{
	struct loaded *l = load("{\"time\": \"\\u001b[2J\", \"host_info\": {\"Hostname\": "
		"\"a\\u009b31mb\\u007f\"}, \"device_info\": [{\"board_info\": {\"board_type\": "
		"\"x\\ny\", \"bus_id\": \"\\u001b]0;hi\"}}]}");

	(void)state;
	assert_string_equal(l->time, "\\x1b[2J");
	assert_string_equal(l->host.hostname, "a\\xc2\\x9b31mb\\x7f");
	assert_string_equal(l->chips[0].series, "x\\x0ay");
	assert_string_equal(l->chips[0].bdf, "");
	load_free(l);
	l = load("{\"device_info\": [], \"time\": \"a\x9b" "1m\xc3\"}");
	assert_string_equal(l->time, "a\\x9b1m\\xc3");
	load_free(l);
}

static void long_texts_are_cut_between_characters(void **state)
{
	struct loaded *l = load("{\"device_info\": [], \"host_info\": {\"OS\": "
		"\"0123456789012345678901234567890\\u00e9\"}}");

	(void)state;
	assert_string_equal(l->host.os, "0123456789012345678901234567890");
	load_free(l);
	l = load("{\"device_info\": [], \"host_info\": {\"OS\": "
		"\"012345678901234567890123456789\\u00e9\"}}");
	assert_string_equal(l->host.os, "012345678901234567890123456789");
	load_free(l);
}

static void talk_before_the_object_is_skipped(void **state)
{
	struct loaded *l = load("Gathering Information 100%\n{\"device_info\": [{}]}\n");

	(void)state;
	assert_int_equal(l->n, 1);
	load_free(l);
}

static void what_is_no_snapshot_is_refused_with_its_reason(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "not JSON" },
		{ "hello", "not JSON" },
		{ "{\"device_info\": [", "not JSON" },
		{ "{\n\"a\": 1,\n\"b\": ]\n}", "not JSON: line 3" },
		{ "[]", "not a snapshot" },
		{ "{}", "not a snapshot" },
		{ "{\"device_info\": {}}", "not a snapshot" },
		{ "{\"device_info\": null}", "not a snapshot" },
	};
	struct loaded *l = NULL;
	struct error e;
	struct strbuf b = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(load_text(cases[i].text, strlen(cases[i].text), &l, &e), -EINVAL);
		if (!strstr(e.text, cases[i].want))
			fail_msg("%s: %s", cases[i].text, e.text);
	}
	strbuf_puts(&b, "{\"device_info\": [0");
	for (int i = 0; i < DEVICE_MAX; i++)
		strbuf_puts(&b, ",0");
	strbuf_puts(&b, "]}");
	assert_int_equal(load_text(b.text, b.len, &l, &e), -EINVAL);
	assert_non_null(strstr(e.text, "321 chips"));
	strbuf_clear(&b);
	assert_int_equal(load_file("/proc/none/x.json", &l, &e), -ENOENT);
	assert_non_null(strstr(e.text, "/proc/none/x.json"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_real_n300_comes_out_as_upstream_printed_it),
		cmocka_unit_test(a_real_p150a_comes_out_as_upstream_printed_it),
		cmocka_unit_test(keys_stand_in_upstreams_order),
		cmocka_unit_test(the_second_chip_knows_its_first),
		cmocka_unit_test(the_oldest_names_are_read),
		cmocka_unit_test(half_a_board_id_is_completed),
		cmocka_unit_test(a_4u_module_has_its_bundle_in_the_flash_slot),
		cmocka_unit_test(blackhole_words_of_luwens_time_are_tags),
		cmocka_unit_test(fan_percent_becomes_rpm_only_where_it_was_percent),
		cmocka_unit_test(a_file_without_words_is_still_a_machine),
		cmocka_unit_test(our_own_file_comes_out_the_same_a_second_time),
		cmocka_unit_test(a_failed_chip_stays_failed_with_its_reason),
		cmocka_unit_test(a_chip_of_which_nothing_is_told_has_failed),
		cmocka_unit_test(processes_find_their_chip),
		cmocka_unit_test(no_text_of_a_file_speaks_to_the_terminal),
		cmocka_unit_test(long_texts_are_cut_between_characters),
		cmocka_unit_test(talk_before_the_object_is_skipped),
		cmocka_unit_test(what_is_no_snapshot_is_refused_with_its_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

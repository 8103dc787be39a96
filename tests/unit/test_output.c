/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_output.c - what the snapshot and the list say of cards that are well,
 * that failed, and that say impossible things.
 */
#include "config.h"
#include "tests/rig/seen.h"

#include "base/json.h"
#include "base/mem.h"
#include "output/snapshot_json.h"
#include "output/text.h"
#include "telemetry/decode.h"
#include "telemetry/external.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 3

/* A p150a that is well, an n300 whose second chip was not read. */
static struct snapshot chips[N];
static struct host machine;

static void set(struct snapshot *s, enum field_id id, int64_t value)
{
	s->r[id] = (struct reading){ .state = READING_OK, .value = value, .source = SOURCE_TAG,
		.time = 1000000000 };
}

static int set_up(void **state)
{
	static const struct raw_tag tags[] = {
		{ 1, 0x403 }, { 2, 0x31921011 }, { 6, 0x360 }, { 7, 0x3a }, { 8, 0x44 },
		{ 9, 0x38402bc }, { 10, 0x6e }, { 11, 0x3f59ea }, { 14, 0x546 }, { 22, 0x5555 },
		{ 23, 0x3e80 }, { 28, 0x12080000 }, { 32, 0x10afdf }, { 41, 0xac6 }, { 54, 0x50 },
		{ 56, 0x5a }, { 61, 0xf1c69528 }, { 62, 0xd8c65538 }, { 200, 0xabc }, { 6, 0x1 },
	};
	struct snapshot *s = &chips[0];

	(void)state;
	memset(chips, 0, sizeof(chips));
	*s = (struct snapshot){ .index = 0, .local = -1, .chip = DEVICE_BLACKHOLE, .node = 0,
		.pci_device = 0xb140, .bdf = "0000:41:00.0", .numa_node = 1 };
	s->raw.chip = DEVICE_BLACKHOLE;
	s->raw.time = 1000000000;
	s->raw.n_tags = ARRAY_LEN(tags);
	memcpy(s->raw.tags, tags, sizeof(tags));
	mem_copy_text(s->raw.attr[ATTR_LINK_SPEED], ATTR_TEXT, "16.0 GT/s PCIe");
	mem_copy_text(s->raw.attr[ATTR_LINK_SPEED_MAX], ATTR_TEXT, "32.0 GT/s PCIe");
	mem_copy_text(s->raw.attr[ATTR_LINK_WIDTH], ATTR_TEXT, "16");
	mem_copy_text(s->raw.attr[ATTR_LINK_WIDTH_MAX], ATTR_TEXT, "16");
	decode_snapshot(s);
	for (int i = 1; i < N; i++) {
		s = &chips[i];
		*s = (struct snapshot){ .index = i, .local = i == 2 ? 1 : -1,
			.chip = DEVICE_WORMHOLE, .node = i == 1 ? 3 : -1, .numa_node = -1,
			.upi = 0x14, .health = i == 1 ? SNAPSHOT_OK : SNAPSHOT_NOT_READ };
		s->raw.chip = DEVICE_WORMHOLE;
		mem_copy_text(s->bdf, sizeof(s->bdf), i == 1 ? "0000:c1:00.0" : "");
		mem_copy_text(s->board, sizeof(s->board), "n300");
		mem_copy_text(s->series, sizeof(s->series), i == 1 ? "n300 L" : "n300 R");
		if (i == 1)
			set(s, FIELD_BOARD_ID, 0x010001461192717d);
	}
	mem_copy_text(chips[2].reason, sizeof(chips[2].reason), "held by another process");
	machine = (struct host){ .os = "Linux", .hostname = "lab-7", .n_checks = 1,
		.checks = { { "OS", HOST_PASS, "Linux" } } };
	return 0;
}

static struct fleet fleet(void)
{
	return (struct fleet){ .n = N, .chips = chips, .time = 1250000000, .real = 0, .tick = 1,
		.origin = &origin_sim, .driver = "" };
}

static struct json *snap(const struct snapshot_json_options *o, char **text)
{
	struct fleet f = fleet();
	struct strbuf b = { 0 };
	struct json *doc = NULL;
	struct error e = { 0 };

	snapshot_json_put(&b, &f, &machine, o);
	if (json_parse(b.text, b.len, &doc, &e) < 0)
		fail_msg("%s", e.text);
	if (text)
		*text = b.text;
	else
		strbuf_clear(&b);
	return doc;
}

static const struct json *device(const struct json *doc, int i)
{
	const struct json *m = json_child(json_get(doc, "device_info"));

	for (; m && i > 0; i--)
		m = json_next(m);
	return m;
}

static const char *text_of(const struct json *dev, const char *section, const char *key)
{
	const char *text = json_get_text(json_get(json_get(dev, section), key));

	return text ? text : "(no text)";
}

static const struct snapshot_json_options plain = { .version = "1.0.0" };

static void a_well_card_has_upstreams_strings_and_our_numbers(void **state)
{
	struct json *doc = snap(&plain, NULL);
	const struct json *d = device(doc, 0), *r;
	double v;
	bool yes;

	(void)state;
	assert_string_equal(text_of(d, "board_info", "board_id"), "0000040331921011");
	assert_string_equal(text_of(d, "board_info", "bus_id"), "0000:41:00.0");
	assert_string_equal(text_of(d, "board_info", "dram_speed"), "16G");
	assert_true(json_get_bool(json_get(json_get(d, "board_info"), "dram_status"), &yes) && yes);
	assert_true(json_get_number(json_get(json_get(d, "board_info"), "pcie_speed"),
		&v) && v == 4);
	assert_string_equal(text_of(d, "telemetry", "current"), " 68.0");
	assert_string_equal(text_of(d, "telemetry", "board_power"), " 80.0");
	assert_string_equal(text_of(d, "telemetry", "asic_temperature"), "63.4");
	assert_string_equal(text_of(d, "telemetry", "heartbeat"), "182266");
	assert_string_equal(text_of(d, "smbus_telem", "INPUT_POWER"), "0x50");
	assert_true(json_is_null(json_get(json_get(d, "smbus_telem"), "ASIC_ID")));
	assert_true(json_get_number(json_get(json_get(d, "limits"), "tdp_limit"), &v) && v == 0);
	r = json_get(json_get(d, "readings"), "asic_temperature");
	assert_true(json_get_number(json_get(r, "value"), &v) && v == 63.351);
	assert_string_equal(json_get_text(json_get(r, "unit")), "°C");
	assert_true(json_get_number(json_get(r, "limit"), &v) && v == 90);
	assert_true(json_get_number(json_get(r, "age_ms"), &v) && v == 250);
	assert_string_equal(json_get_text(json_get(r, "raw")), "0x3f59ea");
	assert_string_equal(text_of(json_get(d, "readings"), "fw_bundle_version", "value"),
		"18.8.0.0");
	assert_true(json_get_bool(json_get(json_get(d, "link"), "downgraded"), &yes) && yes);
	assert_string_equal(text_of(d, "health", "state"), "warn");
	assert_string_equal(text_of(d, "identity", "node"), "/dev/tenstorrent/0");
	json_free(doc);
}

/* Wormhole's thm_limit throttles, Blackhole's switches off (chip-facts 3.3). */
static void the_two_temperature_limits_change_places_between_the_chips(void **state)
{
	struct json *doc;

	(void)state;
	set(&chips[1], FIELD_THROTTLE_TEMP, 75000);
	set(&chips[1], FIELD_SHUTDOWN_TEMP, 83000);
	doc = snap(&plain, NULL);
	assert_string_equal(text_of(device(doc, 0), "limits", "thm_limit"), "110");
	assert_string_equal(text_of(device(doc, 0), "limits", "therm_trip_l1_limit"), "90");
	assert_string_equal(text_of(device(doc, 1), "limits", "thm_limit"), "75");
	assert_string_equal(text_of(device(doc, 1), "limits", "therm_trip_l1_limit"), "83");
	json_free(doc);
}

static void a_failed_card_keeps_its_entry_with_the_reason(void **state)
{
	struct snapshot *s = &chips[0];
	static const char *const keys[] = { "voltage", "current", "power", "board_power", "aiclk",
		"asic_temperature", "fan_speed", "heartbeat" };
	struct json *doc;

	(void)state;
	memset(s->r, 0, sizeof(s->r));
	memset(&s->raw, 0, sizeof(s->raw));
	s->series[0] = '\0';
	s->health = SNAPSHOT_FAILED;
	mem_copy_text(s->reason, sizeof(s->reason), "no answer within 1 s");
	s->r[FIELD_VCORE] = (struct reading){ .state = READING_FAILED, .source = SOURCE_TAG };
	set(s, FIELD_DRAM_STATUS, 1);
	s->r[FIELD_DRAM_STATUS].state = READING_STALE;
	s->link = (struct snapshot_link){ .known = true, .stale = true, .speed = 32000,
		.width = 16 };
	doc = snap(&plain, NULL);
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		assert_string_equal(text_of(device(doc, 0), "telemetry", keys[i]), "N/A");
	assert_string_equal(text_of(device(doc, 0), "board_info", "board_type"), "N/A");
	assert_string_equal(text_of(device(doc, 0), "board_info", "dram_speed"), "N/A");
	assert_true(json_is_null(json_get(json_get(device(doc, 0), "board_info"), "dram_status")));
	assert_string_equal(text_of(device(doc, 0), "board_info", "pcie_speed"), "N/A");
	assert_string_equal(text_of(device(doc, 0), "board_info", "pcie_width"), "N/A");
	assert_true(json_is_null(json_get(device(doc, 0), "link")));
	assert_string_equal(text_of(device(doc, 0), "health", "state"), "failed");
	assert_string_equal(text_of(device(doc, 0), "health", "reason"), "no answer within 1 s");
	assert_true(json_is_null(json_get(json_get(json_get(device(doc, 0), "readings"), "voltage"),
		"value")));
	assert_string_equal(text_of(json_get(device(doc, 0), "readings"), "voltage", "state"),
		"failed");
	assert_null(json_get(json_get(device(doc, 0), "readings"), "power"));
	assert_true(json_is_null(json_get(json_get(device(doc, 0), "smbus_telem"), "VCORE")));
	json_free(doc);
}

static const struct json *gddr_channel(const struct json *doc, int channel, const char *key)
{
	const struct json *c = json_child(json_get(json_get(device(doc, 0), "gddr_telemetry"),
		"channels"));

	for (; channel > 0; channel--)
		c = json_next(c);
	return json_get(c, key);
}

/* One leaf of one channel: its text, "true" or "false". */
static const char *gddr_leaf(const struct json *doc, int channel, const char *key)
{
	const struct json *leaf = gddr_channel(doc, channel, key);
	const char *text = json_get_text(leaf);
	bool yes;

	return text ? text : !json_get_bool(leaf, &yes) ? "neither" : yes ? "true" : "false";
}

static void set_tag(struct snapshot *s, uint16_t tag, uint32_t word)
{
	for (size_t t = 0; t < s->raw.n_tags; t++)
		if (s->raw.tags[t].tag == tag)
			s->raw.tags[t].word = word;
}

static void memory_says_pass_only_of_a_channel_that_was_read_and_passed(void **state)
{
	static const struct {
		uint32_t status;
		int64_t enabled;	/* -1: not told */
		int channel;
		const char *training, *bist, *harvested;
	} cases[] = {
		{ 0x5555, 0xff, 0, "pass", "n/a", "false" },
		{ 0x55555555, 0xff, 7, "pass", "pass", "false" },
		{ 0x55595555, 0xff, 1, "pass", "fail", "false" },
		{ 0x5565, 0xff, 2, "fail", "n/a", "false" },
		/* One that is silent is harvested, where the mask does not say another ... */
		{ 0x1555, 0xff, 7, "n/a", "n/a", "true" },
		{ 0x15551555, -1, 7, "n/a", "n/a", "true" },
		{ 0x15551555, -1, 3, "pass", "pass", "false" },
		{ 0x1555, 0x7f, 7, "n/a", "n/a", "true" },
		{ 0x1555, 0xfe, 7, "fail", "n/a", "false" },
		/* ... and two are not trained; nor is one whose self-test has a word. */
		{ 0x1455, 0xff, 7, "fail", "n/a", "false" },
		{ 0x1455, 0xff, 4, "fail", "n/a", "false" },
		{ 0x95551555, 0xff, 7, "fail", "fail", "false" },
		{ 0x55555555, 0x7f, 7, "n/a", "n/a", "true" },
		{ 0x5555, -1, 3, "pass", "n/a", "false" },
		{ 0, 0xff, 0, "fail", "n/a", "false" },
		{ 0xffffffff, 0xff, 0, "n/a", "n/a", "false" },
	};
	struct snapshot *s = &chips[0];
	size_t n = s->raw.n_tags;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct json *doc;

		set_tag(s, 22, cases[i].status);
		s->raw.tags[n] = (struct raw_tag){ 36, (uint32_t)cases[i].enabled };
		s->raw.n_tags = cases[i].enabled < 0 ? n : n + 1;
		decode_snapshot(s);
		doc = snap(&plain, NULL);
		assert_string_equal(gddr_leaf(doc, cases[i].channel, "training"),
			cases[i].training);
		assert_string_equal(gddr_leaf(doc, cases[i].channel, "bist"), cases[i].bist);
		assert_string_equal(gddr_leaf(doc, cases[i].channel, "harvested"),
			cases[i].harvested);
		assert_string_not_equal(gddr_leaf(doc, cases[i].channel, "enabled"),
			cases[i].harvested);
		json_free(doc);
	}
}

static void memory_counters_and_temperatures_are_text_in_their_channel(void **state)
{
	static const struct {
		int channel;
		const char *key, *text;
	} leaves[] = {
		{ 2, "temp_bottom", "44" }, { 2, "temp_top", "46" }, { 3, "temp_bottom", "48" },
		{ 3, "temp_top", "50" }, { 2, "corr_rd", "0" }, { 2, "corr_wr", "1" },
		{ 3, "corr_rd", "2" }, { 3, "corr_wr", "255" }, { 3, "uncorr_rd", "0" },
		{ 3, "uncorr_wr", "1" }, { 0, "temp_top", "N/A" }, { 0, "corr_rd", "N/A" },
	};
	struct snapshot *s = &chips[0];
	struct json *doc;

	(void)state;
	s->raw.tags[s->raw.n_tags++] = (struct raw_tag){ 43, 0x32302e2c };
	s->raw.tags[s->raw.n_tags++] = (struct raw_tag){ 47, 0xff020100 };
	s->raw.tags[s->raw.n_tags++] = (struct raw_tag){ 50, 0x80 };
	decode_snapshot(s);
	doc = snap(&plain, NULL);
	for (size_t i = 0; i < ARRAY_LEN(leaves); i++)
		assert_string_equal(gddr_leaf(doc, leaves[i].channel, leaves[i].key),
			leaves[i].text);
	json_free(doc);
}

static void memory_of_a_card_that_was_not_read_keeps_its_shape(void **state)
{
	static const char *const keys[] = { "training", "bist", "temp_top", "temp_bottom",
		"corr_rd", "corr_wr", "uncorr_rd", "uncorr_wr" };
	struct snapshot *s = &chips[0];
	const struct json *g;
	struct json *doc;

	(void)state;
	memset(&s->raw, 0, sizeof(s->raw));
	memset(s->r, 0, sizeof(s->r));
	doc = snap(&plain, NULL);
	g = json_get(device(doc, 0), "gddr_telemetry");
	assert_string_equal(json_get_text(json_get(g, "speed")), "N/A");
	assert_string_equal(json_get_text(json_get(g, "max_temp")), "N/A");
	assert_string_equal(json_get_text(json_get(g, "enabled_mask")), "N/A");
	for (int n = 0; n < 8; n++) {
		assert_string_equal(gddr_leaf(doc, n, "harvested"), "false");
		assert_string_equal(gddr_leaf(doc, n, "enabled"), "true");
		for (size_t k = 0; k < ARRAY_LEN(keys); k++)
			assert_string_equal(gddr_leaf(doc, n, keys[k]), k < 2 ? "n/a" : "N/A");
	}
	json_free(doc);
}

/* The link of each channel, a letter each; "none" where the key is left out. */
static const char *links_of(const struct json *doc, char *buf)
{
	const struct json *e = json_get(device(doc, 0), "ethernet");
	size_t n = 0;

	if (!e)
		return "none";
	for (const struct json *c = json_child(e); c; c = json_next(c)) {
		const char *link = json_get_text(json_get(c, "link"));

		buf[n++] = strcmp(link, "UNKNOWN") == 0 ? '.' : strcmp(link, "UNUSED") == 0 ?
			'-' : link[0];
	}
	buf[n] = '\0';
	return buf;
}

static void ethernet_is_what_telemetry_says_of_links(void **state)
{
	static const struct {
		uint32_t bundle;
		int64_t enabled, status;	/* -1: not told */
		const char *links;
	} cases[] = {
		{ 0x13090000, 0x3fff, 0x0fff3fff, "UUUUUUUUUUUU.." },
		{ 0x13090000, 0x3edf, 0x00003edf, ".....-..-....." },
		{ 0x13090000, 0x3edf, 0x00013ede, "U....-..-....." },
		{ 0x13090000, 0x3edf, 0x00023ede, "DU...-..-....." },
		{ 0x13090000, -1, 0x00030000, "UU............" },
		{ 0x13090000, 0, 0, "--------------" },
		/* Before bundle 19.9 no word tells of links. */
		{ 0x13090000, 0x3edf, -1, ".....-..-....." },
		{ 0x13080000, 0x3edf, 0x0fff3fff, ".....-..-....." },
		{ 0x13080000, -1, 0x0fff3fff, "none" }, { 0x13090000, -1, -1, "none" },
	};
	struct snapshot *s = &chips[0];
	size_t n = s->raw.n_tags;
	char buf[16];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct json *doc;

		set_tag(s, 28, cases[i].bundle);
		s->raw.n_tags = n;
		if (cases[i].enabled >= 0)
			s->raw.tags[s->raw.n_tags++] =
				(struct raw_tag){ 35, (uint32_t)cases[i].enabled };
		if (cases[i].status >= 0)
			s->raw.tags[s->raw.n_tags++] =
				(struct raw_tag){ 21, (uint32_t)cases[i].status };
		decode_snapshot(s);
		doc = snap(&plain, NULL);
		assert_string_equal(links_of(doc, buf), cases[i].links);
		json_free(doc);
	}
	s->local = 1;
	struct json *doc = snap(&plain, NULL);

	assert_string_equal(links_of(doc, buf), "none");
	json_free(doc);
	s->local = -1;
}

static void an_impossible_word_is_no_number_anywhere(void **state)
{
	struct snapshot *s = &chips[0];
	struct json *doc;
	char *text;

	(void)state;
	s->raw.tags[2].word = 0xc8a;		/* 3.21 kV of the facts is 3210 mV */
	s->raw.tags[13].word = 0x2a2a2a;
	decode_snapshot(s);
	doc = snap(&plain, &text);
	assert_string_equal(text_of(device(doc, 0), "telemetry", "voltage"), "N/A");
	assert_string_equal(text_of(device(doc, 0), "telemetry", "fan_speed"), "N/A");
	assert_string_equal(text_of(json_get(device(doc, 0), "readings"), "voltage", "state"),
		"implausible");
	assert_string_equal(text_of(json_get(device(doc, 0), "readings"), "voltage", "raw"),
		"0xc8a");
	assert_null(strstr(text, "2763306"));
	json_free(doc);
	free(text);
}

static void unknown_tags_are_kept_raw_and_no_key_is_there_twice(void **state)
{
	struct json *doc = snap(&plain, NULL);
	const struct json *tags = json_get(device(doc, 0), "tags");
	size_t n = 0;

	(void)state;
	assert_string_equal(json_get_text(json_get(tags, "TAG_200")), "0xabc");
	assert_string_equal(json_get_text(json_get(tags, "VCORE")), "0x360");
	assert_string_equal(json_get_text(json_get(tags, "GDDR_STATUS")), "0x5555");
	assert_string_equal(text_of(device(doc, 0), "smbus_telem", "DDR_STATUS"), "0x5555");
	for (const struct json *m = json_child(tags); m; m = json_next(m))
		n += strcmp(json_key(m), "VCORE") == 0;
	assert_int_equal(n, 1);
	json_free(doc);
}

static void external_leaves_engineering_data_out(void **state)
{
	struct snapshot_json_options o = { .version = "1.0.0", .external = true };
	char *text;
	struct json *doc;

	(void)state;
	external_set(true);
	doc = snap(&o, &text);
	external_set(false);
	assert_null(json_child(json_get(device(doc, 0), "smbus_telem")));
	assert_null(json_child(json_get(device(doc, 0), "tags")));
	assert_string_equal(json_get_text(json_get(json_get(doc, "host_info"), "Hostname")), "N/A");
	assert_null(strstr(text, "lab-7"));
	assert_null(strstr(text, "asic_id"));
	assert_null(strstr(text, "f1c69528"));
	assert_null(strstr(text, "\"raw\""));
	for (enum field_id id = 1; id < FIELD_COUNT; id++)
		if (fields[id].engineering)
			assert_null(json_get(json_get(device(doc, 0), "readings"), fields[id].key));
	assert_string_equal(text_of(device(doc, 0), "telemetry", "voltage"), "0.86");
	json_free(doc);
	free(text);
}

static void local_leaves_second_chips_out_and_names_them(void **state)
{
	struct snapshot_json_options o = { .version = "1.0.0", .local = true };
	struct json *doc = snap(&o, NULL);
	const struct json *left = json_child(json_get(doc, "not_read"));
	double v;

	(void)state;
	assert_null(device(doc, 2));
	assert_true(json_get_number(json_get(left, "index"), &v) && v == 2);
	assert_string_equal(json_get_text(json_get(left, "series")), "n300 R");
	assert_null(json_next(left));
	json_free(doc);
	doc = snap(&plain, NULL);
	assert_null(json_get(doc, "not_read"));
	assert_string_equal(text_of(device(doc, 2), "health", "state"), "not-read");
	assert_string_equal(text_of(device(doc, 2), "health", "reason"), "held by another process");
	assert_string_equal(text_of(device(doc, 2), "board_info", "bus_id"), "N/A");
	json_free(doc);
}

static void only_what_is_wanted_is_shown_with_its_processes(void **state)
{
	static const bool wanted[N] = { false, true, false };
	static const struct process who[] = {
		{ .device = 0, .pid = 7, .user = "a", .command = "x" },
		{ .device = 1, .pid = 8, .user = "b", .command = "y", .container = "docker:0123" },
	};
	struct fleet f = fleet();
	struct strbuf b = { 0 };
	struct json *doc = NULL;
	const struct json *p;
	struct error e;
	double v;

	(void)state;
	f.wanted = wanted;
	f.processes = who;
	f.n_processes = ARRAY_LEN(who);
	f.selection = "TT_VISIBLE_DEVICES=1";
	snapshot_json_put(&b, &f, &machine, &plain);
	assert_int_equal(json_parse(b.text, b.len, &doc, &e), 0);
	assert_string_equal(text_of(device(doc, 0), "board_info", "board_type"), "n300 L");
	assert_null(device(doc, 1));
	p = json_child(json_get(doc, "processes"));
	assert_true(json_get_number(json_get(p, "pid"), &v) && v == 8);
	assert_string_equal(json_get_text(json_get(p, "container")), "docker:0123");
	assert_null(json_next(p));
	assert_string_equal(json_get_text(json_get(doc, "selection")), "TT_VISIBLE_DEVICES=1");
	json_free(doc);
	strbuf_clear(&b);
}

/* Callers count chips by the lines that have board_type, and grep key by key. */
static void one_key_stands_on_a_line_and_none_looks_like_board_type(void **state)
{
	char *text;
	struct json *doc = snap(&plain, &text);

	(void)state;
	assert_int_equal(count(text, "board_type"), N);
	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		const char *end;

		line += *line == '\n';
		end = strchr(line, '\n');
		for (const char *p = strstr(line, "\": "); p && p < end; p = strstr(p + 3, "\": "))
			if (strstr(p + 3, "\": ") && strstr(p + 3, "\": ") < end)
				fail_msg("two keys: %.80s", line);
	}
	json_free(doc);
	free(text);
}

static void an_empty_machine_is_an_empty_list(void **state)
{
	struct fleet f = { .origin = &origin_machine, .driver = "" };
	struct strbuf b = { 0 };
	struct list_options o = { 0 };

	(void)state;
	snapshot_json_put(&b, &f, &machine, &plain);
	assert_non_null(strstr(b.text, "\n    \"device_info\": [],\n"));
	strbuf_clear(&b);
	list_put(&b, &f, &o);
	assert_int_equal(count(b.text, "│"), 0);
	assert_int_equal(count(b.text, "┏"), 2);
	strbuf_clear(&b);
}

static void the_list_has_every_name_of_every_board(void **state)
{
	static const char want[] =
		"                                 All available boards on host:\n"
		"┏━━━━━━━━━┳━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━┳━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━┓\n"
		"┃ Chip ID ┃ PCI BDF      ┃ PCI Dev ID         ┃ Board Type ┃ Device Series ┃ Board Number     ┃\n"
		"┡━━━━━━━━━╇━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━╇━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━┩\n"
		"│ 0       │ 0000:41:00.0 │ /dev/tenstorrent/0 │ Blackhole  │ p150a         │ 0000040331921011 │\n"
		"│ 1       │ 0000:c1:00.0 │ /dev/tenstorrent/3 │ Wormhole   │ n300 L        │ 010001461192717d │\n"
		"│ 2       │ N/A          │ N/A                │ Wormhole   │ n300 R        │ 010001461192717d │\n"
		"└─────────┴──────────────┴────────────────────┴────────────┴───────────────┴──────────────────┘\n"
		"                                   Boards that can be reset:\n"
		"┏━━━━━━━━━┳━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━┳━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━┓\n"
		"┃ Chip ID ┃ PCI BDF      ┃ PCI Dev ID         ┃ Board Type ┃ Device Series ┃ Board Number     ┃\n"
		"┡━━━━━━━━━╇━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━╇━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━┩\n"
		"│ 0       │ 0000:41:00.0 │ /dev/tenstorrent/0 │ Blackhole  │ p150a         │ 0000040331921011 │\n"
		"│ 1       │ 0000:c1:00.0 │ /dev/tenstorrent/3 │ Wormhole   │ n300 L        │ 010001461192717d │\n"
		"└─────────┴──────────────┴────────────────────┴────────────┴───────────────┴──────────────────┘\n"
		"2 n300 R: held by another process\n";
	struct fleet f = fleet();
	struct list_options o = { 0 };
	struct strbuf b = { 0 };

	(void)state;
	list_put(&b, &f, &o);
	assert_string_equal(b.text, want);
	strbuf_clear(&b);
	f.selection = "TT_VISIBLE_DEVICES=1";
	o.local = true;
	list_put(&b, &f, &o);
	assert_null(strstr(b.text, "n300 R"));
	assert_non_null(strstr(b.text, "TT_VISIBLE_DEVICES=1"));
	assert_null(strchr(b.text, '\033'));
	strbuf_clear(&b);
	o.bold = true;
	list_put(&b, &f, &o);
	assert_non_null(strstr(b.text, "\033[1mPCI BDF\033[0m"));
	strbuf_clear(&b);
}

static void a_4u_module_and_a_card_that_went_cannot_be_reset(void **state)
{
	(void)state;
	assert_true(list_is_resettable(&chips[0]));
	assert_true(list_is_resettable(&chips[1]));
	assert_false(list_is_resettable(&chips[2]));
	chips[1].upi = 0x0b;
	assert_false(list_is_resettable(&chips[1]));
	chips[0].health = SNAPSHOT_GONE;
	assert_false(list_is_resettable(&chips[0]));
	chips[0].health = SNAPSHOT_FAILED;
	chips[0].upi = 0;
	assert_true(list_is_resettable(&chips[0]));
	chips[0].raw.sample_error.code = -ENODEV;
	assert_false(list_is_resettable(&chips[0]));
	chips[0].raw.sample_error.code = -EIO;
	assert_true(list_is_resettable(&chips[0]));
	chips[0].raw.sample_error.code = 0;
}

static void the_list_is_json_too(void **state)
{
	struct fleet f = fleet();
	struct list_options o = { 0 };
	struct strbuf b = { 0 };
	struct json *doc = NULL;
	const struct json *m;
	struct error e;
	bool yes;
	double v;

	(void)state;
	list_json_put(&b, &f, &o);
	assert_int_equal(json_parse(b.text, b.len, &doc, &e), 0);
	m = json_child(json_get(doc, "boards"));
	assert_string_equal(json_get_text(json_get(m, "bdf")), "0000:41:00.0");
	assert_string_equal(json_get_text(json_get(m, "node")), "/dev/tenstorrent/0");
	assert_true(json_get_bool(json_get(m, "resettable"), &yes) && yes);
	m = json_next(json_next(m));
	assert_true(json_is_null(json_get(m, "bdf")));
	assert_true(json_get_number(json_get(m, "local"), &v) && v == 1);
	assert_string_equal(json_get_text(json_get(m, "reason")), "held by another process");
	json_free(doc);
	strbuf_clear(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_well_card_has_upstreams_strings_and_our_numbers, set_up),
		cmocka_unit_test_setup(
			the_two_temperature_limits_change_places_between_the_chips, set_up),
		cmocka_unit_test_setup(a_failed_card_keeps_its_entry_with_the_reason, set_up),
		cmocka_unit_test_setup(
			memory_says_pass_only_of_a_channel_that_was_read_and_passed, set_up),
		cmocka_unit_test_setup(
			memory_counters_and_temperatures_are_text_in_their_channel, set_up),
		cmocka_unit_test_setup(
			memory_of_a_card_that_was_not_read_keeps_its_shape, set_up),
		cmocka_unit_test_setup(ethernet_is_what_telemetry_says_of_links, set_up),
		cmocka_unit_test_setup(an_impossible_word_is_no_number_anywhere, set_up),
		cmocka_unit_test_setup(unknown_tags_are_kept_raw_and_no_key_is_there_twice, set_up),
		cmocka_unit_test_setup(external_leaves_engineering_data_out, set_up),
		cmocka_unit_test_setup(local_leaves_second_chips_out_and_names_them, set_up),
		cmocka_unit_test_setup(only_what_is_wanted_is_shown_with_its_processes, set_up),
		cmocka_unit_test_setup(
			one_key_stands_on_a_line_and_none_looks_like_board_type, set_up),
		cmocka_unit_test_setup(an_empty_machine_is_an_empty_list, set_up),
		cmocka_unit_test_setup(the_list_has_every_name_of_every_board, set_up),
		cmocka_unit_test_setup(a_4u_module_and_a_card_that_went_cannot_be_reset, set_up),
		cmocka_unit_test_setup(the_list_is_json_too, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

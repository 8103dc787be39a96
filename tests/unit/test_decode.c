/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Raw words to readings: real boards against what upstream printed of them, and all lies. */
#include "config.h"
#include "base/mem.h"
#include "base/file.h"
#include "base/json.h"
#include "telemetry/chip/chip.h"
#include "telemetry/decode.h"
#include "telemetry/link.h"
#include "telemetry/judge.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <cmocka.h>

static struct snapshot s;

static void begin(enum device_chip chip)
{
	memset(&s, 0, sizeof(s));
	s.local = -1;
	s.chip = s.raw.chip = chip;
}

static int begin_bh(void **state)
{
	(void)state;
	begin(DEVICE_BLACKHOLE);
	return 0;
}

static void tag(uint16_t number, uint32_t word)
{
	s.raw.tags[s.raw.n_tags++] = (struct raw_tag){ number, word };
}

static void legacy(size_t index, uint32_t word)
{
	if (s.raw.n_legacy <= index)
		s.raw.n_legacy = index + 1;
	s.raw.legacy[index] = word;
	s.raw.legacy_known[index] = true;
}

static void attr(enum attr a, const char *text)
{
	snprintf(s.raw.attr[a], ATTR_TEXT, "%s", text);
}

static const char *text_of(enum field_id id)
{
	static char text[64];

	return field_text(id, &s.r[id], text, sizeof(text));
}

static bool has_finding(const char *id)
{
	for (size_t i = 0; i < s.n_findings; i++)
		if (strcmp(s.findings[i].id, id) == 0)
			return true;
	return false;
}

static void expect_ok(enum field_id id, int64_t value, enum reading_source source)
{
	if (s.r[id].state != READING_OK || s.r[id].value != value || s.r[id].source != source)
		fail_msg("%s: %s %lld from %s, expected ok %lld from %s", fields[id].key,
			reading_state_name(s.r[id].state), (long long)s.r[id].value,
			reading_source_name(s.r[id].source), (long long)value,
			reading_source_name(source));
}

static void expect_state(enum field_id id, enum reading_state state)
{
	if (s.r[id].state != state)
		fail_msg("%s: %s, expected %s", fields[id].key, reading_state_name(s.r[id].state),
			reading_state_name(state));
}

/* ---- real boards ------------------------------------------------------------ */

static struct json *open_fixture(const char *name)
{
	const char *top = getenv("top_srcdir");
	struct error e = { 0 };
	struct json *doc = NULL;
	char path[512], *text = NULL;
	size_t len = 0;

	snprintf(path, sizeof(path), "%s/tests/fixtures/snapshots/%s", top ? top : ".", name);
	if (file_read_all(path, 1 << 20, &text, &len, &e) < 0 ||
		json_parse(text, len, &doc, &e) < 0)
		fail_msg("%s", e.text);
	free(text);
	return doc;
}

static void take_words(const struct json *words)
{
	const struct chip *chip = chip_find(s.raw.chip);

	for (const struct json *w = json_child(words); w; w = json_next(w)) {
		int index = chip_legacy_find(chip, json_key(w)),
		    number = tag_find_name(json_key(w));
		uint32_t word;

		if (!json_get_word(w, &word))
			continue;
		if (chip->n_legacy && index >= 0)
			legacy((size_t)index, word);
		else if (!chip->n_legacy && number > 0)
			tag((uint16_t)number, word);
		else
			fail_msg("%s is no word of this chip", json_key(w));
	}
}

/* Upstream's text, blanks in front cut; "absent" where it says "N/A" or the number 0. */
static void expect_printed(const struct json *parent, const char *key, enum field_id id)
{
	const char *printed = json_get_text(json_get(parent, key)), *ours = text_of(id);

	if (!printed || strcmp(printed, "N/A") == 0) {
		expect_state(id, READING_ABSENT);
		return;
	}
	printed += strspn(printed, " ");
	if (strcmp(printed, ours) != 0)
		fail_msg("%s: upstream printed %s, we %s", key, printed, ours);
}

static const struct {
	const char *object, *key;
	enum field_id id;
} printed[] = {
	{ "telemetry", "voltage", FIELD_VCORE }, { "telemetry", "current", FIELD_CURRENT },
	{ "telemetry", "power", FIELD_POWER }, { "telemetry", "aiclk", FIELD_AICLK },
	{ "telemetry", "asic_temperature", FIELD_ASIC_TEMP },
	{ "firmwares", "fw_bundle_version", FIELD_FW_BUNDLE },
	{ "firmwares", "tt_flash_version", FIELD_TT_FLASH }, { "firmwares", "cm_fw", FIELD_CM_FW },
	{ "firmwares", "eth_fw", FIELD_ETH_FW }, { "firmwares", "dm_bl_fw", FIELD_DM_BL_FW },
	{ "firmwares", "dm_app_fw", FIELD_DM_APP_FW }, { "firmwares", "gddr_fw", FIELD_GDDR_FW },
	{ "limits", "vdd_min", FIELD_VDD_MIN }, { "limits", "vdd_max", FIELD_VDD_MAX },
	{ "limits", "tdp_limit", FIELD_POWER_LIMIT },
	{ "limits", "tdc_limit", FIELD_CURRENT_LIMIT },
	{ "limits", "asic_fmax", FIELD_AICLK_LIMIT }, { "board_info", "board_id", FIELD_BOARD_ID },
};

static void decode_fixture(const struct json *doc, unsigned n, enum device_chip chip)
{
	const struct json *device = json_child(json_get(doc, "device_info"));

	for (unsigned i = 0; i < n; i++)
		device = json_next(device);
	begin(chip);
	s.raw.remote = n > 0;
	take_words(json_get(device, "smbus_telem"));
	decode_snapshot(&s);
	for (size_t i = 0; i < ARRAY_LEN(printed); i++)
		expect_printed(json_get(device, printed[i].object), printed[i].key, printed[i].id);
	assert_string_equal(s.series, json_get_text(json_get(json_get(device, "board_info"),
		"board_type")));
	assert_int_equal(s.r[FIELD_DRAM_STATUS].value, 1);
	for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++)
		assert_int_not_equal(s.r[id].state, READING_IMPLAUSIBLE);
	assert_int_equal(s.health, SNAPSHOT_OK);
	assert_int_equal(s.n_findings, 0);
}

static void a_real_p150a_reads_as_upstream_printed_it(void **state)
{
	struct json *doc = open_fixture("p150a-tt_smi-5.2.0.json");

	(void)state;
	decode_fixture(doc, 0, DEVICE_BLACKHOLE);
	json_free(doc);
	assert_int_equal(s.upi, 0x40);
	expect_ok(FIELD_ASIC_TEMP, 63351, SOURCE_TAG);
	expect_ok(FIELD_THROTTLE_TEMP, 90000, SOURCE_TAG);
	expect_ok(FIELD_SHUTDOWN_TEMP, 110000, SOURCE_TAG);
	expect_ok(FIELD_FAN_RPM, 2758, SOURCE_TAG);
	expect_ok(FIELD_FAN_TARGET, 57, SOURCE_TAG);
	expect_ok(FIELD_HEARTBEAT, 182266 * 6 + 3, SOURCE_TAG);
	expect_ok(FIELD_DRAM_SPEED, 16000, SOURCE_TAG);
	expect_ok(FIELD_BOARD_POWER_LIMIT, 300000, SOURCE_TAG);
	expect_ok(FIELD_GDDR_MAX_TEMP, 66000, SOURCE_TAG);
	expect_ok(FIELD_GDDR_TEMP, 60000, SOURCE_TAG);		/* module 0, bottom: 0x3c */
	expect_ok(FIELD_GDDR_TEMP + 7, 66000, SOURCE_TAG);	/* module 3, top: 0x42 */
	expect_ok(FIELD_GDDR_TEMP + 15, 54000, SOURCE_TAG);	/* module 7, top: 0x36 */
	expect_ok(FIELD_TENSIX_COLS, 0x3fff, SOURCE_TAG);
	assert_string_equal(text_of(FIELD_ASIC_ID), "f1c69528d8c65538");
	/* Sensors that a Blackhole has not, and link bits that this firmware does not publish. */
	expect_state(FIELD_VREG_TEMP, READING_ABSENT);
	expect_state(FIELD_BOARD_TEMP, READING_ABSENT);
	expect_state(FIELD_ETH_LINK, READING_ABSENT);
	expect_state(FIELD_BOARD_POWER, READING_ABSENT);
}

static void a_real_n300_reads_as_upstream_printed_it(void **state)
{
	struct json *doc = open_fixture("n300-tt_smi-5.3.0.json");

	(void)state;
	decode_fixture(doc, 1, DEVICE_WORMHOLE);
	expect_ok(FIELD_ASIC_TEMP, 37313, SOURCE_LEGACY);
	expect_ok(FIELD_ARC3_HEALTH, 490408 * 5 + 4, SOURCE_LEGACY);
	decode_fixture(doc, 0, DEVICE_WORMHOLE);
	json_free(doc);
	assert_int_equal(s.upi, 0x14);
	expect_ok(FIELD_ASIC_TEMP, 44313, SOURCE_LEGACY);
	expect_ok(FIELD_INLET_TEMP, 37000, SOURCE_LEGACY);
	expect_ok(FIELD_OUTLET_TEMP1, 37000, SOURCE_LEGACY);
	expect_ok(FIELD_OUTLET_TEMP2, 35000, SOURCE_LEGACY);
	expect_ok(FIELD_THROTTLE_TEMP, 75000, SOURCE_LEGACY);	/* upstream's thm_limit */
	expect_ok(FIELD_SHUTDOWN_TEMP, 83000, SOURCE_LEGACY);	/* upstream's therm_trip_l1_limit */
	expect_ok(FIELD_DRAM_SPEED, 10000, SOURCE_LEGACY);
	expect_ok(FIELD_HEARTBEAT, 490409 * 5 + 3, SOURCE_LEGACY);
	assert_string_equal(text_of(FIELD_FW_DATE), "2026-02-11 19:24");
	expect_state(FIELD_FAN_LEGACY, READING_ABSENT);		/* 0xffffffff, printed as 65535 */
	expect_state(FIELD_FAN_LEGACY_REMOTE, READING_ABSENT);
	expect_state(FIELD_VREG_TEMP, READING_ABSENT);
	expect_ok(FIELD_ETH_LIVE, 0xffff, SOURCE_LEGACY);
	expect_ok(FIELD_ETH_RETRAIN, 0, SOURCE_LEGACY);		/* 19.6: not the link yet */
	expect_state(FIELD_ETH_LINK, READING_ABSENT);
}

/* ---- encodings -------------------------------------------------------------- */

static void temperatures_are_signed_16_16(void **state)
{
	static const struct {
		uint32_t word;
		int64_t value;
	} cases[] = {
		{ 0x003f59ea, 63351 }, { 0xfff60000, -10000 }, { 0xffffc000, -250 },
		{ 0x00000000, 0 },	/* a sensor that is not read */
		{ 0x00968000, 150500 }, { 0x80000000, 0 }, { 0xffffffff, 0 }, { 0x7fffffff, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		begin(DEVICE_BLACKHOLE);
		tag(11, cases[i].word);
		tag(6, 800);
		decode_snapshot(&s);
		if (i < 3) {
			expect_ok(FIELD_ASIC_TEMP, cases[i].value, SOURCE_TAG);
		} else {
			expect_state(FIELD_ASIC_TEMP, READING_IMPLAUSIBLE);
			assert_true(s.r[FIELD_ASIC_TEMP].has_raw);
			assert_int_equal(s.r[FIELD_ASIC_TEMP].raw, cases[i].word);
			assert_true(has_finding("implausible"));
		}
	}
}

static void the_garbage_that_real_boards_gave_is_implausible_and_kept(void **state)
{
	static const struct {
		uint16_t tag;
		uint32_t word;
		enum field_id id;
	} cases[] = {
		{ 6, 0x00310031, FIELD_VCORE },		/* 3.21 kV */
		{ 7, 4080, FIELD_POWER },		/* 4.08 kW */
		{ 8, 0x00330033, FIELD_CURRENT },	/* 3.34 MA */
		{ 41, 0x002b002b, FIELD_FAN_RPM },	/* 2.8 M RPM */
		{ 14, 0xffffffff, FIELD_AICLK }, { 16, 0xffffffff, FIELD_ARCCLK },
		{ 7, 0xffffffff, FIELD_POWER }, { 32, 0xffffffff, FIELD_HEARTBEAT },
		{ 34, 0xffffffff, FIELD_TENSIX_COLS }, { 22, 0xffffffff, FIELD_DRAM_STATUS },
		{ 9, 0xfffe0001, FIELD_VDD_MAX }, { 60, 0xffffffff, FIELD_THERM_TRIPS },
		{ 42, 0x000000ff, FIELD_GDDR_TEMP }, { 57, 0x6d0b1318, FIELD_FW_DATE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		begin(DEVICE_BLACKHOLE);
		tag(11, 54u << 16);
		tag(cases[i].tag, cases[i].word);
		decode_snapshot(&s);
		expect_state(cases[i].id, READING_IMPLAUSIBLE);
		assert_int_equal(s.r[cases[i].id].raw, cases[i].word);
		assert_true(s.r[cases[i].id].has_raw);
		assert_string_equal(text_of(cases[i].id), "?");
		expect_ok(FIELD_ASIC_TEMP, 54000, SOURCE_TAG);
		assert_int_equal(s.health, SNAPSHOT_WARN);
	}
}

static void all_ones_in_these_words_means_there_is_none(void **state)
{
	static const struct {
		uint16_t tag;
		enum field_id id;
	} cases[] = {
		{ 41, FIELD_FAN_RPM }, { 31, FIELD_FAN_TARGET }, { 28, FIELD_FW_BUNDLE },
		{ 24, FIELD_ETH_FW }, { 25, FIELD_GDDR_FW }, { 29, FIELD_CM_FW },
		{ 57, FIELD_FW_DATE },
	};

	(void)state;
	begin(DEVICE_BLACKHOLE);
	tag(6, 800);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		tag(cases[i].tag, 0xffffffff);
	decode_snapshot(&s);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect_state(cases[i].id, READING_ABSENT);
	assert_int_equal(s.health, SNAPSHOT_OK);
}

static void a_chip_that_answers_all_ones_has_failed(void **state)
{
	(void)state;
	s.index = 7;
	for (uint16_t t = 1; t < 70; t++)
		tag(t, 0xffffffff);
	decode_snapshot(&s);
	assert_int_equal(s.health, SNAPSHOT_FAILED);
	assert_non_null(strstr(s.reason, "all reads are ones"));
	for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++)
		assert_false(reading_has_value(&s.r[id]));
	begin(DEVICE_WORMHOLE);
	s.index = 9;
	s.local = 2;
	s.raw.remote = true;
	for (size_t i = 0; i < 50; i++)
		legacy(i, 0xffffffff);
	decode_snapshot(&s);
	assert_int_equal(s.health, SNAPSHOT_FAILED);
	assert_non_null(strstr(s.reason, "all reads are ones"));
}

static void fans_are_one_word_or_two_halves_by_firmware(void **state)
{
	(void)state;
	begin(DEVICE_WORMHOLE);
	tag(28, 0x130a0000);
	tag(41, 0x0bb80834);
	decode_snapshot(&s);
	expect_ok(FIELD_FAN_RPM, 3000, SOURCE_TAG);
	expect_ok(FIELD_FAN_RPM2, 2100, SOURCE_TAG);
	s.raw.tags[1].word = 0xffff0834;
	decode_snapshot(&s);
	expect_ok(FIELD_FAN_RPM, 2100, SOURCE_TAG);
	expect_state(FIELD_FAN_RPM2, READING_ABSENT);
	s.raw.tags[1].word = 0xffffffff;
	decode_snapshot(&s);
	expect_state(FIELD_FAN_RPM, READING_ABSENT);
	expect_state(FIELD_FAN_RPM2, READING_ABSENT);
	s.raw.tags[0].word = 0x13090000;	/* 19.9: one word */
	s.raw.tags[1].word = 2100;
	decode_snapshot(&s);
	expect_ok(FIELD_FAN_RPM, 2100, SOURCE_TAG);
}

static void ethernet_bits_mean_what_this_firmware_means(void **state)
{
	(void)state;
	begin(DEVICE_WORMHOLE);
	tag(28, 0x13080000);
	tag(21, 0x0004ffff);
	decode_snapshot(&s);
	expect_ok(FIELD_ETH_LIVE, 0xffff, SOURCE_TAG);
	expect_ok(FIELD_ETH_RETRAIN, 4, SOURCE_TAG);
	expect_state(FIELD_ETH_LINK, READING_ABSENT);
	s.raw.tags[0].word = 0x13090000;
	decode_snapshot(&s);
	expect_ok(FIELD_ETH_LINK, 4, SOURCE_TAG);
	expect_state(FIELD_ETH_RETRAIN, READING_ABSENT);
	/* 80.x came before 18. */
	s.raw.tags[0].word = 0x500a0000;
	decode_snapshot(&s);
	expect_state(FIELD_ETH_LINK, READING_ABSENT);
	expect_ok(FIELD_ETH_RETRAIN, 4, SOURCE_TAG);
}

static void the_power_limit_of_blackhole_is_trusted_from_19_8(void **state)
{
	(void)state;
	tag(28, 0x13070000);
	tag(64, 150);
	attr(ATTR_HWMON_POWER_MAX, "150000000");
	decode_snapshot(&s);
	expect_state(FIELD_POWER_LIMIT, READING_ABSENT);
	s.raw.tags[0].word = 0x13080000;
	decode_snapshot(&s);
	expect_ok(FIELD_POWER_LIMIT, 150000, SOURCE_TAG);
	s.raw.n_tags = 1;
	decode_snapshot(&s);
	expect_ok(FIELD_POWER_LIMIT, 150000, SOURCE_HWMON);
}

static void the_highest_clock_of_18_4_is_in_the_legacy_word(void **state)
{
	(void)state;
	begin(DEVICE_WORMHOLE);
	tag(28, 0x12040000);
	tag(14, 500);
	legacy(24, 1000u << 16 | 507);
	decode_snapshot(&s);
	expect_ok(FIELD_AICLK, 500, SOURCE_TAG);
	expect_ok(FIELD_AICLK_LIMIT, 1000, SOURCE_LEGACY);
}

static void a_believable_source_wins_over_an_impossible_one(void **state)
{
	(void)state;
	begin(DEVICE_WORMHOLE);
	tag(6, 0x00310031);
	tag(8, 0xffffffff);
	legacy(28, 850);
	attr(ATTR_HWMON_CURRENT, "26000");
	decode_snapshot(&s);
	expect_ok(FIELD_VCORE, 850, SOURCE_LEGACY);
	expect_ok(FIELD_CURRENT, 26000, SOURCE_HWMON);
}

static void memory_is_good_when_every_channel_in_use_is(void **state)
{
	static const struct {
		const char *what;
		enum device_chip chip;
		uint32_t word;		/* tag 22, or the legacy word */
		int enabled;		/* tag 36, or -1 */
		int good, failed;
	} cases[] = {
		{ "training only", DEVICE_BLACKHOLE, 0x5555, 0xff, 1, 0 },
		{ "training and self-test", DEVICE_BLACKHOLE, 0x55555555, 0xff, 1, 0 },
		{ "self-test of channel 1 failed", DEVICE_BLACKHOLE, 0x55595555, 0xff, 0, 2 },
		{ "channel 2 failed", DEVICE_BLACKHOLE, 0x5565, 0xff, 0, 4 },
		{ "channel 7 harvested, the mask is full", DEVICE_BLACKHOLE, 0x1555, 0xff, 1, 0 },
		{ "the same with self-test", DEVICE_BLACKHOLE, 0x15551555, 0xff, 1, 0 },
		{ "channels 4 and 7 not run", DEVICE_BLACKHOLE, 0x1455, 0xff, 0, 0x90 },
		{ "channel 7 not run, 0 harvested", DEVICE_BLACKHOLE, 0x1554, 0xfe, 0, 0x80 },
		{ "channel 7 not trained, but tested", DEVICE_BLACKHOLE, 0x55551555, 0xff, 0, 0x80 },
		{ "channel 7 harvested, 2 failed", DEVICE_BLACKHOLE, 0x1565, 0xff, 0, 4 },
		{ "p100a: channel 7 harvested", DEVICE_BLACKHOLE, 0x15551555, 0x7f, 1, 0 },
		{ "no mask of harvested channels", DEVICE_BLACKHOLE, 0x1555, -1, 1, 0 },
		{ "no mask, two not run", DEVICE_BLACKHOLE, 0x0555, -1, 0, 0xc0 },
		{ "nothing trained", DEVICE_BLACKHOLE, 0, 0xff, 0, 0xff },
		{ "mask that says nothing", DEVICE_BLACKHOLE, 0x5555, 0, 1, 0 },
		{ "wormhole tags", DEVICE_WORMHOLE, 0x555, -1, 1, 0 },
		{ "wormhole tags, channel 5", DEVICE_WORMHOLE, 0x955, -1, 0, 0x20 },
		{ "wormhole harvests none", DEVICE_WORMHOLE, 0x155, -1, 0, 0x20 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		begin(cases[i].chip);
		tag(22, cases[i].word);
		tag(6, 800);
		if (cases[i].enabled >= 0)
			tag(36, (uint32_t)cases[i].enabled);
		decode_snapshot(&s);
		if (s.r[FIELD_DRAM_STATUS].value != cases[i].good ||
			s.r[FIELD_DRAM_FAILED].value != cases[i].failed)
			fail_msg("%s: good %lld failed 0x%llx", cases[i].what,
				(long long)s.r[FIELD_DRAM_STATUS].value,
				(long long)s.r[FIELD_DRAM_FAILED].value);
		assert_int_equal(has_finding("dram") || has_finding("dram-test"), !cases[i].good);
	}
}

/* The ten words, and what of each, that upstream's own test has. */
static void a_board_with_a_channel_less_is_well_with_seven(void **state)
{
	static const struct {
		uint32_t word;
		int good;
	} cases[] = {
		{ 0x55455545, 1 }, { 0x55545554, 1 }, { 0x15551555, 1 }, { 0x55555555, 0 },
		{ 0x54455545, 0 }, { 0x55545558, 0 }, { 0x55455546, 0 }, { 0x59455545, 0 },
		{ 0x55455555, 0 }, { 0x55455540, 0 },
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
		begin(DEVICE_BLACKHOLE);
		tag(1, 0x43 << 4), tag(2, 1);
		tag(6, 800);
		tag(22, cases[i / 2].word);
		if (i % 2)
			tag(36, 0xff);
		decode_snapshot(&s);
		assert_string_equal(s.board, "p100a");
		if (s.r[FIELD_DRAM_STATUS].value != cases[i / 2].good)
			fail_msg("0x%08x: %d", cases[i / 2].word, !cases[i / 2].good);
		assert_int_equal(has_finding("dram") || has_finding("dram-test"),
			!cases[i / 2].good);
	}
}

static void older_memory_words_have_four_bits_a_channel(void **state)
{
	static const struct {
		enum device_chip chip;
		size_t word;
		uint32_t status;
		int good;
		const char *speed;
	} cases[] = {
		{ DEVICE_WORMHOLE, 14, 0x03222222, 1, "10000" },
		{ DEVICE_WORMHOLE, 14, 0x02222222, 1, "12000" },
		{ DEVICE_WORMHOLE, 14, 0x00322222, 1, "16000" },
		{ DEVICE_WORMHOLE, 14, 0x01222122, 0, "14000" },
		{ DEVICE_WORMHOLE, 14, 0x04222202, 0, "8000" },
		{ DEVICE_WORMHOLE, 14, 0x09222242, 0, "-" },
		{ DEVICE_GRAYSKULL, 12, 0x111111, 1, "-" },
		{ DEVICE_GRAYSKULL, 12, 0x110111, 0, "-" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		begin(cases[i].chip);
		legacy(cases[i].word, cases[i].status);
		decode_snapshot(&s);
		assert_int_equal(s.r[FIELD_DRAM_STATUS].state, READING_OK);
		assert_int_equal(s.r[FIELD_DRAM_STATUS].value, cases[i].good);
		assert_string_equal(text_of(FIELD_DRAM_SPEED), cases[i].speed);
	}
}

static void versions_have_the_packing_of_their_chip(void **state)
{
	(void)state;
	begin(DEVICE_WORMHOLE);
	tag(24, 0x00075000);
	decode_snapshot(&s);
	assert_string_equal(text_of(FIELD_ETH_FW), "7.5.0");
	begin(DEVICE_BLACKHOLE);
	tag(24, 0x00010800);
	tag(25, 0x0002000f);
	decode_snapshot(&s);
	assert_string_equal(text_of(FIELD_ETH_FW), "1.8.0");
	assert_string_equal(text_of(FIELD_GDDR_FW), "2.15");
	begin(DEVICE_WORMHOLE);
	attr(ATTR_TT_ETH_FW_VER, "6.14.4095");
	attr(ATTR_TT_FW_BUNDLE_VER, "19.6.0.0");
	decode_snapshot(&s);
	assert_string_equal(text_of(FIELD_ETH_FW), "6.14.4095");
	assert_string_equal(text_of(FIELD_FW_BUNDLE), "19.6.0.0");
}

static void the_legacy_bundle_counts_from_the_firmware_that_has_it(void **state)
{
	(void)state;
	begin(DEVICE_WORMHOLE);
	legacy(6, 0x02180000);
	legacy(49, 0x12000000);
	decode_snapshot(&s);
	expect_state(FIELD_FW_BUNDLE, READING_ABSENT);
	legacy(6, 0x02190000);
	decode_snapshot(&s);
	assert_string_equal(text_of(FIELD_FW_BUNDLE), "18.0.0.0");
}

static void a_4u_module_has_its_bundle_in_the_tt_flash_slot(void **state)
{
	(void)state;
	begin(DEVICE_WORMHOLE);
	legacy(4, 0xb0);
	legacy(5, 0x12345678);
	legacy(6, 0x02200000);
	legacy(46, 0x500a0000);
	legacy(49, 0xffffffff);
	decode_snapshot(&s);
	assert_string_equal(s.series, "wh_4u L");
	expect_ok(FIELD_FW_BUNDLE, 0x500a0000, SOURCE_DERIVED);
}

/* ---- attributes ------------------------------------------------------------- */

static void sysfs_and_hwmon_fill_what_the_tables_do_not_give(void **state)
{
	(void)state;
	attr(ATTR_TT_SERIAL, "0000040331921011");
	attr(ATTR_TT_AICLK, "800");
	attr(ATTR_TT_HEARTBEAT, "1234");
	attr(ATTR_TT_THERM_TRIP_COUNT, "0");
	attr(ATTR_TT_FW_BUNDLE_VER, "19.8.0.0");
	attr(ATTR_HWMON_TEMP, "41250");
	attr(ATTR_HWMON_VCORE, "720");
	attr(ATTR_HWMON_CURRENT, "25000");
	attr(ATTR_HWMON_POWER, "18000000");
	attr(ATTR_HWMON_POWER_MAX, "150000000");
	attr(ATTR_HWMON_FAN, "1800");
	decode_snapshot(&s);
	expect_ok(FIELD_ASIC_TEMP, 41250, SOURCE_HWMON);
	expect_ok(FIELD_VCORE, 720, SOURCE_HWMON);
	expect_ok(FIELD_CURRENT, 25000, SOURCE_HWMON);
	expect_ok(FIELD_POWER, 18000, SOURCE_HWMON);
	expect_ok(FIELD_POWER_LIMIT, 150000, SOURCE_HWMON);
	expect_ok(FIELD_FAN_RPM, 1800, SOURCE_HWMON);
	expect_ok(FIELD_AICLK, 800, SOURCE_SYSFS);
	expect_ok(FIELD_HEARTBEAT, 1234, SOURCE_SYSFS);
	assert_string_equal(s.board, "p150a");
	assert_int_equal(s.health, SNAPSHOT_OK);
	tag(6, 730);
	decode_snapshot(&s);
	expect_ok(FIELD_VCORE, 730, SOURCE_TAG);
}

static void what_sysfs_says_of_a_dead_card_is_never_shown(void **state)
{
	static const struct {
		enum attr a;
		const char *text;
		enum field_id id;
	} cases[] = {
		{ ATTR_TT_AICLK, "4294967295", FIELD_AICLK },
		{ ATTR_TT_HEARTBEAT, "4294967295", FIELD_HEARTBEAT },
		{ ATTR_HWMON_POWER, "4293967296", FIELD_POWER },
		{ ATTR_HWMON_POWER, "1110490560", FIELD_POWER },	/* 0xffff W in 32 bits */
		{ ATTR_HWMON_TEMP, "65535999", FIELD_ASIC_TEMP },
		{ ATTR_HWMON_VCORE, "3211313", FIELD_VCORE },
		{ ATTR_HWMON_FAN, "2818091", FIELD_FAN_RPM },
		{ ATTR_TT_AICLK, "", FIELD_NONE }, { ATTR_TT_AICLK, "800 MHz", FIELD_AICLK },
		{ ATTR_TT_AICLK, "-1", FIELD_AICLK },
		{ ATTR_TT_AICLK, "9223372036854775807", FIELD_AICLK },
		{ ATTR_HWMON_POWER, "-9223372036854775808", FIELD_POWER },
		{ ATTR_TT_SERIAL, "FFFFFFFFFFFFFFFG", FIELD_BOARD_ID },
		{ ATTR_TT_SERIAL, "0000000000000000", FIELD_BOARD_ID },
		{ ATTR_TT_SERIAL, "FFFFFFFF12345678", FIELD_BOARD_ID },
		{ ATTR_TT_SERIAL, "00000401FFFFFFFF", FIELD_BOARD_ID },
		{ ATTR_TT_FW_BUNDLE_VER, "19.8.0.0.1", FIELD_FW_BUNDLE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		begin(DEVICE_BLACKHOLE);
		attr(cases[i].a, cases[i].text);
		decode_snapshot(&s);
		if (cases[i].id)
			expect_state(cases[i].id, READING_IMPLAUSIBLE);
		for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++)
			assert_false(reading_has_value(&s.r[id]));
	}
	begin(DEVICE_BLACKHOLE);
	attr(ATTR_HWMON_FAN, "4294967295");
	decode_snapshot(&s);
	expect_state(FIELD_FAN_RPM, READING_ABSENT);
}

static void a_missing_file_is_absent_and_a_failing_one_has_failed(void **state)
{
	static const struct {
		int error;
		enum reading_state state;
	} cases[] = {
		{ -ENOENT, READING_ABSENT }, { -ENODATA, READING_ABSENT },
		{ -EOPNOTSUPP, READING_ABSENT },
		{ -EIO, READING_FAILED }, { -ENODEV, READING_FAILED },
		{ -ETIMEDOUT, READING_FAILED },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		begin(DEVICE_BLACKHOLE);
		attr(ATTR_TT_AICLK, "800");
		s.raw.attr_error[ATTR_HWMON_VCORE] = (int16_t)cases[i].error;
		decode_snapshot(&s);
		expect_state(FIELD_VCORE, cases[i].state);
		expect_ok(FIELD_AICLK, 800, SOURCE_SYSFS);
	}
}

/* ---- boards, link, health ---------------------------------------------------- */

static void a_board_is_known_by_id_by_name_or_by_its_subsystem(void **state)
{
	(void)state;
	tag(1, 0x0000044a);
	tag(2, 0x12345678);
	decode_snapshot(&s);
	assert_string_equal(s.board, "p300b");
	begin(DEVICE_WORMHOLE);
	attr(ATTR_TT_CARD_TYPE, "galaxy-wormhole");
	decode_snapshot(&s);
	assert_string_equal(s.board, "tt-galaxy-wh");
	assert_string_equal(s.series, "tt-galaxy-wh L");
	begin(DEVICE_BLACKHOLE);
	s.subsys_device = 0x43;
	decode_snapshot(&s);
	assert_string_equal(s.board, "p100a");
	begin(DEVICE_WORMHOLE);
	s.subsys_device = 0x43;		/* of another chip */
	decode_snapshot(&s);
	assert_string_equal(s.board, "N/A");
	assert_string_equal(s.series, "N/A");
	begin(DEVICE_BLACKHOLE);
	tag(1, 0x00000380);
	tag(2, 1);
	decode_snapshot(&s);
	assert_string_equal(s.board, "N/A");
	assert_int_equal(s.upi, 0x38);
	/* The id of a board that has another chip is not this board's. */
	begin(DEVICE_BLACKHOLE);
	tag(1, 0x01000146);
	tag(2, 0x1192717d);
	attr(ATTR_TT_CARD_TYPE, "p150a");
	decode_snapshot(&s);
	expect_state(FIELD_BOARD_ID, READING_IMPLAUSIBLE);
	assert_true(has_finding("implausible"));
	assert_string_equal(s.board, "p150a");
}

static void a_link_is_compared_with_what_it_could_be(void **state)
{
	static const struct {
		const char *speed, *speed_max, *width, *width_max;
		bool known, downgraded;
	} cases[] = {
		{ "16.0 GT/s PCIe", "16.0 GT/s PCIe", "16", "16", true, false },
		{ "8.0 GT/s PCIe", "16.0 GT/s PCIe", "16", "16", true, true },
		{ "32.0 GT/s PCIe", "32.0 GT/s PCIe", "8", "16", true, true },
		{ "2.5 GT/s PCIe", "", "1", "", true, false },
		{ "Unknown", "16.0 GT/s PCIe", "63", "63", false, false },
		{ "Unknown speed", "Unknown speed", "0", "255", false, false },
		{ "", "", "", "", false, false },
		{ "99999999999 GT/s PCIe", "16.0 GT/s PCIe", "16", "16", false, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		begin(DEVICE_BLACKHOLE);
		tag(6, 800);
		attr(ATTR_LINK_SPEED, cases[i].speed);
		attr(ATTR_LINK_SPEED_MAX, cases[i].speed_max);
		attr(ATTR_LINK_WIDTH, cases[i].width);
		attr(ATTR_LINK_WIDTH_MAX, cases[i].width_max);
		decode_snapshot(&s);
		assert_int_equal(s.link.known, cases[i].known);
		assert_int_equal(s.link.downgraded, cases[i].downgraded);
		assert_int_equal(has_finding("link-downgraded"), cases[i].downgraded);
	}
	begin(DEVICE_BLACKHOLE);
	tag(6, 800);
	attr(ATTR_LINK_SPEED, "2.5 GT/s PCIe");
	attr(ATTR_LINK_SPEED_MAX, "16.0 GT/s PCIe");
	attr(ATTR_LINK_WIDTH, "8");
	attr(ATTR_LINK_WIDTH_MAX, "16");
	decode_snapshot(&s);
	assert_int_equal(s.link.speed, 2500);
	assert_string_equal(s.findings[0].text,
		"PCIe link DOWNGRADED to Gen1 x8 of Gen4 x16 (slot not known)");
}

static void a_link_is_compared_with_card_slot_and_board(void **state)
{
	static const char *const gen[] = { "", "2.5 GT/s PCIe", "5.0 GT/s PCIe", "8.0 GT/s PCIe",
		"16.0 GT/s PCIe", "32.0 GT/s PCIe" };
	static const struct {
		uint32_t id;		/* the board's: upper word */
		uint8_t place;
		uint8_t gen, gen_max, gen_slot;
		const char *width, *width_max, *width_slot;
		const char *limit, *words;	/* words: of the finding, after its beginning */
	} cases[] = {
		{ 0x401, 0, 5, 5, 5, "16", "16", "16", "", NULL },
		{ 0x401, 0, 5, 5, 5, "8", "16", "8", "slot is x8", NULL },
		{ 0x401, 0, 4, 5, 4, "16", "16", "16", "slot is Gen4", NULL },
		{ 0x401, 0, 3, 5, 3, "4", "16", "4", "slot is Gen3 x4", NULL },
		{ 0x401, 0, 5, 5, 5, "4", "16", "8", "slot is x8",
			"Gen5 x4 of Gen5 x8 (slot is x8)" },
		{ 0x401, 0, 5, 5, 5, "8", "16", "16", "", "Gen5 x8 of Gen5 x16" },
		{ 0x401, 0, 5, 5, 0, "8", "16", "", "",
			"Gen5 x8 of Gen5 x16 (slot not known)" },
		/* A galaxy whose ports can do all that its chips can, or are not known. */
		{ 0x471, 1, 4, 5, 5, "1", "16", "16", "board is Gen4 x1", NULL },
		{ 0x471, 6, 4, 5, 0, "8", "16", "", "board is Gen4 x8", NULL },
		{ 0x471, 6, 5, 5, 5, "8", "16", "16", "board is x8", NULL },
		{ 0x471, 6, 4, 5, 5, "4", "16", "16", "board is Gen4 x8",
			"Gen4 x4 of Gen4 x8 (board is Gen4 x8)" },
		{ 0x471, 6, 1, 5, 5, "8", "16", "16", "board is Gen4 x8",
			"Gen1 x8 of Gen4 x8 (board is Gen4 x8)" },
		{ 0x473, 6, 4, 5, 5, "8", "16", "16", "board is x8",
			"Gen4 x8 of Gen5 x8 (board is x8)" },
		{ 0x473, 3, 5, 5, 5, "1", "16", "1", "board is x1", NULL },
		{ 0x471, 0, 4, 5, 5, "1", "16", "16", "board is Gen4 x1", NULL },
		{ 0x471, 1, 4, 5, 5, "8", "16", "8", "board is Gen4 x8", NULL },
		{ 0x2023, 6, 5, 5, 5, "8", "16", "16", "board is x8", NULL },
		/* As an upstream snapshot has it: the link as it is, and no more. */
		{ 0x471, 6, 4, 0, 0, "8", "", "", "", NULL },
		{ 0x471, 6, 4, 0, 0, "1", "", "", "",
			"Gen4 x1 of Gen4 x8 (slot not known)" },
	};
	char text[96], words[160];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		begin(DEVICE_BLACKHOLE);
		tag(1, cases[i].id);
		tag(2, 0x1190117d);
		tag(6, 800);
		tag(52, cases[i].place);
		attr(ATTR_LINK_SPEED, gen[cases[i].gen]);
		attr(ATTR_LINK_SPEED_MAX, gen[cases[i].gen_max]);
		attr(ATTR_SLOT_SPEED_MAX, gen[cases[i].gen_slot]);
		attr(ATTR_LINK_WIDTH, cases[i].width);
		attr(ATTR_LINK_WIDTH_MAX, cases[i].width_max);
		attr(ATTR_SLOT_WIDTH_MAX, cases[i].width_slot);
		decode_snapshot(&s);
		assert_string_equal(link_limit_text(&s.link, text, sizeof(text)), cases[i].limit);
		assert_int_equal(s.link.downgraded, cases[i].words != NULL);
		assert_int_equal(has_finding("link-downgraded"), cases[i].words != NULL);
		if (!cases[i].words)
			continue;
		snprintf(words, sizeof(words), "PCIe link DOWNGRADED to %s", cases[i].words);
		assert_string_equal(s.findings[0].text, words);
	}
	assert_string_equal(link_text(32000, 16, text, sizeof(text)), "Gen5 x16");
	assert_string_equal(link_text(16500, 4, text, sizeof(text)), "16.5 GT/s x4");
	/* A Wormhole galaxy leads one lane to each chip. */
	begin(DEVICE_WORMHOLE);
	tag(1, 0x01000351);
	tag(2, 0);
	tag(6, 800);
	attr(ATTR_LINK_SPEED, gen[4]);
	attr(ATTR_LINK_SPEED_MAX, gen[4]);
	attr(ATTR_LINK_WIDTH, "1");
	attr(ATTR_LINK_WIDTH_MAX, "16");
	decode_snapshot(&s);
	assert_string_equal(link_limit_text(&s.link, text, sizeof(text)), "board is x1");
	assert_false(s.link.downgraded);
	assert_string_equal(s.board, "tt-galaxy-wh");
}

/* Screens and overview say what JSON and CSV say; what is lost is loud. */
static void a_state_has_one_word(void **state)
{
	(void)state;
	for (int h = SNAPSHOT_PENDING; h <= SNAPSHOT_GONE; h++) {
		const char *name = snapshot_health_name((enum snapshot_health)h);
		const char *word = snapshot_health_word((enum snapshot_health)h);

		assert_int_equal(strcasecmp(name, word), 0);
		assert_int_equal(strcmp(name, word) != 0, h >= SNAPSHOT_FAILED);
	}
}

static void heat_and_what_it_does_are_findings(void **state)
{
	(void)state;
	tag(11, 91u << 16 | 0x3333);
	tag(14, 800);
	tag(28, 0x13080000);
	tag(56, 90);
	tag(60, 2);
	tag(66, 4u << 16 | 800);
	decode_snapshot(&s);
	assert_int_equal(s.health, SNAPSHOT_WARN);
	assert_int_equal(s.n_findings, 3);
	assert_string_equal(s.findings[0].text,
		"chip at 91.2 °C, throttle limit 90 °C");
	assert_string_equal(s.findings[1].text, "shut down 2 times by overheating since power-on");
	assert_string_equal(s.findings[2].text, "clock held at 800 MHz (thermal)");
	expect_ok(FIELD_THROTTLE, THROTTLE_THERMAL, SOURCE_TAG);
	s.raw.tags[0].word = 89u << 16;
	s.raw.tags[4].word = 0;
	s.raw.tags[5].word = 1350;
	decode_snapshot(&s);
	assert_int_equal(s.n_findings, 0);
	expect_ok(FIELD_THROTTLE, THROTTLE_NONE, SOURCE_TAG);
	s.raw.tags[5].word = 12u << 16 | 700;
	decode_snapshot(&s);
	assert_string_equal(s.findings[0].text, "clock held at 800 MHz (unknown (12))");
}

/* Tags 70, 75 to 77 (fleet.md): why the cores are slow although nothing is hot. */
static void what_host_and_kernel_throttler_hold_down_is_named(void **state)
{
	(void)state;
	tag(5, 100);
	tag(14, 900);
	tag(66, 10u << 16 | 900);
	tag(70, 900);
	tag(75, 960u << 16 | 1);
	tag(76, 7);
	tag(77, 35);
	decode_snapshot(&s);
	expect_ok(FIELD_AICLK_HOST_LIMIT, 900, SOURCE_TAG);
	expect_ok(FIELD_KERNEL_THROTTLER, 1, SOURCE_TAG);
	expect_ok(FIELD_KERNEL_THROTTLER_STOP, 960, SOURCE_TAG);
	expect_ok(FIELD_NOP_STARTS, 7, SOURCE_TAG);
	expect_ok(FIELD_NOP_TIME, 35, SOURCE_TAG);
	assert_int_equal(s.n_findings, 2);
	assert_string_equal(s.findings[0].text, "clock held at 900 MHz (host-limit)");
	assert_string_equal(s.findings[1].id, "kernels-throttled");
	assert_string_equal(s.findings[1].text,
		"the firmware slows the cores down: idle instructions for 35 of 100 ms");
	s.raw.tags[3].word = s.raw.tags[6].word = 0;
	s.raw.tags[2].word = 1350;
	decode_snapshot(&s);
	assert_int_equal(s.n_findings, 0);
	assert_int_equal(s.r[FIELD_AICLK_HOST_LIMIT].state, READING_ABSENT);
}

/*
 * Words as firmware 19.7 gives them (tags 14, 63, 65, 66, 69): of arbiters that want the same
 * clock it names the last one, so each healthy card names one.
 */
static void why_a_chip_is_slow_is_one_line(void **state)
{
	static const struct {
		const char *name;
		uint32_t now, most, asked, allowed, rule, nops;
		const char *link;	/* lanes, of 16 */
		enum slow slow;
		const char *line;
	} cases[] = {
		{ "busy, and nothing in its way", 1350, 1350, 1u << 16 | 1350, 8u << 16 | 1350, 1, 0, "16",
			SLOW_NOT, "" },
		{ "idle", 800, 1350, 1u << 16 | 800, 8u << 16 | 1350, 1, 0, "16", SLOW_IDLE,
			"clock at 800 of 1350 MHz: idle, no program asks for more" },
		{ "idle, under a bound that is lowered", 800, 1350, 1u << 16 | 800, 4u << 16 | 1100, 1,
			0, "16", SLOW_IDLE,
			"clock at 800 of 1350 MHz: idle, no program asks for more" },
		{ "hot", 1100, 1350, 1u << 16 | 1350, 4u << 16 | 1100, 1u << 16 | 4, 0, "16", SLOW_HELD,
			"clock held at 1100 MHz (thermal)" },
		{ "power", 1200, 1350, 1u << 16 | 1350, 1u << 16 | 1200, 1u << 16 | 1, 0, "16",
			SLOW_HELD, "clock held at 1200 MHz (tdp)" },
		{ "current", 1200, 1350, 1u << 16 | 1350, 3u << 16 | 1200, 1u << 16 | 3, 0, "16",
			SLOW_HELD, "clock held at 1200 MHz (tdc)" },
		{ "the host's limit", 900, 1350, 1u << 16 | 1350, 10u << 16 | 900, 1u << 16 | 10, 0, "16",
			SLOW_HELD, "clock held at 900 MHz (host-limit)" },
		{ "forced", 1000, 1350, 1u << 16 | 1350, 8u << 16 | 1350, 4u << 16, 0, "16", SLOW_HELD,
			"clock held at 1000 MHz (forced)" },
		{ "forced to all that there is", 1350, 1350, 1u << 16 | 800, 8u << 16 | 1350, 4u << 16, 0,
			"16", SLOW_NOT, "" },
		{ "on its way up", 1000, 1350, 1u << 16 | 1350, 8u << 16 | 1350, 1, 0, "16", SLOW_UNSAID,
			"clock at 1000 of 1350 MHz: the firmware does not say why" },
		{ "a firmware without these words", 800, 1350, 0, 0, 0, 0, "16", SLOW_UNSAID,
			"clock at 800 of 1350 MHz: the firmware does not say why" },
		{ "a clock whose maximum is not known", 800, 0, 0, 0, 0, 0, "16", SLOW_NOT, "" },
		{ "a narrow link", 1350, 1350, 1u << 16 | 1350, 8u << 16 | 1350, 1, 0, "8", SLOW_HELD,
			"PCIe link DOWNGRADED to Gen5 x8 of Gen5 x16" },
		{ "all of it", 800, 1350, 1u << 16 | 1350, 5u << 16 | 800, 1u << 16 | 5, 35, "8", SLOW_HELD,
			"clock held at 800 MHz (board-power); the firmware slows the cores down: idle "
			"instructions for 35 of 100 ms; PCIe link DOWNGRADED to Gen5 x8 of Gen5 x16" },
	};
	char line[SLOW_TEXT];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		begin_bh(state);
		tag(5, 100);
		tag(11, 50u << 16);
		tag(14, cases[i].now);
		tag(63, cases[i].most);
		if (cases[i].asked) {
			tag(65, cases[i].asked);
			tag(66, cases[i].allowed);
			tag(69, cases[i].rule);
		}
		tag(77, cases[i].nops);
		attr(ATTR_LINK_SPEED, "32.0 GT/s PCIe");
		attr(ATTR_LINK_SPEED_MAX, "32.0 GT/s PCIe");
		attr(ATTR_LINK_WIDTH, cases[i].link);
		attr(ATTR_LINK_WIDTH_MAX, "16");
		attr(ATTR_SLOT_SPEED_MAX, "32.0 GT/s PCIe");
		attr(ATTR_SLOT_WIDTH_MAX, "16");
		decode_snapshot(&s);
		print_message("# %s\n", cases[i].name);
		assert_int_equal(slow_why(&s, line), cases[i].slow);
		assert_string_equal(line, cases[i].line);
	}
}

static void what_is_slow_and_busy_is_another_case_than_slow_and_idle(void **state)
{
	static const struct {
		uint32_t now, asked, allowed;
		struct busy_shares busy;
		enum slow slow;
		const char *line;
	} cases[] = {
		{ 1100, 1350, 1100, { 97500, 40000 }, SLOW_HELD,
			"clock held at 1100 MHz (thermal); busy 97.5 %; busy cores 40.0 %" },
		{ 800, 800, 1350, { 0, 0 }, SLOW_IDLE, "clock at 800 of 1350 MHz: idle, no "
			"program asks for more; busy 0.0 %; busy cores 0.0 %" },
		{ 800, 800, 1350, { 60000, 2000 }, SLOW_UNASKED, "clock at 800 of 1350 MHz: no "
			"program asks for more, but its cores work; busy 60.0 %; busy cores 2.0 %" },
		{ 1000, 1350, 1350, { 60000, 2000 }, SLOW_UNSAID, "clock at 1000 of 1350 MHz: the "
			"firmware does not say why; busy 60.0 %; busy cores 2.0 %" },
		{ 1350, 1350, 1350, { 97500, 40000 }, SLOW_NOT, "" },
	};
	char line[SLOW_TEXT];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		begin_bh(state);
		tag(14, cases[i].now);
		tag(63, 1350);
		tag(65, 1u << 16 | cases[i].asked);
		tag(66, 4u << 16 | cases[i].allowed);
		tag(69, 1u << 16 | 4);
		decode_snapshot(&s);
		decode_put_busy(&s, BUSY_COUNTERS, &cases[i].busy);
		assert_int_equal(slow_why(&s, line), cases[i].slow);
		assert_string_equal(line, cases[i].line);
	}
}

static void broken_memory_is_named_by_channel_and_module(void **state)
{
	(void)state;
	s.index = 4;
	tag(36, 0xff);
	tag(22, 0x5565);
	tag(50, 0x6);
	decode_snapshot(&s);
	assert_string_equal(s.findings[0].text,
		"memory channel 2 not trained");
	assert_string_equal(s.findings[1].text, "uncorrected errors in memory modules 0 and 1");
	tag(47, 0x03000100);	/* a few corrected errors are no finding */
	decode_snapshot(&s);
	assert_int_equal(s.n_findings, 2);
	expect_ok(FIELD_GDDR_CORR_ERRS + 5, 1, SOURCE_TAG);	/* module 2, write */
	expect_ok(FIELD_GDDR_CORR_ERRS + 7, 3, SOURCE_TAG);	/* module 3, write */
	s.raw.tags[1].word = 0x1564;
	decode_snapshot(&s);
	assert_string_equal(s.findings[0].text,
		"memory channels 0, 2 and 7 not trained");
}

static void corrected_errors_that_stopped_at_255_are_a_finding(void **state)
{
	(void)state;
	tag(6, 800);
	tag(47, 0x00fe0000);	/* module 3, read: one less */
	decode_snapshot(&s);
	assert_int_equal(s.health, SNAPSHOT_OK);
	s.raw.tags[1].word = 0xffff0000;	/* module 3, read and write */
	decode_snapshot(&s);
	assert_int_equal(s.health, SNAPSHOT_WARN);
	assert_string_equal(s.findings[0].id, "gddr-corrected");
	assert_string_equal(s.findings[0].text,
		"255 or more corrected errors in memory module 3");
	tag(46, 0xffffffff);
	decode_snapshot(&s);
	assert_string_equal(s.findings[0].text,
		"255 or more corrected errors in memory modules 0, 1 and 3");
}

static void a_silent_ethernet_channel_is_missed_a_port_without_a_cable_is_not(void **state)
{
	(void)state;
	tag(28, 0x13090000);
	tag(35, 0x3edf);
	tag(21, 0x00003edf);	/* all alive, no link up */
	decode_snapshot(&s);
	assert_int_equal(s.health, SNAPSHOT_OK);
	s.raw.tags[2].word = 0x00003edb;
	decode_snapshot(&s);
	assert_string_equal(s.findings[0].text, "ethernet channel 2 down: no heartbeat");
	s.raw.tags[2].word = 0;		/* firmware that does not tell */
	decode_snapshot(&s);
	assert_int_equal(s.n_findings, 0);
}

/* Two of a Blackhole's fourteen are spare: which, only its firmware knows. */
static void a_channel_is_not_missed_where_it_may_be_a_spare_one(void **state)
{
	(void)state;
	tag(28, 0x13090000);
	tag(21, 0x00003edf);
	decode_snapshot(&s);
	assert_int_equal(s.n_findings, 0);
	tag(35, 0xffffffff);
	decode_snapshot(&s);
	for (size_t i = 0; i < s.n_findings; i++)
		assert_string_not_equal(s.findings[i].id, "eth");
}

/* Words of a p150a, unless `board` is another one's, and what they mean together. */
static void what_a_gate_must_know_is_found(void **state)
{
	static const struct {
		uint16_t board;
		struct raw_tag word[5];
		const char *id, *text;		/* NULL: nothing is wrong */
	} cases[] = {
		{ 0x401, { { 31, 100 }, { 41, 0 } }, "fan", "fan stands" },
		{ 0x401, { { 31, 0 }, { 41, 0 } }, NULL, NULL },
		{ 0x401, { { 31, 35 }, { 41, 1700 } }, NULL, NULL },
		{ 0x411, { { 31, 35 }, { 41, 0 } }, NULL, NULL },	/* p150b: no fan */
		{ 0x401, { { 51, 89 } }, "gddr-hot", "memory at 89 °C, throttle limit 89 °C" },
		{ 0x401, { { 44, 90u << 16 } }, "gddr-hot", "memory at 90 °C" },
		{ 0x401, { { 51, 88 } }, NULL, NULL },
		{ 0x401, { { 7, 165 }, { 64, 150 } }, "over-power", "power of 165.0 W" },
		{ 0x401, { { 7, 164 }, { 64, 150 } }, NULL, NULL },
		{ 0x401, { { 22, 0x55455555 } }, "dram-test", "memory channel 2 failed" },
		{ 0x401, { { 22, 0x55515551 } }, "dram", "memory channel 1 not trained" },
		{ 0x431, { { 22, 0x55515551 } }, NULL, NULL },		/* p100a: one is off */
		{ 0x431, { { 22, 0x55555555 } }, "dram", "this board has 7" },
		{ 0x401, { { 22, 0 }, { 21, 0 }, { 35, 0x3edf }, { 36, 0xff } },
			"power-cable", "power cable" },
		{ 0x401, { { 22, 0 }, { 21, 0x3edf }, { 35, 0x3edf }, { 36, 0xff } },
			"dram", "not trained" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		begin(DEVICE_BLACKHOLE);
		tag(1, cases[i].board);
		tag(2, 0x119ae6f0);
		tag(28, 0x130d0000);
		for (size_t k = 0; k < 5 && cases[i].word[k].tag; k++)
			tag(cases[i].word[k].tag, cases[i].word[k].word);
		decode_snapshot(&s);
		if (s.n_findings != (cases[i].id != NULL))
			fail_msg("case %zu: %zu findings: %s", i, s.n_findings,
				s.n_findings ? s.findings[0].text : "");
		if (!cases[i].id)
			continue;
		assert_string_equal(s.findings[0].id, cases[i].id);
		if (!strstr(s.findings[0].text, cases[i].text))
			fail_msg("case %zu: %s", i, s.findings[0].text);
	}
}

/* An n300's ports 8 and 9 lead to its own second chip; one without any link may not report them. */
static void a_wire_of_the_board_is_never_without_a_cable(void **state)
{
	static const struct {
		uint32_t links;
		const char *text;
	} cases[] = {
		{ 0x03c0, NULL }, { 0x01c0, "on wired ethernet channel 9" },
		{ 0x00c0, "on wired ethernet channels 8 and 9" }, { 0, NULL }
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		begin(DEVICE_WORMHOLE);
		tag(1, 0x141);
		tag(2, 0x11711060);
		tag(28, 0x130b0000);
		tag(21, cases[i].links << 16 | 0xffff);
		decode_snapshot(&s);
		assert_int_equal(s.n_findings, cases[i].text != NULL);
		if (cases[i].text && !strstr(s.findings[0].text, cases[i].text))
			fail_msg("%s", s.findings[0].text);
	}
}

/* 80.x came before 18. */
static void bundles_are_compared_by_age(void **state)
{
	(void)state;
	assert_true(bundle_order(0x50110000) < bundle_order(0x12020000));
	assert_true(bundle_order(0x50110000) < bundle_order(0x50120000));
	assert_true(bundle_order(0x12020000) < bundle_order(0x130b0000));
}

static void why_a_sample_failed_is_the_reason(void **state)
{
	(void)state;
	s.raw.sample_error = (struct error){ .code = -ENODEV, .text = "off the PCI bus" };
	decode_snapshot(&s);
	assert_int_equal(s.health, SNAPSHOT_FAILED);
	assert_string_equal(s.reason, "off the PCI bus");
	begin(DEVICE_BLACKHOLE);
	decode_snapshot(&s);
	assert_int_equal(s.health, SNAPSHOT_FAILED);
	assert_string_equal(s.reason, "no telemetry could be read");
	begin(DEVICE_UNKNOWN);
	decode_snapshot(&s);
	assert_int_equal(s.health, SNAPSHOT_FAILED);
}

static void why_the_tables_were_not_read_is_a_note_or_a_finding(void **state)
{
	(void)state;
	attr(ATTR_HWMON_VCORE, "800");
	s.raw.table_error = (struct error){ .code = -EACCES, .text = "not ours to open" };
	decode_snapshot(&s);
	assert_int_equal(s.health, SNAPSHOT_OK);
	assert_string_equal(s.note, "not ours to open");
	expect_state(FIELD_BOARD_POWER, READING_ABSENT);
	s.raw.table_error = (struct error){ .code = -EIO, .text = "reading: EIO" };
	decode_snapshot(&s);
	assert_int_equal(s.health, SNAPSHOT_WARN);
	assert_true(has_finding("tables"));
	expect_state(FIELD_BOARD_POWER, READING_FAILED);
	expect_ok(FIELD_VCORE, 800, SOURCE_HWMON);
	/* Left alone on purpose, and nothing else to show: no failure. */
	begin(DEVICE_GRAYSKULL);
	s.raw.table_error = (struct error){ .code = -ECANCELED, .text = "only with --remote" };
	decode_snapshot(&s);
	assert_int_equal(s.health, SNAPSHOT_NOT_READ);
	assert_string_equal(s.reason, "no readings in sysfs, and only with --remote");
}

static void decoding_twice_is_decoding_once(void **state)
{
	static struct snapshot first;

	(void)state;
	tag(1, 0x403);
	tag(2, 0x31921011);
	tag(6, 864);
	tag(11, 95u << 16);
	tag(56, 90);
	decode_snapshot(&s);
	first = s;
	decode_snapshot(&s);
	assert_memory_equal(&first, &s, sizeof(s));
}

static void unknown_tags_and_repeated_ones_do_no_harm(void **state)
{
	(void)state;
	tag(0xffff, 1);
	tag(200, 2);
	tag(6, 800);
	tag(6, 900);
	tag(0, 3);
	while (s.raw.n_tags < RAW_TAGS)
		tag(199, 0);
	decode_snapshot(&s);
	expect_ok(FIELD_VCORE, 800, SOURCE_TAG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_real_p150a_reads_as_upstream_printed_it, begin_bh),
		cmocka_unit_test_setup(a_real_n300_reads_as_upstream_printed_it, begin_bh),
		cmocka_unit_test_setup(temperatures_are_signed_16_16, begin_bh),
		cmocka_unit_test(a_state_has_one_word),
		cmocka_unit_test_setup(
			the_garbage_that_real_boards_gave_is_implausible_and_kept, begin_bh),
		cmocka_unit_test_setup(all_ones_in_these_words_means_there_is_none, begin_bh),
		cmocka_unit_test_setup(a_chip_that_answers_all_ones_has_failed, begin_bh),
		cmocka_unit_test_setup(fans_are_one_word_or_two_halves_by_firmware, begin_bh),
		cmocka_unit_test_setup(ethernet_bits_mean_what_this_firmware_means, begin_bh),
		cmocka_unit_test_setup(the_power_limit_of_blackhole_is_trusted_from_19_8, begin_bh),
		cmocka_unit_test_setup(the_highest_clock_of_18_4_is_in_the_legacy_word, begin_bh),
		cmocka_unit_test_setup(a_believable_source_wins_over_an_impossible_one, begin_bh),
		cmocka_unit_test_setup(memory_is_good_when_every_channel_in_use_is, begin_bh),
		cmocka_unit_test_setup(a_board_with_a_channel_less_is_well_with_seven, begin_bh),
		cmocka_unit_test_setup(older_memory_words_have_four_bits_a_channel, begin_bh),
		cmocka_unit_test_setup(versions_have_the_packing_of_their_chip, begin_bh),
		cmocka_unit_test_setup(
			the_legacy_bundle_counts_from_the_firmware_that_has_it, begin_bh),
		cmocka_unit_test_setup(a_4u_module_has_its_bundle_in_the_tt_flash_slot, begin_bh),
		cmocka_unit_test_setup(sysfs_and_hwmon_fill_what_the_tables_do_not_give, begin_bh),
		cmocka_unit_test_setup(what_sysfs_says_of_a_dead_card_is_never_shown, begin_bh),
		cmocka_unit_test_setup(
			a_missing_file_is_absent_and_a_failing_one_has_failed, begin_bh),
		cmocka_unit_test_setup(
			a_board_is_known_by_id_by_name_or_by_its_subsystem, begin_bh),
		cmocka_unit_test_setup(a_link_is_compared_with_what_it_could_be, begin_bh),
		cmocka_unit_test_setup(a_link_is_compared_with_card_slot_and_board, begin_bh),
		cmocka_unit_test_setup(heat_and_what_it_does_are_findings, begin_bh),
		cmocka_unit_test_setup(what_host_and_kernel_throttler_hold_down_is_named, begin_bh),
		cmocka_unit_test(why_a_chip_is_slow_is_one_line),
		cmocka_unit_test(what_is_slow_and_busy_is_another_case_than_slow_and_idle),
		cmocka_unit_test_setup(broken_memory_is_named_by_channel_and_module, begin_bh),
		cmocka_unit_test_setup(
			corrected_errors_that_stopped_at_255_are_a_finding, begin_bh),
		cmocka_unit_test_setup(
			a_silent_ethernet_channel_is_missed_a_port_without_a_cable_is_not,
			begin_bh),
		cmocka_unit_test_setup(
			a_channel_is_not_missed_where_it_may_be_a_spare_one, begin_bh),
		cmocka_unit_test_setup(why_a_sample_failed_is_the_reason, begin_bh),
		cmocka_unit_test(what_a_gate_must_know_is_found),
		cmocka_unit_test(a_wire_of_the_board_is_never_without_a_cable),
		cmocka_unit_test(bundles_are_compared_by_age),
		cmocka_unit_test_setup(
			why_the_tables_were_not_read_is_a_note_or_a_finding, begin_bh),
		cmocka_unit_test_setup(decoding_twice_is_decoding_once, begin_bh),
		cmocka_unit_test_setup(unknown_tags_and_repeated_ones_do_no_harm, begin_bh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

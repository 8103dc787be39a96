/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of quantities, how values are written, the tables of boards, tags and chips. */
#include "config.h"
#include "base/mem.h"
#include "base/json.h"
#include "telemetry/chip/chip.h"
#include "telemetry/field.h"
#include "telemetry/identity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static size_t cells(const char *text)	/* of UTF-8 without wide characters */
{
	size_t n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

static bool power_of_ten(int32_t scale)
{
	while (scale > 1 && scale % 10 == 0)
		scale /= 10;
	return scale == 1;
}

static void every_row_is_filled_and_every_key_is_unique(void **state)
{
	(void)state;
	for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++) {
		const struct field *f = &fields[id];

		assert_non_null(f->key);
		assert_true(*f->key && *f->title && *f->brief && *f->help);
		assert_non_null(f->unit);
		assert_true(power_of_ten(f->scale));
		assert_true(f->group < FIELD_GROUPS);
		assert_true(f->low <= f->high);
		assert_int_equal(f->help[strlen(f->help) - 1], '.');
		assert_true(cells(f->brief) <= 9);
		assert_null(strstr(f->key, "board_type"));
		assert_int_equal(strspn(f->key, "abcdefghijklmnopqrstuvwxyz0123456789_"),
			strlen(f->key));
		assert_int_equal(field_find(f->key), id);
	}
	assert_int_equal(field_find("no_such_field"), FIELD_NONE);
	assert_int_equal(field_find(""), FIELD_NONE);
}

static void titles_are_unique_because_they_head_columns(void **state)
{
	(void)state;
	for (enum field_id a = FIELD_NONE + 1; a < FIELD_COUNT; a++)
		for (enum field_id b = a + 1; b < FIELD_COUNT; b++)
			assert_string_not_equal(fields[a].title, fields[b].title);
}

static void any_plausible_value_fits_its_width(void **state)
{
	char text[64];

	(void)state;
	for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++) {
		const int64_t ends[] = { fields[id].low, fields[id].high };

		for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
			struct reading r = { .state = READING_OK, .value = ends[i] };

			if (id == FIELD_THROTTLE)
				r.value = THROTTLE_DOPPLER_CRITICAL;
			field_text(id, &r, text, sizeof(text));
			if (cells(text) > fields[id].width)
				fail_msg("%s: \"%s\" in %d cells", fields[id].key, text,
					fields[id].width);
		}
	}
}

static void limits_point_at_limits_of_the_same_unit(void **state)
{
	(void)state;
	for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++) {
		enum field_id limit = fields[id].limit;

		if (limit == FIELD_NONE)
			continue;
		assert_int_equal(fields[limit].group, FIELD_GROUP_LIMIT);
		assert_string_equal(fields[limit].unit, fields[id].unit);
		assert_int_equal(fields[limit].scale, fields[id].scale);
	}
	assert_int_equal(fields[FIELD_ASIC_TEMP].limit, FIELD_THROTTLE_TEMP);
}

static void the_first_columns_of_a_dump_are_named_as_the_guide_names_them(void **state)
{
	static const struct {
		enum field_id id;
		const char *column;
	} guide[] = {
		{ FIELD_VCORE, "Core Voltage (V)" }, { FIELD_AICLK, "AICLK (MHz)" },
		{ FIELD_ARCCLK, "ARCCLK (MHz)" }, { FIELD_AXICLK, "AXICLK (MHz)" },
		{ FIELD_CURRENT, "Core Current (A)" }, { FIELD_POWER, "Core Power (W)" },
		{ FIELD_ASIC_TEMP, "Core Temp (°C)" }, { FIELD_VREG_TEMP, "VREG Temp (°C)" },
		{ FIELD_INLET_TEMP, "Inlet Temp (°C)" },
		{ FIELD_OUTLET_TEMP1, "Outlet Temp 1 (°C)" },
		{ FIELD_OUTLET_TEMP2, "Outlet Temp 2 (°C)" },
	};
	char text[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(guide); i++) {
		snprintf(text, sizeof(text), "%s (%s)", fields[guide[i].id].title,
			fields[guide[i].id].unit);
		assert_string_equal(text, guide[i].column);
	}
}

static void upstream_names_are_kept_where_there_are_any(void **state)
{
	static const char *const keys[] = { "voltage", "current", "power", "board_power", "aiclk",
		"asic_temperature", "heartbeat", "vdd_min", "vdd_max", "tdp_limit", "tdc_limit",
		"asic_fmax", "board_power_limit", "fw_bundle_version", "tt_flash_version", "cm_fw",
		"cm_fw_date", "eth_fw", "dm_bl_fw", "dm_app_fw", "gddr_fw", "board_id",
		"dram_status", "dram_speed" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (field_find(keys[i]) == FIELD_NONE)
			fail_msg("%s", keys[i]);
}

static void engineering_data_is_raw_words_chip_ids_and_arbiters(void **state)
{
	(void)state;
	for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++) {
		bool raw = fields[id].group == FIELD_GROUP_RAW ||
			   fields[id].group == FIELD_GROUP_CLOCK;

		if (raw)
			assert_true(fields[id].engineering);
		if (fields[id].group == FIELD_GROUP_TELEMETRY ||
			fields[id].group == FIELD_GROUP_LIMIT ||
			fields[id].group == FIELD_GROUP_FIRMWARE)
			assert_false(fields[id].engineering);
	}
	assert_true(fields[FIELD_ASIC_ID].engineering);
	assert_true(fields[FIELD_ASIC_ID_SHORT].engineering);
	assert_true(fields[FIELD_GDDR_STATUS_WORD].engineering);
	assert_false(fields[FIELD_BOARD_ID].engineering);
}

static void values_are_written_as_people_read_them(void **state)
{
	static const struct {
		enum field_id id;
		int64_t value;
		const char *text;
	} cases[] = {
		{ FIELD_VCORE, 864, "0.86" }, { FIELD_VCORE, 795, "0.80" },
		{ FIELD_ASIC_TEMP, 63351, "63.4" },
		{ FIELD_ASIC_TEMP, -40, "0.0" }, { FIELD_ASIC_TEMP, -50, "-0.1" },
		{ FIELD_ASIC_TEMP, -12340, "-12.3" }, { FIELD_VREG_TEMP, 42500, "42" },
		{ FIELD_FAN_RPM, 2758, "2758" }, { FIELD_TENSIX_COLS, 0x3fff, "0x3fff" },
		{ FIELD_BOARD_ID, 0x010001461192717d, "010001461192717d" },
		{ FIELD_BOARD_ID, -2, "fffffffffffffffe" },
		{ FIELD_FW_BUNDLE, 0x13060000, "19.6.0.0" },
		{ FIELD_DM_BL_FW, 0x81020000, "129.2.0.0" },
		{ FIELD_ETH_FW, 7 << 20 | 5 << 12, "7.5.0" },
		{ FIELD_ETH_FW, 255 << 20 | 15 << 12 | 4095, "255.15.4095" },
		{ FIELD_GDDR_FW, 0x20009, "2.9" },
		{ FIELD_FW_DATE, 0x620b1318, "2026-02-11 19:24" }, { FIELD_DRAM_STATUS, 1, "yes" },
		{ FIELD_DRAM_STATUS, 0, "no" }, { FIELD_THROTTLE, THROTTLE_THERMAL, "thermal" },
		{ FIELD_THROTTLE, 12, "unknown (12)" }, { FIELD_PCIE_RX, 63000000000, "63000.0" },
	};
	struct strbuf b = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		b.len = 0;
		field_put_value(cases[i].id, cases[i].value, &b);
		assert_string_equal(b.text, cases[i].text);
	}
	strbuf_clear(&b);
}

/* Every value in steps of the table, on the screen and under upstream's keys. */
static void screen_and_json_round_alike(void **state)
{
	static const enum field_id ids[] = { FIELD_ASIC_TEMP, FIELD_VREG_TEMP, FIELD_VCORE,
		FIELD_POWER };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
		const struct field *f = &fields[ids[i]];

		for (int64_t v = 0; v < 150000; v += 5) {
			struct strbuf screen = { 0 }, json = { 0 };
			struct json_out j;

			field_put_value(ids[i], v, &screen);
			json_out_init(&j, &json, true);
			json_fixed(&j, NULL, v, f->scale, f->decimals, 0);
			if (json.len < 3 || screen.len != json.len - 2 ||
				memcmp(json.text + 1, screen.text, screen.len) != 0)
				fail_msg("%s on the screen, %s in JSON", screen.text, json.text);
			strbuf_clear(&screen);
			strbuf_clear(&json);
		}
	}
}

static void a_reading_without_a_value_says_why(void **state)
{
	static const struct {
		enum reading_state state;
		const char *text;
	} cases[] = {
		{ READING_ABSENT, "-" }, { READING_OK, "71.5" }, { READING_FAILED, "err" },
		{ READING_IMPLAUSIBLE, "?" }, { READING_STALE, "71.5" },
		{ READING_UNJUDGED, "..." },
	};
	char text[16];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct reading r = { .state = (uint8_t)cases[i].state, .value = 71500 };

		assert_string_equal(field_text(FIELD_ASIC_TEMP, &r, text, sizeof(text)),
			cases[i].text);
		assert_int_equal(reading_has_value(&r), strcmp(cases[i].text, "71.5") == 0);
	}
}

/* --query has both, by key. */
static void no_identity_is_named_like_a_field(void **state)
{
	(void)state;
	for (int i = 0; i < IDENTITIES; i++) {
		assert_int_equal(field_find(identities[i].key), FIELD_NONE);
		assert_true(strlen(identities[i].help) > 0);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(identities[i].key, identities[k].key);
	}
}

static void an_identity_that_is_not_known_is_empty(void **state)
{
	struct snapshot s = { .index = 2, .local = -1, .node = -1, .numa_node = -1 };
	char text[IDENTITY_TEXT];

	(void)state;
	assert_string_equal(identity_text(IDENTITY_INDEX, &s, text, sizeof(text)), "2");
	for (int i = IDENTITY_SERIAL; i < IDENTITIES; i++)
		assert_string_equal(identity_text((enum identity_id)i, &s, text, sizeof(text)), "");
	s.node = 0;
	s.tray = 3;
	s.place = 8;
	s.link = (struct snapshot_link){ .known = true, .speed = 16000, .width = 4,
		.speed_best = 32000, .width_best = 8 };
	assert_string_equal(identity_text(IDENTITY_NODE, &s, text, sizeof(text)),
		"/dev/tenstorrent/0");
	assert_string_equal(identity_text(IDENTITY_TRAY, &s, text, sizeof(text)), "UBB3");
	assert_string_equal(identity_text(IDENTITY_POSITION, &s, text, sizeof(text)), "U8");
	assert_string_equal(identity_text(IDENTITY_PCIE_GEN, &s, text, sizeof(text)), "4");
	assert_string_equal(identity_text(IDENTITY_PCIE_WIDTH_MAX, &s, text, sizeof(text)), "8");
	s.link.stale = true;
	assert_string_equal(identity_text(IDENTITY_PCIE_GEN, &s, text, sizeof(text)), "");
}

static void load_is_percent_of_the_limit_or_unknown(void **state)
{
	struct reading r[FIELD_COUNT] = { 0 };

	(void)state;
	assert_int_equal(field_load(FIELD_POWER, r), -1);
	r[FIELD_POWER] = (struct reading){ .state = READING_OK, .value = 58000 };
	assert_int_equal(field_load(FIELD_POWER, r), -1);
	r[FIELD_POWER_LIMIT] = (struct reading){ .state = READING_OK, .value = 150000 };
	assert_int_equal(field_load(FIELD_POWER, r), 38);
	r[FIELD_POWER_LIMIT].value = 0;
	assert_int_equal(field_load(FIELD_POWER, r), -1);
	assert_int_equal(field_load(FIELD_FAN_RPM, r), -1);
}

/* Values in m°C, a limit of 90 °C; a burn may be near its limit, but not far above it. */
static void a_level_depends_on_who_asks(void **state)
{
	static const struct {
		enum field_use use;
		int64_t value;
		enum field_level level;
	} cases[] = {
		{ FIELD_USE_SHOWN, -5000, FIELD_LEVEL_FINE },
		{ FIELD_USE_SHOWN, 80999, FIELD_LEVEL_FINE },
		{ FIELD_USE_SHOWN, 81000, FIELD_LEVEL_WARM },
		{ FIELD_USE_SHOWN, 85500, FIELD_LEVEL_HIGH },
		{ FIELD_USE_SHOWN, 89999, FIELD_LEVEL_HIGH },
		{ FIELD_USE_SHOWN, 90000, FIELD_LEVEL_OVER },
		{ FIELD_USE_BURN, 87999, FIELD_LEVEL_FINE },
		{ FIELD_USE_BURN, 88000, FIELD_LEVEL_HIGH },
		{ FIELD_USE_BURN, 92999, FIELD_LEVEL_HIGH },
		{ FIELD_USE_BURN, 93000, FIELD_LEVEL_OVER },
	};
	struct reading r[FIELD_COUNT] = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		r[FIELD_THROTTLE_TEMP].state = READING_ABSENT;
		r[FIELD_ASIC_TEMP] = (struct reading){ .state = READING_OK,
			.value = cases[i].value };
		assert_int_equal(field_level_now(cases[i].use, FIELD_ASIC_TEMP, r),
			FIELD_LEVEL_FINE);
		r[FIELD_THROTTLE_TEMP] = (struct reading){ .state = READING_STALE,
			.value = 90000 };
		assert_int_equal(field_level_now(cases[i].use, FIELD_ASIC_TEMP, r),
			cases[i].level);
		r[FIELD_ASIC_TEMP].state = READING_STALE;
		assert_int_equal(field_level_now(cases[i].use, FIELD_ASIC_TEMP, r),
			FIELD_LEVEL_FINE);
	}
}

static void boards_are_found_by_id_and_by_either_name(void **state)
{
	const struct board *b = board_find(board_upi(0x0000040331921011));

	(void)state;
	assert_string_equal(b->name, "p150a");
	assert_string_equal(board_find(board_upi(0x010001461192717d))->name, "n300");
	assert_int_equal(board_find_name("galaxy-wormhole")->upi, 0x35);
	assert_int_equal(board_find_name("tt-galaxy-wh")->asics, 32);
	assert_false(board_find_name("wh_4u")->resettable);
	assert_null(board_find(0x38));
	assert_null(board_find_name("unknown"));
}

static void every_tag_has_a_name_in_its_place(void **state)
{
	(void)state;
	assert_in_range(tag_names_len, 80, 255);
	for (uint16_t tag = 1; tag <= tag_names_len; tag++) {
		assert_int_equal(tag_find(tag)->tag, tag);
		assert_int_equal(tag_find_name(tag_find(tag)->name), tag);
	}
	assert_null(tag_find(0));
	assert_null(tag_find((uint16_t)(tag_names_len + 1)));
	assert_int_equal(tag_find_name("DDR_STATUS"), 22);
	assert_int_equal(tag_find_name("SMBUS_TX_DDR_SPEED"), 23);
	assert_int_equal(tag_find_name("NUMBER_OF_TAGS"), 69);
	assert_int_equal(tag_find_name("SMBUS_TX_M3_APP_FW_VERSION"), 26);
	assert_int_equal(tag_find_name("NONSENSE"), -1);
}

static bool has_row(const struct chip *chip, enum chip_table t, unsigned key)
{
	for (const struct decode *row = chip_rows(chip, t); row->field != FIELD_NONE; row++)
		if (row->key == key)
			return true;
	return false;
}

static void every_tag_and_every_legacy_word_has_a_row(void **state)
{
	(void)state;
	for (unsigned tag = 1; tag <= tag_names_len; tag++) {
		bool common = has_row(&chip_wormhole, CHIP_COMMON_TAGS, tag);

		assert_true(common || has_row(&chip_wormhole, CHIP_TAGS, tag));
		assert_true(common || has_row(&chip_blackhole, CHIP_TAGS, tag));
	}
	assert_int_equal(chip_wormhole.n_legacy, 50);
	assert_int_equal(chip_grayskull.n_legacy, 40);
	for (enum device_chip c = DEVICE_UNKNOWN + 1; c < DEVICE_CHIPS; c++) {
		const struct chip *chip = chip_find(c);

		assert_int_equal(chip->id, c);
		for (unsigned i = 0; i < chip->n_legacy; i++) {
			assert_true(has_row(chip, CHIP_LEGACY, i));
			assert_int_equal(chip_legacy_find(chip, chip->legacy_names[i]), i);
		}
	}
	assert_null(chip_find(DEVICE_UNKNOWN));
	assert_int_equal(chip_legacy_find(&chip_wormhole, "SMBUS_TX_M3_BL_FW_VERSION"), 12);
	assert_int_equal(chip_legacy_find(&chip_wormhole, "AICLK"), 24);
	assert_int_equal(chip_legacy_find(&chip_wormhole, "NONSENSE"), -1);
}

static void a_row_is_a_chip_s_own_or_common_to_all_but_never_both(void **state)
{
	static const enum chip_table pairs[][2] = {
		{ CHIP_COMMON_TAGS, CHIP_TAGS }, { CHIP_COMMON_ATTRS, CHIP_ATTRS },
	};

	(void)state;
	for (enum device_chip c = DEVICE_UNKNOWN + 1; c < DEVICE_CHIPS; c++)
		for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
			const struct decode *a = chip_rows(chip_find(c), pairs[i][0]);

			for (; a->field != FIELD_NONE; a++)
				for (const struct decode *b = chip_rows(chip_find(c), pairs[i][1]);
					b->field != FIELD_NONE; b++)
					assert_true(a->field != b->field);
		}
}

static void both_halves_of_an_id_stand_together(void **state)
{
	(void)state;
	for (enum device_chip c = DEVICE_UNKNOWN + 1; c < DEVICE_CHIPS; c++)
		for (enum chip_table t = 0; t < CHIP_TABLES; t++)
			for (const struct decode *r = chip_rows(chip_find(c), t);
				r->field != FIELD_NONE; r++)
				if (r->kind == DECODE_HIGH64) {
					assert_int_equal(r[1].kind, DECODE_LOW64);
					assert_int_equal(r[1].field, r->field);
				}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_is_filled_and_every_key_is_unique),
		cmocka_unit_test(titles_are_unique_because_they_head_columns),
		cmocka_unit_test(any_plausible_value_fits_its_width),
		cmocka_unit_test(limits_point_at_limits_of_the_same_unit),
		cmocka_unit_test(the_first_columns_of_a_dump_are_named_as_the_guide_names_them),
		cmocka_unit_test(upstream_names_are_kept_where_there_are_any),
		cmocka_unit_test(engineering_data_is_raw_words_chip_ids_and_arbiters),
		cmocka_unit_test(values_are_written_as_people_read_them),
		cmocka_unit_test(screen_and_json_round_alike),
		cmocka_unit_test(a_reading_without_a_value_says_why),
		cmocka_unit_test(no_identity_is_named_like_a_field),
		cmocka_unit_test(an_identity_that_is_not_known_is_empty),
		cmocka_unit_test(load_is_percent_of_the_limit_or_unknown),
		cmocka_unit_test(a_level_depends_on_who_asks),
		cmocka_unit_test(boards_are_found_by_id_and_by_either_name),
		cmocka_unit_test(every_tag_has_a_name_in_its_place),
		cmocka_unit_test(every_tag_and_every_legacy_word_has_a_row),
		cmocka_unit_test(a_row_is_a_chip_s_own_or_common_to_all_but_never_both),
		cmocka_unit_test(both_halves_of_an_id_stand_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

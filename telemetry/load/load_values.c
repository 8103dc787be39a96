/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load_values.c - values as a snapshot file prints them: our typed readings,
 * which lose nothing, and upstream's rounded strings.
 */
#include "config.h"
#include "telemetry/load/load_chip.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/parse.h"
#include "telemetry/chip/chip.h"
#include "telemetry/decode.h"

#include <stdio.h>
#include <string.h>

/* Section and key where upstream prints a reading; the first key present in the file counts. */
static const struct printed {
	const char *section, *key;
	enum field_id id;
} printed[] = {
	{ "telemetry", "voltage", FIELD_VCORE },
	{ "telemetry", "current", FIELD_CURRENT },
	{ "telemetry", "power", FIELD_POWER },
	{ "telemetry", "board_power", FIELD_BOARD_POWER },
	{ "telemetry", "aiclk", FIELD_AICLK },
	{ "telemetry", "asic_temperature", FIELD_ASIC_TEMP },
	{ "limits", "vdd_min", FIELD_VDD_MIN },
	{ "limits", "vdd_max", FIELD_VDD_MAX },
	{ "limits", "tdp_limit", FIELD_POWER_LIMIT },
	{ "limits", "tdc_limit", FIELD_CURRENT_LIMIT },
	{ "limits", "asic_fmax", FIELD_AICLK_LIMIT },
	{ "limits", "therm_trip_l1_limit", FIELD_SHUTDOWN_TEMP },
	{ "limits", "thm_limit", FIELD_THROTTLE_TEMP },
	{ "limits", "board_power_limit", FIELD_BOARD_POWER_LIMIT },
	{ "firmwares", "fw_bundle_version", FIELD_FW_BUNDLE },
	{ "firmwares", "tt_flash_version", FIELD_TT_FLASH },
	{ "firmwares", "cm_fw", FIELD_CM_FW },
	{ "firmwares", "arc_fw", FIELD_CM_FW },
	{ "firmwares", "cm_fw_date", FIELD_FW_DATE },
	{ "firmwares", "arc_fw_date", FIELD_FW_DATE },
	{ "firmwares", "eth_fw", FIELD_ETH_FW },
	{ "firmwares", "dm_bl_fw", FIELD_DM_BL_FW },
	{ "firmwares", "bm_bl_fw", FIELD_DM_BL_FW },
	{ "firmwares", "m3_bl_fw", FIELD_DM_BL_FW },
	{ "firmwares", "dm_app_fw", FIELD_DM_APP_FW },
	{ "firmwares", "bm_app_fw", FIELD_DM_APP_FW },
	{ "firmwares", "m3_app_fw", FIELD_DM_APP_FW },
	{ "firmwares", "gddr_fw", FIELD_GDDR_FW },
};

static bool parse_version3(const char *text, int64_t *out)
{
	unsigned a, b, c;
	char more;

	if (sscanf(text, "%3u.%3u.%4u%c", &a, &b, &c, &more) != 3 || a > 255 || b > 255 || c > 4095)
		return false;
	*out = (int64_t)a << 20 | (int64_t)b << 12 | c;
	return true;
}

static bool parse_version2(const char *text, int64_t *out)
{
	const char *dot = strchr(text, '.');
	uint64_t high, low;
	char first[12];

	if (!dot || (size_t)(dot - text) >= sizeof(first))
		return false;
	snprintf(first, sizeof(first), "%.*s", (int)(dot - text), text);
	if (!parse_u64(first, &high) || !parse_u64(dot + 1, &low) || high > 65535 || low > 65535)
		return false;
	*out = (int64_t)(high << 16 | low);
	return true;
}

/* "2026-02-11" with or without " 13:45". */
static bool parse_date(const char *text, int64_t *out)
{
	unsigned y, mo, d, h = 0, mi = 0;
	int n = sscanf(text, "%4u-%2u-%2u %2u:%2u", &y, &mo, &d, &h, &mi);

	if (n < 3 || y < 2020 || y > 2035 || mo < 1 || mo > 12 || d < 1 || d > 31 || h > 23 ||
		mi > 59)
		return false;
	*out = (int64_t)(y - 2020) << 28 | (int64_t)mo << 24 | (int64_t)d << 16 | (int64_t)h << 8 |
	       mi;
	return true;
}

static bool parse_reason(const char *text, int64_t *out)
{
	for (int64_t i = 0; i < THROTTLE_REASONS; i++)
		if (strcmp(text, throttle_reason_name(i)) == 0) {
			*out = i;
			return true;
		}
	return false;
}

/* Parse a printed value of any kind of field; false if it is not one. */
static bool value_of(enum field_id id, const struct json *node, int64_t *out)
{
	const char *text = json_get_text(node);
	uint64_t wide;
	uint32_t v;
	bool yes;

	switch ((enum field_kind)fields[id].kind) {
	case FIELD_NUMBER:
	case FIELD_COUNTER:
	case FIELD_HEX:
		return json_get_scaled(node, fields[id].scale, out);
	case FIELD_HEX64:
		if (!text || !parse_hex(text, &wide))
			return false;
		*out = (int64_t)wide;
		return true;
	case FIELD_BOOL:
		if (!json_get_bool(node, &yes))
			return false;
		*out = yes;
		return true;
	case FIELD_VERSION4:
		if (!text || !parse_version4(text, &v))
			return false;
		*out = v;
		return true;
	case FIELD_VERSION3:
		return text && parse_version3(text, out);
	case FIELD_VERSION2:
		return text && parse_version2(text, out);
	case FIELD_DATE:
		return text && parse_date(text, out);
	case FIELD_REASON:
		return text && parse_reason(text, out);
	}
	return false;
}

static bool is_open(const struct snapshot *s, enum field_id id)
{
	return s->r[id].state == READING_ABSENT || s->r[id].state == READING_FAILED;
}

static void load_put_value(struct snapshot *s, enum field_id id, int64_t value)
{
	s->r[id] = (struct reading){ .source = SOURCE_FILE };
	if (decode_plausible(id, value)) {
		s->r[id].state = READING_OK;
		s->r[id].value = value;
	} else {
		s->r[id].state = READING_IMPLAUSIBLE;
	}
}

/* One of our own typed readings. */
static void load_reading(struct snapshot *s, enum field_id id, const struct json *node)
{
	const char *said = json_get_text(json_get(node, "state"));
	struct reading *r = &s->r[id];
	int64_t value, age;
	uint32_t raw;

	if (!said || !is_open(s, id))
		return;
	for (enum reading_state state = READING_OK; state <= READING_UNJUDGED; state++) {
		if (strcmp(said, reading_state_name(state)) != 0)
			continue;
		*r = (struct reading){ .state = (uint8_t)state, .source = SOURCE_FILE };
		if (!reading_has_value(r))
			break;
		if (value_of(id, json_get(node, "value"), &value) && decode_plausible(id, value))
			r->value = value;
		else
			r->state = READING_IMPLAUSIBLE;
		break;
	}
	if (json_get_scaled(json_get(node, "age_ms"), 1, &age) && age > 0 &&
		age < INT64_MAX / CLOCK_MS)
		r->time = -age * CLOCK_MS;
	if (json_get_word(json_get(node, "raw"), &raw)) {
		r->raw = raw;
		r->has_raw = true;
	}
}

static void load_readings(struct snapshot *s, const struct json *entry)
{
	const struct json *m = json_get(entry, "readings");

	for (m = json_is_object(m) ? json_child(m) : NULL; m && json_key(m); m = json_next(m)) {
		enum field_id id = field_find(json_key(m));

		if (id != FIELD_NONE)
			load_reading(s, id, m);
	}
}

static void load_printed(struct snapshot *s, const struct json *entry)
{
	const struct chip *chip = chip_find(s->chip);

	for (size_t i = 0; i < ARRAY_LEN(printed); i++) {
		const struct printed *p = &printed[i];
		const struct json *node = json_get(json_get(entry, p->section), p->key);
		enum field_id id = p->id;
		int64_t value;
		double zero;

		id = chip_printed_as(chip, id);
		/* A missing limit is the number 0, a real one a string. */
		if (id == FIELD_NONE || !is_open(s, id) || json_get_number(node, &zero))
			continue;
		if (value_of(id, node, &value))
			load_put_value(s, id, value);
	}
}

static void load_fan(struct snapshot *s, const struct json *entry, const struct load_era *era)
{
	int64_t v;

	if (!json_get_scaled(json_get(json_get(entry, "telemetry"), "fan_speed"), 1, &v) ||
		v == 65535)
		return;
	if (s->chip == DEVICE_BLACKHOLE && is_open(s, FIELD_FAN_RPM))
		load_put_value(s, FIELD_FAN_RPM, era->fan_percent && v <= 100 ? v * 50 : v);
	if (s->chip == DEVICE_WORMHOLE && is_open(s, FIELD_FAN_RPM)) {
		enum field_id id = s->raw.remote ? FIELD_FAN_LEGACY_REMOTE : FIELD_FAN_LEGACY;

		if (is_open(s, id))
			load_put_value(s, id, v);
	}
}

/* Values that upstream does not print as plain values. */
static void load_special(struct snapshot *s, const struct json *entry, const struct load_era *era)
{
	const struct chip *chip = chip_find(s->chip);
	const char *speed = json_get_text(load_chip_info(entry, "dram_speed"));
	int64_t v;
	uint64_t id;
	bool yes;

	if (is_open(s, FIELD_BOARD_ID) && load_chip_board_id(entry, &id))
		load_put_value(s, FIELD_BOARD_ID, (int64_t)id);
	if (is_open(s, FIELD_DRAM_STATUS) &&
		json_get_bool(load_chip_info(entry, "dram_status"), &yes) &&
		json_get_scaled(json_get(json_get(entry, "telemetry"), "aiclk"), 1, &v))
		load_put_value(s, FIELD_DRAM_STATUS, yes);
	if (is_open(s, FIELD_DRAM_SPEED) && speed) {
		char text[16];
		size_t len = strlen(speed);
		bool giga = len > 1 && len < sizeof(text) && speed[len - 1] == 'G';

		snprintf(text, sizeof(text), "%.*s", (int)(giga ? len - 1 : len < 15 ? len : 15),
			speed);
		if (parse_decimal(text, 1, &v) && v > 0 && v < 1000000)
			load_put_value(s, FIELD_DRAM_SPEED, giga ? v * 1000 : v);
	}
	load_fan(s, entry, era);
	if (chip && is_open(s, chip->heartbeat_raw) &&
	    json_get_scaled(json_get(json_get(entry, "telemetry"), "heartbeat"), 1, &v) && v >= 0 &&
	    v <= UINT32_MAX) {
		load_put_value(s, chip->heartbeat_raw, v * chip->heartbeat_div);
		if (is_open(s, FIELD_HEARTBEAT))
			load_put_value(s, FIELD_HEARTBEAT, v * chip->heartbeat_div);
	}
}

void load_values(struct snapshot *s, const struct json *entry, const struct load_era *era)
{
	load_readings(s, entry);
	load_printed(s, entry);
	load_special(s, entry, era);
}

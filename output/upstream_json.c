/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * upstream_json.c - the keys that programs already read, made from our readings,
 * in upstream's order, nesting and number formats.
 *
 * An implausible word is "N/A" here, so that no 65535 or 4294967295 reaches a
 * reader.  A missing limit is the number 0, as upstream has it, except for a card
 * that was not read at all, where 0 would be wrong.
 */
#include "config.h"
#include "output/snapshot_json.h"

#include "base/json.h"
#include "base/mem.h"
#include "telemetry/change.h"
#include "telemetry/chip/chip.h"
#include "telemetry/identity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * The member gddr_telemetry, as tt-smi 6.3 prints it (clients.md).  A reader takes anything but
 * "pass" for a failure, so "pass" needs a channel in use whose bit was read and is set.
 *
 * The shape is the same whatever was read: an unknown value of a channel is
 * "n/a" or "N/A", never null, and a channel is enabled unless a reading shows
 * that it is harvested.
 */

static const struct reading none = { .state = READING_ABSENT };

/* A transfer rate as upstream writes it: "16G", or the MT/s if that is not a whole number. */
static const char *gddr_json_speed(const struct reading *r, char *buf, size_t size)
{
	bool giga = r->value > 0 && r->value % 1000 == 0;

	snprintf(buf, size, "%" PRId64 "%s", giga ? r->value / 1000 : r->value, giga ? "G" : "");
	return buf;
}

static void put_number(struct json_out *j, const char *key, const struct reading *r, int64_t scale)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, r->value / scale);
	json_text(j, key, reading_is_ok(r) ? text : "N/A");
}

static bool bit_of(const struct reading *mask, unsigned bit)
{
	return mask->value >> bit & 1;
}

static void put_verdict(struct json_out *j, const char *key, const struct reading *mask,
	unsigned bit)
{
	json_text(j, key, !reading_is_ok(mask) ? "n/a" : bit_of(mask, bit) ? "pass" : "fail");
}

static void put_flag(struct json_out *j, const char *key, const struct reading *mask, unsigned bit)
{
	json_text(j, key, !reading_is_ok(mask) ? "N/A" : bit_of(mask, bit) ? "1" : "0");
}

/* Switched off by the mask, or neither trained nor failed (telemetry/decode.c). */
static bool is_harvested(const struct snapshot *s, unsigned n)
{
	const struct reading *on = &s->r[FIELD_DRAM_ENABLED], *failed = &s->r[FIELD_DRAM_FAILED];
	const struct reading *trained = &s->r[FIELD_DRAM_TRAINED];

	if (reading_is_ok(on) && !bit_of(on, n))
		return true;
	return reading_is_ok(trained) && reading_is_ok(failed) && !bit_of(trained, n) &&
	       !bit_of(failed, n);
}

/* A harvested channel has no results and no error counts. */
static void put_channel(struct json_out *j, const struct snapshot *s, const struct chip *chip,
	unsigned n)
{
	const bool harvested = !chip->gddr_is_training && is_harvested(s, n);
	const bool counts = !harvested && !chip->gddr_is_training;
	const struct reading *r = s->r;

	json_begin(j, NULL, '{');
	json_int(j, "channel", n);
	json_bool(j, "harvested", harvested);
	json_bool(j, "enabled", !harvested);
	put_verdict(j, "training", harvested ? &none : &r[FIELD_DRAM_TRAINED], n);
	put_verdict(j, "bist", counts ? &r[FIELD_DRAM_BIST] : &none, n);
	put_number(j, "temp_top", counts ? &r[FIELD_GDDR_TEMP + 2 * n + 1] : &none, 1000);
	put_number(j, "temp_bottom", counts ? &r[FIELD_GDDR_TEMP + 2 * n] : &none, 1000);
	put_number(j, "corr_rd", counts ? &r[FIELD_GDDR_CORR_ERRS + 2 * n] : &none, 1);
	put_number(j, "corr_wr", counts ? &r[FIELD_GDDR_CORR_ERRS + 2 * n + 1] : &none, 1);
	put_flag(j, "uncorr_rd", counts ? &r[FIELD_GDDR_UNCORR_ERRS] : &none, 2 * n);
	put_flag(j, "uncorr_wr", counts ? &r[FIELD_GDDR_UNCORR_ERRS] : &none, 2 * n + 1);
	json_end(j, '}');
}

/* Add it to the open object, unless upstream prints none for this kind of chip. */
static void gddr_json_put(struct json_out *j, const struct snapshot *s)
{
	const struct reading *speed = &s->r[FIELD_DRAM_SPEED], *on = &s->r[FIELD_DRAM_ENABLED];
	const struct chip *chip = chip_find(s->chip);
	char text[32];

	if (!chip || !chip->gddr_channels)
		return;
	json_begin(j, "gddr_telemetry", '{');
	json_text(j, "speed",
		reading_is_ok(speed) ? gddr_json_speed(speed, text, sizeof(text)) : "N/A");
	put_number(j, "max_temp", chip->gddr_is_training ? &none : &s->r[FIELD_GDDR_MAX_TEMP],
		1000);
	snprintf(text, sizeof(text), "0x%" PRIx64, (uint64_t)on->value);
	json_text(j, "enabled_mask",
		!chip->gddr_is_training && reading_is_ok(on) ? text : "N/A");
	json_begin(j, "channels", '[');
	for (unsigned n = 0; n < chip->gddr_channels; n++)
		put_channel(j, s, chip, n);
	json_end(j, ']');
	json_end(j, '}');
}

/* Blackhole's tags in the order of upstream's library (chip-facts 2.2.1, 6.1). */
static const uint8_t blackhole_tags[] = {
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
	26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49,
	50, 51, 52, 53, 55, 56, 58, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 54,
};

static void put_tags(struct json_out *j, const struct raw *raw)
{
	uint32_t words[70];
	bool known[ARRAY_LEN(words)] = { false };

	for (size_t i = 0; i < raw->n_tags; i++)
		if (raw->tags[i].tag < ARRAY_LEN(words)) {
			words[raw->tags[i].tag] = raw->tags[i].word;
			known[raw->tags[i].tag] = true;
		}
	for (size_t i = 0; i < ARRAY_LEN(blackhole_tags); i++) {
		uint8_t tag = blackhole_tags[i];
		const struct tag_name *name = tag_find(tag);

		if (!name)
			continue;
		if (known[tag])
			json_hex(j, name->smi_name ? name->smi_name : name->name, words[tag]);
		else
			json_null(j, name->smi_name ? name->smi_name : name->name);
	}
}

static void put_legacy(struct json_out *j, const struct raw *raw, const struct chip *chip)
{
	for (size_t i = 0; i < chip->n_legacy; i++) {
		if (!chip->legacy_names[i])
			continue;
		if (i < raw->n_legacy && raw->legacy_known[i])
			json_hex(j, chip->legacy_names[i], raw->legacy[i]);
		else
			json_null(j, chip->legacy_names[i]);
	}
	json_null(j, "NUMBER_OF_TAGS");
	json_null(j, "INPUT_POWER");
}

static void put_smbus(struct json_out *j, const struct snapshot *s, bool external)
{
	const struct chip *chip = chip_find(s->chip);

	json_begin(j, "smbus_telem", '{');
	if (chip && !external) {
		if (chip->n_legacy > 0)
			put_legacy(j, &s->raw, chip);
		else
			put_tags(j, &s->raw);
	}
	json_end(j, '}');
}

static void put_dram_speed(struct json_out *j, const struct snapshot *s)
{
	const struct reading *r = &s->r[FIELD_DRAM_SPEED];
	char text[32];

	if (!reading_has_value(r)) {
		json_text(j, "dram_speed", s->health == SNAPSHOT_FAILED ? "N/A" : NULL);
		return;
	}
	json_text(j, "dram_speed", gddr_json_speed(r, text, sizeof(text)));
}

static void put_name(struct json_out *j, const char *key, enum identity_id id,
	const struct snapshot *s)
{
	char text[64];

	json_text(j, key, *identity_text(id, s, text, sizeof(text)) ? text : "N/A");
}

static void put_board_info(struct json_out *j, const struct snapshot *s)
{
	const struct reading *dram = &s->r[FIELD_DRAM_STATUS];
	const int gen = identity_number(IDENTITY_PCIE_GEN, s);
	char text[64];

	json_begin(j, "board_info", '{');
	put_name(j, "bus_id", IDENTITY_BDF, s);
	put_name(j, "board_type", IDENTITY_BOARD, s);
	put_name(j, "board_id", IDENTITY_SERIAL, s);
	snprintf(text, sizeof(text), "(%u, %u, %u, %u)", s->coords[0], s->coords[1], s->coords[2],
		s->coords[3]);
	json_text(j, "coords", s->has_coords ? text : "N/A");
	/* Upstream has no word for "not known"; its readers take false for "untrained". */
	if (reading_is_ok(dram))
		json_bool(j, "dram_status", dram->value != 0);
	else
		json_null(j, "dram_status");
	put_dram_speed(j, s);
	if (gen > 0)
		json_int(j, "pcie_speed", gen);
	else
		json_text(j, "pcie_speed", "N/A");
	put_name(j, "pcie_width", IDENTITY_PCIE_WIDTH, s);
	json_end(j, '}');
}

static void put_count(struct json_out *j, const char *key, const struct reading *r, int64_t div)
{
	if (reading_is_ok(r))
		json_fixed(j, key, r->value / (div > 0 ? div : 1), 1, 0, 1);
	else
		json_text(j, key, "N/A");
}

static void put_telemetry(struct json_out *j, const struct snapshot *s)
{
	const struct chip *chip = chip_find(s->chip);
	const struct reading *fan = &s->r[FIELD_FAN_RPM];

	json_begin(j, "telemetry", '{');
	for (const struct chip_printed *p = NULL; (p = chip_printed_next("telemetry", p));)
		if (reading_is_ok(&s->r[p->id]))
			json_fixed(j, p->key, s->r[p->id].value, fields[p->id].scale, p->decimals,
				p->width);
		else
			json_text(j, p->key, "N/A");
	if (fan->state == READING_ABSENT)
		fan = &s->r[s->local >= 0 ? FIELD_FAN_LEGACY_REMOTE : FIELD_FAN_LEGACY];
	put_count(j, "fan_speed", fan, 1);
	put_count(j, "heartbeat", &s->r[chip ? chip->heartbeat_raw : FIELD_HEARTBEAT],
		chip ? chip->heartbeat_div : 1);
	json_end(j, '}');
}

/* The day alone, as upstream prints it; our readings have the time too. */
static void put_day(struct json_out *j, const char *key, uint32_t word)
{
	char text[32];

	snprintf(text, sizeof(text), "%04u-%02u-%02u", 2020 + (word >> 28), word >> 24 & 15,
		word >> 16 & 255);
	json_text(j, key, text);
}

static void put_firmwares(struct json_out *j, const struct snapshot *s)
{
	json_begin(j, "firmwares", '{');
	for (const struct chip_printed *p = NULL; (p = chip_printed_next("firmwares", p));) {
		const struct reading *r = &s->r[p->id];
		char text[64];

		if (!reading_has_value(r))
			json_text(j, p->key, "N/A");
		else if (fields[p->id].kind == FIELD_DATE)
			put_day(j, p->key, (uint32_t)r->value);
		else
			json_text(j, p->key, field_text(p->id, r, text, sizeof(text)));
	}
	json_end(j, '}');
}

static void put_limits(struct json_out *j, const struct snapshot *s)
{
	json_begin(j, "limits", '{');
	for (const struct chip_printed *p = NULL; (p = chip_printed_next("limits", p));) {
		const enum field_id id = chip_printed_as(chip_find(s->chip), p->id);

		if (id != FIELD_NONE && reading_has_value(&s->r[id]))
			json_fixed(j, p->key, s->r[id].value, fields[id].scale, p->decimals,
				p->width);
		else if (snapshot_is_live(s))
			json_int(j, p->key, 0);
		else
			json_text(j, p->key, "N/A");
	}
	json_end(j, '}');
}

/*
 * The ethernet links, from telemetry alone.  No core is asked, so it is not known how fast a link
 * is, or whether a port without a link has a cable.
 */
static void put_ethernet(struct json_out *j, const struct snapshot *s)
{
	static const char *const words[PORT_STATES] = { "UNKNOWN", "UNUSED", "UNKNOWN", "UP",
		"UNKNOWN", "DOWN" };
	const struct chip *chip = chip_find(s->chip);
	struct port ports[PORT_MOST];
	size_t n;

	if (!chip || !chip->prints_ethernet || s->local >= 0)
		return;
	n = port_list(s, 1, 0, ports);
	if (n == 0)
		return;
	json_begin(j, "ethernet", '[');
	for (size_t p = 0; p < n; p++) {
		char core[16];

		snprintf(core, sizeof(core), "%u-%u", ports[p].x, ports[p].y);
		json_begin(j, NULL, '{');
		json_int(j, "channel", (int64_t)p);
		json_text(j, "core", core);
		json_text(j, "link", words[ports[p].state]);
		json_null(j, "train_speed_gbps");
		json_null(j, "target_speed_gbps");
		json_end(j, '}');
	}
	json_end(j, ']');
}

void upstream_json_put(struct json_out *j, const struct snapshot *s, bool external)
{
	put_smbus(j, s, external);
	put_board_info(j, s);
	put_telemetry(j, s);
	gddr_json_put(j, s);
	put_firmwares(j, s);
	put_limits(j, s);
	put_ethernet(j, s);
}

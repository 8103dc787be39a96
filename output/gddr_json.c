/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gddr_json.c - gddr_telemetry.  A reader takes anything but "pass" for a
 * failure, so "pass" needs a channel in use whose bit was read and is set.
 */
#include "config.h"
#include "output/gddr_json.h"
#include "telemetry/chip/chip.h"

#include "base/array.h"

#include <inttypes.h>
#include <stdio.h>

#define CHANNELS 8

const char *gddr_json_speed(const struct reading *r, char *buf, size_t size)
{
	bool giga = r->value > 0 && r->value % 1000 == 0;

	snprintf(buf, size, "%" PRId64 "%s", giga ? r->value / 1000 : r->value, giga ? "G" : "");
	return buf;
}

static void put_number(struct json_out *j, const char *key, const struct reading *r, int64_t scale)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, r->value / scale);
	json_text(j, key, reading_is_ok(r) ? text : NULL);
}

static bool bit_of(const struct reading *mask, unsigned bit)
{
	return mask->value >> bit & 1;
}

static void put_flag(struct json_out *j, const char *key, const struct reading *mask, unsigned bit,
	const char *on, const char *off)
{
	json_text(j, key, !reading_is_ok(mask) ? NULL : bit_of(mask, bit) ? on : off);
}

/* A harvested channel has no result, and no errors. */
static void put_channel(struct json_out *j, const struct snapshot *s, unsigned n)
{
	static const struct reading none = { .state = READING_ABSENT };
	const struct reading *on = &s->r[FIELD_DRAM_ENABLED], *r = s->r;
	bool known = reading_is_ok(on), used = !known || bit_of(on, n);

	json_begin(j, NULL, '{');
	json_int(j, "channel", n);
	if (known) {
		json_bool(j, "harvested", !used);
		json_bool(j, "enabled", used);
	} else {
		json_null(j, "harvested");
		json_null(j, "enabled");
	}
	put_flag(j, "training", used ? &r[FIELD_DRAM_TRAINED] : &none, n, "pass", "fail");
	put_flag(j, "bist", used ? &r[FIELD_DRAM_BIST] : &none, n, "pass", "fail");
	put_number(j, "temp_top", used ? &r[FIELD_GDDR_TEMP + 2 * n + 1] : &none, 1000);
	put_number(j, "temp_bottom", used ? &r[FIELD_GDDR_TEMP + 2 * n] : &none, 1000);
	put_number(j, "corr_rd", used ? &r[FIELD_GDDR_CORR_ERRS + 2 * n] : &none, 1);
	put_number(j, "corr_wr", used ? &r[FIELD_GDDR_CORR_ERRS + 2 * n + 1] : &none, 1);
	put_flag(j, "uncorr_rd", used ? &r[FIELD_GDDR_UNCORR_ERRS] : &none, 2 * n, "1", "0");
	put_flag(j, "uncorr_wr", used ? &r[FIELD_GDDR_UNCORR_ERRS] : &none, 2 * n + 1, "1", "0");
	json_end(j, '}');
}

static bool is_known(const struct snapshot *s)
{
	static const enum field_id any[] = { FIELD_DRAM_STATUS, FIELD_DRAM_SPEED,
		FIELD_DRAM_ENABLED, FIELD_GDDR_MAX_TEMP, FIELD_GDDR_UNCORR_ERRS };

	for (size_t i = 0; i < ARRAY_LEN(any); i++)
		if (reading_is_ok(&s->r[any[i]]))
			return true;
	return false;
}

void gddr_json_put(struct json_out *j, const struct snapshot *s)
{
	const struct reading *speed = &s->r[FIELD_DRAM_SPEED], *on = &s->r[FIELD_DRAM_ENABLED];
	char text[32];

	if (!chip_find(s->chip) || !chip_find(s->chip)->prints_gddr)
		return;
	if (!is_known(s)) {
		json_null(j, "gddr_telemetry");
		return;
	}
	json_begin(j, "gddr_telemetry", '{');
	json_text(j, "speed",
		reading_is_ok(speed) ? gddr_json_speed(speed, text, sizeof(text)) : NULL);
	put_number(j, "max_temp", &s->r[FIELD_GDDR_MAX_TEMP], 1000);
	snprintf(text, sizeof(text), "0x%" PRIx64, (uint64_t)on->value);
	json_text(j, "enabled_mask", reading_is_ok(on) ? text : NULL);
	json_begin(j, "channels", '[');
	for (unsigned n = 0; n < CHANNELS; n++)
		put_channel(j, s, n);
	json_end(j, ']');
	json_end(j, '}');
}

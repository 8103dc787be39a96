/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gddr_json.c - gddr_telemetry.  A reader takes anything but "pass" for a
 * failure, so "pass" needs a channel in use whose bit was read and is set.
 *
 * The shape is the same whatever was read: an unknown value of a channel is
 * "n/a" or "N/A", never null, and a channel is enabled unless a reading shows
 * that it is harvested.
 */
#include "config.h"
#include "output/gddr_json.h"
#include "telemetry/chip/chip.h"

#include <inttypes.h>
#include <stdio.h>

static const struct reading none = { .state = READING_ABSENT };

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

void gddr_json_put(struct json_out *j, const struct snapshot *s)
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

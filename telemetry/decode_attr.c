/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode_attr.c - decodes text attributes of driver and kernel.  The driver makes
 * them from the same words as the tables, so a dead card's garbage shows here too.
 */
#include "config.h"
#include "telemetry/chip/decode_row.h"
#include "base/parse.h"
#include "telemetry/decode.h"

#include <errno.h>

/* "7.5.0" to FIELD_VERSION3's packing. */
static bool parse_version3(const char *text, int64_t *out)
{
	int64_t part[3] = { 0, 0, 0 };
	size_t n = 0;

	for (const char *p = text; *p; p++) {
		if (*p == '.' && p > text && p[-1] != '.' && p[1] && n < 2)
			n++;
		else if (*p >= '0' && *p <= '9' && part[n] < 10000)
			part[n] = part[n] * 10 + (*p - '0');
		else
			return false;
	}
	*out = part[0] << 20 | part[1] << 12 | part[2];
	return n == 2 && part[0] < 256 && part[1] < 256 && part[2] < 4096;
}

static bool parse_attr(const struct decode *row, const char *text, int64_t *value)
{
	uint64_t hex;
	uint32_t version;
	bool good;

	switch ((enum decode_kind)row->kind) {
	case DECODE_TEXT_INT:
	case DECODE_TEXT_NONZERO:
		return parse_i64(text, value);
	case DECODE_TEXT_HEX:
		good = parse_hex(text, &hex);
		*value = good ? (int64_t)hex : 0;
		return good;
	case DECODE_TEXT_VERSION4:
		good = parse_version4(text, &version);
		*value = good ? version : 0;
		return good;
	default:
		return parse_version3(text, value);
	}
}

static enum reading_source source_of(enum attr a)
{
	return attrs[a].dir == ATTR_HWMON ? SOURCE_HWMON : SOURCE_SYSFS;
}

void decode_attr(struct snapshot *s, const struct decode *row)
{
	enum attr a = row->key;
	enum reading_source source = source_of(a);
	const char *text = s->raw.attr[a];
	int error = s->raw.attr_error[a];
	int64_t v;

	if (decode_settled(s, row->field))
		return;
	if (!*text) {
		/* Where firmware lacks the tag, the file is missing or its read gives ENODATA. */
		if (error && error != -ENOENT && error != -ENODATA && error != -EOPNOTSUPP &&
			s->r[row->field].state == READING_ABSENT)
			s->r[row->field] = (struct reading){ .state = READING_FAILED,
				.time = s->raw.time, .source = (uint8_t)source };
		return;
	}
	if (!parse_attr(row, text, &v)) {
		decode_put(s, row->field, source, false, 0);
		return;
	}
	if ((row->kind != DECODE_TEXT_HEX && row->absent && v == row->absent) ||
		(row->kind == DECODE_TEXT_NONZERO && v == 0))
		return;
	if (v > INT64_MAX / 1000 || v < INT64_MIN / 1000) {
		decode_put(s, row->field, source,
			row->kind == DECODE_TEXT_HEX && decode_plausible(row->field, v), v);
		return;
	}
	decode_put(s, row->field, source,
		v != UINT32_MAX && decode_plausible(row->field, decode_scaled(row, v)),
		decode_scaled(row, v));
	if ((row->kind == DECODE_TEXT_INT || row->kind == DECODE_TEXT_NONZERO) && v >= 0 &&
		v <= UINT32_MAX)
		decode_put_raw(s, row->field, source, (uint32_t)v);
}

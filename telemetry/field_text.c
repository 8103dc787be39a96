/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * field_text.c - names of groups and states, values as people see them and beside their limits.
 */
#include "config.h"
#include "telemetry/field.h"

#include "base/mem.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char *const group_titles[FIELD_GROUPS] = {
	[FIELD_GROUP_TELEMETRY] = "Telemetry",
	[FIELD_GROUP_LIMIT] = "Limits",
	[FIELD_GROUP_IDENTITY] = "Identity",
	[FIELD_GROUP_MEMORY] = "Memory",
	[FIELD_GROUP_ETHERNET] = "Ethernet",
	[FIELD_GROUP_ENABLED] = "Enabled",
	[FIELD_GROUP_FIRMWARE] = "Firmware",
	[FIELD_GROUP_CLOCK] = "Clock",
	[FIELD_GROUP_RAW] = "Raw",
};

const char *const throttle_reasons[THROTTLE_REASONS + 1] = {
	[THROTTLE_NONE] = "none",
	[THROTTLE_TDP] = "tdp",
	[THROTTLE_FAST_TDC] = "fast-tdc",
	[THROTTLE_TDC] = "tdc",
	[THROTTLE_THERMAL] = "thermal",
	[THROTTLE_BOARD_POWER] = "board-power",
	[THROTTLE_VOLTAGE] = "voltage",
	[THROTTLE_GDDR_THERMAL] = "gddr-thermal",
	[THROTTLE_DOPPLER_SLOW] = "doppler-slow",
	[THROTTLE_DOPPLER_CRITICAL] = "doppler-critical",
	[THROTTLE_HOST] = "host-limit",
	[THROTTLE_REASONS] = NULL
};

const char *const busy_sources[BUSY_SOURCES + 1] = {
	[BUSY_NOT_ASKED] = "not-asked",
	[BUSY_COUNTERS] = "counters",
	[BUSY_LEAST] = "at-least",
	[BUSY_CORES] = "cores-only",
	[BUSY_FIRST] = "first-look",
	[BUSY_NO_BUFFER] = "no-buffer",
	[BUSY_NO_RUNTIME] = "no-runtime",
	[BUSY_SLOW_DISPATCH] = "slow-dispatch",
	[BUSY_NO_COUNTERS] = "no-counters",
	[BUSY_STOPPED] = "stopped",
	[BUSY_RESTARTED] = "restarted",
	[BUSY_DIVIDED] = "divided-anew",
	[BUSY_TORN] = "torn",
	[BUSY_LAYOUT] = "unknown-layout",
	[BUSY_CORE_OFF] = "core-off",
	[BUSY_UNREADABLE] = "unreadable",
	[BUSY_NOT_RECORDED] = "not-recorded",
	[BUSY_IMPLAUSIBLE] = "implausible",
	[BUSY_SECOND_CHIP] = "second-chip",
	[BUSY_SOURCES] = NULL
};

/* The names of values, by kind of field. */
static const char *const *const words[] = {
	[FIELD_REASON] = throttle_reasons,
	[FIELD_WHENCE] = busy_sources,
};

static const struct {
	const char *name, *instead;	/* shown in place of a value; NULL: the value itself */
} states[] = {
	[READING_ABSENT] = { "absent", "-" },
	[READING_OK] = { "ok", NULL },
	[READING_FAILED] = { "failed", "err" },
	[READING_IMPLAUSIBLE] = { "implausible", "?" },
	[READING_STALE] = { "stale", NULL },
	[READING_UNJUDGED] = { "unjudged", "..." },
};

static const char *const sources[SOURCES] = {
	[SOURCE_NONE] = "none",
	[SOURCE_TAG] = "tag",
	[SOURCE_LEGACY] = "legacy",
	[SOURCE_SYSFS] = "sysfs",
	[SOURCE_HWMON] = "hwmon",
	[SOURCE_PCI] = "pci",
	[SOURCE_RUNTIME] = "runtime",
	[SOURCE_DERIVED] = "derived",
	[SOURCE_FILE] = "file",
};

const char *field_group_title(enum field_group g)
{
	return g < FIELD_GROUPS ? group_titles[g] : "";
}

/* The word that a value stands for, or NULL. */
static const char *word_of(enum field_id id, int64_t value)
{
	const char *const *word = words[fields[id].kind];

	for (int64_t i = 0; *word && i < value; i++)
		word++;
	return value < 0 ? NULL : *word;
}

const char *throttle_reason_name(int64_t reason)
{
	const char *word = word_of(FIELD_THROTTLE, reason);

	return word ? word : "unknown";
}

bool field_find_word(enum field_id id, const char *word, int64_t *value)
{
	for (*value = 0; word_of(id, *value); ++*value)
		if (strcmp(word_of(id, *value), word) == 0)
			return true;
	return false;
}

const char *reading_state_name(enum reading_state s)
{
	return s < ARRAY_LEN(states) ? states[s].name : "unknown";
}

const char *reading_source_name(enum reading_source s)
{
	return s < SOURCES ? sources[s] : "unknown";
}

bool reading_has_value(const struct reading *r)
{
	return r->state == READING_OK || r->state == READING_STALE;
}

bool reading_is_ok(const struct reading *r)
{
	return r->state == READING_OK;
}

bool field_is_number(enum field_id id)
{
	return fields[id].kind == FIELD_NUMBER || fields[id].kind == FIELD_COUNTER;
}

static int put_date(uint32_t v, char *buf, size_t size)
{
	return snprintf(buf, size, "%04u-%02u-%02u %02u:%02u", 2020 + (v >> 28), v >> 24 & 0xf,
		v >> 16 & 0xff, v >> 8 & 0xff, v & 0xff);
}

static void put_value(enum field_id id, int64_t value, char *buf, size_t size)
{
	const struct field *f = &fields[id];
	uint32_t v = (uint32_t)value;
	char number[STRBUF_NUMBER];

	switch ((enum field_kind)f->kind) {
	case FIELD_NUMBER:
	case FIELD_COUNTER:
		mem_copy_text(buf, size, strbuf_rounded(number, value, f->scale, f->decimals));
		break;
	case FIELD_HEX:
		snprintf(buf, size, "0x%" PRIx64, (uint64_t)value);
		break;
	case FIELD_HEX64:
		snprintf(buf, size, "%016" PRIx64, (uint64_t)value);
		break;
	case FIELD_VERSION4:
		snprintf(buf, size, "%u.%u.%u.%u", v >> 24, v >> 16 & 0xff, v >> 8 & 0xff,
			v & 0xff);
		break;
	case FIELD_VERSION3:
		snprintf(buf, size, "%u.%u.%u", v >> 20 & 0xff, v >> 12 & 0xff, v & 0xfff);
		break;
	case FIELD_VERSION2:
		snprintf(buf, size, "%u.%u", v >> 16, v & 0xffff);
		break;
	case FIELD_DATE:
		put_date(v, buf, size);
		break;
	case FIELD_BOOL:
		mem_copy_text(buf, size, value ? "yes" : "no");
		break;
	case FIELD_REASON:
	case FIELD_WHENCE:
		if (word_of(id, value))
			mem_copy_text(buf, size, word_of(id, value));
		else
			snprintf(buf, size, "unknown (%" PRId64 ")", value);
		break;
	}
}

void field_put_value(enum field_id id, int64_t value, struct strbuf *to)
{
	char text[64];

	put_value(id, value, text, sizeof(text));
	strbuf_puts(to, text);
}

char *field_text(enum field_id id, const struct reading *r, char *buf, size_t size)
{
	if (reading_has_value(r))
		put_value(id, r->value, buf, size);
	else
		mem_copy_text(buf, size,
			r->state < ARRAY_LEN(states) ? states[r->state].instead : "-");
	return buf;
}

uint64_t bundle_order(uint32_t version)
{
	return (uint64_t)(version < 80u << 24) << 32 | version;
}

int field_load(enum field_id id, const struct reading all[static FIELD_COUNT])
{
	const struct reading *now = &all[id], *max = &all[fields[id].limit];

	/* A field without a limit points at FIELD_NONE, which never has a value. */
	if (!reading_has_value(now) || !reading_has_value(max) || max->value <= 0 || now->value < 0)
		return -1;
	return now->value / max->value > 100 ? 10000 : (int)(now->value * 100 / max->value);
}

/*
 * Where each level above FIELD_LEVEL_FINE begins: at this percentage of the limit, and this many
 * units above that.  Clocks and voltages may stay near their limits all day; a temperature must not
 * reach its limit, while power may for a moment: the firmware's fast limit of the current is a
 * tenth above the slow one.
 */
#define NEVER { INT_MAX, 0 }

static const struct {
	enum field_use use;
	const char *unit;	/* NULL: any other */
	struct {
		int percent, units;
	} from[FIELD_LEVEL_OVER];
} levels[] = {
	{ FIELD_USE_SHOWN, "MHz", { NEVER, NEVER, NEVER } },
	{ FIELD_USE_SHOWN, "V", { NEVER, { 101, 0 }, { 110, 0 } } },
	{ FIELD_USE_SHOWN, "°C", { { 90, 0 }, { 95, 0 }, { 100, 0 } } },
	{ FIELD_USE_SHOWN, NULL, { { 90, 0 }, { 101, 0 }, { 110, 0 } } },
	{ FIELD_USE_BURN, NULL, { NEVER, { 100, -2 }, { 100, 3 } } },
};

enum field_level field_level(enum field_use use, enum field_id id, int64_t value, int64_t limit)
{
	int level = FIELD_LEVEL_OVER;
	size_t i = 0;

	while (levels[i].use != use || (levels[i].unit &&
		strcmp(levels[i].unit, fields[id].unit) != 0))
		i++;
	while (level > FIELD_LEVEL_FINE && value * 100 < limit * levels[i].from[level - 1].percent +
		levels[i].from[level - 1].units * fields[id].scale * INT64_C(100))
		level--;
	return (enum field_level)level;
}

enum field_level field_level_now(enum field_use use, enum field_id id,
	const struct reading all[static FIELD_COUNT])
{
	const struct reading *limit = &all[fields[id].limit];

	if (!reading_is_ok(&all[id]) || !reading_has_value(limit) || limit->value <= 0)
		return FIELD_LEVEL_FINE;
	return field_level(use, id, all[id].value, limit->value);
}

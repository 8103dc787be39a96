/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chip_json.c - typed readings of one chip, with state, age and source.  It walks
 * the field table, so a new field needs nothing here.
 *
 * A reading that the chip does not have is left out; one that failed is null, so
 * that a missing key never means an error.
 */
#include "config.h"
#include "output/chip_json.h"

#include "base/clock.h"
#include "telemetry/chip/chip.h"
#include "telemetry/link.h"

#include <stdio.h>

void chip_json_put_value(struct json_out *j, const char *key, enum field_id id,
	const struct reading *r)
{
	char text[64];

	if (!reading_has_value(r)) {
		json_null(j, key);
		return;
	}
	switch (fields[id].kind) {
	case FIELD_NUMBER:
	case FIELD_COUNTER:
		json_decimal(j, key, r->value, fields[id].scale);
		break;
	case FIELD_HEX:
		json_int(j, key, r->value);
		break;
	case FIELD_HEX64:
		json_hex(j, key, (uint64_t)r->value);
		break;
	case FIELD_BOOL:
		json_bool(j, key, r->value != 0);
		break;
	default:
		json_text(j, key, field_text(id, r, text, sizeof(text)));
		break;
	}
}

static void put_reading(struct json_out *j, const struct snapshot *s, enum field_id id,
	int64_t now, bool external)
{
	const struct reading *r = &s->r[id];
	enum field_id limit = fields[id].limit;

	json_begin(j, fields[id].key, '{');
	chip_json_put_value(j, "value", id, r);
	json_text(j, "unit", fields[id].unit);
	json_text(j, "state", reading_state_name((enum reading_state)r->state));
	if (reading_has_value(r))
		json_int(j, "age_ms", r->time < now ? (now - r->time) / CLOCK_MS : 0);
	else
		json_null(j, "age_ms");
	if (limit != FIELD_NONE)
		chip_json_put_value(j, "limit", limit, &s->r[limit]);
	json_text(j, "source", reading_source_name((enum reading_source)r->source));
	if (r->has_raw && !external)
		json_hex(j, "raw", r->raw);
	json_end(j, '}');
}

/* A PCI id of 0 is not known. */
static void put_pci_id(struct json_out *j, const char *key, uint16_t id)
{
	if (id)
		json_hex(j, key, id);
	else
		json_null(j, key);
}

static void put_identity(struct json_out *j, const struct snapshot *s)
{
	char text[40];

	json_begin(j, "identity", '{');
	json_int(j, "index", s->index);
	json_text(j, "chip", device_chip_name(s->chip));
	if (s->local >= 0)
		json_int(j, "local", s->local);
	else
		json_null(j, "local");
	snprintf(text, sizeof(text), "/dev/tenstorrent/%d", s->node);
	json_text(j, "node", s->node >= 0 ? text : NULL);
	put_pci_id(j, "pci_device", s->pci_device);
	put_pci_id(j, "subsystem_device", s->subsys_device);
	if (s->numa_node >= 0)
		json_int(j, "numa_node", s->numa_node);
	else
		json_null(j, "numa_node");
	json_end(j, '}');
}

/* A number, or null if it is not known. */
static void put_known(struct json_out *j, const char *key, int32_t value, int32_t scale)
{
	if (value > 0)
		json_decimal(j, key, value, scale);
	else
		json_null(j, key);
}

static void put_link(struct json_out *j, const struct snapshot_link *link)
{
	if (!link_is_now(link)) {
		json_null(j, "link");
		return;
	}
	json_begin(j, "link", '{');
	put_known(j, "speed_gts", link->speed, 1000);
	put_known(j, "speed_max_gts", link->speed_max, 1000);
	put_known(j, "width", link->width, 1);
	put_known(j, "width_max", link->width_max, 1);
	put_known(j, "speed_slot_gts", link->speed_slot, 1000);
	put_known(j, "width_slot", link->width_slot, 1);
	put_known(j, "speed_best_gts", link->speed_best, 1000);
	put_known(j, "width_best", link->width_best, 1);
	json_text(j, "limit", link->speed_best > 0 && link->width_best > 0
		? link_limit_name(link->limit) : NULL);
	json_bool(j, "downgraded", link->downgraded);
	json_end(j, '}');
}

static void put_health(struct json_out *j, const struct snapshot *s)
{
	json_begin(j, "health", '{');
	json_text(j, "state", snapshot_health_name(s->health));
	json_text(j, "reason", s->reason[0] ? s->reason : NULL);
	json_text(j, "note", s->note[0] ? s->note : NULL);
	json_code(j, s->code);
	json_text(j, "heartbeat", snapshot_beat_name(s->beat));
	json_begin(j, "findings", '[');
	for (size_t i = 0; i < s->n_findings; i++) {
		json_begin(j, NULL, '{');
		json_text(j, "id", s->findings[i].id);
		json_text(j, "text", s->findings[i].text);
		json_end(j, '}');
	}
	json_end(j, ']');
	json_end(j, '}');
}

static void put_tags(struct json_out *j, const struct raw *raw, bool external)
{
	uint8_t seen[UINT16_MAX / 8 + 1] = { 0 };
	size_t n = external ? 0 : raw->n_tags;

	json_begin(j, "tags", '{');
	for (size_t i = 0; i < n; i++) {
		uint16_t tag = raw->tags[i].tag;
		const struct tag_name *name = tag_find(tag);
		char text[16];

		if (seen[tag / 8] & 1U << tag % 8)
			continue;
		seen[tag / 8] |= (uint8_t)(1U << tag % 8);
		if (!name)
			snprintf(text, sizeof(text), "TAG_%u", tag);
		json_hex(j, name ? name->name : text, raw->tags[i].word);
	}
	json_end(j, '}');
}

static void put_readings(struct json_out *j, const struct snapshot *s, int64_t now, bool external)
{
	json_begin(j, "readings", '{');
	for (enum field_id id = 1; id < FIELD_COUNT; id++)
		if (s->r[id].state != READING_ABSENT && !(external && fields[id].engineering))
			put_reading(j, s, id, now, external);
	json_end(j, '}');
}

void chip_json_put(struct json_out *j, const struct snapshot *s, int64_t now,
	const struct chip_json_options *o)
{
	put_identity(j, s);
	if (!o->plain)
		put_readings(j, s, now, o->external);
	put_link(j, &s->link);
	put_health(j, s);
	put_tags(j, &s->raw, o->external);
}

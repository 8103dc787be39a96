/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot_json.c - the readings of a chip, the line of a card, and the whole snapshot.
 *
 * Callers count lines with "board_type" to count chips, and grep single lines,
 * so no key of ours may contain that word and every key has its own line.
 */
#include "config.h"
#include "output/snapshot_json.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "output/tick.h"
#include "report/advice.h"
#include "telemetry/chip/chip.h"
#include "telemetry/identity.h"
#include "telemetry/link.h"
#include "telemetry/snapshot.h"

#include <stdio.h>

/*
 * Our own keys of one chip.  Typed readings walk the field table, so a new field needs nothing
 * here.  A reading that the chip does not have is left out; one that failed is null, so that a
 * missing key never means an error.
 */

/* Add the bare value of a reading, in the type of its field; null if there is none. */
static void chip_json_put_value(struct json_out *j, const char *key, enum field_id id,
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

static void put_identity(struct json_out *j, const struct snapshot *s)
{
	static const enum identity_id ids[] = { IDENTITY_INDEX, IDENTITY_CHIP, IDENTITY_LOCAL,
		IDENTITY_NODE, IDENTITY_PCI_DEVICE, IDENTITY_SUBSYSTEM, IDENTITY_NUMA };

	json_begin(j, "identity", '{');
	for (size_t i = 0; i < ARRAY_LEN(ids); i++)
		identity_put_json(j, identities[ids[i]].key, ids[i], s);
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

static void put_advice(struct json_out *j, const struct advice *a)
{
	json_text(j, "next", *a->text ? a->text : NULL);
	json_text(j, "action", action_name(a->action));
}

static void put_health(struct json_out *j, const struct fleet *f, const struct snapshot *s)
{
	struct advice advice;

	json_begin(j, "health", '{');
	json_text(j, "state", snapshot_health_name(s->health));
	json_text(j, "reason", s->reason[0] ? s->reason : NULL);
	json_text(j, "note", s->note[0] ? s->note : NULL);
	json_code(j, s->code);
	json_text(j, "heartbeat", snapshot_beat_name(s->beat));
	advice_take_chip(&advice, f, s);
	put_advice(j, &advice);
	json_begin(j, "findings", '[');
	for (size_t i = 0; i < s->n_findings; i++) {
		json_begin(j, NULL, '{');
		json_text(j, "id", s->findings[i].id);
		json_text(j, "text", s->findings[i].text);
		advice_take_finding(&advice, f, s, s->findings[i].id);
		put_advice(j, &advice);
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

/* Add identity, readings, link, health and tags. */
static void chip_json_put(struct json_out *j, const struct fleet *f, const struct snapshot *s,
	const struct snapshot_json_options *o)
{
	put_identity(j, s);
	if (!o->plain)
		put_readings(j, s, f->time, o->external);
	put_link(j, &s->link);
	put_health(j, f, s);
	put_tags(j, &s->raw, o->external);
}

/* One line for each card and tick, for pipes. */

static bool is_asked(const struct tick_choice *choice, int f)
{
	if (choice->external && fields[f].engineering)
		return false;
	return choice->wanted ? choice->wanted[f] : fields[f].group == FIELD_GROUP_TELEMETRY;
}

static void put_delta_readings(struct json_out *j, const struct snapshot *s,
	const struct tick_choice *choice)
{
	bool odd = false;

	json_begin(j, "readings", '{');
	for (int f = FIELD_NONE + 1; f < FIELD_COUNT; f++) {
		const struct reading *r = &s->r[f];

		if (r->state == READING_ABSENT || !is_asked(choice, f))
			continue;
		if (snapshot_has(s, (enum field_id)f))
			chip_json_put_value(j, fields[f].key, (enum field_id)f, r);
		else
			json_null(j, fields[f].key);
		odd |= !reading_is_ok(r);
	}
	json_end(j, '}');
	if (!odd)
		return;
	json_begin(j, "states", '{');
	for (int f = FIELD_NONE + 1; f < FIELD_COUNT; f++)
		if (s->r[f].state != READING_ABSENT && !reading_is_ok(&s->r[f]) &&
			is_asked(choice, f))
			json_text(j, fields[f].key,
				reading_state_name((enum reading_state)s->r[f].state));
	json_end(j, '}');
}

static void put_findings(struct json_out *j, const struct snapshot *s)
{
	if (!s->n_findings)
		return;
	json_begin(j, "findings", '[');
	for (size_t i = 0; i < s->n_findings; i++)
		json_text(j, NULL, s->findings[i].id);
	json_end(j, ']');
}

/* Put the alerts raised and cleared in the tick. */
static void put_alerts(struct json_out *j, const struct snapshot *s, const struct tick *t)
{
	bool any = false;
	size_t n;
	const struct alerts_event *news = alerts_news(t->alerts, &n);

	for (size_t i = 0; i < n; i++) {
		if (news[i].chip != s->index)
			continue;
		if (!any)
			json_begin(j, "alerts", '[');
		any = true;
		json_begin(j, NULL, '{');
		json_text(j, "name", news[i].rule->name);
		json_text(j, "state", news[i].raised ? "raised" : "cleared");
		json_end(j, '}');
	}
	if (any)
		json_end(j, ']');
}

void ndjson_put(struct strbuf *to, const struct snapshot *s, const struct tick *t,
	const struct tick_choice *choice)
{
	size_t at = to->len;
	struct json_out j;
	char utc[40];

	json_out_init(&j, to, true);
	json_begin(&j, NULL, '{');
	json_decimal(&j, "timestamp", t->at / 1000, 1000000);
	json_text(&j, "utc", clock_iso_utc(t->real, utc, sizeof(utc)));
	json_int(&j, "index", s->index);
	json_text(&j, "board", s->series[0] ? s->series : s->board);
	json_text(&j, "bdf", s->bdf[0] ? s->bdf : NULL);
	if (t->stand_in)
		json_text(&j, "boards", t->stand_in);
	json_text(&j, "health", snapshot_health_name(s->health));
	if (s->reason[0])
		json_text(&j, "reason", s->reason);
	if (s->note[0])
		json_text(&j, "note", s->note);
	if (s->code != CODE_NONE)
		json_code(&j, s->code);
	if (s->raw.repeated)
		json_bool(&j, "repeated", true);
	put_alerts(&j, s, t);
	put_findings(&j, s);
	if (t->is_late)
		json_decimal(&j, "late", t->late, CLOCK_SECOND);
	if (t->lost)
		json_int(&j, "lost", (int64_t)t->lost);
	if (t->stepped)
		json_decimal(&j, "wall_clock_stepped", t->stepped, CLOCK_SECOND);
	if (s->age)
		json_decimal(&j, "old", s->age, CLOCK_SECOND);
	else if (snapshot_is_live(s))
		json_decimal(&j, "skew_ms", s->skew / 1000, 1000);
	put_delta_readings(&j, s, choice);
	json_end(&j, '}');
	if (to->len > at && to->text[to->len - 1] != '\n')
		strbuf_putc(to, '\n');
}

/* The frame of a snapshot: time, host, chips, processes. */

static void put_host(struct json_out *j, const struct host *h,
	const struct snapshot_json_options *o)
{
	const char *na = "N/A";

	json_begin(j, "host_info", '{');
	json_text(j, "OS", h->os[0] ? h->os : na);
	json_text(j, "Distro", h->distro[0] ? h->distro : na);
	json_text(j, "Kernel", h->kernel[0] ? h->kernel : na);
	json_text(j, "Hostname", h->hostname[0] ? h->hostname : na);
	json_text(j, "Platform", h->platform[0] ? h->platform : na);
	json_text(j, "Python", na);
	json_text(j, "Memory", h->memory[0] ? h->memory : na);
	json_text(j, "Driver", h->driver[0] ? h->driver : na);
	json_end(j, '}');
	json_begin(j, "host_sw_vers", '{');
	json_text(j, "tt_smi", o->version);
	if (o->own_version)
		json_text(j, "implementation", o->own_version);
	json_text(j, "pyluwen", na);
	json_text(j, "tt_umd", na);
	json_end(j, '}');
}

static void put_chips(struct json_out *j, const struct fleet *f,
	const struct snapshot_json_options *o)
{
	json_begin(j, "device_info", '[');
	for (size_t i = 0; i < f->n; i++) {
		const struct snapshot *s = &f->chips[i];

		if (!fleet_shows(f, i, o->local))
			continue;
		json_begin(j, NULL, '{');
		upstream_json_put(j, s, o->external);
		chip_json_put(j, f, s, o);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void put_memory(struct json_out *j, const struct process *p)
{
	char key[32];

	if (!p->has_memory)
		return;
	json_begin(j, "memory", '{');
	for (int k = 0; k < PROCESS_MEMORIES; k++) {
		snprintf(key, sizeof(key), "%s_bytes", process_memory_key((enum process_memory)k));
		json_int(j, key, p->memory[k]);
	}
	json_end(j, '}');
}

static void put_processes(struct json_out *j, const struct fleet *f)
{
	char when[48];

	json_begin(j, "processes", '[');
	for (size_t i = 0; i < f->n_processes; i++) {
		const struct process *p = &f->processes[i];
		size_t at = (size_t)p->device;

		if (p->device < 0 || at >= f->n || !fleet_wants(f, at))
			continue;
		json_begin(j, NULL, '{');
		json_int(j, "pid", p->pid);
		json_text(j, "user", p->user);
		json_int(j, "device", p->device);
		json_text(j, "cmdline", p->command);
		json_text(j, "container", p->container[0] ? p->container : NULL);
		json_text(j, "started", p->started ? clock_iso_utc(p->started, when, sizeof(when)) :
			NULL);
		if (p->pinned >= 0)
			json_int(j, "pinned_bytes", p->pinned);
		else
			json_null(j, "pinned_bytes");
		for (enum field_id id = FIELD_BUSY; id <= FIELD_BUSY_CORES; id++)
			if (fleet_busy(f, p, id) >= 0)
				json_decimal(j, fields[id].key, fleet_busy(f, p, id),
					fields[id].scale);
		put_memory(j, p);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void put_checks(struct json_out *j, const struct host *h)
{
	json_begin(j, "host_checks", '[');
	for (size_t i = 0; i < h->n_checks; i++) {
		json_begin(j, NULL, '{');
		json_text(j, "name", h->checks[i].name);
		json_bool(j, "pass", h->checks[i].verdict != HOST_FAIL);
		json_text(j, "verdict", host_verdict_name(h->checks[i].verdict));
		json_text(j, "text", h->checks[i].text);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void put_not_read(struct json_out *j, const struct fleet *f,
	const struct snapshot_json_options *o)
{
	bool open = false;

	for (size_t i = 0; i < f->n; i++) {
		const struct snapshot *s = &f->chips[i];

		if (!fleet_wants(f, i) || fleet_shows(f, i, o->local))
			continue;
		if (!open)
			json_begin(j, "not_read", '[');
		open = true;
		json_begin(j, NULL, '{');
		json_int(j, "index", s->index);
		json_text(j, "series", s->series[0] ? s->series : "N/A");
		json_text(j, "reason", s->reason[0] ? s->reason : "local chips only (--local)");
		json_code(j, s->code ? s->code : CODE_LEFT_ALONE);
		json_end(j, '}');
	}
	if (open)
		json_end(j, ']');
}

void snapshot_json_put(struct strbuf *to, const struct fleet *f, const struct host *h,
	const struct snapshot_json_options *o)
{
	struct json_out j;
	char time[64];

	json_out_init(&j, to, false);
	json_begin(&j, NULL, '{');
	json_text(&j, "time",
		f->file_time ? f->file_time : clock_iso_local(f->real, time, sizeof(time)));
	put_host(&j, h, o);
	put_chips(&j, f, o);
	put_processes(&j, f);
	json_int(&j, "schema_version", SNAPSHOT_JSON_SCHEMA);
	json_text(&j, "source", f->origin->name);
	json_text(&j, "selection", f->selection && f->selection[0] ? f->selection : NULL);
	json_bool(&j, "processes_partial", f->processes_partial);
	if (f->processes_unknown && f->processes_unknown[0])
		json_text(&j, "processes_unknown", f->processes_unknown);
	put_checks(&j, h);
	put_not_read(&j, f, o);
	json_end(&j, '}');
}

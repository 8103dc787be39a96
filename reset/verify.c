/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verify.c - the evidence that a card is usable: it answers, its firmware's
 * heartbeat moves, and it is as it was before.
 *
 * A finding that health fails (report/finding.c) is missing if the card did not have it before,
 * or if nobody knows; it is noted if the card had it.  Lesser findings are noted.
 */
#include "config.h"
#include "reset/run.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/want.h"
#include "report/finding.h"
#include "telemetry/change.h"
#include "telemetry/link.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define BEATS (500 * CLOCK_MS)	/* every firmware's heartbeat moves several times in that time */

static void __attribute__((format(printf, 3, 4))) miss(struct verify *v, enum code code,
	const char *fmt, ...)
{
	char text[sizeof(v->missing)];
	va_list args;

	v->code = v->missing[0] ? v->code : code;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	text_join(v->missing, sizeof(v->missing), ", ", "%s", text);
}

static void __attribute__((format(printf, 2, 3))) note(struct verify *v, const char *fmt, ...)
{
	char text[sizeof(v->note)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	text_join(v->note, sizeof(v->note), "; ", "%s", text);
}

/* A stale value may be from before the reset, and then proves nothing. */
static bool is_read(const struct verify *v, const struct reading *r)
{
	return reading_has_value(r) && r->time >= v->since;
}

static void check_beat(struct verify *v, const struct snapshot *now)
{
	const struct reading *r = &now->r[FIELD_HEARTBEAT];

	/* Only the firmware knows where a Grayskull's heartbeat is, and it is not always asked. */
	if (v->is_still || (!is_read(v, r) && v->was_heard)) {
		v->is_alive = true;
		return;
	}
	if (!is_read(v, r)) {
		miss(v, CODE_NO_HEARTBEAT, "%s", reading_has_value(r) ? "the firmware's heartbeat "
			"does not move" : "no heartbeat can be read");
		return;
	}
	if (!v->has_beat || v->source != r->source) {
		v->has_beat = true;
		v->source = r->source;
		v->beat = r->value;
		v->heard = now->raw.time;
	} else if (v->beat != r->value) {
		v->is_alive = true;
	}
	v->is_early = !v->is_alive && now->raw.time - v->heard < BEATS;
	if (!v->is_alive)
		miss(v, CODE_NO_HEARTBEAT, "the firmware's heartbeat does not move");
}

static void check_link(struct verify *v, const struct snapshot *now)
{
	const struct snapshot_link *a = &now->link, *b = &v->before->link;
	bool known = snapshot_is_live(v->before) && b->known;
	char is[LINK_TEXT], was[LINK_TEXT];

	/* A second chip has no PCIe link of its own. */
	if (v->is_still || now->local >= 0)
		return;
	if (!a->known) {
		miss(v, CODE_NOT_KNOWN, "the PCIe link is not known");
	} else if (known && (a->speed < b->speed || a->width < b->width)) {
		miss(v, CODE_LINK_SLOW, "PCIe link at %s, was %s", link_text(a->speed, a->width, is,
			sizeof(is)), link_text(b->speed, b->width, was, sizeof(was)));
	} else if (a->downgraded) {
		link_text(a->speed, a->width, is, sizeof(is));
		link_text(a->speed_best, a->width_best, was, sizeof(was));
		if (known)
			note(v, "PCIe link at %s as before, can do %s", is, was);
		else
			miss(v, CODE_LINK_SLOW, "PCIe link at %s, can do %s", is, was);
	}
}

static bool has_finding(const struct snapshot *s, const char *id)
{
	for (size_t i = 0; i < s->n_findings; i++)
		if (strcmp(s->findings[i].id, id) == 0)
			return true;
	return false;
}

/* Whether the tables could not be read before, either, or cannot be, whatever a reset does. */
static bool lacks_tables(const struct verify *v, int code)
{
	const bool was_live = snapshot_is_live(v->before);
	const int before = v->before->raw.table_error.code;

	if (was_live && before == code)
		return !v->is_blind;
	return (!was_live || before) && (code == -EOPNOTSUPP || code == -ENOENT ||
		code == -EACCES || code == -ECANCELED);
}

/* What was not known before, since the card did not answer, it has to have all the same. */
static void check_firmware(struct verify *v, const struct snapshot *now)
{
	const struct reading *memory = &now->r[FIELD_DRAM_STATUS];
	const struct error *e = &now->raw.table_error;

	if (e->code && !lacks_tables(v, e->code))
		miss(v, e->word, "firmware tables: %.100s", e->text);
	else if (!v->was_heard && e->code)
		note(v, "memory and tables not checked: %.100s", e->text);
	if (!is_read(v, memory) && (memory->state != READING_ABSENT ||
		reading_is_ok(&v->before->r[FIELD_DRAM_STATUS])))
		miss(v, CODE_NOT_KNOWN, "the memory's state cannot be read");
	else if (!is_read(v, memory) && !e->code && !v->was_heard)
		note(v, "memory not checked: the firmware does not report it");
}

/* Findings about what the other checks compare; ethernet links are up only later. */
static bool has_own_check(const struct verify *v, const char *id)
{
	return strcmp(id, "heartbeat") == 0 || strcmp(id, "link-downgraded") == 0 ||
		strcmp(id, "tables") == 0 || (strcmp(id, "eth-link") == 0 &&
			reading_has_value(&v->before->r[FIELD_ETH_LINK]) &&
			!has_finding(v->before, id));
}

static void check_findings(struct verify *v, const struct snapshot *now)
{
	for (size_t i = 0; i < now->n_findings; i++) {
		const struct finding *f = &now->findings[i];
		const struct finding_kind *kind = finding_kind(f->id);
		const bool was = has_finding(v->before, f->id);

		if (!kind || has_own_check(v, f->id))
			continue;
		/* A card without its memory is not usable, whatever it was before. */
		if (kind->code == CODE_MEMORY_UNTRAINED || (!was &&
			(kind->result == VERDICT_FAIL || kind->code == CODE_IMPLAUSIBLE)))
			miss(v, kind->code, "%s", f->text);
		else
			note(v, "%s%s", f->text, was ? " (as before)" : "");
	}
}

/*
 * What the findings may take for parts that are off: a chip may have spare ones, and which they
 * are is not always known.
 */
static void check_parts(struct verify *v, const struct snapshot *now)
{
	static const struct {
		enum field_id field;
		const char *finding, *name, *lost;
	} parts[] = {
		{ FIELD_DRAM_TRAINED, "dram", "memory", "no longer trained" },
		{ FIELD_ETH_LIVE, "eth", "ethernet", "no heartbeat any more" },
	};

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		const struct reading *a = &now->r[parts[i].field];
		const struct reading *b = &v->before->r[parts[i].field];
		const uint32_t lost = (uint32_t)(b->value & ~a->value);
		char list[PORT_TEXT];

		if (is_read(v, a) && reading_is_ok(b) && lost &&
			!has_finding(now, parts[i].finding) &&
			!has_finding(v->before, parts[i].finding))
			miss(v, finding_kind(parts[i].finding)->code, "%s channel%s %s: %s",
				parts[i].name, text_plural((size_t)__builtin_popcount(lost)),
				port_mask_text(lost, list, sizeof(list)), parts[i].lost);
	}
}

/* Whether it is the same board, with the same firmware, limits and cores. */
static void check_same(struct verify *v, const struct snapshot *now)
{
	static const struct {
		enum field_id first, last;
	} kept[] = { { FIELD_FW_BUNDLE, FIELD_FW_BUNDLE }, { FIELD_VDD_MIN, FIELD_SHUTDOWN_TEMP },
		{ FIELD_TENSIX_COLS, FIELD_L2CPU_ENABLED } };
	const uint64_t was = snapshot_serial(v->before), is = snapshot_serial(now);
	char a[STRBUF_NUMBER], b[STRBUF_NUMBER];

	if (was && is && was != is)
		miss(v, CODE_MOVED_INDEX, "another board is here: serial %016" PRIx64
			", was %016" PRIx64, is, was);
	else if (now->upi && v->before->upi && now->upi != v->before->upi)
		miss(v, CODE_MOVED_INDEX, "another board is here: %s, was %s", now->board,
			v->before->board);
	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		for (enum field_id id = kept[i].first; id <= kept[i].last; id++) {
			const struct reading *x = &v->before->r[id], *y = &now->r[id];

			if (reading_is_ok(x) && is_read(v, y) && x->value != y->value)
				note(v, "%s is now %s, was %s", fields[id].key, field_text(id, y, a,
					sizeof(a)), field_text(id, x, b, sizeof(b)));
		}
}

/* Blackhole boards without ethernet say that no port is on. */
static bool has_ports(const struct snapshot *s)
{
	const struct reading *on = &s->r[FIELD_ETH_ENABLED];

	return port_any(s) && !(reading_has_value(on) && on->value == 0);
}

static void check_eth(struct verify *v, const struct snapshot *now)
{
	const struct reading *a = &now->r[FIELD_ETH_LINK], *b = &v->before->r[FIELD_ETH_LINK];
	uint32_t lost = reading_has_value(b) ? (uint32_t)b->value : 0;
	char list[PORT_TEXT];

	if (is_read(v, a))
		lost &= ~(uint32_t)a->value;
	if (v->require_links && !reading_has_value(b) && has_ports(now))
		snprintf(v->unproved, sizeof(v->unproved), "the ethernet links cannot be checked: "
			"which were up before is not known");
	if (v->is_still)
		note(v, "heartbeat, messages and PCIe link not checked: the simulator has none");
	else if (v->was_heard && !is_read(v, &now->r[FIELD_HEARTBEAT]))
		note(v, "heartbeat and tables not checked: they are not read here, but the "
			"firmware answers messages");
	if (!lost)
		return;
	port_mask_text(lost, list, sizeof(list));
	if (v->require_links)
		miss(v, CODE_LINK_DOWN, "ethernet links %s are not up", list);
	else
		note(v, "ethernet links %s are not up again yet (--require-links waits for them)",
			list);
}

bool verify_take(struct verify *v, const struct snapshot *now)
{
	v->is_blind = want_is(now->raw.sample_error.code) || want_is(now->raw.table_error.code);
	v->is_early = false;
	v->code = CODE_NONE;
	v->missing[0] = v->unproved[0] = v->note[0] = '\0';
	if (!snapshot_is_live(now)) {
		v->is_alive = v->has_beat = false;
		v->is_early = now->time < v->since;
		miss(v, *now->reason ? now->code : CODE_HUNG, "%s", *now->reason ? now->reason :
			"it does not answer");
		return false;
	}
	if (now->raw.time < v->since) {
		v->is_early = true;
		miss(v, CODE_NOT_READ, "it has not been read since");
		return false;
	}
	check_beat(v, now);
	check_link(v, now);
	check_firmware(v, now);
	check_findings(v, now);
	check_parts(v, now);
	check_same(v, now);
	check_eth(v, now);
	return !*v->missing;
}

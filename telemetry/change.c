/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * change.c - compares cards with an earlier snapshot.
 *
 * change_fields[] says which readings matter.  Fields that are not in it change from sample to
 * sample or follow from those that are.  A reading that only one side has is unknown on the other
 * side, and never taken for the same.
 */
#include "config.h"
#include "telemetry/change.h"

#include "base/mem.h"
#include "telemetry/field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Runs of enum field_id. */
static const struct {
	enum field_id first, last;
} change_fields[] = {
	{ FIELD_FW_BUNDLE, FIELD_SPIBOOTROM_FW },
	{ FIELD_FW_CAPABILITIES, FIELD_FLASH_ID },
	{ FIELD_VDD_MIN, FIELD_SHUTDOWN_TEMP },
	{ FIELD_BOARD_ID, FIELD_BOARD_ID },
	{ FIELD_ASIC_LOCATION, FIELD_ASIC_LOCATION },
	{ FIELD_TENSIX_COLS, FIELD_L2CPU_ENABLED },
	{ FIELD_NOC_TRANSLATION, FIELD_PCIE_USAGE },
	{ FIELD_DRAM_STATUS, FIELD_DRAM_ENABLED },
	{ FIELD_GDDR_CORR_ERRS, FIELD_GDDR_UNCORR_ERRS },
	{ FIELD_ETH_LIVE, FIELD_ETH_ENABLED },
	{ FIELD_THERM_TRIPS, FIELD_THERM_TRIPS },
};

/* Facts that matter besides readings; an empty text means not known. */
static void put_board(const struct snapshot *s, char *text, size_t size)
{
	mem_copy_text(text, size, strcmp(s->series, "N/A") == 0 ? "" : s->series);
}

static void put_chip(const struct snapshot *s, char *text, size_t size)
{
	if (s->chip != DEVICE_UNKNOWN)
		mem_copy_text(text, size, device_chip_name(s->chip));
}

static void put_bdf(const struct snapshot *s, char *text, size_t size)
{
	mem_copy_text(text, size, s->bdf);
}

static void put_speed(const struct snapshot *s, char *text, size_t size)
{
	if (s->link.known && s->link.speed > 0)
		snprintf(text, size, "%d.%d", s->link.speed / 1000, s->link.speed / 100 % 10);
}

static void put_width(const struct snapshot *s, char *text, size_t size)
{
	if (s->link.known && s->link.width > 0)
		snprintf(text, size, "x%d", s->link.width);
}

static const struct {
	const char *key, *title, *unit;
	void (*put)(const struct snapshot *s, char *text, size_t size);
} change_facts[] = {
	{ "board", "Board", "", put_board },
	{ "chip", "Chip", "", put_chip },
	{ "bdf", "Place on the Bus", "", put_bdf },
	{ "link_speed", "PCIe Link Speed", "GT/s", put_speed },
	{ "link_width", "PCIe Link Width", "", put_width },
};

static const struct {
	const char *key, *title;
	size_t at;
} change_hosts[] = {
	{ "driver", "Driver", offsetof(struct host, driver) },
	{ "kernel", "Kernel", offsetof(struct host, kernel) },
	{ "distro", "Distribution", offsetof(struct host, distro) },
};

const char *change_verdict_name(enum change_verdict v)
{
	static const char *const names[CHANGE_VERDICTS] = { "alike", "unknown", "different", "new",
		"gone" };

	return names[v];
}

static struct change *item_add(struct change_item *item, enum change_verdict verdict,
	const char *key, const char *title, const char *unit)
{
	struct change *c;

	item->changes = mem_realloc(item->changes, (item->n + 1) * sizeof(*item->changes));
	c = &item->changes[item->n++];
	*c = (struct change){ .key = key, .title = title, .unit = unit, .verdict = verdict };
	item->has_unknown |= verdict == CHANGE_UNKNOWN;
	if (verdict > item->verdict)
		item->verdict = verdict;
	return c;
}

static void compare_texts(struct change_item *item, const char *key, const char *title,
	const char *unit, const char *was, const char *is)
{
	struct change *c;

	if (strcmp(was, is) == 0)
		return;
	c = item_add(item, *was && *is ? CHANGE_DIFFERENT : CHANGE_UNKNOWN, key, title, unit);
	mem_copy_text(c->was, sizeof(c->was), was);
	mem_copy_text(c->is, sizeof(c->is), is);
}

static void compare_readings(struct change_item *item, enum field_id id,
	const struct reading *was, const struct reading *is)
{
	const bool known = reading_has_value(was) && reading_has_value(is);
	struct change *c;

	if ((known && was->value == is->value) ||
		(was->state == READING_ABSENT && is->state == READING_ABSENT))
		return;
	c = item_add(item, known ? CHANGE_DIFFERENT : CHANGE_UNKNOWN, fields[id].key,
		fields[id].title, fields[id].unit);
	c->is_private = id == FIELD_BOARD_ID || fields[id].engineering;
	if (reading_has_value(was))
		field_text(id, was, c->was, sizeof(c->was));
	if (reading_has_value(is))
		field_text(id, is, c->is, sizeof(c->is));
}

const char *change_trouble(const struct snapshot *s)
{
	if (s->health == SNAPSHOT_OK || s->health == SNAPSHOT_WARN)
		return snapshot_trouble(s);
	return *s->reason ? s->reason : snapshot_health_word(s->health);
}

/* Give the later side's reason if it has one, else the earlier side's; each may be "". */
static void give_reason(struct change_item *item, const struct snapshot *was, const char *why_was,
	const struct snapshot *is, const char *why_is)
{
	if (!*why_was && !*why_is)
		return;
	snprintf(item->why, sizeof(item->why), "%s: %s", *why_is ? "B" : "A", *why_is ? why_is
		: why_was);
	item->code = snapshot_code(*why_is ? is : was);
}

static void compare_chips(struct change_item *item, const struct snapshot *was,
	const struct snapshot *is)
{
	const char *trouble_was = change_trouble(was), *trouble_is = change_trouble(is);

	if (trouble_was || trouble_is) {
		item->verdict = CHANGE_UNKNOWN;
		give_reason(item, was, trouble_was ? trouble_was : "", is,
			trouble_is ? trouble_is : "");
	}
	for (size_t i = 0; i < ARRAY_LEN(change_facts); i++) {
		char a[96] = "", b[96] = "";

		change_facts[i].put(was, a, sizeof(a));
		change_facts[i].put(is, b, sizeof(b));
		if (!*item->why || (*a && *b))
			compare_texts(item, change_facts[i].key, change_facts[i].title,
				change_facts[i].unit, a, b);
	}
	if (*item->why || was->chip != is->chip)
		return;
	for (size_t i = 0; i < ARRAY_LEN(change_fields); i++)
		for (enum field_id id = change_fields[i].first; id <= change_fields[i].last; id++)
			compare_readings(item, id, &was->r[id], &is->r[id]);
	/* A note says that tables were not read: values that neither side has may still exist. */
	if (item->verdict == CHANGE_ALIKE && (*was->note || *is->note))
		item->verdict = CHANGE_UNKNOWN;
	if (item->verdict == CHANGE_UNKNOWN || item->has_unknown)
		give_reason(item, was, was->note, is, is->note);
}

/* Matching cards. */

/* The place on the bus; of a second chip that of the first chip on its board. */
static const char *place_of(const struct change_side *side, const struct snapshot *s)
{
	return snapshot_first(side->chips, side->n, s)->bdf;
}

static bool is_same_part(const struct snapshot *a, const struct snapshot *b)
{
	const struct reading *x = &a->r[FIELD_ASIC_LOCATION], *y = &b->r[FIELD_ASIC_LOCATION];

	return (a->local >= 0) == (b->local >= 0) &&
		(!reading_has_value(x) || !reading_has_value(y) || x->value == y->value);
}

static bool is_same_serial(const struct change_side *was, size_t a, const struct change_side *is,
	size_t b)
{
	const struct snapshot *x = &was->chips[a], *y = &is->chips[b];

	return snapshot_serial(x) && snapshot_serial(x) == snapshot_serial(y) && is_same_part(x, y);
}

static bool is_same_place(const struct change_side *was, size_t a, const struct change_side *is,
	size_t b)
{
	const char *place = place_of(was, &was->chips[a]);

	return *place && strcmp(place, place_of(is, &is->chips[b])) == 0 &&
		(was->chips[a].local >= 0) == (is->chips[b].local >= 0);
}

static bool is_same_card(const struct change_side *was, size_t a, const struct change_side *is,
	size_t b)
{
	return is_same_serial(was, a, is, b) && is_same_place(was, a, is, b);
}

static bool has_no_name(const struct change_side *side, const struct snapshot *s)
{
	return !snapshot_serial(s) && !*place_of(side, s);
}

static bool is_same_index(const struct change_side *was, size_t a, const struct change_side *is,
	size_t b)
{
	const struct snapshot *x = &was->chips[a], *y = &is->chips[b];

	return a == b && x->chip == y->chip && has_no_name(was, x) && has_no_name(is, y);
}

/* The surest way first. */
static bool (*const matches[])(const struct change_side *, size_t, const struct change_side *,
	size_t) = { is_same_card, is_same_serial, is_same_place, is_same_index };

void change_match(const struct change_side *was, const struct change_side *is, int *of_was,
	int *of_is)
{
	for (size_t b = 0; b < is->n; b++)
		of_is[b] = -1;
	for (size_t a = 0; a < was->n; a++)
		of_was[a] = -1;
	for (size_t m = 0; m < ARRAY_LEN(matches); m++)
		for (size_t a = 0; a < was->n; a++)
			for (size_t b = 0; b < is->n && of_was[a] < 0; b++)
				if (of_is[b] < 0 && matches[m](was, a, is, b)) {
					of_was[a] = (int)b;
					of_is[b] = (int)a;
				}
}

int change_first(const struct change_side *side, size_t at, const int *of_other)
{
	const int local = side->chips[at].local;

	return local >= 0 && (size_t)local < side->n ? of_other[local] : -1;
}

bool change_wants(const struct change_side *side, size_t at)
{
	return !side->wanted || side->wanted[at];
}

enum code change_unseen(const struct change_side *side, size_t at, const struct change_side *other,
	const int *of_other)
{
	const int first = change_first(side, at, of_other);
	const int there = of_other[at] >= 0 ? of_other[at] : first;

	if (there >= 0 && !change_wants(other, (size_t)there))
		return CODE_HIDDEN;
	if (first >= 0 && (change_trouble(&other->chips[first]) || *other->chips[first].note))
		return CODE_SECOND_CHIP;
	return other->selection && *other->selection && strcmp(other->selection, side->selection ?
		side->selection : "") != 0 ? CODE_HIDDEN : CODE_NONE;
}

static void judge_absent(struct change_item *item, const struct change_side *side, size_t at,
	const struct change_side *other, const int *of_other)
{
	const char name = item->is < 0 ? 'B' : 'A';

	item->code = change_unseen(side, at, other, of_other);
	if (item->code == CODE_NONE)
		return;
	item->verdict = CHANGE_UNKNOWN;
	snprintf(item->why, sizeof(item->why), "%c: %s", name, item->code == CODE_HIDDEN ?
		"it was not asked for" : "the chip that leads to it was not read");
}

static void take_item(struct change_report *r, struct change_item item)
{
	r->differs |= item.verdict >= CHANGE_DIFFERENT;
	r->unknown |= item.verdict == CHANGE_UNKNOWN || *item.why || item.has_unknown;
	if (item.was < 0 && item.is < 0) {
		r->host = item;
		return;
	}
	r->count[item.verdict]++;
	r->cards[r->n++] = item;
}

static void compare_hosts(struct change_report *r, const struct host *was, const struct host *is)
{
	struct change_item item = { .was = -1, .is = -1 };

	for (size_t i = 0; i < ARRAY_LEN(change_hosts); i++)
		compare_texts(&item, change_hosts[i].key, change_hosts[i].title, "",
			(const char *)was + change_hosts[i].at,
			(const char *)is + change_hosts[i].at);
	take_item(r, item);
}

void change_find(const struct change_side *was, const struct change_side *is,
	struct change_report *r)
{
	int *of_was = mem_calloc(was->n + 1, sizeof(*of_was));
	int *of_is = mem_calloc(is->n + 1, sizeof(*of_is));

	*r = (struct change_report){
		.cards = mem_calloc(was->n + is->n + 1, sizeof(*r->cards)) };
	compare_hosts(r, was->host, is->host);
	change_match(was, is, of_was, of_is);
	for (size_t b = 0; b < is->n; b++) {
		struct change_item item = { .was = of_is[b], .is = (int)b, .verdict = CHANGE_NEW };
		const bool is_wanted = change_wants(is, b);

		if (!is_wanted || snapshot_is_gone(&is->chips[b])) {
			if (item.was < 0)
				continue;
			item.is = -1;
			item.verdict = CHANGE_GONE;
			if (!is_wanted)
				judge_absent(&item, was, (size_t)item.was, is, of_was);
		} else if (item.was >= 0) {
			item.verdict = CHANGE_ALIKE;
			compare_chips(&item, &was->chips[item.was], &is->chips[b]);
		} else {
			judge_absent(&item, is, b, was, of_is);
		}
		take_item(r, item);
	}
	for (size_t a = 0; a < was->n; a++) {
		struct change_item item = { .was = (int)a, .is = -1, .verdict = CHANGE_GONE };

		if (of_was[a] >= 0)
			continue;
		judge_absent(&item, was, a, is, of_was);
		take_item(r, item);
	}
	free(of_was);
	free(of_is);
}

void change_clear(struct change_report *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->cards[i].changes);
	free(r->cards);
	free(r->host.changes);
	*r = (struct change_report){ .n = 0 };
}

void change_leave_out(struct change_report *r)
{
	for (size_t i = 0; i < r->n; i++)
		for (size_t k = 0; k < r->cards[i].n; k++) {
			struct change *c = &r->cards[i].changes[k];

			if (c->is_private && *c->was)
				mem_copy_text(c->was, sizeof(c->was), "left out");
			if (c->is_private && *c->is)
				mem_copy_text(c->is, sizeof(c->is), "left out");
		}
}

bool change_is_same(const struct change_item *a, const struct change_item *b)
{
	if (a->verdict != b->verdict || a->n != b->n || strcmp(a->why, b->why) != 0)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->changes[i].key != b->changes[i].key ||
			strcmp(a->changes[i].was, b->changes[i].was) != 0 ||
			strcmp(a->changes[i].is, b->changes[i].is) != 0)
			return false;
	return true;
}

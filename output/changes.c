/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * changes.c - --compare: changes between two snapshots, as text and as JSON.  Cards with the same
 * changes share their lines: new firmware on 32 cards is listed once.
 */
#include "config.h"
#include "output/text.h"

#include "base/json.h"
#include "base/text.h"
#include "output/tick.h"
#include "telemetry/change.h"

#include <stdio.h>

#define WIDTH 28	/* of a title */
#define NAMED 6		/* unknown keys that are named; the others are counted */

/* The verdict on all together: "alike", "different" or "unknown". */
static const char *verdict_of(const struct change_report *r)
{
	return change_verdict_name(r->differs ? CHANGE_DIFFERENT : r->unknown ? CHANGE_UNKNOWN
		: CHANGE_ALIKE);
}

static const struct snapshot *chip_of(const struct changes *p, const struct change_item *c)
{
	return c->is >= 0 ? &p->sides[1]->chips[c->is] : &p->sides[0]->chips[c->was];
}

/* "3 0000:41:00.0 p150a 0100047131914026" */
static void put_changed_card(struct strbuf *to, const struct changes *p,
	const struct change_item *c)
{
	const struct snapshot *s = chip_of(p, c);
	char text[32];
	const char *serial = card_name_serial(s, p->external, text, sizeof(text));

	card_name_put(to, s);
	if (serial)
		strbuf_printf(to, " %s", serial);
}

static void put_text_changes(struct strbuf *to, const struct change_item *item)
{
	for (size_t i = 0; i < item->n; i++) {
		const struct change *c = &item->changes[i];

		if (c->verdict != CHANGE_DIFFERENT)
			continue;
		strbuf_printf(to, "    %-*s ", WIDTH, c->title);
		text_put_plain(to, c->was);
		text_put_plain_in(to, " -> ", c->is, *c->unit ? " " : "");
		strbuf_printf(to, "%s\n", c->unit);
	}
}

/* "not known in B: dram_speed, gddr_fw and 12 more" */
static void put_unknown(struct strbuf *to, const struct change_item *item, bool of_was)
{
	size_t n = 0;

	for (size_t i = 0; i < item->n; i++) {
		const struct change *c = &item->changes[i];

		if (c->verdict != CHANGE_UNKNOWN || *(of_was ? c->was : c->is))
			continue;
		if (n == 0)
			strbuf_printf(to, "    not known in %c: ", of_was ? 'A' : 'B');
		if (n < NAMED)
			strbuf_printf(to, "%s%s", n > 0 ? ", " : "", c->key);
		n++;
	}
	if (n > NAMED)
		strbuf_printf(to, " and %zu more", n - NAMED);
	if (n > 0)
		strbuf_putc(to, '\n');
}

static void put_item(struct strbuf *to, const struct change_item *item)
{
	if (*item->why)
		text_put_plain_in(to, "    ", item->why, "\n");
	put_text_changes(to, item);
	put_unknown(to, item, true);
	put_unknown(to, item, false);
}

static bool was_put(const struct change_report *r, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (change_is_same(&r->cards[i], &r->cards[at]))
			return true;
	return false;
}

/* All cards with the same changes, then these changes. */
static void put_cards(struct strbuf *to, const struct changes *p, size_t from)
{
	const struct change_report *r = p->report;

	for (size_t i = from; i < r->n; i++) {
		if (!change_is_same(&r->cards[from], &r->cards[i]))
			continue;
		strbuf_printf(to, "%-9s ", change_verdict_name(r->cards[i].verdict));
		put_changed_card(to, p, &r->cards[i]);
		strbuf_putc(to, '\n');
	}
	put_item(to, &r->cards[from]);
}

static void put_side(struct strbuf *to, const struct changes *p, int side)
{
	text_put_plain_in(to, side == 0 ? "A: " : "B: ", p->names[side],
		*p->times[side] ? ", " : "");
	text_put_plain(to, p->times[side]);
	strbuf_printf(to, ", %zu chip%s\n", p->sides[side]->n, text_plural(p->sides[side]->n));
}

void changes_put_text(struct strbuf *to, const struct changes *p)
{
	const struct change_report *r = p->report;
	const char *before = "";

	strbuf_printf(to, "compare: %s: host %s; ", verdict_of(r),
		change_verdict_name(r->host.verdict));
	for (int v = CHANGE_GONE; v >= CHANGE_ALIKE; v--)
		text_put_count(to, &before, r->count[v],
			change_verdict_name((enum change_verdict)v));
	strbuf_puts(to, *before ? "\n" : "no card on either side\n");
	put_side(to, p, 0);
	put_side(to, p, 1);
	if (r->host.verdict != CHANGE_ALIKE) {
		strbuf_printf(to, "%-9s host\n", change_verdict_name(r->host.verdict));
		put_item(to, &r->host);
	}
	for (int v = CHANGE_GONE; v > CHANGE_ALIKE; v--)
		for (size_t i = 0; i < r->n; i++)
			if (r->cards[i].verdict == (enum change_verdict)v && !was_put(r, i))
				put_cards(to, p, i);
}

static void put_json_changes(struct json_out *j, const struct change_item *item)
{
	json_begin(j, "changes", '[');
	for (size_t i = 0; i < item->n; i++) {
		const struct change *c = &item->changes[i];

		json_begin(j, NULL, '{');
		json_text(j, "key", c->key);
		json_text(j, "title", c->title);
		json_text(j, "unit", c->unit);
		json_text(j, "verdict", change_verdict_name(c->verdict));
		json_text(j, "a", *c->was ? c->was : NULL);
		json_text(j, "b", *c->is ? c->is : NULL);
		json_end(j, '}');
	}
	json_end(j, ']');
}

/* The card's name on one side. */
static void put_name(struct json_out *j, const char *key, const struct changes *p, int side,
	int at)
{
	if (at < 0) {
		json_null(j, key);
		return;
	}
	json_begin(j, key, '{');
	card_name_put_json(j, &p->sides[side]->chips[at], p->external);
	json_end(j, '}');
}

static void put_json_side(struct json_out *j, const char *key, const struct changes *p,
	int side)
{
	json_begin(j, key, '{');
	json_text(j, "name", p->names[side]);
	json_text(j, "time", *p->times[side] ? p->times[side] : NULL);
	json_int(j, "chips", (int64_t)p->sides[side]->n);
	json_end(j, '}');
}

void changes_put_json(struct strbuf *to, const struct changes *p)
{
	const struct change_report *r = p->report;
	struct json_out j;

	json_out_init(&j, to, false);
	json_begin(&j, NULL, '{');
	json_int(&j, "schema_version", 1);
	json_text(&j, "verdict", verdict_of(r));
	json_int(&j, "exit_code", p->code);
	put_json_side(&j, "a", p, 0);
	put_json_side(&j, "b", p, 1);
	json_begin(&j, "counts", '{');
	for (int v = CHANGE_GONE; v >= CHANGE_ALIKE; v--)
		json_int(&j, change_verdict_name((enum change_verdict)v), (int64_t)r->count[v]);
	json_end(&j, '}');
	json_begin(&j, "host", '{');
	json_text(&j, "verdict", change_verdict_name(r->host.verdict));
	put_json_changes(&j, &r->host);
	json_end(&j, '}');
	json_begin(&j, "cards", '[');
	for (size_t i = 0; i < r->n; i++) {
		json_begin(&j, NULL, '{');
		json_text(&j, "verdict", change_verdict_name(r->cards[i].verdict));
		json_text(&j, "reason", *r->cards[i].why ? r->cards[i].why : NULL);
		json_code(&j, r->cards[i].code);
		put_name(&j, "a", p, 0, r->cards[i].was);
		put_name(&j, "b", p, 1, r->cards[i].is);
		put_json_changes(&j, &r->cards[i]);
		json_end(&j, '}');
	}
	json_end(&j, ']');
	json_end(&j, '}');
}

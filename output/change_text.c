/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * change_text.c - cards that changed in the same way share the lines that list the changes, so
 * that new firmware on 32 cards is listed once.
 */
#include "config.h"
#include "output/change_text.h"

#include "base/text.h"
#include "output/card_name.h"

#include <stdio.h>
#include <string.h>

#define WIDTH 28	/* of a title */
#define NAMED 6		/* unknown keys that are named; the others are counted */

const char *change_text_verdict(const struct change_report *r)
{
	return change_verdict_name(r->differs ? CHANGE_DIFFERENT : r->unknown ? CHANGE_UNKNOWN
		: CHANGE_ALIKE);
}

static const struct snapshot *chip_of(const struct change_print *p, const struct change_item *c)
{
	return c->is >= 0 ? &p->sides[1]->chips[c->is] : &p->sides[0]->chips[c->was];
}

/* "3 0000:41:00.0 p150a 0100047131914026" */
static void put_card(struct strbuf *to, const struct change_print *p, const struct change_item *c)
{
	const struct snapshot *s = chip_of(p, c);
	char text[32];
	const char *serial = card_name_serial(s, p->external, text, sizeof(text));

	card_name_put(to, s);
	if (serial)
		strbuf_printf(to, " %s", serial);
}

static void put_changes(struct strbuf *to, const struct change_item *item)
{
	for (size_t i = 0; i < item->n; i++) {
		const struct change *c = &item->changes[i];

		if (c->verdict != CHANGE_DIFFERENT)
			continue;
		strbuf_printf(to, "    %-*s ", WIDTH, c->title);
		text_put_plain(to, c->was);
		strbuf_puts(to, " -> ");
		text_put_plain(to, c->is);
		strbuf_printf(to, "%s%s\n", *c->unit ? " " : "", c->unit);
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
	if (*item->why) {
		strbuf_puts(to, "    ");
		text_put_plain(to, item->why);
		strbuf_putc(to, '\n');
	}
	put_changes(to, item);
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
static void put_cards(struct strbuf *to, const struct change_print *p, size_t from)
{
	const struct change_report *r = p->report;

	for (size_t i = from; i < r->n; i++) {
		if (!change_is_same(&r->cards[from], &r->cards[i]))
			continue;
		strbuf_printf(to, "%-9s ", change_verdict_name(r->cards[i].verdict));
		put_card(to, p, &r->cards[i]);
		strbuf_putc(to, '\n');
	}
	put_item(to, &r->cards[from]);
}

static void put_side(struct strbuf *to, const struct change_print *p, int side)
{
	strbuf_printf(to, "%c: ", "AB"[side]);
	text_put_plain(to, p->names[side]);
	if (*p->times[side]) {
		strbuf_puts(to, ", ");
		text_put_plain(to, p->times[side]);
	}
	strbuf_printf(to, ", %zu chip%s\n", p->sides[side]->n, p->sides[side]->n == 1 ? "" : "s");
}

void change_text_put(struct strbuf *to, const struct change_print *p)
{
	const struct change_report *r = p->report;
	const char *between = "";

	strbuf_printf(to, "compare: %s: host %s; ", change_text_verdict(r),
		change_verdict_name(r->host.verdict));
	for (int v = CHANGE_GONE; v >= CHANGE_ALIKE; v--)
		if (r->count[v] > 0) {
			strbuf_printf(to, "%s%zu %s", between, r->count[v],
				change_verdict_name((enum change_verdict)v));
			between = ", ";
		}
	strbuf_puts(to, *between ? "\n" : "no card on either side\n");
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

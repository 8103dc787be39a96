/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * links.c - changes between two snapshots, and ports and their links, as text and as JSON.
 */
#include "config.h"
#include "output/text.h"

#include "base/json.h"
#include "base/text.h"
#include "output/sink.h"
#include "telemetry/change.h"

#include <stdio.h>
#include <string.h>

/* Cards with the same changes share their lines: new firmware on 32 cards is listed once. */

#define WIDTH 28	/* of a title */
#define NAMED 6		/* unknown keys that are named; the others are counted */

/* The verdict on all together: "alike", "different" or "unknown". */
static const char *change_text_verdict(const struct change_report *r)
{
	return change_verdict_name(r->differs ? CHANGE_DIFFERENT : r->unknown ? CHANGE_UNKNOWN
		: CHANGE_ALIKE);
}

static const struct snapshot *chip_of(const struct change_print *p, const struct change_item *c)
{
	return c->is >= 0 ? &p->sides[1]->chips[c->is] : &p->sides[0]->chips[c->was];
}

/* "3 0000:41:00.0 p150a 0100047131914026" */
static void put_changed_card(struct strbuf *to, const struct change_print *p,
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
static void put_cards(struct strbuf *to, const struct change_print *p, size_t from)
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
static void put_name(struct json_out *j, const char *key, const struct change_print *p, int side,
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

static void put_json_side(struct json_out *j, const char *key, const struct change_print *p,
	int side)
{
	json_begin(j, key, '{');
	json_text(j, "name", p->names[side]);
	json_text(j, "time", *p->times[side] ? p->times[side] : NULL);
	json_int(j, "chips", (int64_t)p->sides[side]->n);
	json_end(j, '}');
}

void change_json_put(struct strbuf *to, const struct change_print *p)
{
	const struct change_report *r = p->report;
	struct json_out j;

	json_out_init(&j, to, false);
	json_begin(&j, NULL, '{');
	json_int(&j, "schema_version", 1);
	json_text(&j, "verdict", change_text_verdict(r));
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

static void put_port(struct json_out *j, const struct snapshot *chips, size_t at,
	const struct port *p)
{
	char core[16];

	snprintf(core, sizeof(core), "%u-%u", p->x, p->y);
	json_begin(j, NULL, '{');
	json_int(j, "port", (int64_t)at);
	json_text(j, "core", core);
	json_text(j, "state", port_state_name(p->state));
	json_text(j, "medium", port_medium_name(p->medium));
	if (p->partner < 0) {
		json_null(j, "partner");
	} else {
		json_begin(j, "partner", '{');
		json_int(j, "index", chips[p->partner].index);
		json_int(j, "port", p->partner_port);
		json_end(j, '}');
	}
	json_end(j, '}');
}

static void put_json_card(struct json_out *j, const struct links *l, size_t at)
{
	const struct snapshot *s = &l->now.chips[at];
	const char *trouble = change_trouble(s);
	struct port ports[PORT_MOST];
	const size_t n = trouble ? 0 : port_list(l->now.chips, l->now.n, at, ports);

	json_begin(j, NULL, '{');
	card_name_put_json(j, s, l->external);
	json_text(j, "reason", trouble ? trouble : *s->note ? s->note : NULL);
	json_code(j, snapshot_code(s));
	json_begin(j, "ports", '[');
	for (size_t p = 0; p < n; p++)
		put_port(j, l->now.chips, p, &ports[p]);
	json_end(j, ']');
	json_end(j, '}');
}

static void put_mask(struct json_out *j, const char *key, uint32_t mask)
{
	json_begin(j, key, '[');
	for (int p = 0; p < PORT_MOST; p++)
		if (mask >> p & 1)
			json_int(j, NULL, p);
	json_end(j, ']');
}

static void put_changes(struct json_out *j, const struct links *l)
{
	const struct port_report *r = l->report;

	json_begin(j, "against", '{');
	json_text(j, "name", l->against);
	json_int(j, "lost", (int64_t)r->lost);
	json_int(j, "new", (int64_t)r->found);
	json_bool(j, "all_known", !r->unknown);
	json_begin(j, "cards", '[');
	for (size_t i = 0; i < r->n; i++) {
		const struct port_change *c = &r->cards[i];

		json_begin(j, NULL, '{');
		card_name_put_json(j, c->is >= 0 ? &l->now.chips[c->is] :
			&l->before.chips[c->was], l->external);
		json_text(j, "reason", c->why);
		json_code(j, c->code);
		put_mask(j, "lost", c->lost);
		put_mask(j, "unknown", c->unknown);
		put_mask(j, "new", c->found);
		json_end(j, '}');
	}
	json_end(j, ']');
	json_end(j, '}');
}

void links_put_json(struct strbuf *to, const struct links *l)
{
	struct json_out j;

	json_out_init(&j, to, false);
	json_begin(&j, NULL, '{');
	json_int(&j, "schema_version", 1);
	json_int(&j, "exit_code", l->code);
	json_begin(&j, "cards", '[');
	for (size_t i = 0; i < l->now.n; i++)
		if (!l->wanted || l->wanted[i])
			put_json_card(&j, l, i);
	json_end(&j, ']');
	if (l->against)
		put_changes(&j, l);
	json_end(&j, '}');
}

/* Ports of a card that are in one state and lead to the same place share a line. */
static void put_run(struct strbuf *to, const struct snapshot *chips, const struct port_run *run)
{
	char text[PORT_TEXT];

	strbuf_printf(to, "    %-8s %s", port_state_word(run->state),
		port_mask_text(run->ports, text, sizeof(text)));
	if (run->state != PORT_UNUSED && run->medium == PORT_CABLE)
		strbuf_puts(to, ", cable");
	if (run->medium == PORT_BOARD)
		strbuf_puts(to, ", on the board");
	if (run->medium == PORT_BOARD && run->partner >= 0) {
		strbuf_puts(to, " to ");
		card_name_put(to, &chips[run->partner]);
		strbuf_printf(to, ", port %s",
			port_mask_text(run->partner_ports, text, sizeof(text)));
	}
	strbuf_putc(to, '\n');
}

static void put_card(struct strbuf *to, const struct links *l, size_t at)
{
	const struct snapshot *s = &l->now.chips[at];
	const char *trouble = change_trouble(s);
	struct port ports[PORT_MOST];
	struct port_run runs[PORT_MOST];
	const size_t n = trouble ? 0 : port_list(l->now.chips, l->now.n, at, ports);
	const size_t n_runs = port_runs(ports, n, runs);

	card_name_put(to, s);
	strbuf_putc(to, '\n');
	for (size_t k = 0; k < n_runs; k++)
		put_run(to, l->now.chips, &runs[k]);
	if (n == 0 && !trouble && !port_any(s)) {
		strbuf_puts(to, "    it has no ports\n");
	} else if (n == 0) {
		strbuf_puts(to, "    not known: ");
		text_put_plain(to, trouble ? trouble : *s->note ? s->note :
			"its firmware says nothing of ports");
		strbuf_putc(to, '\n');
	}
}

static void put_counts(struct strbuf *to, const struct links *l)
{
	size_t count[PORT_STATES] = { 0 }, cards = 0;
	const char *between = "links: ";

	for (size_t i = 0; i < l->now.n; i++) {
		struct port ports[PORT_MOST];
		size_t n;

		if (l->wanted && !l->wanted[i])
			continue;
		cards++;
		n = change_trouble(&l->now.chips[i]) ? 0 : port_list(l->now.chips, l->now.n, i,
			ports);
		for (size_t p = 0; p < n; p++)
			count[ports[p].state]++;
	}
	for (int k = PORT_STATES - 1; k >= 0; k--)
		if (count[k] > 0) {
			strbuf_printf(to, "%s%zu %s", between, count[k], k == PORT_UNKNOWN ?
				"unknown" : port_state_word((enum port_state)k));
			between = ", ";
		}
	strbuf_printf(to, "%s; %zu chip%s\n", strcmp(between, ", ") == 0 ? "" :
		"links: no port is known", cards, cards == 1 ? "" : "s");
}

static void put_change(struct strbuf *to, const struct links *l, const struct port_change *c)
{
	static const struct {
		const char *word;
		size_t at;
	} kinds[] = {
		{ "LOST", offsetof(struct port_change, lost) },
		{ "unknown", offsetof(struct port_change, unknown) },
		{ "new", offsetof(struct port_change, found) },
	};
	char text[PORT_TEXT];

	if (!c->lost && !c->unknown && !c->found && !(c->why && c->is >= 0))
		return;
	card_name_put(to, c->is >= 0 ? &l->now.chips[c->is] : &l->before.chips[c->was]);
	if (c->why) {
		strbuf_puts(to, ": ");
		text_put_plain(to, c->why);
	}
	strbuf_putc(to, '\n');
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		uint32_t mask;

		memcpy(&mask, (const char *)c + kinds[k].at, sizeof(mask));
		if (mask)
			strbuf_printf(to, "    %-8s %s\n", kinds[k].word,
				port_mask_text(mask, text, sizeof(text)));
	}
}

/* Compared with a file, only show what happened to the links. */
void links_put_text(struct strbuf *to, const struct links *l)
{
	if (!l->against) {
		put_counts(to, l);
		for (size_t i = 0; i < l->now.n; i++)
			if (!l->wanted || l->wanted[i])
				put_card(to, l, i);
		return;
	}
	strbuf_printf(to, "links: %zu lost, %zu new%s, against ", l->report->lost,
		l->report->found, l->report->unknown ? ", not all known" : "");
	text_put_plain(to, l->against);
	strbuf_putc(to, '\n');
	for (size_t i = 0; i < l->report->n; i++)
		put_change(to, l, &l->report->cards[i]);
}

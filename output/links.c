/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * links.c - --links: ports and their links, as text and as JSON.
 */
#include "config.h"
#include "output/text.h"

#include "base/json.h"
#include "base/text.h"
#include "output/tick.h"
#include "telemetry/change.h"

#include <stdio.h>
#include <string.h>

/* The ports of a card; 0: it has none, or they are not known. */
static size_t ports_of(const struct links *l, size_t at, struct port ports[static PORT_MOST])
{
	return change_trouble(&l->now.chips[at]) ? 0
		: port_list(l->now.chips, l->now.n, at, ports);
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
		if (p->partner_port < 0)
			json_null(j, "port");
		else
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
	const size_t n = ports_of(l, at, ports);

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

static const struct snapshot *changed_chip(const struct links *l, const struct port_change *c)
{
	return c->is >= 0 ? &l->now.chips[c->is] : &l->before.chips[c->was];
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
		card_name_put_json(j, changed_chip(l, c), l->external);
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
		if (change_wants(&l->now, i))
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
	if (run->medium == PORT_TRAY)
		strbuf_puts(to, ", to another tray");
	if (run->medium == PORT_BOARD)
		strbuf_puts(to, ", on the board");
	if (run->medium == PORT_BOARD && run->partner >= 0) {
		strbuf_puts(to, " to ");
		card_name_put(to, &chips[run->partner]);
		if (run->partner_ports)
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
		text_put_plain_in(to, "    not known: ", trouble ? trouble : *s->note ? s->note :
			"its firmware says nothing of ports", "\n");
	}
}

static void put_counts(struct strbuf *to, const struct links *l)
{
	size_t count[PORT_STATES] = { 0 }, cards = 0;
	const char *before = "links: ";

	for (size_t i = 0; i < l->now.n; i++) {
		struct port ports[PORT_MOST];
		const size_t n = change_wants(&l->now, i) ? ports_of(l, i, ports) : 0;

		cards += change_wants(&l->now, i);
		for (size_t p = 0; p < n; p++)
			count[ports[p].state]++;
	}
	for (int k = PORT_STATES - 1; k >= 0; k--)
		text_put_count(to, &before, count[k], port_state_word((enum port_state)k));
	strbuf_printf(to, "%s; %zu chip%s\n", strcmp(before, ", ") == 0 ? "" :
		"links: no port is known", cards, text_plural(cards));
}

static void put_ports(struct strbuf *to, const char *word, uint32_t mask)
{
	char text[PORT_TEXT];

	if (mask)
		strbuf_printf(to, "    %-8s %s\n", word,
			port_mask_text(mask, text, sizeof(text)));
}

static void put_change(struct strbuf *to, const struct links *l, const struct port_change *c)
{
	if (!c->lost && !c->unknown && !c->found && !(c->why && c->is >= 0))
		return;
	card_name_put(to, changed_chip(l, c));
	text_put_plain_in(to, c->why ? ": " : "", c->why ? c->why : "", "\n");
	put_ports(to, "LOST", c->lost);
	put_ports(to, "unknown", c->unknown);
	put_ports(to, "new", c->found);
}

/* Compared with a file, only show what happened to the links. */
void links_put_text(struct strbuf *to, const struct links *l)
{
	if (!l->against) {
		put_counts(to, l);
		for (size_t i = 0; i < l->now.n; i++)
			if (change_wants(&l->now, i))
				put_card(to, l, i);
		return;
	}
	strbuf_printf(to, "links: %zu lost, %zu new%s", l->report->lost, l->report->found,
		l->report->unknown ? ", not all known" : "");
	text_put_plain_in(to, ", against ", l->against, "\n");
	for (size_t i = 0; i < l->report->n; i++)
		put_change(to, l, &l->report->cards[i]);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * links.c - ports of a card that are in one state and lead to the same place share a line.
 */
#include "config.h"
#include "output/links.h"

#include "base/text.h"
#include "output/card_name.h"

#include <stdio.h>
#include <string.h>

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

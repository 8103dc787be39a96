/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * links.c - a card has at most a line for each state of its ports, however many ports it has.
 */
#include "config.h"
#include "output/links.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* Trouble first. */
static const enum port_state order[PORT_STATES] = { PORT_DOWN, PORT_NO_LINK, PORT_UP, PORT_ALIVE,
	PORT_UNKNOWN, PORT_UNUSED };

static void put_plain(struct strbuf *to, const char *text)
{
	char plain[512];

	strbuf_puts(to, text_plain(plain, sizeof(plain), text));
}

/* "3 0000:41:00.0 p150a" */
static void put_name(struct strbuf *to, const struct snapshot *s)
{
	strbuf_printf(to, "%d ", s->index);
	put_plain(to, *s->bdf ? s->bdf : "second chip");
	strbuf_putc(to, ' ');
	put_plain(to, s->series);
}

/* Ports in one state that lead to the same. */
static void put_ports(struct strbuf *to, const struct snapshot *chips, const struct port *ports,
	size_t n, enum port_state state, enum port_medium medium)
{
	uint32_t mine = 0, others = 0;
	const struct port *any = NULL;
	char text[PORT_TEXT];

	for (size_t p = 0; p < n; p++)
		if (ports[p].state == state && ports[p].medium == medium) {
			any = &ports[p];
			mine |= 1U << p;
			if (any->partner_port >= 0)
				others |= 1U << any->partner_port;
		}
	if (!any)
		return;
	strbuf_printf(to, "    %-8s %s", port_state_word(state),
		port_mask_text(mine, text, sizeof(text)));
	if (state != PORT_UNUSED && medium == PORT_CABLE)
		strbuf_puts(to, ", cable");
	if (medium == PORT_BOARD)
		strbuf_puts(to, ", on the board");
	if (medium == PORT_BOARD && any->partner >= 0) {
		strbuf_puts(to, " to ");
		put_name(to, &chips[any->partner]);
		strbuf_printf(to, ", port %s", port_mask_text(others, text, sizeof(text)));
	}
	strbuf_putc(to, '\n');
}

static void put_card(struct strbuf *to, const struct links *l, size_t at)
{
	const struct snapshot *s = &l->now.chips[at];
	const char *trouble = change_trouble(s);
	struct port ports[PORT_MOST];
	const size_t n = trouble ? 0 : port_list(l->now.chips, l->now.n, at, ports);

	put_name(to, s);
	strbuf_putc(to, '\n');
	for (int k = 0; k < PORT_STATES; k++)
		for (int m = PORT_BOARD; m >= PORT_ANYWHERE; m--)
			put_ports(to, l->now.chips, ports, n, order[k], (enum port_medium)m);
	if (n == 0 && !trouble && !port_any(s)) {
		strbuf_puts(to, "    it has no ports\n");
	} else if (n == 0) {
		strbuf_puts(to, "    not known: ");
		put_plain(to, trouble ? trouble : *s->note ? s->note :
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
	for (int k = 0; k < PORT_STATES; k++)
		if (count[order[k]] > 0) {
			strbuf_printf(to, "%s%zu %s", between, count[order[k]],
				order[k] == PORT_UNKNOWN ? "unknown" : port_state_word(order[k]));
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
	put_name(to, c->is >= 0 ? &l->now.chips[c->is] : &l->before.chips[c->was]);
	if (c->why) {
		strbuf_puts(to, ": ");
		put_plain(to, c->why);
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

/* Against a file only what became of them is said. */
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
	put_plain(to, l->against);
	strbuf_putc(to, '\n');
	for (size_t i = 0; i < l->report->n; i++)
		put_change(to, l, &l->report->cards[i]);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "telemetry/change.h"

#include "base/mem.h"
#include "base/text.h"
#include "device/kind.h"
#include "telemetry/chip/chip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * How ports are wired, by the place of a chip on its board (its number; in a galaxy that on its
 * tray): the n-th port of one end leads to the n-th of the other.
 *
 * Facts: github.com/tenstorrent/tt-metal, tools/scaleout/board/board.cpp, and for ports to other
 * trays diag_runner.py of exabox.  Both number the channels of a Blackhole that are on, in order.
 * Left out are ports to linking boards of a Wormhole galaxy, and channel 4 of a p300's first chip,
 * which the source has twice [U].
 */
enum { TO_CABLE = 32, TO_TRAY };	/* in the place of a place */

static const struct wire {
	uint16_t upi;		/* of the first board alike, see family() */
	uint8_t place, to;
	uint16_t ports, to_ports;
} wires[] = {
	{ 0x14, 0, 1, 0x0300, 0x0003 }, { 0x14, 0, TO_CABLE, 0xc0c3, 0 },	/* n300 */
	{ 0x14, 1, TO_CABLE, 0x00c0, 0 },
	{ 0x18, 0, TO_CABLE, 0xc0c3, 0 },					/* n150 */
	{ 0x40, 0, TO_CABLE, 0x0ff0, 0 },					/* p150 */
	{ 0x44, 1, 0, 0x0300, 0x0008 }, { 0x44, 1, TO_CABLE, 0x005c, 0 },	/* p300 */
	{ 0x44, 0, TO_CABLE, 0x02a0, 0 },
	/* Galaxy of Wormholes. */
	{ 0x35, 5, 1, 0x000f, 0xf000 }, { 0x35, 5, 6, 0x0f00, 0x00f0 },
	{ 0x35, 1, 2, 0x0f00, 0x00f0 }, { 0x35, 6, 2, 0x000f, 0xf000 },
	{ 0x35, 6, 7, 0x0f00, 0x00f0 }, { 0x35, 2, 3, 0x0f00, 0x00f0 },
	{ 0x35, 7, 3, 0x000f, 0xf000 }, { 0x35, 7, 8, 0x0f00, 0x00f0 },
	{ 0x35, 3, 4, 0x0f00, 0x00f0 }, { 0x35, 8, 4, 0x000f, 0xf000 },
	{ 0x35, 1, TO_CABLE, 0x00ff, 0 }, { 0x35, 2, TO_CABLE, 0x000f, 0 },
	{ 0x35, 3, TO_CABLE, 0x000f, 0 }, { 0x35, 4, TO_CABLE, 0x000f, 0 },
	{ 0x35, 5, TO_CABLE, 0x00f0, 0 },
	/* Galaxy of Blackholes. */
	{ 0x47, 5, 1, 0x0003, 0x00c0 }, { 0x47, 5, 6, 0x0030, 0x000c },
	{ 0x47, 1, 2, 0x0030, 0x000c }, { 0x47, 6, 2, 0x0003, 0x00c0 },
	{ 0x47, 6, 7, 0x0030, 0x000c }, { 0x47, 2, 3, 0x0030, 0x000c },
	{ 0x47, 7, 3, 0x0003, 0x00c0 }, { 0x47, 7, 8, 0x0030, 0x000c },
	{ 0x47, 3, 4, 0x0030, 0x000c }, { 0x47, 8, 4, 0x0003, 0x00c0 },
	{ 0x47, 1, TO_CABLE, 0x030f, 0 }, { 0x47, 2, TO_CABLE, 0x0303, 0 },
	{ 0x47, 3, TO_CABLE, 0x0303, 0 }, { 0x47, 4, TO_CABLE, 0x0303, 0 },
	{ 0x47, 5, TO_CABLE, 0x030c, 0 }, { 0x47, 6, TO_CABLE, 0x0300, 0 },
	{ 0x47, 7, TO_CABLE, 0x0300, 0 }, { 0x47, 8, TO_CABLE, 0x0300, 0 },
	{ 0x47, 4, TO_TRAY, 0x0030, 0 }, { 0x47, 5, TO_TRAY, 0x00c0, 0 },
	{ 0x47, 6, TO_TRAY, 0x00c0, 0 }, { 0x47, 7, TO_TRAY, 0x00c0, 0 },
	{ 0x47, 8, TO_TRAY, 0x00f0, 0 },
};

/* The first board type that is wired like this one: p150a, b, c; p300a, b, c; galaxies. */
static uint32_t family(uint32_t upi)
{
	return upi == 0x202 ? 0x47 : upi >= 0x40 && upi <= 0x42 ? 0x40 :
		upi >= 0x44 && upi <= 0x46 ? 0x44 : upi;
}

static bool mask_of(const struct snapshot *s, enum field_id id, uint64_t *mask)
{
	const struct reading *r = &s->r[id];

	*mask = reading_is_ok(r) ? (uint64_t)r->value : 0;
	return reading_is_ok(r);
}

/* The place of a chip on its board or tray, as in wires[]; -1: not known. */
static int place_of(const struct snapshot *s)
{
	const struct reading *location = &s->r[FIELD_ASIC_LOCATION];

	if (s->tray || board_on_pcie(s->upi) != 2)
		return s->tray ? s->place : s->local >= 0 || s->raw.remote;
	return reading_has_value(location) ? (int)location->value : -1;
}

/* The chip at that place of the same board or tray, or -1. */
static int find_other(const struct snapshot *chips, size_t n, size_t at, int place)
{
	for (size_t i = 0; i < n; i++)
		if (i != at && chips[i].tray == chips[at].tray && place_of(&chips[i]) == place &&
			snapshot_is_of_board(&chips[i], &chips[at]))
			return (int)i;
	return -1;
}

/* The bits of telemetry's words for these channels of wires[]. */
static uint32_t bits_of(const struct snapshot *s, uint32_t channels)
{
	uint32_t bits = 0;
	uint64_t on;

	if (!kind_of(s->chip)->eth_moved[0])
		return channels;
	for (mask_of(s, FIELD_ETH_ENABLED, &on); on; on &= on - 1, channels >>= 1)
		if (channels & 1)
			bits |= 1u << __builtin_ctzll(on);
	return bits;
}

/* The port at the wire's other end: the n-th port of one end leads to the n-th of the other. */
static int end_of(uint32_t mine, uint32_t others, unsigned port)
{
	for (mine &= (1u << port) - 1; mine; mine &= mine - 1)
		others &= others - 1;
	return others ? __builtin_ctz(others) : -1;
}

/* One end of a wire: these ports of the chip lead to `to`. */
static void lead(const struct snapshot *chips, size_t n, size_t at, struct port *ports, size_t len,
	const struct wire *w)
{
	const uint32_t mine = bits_of(&chips[at], w->ports);
	const int other = w->to < TO_CABLE ? find_other(chips, n, at, w->to) : -1;
	const uint32_t others = other < 0 ? 0 : bits_of(&chips[other], w->to_ports);

	for (unsigned p = 0; p < len; p++) {
		if (!(mine >> p & 1))
			continue;
		ports[p].medium = w->to == TO_CABLE ? PORT_CABLE :
			w->to == TO_TRAY ? PORT_TRAY : PORT_BOARD;
		ports[p].partner = other;
		ports[p].partner_port = end_of(mine, others, p);
	}
}

static void wire(const struct snapshot *chips, size_t n, size_t at, struct port *ports, size_t len)
{
	const uint32_t upi = family(chips[at].upi);
	const int place = place_of(&chips[at]);

	for (const struct wire *w = wires; w < wires + ARRAY_LEN(wires); w++) {
		const struct wire back = { w->upi, w->to, w->place, w->to_ports, w->ports };

		if (w->upi == upi && w->place == place)
			lead(chips, n, at, ports, len, w);
		if (w->upi == upi && w->to == place)
			lead(chips, n, at, ports, len, &back);
	}
}

bool port_any(const struct snapshot *s)
{
	const struct chip *chip = chip_find(s->chip);

	return chip && chip->eth_channels > 0;
}

/* A second chip is read over the board's wires: these have a link, whatever is reported. */
static bool is_second_read(const struct snapshot *chips, size_t n, size_t at)
{
	const int place = place_of(&chips[at]), other = find_other(chips, n, at, !place);

	return board_on_pcie(chips[at].upi) == 1 &&
		(place ? snapshot_is_live(&chips[at]) :
			other >= 0 && snapshot_is_live(&chips[other]));
}

/* What is known of a chip's ports, a bit each: from telemetry, or from its cores if asked. */
struct words {
	uint64_t on, live, link, training;
	bool knows_on, knows_live, knows_link, asked;
};

static struct words words_of(const struct snapshot *chips, size_t n, size_t at)
{
	const struct snapshot *s = &chips[at];
	struct words w = { .asked = s->raw.has_links };

	if (!w.asked) {
		w.knows_link = mask_of(s, FIELD_ETH_LINK, &w.link) &&
			(w.link || !is_second_read(chips, n, at));
		w.knows_live = mask_of(s, FIELD_ETH_LIVE, &w.live);
		w.knows_on = mask_of(s, FIELD_ETH_ENABLED, &w.on);
		return w;
	}
	w.knows_on = w.knows_live = w.knows_link = true;
	for (size_t p = 0; p < ETH_LINKS_MOST; p++) {
		const struct eth_state *l = &s->raw.links[p];
		const uint64_t on = (uint64_t)l->is_on << p;
		const uint64_t live = l->pulse == ETH_PULSE_FROZEN ? 0 : on;

		w.on |= on;
		w.live |= live;
		w.link |= l->state == ETH_LINK_UP ? live : 0;
		w.training |= l->state == ETH_LINK_UNKNOWN ? live : 0;
	}
	return w;
}

size_t port_list(const struct snapshot *chips, size_t n, size_t at,
	struct port ports[static PORT_MOST])
{
	const struct snapshot *s = &chips[at];
	const struct chip *chip = chip_find(s->chip);
	const size_t len = chip && chip->eth_channels <= PORT_MOST ? chip->eth_channels : 0;
	const struct words w = words_of(chips, n, at);
	const bool lives = w.live || w.asked;

	if (!w.knows_link && !w.knows_live && !w.knows_on)
		return 0;
	for (size_t p = 0; p < len; p++) {
		ports[p] = (struct port){ .partner = -1, .partner_port = -1,
			.x = chip->eth_xy[p][0], .y = chip->eth_xy[p][1] };
		if (w.knows_on && !(w.on >> p & 1))
			ports[p].state = PORT_UNUSED;
		else if (w.training >> p & 1)
			ports[p].state = PORT_UNKNOWN;
		else if (w.link >> p & 1)
			ports[p].state = PORT_UP;
		/* No heartbeat at all: the firmware does not use ethernet, or does not say. */
		else if (lives && !(w.live >> p & 1))
			ports[p].state = PORT_DOWN;
		else if (w.knows_link)
			ports[p].state = PORT_NO_LINK;
		else if (w.live)
			ports[p].state = PORT_ALIVE;
	}
	wire(chips, n, at, ports, len);
	/* What is wired on the board never lacks a cable; a firmware with no link may not say. */
	for (size_t p = 0; (w.link || w.asked) && p < len; p++)
		if (ports[p].state == PORT_NO_LINK && ports[p].medium >= PORT_BOARD)
			ports[p].state = PORT_DOWN;
	return len;
}

static bool leads_alike(const struct port_run *run, const struct port *port)
{
	return run->state == port->state && run->medium == port->medium &&
		run->partner == port->partner;
}

size_t port_runs(const struct port *ports, size_t n, struct port_run runs[static PORT_MOST])
{
	static const enum port_state order[PORT_STATES] = { PORT_DOWN, PORT_NO_LINK, PORT_UP,
		PORT_ALIVE, PORT_UNKNOWN, PORT_UNUSED };
	size_t found = 0;

	for (int k = 0; k < PORT_STATES; k++)
		for (size_t p = 0; p < n; p++) {
			size_t i = 0;

			if (ports[p].state != order[k])
				continue;
			while (i < found && !leads_alike(&runs[i], &ports[p]))
				i++;
			if (i == found)
				runs[found++] = (struct port_run){ .state = ports[p].state,
					.medium = ports[p].medium, .partner = ports[p].partner };
			runs[i].ports |= 1U << p;
			if (ports[p].partner_port >= 0)
				runs[i].partner_ports |= 1U << ports[p].partner_port;
		}
	return found;
}

/* The ports in this state, a bit each. */
static uint32_t port_mask(const struct port *ports, size_t n, enum port_state state)
{
	uint32_t mask = 0;

	for (size_t p = 0; p < n; p++)
		mask |= (uint32_t)(ports[p].state == state) << p;
	return mask;
}

size_t port_count(const struct port *ports, size_t n, enum port_state state)
{
	return (size_t)__builtin_popcount(port_mask(ports, n, state));
}

const char *port_mask_text(uint32_t mask, char *buf, size_t size)
{
	*buf = '\0';
	for (unsigned p = 0, end; p < PORT_MOST; p = end + 1) {
		end = p;
		if (!(mask >> p & 1))
			continue;
		while (mask >> (end + 1) & 1)
			end++;
		text_join(buf, size, ", ", end > p ? "%u-%u" : "%u", p, end);
	}
	return buf;
}

const char *port_state_name(enum port_state s)
{
	static const char *const names[PORT_STATES] = { "unknown", "unused", "alive", "up",
		"no-link", "down" };

	return names[s];
}

const char *port_state_word(enum port_state s)
{
	static const char *const words[PORT_STATES] = { "unknown", "unused", "alive", "up",
		"no link", "DOWN" };

	return words[s];
}

const char *port_medium_name(enum port_medium m)
{
	static const char *const names[] = { [PORT_CABLE] = "cable", [PORT_BOARD] = "board",
		[PORT_TRAY] = "tray" };

	return names[m];
}

/* Links compared with those of an earlier snapshot. */

/* The ports of a chip by state, a bit each. */
struct masks {
	uint32_t of[PORT_STATES];
};

static struct masks masks_of(const struct change_side *side, int at)
{
	struct masks m = { { 0 } };
	struct port ports[PORT_MOST];
	const size_t n = at < 0 ? 0 : port_list(side->chips, side->n, (size_t)at, ports);

	for (int s = 0; s < PORT_STATES; s++)
		m.of[s] = port_mask(ports, n, (enum port_state)s);
	return m;
}

/* Whether the firmware reports the links of all ports in use. */
static bool knows_links(const struct masks *m)
{
	return !m->of[PORT_UNKNOWN] && !m->of[PORT_ALIVE] &&
		(m->of[PORT_UP] || m->of[PORT_NO_LINK] || m->of[PORT_UNUSED] || m->of[PORT_DOWN]);
}

static void judge_ports(struct port_change *c, const struct masks *was, const struct masks *is)
{
	const uint32_t dead = is->of[PORT_DOWN] | is->of[PORT_UNUSED];
	const uint32_t dim = is->of[PORT_ALIVE] | is->of[PORT_UNKNOWN];
	const uint32_t lived = was->of[PORT_ALIVE] | was->of[PORT_NO_LINK];

	c->lost = (was->of[PORT_UP] & (dead | is->of[PORT_NO_LINK])) | (lived & dead);
	c->unknown = was->of[PORT_UP] & (dim | ~(dim | dead | is->of[PORT_NO_LINK] |
		is->of[PORT_UP]));
	c->found = is->of[PORT_UP] & (was->of[PORT_NO_LINK] | was->of[PORT_DOWN] |
		was->of[PORT_UNUSED]);
}

static void blame(struct port_change *c, enum code code, const char *why)
{
	c->code = code;
	c->why = why;
}

static void judge_links(struct port_change *c, const struct change_side *was,
	const struct change_side *is, enum code unseen)
{
	const struct masks before = masks_of(was, c->was), now = masks_of(is, c->is);
	const char *trouble = c->is < 0 ? NULL : change_trouble(&is->chips[c->is]);

	/* A new card cannot have lost a link. */
	if (c->was < 0 && !unseen) {
		c->found = now.of[PORT_UP];
	} else if (c->was < 0 || change_trouble(&was->chips[c->was])) {
		blame(c, CODE_NOT_READ, "it was not read when the links were saved");
	} else if (unseen) {
		blame(c, unseen, unseen == CODE_HIDDEN ? "it was not asked for" :
			"the chip that leads to it was not read");
		c->unknown = before.of[PORT_UP] | before.of[PORT_ALIVE];
	} else if (c->is < 0) {
		c->lost = before.of[PORT_UP] | before.of[PORT_ALIVE];
		c->unknown = before.of[PORT_UNKNOWN];
		blame(c, CODE_OFF_BUS, "it is gone");
	} else if (trouble) {
		blame(c, snapshot_code(&is->chips[c->is]), trouble);
		c->unknown = before.of[PORT_UP];
	} else if (port_any(&is->chips[c->is])) {
		judge_ports(c, &before, &now);
		if (!knows_links(&before))
			blame(c, CODE_NOT_KNOWN, "which links it had was not known when they were "
				"saved");
		else if (!knows_links(&now))
			blame(c, CODE_NOT_KNOWN, "its firmware does not say which links it has");
	}
}

static void port_take(struct port_report *r, struct port_change c, const struct change_side *was,
	const struct change_side *is, enum code unseen)
{
	judge_links(&c, was, is, unseen);
	r->cards[r->n++] = c;
	r->lost += (size_t)__builtin_popcount(c.lost);
	r->found += (size_t)__builtin_popcount(c.found);
	r->unknown |= c.unknown || (c.why && c.is >= 0);
}

void port_change_find(const struct change_side *was, const struct change_side *is,
	struct port_report *r)
{
	int *of_was = mem_calloc(was->n + 1, sizeof(*of_was));
	int *of_is = mem_calloc(is->n + 1, sizeof(*of_is));

	*r = (struct port_report){ .cards = mem_calloc(was->n + is->n + 1, sizeof(*r->cards)) };
	change_match(was, is, of_was, of_is);
	for (size_t i = 0; i < is->n; i++) {
		const bool gone = snapshot_is_gone(&is->chips[i]);

		if (change_wants(is, i) && (!gone || of_is[i] >= 0))
			port_take(r, (struct port_change){ .was = of_is[i],
				.is = gone ? -1 : (int)i }, was, is,
				of_is[i] < 0 ? change_unseen(is, i, was, of_is) : CODE_NONE);
	}
	for (size_t i = 0; i < was->n; i++) {
		const int first = change_first(was, i, of_was);

		if (of_was[i] < 0 && (first < 0 || change_wants(is, (size_t)first)))
			port_take(r, (struct port_change){ .was = (int)i, .is = -1 }, was, is,
				change_unseen(was, i, is, of_was));
	}
	free(of_was);
	free(of_is);
}

void port_change_clear(struct port_report *r)
{
	free(r->cards);
	*r = (struct port_report){ .n = 0 };
}

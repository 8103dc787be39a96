/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "telemetry/port.h"

#include "base/array.h"
#include "telemetry/chip/chip.h"

#include <stdio.h>
#include <string.h>

/*
 * Boards whose port wiring is known.  The chips of a p300 and of a galaxy have ports to each
 * other, too, but no public source says which of the firmware's bits these are.
 */
static const struct {
	uint32_t upi;
	uint16_t of_first, of_second;	/* ports that lead to the board's other chip */
} port_boards[] = {
	{ 0x14, 0x0300, 0x0003 },	/* n300: 8 and 9 of the left, 0 and 1 of the right one */
	{ 0x18, 0, 0 },			/* n150 */
	{ 0x40, 0, 0 },			/* p150a, b, c */
	{ 0x41, 0, 0 },
	{ 0x42, 0, 0 },
};

static bool mask_of(const struct snapshot *s, enum field_id id, uint64_t *mask)
{
	const struct reading *r = &s->r[id];

	*mask = reading_is_ok(r) ? (uint64_t)r->value : 0;
	return reading_is_ok(r);
}

/* The chip at the other end of a board's own wires, or -1. */
static int find_other(const struct snapshot *chips, size_t n, size_t at)
{
	if (chips[at].local >= 0)
		return (size_t)chips[at].local < n ? chips[at].local : -1;
	for (size_t i = 0; i < n; i++)
		if (chips[i].local == (int)at)
			return (int)i;
	return -1;
}

/* The port at the wire's other end: the n-th port of one end leads to the n-th of the other. */
static int end_of(unsigned mine, unsigned others, unsigned port)
{
	for (mine &= (1u << port) - 1; mine; mine &= mine - 1)
		others &= others - 1;
	return others ? __builtin_ctz(others) : -1;
}

static void wire(const struct snapshot *chips, size_t n, size_t at, struct port *ports, size_t len)
{
	const bool second = chips[at].local >= 0;

	for (size_t b = 0; b < ARRAY_LEN(port_boards); b++) {
		const unsigned first_wires = port_boards[b].of_first;
		const unsigned second_wires = port_boards[b].of_second;
		const unsigned mine = second ? second_wires : first_wires;
		const unsigned others = second ? first_wires : second_wires;

		if (port_boards[b].upi != chips[at].upi)
			continue;
		for (unsigned p = 0; p < len; p++) {
			ports[p].medium = mine >> p & 1 ? PORT_BOARD : PORT_CABLE;
			if (ports[p].medium == PORT_CABLE)
				continue;
			ports[p].partner = find_other(chips, n, at);
			ports[p].partner_port = end_of(mine, others, p);
		}
	}
}

bool port_any(const struct snapshot *s)
{
	const struct chip *chip = chip_find(s->chip);

	return chip && chip->eth_channels > 0;
}

size_t port_list(const struct snapshot *chips, size_t n, size_t at,
	struct port ports[static PORT_MOST])
{
	const struct snapshot *s = &chips[at];
	const struct chip *chip = chip_find(s->chip);
	const size_t len = chip && chip->eth_channels <= PORT_MOST ? chip->eth_channels : 0;
	uint64_t link, live, on;
	const bool knows_link = mask_of(s, FIELD_ETH_LINK, &link);
	const bool knows_live = mask_of(s, FIELD_ETH_LIVE, &live);
	const bool knows_on = mask_of(s, FIELD_ETH_ENABLED, &on);

	if (!knows_link && !knows_live && !knows_on)
		return 0;
	for (size_t p = 0; p < len; p++) {
		ports[p] = (struct port){ .partner = -1, .partner_port = -1,
			.x = chip->eth_xy[p][0], .y = chip->eth_xy[p][1] };
		if (knows_on && !(on >> p & 1))
			ports[p].state = PORT_UNUSED;
		else if (link >> p & 1)
			ports[p].state = PORT_UP;
		/* No heartbeat at all: the firmware does not use ethernet, or does not say. */
		else if (live && !(live >> p & 1))
			ports[p].state = PORT_DOWN;
		else if (knows_link)
			ports[p].state = PORT_NO_LINK;
		else if (live)
			ports[p].state = PORT_ALIVE;
	}
	wire(chips, n, at, ports, len);
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

uint32_t port_mask(const struct port *ports, size_t n, enum port_state state)
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
		const size_t len = strlen(buf);

		end = p;
		if (!(mask >> p & 1))
			continue;
		while (mask >> (end + 1) & 1)
			end++;
		snprintf(buf + len, size - len, end > p ? "%s%u-%u" : "%s%u", len ? ", " : "",
			p, end);
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
	static const char *const words[PORT_STATES] = { "?", "unused", "alive", "up", "no link",
		"DOWN" };

	return words[s];
}

const char *port_medium_name(enum port_medium m)
{
	static const char *const names[] = { [PORT_CABLE] = "cable", [PORT_BOARD] = "board" };

	return names[m];
}

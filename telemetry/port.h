/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * port.h - the ethernet ports of a chip, from the firmware's telemetry words: no ethernet core is
 * asked.
 */
#pragma once

#include "telemetry/snapshot.h"

#define PORT_MOST 16
#define PORT_TEXT 64	/* bytes of any list of ports */

enum port_state {
	PORT_UNKNOWN,		/* the firmware does not say */
	PORT_UNUSED,		/* switched off */
	PORT_ALIVE,		/* its firmware runs; whether it has a link is not reported */
	PORT_UP,
	PORT_NO_LINK,		/* alive, without a link: no cable, or a lost one */
	PORT_DOWN,		/* its firmware is silent, other ports' is not */
	PORT_STATES
};

/* Where a port leads, if the board's wiring is known. */
enum port_medium {
	PORT_ANYWHERE,		/* not known */
	PORT_CABLE,
	PORT_BOARD		/* another chip of the board */
};

struct port {
	enum port_state state;
	enum port_medium medium;
	int partner, partner_port;	/* a chip's index in the list and its port; -1: not known */
	uint8_t x, y;			/* NOC0 coordinates of its core */
};

/* Whether chips of this kind have ports at all, even if nothing is known about them. */
bool port_any(const struct snapshot *s);

/*
 * Fill `ports` for the chip at `at` of n.  Returns how many there are; 0 if the chip has none or
 * nothing is known about them.
 */
size_t port_list(const struct snapshot *chips, size_t n, size_t at,
	struct port ports[static PORT_MOST]);

/* Ports of a chip that have the same state, medium and partner, a bit each. */
struct port_run {
	enum port_state state;
	enum port_medium medium;
	uint32_t ports, partner_ports;	/* the latter 0 where they are not known */
	int partner;
};

/* Group all ports into runs, trouble first; returns the number of runs. */
size_t port_runs(const struct port *ports, size_t n, struct port_run runs[static PORT_MOST]);

/* How many are in this state. */
size_t port_count(const struct port *ports, size_t n, enum port_state state);

/* The ports in this state, a bit each; and such a mask as text: "0-3, 6", "" for none. */
uint32_t port_mask(const struct port *ports, size_t n, enum port_state state);
const char *port_mask_text(uint32_t mask, char *buf, size_t size);

const char *port_state_name(enum port_state s);		/* for programs: "up", "no-link" ... */
const char *port_state_word(enum port_state s);		/* for people: "up", "no link", "DOWN" */
const char *port_medium_name(enum port_medium m);	/* "cable", "board"; NULL: not known */

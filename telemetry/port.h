/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * port.h - the ethernet ports of a chip, from the firmware's telemetry words: no ethernet core is
 * asked.
 */
#pragma once

#include "telemetry/change.h"
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

const char *port_mask_text(uint32_t mask, char *buf, size_t size);

const char *port_state_name(enum port_state s);		/* for programs: "up", "no-link" ... */
const char *port_state_word(enum port_state s);		/* for people: "up", "no link", "DOWN" */
const char *port_medium_name(enum port_medium m);	/* "cable", "board"; NULL: not known */

/* A card and its ports, a bit each. */
struct port_change {
	int was, is;		/* its place in the chips of either side; -1: not there */
	uint32_t lost;		/* were up and are not, or were alive and are dead */
	uint32_t found;		/* were not up, and are */
	uint32_t unknown;	/* were up or alive, and are not known now */
	const char *why;	/* why the whole card is gone or cannot be judged; or NULL */
	enum code code;		/* of it */
};

struct port_report {
	size_t n;
	struct port_change *cards;	/* those of now in order, then those that are gone */
	size_t lost, found;		/* links */
	bool unknown;
};

/* Compare the links; `wanted` is by place now, or NULL for all.  port_change_clear() frees. */
void port_change_find(const struct change_side *was, const struct change_side *is,
	const bool *wanted, struct port_report *r);

void port_change_clear(struct port_report *r);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * change.h - the differences that matter between two snapshots of cards and their host: firmware,
 * driver, link, limits, harvesting, memory errors, cards that are gone or new; and ethernet ports.
 */
#pragma once

#include "telemetry/host/host.h"
#include "telemetry/snapshot.h"

/* By increasing weight. */
enum change_verdict {
	CHANGE_ALIKE,
	CHANGE_UNKNOWN,		/* not known on one side or both, so not alike */
	CHANGE_DIFFERENT,
	CHANGE_NEW,		/* a card that only the second side has */
	CHANGE_GONE,		/* a card that only the first side has */
	CHANGE_VERDICTS
};

/* One value that differs, or is not known on a side. */
struct change {
	const char *key, *title, *unit;
	enum change_verdict verdict;	/* DIFFERENT or UNKNOWN */
	char was[96], is[96];		/* as people see it; "" where it is not known */
	bool is_private;		/* a serial number, or a field for engineers alone */
};

/* A card, or the host. */
struct change_item {
	int was, is;			/* its place in the chips of either side; -1: not there */
	enum change_verdict verdict;
	char why[256];			/* why the card or one of its values is not known; or "" */
	enum code code;			/* of it */
	bool has_unknown;		/* one of the changes is UNKNOWN */
	size_t n;
	struct change *changes;
};

struct change_side {
	const struct host *host;
	const struct snapshot *chips;
	size_t n;
	const char *selection;		/* what limits them ("--device 0"); NULL or "": nothing */
	const bool *wanted;		/* by place: those that it lets through; NULL: all */
};

struct change_report {
	struct change_item host;	/* was and is are -1 */
	size_t n;
	struct change_item *cards;	/* those of the second side in order, then gone ones */
	size_t count[CHANGE_VERDICTS];	/* cards */
	bool differs, unknown;		/* host and cards: anything at all */
};

/*
 * Compare two sides.  Cards are matched by serial, else by place on the bus, and by index only if
 * neither is known.  change_clear() frees.
 */
void change_find(const struct change_side *was, const struct change_side *is,
	struct change_report *r);
void change_clear(struct change_report *r);

/* Replace private values by "left out"; that they differ is still reported. */
void change_leave_out(struct change_report *r);

/*
 * Match the cards: for each card of one side its place in the other, or -1.  of_was needs room
 * for was->n, of_is for is->n.
 */
void change_match(const struct change_side *was, const struct change_side *is, int *of_was,
	int *of_is);

/*
 * For a chip that the other side lacks, if it is the second one of its board: the place of the
 * first one there; else -1.
 */
int change_first(const struct change_side *side, size_t at, const int *of_other);

/* Whether the side's selection lets this chip through; others were not read. */
bool change_wants(const struct change_side *side, size_t at);

/*
 * For a chip that the other side lacks or does not want: why it may be there.  CODE_NONE: it is new
 * or gone; CODE_SECOND_CHIP: its first chip was not read; CODE_HIDDEN: its card was not asked for.
 */
enum code change_unseen(const struct change_side *side, size_t at, const struct change_side *other,
	const int *of_other);

/* Why a chip's values do not allow a verdict; NULL: they do. */
const char *change_trouble(const struct snapshot *s);

const char *change_verdict_name(enum change_verdict v);	/* "alike", "different", "gone" ... */

/* Whether two cards changed in the same way, so that one text stands for both. */
bool change_is_same(const struct change_item *a, const struct change_item *b);

/* The ethernet ports of a chip, from the words of telemetry, or of its cores if they were asked. */

#define PORT_MOST 16
#define PORT_TEXT 64	/* bytes of any list of ports */

enum port_state {
	PORT_UNKNOWN,		/* the firmware does not say, or is training it */
	PORT_UNUSED,		/* switched off */
	PORT_ALIVE,		/* its firmware runs; whether it has a link is not reported */
	PORT_UP,
	PORT_NO_LINK,		/* alive, without a link: no cable, or a lost one */
	PORT_DOWN,		/* its firmware has stopped, or it is wired without a link */
	PORT_STATES
};

/* Where a port leads, if the board's wiring is known. */
enum port_medium {
	PORT_ANYWHERE,		/* not known, or nowhere */
	PORT_CABLE,
	PORT_BOARD,		/* another chip of the board */
	PORT_TRAY		/* another tray of a galaxy */
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

/* A mask of ports as text: "0-3, 6", "" for none. */
const char *port_mask_text(uint32_t mask, char *buf, size_t size);

const char *port_state_name(enum port_state s);		/* for programs: "up", "no-link" ... */
const char *port_state_word(enum port_state s);		/* for people: "up", "no link", "DOWN" */
const char *port_medium_name(enum port_medium m);	/* "cable", "board" ...; NULL: not known */

/* A card whose links differ from an earlier snapshot, and its ports, a bit each. */
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

/* Compare the links of the cards that are wanted now.  port_change_clear() frees. */
void port_change_find(const struct change_side *was, const struct change_side *is,
	struct port_report *r);

void port_change_clear(struct port_report *r);

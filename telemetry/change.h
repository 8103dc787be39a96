/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * change.h - what matters that differs between two snapshots of cards and their host: firmware,
 * driver, link, limits, harvesting, memory errors, cards that are gone and new.
 */
#pragma once

#include "telemetry/host/host.h"
#include "telemetry/snapshot.h"

/* In the order of their weight. */
enum change_verdict {
	CHANGE_ALIKE,
	CHANGE_UNKNOWN,		/* not known of one side or both: that is not alike */
	CHANGE_DIFFERENT,
	CHANGE_NEW,		/* a card that only the second side has */
	CHANGE_GONE,		/* one that only the first has */
	CHANGE_VERDICTS
};

/* One thing that differs, or is not known of a side. */
struct change {
	const char *key, *title, *unit;
	enum change_verdict verdict;	/* DIFFERENT or UNKNOWN */
	char was[96], is[96];		/* as people see it; "" where it is not known */
	bool is_private;		/* a serial number, or what is for engineers alone */
};

/* A card, or the host. */
struct change_item {
	int was, is;			/* its place in the chips of either side; -1: not there */
	enum change_verdict verdict;
	char why[256];			/* why it, or something of it, is not known; or "" */
	size_t n;
	struct change *changes;
};

struct change_side {
	const struct host *host;
	const struct snapshot *chips;
	size_t n;
};

struct change_report {
	struct change_item host;	/* was and is are -1 */
	size_t n;
	struct change_item *cards;	/* those of the second side in order, then what is gone */
	size_t count[CHANGE_VERDICTS];	/* cards */
	bool differs, unknown;		/* host and cards: anything at all */
};

/*
 * Compare two sides.  Cards are the same where the serial is, else where the place on the bus
 * is; by index only where neither is known.  change_clear() frees.
 */
void change_find(const struct change_side *was, const struct change_side *is,
	struct change_report *r);
void change_clear(struct change_report *r);

/* Say "left out" in place of what is private: that it differs is still said. */
void change_leave_out(struct change_report *r);

/*
 * Which card is which: for each of one side its place in the other, or -1.  Room for was->n and
 * is->n.
 */
void change_match(const struct change_side *was, const struct change_side *is, int *of_was,
	int *of_is);

/* What is wrong with a chip whose values are no ground for a verdict; NULL: nothing. */
const char *change_trouble(const struct snapshot *s);

const char *change_verdict_name(enum change_verdict v);	/* "alike", "different", "gone" ... */

/* Whether two cards changed in the same way, so that one text stands for both. */
bool change_is_same(const struct change_item *a, const struct change_item *b);

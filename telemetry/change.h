/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * change.h - the differences that matter between two snapshots of cards and their host: firmware,
 * driver, link, limits, harvesting, memory errors, cards that are gone or new.
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

/* True when the other side has that first one and did not read it: no chip is new or gone. */
bool change_is_unseen(const struct change_side *side, size_t at, const struct change_side *other,
	const int *of_other);

/* Why a chip's values do not allow a verdict; NULL: they do. */
const char *change_trouble(const struct snapshot *s);

const char *change_verdict_name(enum change_verdict v);	/* "alike", "different", "gone" ... */

/* Whether two cards changed in the same way, so that one text stands for both. */
bool change_is_same(const struct change_item *a, const struct change_item *b);

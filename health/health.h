/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * health.h - is this machine healthy?  A table of checks, each of the host or of every card.  They
 * use one sample and the kernel's own files; nothing here waits for a card.
 *
 * A check's id is a promise to other people's programs: it is never renamed.
 */
#pragma once

#include "health/pins.h"
#include "report/advice.h"
#include "telemetry/roster.h"
#include "telemetry/snapshot.h"

struct bus;

/* The subject of a check. */
enum health_of {
	HEALTH_HOST,		/* once: the machine and all of its cards together */
	HEALTH_CARD,		/* each card, even one that does not answer */
	HEALTH_SAMPLE		/* each card that was read; a SKIP for the others */
};

struct health_world {
	const struct fleet *fleet;
	const struct bus *bus;		/* the fleet's devices; NULL: the fleet is from a file */
	const struct roster *roster;	/* the known chips, present or not */
	size_t expected;		/* how many chips there should be; 0: not given */
	const char *expected_unknown;	/* why that is not known; NULL: it is, or nobody said */
	const struct floors *floors;
	const char *serves;		/* upstream's version whose interface this is */
	const char *search;		/* where to look for programs, in the form of PATH */
	bool is_machine;	/* the cards belong to the files below the bus's root */
	bool external;		/* report neither users nor command lines */
};

#define HEALTH_TEXT 256

struct health_item {
	const struct health_check *check;
	const struct finding_kind *sign;	/* the finding that set the result, or NULL */
	int index;			/* of the chip; -1: the host */
	enum verdict result;
	char text[HEALTH_TEXT];		/* what was found */
	struct advice next;		/* what to do */
};

struct health_check {
	const char *id, *help;
	enum health_of of;
	enum pin pin;			/* which one it compares with --expect; PIN_NONE: none */
	void (*host)(const struct health_world *w, struct health_item *i);
	/* NULL: only the signs and their reading decide. */
	void (*card)(const struct health_world *w, const struct snapshot *s,
		struct health_item *i);
	const char *signs[3];		/* findings that it reports, with their steps */
	enum field_id shows;		/* the reading behind the signs; FIELD_NONE: none */
	struct step next;		/* if it does not pass, and none of its signs is why */
};

extern const struct health_check health_checks[];
extern const size_t health_n_checks;

/* Every field is judged by a check, or there is a reason why none does. */
struct health_reading {
	enum field_id first, last;	/* a run of fields */
	const char *check;		/* the id of the check; NULL: none judges them */
	const char *why_not;
};

extern const struct health_reading health_readings[];
extern const size_t health_n_readings;

/* Sets 1u << the index of each of these ids ("link,memory"); -EINVAL: *e names the wrong one. */
int health_find(const char *ids, uint64_t *checks, struct error *e);

struct health_report {
	struct health_item *items;	/* the host's first, then by chip */
	size_t n;
	size_t count[VERDICTS];
	enum verdict worst;
};

/* Do these checks on the host and on the wanted chips; *r is the caller's to health_clear(). */
void health_run(const struct health_world *w, uint64_t checks, struct health_report *r);
void health_clear(struct health_report *r);

/* Set a check's result with its text; every item begins as a PASS. */
void health_say(struct health_item *i, enum verdict result, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * health.h - is this machine well?  A table of checks, each of the host or of every card, over what
 * one sample and the kernel's own files say.  Nothing here waits for a card.
 *
 * A check's id is a promise to other people's programs: it is never renamed.
 */
#pragma once

#include "health/floors.h"
#include "telemetry/fleet.h"
#include "telemetry/roster.h"

struct bus;

/* From harmless to bad: the worst is the verdict. */
enum health_result {
	HEALTH_NONE,		/* does not apply here */
	HEALTH_PASS,
	HEALTH_WARN,		/* works, but somebody should know */
	HEALTH_SKIP,		/* could not be checked: nobody knows */
	HEALTH_FAIL,
	HEALTH_RESULTS
};

extern const char *const health_words[HEALTH_RESULTS];	/* "N/A", "PASS" ... */

/* What a check looks at. */
enum health_of {
	HEALTH_HOST,		/* once, the machine and all of its cards together */
	HEALTH_CARD,		/* each card, also one that does not answer */
	HEALTH_SAMPLE		/* each card that was read; of others it is a SKIP */
};

struct health_world {
	const struct fleet *fleet;
	const struct bus *bus;		/* the fleet's devices; NULL: of a file */
	const struct roster *roster;	/* the chips that are known, and are here or not */
	size_t expected;		/* how many there should be; 0: nobody said */
	const struct floors *floors;
	const char *serves;		/* the version of upstream's tool that this one stands for */
	const char *search;		/* where programs are looked for, as PATH */
	bool is_machine;	/* the cards are those of the files below the bus's root */
	bool external;		/* say neither users nor command lines */
};

#define HEALTH_TEXT 256

struct health_item {
	const struct health_check *check;
	int index;			/* of the chip; -1: the host */
	enum health_result result;
	char text[HEALTH_TEXT];		/* what was found */
	char next[HEALTH_TEXT];		/* what to do; "" where nothing is to be done */
};

/* A finding of the snapshot (telemetry/judge.c) that a check is about. */
struct health_sign {
	const char *finding;
	enum health_result result;
};

struct health_check {
	const char *id, *help;
	enum health_of of;
	enum pin pin;			/* what it holds against --expect; PIN_NONE: nothing */
	void (*host)(const struct health_world *w, struct health_item *i);
	/* NULL: signs alone say it. */
	void (*card)(const struct health_world *w, const struct snapshot *s,
		struct health_item *i);
	struct health_sign signs[3];
	enum field_id shows;		/* the reading behind the signs; FIELD_NONE: none */
	const char *next;		/* what to do where it does not pass; '#' is the chip's index */
};

extern const struct health_check health_checks[];
extern const size_t health_n_checks;

/* 1u << the places of these ids ("link,memory"), or -EINVAL and which of them is none. */
int health_find(const char *ids, uint32_t *checks, struct error *e);

struct health_report {
	struct health_item *items;	/* of the host first, then by chip */
	size_t n;
	size_t count[HEALTH_RESULTS];
	enum health_result worst;
};

/* Do these checks on the host and on the wanted chips; *r is the caller's to health_clear(). */
void health_run(const struct health_world *w, uint32_t checks, struct health_report *r);
void health_clear(struct health_report *r);

/* What a check says of what it found; it passes until it says otherwise. */
void health_say(struct health_item *i, enum health_result result, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void health_advise(struct health_item *i, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

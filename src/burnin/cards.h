/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cards.h - the cards among a burn's targets: whether they may be burnt,
 * their loads, and what their telemetry reported meanwhile.
 */
#pragma once

#include "act/watchdog.h"
#include "base/child.h"
#include "burnin/cores/card_judge.h"
#include "burnin/memory/card_check.h"
#include "burnin/memory/card_memory.h"
#include "reset/reset.h"
#include "src/act.h"
#include "telemetry/history.h"

#include <stddef.h>
#include <stdint.h>

struct bus;

/*
 * The process in which an act works on one card.  A card that does not answer may block it for
 * ever, which does not delay the other cards.
 */
struct card_process {
	struct device *device;
	enum access_purpose access;
	int (*run)(void *arg, struct error *e);	/* the work, with the device acquired: 0, -errno */
	void *arg;
	const _Atomic uint64_t *moved;	/* its progress, in shared memory */
	struct error why;		/* why there is no result; text "": there is one */
	struct advice next;		/* what to do about it */
	bool is_over;			/* at its end: the work came to its own end */

	struct child child;
	bool started;
	bool died;			/* its card did, during the work: `why` says how */
	uint64_t dead_tick;		/* of the first sample that found it dead; 0: none */
	struct watchdog watchdog;
	struct card_process_shared *shared;
};

/* Start it, with the members above set, unless p->why has a text. */
void card_process_start(struct card_process *p, const struct bus *bus);

/*
 * True while it works.  It is killed if its counter stands still for too long, or if its card is
 * dead by the act's samples, see act_keep_sampling().
 */
bool card_process_beat(struct card_process *p, const struct act *a);

/* End it: at once if p->why has a text, else after a moment for its last messages. */
void card_process_end(struct card_process *p);

/* Whether its card died during the work, after act_sample_last(). */
bool card_process_died(struct card_process *p, const struct act *a);

/* Telemetry of a card while it burns. */
enum burnin_seen {
	BURNIN_TEMP, BURNIN_GDDR_TEMP, BURNIN_POWER, BURNIN_CURRENT, BURNIN_VOLTAGE, BURNIN_CLOCK,
	BURNIN_FAN, BURNIN_SEEN
};

/* Of a chip reset, and of what is read: before the burn, and after it. */
enum { BURNIN_BEFORE, BURNIN_AFTER, BURNIN_RESETS };

/* What burns have found on a core of a card, kept in the state directory from burn to burn. */
struct burnin_find {
	char chip[24];		/* its ASIC's id; its address if it has none */
	unsigned x, y;
	uint64_t words;		/* wrong in all, or 0: it stood still and the like */
	unsigned burns, clean;	/* that found something; since then, that found nothing */
	int64_t last;		/* clock_real() of the last find */
	int64_t degrees;	/* 1/1000: the hottest of that burn; 0: not known */
};

enum { BURNIN_FINDS_SHOWN = 4 };

struct burnin_card {
	int index;		/* of the chip */
	enum device_chip chip;
	char series[32], firmware[32];
	struct card_burn burn;
	bool started;
	bool is_unfit;		/* its reset did not go well */
	const struct error *cut;	/* why its own burn was ended early; NULL */
	struct error died;		/* how it died before the end; text "": it did not */
	struct card_result result;
	struct range seen[BURNIN_SEEN];
	uint32_t throttles;	/* reasons that held its clock down, a bit each */
	double tflops;		/* by its cores' counters and its clock; 0: not known */
	double median;		/* TFLOP/s a core of the cards of its kind; 0: it is the only one */
	struct reset_card reset[BURNIN_RESETS];	/* RESET_PENDING: it was not tried */
	/* Counts of the memory's controllers, before and after. */
	struct memory_errors memory_errors[BURNIN_RESETS][MEMORY_CHANNELS];
	struct memory_growth growth;	/* of these */
	char chip_name[24];		/* as in struct burnin_find */
	size_t n_before;		/* the latest finds of earlier burns */
	struct burnin_find before[BURNIN_FINDS_SHOWN];
};

struct burnin_run;
struct burnin_target;

/* Whether rates mean nothing, by the cards' clocks or by ours, because they are a simulator's. */
bool burnin_is_timeless(const struct bus *bus);

/* The next target with a card that burns; the next whose load was started; NULL: no more. */
struct burnin_target *burnin_next_card(const struct burnin_run *r, size_t *i);
struct burnin_target *burnin_next_started(const struct burnin_run *r, size_t *i);

/* Start all loads. */
void burnin_cards_start(struct burnin_run *r);

/* Watch the cards' telemetry from now on. */
void burnin_cards_guard(struct burnin_run *r);

/* True while a card burns; clears *running unless all of those have begun. */
bool burnin_cards_watch(struct burnin_run *r, bool *running);
void burnin_cards_stop(struct burnin_run *r);
void burnin_cards_end(struct burnin_run *r);

bool burnin_cards_any(const struct burnin_run *r);	/* one was started */

/* Take in a new sample of all cards. */
void burnin_cards_tick(struct burnin_run *r);

/* A wrong word so far, a core that stands still, or a memory channel that does not answer. */
bool burnin_cards_bad(const struct burnin_run *r);

/* Judge each card, then reset it; cut: why the load was ended early; NULL. */
void burnin_cards_judge(struct burnin_run *r, const struct error *cut);
void burnin_cards_close(struct burnin_run *r);

/* The cards of --check-memory, each with its process and its result. */

struct check_memory_card {
	struct card_process process;	/* its `why`: why the check is not complete */
	struct memory_channels channels;
	bool held;		/* by another program, before or after */
	struct ledger coverage;
	struct card_check_plan plan;
	struct memory_errors before[MEMORY_CHANNELS], after[MEMORY_CHANNELS];
	struct card_check *check;	/* shared with the process */
	char name[96];
	enum verdict verdict;
	bool disagrees;			/* endpoints do: a fault of its memory, not of the card */
};

struct check_memory {
	struct act act;			/* first: the runner has this one */
	struct card_check_plan wish;
	size_t n;
	struct check_memory_card *cards;
};

/* Take all figures of these cards. */
void check_memory_take(struct figures *to, const struct fleet *fleet,
	const struct check_memory_card *cards, size_t n);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reset.h - bring cards back: notify, fire, wait, rebind, post, verify.
 *
 * Each card goes through the phases at its own pace, in a process of its own
 * (agent.h), so that a driver call that blocks delays no other card.
 * No phase sleeps where there is evidence to watch, and each has a limit.  No
 * verdict rests on what a call of the driver returned.
 */
#pragma once

#include "reset/log.h"
#include "reset/outside/outside.h"
#include "reset/plan.h"
#include "reset/port.h"
#include "reset/preflight.h"

#include <poll.h>

struct bus;
struct hold;
struct sampler;
struct reset;

enum reset_phase {
	RESET_NOTIFY,		/* programs that listen are told */
	RESET_FIRE,		/* the reset itself */
	RESET_OUTSIDE,		/* something else than the driver resets all of them at once */
	RESET_WAIT,		/* until the chip is back on the bus, reset */
	RESET_REBIND,		/* until its node is there, by BDF */
	RESET_POST,		/* the driver makes it usable */
	RESET_VERIFY,		/* until it is as it was before */
	RESET_OVER
};

enum reset_verdict {
	RESET_PENDING,
	RESET_RECOVERED,
	RESET_DEGRADED,		/* usable; what is missing stands in the reason */
	RESET_LOST,		/* not reset, or not back */
	RESET_UNKNOWN,		/* begun, but we lack what it takes to see how it is now */
	RESET_NOT_DONE,		/* what resets it from outside failed before it did anything */
	RESET_REFUSED,		/* the driver refused, and nothing was done to it */
	RESET_STOPPED		/* nothing was fired: the caller stopped before */
};

/* One phase of one card that is over. */
struct reset_step {
	enum reset_phase phase;
	enum plan_method method;
	int64_t began, took, limit;	/* ns: since the start of all; how long; how long at most */
	bool ok;
	char text[176];		/* what came of it, "" when there is nothing to say */
};

/* What a report needs of a card, before and after. */
struct reset_facts {
	char firmware[32];		/* of the bundle, "" where unknown */
	struct aer aer;
	struct port port;
};

#define RESET_STEPS 24

struct reset_card {
	int index;
	char bdf[16], series[32];
	struct plan_card plan;
	size_t rung;			/* of the ladder, tried now or last */
	enum reset_phase phase;
	int64_t began, limit;		/* of the phase: clock_mono(), and ns it may take */
	enum reset_verdict verdict;
	int64_t took;			/* ns, from the start of all to the verdict */
	char reason[320];		/* of the verdict: what is missing, or why */
	char advice[160];		/* what to do now, "" when nothing */
	char note[372];
	int node_before, node_after;
	struct reset_facts before, after;
	size_t n_steps;
	struct reset_step steps[RESET_STEPS];
};

struct reset_config {
	struct bus *bus;
	struct sampler *sampler;	/* between ticks; its last one is how things were before */
	const struct plan *plan;
	struct hold *hold;		/* lent: the plan's cards, given back by their owner */
	bool require_links;
	unsigned hurry;			/* all limits are divided by it; 0 is 1 */
	const char *listeners;		/* folder of their sockets, or NULL */
	struct log *log;		/* of the caller, or NULL */
	const struct outside *outside;	/* what resets the cards of PLAN_OUTSIDE */
	const struct snapshot *before;	/* how things were, by index, where that was not just now */
	const struct host *host;	/* for log and advice, or NULL */

	/*
	 * Not 0: the caller samples all cards at this interval, in ns, and says so
	 * with reset_take_sample().  0: the reset samples, and chooses which.
	 */
	int64_t shared_interval;

	/* A phase of a card is over; with NULL for the step, its verdict is there. */
	void (*tell)(void *arg, const struct reset_card *c, const struct reset_step *s);
	void *arg;
};

/*
 * Take the plan's cards (hold_take(), also its errors) once all that their reset is going to need
 * was tried out; want_is(): we lack some of it.
 */
int reset_take(struct hold *h, struct bus *bus, const struct plan *plan, struct error *e);

/*
 * How long a phase of a reset by this method may take, in ns; outside as in
 * reset_config, links: those of ethernet are waited for.
 */
int64_t reset_phase_limit(enum reset_phase p, enum plan_method m, const struct outside *outside,
	bool links);

/*
 * Begin with cards that are taken: all that the reset is going to need is there then.  want_is():
 * we lack something, and nothing was done.  *r is the caller's to reset_close().
 */
int reset_open(const struct reset_config *c, struct reset **r, struct error *e);

/* Go on: when poll() saw something of reset_fds(), or after reset_wait_ms(); true: all is over. */
bool reset_step(struct reset *r);

/* With shared_interval: a tick is over, and sampler_fleet() has what it found. */
void reset_take_sample(struct reset *r);

size_t reset_fds(const struct reset *r, struct pollfd *fds, size_t max);
int reset_wait_ms(const struct reset *r);

/* Begin no further reset; what has been fired is brought to its end. */
void reset_stop(struct reset *r);

/* True while a reset has been fired and is not over: stopping waits for it. */
bool reset_is_hot(const struct reset *r);

size_t reset_cards(const struct reset *r, const struct reset_card **cards);

/* Processes that still act are left to finish their card, which is theirs then. */
void reset_close(struct reset *r);

const char *reset_phase_name(enum reset_phase p);	/* "fire" */
const char *reset_verdict_name(enum reset_verdict v);	/* "recovered" */

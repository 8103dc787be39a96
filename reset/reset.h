/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reset.h - bring cards back: notify, fire, wait, rebind, post, verify.
 *
 * Each card goes through the phases at its own pace, in a process of its own (agent.c), so that a
 * driver call that blocks delays no other card.  A phase never sleeps while it can watch for
 * evidence, and each has a limit.  No verdict relies on what a driver call returned.
 */
#pragma once

#include "base/json.h"
#include "report/advice.h"
#include "reset/outside/outside.h"
#include "reset/plan.h"
#include "reset/preflight.h"

#include <poll.h>

struct bus;
struct hold;
struct sampler;
struct reset;

enum reset_phase {
	RESET_NOTIFY,		/* notify the programs that listen */
	RESET_FIRE,		/* the reset itself */
	RESET_OUTSIDE,		/* something other than the driver resets all cards at once */
	RESET_WAIT,		/* until the chip is back on the bus, reset */
	RESET_REBIND,		/* until its node is there, found by BDF */
	RESET_POST,		/* the driver makes it usable */
	RESET_VERIFY,		/* until it is as it was before */
	RESET_OVER
};

enum reset_verdict {
	RESET_PENDING,
	RESET_RECOVERED,
	RESET_DEGRADED,		/* usable; the reason says what is missing */
	RESET_LOST,		/* not reset, or not back */
	RESET_UNKNOWN,		/* begun, but we lack the resources to see its state now */
	RESET_NOT_DONE,		/* the reset from outside failed before it did anything */
	RESET_REFUSED,		/* the driver refused, and nothing was done to it */
	RESET_STOPPED		/* nothing was fired: the caller stopped before */
};

/* What kept other programs from opening the card during its reset. */
enum reset_guard {
	RESET_UNGUARDED,	/* not known, or no such thing: it was not fired, or has no node */
	RESET_OPEN,		/* nothing: the driver cannot, or our process was killed */
	RESET_SHARED,		/* nothing: another program had it open, and the caller insisted */
	RESET_EXCLUSIVE		/* the driver */
};

/* A finished phase of one card. */
struct reset_step {
	enum reset_phase phase;
	enum plan_method method;
	int64_t began, took, limit;	/* ns: start after reset_open(), duration, most allowed */
	bool ok;
	char text[176];		/* the result in words; "": nothing to say */
};

/* Facts about a card for reports, before and after its reset. */
struct reset_facts {
	char firmware[32];		/* of the bundle, "" where unknown */
	struct aer aer;
	struct pcie_port port;
};

#define RESET_STEPS 24

struct reset_card {
	int index;
	char bdf[16], series[32];
	struct plan_card plan;
	size_t rung;			/* index in the ladder, of the method tried now or last */
	enum reset_phase phase;
	int64_t began, limit;		/* of the phase: clock_mono(), and ns it may take */
	enum reset_verdict verdict;
	enum reset_guard guard;
	bool is_unproved;		/* degraded, since what was required cannot be checked */
	int64_t took;			/* ns, from reset_open() to the verdict */
	enum code code;			/* of the reason */
	char reason[320];		/* of the verdict: what is missing, or why */
	struct advice advice;		/* what to do now */
	char note[880];
	int node_before, node_after;
	struct reset_facts before, after;
	size_t n_steps;
	struct reset_step steps[RESET_STEPS];
};

/*
 * The log of all resets, in the state directory: one JSON object a line, on the disk before the
 * step that it reports.
 */
struct log {
	int fd;			/* -1: none */
	int trouble;		/* -errno of the first line that could not be written, or 0 */
	uint64_t started;	/* start time of this process; with its pid, it identifies it */
	char path[4096];
	struct strbuf line;
	struct json_out json;
};

/* Open or create reset.log, and sync a first line to the disk; -errno: no log can be kept. */
int log_open(struct log *l, struct error *e);
void log_close(struct log *l);
void log_sync(struct log *l);

struct reset_config {
	struct bus *bus;
	struct sampler *sampler;	/* between ticks; the last one has the state before */
	const struct reset_plan *plan;
	struct hold *hold;		/* has the plan's cards; its owner gives them back */
	bool require_links;
	bool shares;			/* reset cards that other programs have open, too */
	const char *listeners;		/* folder of their sockets, or NULL */
	struct log *log;		/* of the caller, or NULL */
	const struct outside *outside;	/* the act that resets the cards of PLAN_OUTSIDE */
	const struct snapshot *before;	/* state before, by index; NULL: of the last tick */
	const struct host *host;	/* for log and advice, or NULL */

	/*
	 * Not 0: the caller samples all cards at this interval, in ns, and calls
	 * reset_take_sample() each time.  0: the reset samples the cards that it chooses.
	 */
	int64_t shared_interval;

	/* Called when a phase of a card is over, and with s == NULL when its verdict is known. */
	void (*tell)(void *arg, const struct reset_card *c, const struct reset_step *s);
	void *arg;
};

/*
 * Try out the resources that the reset will need, then take the plan's cards (hold_take(), with
 * its errors).  want_is(): we lack a resource.
 */
int reset_take(struct hold *h, struct bus *bus, const struct reset_plan *plan, struct error *e);

/*
 * How long a phase of a reset by this method may take, in ns.  outside is that of
 * reset_config; links: ethernet links must come up as well.
 */
int64_t reset_phase_limit(enum reset_phase p, enum plan_method m, const struct outside *outside,
	bool links);

/*
 * Begin the reset of cards that are taken, after its resources were tried out and its processes
 * started.  want_is(): we lack a resource, and nothing was done.  Free *r with reset_close().
 */
int reset_open(const struct reset_config *c, struct reset **r, struct error *e);

/* Go on.  Call it when poll() reports one of reset_fds(), or after reset_wait_ms(); true: done. */
bool reset_step(struct reset *r);

/* With shared_interval: call this after each tick, when sampler_fleet() has its samples. */
void reset_take_sample(struct reset *r);

size_t reset_fds(const struct reset *r, struct pollfd *fds, size_t max);
int reset_wait_ms(const struct reset *r);

/*
 * Fire no further reset; those that were fired are completed.  An act outside of the driver ends
 * before its next step that must not be interrupted.
 */
void reset_stop(struct reset *r);

/* True while an act outside of the driver is under way. */
bool reset_is_outside(const struct reset *r);

/* End that act at once, in the middle of what it does; its cards are watched and verified. */
void reset_leave_outside(struct reset *r);

/* True while a reset was fired and is not over: a stop waits for it. */
bool reset_is_hot(const struct reset *r);

size_t reset_cards(const struct reset *r, const struct reset_card **cards);

/* Free r.  Processes that still act finish their cards alone, and keep those cards' locks. */
void reset_close(struct reset *r);

const char *reset_phase_name(enum reset_phase p);	/* "fire" */
const char *reset_verdict_name(enum reset_verdict v);	/* "recovered" */

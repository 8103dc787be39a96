/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h - what the files of a running reset share: the phases of one card (outcome.c), its process
 * (act.c, agent.c), and its way back (act.c, verify.c).
 */
#pragma once

#include "base/child.h"
#include "base/clock.h"
#include "device/device.h"
#include "reset/plan.h"
#include "reset/reset.h"
#include "telemetry/snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The process that acts on one card, so that a kernel call that hangs hangs only there.
 *
 * It takes one order at a time and answers each with a report.  A reset that was
 * fired must be completed, else the driver keeps the card shut.  If the caller dies in
 * the middle, this process therefore goes on alone for a limited time, and holds the
 * card's lock until it ends.  If the caller dies before the shot, it just ends.
 */

enum agent_order {
	AGENT_TAKE,	/* open it, exclusively if that is possible; -EALREADY: another has it */
	AGENT_FIRE,	/* reset it; the report comes when the driver's call returns */
	AGENT_WAIT,	/* watch its config space until it has been reset, or the limit is over */
	AGENT_POST,	/* make it usable again */
	AGENT_ASK	/* send its firmware one message */
};

/* The result of an order. */
struct agent_report {
	enum agent_order order;
	int error;		/* 0 or -errno */
	uint32_t result;	/* the driver's own result of the call; proves nothing */
	bool has_begun;		/* AGENT_FIRE: something may have been done to the card */
	bool was_reset;		/* AGENT_WAIT: config space, or each tile, shows the reset */
	bool is_marked;		/* the driver's marker is still set */
	bool is_off;		/* config space reads all ones */
	bool is_mute;		/* AGENT_ASK: no answer */
	enum reset_guard guard;	/* AGENT_TAKE, AGENT_FIRE */
	enum code code;		/* of the failure, or CODE_NONE */
	char text[160];		/* the cause in words; "": all is well */
};

#define AGENT_ALONE (20 * CLOCK_SECOND)	/* as long as the driver's slowest reset */

/*
 * Start the process for d, which is locked.  If the caller dies, it goes on for
 * `alone` ns at most and keeps the lock meanwhile.  shares: take the card even if another program
 * has it open.  0 or -errno.
 */
int agent_start(struct child *a, struct device *d, int64_t alone, bool shares, struct error *e);

/* limit: how long AGENT_WAIT watches after this order, in ns.  -EPIPE: it has ended. */
int agent_order(struct child *a, enum agent_order order, enum plan_method method, int64_t limit);

/* 1: *report is filled; 0: nothing new; -EPIPE: it has ended.  Never blocks. */
int agent_take(struct child *a, struct agent_report *report);

/*
 * Reset all compute cores of a Grayskull, which itself stays on the bus, through a handle for
 * ACCESS_RESET, and hold them in reset.  0 or -errno, -ETIMEDOUT after 10 s; on an error, part of
 * it may have been done.
 */
int tensix_reset(struct device *d, struct error *e);

/*
 * Check that each usable tile is in the state that tensix_reset() leaves.  Returns the
 * number of tiles or -errno; -EIO: *e names the first tile or register that is not.
 */
int tensix_check(struct device *d, struct error *e);

/* Whether a card is back: compare its samples now with those from before. */
struct verify {
	const struct snapshot *before;	/* of the caller; may be of a card that did not answer */
	int64_t since;			/* clock_mono(): samples that began before do not count */
	bool require_links;		/* ethernet links that were up must be up again */
	bool is_still;			/* a simulator that has neither heartbeat nor link */
	bool was_heard;			/* the firmware answered messages after the reset */
	bool has_beat;
	int64_t beat;			/* the first heartbeat after the reset */
	uint8_t source;			/* its enum reading_source */
	int64_t heard;			/* clock_mono(): the sample of that heartbeat began */
	bool is_early;			/* too few samples since the reset to say that it is lost */
	bool is_blind;			/* the sample failed because we lack a resource */
	bool is_alive;			/* the heartbeat moved, and the card answers */
	enum code code;			/* of the first thing that is missing */
	char missing[256];		/* their names, with commas */
	char unproved[160];		/* of require_links: what no sample can show, or "" */
	char note[400];			/* differences that do not count, or "" */
};

/*
 * Judge the latest sample; true: nothing is missing any more.  The same sample may be judged again:
 * a card that takes longer than a tick still has the sample of an earlier one.
 */
bool verify_take(struct verify *v, const struct snapshot *now);

/* Firmware whose heartbeat moves may answer no message, so a card that seems well is asked. */
enum run_ask { ASK_NOT_YET, ASK_SENT, ASK_OVER };
/* How far its process is with the order to reset it. */
enum run_take { RUN_TAKING, RUN_TAKEN, RUN_DENIED, RUN_FIRED };

/* The state of a card that only the reset itself needs. */
struct run {
	struct reset_card *card;
	enum run_take take;		/* in RESET_FIRE */
	size_t board;			/* the same of two: one controller may reset both */
	struct device *device;
	struct snapshot *before;
	struct verify verify;
	struct child agent;
	bool is_fired;			/* on this rung */
	bool is_watched;		/* RESET_WAIT: its process has the order to watch it */
	bool is_refused;		/* on this rung: only its other half's order resets it */
	bool was_reset;			/* on this rung: config space showed it */
	bool is_left;			/* the reset from outside did nothing */
	bool is_stuck;			/* its process hangs in the driver */
	bool is_open;			/* on this rung: POST_RESET was carried out */
	bool is_cut;			/* on this rung: its process was killed in RESET_FIRE */
	bool has_moved;			/* its board is at another address */
	int restarts;			/* of its process */
	bool is_touched;		/* on any rung: something may have been done to it */
	int refusal;			/* -errno of its last refusal, or 0 */
	int second;			/* the board's chip without PCIe of its own, or -1 */
	struct snapshot *second_before;	/* not live if that chip was not known */
	struct verify second_verify;
	int64_t alive;			/* clock_mono() when the heartbeat first moved; 0 */
	enum run_ask ask;
	int64_t asked;			/* clock_mono() of ASK_SENT */
	char mute[176];			/* ASK_OVER: no answer; "": there was one, or .unasked */
	char unasked[176];		/* ASK_OVER: why it could not be asked, or "" */
	char cause[176];		/* why this rung did not reset it */
	enum code cause_code;
	char why[320];			/* why each rung so far failed */
};

struct reset {
	struct reset_config config;
	size_t n_chips;			/* of the fleet at the start; later ones are new */
	size_t n;
	struct reset_card *cards;
	struct run *runs;
	int64_t began, stepped;		/* clock_mono() of the start and of the last step */
	int64_t next_rescan, next_sample;
	bool is_sampling, is_stopped;
	size_t told;			/* how many listeners were notified */
	struct outside_run outside;
	bool is_outside;		/* the act outside was begun */
};

enum plan_method run_method(const struct reset_card *c);
bool run_is_late(const struct reset_card *c);
bool run_any_in(const struct reset *r, enum reset_phase phase);
bool run_is_acting(const struct reset_card *c);	/* from the shot to the end of POST_RESET */
bool run_has_order(const struct run *run);	/* its process has one, or is about to get it */

/* When its process, which acts or watches, has had too long, clock_mono(); INT64_MAX: none does. */
int64_t run_due(const struct run *run);

void run_enter(struct reset *r, struct reset_card *c, enum reset_phase phase);
/* failed: the code of the failure, or CODE_NONE; the card keeps it until another one is known. */
void run_end_phase(struct reset *r, struct reset_card *c, enum code failed, const char *text);
void run_gather(const struct reset *r, const struct snapshot *s, struct reset_facts *out);

/* The chip of the same board that is reached through this one, or -1: none is known (yet). */
int run_find_second(const struct fleet *f, int index);

/* Join what is said of a card: first of its own chip, then of the second one. */
void run_name_both(const struct run *run, const char *own, const char *second, char *text,
	size_t size);

/* Log what is about to be done to a card, or its verdict. */
void run_log(struct reset *r, const char *event, const struct run *run);
void run_conclude(struct reset *r, struct run *run, enum reset_verdict verdict,
	const char *reason);

/* Reset these cards, each by its rung; the log is synced to the disk before the first. */
void run_fire(struct reset *r, struct run **runs, size_t n);
void run_take_reports(struct reset *r);
void run_check_limits(struct reset *r);

void run_outside(struct reset *r);	/* the act outside of the driver */
void run_rebind(struct reset *r);
void run_verify(struct reset *r);

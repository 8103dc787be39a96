/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h - what the files of a running reset share: the phases of one card
 * (outcome.c), its process (act.c), and its way back (back.c).
 */
#pragma once

#include "reset/agent.h"
#include "reset/reset.h"
#include "reset/verify.h"

/* The state of a card that only the reset itself needs. */
struct run {
	struct reset_card *card;
	size_t board;			/* the same of two: one controller may reset both */
	struct device *device;
	struct snapshot *before;
	struct verify verify;
	struct agent agent;
	bool is_fired;			/* on this rung */
	bool is_watched;		/* RESET_WAIT: its process has the order to watch it */
	bool is_refused;		/* on this rung: only its other half's order resets it */
	bool was_reset;			/* on this rung: config space showed it */
	bool is_left;			/* the reset from outside did nothing */
	bool is_stuck;			/* its process hangs in the driver */
	bool is_open;			/* on this rung: POST_RESET was carried out */
	int restarts;			/* of its process */
	bool is_touched;		/* on any rung: something may have been done to it */
	int refusal;			/* -errno of its last refusal, or 0 */
	int second;			/* the board's chip without PCIe of its own, or -1 */
	struct snapshot *second_before;
	struct verify second_verify;
	int64_t alive;			/* clock_mono() when the heartbeat first moved; 0 */
	char cause[176];		/* why this rung did not reset it */
	enum code cause_code;
	char why[320];			/* why each rung so far failed */
};

struct reset {
	struct reset_config config;
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

/* When its process, which acts or watches, has had too long, clock_mono(); INT64_MAX: none does. */
int64_t run_due(const struct run *run);

/* How long config space is watched for a reset, in ns. */
int64_t run_watch_limit(const struct reset *r, const struct reset_card *c);

int run_start_agent(struct run *run, struct error *e);

void run_enter(struct reset *r, struct reset_card *c, enum reset_phase phase);
/* failed: the code of the failure, or CODE_NONE; the card keeps it until another one is known. */
void run_end_phase(struct reset *r, struct reset_card *c, enum code failed, const char *text);
void run_gather(const struct reset *r, const struct snapshot *s, struct reset_facts *out);

/* Log what is about to be done to a card, or its verdict. */
void run_log(struct reset *r, const char *event, const struct run *run);
void run_conclude(struct reset *r, struct run *run, enum reset_verdict verdict,
	const char *reason);

/* Reset these cards, each by its rung; the log is synced to the disk before the first. */
void run_fire(struct reset *r, struct run **runs, size_t n);
void run_take_reports(struct reset *r);
void run_check_limits(struct reset *r);

void run_outside(struct reset *r);	/* the act outside of the driver */
void run_leave_outside(struct reset *r);	/* it is under way: do not wait for its end */
void run_rebind(struct reset *r);
void run_verify(struct reset *r);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agent.h - the process that acts on one card, so that a kernel call that hangs hangs only there.
 *
 * It takes one order at a time and answers each with a report.  A reset that was
 * fired must be completed, else the driver keeps the card shut.  If the caller dies in
 * the middle, this process therefore goes on alone for a limited time, and holds the
 * card's lock until it ends.  If the caller dies before the shot, it just ends.
 */
#pragma once

#include "base/child.h"
#include "device/device.h"
#include "reset/plan.h"

#include <stdbool.h>
#include <stdint.h>

enum agent_order {
	AGENT_FIRE,	/* reset it; the report comes when the driver's call returns */
	AGENT_WAIT,	/* watch its config space until it has been reset, or the limit is over */
	AGENT_POST	/* make it usable again */
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
	enum code code;		/* of the failure, or CODE_NONE */
	char text[160];		/* the cause in words; "": all is well */
};

struct agent {
	struct child child;
};

/*
 * Start the process for d, which is locked.  If the caller dies, it goes on for
 * `alone` ns at most and keeps the lock meanwhile.  0 or -errno.
 */
int agent_start(struct agent *a, struct device *d, int64_t alone, struct error *e);

/* limit: how long AGENT_WAIT watches after this order, in ns.  -EPIPE: it has ended. */
int agent_order(struct agent *a, enum agent_order order, enum plan_method method, int64_t limit);

/* 1: *report is filled; 0: nothing new; -EPIPE: it has ended. Never blocks. */
int agent_take(struct agent *a, struct agent_report *report);

/*
 * Reset all cores, through a handle for ACCESS_RESET, and hold them in reset.
 * 0 or -errno, -ETIMEDOUT after 10 s; on an error, part of it may have been done.
 */
int tensix_reset(struct device *d, struct error *e);

/*
 * Check that each usable tile is in the state that tensix_reset() leaves.  Returns the
 * number of tiles or -errno; -EIO: *e names the first tile or register that is not.
 */
int tensix_check(struct device *d, struct error *e);

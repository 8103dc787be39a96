/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h - which resets will be tried on each card, in which order, and which must
 * not be tried at all.
 */
#pragma once

#include "base/error.h"
#include "base/json.h"
#include "device/device.h"
#include "telemetry/snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A way to reset a card: one rung of the ladder (chip-facts 5.1 to 5.3). */
enum plan_method {
	PLAN_ASIC,		/* the driver's ASIC_RESET, since 2.4 */
	PLAN_DMC,		/* its ASIC_DMC_RESET: by the board's controller, all chips */
	PLAN_CONFIG_WRITE,	/* Blackhole, drivers 1.31 to 2.3: the firmware's timer interrupt */
	PLAN_MESSAGE,		/* Wormhole, drivers 1.26 to 2.3: a message to the firmware */
	PLAN_TENSIX,		/* Grayskull: its compute cores, by registers */
	PLAN_OUTSIDE,		/* something else resets it; notify the driver before and after */
	PLAN_METHODS
};

#define PLAN_RUNGS 3

struct plan_card {
	int index;		/* of the device and of its snapshot */
	size_t n;
	enum plan_method ladder[PLAN_RUNGS];
	bool can_dmc;		/* the board's controller can reset it, and that is not forbidden */
	char board[104];	/* what a person names to reset its board: BDFs, up to eight */
};

struct reset_plan {
	size_t n;
	int refused;		/* plan_make() failed: the chip that its error is about, or -1 */
	struct error why;	/* the same error without the chip's name */
	struct plan_card cards[DEVICE_MAX];
};

/* The caller's wishes. */
struct plan_wish {
	bool dmc;			/* begin with the board's controller */
	bool outside;			/* PLAN_OUTSIDE and nothing else */
	bool all;			/* all cards are meant: there is none to be named besides */
	bool forbidden[PLAN_METHODS];
};

const char *plan_method_name(enum plan_method m);	/* "asic" */
const char *plan_method_title(enum plan_method m);	/* "ASIC_RESET" */
enum device_reset plan_method_call(enum plan_method m);
bool plan_method_is_old(enum plan_method m);	/* drivers before 2.4 do it, without POST_RESET */
int plan_method_find(const char *name);	/* enum plan_method of "asic" (--forbid), or -1 */

/*
 * Plan the resets of the wanted chips, by index.  Second chips without PCIe of their
 * own are reset with their board's first one.  Nothing is touched.
 * -EPERM: it cannot be done here, or not to this part of a board alone, for example a
 * second chip; -EINVAL: every method is forbidden; -ENODEV: no card is wanted.
 */
int plan_make(struct reset_plan *p, const struct fleet *f, const bool *wanted,
	const struct plan_wish *wish, struct error *e);

/*
 * The cards named in a reset configuration of upstream's tool (chip-facts 5.5): add
 * "/dev/tenstorrent/N " for each, if any; -EINVAL: a list of cards is malformed.
 */
int reset_nodes_take(const struct json *doc, struct strbuf *names, struct error *e);

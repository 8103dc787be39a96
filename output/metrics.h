/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics.h - the readings of all chips as Prometheus reads them (text format 0.0.4).
 *
 * This is not a format for dumps: the text of each tick replaces the one before.
 */
#pragma once

#include "base/text.h"
#include "telemetry/roster.h"
#include "telemetry/tally.h"

#define METRICS_PREFIX "tt_smi_"

struct metrics {
	const struct fleet *fleet;
	const struct roster *roster;
	const struct tally *const *totals;	/* by place in the roster; NULL: none are known */
	bool sparse;		/* the interval is above TALLY_SPARSE */
	int kept;		/* 1: what is counted is kept, 0: it is not; -1: it is not to be */
	bool resets_unknown;	/* leave out which chips are being reset */
	const char *version;	/* of this program */
	bool external;		/* leave out engineering fields, and all but the pids of holders */
	bool commands;		/* add the command lines of processes that hold a card */
};

/* Add the text of a tick that roster_take() has taken in. */
void metrics_put(struct strbuf *to, const struct metrics *m);

/* Add a line for each metric: its name, unit, type and help, in columns. */
void metrics_put_names(struct strbuf *to);

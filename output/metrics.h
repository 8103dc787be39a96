/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics.h - the readings of all chips as Prometheus reads them (text format 0.0.4).
 *
 * It is no format of a dump: each tick is a whole text, which takes the place of the one before.
 */
#pragma once

#include "base/strbuf.h"
#include "telemetry/roster.h"
#include "telemetry/tally.h"

#define METRICS_PREFIX "tt_smi_"

struct metrics {
	const struct fleet *fleet;
	const struct roster *roster;
	const struct tally *const *totals;	/* by place in the roster; NULL: none are known */
	const char *version;	/* of this program */
	bool external;		/* leave engineering fields out, and of holders all but pids */
	bool commands;		/* add the command lines of those that hold a card */
};

/* The text of a tick that the roster has taken in. */
void metrics_put(struct strbuf *to, const struct metrics *m);

/* A line for each metric: its name, unit, type and help, with this between them. */
void metrics_put_names(struct strbuf *to);

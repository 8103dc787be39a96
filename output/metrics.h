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
	bool resets_unknown;	/* leave out which chips are being reset */
	const char *version;	/* of this program */
	bool external;		/* leave out engineering fields, and all but the pids of holders */
	bool commands;		/* add the command lines of processes that hold a card */
};

/* Add the text of a tick that roster_take() has taken in. */
void metrics_put(struct strbuf *to, const struct metrics *m);

/* Add a line for each metric: its name, unit, type and help, in columns. */
void metrics_put_names(struct strbuf *to);

/* Shared by the files of the metrics: a chip, and functions that write series. */

/* A chip of the roster, and what its series have in common. */
struct metrics_chip {
	const struct metrics *m;
	const struct roster_chip *known;
	const struct snapshot *s;	/* NULL: it is missing */
	const struct tally *total;	/* NULL: none is known */
	bool is_read;			/* its readings can be relied on */
	const char *labels;		/* `{bdf="0000:01:00.0",chip="0"` */
};

/* Put text inside a label's quotes; put a label after others, unless its value is "". */
void series_put_escaped(struct strbuf *to, const char *text);
void series_put_label(struct strbuf *to, const char *name, const char *value);

/* Begin a series, up to its further labels; end it with its value. */
void series_begin(struct strbuf *to, const char *name, const struct metrics_chip *c);
void series_end(struct strbuf *to, int64_t value, int64_t scale);

/*
 * Put the head of a metric; returns where its series begin.  *at: where the head begins, so that
 * it can be removed if no series follows.
 */
size_t series_begin_metric(struct strbuf *to, const char *name, const char *type, const char *help,
	size_t *at);

/* A line of --metrics help. */
void series_put_name(struct strbuf *to, const char *name, const char *unit, const char *type,
	const char *help);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics_local.h - shared by the files of the metrics: a chip, functions that write series, and
 * the three tables that series are made from.
 */
#pragma once

#include "output/metrics.h"

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

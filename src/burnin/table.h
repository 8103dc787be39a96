/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - the end of a burn of many targets: one table, the verdict first and last.
 */
#pragma once

#include "report/figure.h"

#include <stdbool.h>
#include <stddef.h>

struct burnin_table {
	size_t columns;		/* cells of a line; 0: do not wrap reasons */
	bool is_styled;		/* colours for verdicts */
};

/*
 * From the figures of the whole, as taken or as read from a report.  The head says what was burnt
 * and the verdict of all, and comes before all other lines.  The table ends with the verdict.
 */
void burnin_table_put_head(struct strbuf *to, const struct figures *all,
	const struct burnin_table *t);
void burnin_table_put(struct strbuf *to, const struct figures *all, const struct burnin_table *t);

/*
 * Put what was not watched, from the texts of its rules.  Cards with the same text share one:
 * "its memory's temperature, whose limit is not published (all 32 cards)".  `first` comes before
 * the first text, `between` before each other one.  cards: how many burn.
 */
void burnin_put_unwatched(struct strbuf *to, const char *const *rules, size_t n, size_t cards,
	const char *first, const char *between);

/* The same, from figures; puts nothing if all was watched. */
void burnin_put_unwatched_figures(struct strbuf *to, const struct figures *all, const char *first,
	const char *between);

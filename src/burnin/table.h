/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - the end of a burn of many targets: one table, the verdict first and last.
 */
#pragma once

#include "telemetry/figure.h"

#include <stdbool.h>
#include <stddef.h>

struct burnin_table {
	size_t columns;		/* cells of a line; 0: reasons are not broken */
	bool is_styled;		/* colours for verdicts */
};

/*
 * From the figures of the whole, as taken or as read from a report: what was burnt with the
 * verdict of all, which comes before whatever else is said; and the table, which ends with it.
 */
void burnin_table_put_head(struct strbuf *to, const struct figures *all,
	const struct burnin_table *t);
void burnin_table_put(struct strbuf *to, const struct figures *all, const struct burnin_table *t);

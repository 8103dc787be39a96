/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ndjson.h - one JSON object on one line for each card and tick, for pipes.
 */
#pragma once

#include "output/csv.h"

#include <stdbool.h>

struct ndjson_options {
	const bool *wanted;	/* FIELD_COUNT of them; NULL: the telemetry group */
	bool external;		/* leave engineering fields out */
};

/*
 * Add the line of one card.  `readings` has the keys of a snapshot's readings,
 * each with its bare value; what the card has not is left out, what could not
 * be read is null and named in `states`.  real is clock_real() of the tick.
 */
void ndjson_put(struct strbuf *to, const struct snapshot *s, const struct csv_tick *t,
	int64_t real, const struct ndjson_options *o);

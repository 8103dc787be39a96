/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ndjson.h - one JSON object on one line for each card and tick, for pipes.
 */
#pragma once

#include "output/sink.h"

/*
 * Add the line of one card.  `readings` has the keys of a snapshot's readings,
 * each with its bare value.  Readings that the card lacks are left out; those
 * that could not be read are null and named in `states`.
 */
void ndjson_put(struct strbuf *to, const struct snapshot *s, const struct tick *t,
	const struct sink_choice *choice);

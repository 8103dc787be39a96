/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot_json.h - a fleet as JSON: upstream's 6.2.1 snapshot, key for key (chip-facts 6.1),
 * then our own keys beside them; and a card of a tick as a line of NDJSON.
 */
#pragma once

#include "base/json.h"
#include "base/text.h"
#include "output/tick.h"
#include "telemetry/host/host.h"
#include "telemetry/snapshot.h"

#include <stdbool.h>
#include <stddef.h>

#define SNAPSHOT_JSON_SCHEMA 1	/* schema_version: raised when a key of ours changes its meaning */

struct snapshot_json_options {
	bool external;		/* no raw words, ASIC ids, engineering fields, names of host and
				   users, command lines */
	bool plain;		/* no readings, which are most of the text */
	bool local;		/* leave remote chips out; they are named in not_read */
	const char *version;	/* of upstream's tool, whose keys these are */
	const char *own_version;	/* of this tool; NULL: left out */
};

/* Append the snapshot of f on machine h and a newline to `to`. */
void snapshot_json_put(struct strbuf *to, const struct fleet *f, const struct host *h,
	const struct snapshot_json_options *o);

/*
 * Add the line of one card.  `readings` has the keys of a snapshot's readings,
 * each with its bare value.  Readings that the card lacks are left out; those
 * that could not be read are null and named in `states`.
 */
void ndjson_put(struct strbuf *to, const struct snapshot *s, const struct tick *t,
	const struct tick_choice *choice);

/* Add all of upstream's members of one chip, from smbus_telem to ethernet, to the open object. */
void upstream_json_put(struct json_out *j, const struct snapshot *s, bool external);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * column.h - what stands in each column of a dump.
 *
 * The first twelve are the guide's Table 3, word for word.  Then come more
 * fields, the limits of all of them, the skew of the card, and last the State.
 */
#pragma once

#include "telemetry/snapshot.h"

#include <stdbool.h>
#include <stddef.h>

enum column_kind {
	COLUMN_FIELD,
	COLUMN_TIME,		/* seconds since the start of the dump, 6 decimals */
	COLUMN_SKEW,		/* how much later than the tick this card was looked at, in ms */
	COLUMN_STATE,		/* what is not as it should be in this row, in words */
	COLUMN_OTHER		/* of a dump of another version: copied as it is */
};

#define COLUMN_GUIDE 12		/* columns of the guide's Table 3 */
#define COLUMN_MAX   (FIELD_COUNT + 16)

struct column {
	enum column_kind kind;
	enum field_id field;	/* of COLUMN_FIELD */
};

struct columns {
	size_t n;
	struct column c[COLUMN_MAX];
};

/*
 * --fields: mark wanted[field] for each key of a list with commas or blanks.
 * Group names ("memory") and "all" are understood too.  -EINVAL says which
 * word means nothing.
 */
int columns_choose(const char *list, bool wanted[static FIELD_COUNT], struct error *e);

/*
 * The columns of one chip: the guide's, the wanted fields (NULL: those of the
 * telemetry group that the chip has, or all of them while it cannot be read),
 * their limits, skew, State.  external leaves engineering fields out.
 */
void columns_build(struct columns *out, const bool *wanted, const struct snapshot *s,
	bool external);

/* "Core Temp (°C)"; added to `to`. */
void column_put_title(const struct column *c, struct strbuf *to);

/* "asic_temp", "timestamp", "skew", "state". */
const char *column_key(const struct column *c);

/* The column with this key, COLUMN_OTHER when there is none. */
struct column column_find(const char *key);

/* Where the field stands, or -1. */
int columns_where(const struct columns *c, enum field_id id);

/* True when the column holds numbers; *scale and *decimals (may be NULL): how they are stored. */
bool column_is_number(const struct column *c, int64_t *scale, int *decimals);

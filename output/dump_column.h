/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump_column.h - the columns of a dump.
 *
 * The first twelve are the guide's Table 3, word for word.  Then come more
 * fields, the limits of all of them, the skew of the card, and last the State.
 */
#pragma once

#include "telemetry/snapshot.h"

#include <stdbool.h>
#include <stddef.h>

enum dump_column_kind {
	DUMP_COLUMN_FIELD,
	DUMP_COLUMN_TIME,		/* seconds since the start of the dump, 6 decimals */
	DUMP_COLUMN_UTC,		/* the wall clock's time of the tick, on request */
	DUMP_COLUMN_SKEW,		/* ms from the tick to the sample of this card */
	DUMP_COLUMN_STATE,		/* everything that is wrong in this row, in words */
	DUMP_COLUMN_OTHER		/* of a dump of another version: copied as it is */
};

#define DUMP_COLUMN_GUIDE 12		/* columns of the guide's Table 3 */
#define DUMP_COLUMN_MAX   (FIELD_COUNT + 16)

struct dump_column {
	enum dump_column_kind kind;
	enum field_id field;	/* of DUMP_COLUMN_FIELD */
};

struct dump_columns {
	size_t n;
	struct dump_column c[DUMP_COLUMN_MAX];
};

/*
 * --fields: mark wanted[field] for each key of a list with commas or blanks.
 * Group names ("memory") and "all" are understood too.  -EINVAL: *e names the
 * unknown word.
 */
int dump_columns_choose(const char *list, bool wanted[static FIELD_COUNT], struct error *e);

/*
 * The columns of one chip: the guide's, the wanted fields (NULL: those of the
 * telemetry group that the card has, or that its kind of chip may have while its
 * tables are not read), the limits of all these, skew, State.  external leaves
 * engineering fields out.
 */
void dump_columns_build(struct dump_columns *out, const bool *wanted, const struct snapshot *s,
	bool external);

/* Put the UTC column after those of the guide. */
void dump_columns_add_utc(struct dump_columns *c);

/* The title, such as "Core Temp (°C)", in `text`, which it returns; "" of DUMP_COLUMN_OTHER. */
enum { DUMP_COLUMN_TITLE = 128 };
const char *dump_column_title(const struct dump_column *c, char text[static DUMP_COLUMN_TITLE]);

/* "asic_temp", "timestamp", "utc", "skew", "state". */
const char *dump_column_key(const struct dump_column *c);

/* A sentence that explains the column. */
const char *dump_column_help(const struct dump_column *c);

/* The column with this key or title, DUMP_COLUMN_OTHER when there is none. */
struct dump_column dump_column_find(const char *name);

/* The number of the field's column, or -1. */
int dump_columns_where(const struct dump_columns *c, enum field_id id);

/* True when the column holds numbers; *scale and *decimals (may be NULL): how they are stored. */
bool dump_column_is_number(const struct dump_column *c, int64_t *scale, int *decimals);

/* True if an average of the column means something: not for counters. */
bool dump_column_has_average(const struct dump_column *c);

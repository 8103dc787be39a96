/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query.h - --query: chosen values of each card, one row of CSV per card.
 */
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "telemetry/snapshot.h"

#include <stdbool.h>

#define QUERY_COLUMNS 512

struct query {
	int columns[QUERY_COLUMNS];	/* an enum field_id, or a name below 0 (query.c) */
	size_t n;
	bool no_header, no_units;
	bool local;			/* leave remote chips out */
};

/*
 * Set the columns from a list such as "index,power", in its order; -EINVAL for a word that
 * names none.  query_format() sets what to leave out, from a list such as "csv,noheader".
 */
int query_choose(struct query *q, const char *list, struct error *e);
int query_format(struct query *q, const char *list, struct error *e);

/* The words of a format, ended by NULL. */
extern const char *const query_formats[];

/* The i-th name that is not a field, and what it means; NULL after the last. */
const char *query_name(size_t i, const char **help);

/* Put the names that are not fields, one per line with its meaning, for --query help. */
void query_put_names(struct strbuf *to);

/* Add the header and a row for each wanted chip of f. */
void query_put(struct strbuf *to, const struct fleet *f, const struct query *q);

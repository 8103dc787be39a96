/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query.h - chosen values of each card, a row of CSV a card: --query.
 */
#pragma once

#include "base/error.h"
#include "base/strbuf.h"
#include "telemetry/fleet.h"

#include <stdbool.h>

#define QUERY_COLUMNS 512

struct query {
	int columns[QUERY_COLUMNS];	/* an enum field_id, or what stands below 0 (query.c) */
	size_t n;
	bool no_header, no_units;
	bool local;			/* leave remote chips out */
};

/*
 * The columns of a list such as "index,power", in its order; -EINVAL for a word that
 * names none.  Then what is to be left out, of a list such as "csv,noheader".
 */
int query_choose(struct query *q, const char *list, struct error *e);
int query_format(struct query *q, const char *list, struct error *e);

/* The words of a format, ended by NULL. */
extern const char *const query_formats[];

/* The i-th name that is not a field, and what it means; NULL after the last. */
const char *query_name(size_t i, const char **help);

/* The names that are no fields, one a line with what they mean: for --query help. */
void query_put_names(struct strbuf *to);

/* Add the header and a row for each wanted chip of f. */
void query_put(struct strbuf *to, const struct fleet *f, const struct query *q);

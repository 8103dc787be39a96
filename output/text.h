/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - the output of modes that print once: a query, lists, the overview, changes, links.
 */
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "telemetry/change.h"
#include "telemetry/snapshot.h"

#include <stdbool.h>
#include <stddef.h>

/* --query: chosen values of each card, one row of CSV per card. */

#define QUERY_COLUMNS 512

struct query {
	int columns[QUERY_COLUMNS];	/* an enum field_id, or -1 - an enum identity_id */
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

/* Add the header and a row for each wanted chip of f. */
void query_put(struct strbuf *to, const struct fleet *f, const struct query *q);

/* The boards of a machine as two tables, or as JSON. */

struct list_options {
	bool bold;		/* headings in bold: for a terminal with colour */
	bool local;		/* leave remote chips out */
	size_t columns;		/* of a terminal for the tables to fit; 0: as callers know them */
};

/* Add both tables and, after them, a line for each chip that is not well. */
void list_put(struct strbuf *to, const struct fleet *f, const struct list_options *o);

/* The same as JSON: {"boards": [...]}, each with its names and whether it can be reset. */
void list_json_put(struct strbuf *to, const struct fleet *f, const struct list_options *o);

/* Where a chip of a galaxy sits. */
struct list_place {
	int tray, place;		/* both from 1: UBB3 U8 */
	unsigned bus;			/* of the tray */
	int index, node;		/* node: N of /dev/tenstorrent/N, -1: none */
	const char *bdf;
};

/* Add the table of trays, as upstream prints it, and a line for each chip. */
void list_trays_put(struct strbuf *to, const struct list_place *places, size_t n);

/* Whether -r can reset this chip: it is local, and its board is not known to refuse. */
bool list_is_resettable(const struct snapshot *s);

/* All cards as plain text of 80 columns, which `tt-smi` prints if stdout is not a terminal. */

struct overview_options {
	const char *version;	/* "tt-smi 6.4.1+c1.1.1" */
	size_t expected;	/* how many chips there should be; 0: not known */
	bool local;		/* leave remote chips out */
	bool external;		/* no names of users, no command lines */
};

/* Add a frame with a block for each wanted chip, a board's second chip after its first. */
void overview_put(struct strbuf *to, const struct fleet *f, const struct overview_options *o);

/* The output of --compare, as text and as JSON. */

struct changes {
	const struct change_report *report;
	const struct change_side *sides[2];
	const char *names[2];	/* a file, or a name for the machine */
	const char *times[2];	/* when it was; "" if not known */
	bool external;		/* without serial numbers */
	int code;		/* the exit code */
};

void changes_put_text(struct strbuf *to, const struct changes *p);
void changes_put_json(struct strbuf *to, const struct changes *p);

/* The output of --links: ports of each card, where they lead, what happened to their links. */

struct links {
	struct change_side now;
	const char *against;		/* the file to compare with; NULL: none */
	struct change_side before;
	const struct port_report *report;	/* with `against` */
	bool external;			/* without serial numbers */
	int code;			/* the exit code */
};

void links_put_text(struct strbuf *to, const struct links *l);
void links_put_json(struct strbuf *to, const struct links *l);

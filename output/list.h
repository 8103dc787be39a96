/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list.h - the boards of a machine as two tables, or as JSON.
 */
#pragma once

#include "base/text.h"
#include "telemetry/snapshot.h"

#include <stdbool.h>
#include <stddef.h>

struct list_options {
	bool bold;		/* headings in bold: for a terminal with colour */
	bool local;		/* leave remote chips out */
	size_t columns;		/* of a terminal for the tables to fit; 0: as callers know them */
	const bool *wanted;	/* by index, n_wanted of them; NULL: all chips */
	size_t n_wanted;
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

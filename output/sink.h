/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sink.h - the formats in which readings are written while they are taken.
 *
 * A sink turns ticks into text and knows nothing of files or pipes.  A dump
 * calls it with one card for each file, a stream with all cards of the tick.
 */
#pragma once

#include "output/dump_column.h"
#include "output/tick.h"

struct sink_card {
	const struct snapshot *s;
	const struct dump_columns *columns;	/* NULL in a stream, which has none */
};

/* What the user asked for. */
struct sink_choice {
	const bool *wanted;	/* FIELD_COUNT of them; NULL: the telemetry group */
	bool external;		/* leave engineering fields out */
};

struct sink {
	const char *name;
	const char *extension;	/* of its files */
	bool streams;		/* many cards may share one output */
	/* Start a file; NULL: it starts with its first tick. */
	void (*begin)(struct strbuf *to, const struct dump_columns *columns);
	/* Add the tick of n cards. */
	void (*tick)(struct strbuf *to, const struct tick *t, const struct sink_card *cards,
		size_t n, const struct sink_choice *choice);
};

extern const struct sink sink_csv, sink_ndjson;

/* All of them, ended by NULL. */
extern const struct sink *const sinks[];

/* The sink of this name; NULL if there is none. */
const struct sink *sink_find(const char *name);

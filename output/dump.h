/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump.h - the flight recorder: a folder with an index and one file per chip,
 * a row per tick (CSV, unless another sink is asked for).
 *
 * The caller owns the clock: it samples, then hands each finished tick to
 * dump_row(), which never waits for a disk.  The workbook is made from the
 * journal afterwards (dump_book.h), by us or much later by --finish.
 */
#pragma once

#include "output/dump_index.h"
#include "output/sink.h"

struct dump;

struct dump_config {
	const char *dir;	/* made if needed; NULL: ./tt-smi-logs/tt-smi-dump_<timestamp> */
	const char *tool;	/* "tt-smi 1.0.0" */
	const struct sink *sink;	/* the format of the files; NULL: CSV */
	int64_t interval;	/* ns between ticks */
	int64_t start;		/* clock_mono() of time stamp 0; 0: now */
	const bool *wanted;	/* FIELD_COUNT of them, see dump_column.h; NULL: the usual ones */
	bool external;		/* leave engineering fields out */
	const bool *selected;	/* by index: chips to dump; NULL: all */
	size_t n_selected;
	uint64_t rotate_bytes;	/* a new part when a file is this large; 0: never */
	int64_t rotate_ns;	/* a new part this often; 0: never */
	unsigned keep;		/* parts kept of each chip; 0: all */
	const struct host *host;
};

/* What the caller's clock knows of a tick. */
struct dump_tick {
	int64_t late;		/* ns from its deadline to its beginning */
	uint64_t lost;		/* deadlines before this one that had no tick */
};

struct dump_counts {
	uint64_t ticks, rows;
	uint64_t late;		/* ticks that began later than a tenth of the interval */
	uint64_t lost;
	uint64_t failed;	/* rows of a chip that could not be read */
	uint64_t bytes;		/* written in all */
	size_t cards;		/* with a file */
};

/* Make folder, files and index for the fleet as it is now; *d is the caller's to dump_close(). */
int dump_open(const struct dump_config *c, const struct fleet *fleet, struct dump **d,
	struct error *e);

/*
 * Add a row for each chip.  With t NULL lateness and losses are worked out
 * from fleet->time.  After an error (a full disk) the dump holds every whole
 * row so far and only dump_close() makes sense.
 */
int dump_row(struct dump *d, const struct fleet *fleet, const struct dump_tick *t,
	struct error *e);

/* Deadlines that passed after the last row: told in the counts and the index alone. */
void dump_lose(struct dump *d, uint64_t ticks);

const char *dump_dir(const struct dump *d);
const struct dump_counts *dump_counts(const struct dump *d);

/* Sync and close the files and complete the index; frees d (which may be NULL). */
int dump_close(struct dump *d, struct error *e);

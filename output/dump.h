/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump.h - the flight recorder: a folder with an index and one CSV file per chip, a row per tick.
 *
 * The caller owns the clock: it samples, then hands each finished tick to
 * dump_row(), which never waits for a disk.  The workbook is made from the
 * journal afterwards (xlsx.h), by us or much later by --finish.
 */
#pragma once

#include "output/dump_index.h"
#include "telemetry/alerts.h"

struct dump;

/* wanted, selected and alerts stay the caller's, and have to outlive the dump. */
struct dump_config {
	const char *dir;	/* made if needed; NULL: ./tt-smi-logs/tt-smi-dump_<timestamp> */
	const char *tool;	/* "tt-smi 1.0.0" */
	int64_t interval;	/* ns between ticks */
	int64_t start;		/* clock_mono() of time stamp 0; 0: now */
	const bool *wanted;	/* FIELD_COUNT of them, see dump_column.h; NULL: the usual ones */
	bool external;		/* leave engineering fields out */
	bool utc;		/* a column with the wall clock's time */
	const bool *selected;	/* DEVICE_MAX by index, those to come too; NULL: all */
	uint64_t rotate_bytes;	/* a new part when a file is this large; 0: never */
	int64_t rotate_ns;	/* a new part this often; 0: never */
	unsigned keep;		/* parts kept of each chip; 0: all */
	const struct host *host;
	const struct alerts *alerts;	/* their news are put into the rows; NULL: none */
};

/* What the caller knows about the time of a tick. */
struct dump_tick {
	int64_t late;		/* ns from its deadline to its beginning */
	uint64_t lost;		/* deadlines before this one that had no tick */
};

/* Make folder, files and index for the fleet as it is now; close *d with dump_close(). */
int dump_open(const struct dump_config *c, const struct fleet *fleet, struct dump **d,
	struct error *e);

/*
 * Check beforehand that a dump can be made: -errno if this folder (NULL: the usual one) holds one
 * already, or cannot be made or written to.
 */
int dump_prove(const char *dir, struct error *e);

/*
 * Add a row for each chip.  After an error (a full disk) the dump holds every whole
 * row so far, and only dump_stop() and dump_close() make sense.
 */
int dump_row(struct dump *d, const struct fleet *fleet, const struct dump_tick *t,
	struct error *e);

/* Count deadlines that passed after the last row; only the counts and the index show them. */
void dump_lose(struct dump *d, uint64_t ticks);

/* The folder, as it was named. */
const char *dump_dir(const struct dump *d);

/* Where the folder is now, if it was renamed; false if it is where it was. */
bool dump_is_elsewhere(const struct dump *d, char *path, size_t size);

/* The present counts; valid until the next call. */
const struct dump_counts *dump_counts(struct dump *d);

/*
 * Take no further row: complete the index and begin to sync the rest, without
 * waiting for it.  The descriptor is readable when the sync is over.
 */
void dump_stop(struct dump *d);
int dump_stop_fd(const struct dump *d);

/*
 * The same, but wait for the sync and close the files; frees d (which may be
 * NULL).  If dump_row() failed, its error is in the index, and the dump is not
 * called complete.
 */
int dump_close(struct dump *d, struct error *e);

/* Close without waiting for the disk: the kernel writes the rest. */
void dump_leave(struct dump *d);

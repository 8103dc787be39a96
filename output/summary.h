/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary.h - a summary of the rows of one chip: statistics of each column,
 * energy, time above limits, time throttled, and a trend to draw.
 *
 * Fed with rows as they are read from the journal, in constant memory.  The
 * time from one row to the next counts only when no tick was lost between
 * them: nothing is known of a gap, so nothing is integrated over it.  The same is true of a
 * row with values of an earlier time.
 */
#pragma once

#include "output/dump_column.h"
#include "output/stats.h"

/* A cell as a number in the column's own steps. */
struct summary_cell {
	bool known;
	int64_t value;
};

#define SUMMARY_TREND 1024	/* the most points that are drawn of a dump, however long it is */

enum summary_trend { TREND_POWER, TREND_TEMP, TREND_CLOCK, TRENDS };

/* The highest power and temperature, and the lowest clock, of a stretch of time. */
struct summary_point {
	bool known[TRENDS];
	int64_t value[TRENDS];
};

struct summary {
	const struct dump_columns *columns;
	int64_t interval;		/* µs */
	uint64_t rows, late, lost;	/* late, lost: ticks, as the State says */
	uint64_t bad, warned, repeated;	/* rows of a chip that could not be read, with findings */
	char bad_state[96], warn_state[96];	/* from the State of the last of each; or "" */
	int64_t first, last;		/* time stamps, µs */
	int64_t covered;		/* µs between rows that were read, without the gaps */
	struct stats stats[DUMP_COLUMN_MAX];
	int64_t above[DUMP_COLUMN_MAX];	/* µs above the column's limit */
	double energy, board_energy;	/* J, of the chip and of the board's input */
	int64_t energy_time;		/* µs that energy covers; board_energy likewise */
	int64_t board_energy_time;
	int64_t throttled[THROTTLE_REASONS];	/* µs; [THROTTLE_NONE] is the time without */
	int limit_at[DUMP_COLUMN_MAX];	/* the column of the column's limit; -1 */
	int power_at, board_power_at, throttle_at, state_at;
	int trend_at[TRENDS];
	bool last_counts;		/* the time from the row before on counts */
	enum throttle_reason last_reason;
	bool last_reason_known;
	struct summary_cell before[DUMP_COLUMN_MAX];

	int64_t width;			/* µs of a trend point */
	size_t points;
	struct summary_point trend[SUMMARY_TREND];
};

/* On the heap, because the struct is large.  columns stay the caller's. */
struct summary *summary_new(const struct dump_columns *columns, int64_t interval_ns);
void summary_free(struct summary *s);

/* Add a row; cells of the columns that are numbers are parsed into `out` for further use. */
void summary_add(struct summary *s, const char *const *cells, struct summary_cell *out);

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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATS_VALUES 32768

struct stats {
	uint64_t n;
	int64_t min, max;
	long double sum;
	uint64_t quantum;	/* values are counted in steps of it, 2^n; 0: nothing yet */
	size_t used, size;	/* of the table */
	struct stats_count {
		int64_t step;	/* value divided by quantum, towards minus infinity */
		uint64_t n;	/* 0: a free place */
	} *table;
};

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

/* Zero-initialise it. */
void stats_add(struct stats *s, int64_t value);

void stats_clear(struct stats *s);

/* The average; 0 when there is nothing. */
double stats_mean(const struct stats *s);

/* The smallest value that at least `percent` of all are not above (nearest rank); n is not 0. */
int64_t stats_percentile(const struct stats *s, unsigned percent);

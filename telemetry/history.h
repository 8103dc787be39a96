/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history.h - readings over time: the last ten minutes at two readings a second, the last hour in
 * steps of 4 s, the last day in steps of a minute, and running minima, averages and maxima.
 *
 * Memory per chip is fixed (about 0.4 MB) and touched as it fills.
 */
#pragma once

#include "telemetry/field.h"
#include "telemetry/snapshot.h"

struct history;

/* The fields that are kept over time, as metrics 0, 1, 2 ... */
#define HISTORY_METRICS 14
extern const enum field_id history_fields[HISTORY_METRICS];

/* The readings in one slice of time, in steps of the field; n is 0 where there are none. */
struct history_bin {
	int64_t min, max, avg;
	unsigned n;
};

/* The least, most and mean of a reading over time. */
struct range {
	int64_t least, most, sum;
	int64_t n;		/* samples; 0: none that could be believed */
};

void range_add(struct range *r, int64_t value);

/* Add all samples of another one. */
void range_merge(struct range *r, const struct range *other);

/* The same for a reading; it is left out unless it is believable and current. */
void range_take(struct range *r, const struct reading *reading);

struct history *history_new(void);
void history_free(struct history *h);

/* Make room for chips 0 to n - 1; besides history_new() the only call that allocates. */
void history_reserve(struct history *h, size_t n);

/*
 * Add the ok readings of samples that are snapshot_is_current(); chips without room are left out.
 * A first sample is taken back if its firmware turns out to have stopped before.
 */
void history_push(struct history *h, const struct fleet *f);

/*
 * One metric from `from` to `to` (clock_mono() times), cut into n slices.  A
 * slice without a reading takes over its neighbour's value if readings at most
 * `gap` ns apart surround it.  Returns how many slices have a value.
 */
size_t history_series(const struct history *h, size_t chip, size_t metric, int64_t from, int64_t to,
	int64_t gap, struct history_bin *bins, size_t n);

/* clock_mono() of the oldest reading kept of a chip; 0: none. */
int64_t history_oldest(const struct history *h, size_t chip);

/* Restart the running figures; and the tick they began with (clock_mono(), 0: none yet). */
void history_restart_stats(struct history *h);
int64_t history_stats_since(const struct history *h);

/* The running figures of one field of one chip; NULL if the chip is unknown. */
const struct range *history_stats(const struct history *h, size_t chip, enum field_id id);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sensors.h - sensors of the machine around the cards: temperatures, power,
 * clocks and throttling, from sysfs below a root.
 *
 * A driver may block a reader for ever, so make these calls in a process of
 * their own: struct sensor_watch.
 */
#pragma once

#include "base/child.h"
#include "telemetry/field.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum sensor_kind {
	SENSOR_TEMP,		/* m°C; its limit is the critical temperature */
	SENSOR_POWER,		/* mW */
	SENSOR_ENERGY,		/* a counter, shown as the power since the last reading: mW */
	SENSOR_CLOCK,		/* kHz: all processors' average; low and high beside it */
	SENSOR_THROTTLE,	/* thermal events, the sum of all processors' counters */
	SENSOR_KINDS
};

struct sensor {
	uint8_t kind;		/* enum sensor_kind */
	uint8_t state;		/* enum reading_state */
	bool has_limit;
	bool package;		/* the power of a whole processor: sensors_power() adds these */
	int64_t value, limit, low, high;
	int64_t time;		/* clock_mono() of the value; 0: none yet */
	uint64_t count, range;	/* µJ, of an energy counter: as last read, and where it wraps */
	int64_t counted;	/* clock_mono() of `count`; 0: none */
	int64_t least, most;	/* of all values so far, once time is set */
	char name[48];		/* "coretemp Package id 0" */
	char path[128];		/* of its file: below the root, or below each processor */
};

#define SENSORS_MOST 96

struct sensors {
	size_t n;
	bool cut;		/* there are more than we keep */
	struct sensor s[SENSORS_MOST];
};

/* Reads a small file as file_read_at() does; `arg` is the caller's. */
struct sensor_files {
	int root;
	ssize_t (*read)(const struct sensor_files *f, const char *path, char *buf, size_t size);
	void *arg;
};

/* Find the sensors and forget an earlier scan.  Sensors of our cards are left out. */
void sensors_scan(struct sensors *s, const struct sensor_files *f);

/* Read them all; `now` is clock_mono(). */
void sensors_read(struct sensors *s, const struct sensor_files *f, int64_t now);

/* The hottest known sensor: the one closest to its limit, or if none has a limit, the highest. */
const struct sensor *sensors_hottest(const struct sensors *s);

/* The power of all processors in mW; false where not all of it is known. */
bool sensors_power(const struct sensors *s, int64_t *mw);

/* "71.5 °C", "118.2 W", "3.24 GHz"; "-" where it is not known.  Returns buf. */
char *sensor_text(const struct sensor *s, char *buf, size_t size);
const char *sensor_unit(const struct sensor *s);	/* "°C" */
int64_t sensor_scale(const struct sensor *s);		/* steps of its value in one unit */

/*
 * The machine's sensors, read once a second in a process of its own: a driver that blocks the
 * reader costs one sensor, never the caller's time.
 */

struct sensor_share;

struct sensor_watch_config {
	const char *root;	/* "/", or a recorded tree */
	int64_t interval;	/* ns; 0: 1 s */
	int64_t deadline;	/* ns for one file; 0: 3 s */
	/* For tests: reads a file in place of file_read_at(); else NULL. */
	ssize_t (*read)(int root, const char *path, char *buf, size_t size);
};

struct sensor_watch {
	struct sensor_watch_config config;
	struct sensor_share *share;
	struct child child;
	int64_t started;	/* clock_mono() of the process's last start (or attempt) or end */
	struct sensors now;	/* the newest values; old ones are READING_STALE */
	bool known;		/* the first readings have come */
	char trouble[160];	/* why none of them can be read, or "" */
};

/* Never fails: where nothing can be read, `trouble` says why. */
void sensor_watch_open(struct sensor_watch *w, const struct sensor_watch_config *c);
void sensor_watch_close(struct sensor_watch *w);

/* Take in new readings; never waits.  Call it at least once a second. */
void sensor_watch_update(struct sensor_watch *w);

/* Readable when there are new readings; -1: no process. */
int sensor_watch_fd(const struct sensor_watch *w);

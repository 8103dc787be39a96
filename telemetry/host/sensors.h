/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sensors.h - sensors of the machine around the cards: temperatures, power,
 * clocks and throttling, from sysfs below a root.
 *
 * A driver may block a reader for ever, so make these calls in a process of
 * their own: sensor_watch.h.
 */
#pragma once

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

/* The first sensor of a kind, or NULL. */
const struct sensor *sensors_find(const struct sensors *s, enum sensor_kind kind);

/* "71.5 °C", "118.2 W", "3.24 GHz"; "-" where it is not known.  Returns buf. */
char *sensor_text(const struct sensor *s, char *buf, size_t size);
const char *sensor_unit(const struct sensor *s);	/* "°C" */
int64_t sensor_scale(const struct sensor *s);		/* steps of its value in one unit */

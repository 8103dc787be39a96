/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sensor_watch.h - the machine's sensors, read once a second in a process of
 * its own: a driver that blocks the reader costs one sensor, never the caller's
 * time.
 */
#pragma once

#include "base/child.h"
#include "telemetry/host/sensors.h"

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

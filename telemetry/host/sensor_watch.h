/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sensor_watch.h - the machine's sensors, read once a second in a process of
 * its own: a driver that keeps the reader costs one sensor, and never the
 * caller's time.
 */
#pragma once

#include "base/child.h"
#include "telemetry/host/sensors.h"

struct sensor_share;

struct sensor_watch_config {
	const char *root;	/* "/", or a recorded tree */
	int64_t interval;	/* ns; 0: 1 s */
	int64_t deadline;	/* ns for one file; 0: 3 s */
	/* Reads a file in place of file_read_at(), for tests; NULL. */
	ssize_t (*read)(int root, const char *path, char *buf, size_t size);
};

struct sensor_watch {
	struct sensor_watch_config config;
	struct sensor_share *share;
	struct child child;
	int64_t started;	/* clock_steady() of the process, or of the attempt */
	struct sensors now;	/* as it is known; what is not of late is READING_STALE */
	bool known;		/* the first readings are there */
	char trouble[160];	/* what keeps all of them from being read; "" */
};

/* Never fails: where nothing can be read the reason is in trouble. */
void sensor_watch_open(struct sensor_watch *w, const struct sensor_watch_config *c);
void sensor_watch_close(struct sensor_watch *w);

/* Take in what is new; never waits.  Call it at least once a second. */
void sensor_watch_update(struct sensor_watch *w);

/* Readable when there is something new; -1: no process. */
int sensor_watch_fd(const struct sensor_watch *w);

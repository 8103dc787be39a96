/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.h - the recording format, written by record.c under the wrappers of
 * device.c and read by replay.c.  Text, one access a line; see record.c.
 */
#pragma once

#include "device/device.h"

/* Start recording all accesses of this bus to a new file; header and devices are written now. */
int record_open(struct bus *bus, const char *path, struct error *e);
void record_close(struct bus *bus);

/* 0, or the -errno of a write that failed: the recording ends before it. */
int record_trouble(const struct bus *bus);

/* One access and its answer; nothing happens when no recording is open. */
void record_begin_page(const struct device *d);
void record_attr(const struct device *d, enum attr a, ssize_t result, const char *text);
void record_acquire(const struct device *d, int result, const struct error *e);
void record_read(const struct device *d, struct reg_addr at, int result, const uint32_t *words,
	size_t n);
void record_write(const struct device *d, struct reg_addr at, int result, uint32_t word);
void record_holders(const struct device *d, ssize_t result, const pid_t *pids, bool partial);
void record_pinned(const struct device *d, int result, const int64_t *bytes, size_t n);

/* A sample is over: its lines go to the file in one piece. */
void record_end_page(const struct device *d);

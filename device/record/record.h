/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.h - recordings, written by record.c for the wrappers in device.c and
 * read by replay.c.  They are text, one access a line; see record.c.
 */
#pragma once

#include "device/device.h"

/* Start recording all accesses of this bus to a new file; writes header and devices at once. */
int record_open(struct bus *bus, const char *path, struct error *e);
void record_close(struct bus *bus);

/* Returns 0, or the -errno of a failed write: the recording ends before it. */
int record_trouble(const struct bus *bus);

/* Add one access and its answer; do nothing if no recording is open. */
void record_begin_page(const struct device *d);
void record_attr(const struct device *d, enum attr a, ssize_t result, const char *text);
void record_acquire(const struct device *d, int result, const struct error *e);
void record_read(const struct device *d, struct reg_addr at, int result, const uint32_t *words,
	size_t n);
void record_write(const struct device *d, struct reg_addr at, int result, uint32_t word);
void record_holders(const struct device *d, ssize_t result, const pid_t *pids, bool partial);
void record_pinned(const struct device *d, int result, const int64_t *bytes, size_t n);

/* The sample is over: write its lines to the file in one piece. */
void record_end_page(const struct device *d);

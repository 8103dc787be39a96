/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.h - recordings, written by record.c for the wrappers in device.c and read
 * by replay.c.  They are text, one access a line; record.c describes the format.
 */
#pragma once

#include "base/text.h"
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

/* A recording in memory, parsed by replay_parse.c and used by replay.c for answers. */

enum replay_verb { REPLAY_NONE, REPLAY_ATTR, REPLAY_ACQUIRE, REPLAY_READ, REPLAY_WRITE };

/* One access and its answer. */
struct replay_entry {
	uint8_t verb;			/* enum replay_verb */
	uint8_t attr;			/* enum attr */
	struct reg_addr at;
	uint32_t n;			/* words read; length of the text of attr or acquire */
	int result;			/* 0 or -errno */
	enum code code;			/* of an acquire that failed; CODE_NONE: by errno */
	size_t data;			/* index in words[] or texts; the word of a write */
};

/* A page: one sample of a device. */
struct replay_page {
	size_t first, n;		/* in entries[] */
};

/* One list of the processes that hold a device. */
struct replay_holders {
	ssize_t result;			/* how many pids, or -errno */
	bool partial;
	size_t first;			/* in words[] */
	int pinned;			/* 0 if the pinned bytes are known, or -errno */
	size_t first_pinned;		/* in words[], low and high word each; -1: not known */
};

/* What is recorded of one device, in order. */
struct replay_track {
	size_t n_pages, n_holders;
	struct replay_page *pages;
	struct replay_holders *holders;
};

struct replay {
	char driver[64];
	size_t n_devices, n_entries, n_words;
	struct device devices[DEVICE_MAX];	/* index and local as recorded */
	struct replay_track tracks[DEVICE_MAX];
	struct replay_entry *entries;
	uint32_t *words;
	struct strbuf texts;
};

/*
 * Parse a recording, for file_parse(); out is a struct replay **, which the caller frees with
 * replay_free().  A page that is cut short at the end is left out; any other violation of the
 * format is -EINVAL, with the line's number in the error.
 */
int replay_parse(const char *text, size_t len, void *out, struct error *e);
void replay_free(struct replay *r);

/*
 * Whether it has the device of this number, not negative.  Several processes find the second chips
 * of boards, so their lines come in any order, and one that was never looked at has none.
 */
bool replay_has(const struct replay *r, int index);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay.h - a recording in memory, parsed by replay_parse.c (record.c describes
 * the format) and used by replay.c for answers.
 */
#pragma once

#include "device/device.h"

enum replay_verb { REPLAY_ATTR, REPLAY_ACQUIRE, REPLAY_READ, REPLAY_WRITE };

/* One access and its answer. */
struct replay_entry {
	uint8_t verb;			/* enum replay_verb */
	uint8_t attr;			/* enum attr */
	struct reg_addr at;
	uint32_t n;			/* words read; length of the text of attr or acquire */
	int result;			/* 0 or -errno */
	enum code code;			/* of an acquire that failed; CODE_NONE: by errno */
	size_t data;			/* index in words[] or texts[]; the word of a write */
};

/* A page: one sample of one device. */
struct replay_page {
	int device;
	size_t first, n;		/* in entries[] */
};

/* One list of the processes that hold a device. */
struct replay_holders {
	int device;
	ssize_t result;			/* how many pids, or -errno */
	bool partial;
	size_t first;			/* in words[] */
	int pinned;			/* 0 if the pinned bytes are known, or -errno */
	size_t first_pinned;		/* in words[], low and high word each; -1: not known */
};

struct replay {
	char driver[64];
	size_t n_devices, n_entries, n_words, n_texts, n_pages, n_holders;
	size_t max_entries, max_words, max_texts, max_pages, max_holders;
	struct device *devices;		/* DEVICE_MAX; index and local as recorded */
	struct replay_entry *entries;
	uint32_t *words;
	char *texts;
	struct replay_page *pages;
	struct replay_holders *holders;
};

/*
 * Parse a recording; the caller frees *out with replay_free().  A page that is
 * cut short at the end is left out; any other violation of the format is
 * -EINVAL, with the line's number in the error.
 */
int replay_parse(const char *text, size_t len, struct replay **out, struct error *e);
void replay_free(struct replay *r);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake_chip.h - a chip that says whatever a test wants it to say: a memory of
 * 512 KiB and the few registers a reader may touch.  The simulator is a good
 * chip; this one need not be.
 */
#pragma once

#include "device/bus.h"

#define FAKE_CSM   0x10000000u	/* ARC address of the memory */
#define FAKE_WORDS 0x20000u

struct fake_chip {
	struct device d;
	uint32_t csm[FAKE_WORDS];
	uint32_t hang, boot, errors, table_ptr, values_ptr;
	uint32_t scratch[8], misc;	/* [5] is the message slot, answered at the doorbell */
	uint32_t eth;			/* what each word of each ethernet core says */
	uint32_t answer;		/* of message 0x2c */
	uint32_t version;		/* of message 0xb9 */
	enum { FAKE_ANSWERS, FAKE_SILENT, FAKE_UNKNOWN, FAKE_REFUSES, FAKE_INTRUDED } mailbox;
	const char *attr[ATTR_COUNT];	/* NULL: its error, or -ENOENT */
	int attr_error[ATTR_COUNT];
	long fail_at;			/* the register read that fails, counted from 0; -1: none */
	int error;			/* with what, and all after it */
	int acquire_error;
	bool acquired;
	int64_t late;			/* ns that the first register read takes */
	long reads, words, writes, attrs;
	bool strayed;			/* an access that no reader has a reason for */
	bool used_unacquired;
};

void fake_init(struct fake_chip *f, enum device_chip chip);

/* The word of CSM at an ARC address. */
uint32_t *fake_word(struct fake_chip *f, uint32_t arc);

/* A table at `at` with values at `values`: n pairs of tag and word, offsets in order. */
void fake_table(struct fake_chip *f, uint32_t at, uint32_t values, const uint32_t (*tags)[2],
	size_t n);

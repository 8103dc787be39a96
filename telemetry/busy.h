/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * busy.h - how busy a chip is, from counters that the runtime (tt-metal) keeps in its dispatch
 * cores: pure functions over words and times.
 */
#pragma once

#include "telemetry/field.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUSY_QUEUES	   3	/* command queues of one chip */
#define BUSY_PARTS	   8	/* sub-devices, between which a runtime divides its cores */
#define BUSY_CONTROL_BYTES 50	/* of the control block, in the firmware's buffer */
#define BUSY_CONTROL_WORDS 13
#define BUSY_CORE_WORDS	   74	/* of a dispatch core's block, in its longest layout */

/* The control block: where the counters are. */
struct busy_control {
	uint32_t at;			/* address in each core's memory */
	unsigned n;			/* queues */
	uint32_t core[BUSY_QUEUES];	/* x in the upper half, y in the lower */
};

/* The counters of one queue; times are in the chip's ticks. */
struct busy_queue {
	bool counts_any;	/* its layout has `busy` and `since` */
	uint64_t now;
	uint64_t busy, since;	/* time with any work; start of the work under way, 0: none */
	uint64_t average;	/* work of earlier divisions into parts, by core */
	struct {
		uint64_t launch, work;		/* last start; time of all its cores */
		uint32_t done, workers;		/* cores that are done; workers 0: not used */
	} part[BUSY_PARTS];
};

/* One look at a chip.  `source`: BUSY_FIRST, or why there are no counters. */
struct busy {
	uint8_t source;			/* enum busy_source */
	uint16_t cores;			/* compute and ethernet cores that are enabled */
	struct busy_control control;
	struct busy_queue queue[BUSY_QUEUES];
};

/* Shares of the time between two looks, in steps of FIELD_BUSY; any < 0: not counted. */
struct busy_shares {
	int64_t any, cores;
};

/* Parse the control block.  BUSY_FIRST: *c is valid; else why it is not. */
enum busy_source busy_parse_control(const uint32_t words[static BUSY_CONTROL_WORDS],
	struct busy_control *c);

/*
 * Parse a dispatch core's block, read twice in a row.  No version tells its layouts apart, and a
 * kernel writes while we read: exactly one layout has to be plausible, and the second reading has
 * to follow from the first.  BUSY_FIRST: *q is valid; BUSY_TORN, BUSY_STOPPED: try again.
 */
enum busy_source busy_parse_core(const uint32_t first[static BUSY_CORE_WORDS],
	const uint32_t second[static BUSY_CORE_WORDS], unsigned cores, struct busy_queue *q);

/* Compare two looks whose source is BUSY_FIRST.  BUSY_COUNTERS to BUSY_CORES: *out is valid. */
enum busy_source busy_compare(const struct busy *was, const struct busy *is,
	struct busy_shares *out);

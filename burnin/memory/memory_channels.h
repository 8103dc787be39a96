/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_channels.h - which memory channels of a chip may be touched, and what
 * the chip's own counters say of each.
 */
#pragma once

#include "burnin/memory/memory_kept.h"
#include "telemetry/snapshot.h"

struct memory_channels {
	uint32_t enabled;	/* not switched off, a bit each */
	uint32_t usable;	/* of those, the trained ones */
	struct memory_kept kept;	/* endpoints that are left alone */
};

/* -errno and the reason where that is not known; then nothing must be touched. */
int memory_channels(const struct snapshot *s, struct memory_channels *c, struct error *e);

/* "0,2" or "4-7" as bits; NULL: all.  -EINVAL. */
int memory_channels_parse(const char *list, uint32_t *channels, struct error *e);

/* Errors that the memory's controller found by itself. */
struct memory_errors {
	bool known;
	uint32_t corrected[2];		/* read, written; they stop at GDDR_CORR_MOST */
	bool uncorrected[2];
};

struct memory_errors memory_errors_of(const struct snapshot *s, unsigned channel);

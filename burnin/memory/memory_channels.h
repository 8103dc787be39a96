/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_channels.h - which memory channels of a chip may be touched, and the
 * chip's own error counters for each.
 */
#pragma once

#include "burnin/memory/memory_kept.h"
#include "telemetry/snapshot.h"

struct memory_channels {
	uint32_t enabled;	/* not switched off, a bit each */
	uint32_t usable;	/* of those, the trained ones */
	uint32_t chosen, left;	/* of the requested ones: usable, and not trained */
	struct memory_kept kept;	/* endpoints that are left alone */
};

/* -errno and the reason if that is not known; then do not touch any channel. */
int memory_channels(const struct snapshot *s, struct memory_channels *c, struct error *e);

/* The channels that are not switched off and have failed, where that is known, else none. */
uint32_t memory_channels_failed(const struct snapshot *s);

/*
 * Choose among these channels.  It is an error if none of the wanted ones can be used, or if one
 * that the user named is switched off or does not exist.
 */
int memory_channels_choose(struct memory_channels *c, uint32_t wanted, bool is_named,
	struct error *e);

/* Parse "0,2" or "4-7" into bits; NULL: all.  0 or -EINVAL. */
int memory_channels_parse(const char *list, uint32_t *channels, struct error *e);

/* Errors that the memory controller itself counted. */
struct memory_errors {
	bool known;
	uint32_t corrected[2];		/* read, written; they stop at GDDR_CORR_MOST */
	bool uncorrected[2];
};

struct memory_errors memory_errors_of(const struct snapshot *s, unsigned channel);

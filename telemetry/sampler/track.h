/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * track.h - values that need several samples: heartbeat, rates, age, and when
 * something began.  One struct track per chip, kept with the history.
 */
#pragma once

#include "telemetry/snapshot.h"

struct track {
	/* The last good values. */
	struct {
		bool known;
		struct reading r[FIELD_COUNT];
		struct snapshot_link link;
		uint32_t upi;
		char board[32], series[32];
		bool has_coords;
		uint8_t coords[4];
	} last;
	uint32_t beat_word;
	int64_t beat_time;		/* when the heartbeat word last changed */
	uint8_t beat_source;		/* of that word: enum reading_source */
	bool beat_seen, beat_moved;
	uint64_t perf_total[2];		/* bytes so far: rx, tx */
	uint32_t perf_word[12];
	int64_t perf_time;
	bool perf_seen;
	uint32_t eth_up;		/* ethernet links that were up once */
	uint8_t corr_word[16];		/* counters of corrected memory errors as last read */
	uint16_t corr_seen;		/* the counters that were read, one bit each */
	uint32_t corr_grown[8];		/* corrected errors by module since the first sample */
	bool judged;			/* health and since are valid */
	enum snapshot_health health;
	int64_t since;
};

/*
 * Complete a fresh snapshot from earlier ones: beat, PCIe rates, since.  Values
 * that could not be read this time are replaced by the last ones, which become
 * stale and keep their times.
 */
void track_update(struct track *t, struct snapshot *s);

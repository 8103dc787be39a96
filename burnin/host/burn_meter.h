/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn_meter.h - how fast a burn is now: how much each worker's counters grew
 * since the last reading.
 */
#pragma once

#include "burnin/host/burn.h"

struct burn_pace {
	uint64_t flops, ns;	/* at the last reading that found them changed */
	uint64_t worked, had;	/* ns of all work, and of processor time, at the last reading */
	double share;		/* processor / work time since the reading before; 0: not known */
	int64_t rate;		/* MFLOP/s since the reading before; 0: not known */
	uint64_t moved_bytes, memory_ns;
	int64_t memory;		/* MB/s of memory written and compared; 0: not known */
};

struct burn_meter {
	size_t n;
	struct burn_pace *workers;
	int64_t rate;		/* MFLOP/s of all workers; 0: one of them is not known */
	int64_t memory;		/* MB/s, the same */
	double share;		/* part of the time that they had processors; 0: not known */
};

void burn_meter_init(struct burn_meter *m, size_t workers);
void burn_meter_clear(struct burn_meter *m);
void burn_meter_read(struct burn_meter *m, const struct burn *b);

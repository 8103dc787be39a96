/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tick.h - what there is to say of a tick, the same in files and in a stream:
 * when it was, whether it began late, and whether the wall clock jumped.
 */
#pragma once

#include "output/csv.h"
#include "telemetry/sampler/sampler.h"

/* The clocks at the tick before; all zero before the first. */
struct tick_clock {
	bool begun;
	int64_t real, mono;	/* ns */
};

/*
 * Fill *t for the fleet's tick, which began `late` ns after its deadline with
 * `lost` deadlines before it unmet; start is clock_mono() of time stamp 0.
 */
void tick_judge(struct tick_clock *c, const struct fleet *fleet, int64_t start, int64_t interval,
	int64_t late, uint64_t lost, struct csv_tick *t);

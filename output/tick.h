/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tick.h - the facts about a tick, the same in every sink: when it was, whether
 * it began late, and whether the wall clock jumped.
 */
#pragma once

#include "telemetry/alerts.h"
#include "telemetry/snapshot.h"

struct tick {
	int64_t at;		/* ns since the start of the dump */
	int64_t real;		/* clock_real() */
	int64_t late;		/* ns after its deadline; shown if `is_late` */
	bool is_late;
	uint64_t lost;		/* ticks that did not take place just before this one */
	int64_t stepped;	/* ns the wall clock was stepped by since the last one; 0: not */
	const struct alerts *alerts;	/* with the news of this tick; NULL: none */
	const char *stand_in;	/* fleet_stand_in(): "simulated"; NULL: a machine's own cards */
};

/* The clocks at the tick before; all zero before the first. */
struct tick_clock {
	bool begun;
	int64_t real, mono;	/* ns */
};

/*
 * Fill *t for the fleet's tick, which began `late` ns after its deadline, after
 * `lost` missed deadlines; start is clock_mono() of time stamp 0.
 */
void tick_judge(struct tick_clock *c, const struct fleet *fleet, int64_t start, int64_t interval,
	int64_t late, uint64_t lost, struct tick *t);

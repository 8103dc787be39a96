/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stop_rules.h - when a load must end to protect the machine: a temperature of
 * the host or of a card is over its limit, a burning card cannot be watched, or
 * its fan stands still.  Readings in, a reason out.
 *
 * A rule cannot be applied if its sensor is missing or has no reading; that is
 * reported with the verdict.
 */
#pragma once

#include "telemetry/host/sensors.h"
#include "telemetry/snapshot.h"

#include <stdint.h>

/* The most rules that can be listed: sensors of the host, and four for each card. */
#define STOP_RULES_WATCHED (SENSORS_MOST + 2 + 4 * DEVICE_MAX)

/* One rule, in words. */
struct stop_rule {
	int card;		/* index of the chip; -1: the host */
	bool applied;
	char text[176];		/* "coretemp Core 0: ends ... at 100 °C", or what is missing */
};

struct stop_rules {
	int64_t max_temp;	/* m°C that no sensor of the host may reach; 0: not asked for */
	bool burns[DEVICE_MAX];	/* this card burns: its readings end only its own burn */

	struct error why;	/* why the load has to end; its text is "" while it has not */
	int64_t judged;		/* the caller's clock at the last stop_rules_judge() */
	/* ns for which a temperature of the host that was read once is not known; 0: all are */
	int64_t blind;
	char missing[48];	/* the sensor that is known no more; "": no sensor is known */
	int64_t near[DEVICE_MAX];	/* clock_mono() when a card came near its limit; 0: no */
	int64_t lost[DEVICE_MAX];	/* the same, when a burning card was lost */
	int64_t calm[DEVICE_MAX];	/* the same, when its fan stopped */
	bool has_fan[DEVICE_MAX];	/* its fan was seen to turn */
	struct error *own[DEVICE_MAX];	/* why a card's own burn has to end; NULL: it need not */
};

/* Free its texts. */
void stop_rules_clear(struct stop_rules *r);

/* now: the caller's clock; from then on the host's temperature should be known. */
void stop_rules_begin(struct stop_rules *r, int64_t max_temp, int64_t now);

/*
 * Judge the readings; true once the load has to end.  host: NULL until the first
 * readings arrive.  now: the caller's clock.
 */
bool stop_rules_judge(struct stop_rules *r, const struct sensors *host, const struct fleet *f,
	int64_t now);

/* Call it when the load has ended; true also if --max-temp could not be applied up to then. */
bool stop_rules_end(struct stop_rules *r);

/* Fill out[] with the rules, whether applied now or not; returns how many. */
size_t stop_rules_list(const struct stop_rules *r, const struct sensors *host,
	const struct fleet *f, struct stop_rule out[STOP_RULES_WATCHED]);

/*
 * How a load changes with time: it works from the start of each window until its share of it is
 * over, then it rests until the next one.
 */

enum load_pattern { LOAD_STEADY, LOAD_PULSE, LOAD_RAMP, LOAD_PATTERNS };	/* --pattern */

/* "steady", ..., NULL */
extern const char *const load_pattern_names[LOAD_PATTERNS + 1];

extern const struct load_pattern_row {
	const char *words;	/* "in bursts"; "" if it is steady */
	int64_t window;		/* ns; 0: it never rests */
	/* ns, whole windows, in which the share grows from nothing to all; 0: it is half */
	int64_t period;
} load_patterns[LOAD_PATTERNS];

/* The share of the load that is due `into` ns after its start, in thousandths. */
int load_pattern_share(enum load_pattern p, int64_t into);

/* ns that a worker rests from `into` on; 0: it works. */
int64_t load_pattern_rest(enum load_pattern p, int64_t into);

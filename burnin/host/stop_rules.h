/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stop_rules.h - when a load must end for its machine's sake: a temperature of
 * the host or of a card that is over its limit, a burning card that cannot be
 * watched, its fan that stands still.  Readings in, a reason out.
 *
 * A rule whose sensor is not there, or not known, cannot be applied; that is
 * reported with the verdict.
 */
#pragma once

#include "telemetry/fleet.h"
#include "telemetry/host/sensors.h"

/* Lines about what is watched, at most: sensors of the host, and four of each card. */
#define STOP_RULES_WATCHED (SENSORS_MOST + 2 + 4 * DEVICE_MAX)

/* What is watched, in words. */
struct stop_rule {
	bool applied;
	char text[176];		/* "coretemp Core 0: ends ... at 100 °C", or what is missing */
};

struct stop_rules {
	int64_t max_temp;	/* m°C that no sensor of the host may reach; 0: not asked for */
	bool burns[DEVICE_MAX];	/* this card burns: what it reaches ends its own burn alone */

	char reason[200];	/* why the load has to end; "" while it has not */
	bool host_known;	/* a temperature of the host was, at some time */
	int64_t last_host;	/* clock_steady() when the host's temperature was known last */
	int64_t near[DEVICE_MAX];	/* clock_mono() since a card is near its limit; 0: no */
	int64_t lost[DEVICE_MAX];	/* the same since one that burns cannot be read */
	int64_t calm[DEVICE_MAX];	/* the same since its fan stands still */
	bool has_fan[DEVICE_MAX];	/* it was seen to turn */
	char *own[DEVICE_MAX];	/* why a card's own burn has to end; NULL */
};

/* Free its texts. */
void stop_rules_clear(struct stop_rules *r);

/* clock_steady() now: from here on the host's temperature should be known. */
void stop_rules_begin(struct stop_rules *r, int64_t max_temp, int64_t now);

/*
 * Judge what is known; true once the load has to end.  host: NULL while the
 * first readings are not there.  now: clock_steady().
 */
bool stop_rules_judge(struct stop_rules *r, const struct sensors *host, const struct fleet *f,
	int64_t now);

/* Why this card's own burn has to end, for judged cards that burn; "" while it has not. */
const char *stop_rules_of(const struct stop_rules *r, size_t index);

/* The load has ended: true also if a rule that was asked for could never be applied. */
bool stop_rules_end(struct stop_rules *r);

/* Fill out[], which rules are applied now and which are not; returns how many. */
size_t stop_rules_list(const struct stop_rules *r, const struct sensors *host,
	const struct fleet *f, struct stop_rule out[STOP_RULES_WATCHED]);

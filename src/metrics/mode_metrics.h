/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_metrics.h - --textfile and --exporter: the cards' metrics, made anew at each tick.
 *
 * It goes on without a card and without a driver: it is there to report that cards are gone.
 */
#pragma once

#include "device/bus.h"
#include "src/session.h"
#include "telemetry/roster.h"

#include <sys/types.h>

struct expected {
	struct roster roster;
	char path[4096];	/* "": nothing is kept */
	bool has_failed;	/* it could not be kept, as stderr says */
	struct error unknown;	/* why the roster that is kept is not known; code 0: it is */
};

/*
 * Read --expected, and the roster that is kept of these cards.  None is kept if the cards are not
 * the machine's own, or if only some were chosen.  False: the option's value is wrong, and stderr
 * says so.
 */
bool expected_open(struct expected *x, const struct options *o, const struct session *s);

/* Take in a tick. */
void expected_take(struct expected *x, const struct fleet *f);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * expected.h - the roster of a machine's chips, kept in the state directory, so that it is noticed
 * if a card is missing after a reboot.
 */
#pragma once

#include "src/session.h"
#include "telemetry/roster.h"

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

/* Say on stderr if the roster that is kept is not known, and what that means for metrics. */
void expected_complain(const struct expected *x);

/* Take in a tick. */
void expected_take(struct expected *x, const struct fleet *f);

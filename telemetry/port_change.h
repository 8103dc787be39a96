/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * port_change.h - compares the links of cards with an earlier snapshot.
 */
#pragma once

#include "telemetry/change.h"
#include "telemetry/port.h"

/* A card and its ports, a bit each. */
struct port_change {
	int was, is;		/* its place in the chips of either side; -1: not there */
	uint32_t lost;		/* were up and are not, or were alive and are dead */
	uint32_t found;		/* were not up, and are */
	uint32_t unknown;	/* were up or alive, and are not known now */
	const char *why;	/* why the whole card is gone or cannot be judged; or NULL */
	enum code code;		/* of it */
};

struct port_report {
	size_t n;
	struct port_change *cards;	/* those of now in order, then those that are gone */
	size_t lost, found;		/* links */
	bool unknown;
};

/* Compare the links; `wanted` is by place now, or NULL for all.  port_change_clear() frees. */
void port_change_find(const struct change_side *was, const struct change_side *is,
	const bool *wanted, struct port_report *r);
void port_change_clear(struct port_report *r);

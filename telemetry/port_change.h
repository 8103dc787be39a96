/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * port_change.h - the links of cards against what they were.
 */
#pragma once

#include "telemetry/change.h"
#include "telemetry/port.h"

/* A card and its ports, a bit each. */
struct port_change {
	int was, is;		/* its place in the chips of either side; -1: not there */
	uint32_t lost;		/* were up, and are not */
	uint32_t found;		/* were not, and are up */
	uint32_t unknown;	/* were up, and nobody knows of them now */
	const char *why;	/* why nothing can be said of the whole card; or NULL */
};

struct port_report {
	size_t n;
	struct port_change *cards;	/* those of now in order, then what is gone */
	size_t lost, found;		/* links */
	bool unknown;
};

/* What became of the links; `wanted`: by place now.  port_change_clear() frees. */
void port_change_find(const struct change_side *was, const struct change_side *is,
	const bool *wanted, struct port_report *r);
void port_change_clear(struct port_report *r);

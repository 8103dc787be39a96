/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * range.h - what a reading was over time: least, most and mean.
 */
#pragma once

#include "telemetry/field.h"

struct range {
	uint64_t n;		/* samples; 0: none that could be believed */
	int64_t least, most, sum;
};

void range_add(struct range *r, int64_t value);

/* The same of a reading, which is left out where it cannot be believed or is not of now. */
void range_take(struct range *r, const struct reading *reading);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * range.h - the least, most and mean of a reading over time.
 */
#pragma once

#include "telemetry/field.h"

struct range {
	uint64_t n;		/* samples; 0: none that could be believed */
	int64_t least, most, sum;
};

void range_add(struct range *r, int64_t value);

/* The same for a reading; it is left out unless it is believable and current. */
void range_take(struct range *r, const struct reading *reading);

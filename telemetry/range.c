/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "telemetry/range.h"

void range_add(struct range *r, int64_t value)
{
	r->least = r->n == 0 || value < r->least ? value : r->least;
	r->most = r->n == 0 || value > r->most ? value : r->most;
	r->sum += value;
	r->n++;
}

void range_take(struct range *r, const struct reading *reading)
{
	if (reading_is_ok(reading))
		range_add(r, reading->value);
}

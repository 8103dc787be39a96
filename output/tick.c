/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/tick.h"
#include "base/clock.h"

/* The wall clock was stepped if it jumped by more than gradual adjustment explains. */
#define STEP_LEAST (CLOCK_SECOND / 2)

void tick_judge(struct tick_clock *c, const struct fleet *fleet, int64_t start, int64_t interval,
	int64_t late, uint64_t lost, struct tick *t)
{
	int64_t step = fleet->real - c->real - (fleet->time - c->mono);

	*t = (struct tick){ .at = fleet->time > start ? fleet->time - start : 0,
		.real = fleet->real, .stand_in = fleet_stand_in(fleet),
		.late = late, .is_late = late > interval / 10, .lost = lost };
	if (c->begun && (step > STEP_LEAST || step < -STEP_LEAST))
		t->stepped = step;
	*c = (struct tick_clock){ .begun = true, .real = fleet->real, .mono = fleet->time };
}

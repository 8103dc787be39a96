/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/host/load_pattern.h"

#include "base/clock.h"

const char *const load_pattern_names[LOAD_PATTERNS + 1] = {
	[LOAD_STEADY] = "steady", [LOAD_PULSE] = "pulse", [LOAD_RAMP] = "ramp", NULL
};

static const struct {
	const char *words;
	int64_t window;		/* ns; 0: it never rests */
	int64_t period;		/* ns, whole windows; 0: it works for half of each window */
} rows[LOAD_PATTERNS] = {
	[LOAD_STEADY] = { "", 0, 0 },
	[LOAD_PULSE] = { "in bursts", 100 * CLOCK_MS, 0 },
	[LOAD_RAMP] = { "in ramps", 100 * CLOCK_MS, 60 * CLOCK_SECOND },
};

const char *load_pattern_words(enum load_pattern p)
{
	return rows[p].words;
}

int64_t load_pattern_period(enum load_pattern p)
{
	return rows[p].period;
}

/* The first window of a ramp has none of the load, the last one all of it. */
int load_pattern_share(enum load_pattern p, int64_t into)
{
	const int64_t window = rows[p].window, period = rows[p].period;

	if (window == 0)
		return 1000;
	return period ? (int)(into % period / window * 1000 / (period / window - 1)) : 500;
}

int64_t load_pattern_rest(enum load_pattern p, int64_t into)
{
	const int64_t window = rows[p].window;

	if (window == 0 || into % window < window * load_pattern_share(p, into) / 1000)
		return 0;
	return window - into % window;
}

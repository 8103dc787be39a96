/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load_pattern.h - how a burn's load changes with time: it works from the start of each
 * window until its share of the window is over, then it rests until the next one.
 */
#pragma once

#include <stdint.h>

enum load_pattern { LOAD_STEADY, LOAD_PULSE, LOAD_RAMP, LOAD_PATTERNS };	/* --pattern */

/* "steady", ..., NULL */
extern const char *const load_pattern_names[LOAD_PATTERNS + 1];

/* In words: "in bursts"; "" if it is steady. */
const char *load_pattern_words(enum load_pattern p);

/* ns in which the share grows from nothing to all of a window; 0: it does not change. */
int64_t load_pattern_period(enum load_pattern p);

/* The share of the load that is due `into` ns after its start, in thousandths. */
int load_pattern_share(enum load_pattern p, int64_t into);

/* ns that a worker rests from `into` on; 0: it works. */
int64_t load_pattern_rest(enum load_pattern p, int64_t into);

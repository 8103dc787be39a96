/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * consent.h - whether keys were typed by a person who has read the question.
 *
 * Pasted text has an x and a y like any other, and it comes faster than a person
 * types.  So a key that asks or answers stands alone: there is silence before and
 * after it, and time enough to read the question.  No terminal and no clock: keys,
 * silence and times in, a verdict out.  All times are of one clock, in ns.
 */
#pragma once

#include "base/clock.h"

#include <stdbool.h>
#include <stdint.h>

#define CONSENT_GAP  (30 * CLOCK_MS)	/* the shortest silence between keys that are typed */
#define CONSENT_READ (300 * CLOCK_MS)	/* from a question that can be read to its answer */

struct consent {
	int64_t heard;		/* when the last key came */
	int64_t shown;		/* since when the question can be read; 0: it cannot yet */
	bool asked;		/* there is a question */
	bool open;		/* it can be answered */
	bool rested;		/* nothing has come for as long as CONSENT_GAP */
	bool spoilt;		/* what was heard is no answer, until the next question */
};

/* A question is asked; what was typed before it can be read is no answer. */
void consent_ask(struct consent *c);

/* It can be read from now on: it stands whole on the terminal. */
void consent_show(struct consent *c, int64_t now);

/* It is answered or withdrawn. */
void consent_end(struct consent *c);

/* A key has come, with now the time at which it was read; false: it counts for nothing. */
bool consent_hear(struct consent *c, int64_t now);

/* Now there is nothing to read. */
void consent_rest(struct consent *c, int64_t now);

/* What was heard was typed, and the silence after it is over. */
bool consent_is_given(const struct consent *c);

/* ms until consent_rest() brings news, if nothing comes; -1: it will not. */
int consent_wait_ms(const struct consent *c, int64_t now);

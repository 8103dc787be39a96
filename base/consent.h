/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * consent.h - whether keys were typed by a person who has read the question.
 *
 * Pasted text may contain an x and a y too, but it comes faster than a person
 * types.  So a key that asks or answers must stand alone: with silence before and
 * after it, and after enough time to read the question.  This module knows neither
 * a terminal nor a clock; the caller passes in all times, in ns of one clock.
 */
#pragma once

#include "base/clock.h"

#include <stdbool.h>
#include <stdint.h>

#define CONSENT_GAP  (30 * CLOCK_MS)	/* the shortest silence between keys that are typed */
#define CONSENT_READ (300 * CLOCK_MS)	/* the shortest time to read a question */

struct consent {
	int64_t heard;		/* when the last key came */
	int64_t shown;		/* since when the question can be read; 0: it cannot yet */
	bool asked;		/* there is a question */
	bool open;		/* it can be answered */
	bool rested;		/* no key has come for CONSENT_GAP */
	bool spoilt;		/* the keys do not count; stays so as long as the question */
};

/* A question is asked; keys typed before there was time to read it do not answer it. */
void consent_ask(struct consent *c);

/* The question can be read from now on: all of it is on the terminal. */
void consent_show(struct consent *c, int64_t now);

/* The question is answered or withdrawn. */
void consent_end(struct consent *c);

/* A key was read at `now`; false: it does not count. */
bool consent_hear(struct consent *c, int64_t now);

/* The input is empty at `now`. */
void consent_rest(struct consent *c, int64_t now);

/* Whether the keys heard were typed, and CONSENT_GAP of silence followed. */
bool consent_is_given(const struct consent *c);

/* ms until consent_rest() changes the state, if no key comes; -1: it will not. */
int consent_wait_ms(const struct consent *c, int64_t now);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwatched.h - texts about several cards at once: their indices, and what was not watched.
 */
#pragma once

#include "telemetry/figure.h"

#include <stddef.h>

/* Put indices, which are sorted, as "0-5, 9". */
void burnin_put_indices(struct strbuf *to, const int *index, size_t n);

/*
 * Put what was not watched, from the texts of its rules.  Cards with the same text share one:
 * "its memory's temperature, whose limit is not published (all 32 cards)".  `first` comes before
 * the first text, `between` before each other one.  cards: how many burn.
 */
void burnin_put_unwatched(struct strbuf *to, const char *const *rules, size_t n, size_t cards,
	const char *first, const char *between);

/* The same, from figures; puts nothing if all was watched. */
void burnin_put_unwatched_figures(struct strbuf *to, const struct figures *all, const char *first,
	const char *between);

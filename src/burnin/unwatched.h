/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwatched.h - cards that share what is said of them: their indices, and what was not watched.
 */
#pragma once

#include "telemetry/figure.h"

#include <stddef.h>

/* "0-5, 9" of indices in their order. */
void burnin_put_indices(struct strbuf *to, const int *index, size_t n);

/*
 * What was not watched, by the texts of its rules: those of cards that say the same are one,
 * "its memory's temperature, whose limit is not published (all 32 cards)".  first and between
 * stand before what is said.  cards: that burn.
 */
void burnin_put_unwatched(struct strbuf *to, const char *const *rules, size_t n, size_t cards,
	const char *first, const char *between);

/* The same of figures; nothing where all was watched. */
void burnin_put_unwatched_figures(struct strbuf *to, const struct figures *all, const char *first,
	const char *between);

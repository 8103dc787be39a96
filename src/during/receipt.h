/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * receipt.h - what --during prints: a table of figures, as text and as JSON.
 */
#pragma once

#include "base/text.h"
#include "src/during/account.h"
#include "src/options.h"

#define RECEIPT_LEFT 16		/* the most left processes that are named */

struct receipt {
	const struct options *o;
	const struct program *program;
	const struct account *account;
	const struct fleet *fleet;	/* NULL: the cards could not be looked for */
	int64_t began, duration, interval;	/* ns; began since 1970 */
	size_t n_left;
	struct program_left left[RECEIPT_LEFT];
};

/* Lines for figures_put_lines(). */
extern const char *const receipt_lines[];
extern const size_t receipt_lines_len;

void receipt_put(struct strbuf *to, const struct receipt *r, bool json);

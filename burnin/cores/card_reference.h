/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_reference.h - conv2d and matmul of the reference data, computed on a card's cores from
 * operands in bfloat16.
 *
 * Each block is computed on two cores, which have to agree bit for bit: else a third core says
 * which of them is wrong, and nothing of it is used.  conv2d is a product of matrices, too: a
 * row for each pixel with what its filter sees, and its bias as the last term.
 *
 * How exact that is: the matrix unit aligns the products of 8 terms to the largest exponent
 * among them and rounds each to 2^-10 of that (the later phases to less), so that a sum is off
 * by at most 7 x 2^-11 x 1.04 = 0.0036 of the sum of its terms' magnitudes.  Its float32 sums,
 * rounded once a step and phase, add less than 0.0002.  The host adds those of all
 * CARD_BLOCK_TERMS up in double, and rounds once to bfloat16: half an ULP.
 */
#pragma once

#include "burnin/cores/card_round.h"
#include "burnin/reference/data.h"

struct card_reference {
	bool cases[BURN_CASES];
	double *sums;		/* mem_share()d: card_reference_size() bytes */
};

size_t card_reference_size(void);

/* Words that two cores have to agree on. */
uint64_t card_reference_words(const struct card_reference *r);

/* In the child of a card's burn; errors as of card_round_run(). */
int card_reference_run(struct card_round *w, struct error *e);

/* What was computed, as golden results in d->values, rounded to bfloat16. */
void card_reference_take(const struct card_reference *r, struct data *d);

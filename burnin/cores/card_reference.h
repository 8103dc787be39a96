/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_reference.h - conv2d and matmul of the reference data, computed on a card's cores from
 * operands in bfloat16.
 *
 * Each block is computed on two cores, which have to agree bit for bit.  If they differ, a third
 * core decides which of them is wrong, and the block is not used.  conv2d is also computed as a
 * product of matrices: a row for each pixel, with the inputs under its filter, and the bias as
 * the last term.
 *
 * How exact this is: the matrix unit aligns the products of 8 terms to the largest exponent
 * among them and rounds each to 2^-10 of that (the later phases to less), so that a sum is off
 * by at most 7 x 2^-11 x 1.04 = 0.0036 of the sum of its terms' magnitudes.  Its float32 sums,
 * rounded once per step and phase, add less than 0.0002.  The host adds up the sums of all
 * CARD_BLOCK_TERMS in double, and rounds once to bfloat16: half an ULP.
 *
 * A Wormhole rounds a float32 sum wrongly, by a power of two, if the sum of a step comes to -1 in
 * its last place (upstream facts G).  Upstream met this with four phases and not with three (0 of
 * 31,806 results, where four had 415), so a Wormhole leaves out the last phase.  Without its 5
 * low bits, sums come near that place only if a step's products are far below those of another.
 * The phase is the product of the low bits of both factors: at most 7/135 x 1/129 = 0.0004 of
 * each term.
 */
#pragma once

#include "burnin/cores/card_round.h"
#include "burnin/reference/data.h"

struct card_reference {
	uint32_t cases;		/* 1u << a place in burn_cases */
	double *sums;		/* mem_share()d: card_reference_size() bytes */
};

size_t card_reference_size(void);

/* Phases of fidelity in which a chip computes; 4 are all bits of both factors. */
unsigned card_reference_phases(enum device_chip chip);

/* Words that two cores have to agree on. */
uint64_t card_reference_words(const struct card_reference *r);

/* Products and bias of one result. */
size_t card_reference_terms(const struct burn_shape *s);

/* Compute it, in the child of a card's burn; errors as for card_round_run(). */
int card_reference_run(struct card_round *w, struct error *e);

/* Put the computed sums into d->values as golden results, rounded to bfloat16. */
void card_reference_take(const struct card_reference *r, struct data *d);

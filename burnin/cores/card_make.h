/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_make.h - the operands of a round, and the orders that go with them.
 */
#pragma once

#include "burnin/cores/card_data.h"
#include "burnin/cores/card_round.h"

/* Make w->data for w->stage; the stage's seed becomes that of the operands. */
int card_make(struct card_round *w, struct error *e);

/* Set the orders that do not depend on the operands, and the name, which follows w->loads. */
void card_make_orders(struct card_round *w);

/*
 * A part of a product of two matrices, as one core computes it: 128 rows, 32 columns, as many terms
 * as its memory holds.  The kernel computes 64 columns.  The other 32 are witnesses, known in
 * advance: each repeats one term of the left matrix.  So a row that is in another place, or not the
 * row that the host meant, is noticed whatever the sums are.
 */

enum {
	CARD_BLOCK_ROWS = 2 * KERNEL_PIXELS,	/* the core keeps its last two blocks */
	CARD_BLOCK_COLUMNS = KERNEL_CHANNELS / 2,
	CARD_BLOCK_TERMS = 128 * KERNEL_DEPTH,	/* at most */
	CARD_BLOCK_WORDS = 2 * KERNEL_BLOCK_WORDS,
	CARD_BLOCK_ONE = 0x3f80			/* in bfloat16 */
};

/* Two matrices, given by functions that return their elements in bfloat16. */
struct card_factors {
	uint16_t (*left)(const void *arg, size_t row, size_t term);
	uint16_t (*right)(const void *arg, size_t term, size_t column);
	const void *arg;
};

struct card_block {
	const struct card_factors *of;
	size_t row, term;	/* where it begins */
	size_t terms;		/* 1 to CARD_BLOCK_TERMS */
	uint32_t phases;	/* of fidelity: card_reference_phases() */
};

/* Make operands and orders; free them with card_data_clear(). */
void card_block_make(const struct card_block *b, struct card_data *d);

/* The index of a result in the core's two blocks; columns from CARD_BLOCK_COLUMNS on witness. */
size_t card_block_word(size_t row, size_t column);

/* The inverse of that. */
void card_block_place(size_t word, size_t *row, size_t *column);

/* The bits that a witness must have. */
uint32_t card_block_witness(const struct card_block *b, size_t row, size_t column);

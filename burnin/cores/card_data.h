/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_data.h - the operands of a burn on the card's own cores, and the blocks
 * that every core must make of them, bit for bit.
 */
#pragma once

#include "base/error.h"
#include "burnin/firmware/mailbox.h"
#include "burnin/memory/memory_fault.h"
#include "device/ident.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum card_kind { CARD_CONV, CARD_MATMUL, CARD_KINDS };

/* The kinds of work, one row each. */
struct card_kind_row {
	const char *name;	/* "conv2d" */
	uint32_t taps;		/* as in struct card_work */
};

extern const struct card_kind_row card_kinds[CARD_KINDS];

const char *card_kind_name(enum card_kind k);	/* "conv2d"; "?" if there is none */

struct card_work {
	uint64_t seed;
	uint32_t taps;		/* 3: convolution 3 by 3; 1: product of matrices */
	uint32_t depth;		/* input channels / 16, 1 to 4 */
	uint32_t rows;		/* different blocks, 1 to KERNEL_ROWS_MAX */
	uint32_t repeats;	/* odd */
	uint32_t phases;	/* 1, 2 or 4 */
	uint32_t passes;	/* 0: until stopped */
	bool held;
	/* Further loads, beside the products. */
	bool bursts;		/* the card's memory is read all the time, and compared */
	uint32_t reload;	/* passes until the operands are reloaded from it; 0: never */
	uint32_t vector;	/* sweeps of the vector unit over each block; 0: none */
};

struct card_data {
	struct kernel_order order;
	struct kernel_loads loads;		/* its channels: card_traffic_aim() */
	struct memory_kept kept;		/* endpoints not used for these channels */
	uint32_t *weights, *input, *golden;
	size_t n_weights, n_input, n_golden;	/* words */
	uint64_t mvmuls;			/* of a block */
	uint32_t name;				/* of this load, never 0: card_name() */
	bool is_open;				/* blocks not known before: golden is CARD_OPEN */
};

/* Bits that were 0, and bits that were 1, in any number of the data. */
enum card_part { CARD_WEIGHTS, CARD_INPUTS, CARD_RESULTS, CARD_PARTS };

struct card_bits {
	_Atomic uint32_t zeros, ones;
};

#define CARD_OPEN UINT32_MAX	/* an unknown golden word: a NaN that no core makes */

/*
 * Make all members; free them with card_data_clear().  -EINVAL: no such work;
 * -ERANGE: with this seed a sum would be rounded, so its bits would say nothing.
 */
int card_data_make(const struct card_work *w, struct card_data *d, struct error *e);
void card_data_clear(struct card_data *d);

/* Set the members that follow from orders, weights, input and golden blocks: sums and more. */
void card_data_seal(struct card_data *d);

/* Add the bits of the operands and golden results that a round of d uses. */
void card_data_add_bits(const struct card_data *d, struct card_bits bits[CARD_PARTS]);

/* GHz: the chip's usual clock. */
double card_judge_clock(enum device_chip chip);

/*
 * The median of the rates that are known, those above 0; of two the greater.
 * 0 if fewer than two are known, because then nothing can be compared.
 */
double card_judge_median(const double *rates, size_t n);

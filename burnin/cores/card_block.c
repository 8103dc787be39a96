/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/cores/card_block.h"

#include "base/mem.h"
#include "device/device.h"

enum {
	GROUP = 16,			/* columns stored together, in weights and results */
	GROUPS = KERNEL_CHANNELS / GROUP
};

_Static_assert(CARD_BLOCK_TERMS * 2 * KERNEL_CHANNELS <= KERNEL_AT_INPUT - KERNEL_AT_WEIGHTS,
	"weights");
_Static_assert(CARD_BLOCK_TERMS * 2 * CARD_BLOCK_ROWS <= KERNEL_AT_LIMIT - KERNEL_AT_INPUT,
	"input");
_Static_assert(CARD_BLOCK_TERMS / 2 * CARD_BLOCK_ROWS <= ACCESS_WORDS_MAX, "one write");

static void put_half(uint32_t *words, size_t i, uint16_t half)
{
	words[i / 2] |= (uint32_t)half << (i % 2 ? 16 : 0);
}

/* The term that a column witnesses; these are spread over all terms of the block. */
static size_t witnessed(const struct card_block *b, size_t column)
{
	return b->term + (column - CARD_BLOCK_COLUMNS) * b->terms / CARD_BLOCK_COLUMNS;
}

static uint16_t right(const struct card_block *b, size_t term, size_t column)
{
	if (column >= CARD_BLOCK_COLUMNS)
		return witnessed(b, column) == term ? CARD_BLOCK_ONE : 0;
	return b->of->right(b->of->arg, term, column);
}

/* Elements outside the block stay 0, because the last step may have fewer terms. */
static void put_term(const struct card_block *b, struct card_data *d, size_t i)
{
	const size_t step = i / KERNEL_DEPTH, term = b->term + i;

	for (size_t c = 0; c < KERNEL_CHANNELS; c++)
		put_half(d->weights, ((step * GROUPS + c / GROUP) * KERNEL_DEPTH +
			i % KERNEL_DEPTH) * GROUP + c % GROUP, right(b, term, c));
	for (size_t row = 0; row < CARD_BLOCK_ROWS; row++)
		put_half(d->input, (step * CARD_BLOCK_ROWS + row) * KERNEL_DEPTH +
			i % KERNEL_DEPTH, b->of->left(b->of->arg, b->row + row, term));
}

void card_block_make(const struct card_block *b, struct card_data *d)
{
	const uint32_t steps = (uint32_t)(b->terms + KERNEL_DEPTH - 1) / KERNEL_DEPTH;

	card_data_clear(d);
	d->order = (struct kernel_order){ .depth = steps, .rows = 2, .width = KERNEL_PIXELS,
		.height = 2, .taps = 1, .repeats = 1, .passes = 1, .phases = CARD_BLOCK_PHASES };
	d->is_open = true;
	d->n_weights = (size_t)steps * KERNEL_DEPTH * KERNEL_CHANNELS / 2;
	d->n_input = (size_t)steps * KERNEL_DEPTH * CARD_BLOCK_ROWS / 2;
	d->n_golden = CARD_BLOCK_WORDS;
	d->weights = mem_calloc(d->n_weights, 4);
	d->input = mem_calloc(d->n_input, 4);
	d->golden = mem_calloc(d->n_golden, 4);
	for (size_t i = 0; i < b->terms; i++)
		put_term(b, d, i);
	for (size_t i = 0; i < d->n_golden; i++)
		d->golden[i] = CARD_OPEN;
	card_data_seal(d);
}

size_t card_block_word(size_t row, size_t column)
{
	return row / KERNEL_PIXELS * KERNEL_BLOCK_WORDS +
		(column / GROUP * KERNEL_PIXELS + row % KERNEL_PIXELS) * GROUP + column % GROUP;
}

void card_block_place(size_t word, size_t *row, size_t *column)
{
	const size_t in = word % KERNEL_BLOCK_WORDS;

	*row = word / KERNEL_BLOCK_WORDS * KERNEL_PIXELS + in / GROUP % KERNEL_PIXELS;
	*column = in / (GROUP * KERNEL_PIXELS) * GROUP + in % GROUP;
}

uint32_t card_block_witness(const struct card_block *b, size_t row, size_t column)
{
	return (uint32_t)b->of->left(b->of->arg, b->row + row, witnessed(b, column)) << 16;
}

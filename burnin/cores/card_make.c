/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/cores/card_make.h"

#include "base/mem.h"
#include "burnin/cores/card_judge.h"
#include "burnin/cores/card_load.h"
#include "device/device.h"

#include <errno.h>

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
		.height = 2, .taps = 1, .repeats = 1, .passes = 1, .phases = b->phases };
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

#define TRIES 24	/* to find operands whose sums are exact */
#define SEEDS 3		/* tries with blocks of one length */
#define RAMP_PASSES 64	/* passes in a window: a ramp can take this many steps */
#define RAMP_SIM 8	/* windows of the shortest ramp */

/* The exponent of the least power of two that is not below `cycles`. */
static uint32_t choose_window(uint64_t cycles)
{
	uint32_t p = 1;

	while (p < 31 && 1ULL << p < cycles)
		p++;
	return p;
}

/* A simulator's clock does not measure time: its ramp is as short as one can be. */
static uint32_t choose_ramp(const struct card_round *w, uint64_t pass)
{
	const uint32_t window = choose_window(pass * (w->c->is_simulator ? 2 : RAMP_PASSES));
	const double period = card_judge_clock(w->d->chip) *
		(double)load_patterns[w->c->pattern].period;
	double n = w->c->is_simulator ? RAMP_SIM : period / (double)(1ULL << window);

	n = n < RAMP_SIM ? RAMP_SIM : n > KERNEL_RAMP_MAX ? KERNEL_RAMP_MAX : n;
	return (uint32_t)n << KERNEL_RAMP_AT | window;
}

/* The window of a pulse is longer than a pass, so that the cores rest after it. */
static uint32_t choose_pulse(const struct card_round *w)
{
	const uint64_t pass = w->data.order.rows * w->data.mvmuls;

	switch (w->c->pattern) {
	case LOAD_PULSE:
		return choose_window(pass + pass / 2);
	case LOAD_RAMP:
		return choose_ramp(w, pass);
	default:
		return 0;
	}
}

/* Choose blocks of about as many steps as configured, within the kernel's limits. */
static struct card_work choose_work(const struct card_round *w)
{
	struct card_work work = { .seed = w->stage.seed, .depth = 4,
		.taps = card_kinds[w->stage.kind].taps, .rows = w->c->rows,
		.phases = w->c->phases, .passes = w->stage.passes,
		.held = w->stage.held, .bursts = w->c->bursts, .vector = w->c->vector,
		/* Operands that stay in the source registers cannot be reloaded. */
		.reload = w->stage.held ? 0 : w->c->reload };
	const uint32_t area = work.taps * work.taps;
	uint32_t n;

	while (work.depth > 1 && w->c->steps < work.depth * area)
		work.depth /= 2;
	/* Work without any step is refused when its data are made. */
	n = area ? w->c->steps / (work.depth * area) : 1;
	work.repeats = n ? (n - 1) | 1 : 1;
	return work;
}

void card_make_orders(struct card_round *w)
{
	w->data.order.clean = !w->c->is_simulator;
	w->data.order.deadman = w->c->deadman;
	w->data.name = w->loads & 0xfffff;
}

int card_make(struct card_round *w, struct error *e)
{
	struct card_work work = choose_work(w);
	int r = -ERANGE;

	card_data_clear(&w->data);
	for (int i = 0; r == -ERANGE && i < TRIES; i++) {
		r = card_data_make(&work, &w->data, e);
		if (r != -ERANGE)
			break;
		/* Sums grow with the block: shorten it, at once if all products are equal. */
		if (work.repeats > 1 && (work.held || i % SEEDS == SEEDS - 1))
			work.repeats = work.repeats / 2 | 1;
		else if (work.held && work.depth > 1)
			work.depth /= 2;
		else
			work.seed += 1ULL << 32;
	}
	if (r < 0)
		return r;
	w->data.kept = w->c->kept;
	r = card_traffic_aim(&w->data, w->d->chip, w->c->enabled, w->c->channels, e);
	if (r < 0)
		return r;
	card_exchange_aim(&w->data, w->d->chip);
	w->stage.seed = work.seed;
	w->s->steps[w->stage.kind] = (int)(work.taps * work.taps * work.depth * work.repeats);
	w->loads++;
	card_make_orders(w);
	w->data.order.pulse = w->s->pulse = choose_pulse(w);
	return 0;
}

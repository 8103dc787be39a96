/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_data.c - integers small enough that no product or sum is rounded.
 *
 * A phase of fidelity multiplies 5 bits of a weight by 7 of an input.  One phase
 * is exact for weights to 31 and inputs to 127; two phases take 8 bits of the
 * weight, four take 8 of each, and a common exponent (128 to 255) keeps all
 * products whole.  Sums below 2^24 are exact in float32, so the golden blocks
 * are plain integer arithmetic, without a model of the chip's.  The result of the vector
 * unit is exact as well, or the operands are refused.
 *
 * A block repeats its sum with alternating signs, so that the sum does not grow with the
 * length of the block.  The repeats do not subtract the same products that the others add:
 * each weight has a neighbour that differs from it in the bits of every phase.  So a product
 * that is left out changes the block, even if the same one is left out of another repeat: no
 * number of them cancels out.
 */
#include "config.h"
#include "burnin/cores/card_data.h"

#include "base/mem.h"
#include "burnin/cores/card_make.h"
#include "burnin/cores/card_reference.h"
#include "burnin/kernels/bf16.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EXACT	(1 << 24)
#define GROUP	16		/* output channels whose weights are stored together */
#define MOP_MOST 384	/* products of one MOP; a simulator's queue takes few more */

const struct card_kind_row card_kinds[CARD_KINDS] = {
	[CARD_CONV] = { "conv2d", 3 },
	[CARD_MATMUL] = { "matmul", 1 },
};

const char *card_kind_name(enum card_kind k)
{
	return (size_t)k < CARD_KINDS ? card_kinds[k].name : "?";
}

/* The operands as integers, while they are made. */
struct maker {
	const struct card_work *w;
	uint64_t random;
	uint32_t width, height, steps;
	int16_t *weights, *negative, *input;	/* negative: the weights of every second repeat */
	uint64_t bits;		/* of all intermediate sums, without their signs */
};

static uint32_t card_data_draw(struct maker *m)
{
	m->random ^= m->random << 13;
	m->random ^= m->random >> 7;
	m->random ^= m->random << 17;
	return (uint32_t)(m->random >> 32);
}

/* With one phase 1 to most, else 128 to 255 without the bits of `clear`; of either sign. */
static int16_t draw_value(struct maker *m, uint32_t most, uint32_t clear)
{
	uint32_t r = card_data_draw(m);
	uint32_t v = m->w->phases == 1 ? 1 + (r >> 1) % most : 128 + ((r >> 1) % 128 & ~clear);

	return (int16_t)(r & 1 ? -(int)v : (int)v);
}

/* Differs in the bits of each phase, with the same exponent; of one phase: the next number. */
static int16_t neighbour(const struct maker *m, int16_t value)
{
	const int v = value < 0 ? -value : value, low = v & 7;
	const bool is_down = v > 247 || (low < 4 && v > 135);
	int next = is_down ? v - low - 1 - (low == 7) : v - low + 8 + (low == 0);

	if (m->w->phases == 1)
		next = v < 31 ? v + 1 : v - 1;
	return (int16_t)(value < 0 ? -next : next);
}

static uint32_t input_at(const struct maker *m, uint32_t c, uint32_t y, uint32_t x)
{
	return ((c * m->height + y) * m->width + x) * KERNEL_DEPTH;
}

/* A convolution's input has a border of zeros, unless a pair of operands is held. */
static void draw_operands(struct maker *m)
{
	uint32_t border = m->w->held ? 0 : m->w->taps / 2;

	for (uint32_t i = 0; i < m->steps * KERNEL_DEPTH * KERNEL_CHANNELS; i++) {
		m->weights[i] = draw_value(m, 31, 0);
		m->negative[i] = (int16_t)-neighbour(m, m->weights[i]);
	}
	for (uint32_t c = 0; c < m->w->depth; c++)
		for (uint32_t y = border; y < m->height - border; y++)
			for (uint32_t i = border * KERNEL_DEPTH;
				i < (m->width - border) * KERNEL_DEPTH; i++)
				m->input[input_at(m, c, y, 0) + i] =
					draw_value(m, 127, m->w->phases == 2);
}

/* Add one step's products to the sums of a pixel; a compiler vectorizes the rows of weights. */
static void add_step(struct maker *m, int32_t sums[KERNEL_CHANNELS], const int16_t *w,
	uint32_t from)
{
	int32_t bits[GROUP] = { 0 };

	for (uint32_t g = 0; g < KERNEL_CHANNELS; g += GROUP)
		for (uint32_t i = 0; i < KERNEL_DEPTH; i++, w += GROUP)
			for (uint32_t c = 0; c < GROUP; c++) {
				int32_t sum = sums[g + c] + m->input[from + i] * w[c];

				sums[g + c] = sum;
				bits[c] |= sum ^ sum >> 31;
			}
	for (uint32_t c = 0; c < GROUP; c++)
		m->bits |= (uint32_t)bits[c];
}

static void add_repeat(struct maker *m, int32_t sums[KERNEL_CHANNELS], const int16_t *weights,
	uint32_t row, uint32_t pixel)
{
	const uint32_t taps = m->w->taps;

	for (uint32_t c = 0; c < m->w->depth; c++)
		for (uint32_t y = 0; y < taps; y++)
			for (uint32_t x = 0; x < taps; x++) {
				add_step(m, sums, weights, input_at(m, c, row + y, pixel + x));
				weights += KERNEL_DEPTH * KERNEL_CHANNELS;
			}
}

/* Multiply all sums.  One that would be rounded becomes 0, and m->bits shows it. */
static void multiply_sums(struct maker *m, int32_t sums[KERNEL_CHANNELS], int64_t times)
{
	for (uint32_t c = 0; c < KERNEL_CHANNELS; c++) {
		const int64_t v = sums[c] * times;

		m->bits |= (uint64_t)(v ^ v >> 63);
		sums[c] = v < EXACT && v >= -EXACT ? (int32_t)v : 0;
	}
}

/* Sums of all repeats change evenly: the largest are in the first and the last pair of repeats. */
static void sum_up(struct maker *m, uint32_t row, uint32_t pixel, int32_t sums[KERNEL_CHANNELS])
{
	int32_t beyond[KERNEL_CHANNELS];

	memset(sums, 0, KERNEL_CHANNELS * sizeof(*sums));
	if (m->w->held) {
		add_step(m, sums, m->weights, input_at(m, 0, row, pixel));
		multiply_sums(m, sums, (int64_t)m->steps * m->w->repeats);
		return;
	}
	add_repeat(m, sums, m->weights, row, pixel);
	if (m->w->repeats == 1)
		return;
	add_repeat(m, sums, m->negative, row, pixel);
	multiply_sums(m, sums, m->w->repeats / 2);
	add_repeat(m, sums, m->weights, row, pixel);
	memcpy(beyond, sums, sizeof(beyond));
	add_repeat(m, beyond, m->negative, row, pixel);
}

static uint32_t float_bits(double v)
{
	float f = (float)v;
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

/* Exact: no value has more than eight bits, as many as bfloat16 has. */
static uint32_t pair(int a, int b)
{
	return float_bits(a) >> 16 | (float_bits(b) & 0xffff0000);
}

static void encode(const struct maker *m, struct card_data *d)
{
	size_t half = d->n_weights / 2;

	for (size_t i = 0; i < half; i++) {
		d->weights[i] = pair(m->weights[2 * i], m->weights[2 * i + 1]);
		d->weights[half + i] = pair(m->negative[2 * i], m->negative[2 * i + 1]);
	}
	for (size_t i = 0; i < d->n_input; i++)
		d->input[i] = pair(m->input[2 * i], m->input[2 * i + 1]);
}

/* The vector unit's result for a sum; m->bits shows it if a step would be rounded. */
static double work_on(struct maker *m, double v)
{
	const float factors[] = { bf16_widen(KERNEL_FACTOR_0), bf16_widen(KERNEL_FACTOR_1) };
	const float terms[] = { bf16_widen(KERNEL_TERM_0), bf16_widen(KERNEL_TERM_1) };

	for (uint32_t i = 0; i < m->w->vector; i++)
		for (unsigned k = 0; k < KERNEL_VECTOR_STEPS; k++) {
			v = v * (double)factors[KERNEL_VECTOR_FACTORS >> k & 1] +
				(double)terms[KERNEL_VECTOR_TERMS >> k & 1];
			if ((double)(float)v < v || (double)(float)v > v)
				m->bits |= EXACT;
		}
	return v;
}

/* As the packers write it: 16 channels of all pixels, then the next 16. */
static void make_golden(struct maker *m, struct card_data *d)
{
	int32_t sums[KERNEL_CHANNELS];

	for (uint32_t row = 0; row < m->w->rows; row++)
		for (uint32_t p = 0; p < KERNEL_PIXELS; p++) {
			sum_up(m, row, p, sums);
			for (uint32_t c = 0; c < KERNEL_CHANNELS; c++)
				d->golden[row * KERNEL_BLOCK_WORDS +
					(c / GROUP * KERNEL_PIXELS + p) * GROUP + c % GROUP] =
					float_bits(work_on(m, sums[c]));
		}
}

static int card_data_check(const struct card_work *w, struct error *e)
{
	if ((w->taps != 1 && w->taps != 3) || w->depth < 1 || w->depth > 4 || w->rows < 1 ||
		w->rows > KERNEL_ROWS_MAX || w->repeats % 2 == 0 ||
		(w->phases != 1 && w->phases != 2 && w->phases != 4))
		return fail(e, -EINVAL, "no such work: %u taps, depth %u, %u rows, %u repeats, %u"
			" phases", w->taps, w->depth, w->rows, w->repeats, w->phases);
	if (w->held && w->reload)
		return fail(e, -EINVAL, "no such work: operands that are held cannot be reloaded");
	return 0;
}

void card_data_seal(struct card_data *d)
{
	struct kernel_order *o = &d->order;
	const uint32_t steps = o->taps * o->taps * o->depth * o->repeats;

	o->magic = KERNEL_MAGIC;
	/* Steps of a MOP: as many as fit and divide the steps of a block. */
	o->mop_steps = MOP_MOST / (KERNEL_STEP_MVMULS * o->phases);
	while (steps % o->mop_steps)
		o->mop_steps--;
	d->mvmuls = (uint64_t)steps * o->phases * KERNEL_STEP_MVMULS;
	d->loads.weights = 4 * (uint32_t)d->n_weights;
	d->loads.input = 4 * (uint32_t)d->n_input;
	memset(d->loads.sums, 0, sizeof(d->loads.sums));
	for (size_t i = 0; i < d->n_weights; i++)
		kernel_sum(d->loads.sums, d->weights[i]);
	for (size_t i = 0; i < d->n_input; i++)
		kernel_sum(d->loads.sums, d->input[i]);
	memcpy(d->loads.all_sums, d->loads.sums, sizeof(d->loads.sums));
	for (size_t i = 0; i < d->n_golden; i++)
		kernel_sum(d->loads.all_sums, d->golden[i]);
}

static void add_bits(struct card_bits *to, const uint32_t *words, size_t n)
{
	uint32_t zeros = 0, ones = 0;

	for (size_t i = 0; i < n; i++) {
		ones |= words[i];
		zeros |= ~words[i];
	}
	atomic_fetch_or(&to->ones, ones);
	atomic_fetch_or(&to->zeros, zeros);
}

/* One repeat uses only the weights of even ones, and held operands are those of one step. */
void card_data_add_bits(const struct card_data *d, struct card_bits bits[CARD_PARTS])
{
	const struct kernel_order *o = &d->order;
	const size_t row = o->width * KERNEL_DEPTH / 2;

	add_bits(&bits[CARD_WEIGHTS], d->weights, o->held ? KERNEL_STEP_BYTES / 4 :
		o->repeats > 1 ? d->n_weights : d->n_weights / 2);
	add_bits(&bits[CARD_INPUTS], d->input, o->held ? o->rows * row : d->n_input);
	add_bits(&bits[CARD_RESULTS], d->golden, d->n_golden);
}

uint32_t card_part_mask(enum card_part part)
{
	return part == CARD_RESULTS ? UINT32_MAX : UINT16_MAX;
}

/* A word of operands holds two of them. */
uint32_t card_bits_toggled(const struct card_bits bits[CARD_PARTS], enum card_part part)
{
	const uint32_t mask = card_part_mask(part);
	const uint32_t zeros = atomic_load(&bits[part].zeros), ones = atomic_load(&bits[part].ones);

	return mask == UINT32_MAX ? zeros & ones :
		(zeros | zeros >> 16) & (ones | ones >> 16) & mask;
}

static void lay_out(const struct maker *m, struct card_data *d)
{
	const struct card_work *w = m->w;

	d->n_weights = 2 * (size_t)m->steps * KERNEL_STEP_BYTES / 4;
	d->n_input = (size_t)w->depth * m->height * m->width * KERNEL_DEPTH / 2;
	d->n_golden = (size_t)w->rows * KERNEL_BLOCK_WORDS;
	d->weights = mem_calloc(d->n_weights, 4);
	d->input = mem_calloc(d->n_input, 4);
	d->golden = mem_calloc(d->n_golden, 4);
	d->order = (struct kernel_order){ .depth = w->depth, .rows = w->rows, .width = m->width,
		.height = m->height, .taps = w->taps, .repeats = w->repeats, .passes = w->passes,
		.phases = w->phases, .held = w->held };
}

int card_data_make(const struct card_work *w, struct card_data *d, struct error *e)
{
	uint32_t border = w->taps / 2;
	struct maker m = { .w = w, .random = w->seed * 0x9e3779b97f4a7c15 + 0x1234567,
		.width = KERNEL_PIXELS + 2 * border, .height = w->rows + 2 * border,
		.steps = w->taps * w->taps * w->depth };
	int r = card_data_check(w, e);

	*d = (struct card_data){ 0 };
	if (r < 0)
		return r;
	m.weights = mem_calloc((size_t)m.steps * KERNEL_DEPTH * KERNEL_CHANNELS, 2);
	m.negative = mem_calloc((size_t)m.steps * KERNEL_DEPTH * KERNEL_CHANNELS, 2);
	m.input = mem_calloc((size_t)w->depth * m.height * m.width * KERNEL_DEPTH, 2);
	draw_operands(&m);
	lay_out(&m, d);
	encode(&m, d);
	make_golden(&m, d);
	d->loads = (struct kernel_loads){ .bursts = w->bursts, .reload = w->reload,
		.vector = w->vector, .seed = (uint32_t)(w->seed * 0x9e3779b97f4a7c15 >> 32) };
	card_data_seal(d);
	free(m.weights);
	free(m.negative);
	free(m.input);
	if (m.bits < EXACT)
		return 0;
	card_data_clear(d);
	return fail(e, -ERANGE, "sums would be rounded: another seed, or fewer channels");
}

void card_data_clear(struct card_data *d)
{
	free(d->weights);
	free(d->input);
	free(d->golden);
	*d = (struct card_data){ 0 };
}

double card_judge_clock(enum device_chip chip)
{
	return chip == DEVICE_BLACKHOLE ? 1.35 : chip == DEVICE_WORMHOLE ? 1 : 0;
}

/* conv2d's bias is one more term. */
size_t card_reference_terms(const struct burn_shape *s)
{
	return (size_t)s->k + (s->op == BURN_CONV2D);
}

uint64_t card_reference_words(const struct card_reference *r)
{
	uint64_t n = 0;

	for (int i = 0; i < BURN_CASES * BURN_OPS; i++) {
		const struct burn_shape s = burn_shape_of(&burn_cases[i / BURN_OPS],
			(enum burn_op)(i % BURN_OPS));
		const size_t parts = (card_reference_terms(&s) + CARD_BLOCK_TERMS - 1) /
			CARD_BLOCK_TERMS;

		if (r->cases >> i / BURN_OPS & 1)
			n += parts * ((size_t)s.m / CARD_BLOCK_ROWS) * CARD_BLOCK_WORDS;
	}
	return n;
}

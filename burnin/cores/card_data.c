/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_data.c - operands chosen so that no product or sum is rounded, and their golden blocks.
 *
 * A phase of fidelity multiplies the high 5 bits or the low 3 of a weight's 8 by the high 7 or the
 * low 1 of an input's 8.  The drawn numbers go up to 255.  Those below 128 have no low bits, and
 * low bits that the work's phases leave out are 0.  So products stay whole when a phase aligns
 * them to the largest exponent among them.
 *
 * Powers of two then vary the exponents.  Each input channel has one that multiplies its weights
 * and divides its inputs, and each output channel has one for its sums.  In three of four steps
 * the weights of an output channel are also multiplied by its gain, the largest that keeps all of
 * its sums below 2^24 units.  So results use all 24 bits of float32 and are exact: golden blocks
 * are integer arithmetic, without a model of the chip's.  The vector unit's result is exact as
 * well, or the operands are refused.
 *
 * A Wormhole rounds a sum wrongly that one step takes from 2^23 units or more to -1 (upstream
 * facts G).  No step adds that much.
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
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	GROUP = 16,		/* output channels whose weights are stored together */
	STEP_WEIGHTS = KERNEL_DEPTH * KERNEL_CHANNELS,
	MOP_MOST = 384,		/* products of one MOP; a simulator's queue takes few more */
	FULL = 128,		/* numbers from here on have low bits */
	WEIGHT_LOW = 7, INPUT_LOW = 1,
	FINE_EVERY = 4,		/* steps; the others are coarse */
	EXACT = 1 << 24,	/* float32 has all whole numbers up to here */
	TOO_MUCH = EXACT << 4,	/* in any unit */
	/* A sum after any phase differs by no more than this from the sum after its step. */
	REST = KERNEL_DEPTH * (WEIGHT_LOW * 255 + 248 * INPUT_LOW),
	GAIN_MOST = 8,		/* a coarse product's exponent stays below that of 2^23 */
	SHIFT_MOST = 50,	/* of an input channel, either way */
	UNIT_LEAST = -60, UNITS = 101,		/* exponents of an output channel's unit */
	VECTOR_LEAST = -14, VECTOR_UNITS = 14,	/* the same, with work for the vector unit: a */
	VECTOR_SPARE = 512, VECTOR_ADDS = 10	/* sweep adds 10, its steps less than 512 */
};

const struct card_kind_row card_kinds[CARD_KINDS] = {
	[CARD_CONV] = { "conv2d", 3 },
	[CARD_MATMUL] = { "matmul", 1 },
};

const char *card_kind_name(enum card_kind k)
{
	return (size_t)k < CARD_KINDS ? card_kinds[k].name : "?";
}

enum maker_part { FINE, COARSE, PARTS };

/* The operands as integers, while they are made, and the sums of their products. */
struct maker {
	const struct card_work *w;
	uint64_t random;
	uint32_t width, height, steps;
	int unit_bits;		/* all products are multiples of this power of two */
	int16_t *weights, *negative, *input;	/* negative: the weights of every second repeat */
	int32_t (*sums)[PARTS][KERNEL_CHANNELS];	/* of each row's pixels */
	int32_t most[PARTS][KERNEL_CHANNELS];	/* the largest sum after any step, */
	int32_t step[PARTS][KERNEL_CHANNELS];	/* and the most that a step adds */
	int shift[4 * KERNEL_DEPTH];		/* exponents: of an input channel, */
	int unit[KERNEL_CHANNELS], gain[KERNEL_CHANNELS];	/* of an output channel */
	bool is_rounded;
};

static uint32_t card_data_draw(struct maker *m)
{
	m->random ^= m->random << 13;
	m->random ^= m->random >> 7;
	m->random ^= m->random << 17;
	return (uint32_t)(m->random >> 32);
}

/* Of either sign; 15 of 16 are FULL. */
static int16_t draw_value(struct maker *m, uint32_t low, bool has_low)
{
	const uint32_t r = card_data_draw(m);
	uint32_t v = (r >> 1 & 0xff) | (r >> 9 & 7 ? FULL : 0);

	if (v < FULL || !has_low)
		v &= ~low;
	return (int16_t)(r & 1 ? -(int)v : (int)v);
}

/* Differs in the bits of each phase, and has the same exponent if it is FULL. */
static int16_t neighbour(const struct maker *m, int16_t value)
{
	const int v = value < 0 ? -value : value, low = v & WEIGHT_LOW;
	const bool is_down = v > 247 || (low < 4 && v > 135);
	int next = is_down ? v - low - 1 - (low == 7) : v - low + 8 + (low == 0);

	if (v < FULL || m->w->phases == 1)
		next = v ^ 8;
	return (int16_t)(value < 0 ? -next : next);
}

static uint32_t input_at(const struct maker *m, uint32_t c, uint32_t y, uint32_t x)
{
	return ((c * m->height + y) * m->width + x) * KERNEL_DEPTH;
}

/*
 * A convolution's input has a border of zeros, unless a pair of operands is held.  All inputs of
 * one result are 0, so that blocks have zero words.
 */
static void draw_operands(struct maker *m)
{
	const uint32_t taps = m->w->taps, border = m->w->held ? 0 : taps / 2;
	const uint32_t row = card_data_draw(m) % m->w->rows;
	const uint32_t pixel = card_data_draw(m) % KERNEL_PIXELS;

	for (uint32_t i = 0; i < m->steps * STEP_WEIGHTS; i++) {
		m->weights[i] = draw_value(m, WEIGHT_LOW, m->w->phases > 1);
		m->negative[i] = (int16_t)-neighbour(m, m->weights[i]);
	}
	for (uint32_t c = 0; c < m->w->depth; c++) {
		for (uint32_t y = border; y < m->height - border; y++)
			for (uint32_t i = border * KERNEL_DEPTH;
				i < (m->width - border) * KERNEL_DEPTH; i++)
				m->input[input_at(m, c, y, 0) + i] =
					draw_value(m, INPUT_LOW, m->w->phases == 4);
		for (uint32_t y = 0; y < taps; y++)
			memset(m->input + input_at(m, c, row + y, pixel), 0,
				taps * KERNEL_DEPTH * sizeof(*m->input));
	}
}

static enum maker_part part_of(uint32_t step)
{
	return step % FINE_EVERY ? COARSE : FINE;
}

static void note_most(int32_t *most, int32_t value)
{
	const int32_t size = value < 0 ? -value : value;

	*most = size > *most ? size : *most;
}

/* Add one step's products to the sums of a pixel; a compiler vectorizes the rows of weights. */
static void add_step(struct maker *m, int32_t sums[PARTS][KERNEL_CHANNELS], const int16_t *weights,
	uint32_t step, uint32_t from)
{
	const enum maker_part part = part_of(step);
	const int16_t *w = weights + step * STEP_WEIGHTS;

	for (uint32_t g = 0; g < KERNEL_CHANNELS; g += GROUP) {
		int32_t added[GROUP] = { 0 };

		for (uint32_t i = 0; i < KERNEL_DEPTH; i++, w += GROUP)
			for (uint32_t c = 0; c < GROUP; c++)
				added[c] += m->input[from + i] * w[c];
		for (uint32_t c = 0; c < GROUP; c++) {
			sums[part][g + c] += added[c];
			note_most(&m->most[part][g + c], sums[part][g + c]);
			note_most(&m->step[part][g + c], added[c]);
		}
	}
}

static void add_repeat(struct maker *m, int32_t sums[PARTS][KERNEL_CHANNELS],
	const int16_t *weights, uint32_t row, uint32_t pixel)
{
	const uint32_t taps = m->w->taps;
	uint32_t step = 0;

	for (uint32_t c = 0; c < m->w->depth; c++)
		for (uint32_t y = 0; y < taps; y++)
			for (uint32_t x = 0; x < taps; x++)
				add_step(m, sums, weights, step++,
					input_at(m, c, row + y, pixel + x));
}

/* Multiply all sums; one that is TOO_MUCH stays at that. */
static void multiply_sums(struct maker *m, int32_t sums[PARTS][KERNEL_CHANNELS], int64_t times)
{
	for (int part = 0; part < PARTS; part++)
		for (uint32_t c = 0; c < KERNEL_CHANNELS; c++) {
			const int64_t v = sums[part][c] * times;

			sums[part][c] = v > TOO_MUCH ? TOO_MUCH : v < -TOO_MUCH ? -TOO_MUCH :
				(int32_t)v;
			note_most(&m->most[part][c], sums[part][c]);
		}
}

/* Sums of all repeats change evenly: the largest are in the first and the last pair of repeats. */
static void sum_up(struct maker *m, uint32_t row, uint32_t pixel,
	int32_t sums[PARTS][KERNEL_CHANNELS])
{
	int32_t beyond[PARTS][KERNEL_CHANNELS];

	if (m->w->held) {
		add_step(m, sums, m->weights, 0, input_at(m, 0, row, pixel));
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

static int64_t bound(const int32_t size[PARTS][KERNEL_CHANNELS], uint32_t c, int gain)
{
	return size[FINE][c] + REST + ((int64_t)(size[COARSE][c] + REST) << gain);
}

/* With this gain, no sum of the output channel is rounded, also not wrongly by a Wormhole. */
static bool fits(const struct maker *m, uint32_t c, int gain)
{
	const int64_t spare = m->w->vector == 0 ? 0 :
		(VECTOR_SPARE + (int64_t)VECTOR_ADDS * m->w->vector) << -m->unit[c];

	return bound(m->most, c, gain) <= (EXACT - spare) * (1 << m->unit_bits) &&
		bound(m->step, c, gain) < (EXACT / 2LL) << m->unit_bits;
}

static void choose_exponents(struct maker *m)
{
	const int least = m->w->vector ? VECTOR_LEAST : UNIT_LEAST;
	const uint32_t units = m->w->vector ? VECTOR_UNITS : UNITS;

	for (size_t i = 0; i < ARRAY_LEN(m->shift); i++)
		m->shift[i] = (int)(card_data_draw(m) % (2 * SHIFT_MOST + 1)) - SHIFT_MOST;
	for (uint32_t c = 0; c < KERNEL_CHANNELS; c++) {
		m->unit[c] = least + (int)(card_data_draw(m) % units);
		while (m->w->vector && m->unit[c] < -1 && !fits(m, c, 0))
			m->unit[c]++;
		m->is_rounded |= !fits(m, c, 0);
		while (m->gain[c] < GAIN_MOST && fits(m, c, m->gain[c] + 1))
			m->gain[c]++;
	}
}

static uint32_t float_bits(double v)
{
	float f = (float)v;
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

/* Exact: no operand has more than eight bits, as many as bfloat16 has. */
static void put_operand(uint32_t *words, size_t i, int value, int exponent)
{
	words[i / 2] |= float_bits(ldexp(value, exponent)) >> 16 << (i % 2 ? 16 : 0);
}

static void encode(const struct maker *m, struct card_data *d)
{
	const uint32_t area = m->w->taps * m->w->taps, plane = m->height * m->width * KERNEL_DEPTH;

	for (uint32_t i = 0; i < d->n_weights; i++) {
		const uint32_t step = i / STEP_WEIGHTS, in = i / GROUP % KERNEL_DEPTH;
		const uint32_t out = i / (GROUP * KERNEL_DEPTH) * GROUP % KERNEL_CHANNELS +
			i % GROUP;
		const int exponent = m->unit[out] - m->unit_bits +
			m->shift[step / area * KERNEL_DEPTH + in] +
			(part_of(step) == COARSE ? m->gain[out] : 0);

		put_operand(d->weights, i, m->weights[i], exponent);
		put_operand(d->weights, d->n_weights + i, m->negative[i], exponent);
	}
	for (uint32_t i = 0; i < 2 * d->n_input; i++)
		put_operand(d->input, i, m->input[i],
			-m->shift[i / plane * KERNEL_DEPTH + i % KERNEL_DEPTH]);
}

/* The vector unit's result for a sum; m->is_rounded shows that a step would be rounded. */
static double work_on(struct maker *m, double v)
{
	const float factors[] = { bf16_widen(KERNEL_FACTOR_0), bf16_widen(KERNEL_FACTOR_1) };
	const float terms[] = { bf16_widen(KERNEL_TERM_0), bf16_widen(KERNEL_TERM_1) };

	for (uint32_t i = 0; i < m->w->vector; i++)
		for (unsigned k = 0; k < KERNEL_VECTOR_STEPS; k++) {
			v = v * (double)factors[KERNEL_VECTOR_FACTORS >> k & 1] +
				(double)terms[KERNEL_VECTOR_TERMS >> k & 1];
			m->is_rounded |= (double)(float)v < v || (double)(float)v > v;
		}
	return v;
}

/* As the packers write it: 16 channels of all pixels, then the next 16. */
static void put_golden(struct maker *m, struct card_data *d)
{
	for (uint32_t i = 0; i < d->n_golden; i++) {
		const uint32_t row = i / KERNEL_BLOCK_WORDS, pixel = i / GROUP % KERNEL_PIXELS;
		const uint32_t c = i / (GROUP * KERNEL_PIXELS) * GROUP % KERNEL_CHANNELS +
			i % GROUP;
		int32_t (*sums)[KERNEL_CHANNELS] = m->sums[row * KERNEL_PIXELS + pixel];
		const double sum = sums[FINE][c] + ldexp(sums[COARSE][c], m->gain[c]);

		d->golden[i] = float_bits(work_on(m, ldexp(sum, m->unit[c] - m->unit_bits)));
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

/* A word of operands holds two of them. */
static void add_bits(struct card_bits *to, bool are_halves, const uint32_t *words, size_t n)
{
	uint32_t zeros = 0, ones = 0;

	for (size_t i = 0; i < n; i++) {
		ones |= words[i];
		zeros |= ~words[i];
	}
	atomic_fetch_or(&to->ones, are_halves ? (ones | ones >> 16) & UINT16_MAX : ones);
	atomic_fetch_or(&to->zeros, are_halves ? (zeros | zeros >> 16) & UINT16_MAX : zeros);
}

/* One repeat uses only the weights of even ones, and held operands are those of one step. */
void card_data_add_bits(const struct card_data *d, struct card_bits bits[CARD_PARTS])
{
	const struct kernel_order *o = &d->order;

	add_bits(&bits[CARD_WEIGHTS], true, d->weights, o->held ? KERNEL_STEP_BYTES / 4 :
		o->repeats > 1 ? d->n_weights : d->n_weights / 2);
	add_bits(&bits[CARD_INPUTS], true, d->input, o->held ?
		o->rows * o->width * KERNEL_DEPTH / 2 : d->n_input);
	add_bits(&bits[CARD_RESULTS], false, d->golden, d->n_golden);
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
		.steps = w->taps * w->taps * w->depth,
		.unit_bits = w->phases == 1 ? 4 : w->phases == 2 ? 1 : 0 };
	int r = card_data_check(w, e);

	*d = (struct card_data){ 0 };
	if (r < 0)
		return r;
	m.weights = mem_calloc((size_t)m.steps * STEP_WEIGHTS, 2);
	m.negative = mem_calloc((size_t)m.steps * STEP_WEIGHTS, 2);
	m.input = mem_calloc((size_t)w->depth * m.height * m.width * KERNEL_DEPTH, 2);
	m.sums = mem_calloc((size_t)w->rows * KERNEL_PIXELS, sizeof(*m.sums));
	draw_operands(&m);
	for (uint32_t i = 0; i < w->rows * KERNEL_PIXELS; i++)
		sum_up(&m, i / KERNEL_PIXELS, i % KERNEL_PIXELS, m.sums[i]);
	choose_exponents(&m);
	lay_out(&m, d);
	encode(&m, d);
	put_golden(&m, d);
	d->loads = (struct kernel_loads){ .bursts = w->bursts, .reload = w->reload,
		.vector = w->vector, .seed = (uint32_t)(w->seed * 0x9e3779b97f4a7c15 >> 32) };
	card_data_seal(d);
	free(m.weights);
	free(m.negative);
	free(m.input);
	free(m.sums);
	if (!m.is_rounded)
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

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

double card_judge_median(const double *rates, size_t n)
{
	double *known = mem_calloc(n + 1, sizeof(*known)), median;
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (rates[i] > 0)
			known[k++] = rates[i];
	qsort(known, k, sizeof(*known), by_value);
	median = k > 1 ? known[k / 2] : 0;
	free(known);
	return median;
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

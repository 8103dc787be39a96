/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simd_conv.c - conv2d as an implicit matrix product: nothing is unfolded.
 *
 * A tile is SIMD_PIXELS neighbours of one row by SIMD_COLS filters, held in
 * registers.  Each term is a pixel, broadcast, times two vectors of weights,
 * which pack() has laid out as [filters / COLS][channel][3][3][COLS].  A tile
 * sums over a block of channels which stays in the second-level cache; between
 * blocks its sums stay there too (rows of [pixel][COLS]).  Terms on the padding are
 * left out of the code, not multiplied by zero.  While one block is computed, the
 * next one is prefetched, and bfloat16 is widened.
 */
#include "config.h"
#include "burnin/kernels/simd/simd.h"

#include <stdatomic.h>

enum {
	WIDTH = 32,
	NEAR = 272 << 10,		/* bytes of a block of channels: weights, and rows */
	ROW_FLOATS = WIDTH * SIMD_COLS,	/* of a row of tiles */
	GAP = 16,			/* floats between widened channels, to vary cache sets */
	TILES = (WIDTH + SIMD_PIXELS - 1) / SIMD_PIXELS,
	FULL = WIDTH - TILES * (SIMD_PIXELS - 1),	/* tiles of SIMD_PIXELS; the rest 1 less */
	VECTORS = WIDTH / SIMD_LANES,			/* of a row of one channel */
	/* Vectors to widen beside each of the first tiles, which together are the row's. */
	WIDENED = VECTORS <= TILES ? 1 : VECTORS <= 2 * TILES ? 2 : 4
};

struct conv_tile {
	const float *in;		/* the first channel at the tile's first pixel */
	size_t channel;			/* floats from channel to channel */
	const float *weight;
	float *sum;
	const float *start;		/* initial sums, [COLS]; NULL: those in sum */
	int channels;
	int ky0, ky1;			/* rows of taps that lie on the image */
	const char *ahead;		/* prefetch a line here for each channel */
	size_t ahead_step;
	const uint16_t *half;		/* a later row to widen meanwhile, or NULL */
	size_t half_channel;
	float *wide;
};

/*
 * The floor of a tap with AVX2 (6 pixels x 2 vectors): 12 multiply-adds take 6 cycles; 6
 * broadcasts and 2 loads of weights take 4.  12 sums, 2 weights and a pixel use 15 of 16
 * registers.  The 10 sums of 5 pixels still hide a latency of 4 cycles.
 */

/* Add a row of taps: pixel x - 1 of the row goes to each sum of which it is one of SIMD_TAPS. */
static inline __attribute__((always_inline)) void add_row(simd_vec c[SIMD_PIXELS][2],
	const float *row, const float *tap, const int pixels, const bool left, const bool right)
{
#pragma GCC unroll 3
	for (int kx = 0; kx < 3; kx += SIMD_TAPS, tap += SIMD_TAPS * SIMD_COLS) {
		simd_vec w[SIMD_TAPS][2];

		/* Load each pixel anew: kept over several taps, they push sums into memory. */
		atomic_signal_fence(memory_order_seq_cst);
#pragma GCC unroll 3
		for (int i = 0; i < SIMD_TAPS; i++) {
			w[i][0] = simd_load(tap + i * SIMD_COLS);
			w[i][1] = simd_load(tap + i * SIMD_COLS + SIMD_LANES);
		}
#pragma GCC unroll 16
		for (int x = kx; x < kx + SIMD_PIXELS + SIMD_TAPS - 1; x++) {
			if ((left && x == 0) || (right && x == pixels + 1))
				continue;
#pragma GCC unroll 3
			for (int i = 0; i < SIMD_TAPS; i++) {
				const int p = x - kx - i;

				if (p < 0 || p >= pixels)
					continue;
				c[p][0] += w[i][0] * row[x - 1];
				c[p][1] += w[i][1] * row[x - 1];
			}
		}
	}
}

/*
 * The const parameters are constants in every caller: the loops over kx, x, p and v unroll.
 * clang 14 does not unroll a loop that is as long as such a parameter, so the loops are as
 * long as SIMD_PIXELS and skip missing pixels.
 */
static inline __attribute__((always_inline)) void conv_tile(const struct conv_tile *t,
	const int pixels, const bool left, const bool right, const bool widen)
{
	simd_vec c[SIMD_PIXELS][2];
	const float *w = t->weight + t->ky0 * 3 * SIMD_COLS;
	const float *in = t->in + (t->ky0 - 1) * WIDTH;
	const char *ahead = t->ahead;
	const uint16_t *half = t->half;
	float *wide = t->wide;

#pragma GCC unroll 16
	for (int p = 0; p < SIMD_PIXELS; p++) {
		const float *from = t->start ? t->start : t->sum + p * SIMD_COLS;

		if (p >= pixels)
			break;
		c[p][0] = simd_load(from);
		c[p][1] = simd_load(from + SIMD_LANES);
	}
	for (int i = 0; i < t->channels; i++, in += t->channel, w += 9 * SIMD_COLS) {
		const float *row = in;
		const float *tap = w;

		if (right)
			__builtin_prefetch(ahead, 0, 3);
		else
			__builtin_prefetch(ahead, 0, 2);
		ahead += t->ahead_step;
		if (widen) {
#pragma GCC unroll 4
			for (int v = 0; v < WIDENED; v++)
				simd_store(wide + v * SIMD_LANES,
					simd_widen(half + v * SIMD_LANES));
			half += t->half_channel;
			wide += t->channel;
		}
		for (int ky = t->ky0; ky < t->ky1; ky++, row += WIDTH, tap += 3 * SIMD_COLS)
			add_row(c, row, tap, pixels, left, right);
	}
#pragma GCC unroll 16
	for (int p = 0; p < SIMD_PIXELS; p++) {
		if (p >= pixels)
			break;
		simd_store(t->sum + p * SIMD_COLS, c[p][0]);
		simd_store(t->sum + p * SIMD_COLS + SIMD_LANES, c[p][1]);
	}
}

/*
 * What to prefetch: of this block of channels, the row that is read (or widened) beside
 * the next row; of the next block, a row line by line, then weights.
 */
struct conv_ahead {
	const char *soon, *rows;
	size_t row_bytes, channel_bytes;
	const char *weight;
};

static inline __attribute__((always_inline)) void conv_tile_at(const struct conv_tile *t, int i,
	const bool widen)
{
	if (i == 0)
		conv_tile(t, SIMD_PIXELS, true, false, widen);
	else if (i == TILES - 1)
		conv_tile(t, SIMD_PIXELS - 1, false, true, widen);
	else if (i < FULL)
		conv_tile(t, SIMD_PIXELS, false, false, widen);
	else
		conv_tile(t, SIMD_PIXELS - 1, false, false, widen);
}

static void conv_row(struct conv_tile t, struct conv_ahead *a)
{
	for (int i = 0; i < TILES; i++) {
		const int pixels = i < FULL ? SIMD_PIXELS : SIMD_PIXELS - 1;

		if (i == TILES - 1) {
			t.ahead = a->soon;
			t.ahead_step = a->channel_bytes;
		} else if ((size_t)i * SIMD_LINE < a->row_bytes) {
			t.ahead = a->rows + i * SIMD_LINE;
			t.ahead_step = a->channel_bytes;
		} else {
			t.ahead = a->weight;
			t.ahead_step = SIMD_LINE;
			a->weight += t.channels * SIMD_LINE;
		}
		if (t.half && i * WIDENED < VECTORS)
			conv_tile_at(&t, i, true);
		else
			conv_tile_at(&t, i, false);
		if (t.half) {
			t.half += WIDENED * SIMD_LANES;
			t.wide += WIDENED * SIMD_LANES;
		}
		t.in += pixels;
		t.sum += pixels * SIMD_COLS;
	}
	a->rows += a->row_bytes;
	a->soon += a->row_bytes;
}

/* Write a row's sums, [pixel][COLS], to the output, [filter][height][width]. */
static void put_row(const struct impl_job *j, const float *sum, int group, int y)
{
	const struct burn_shape *s = &j->shape;
	const int filter = group * SIMD_COLS, left = s->n - filter;
	const size_t area = (size_t)s->height * WIDTH;
	const size_t at = (size_t)filter * area + (size_t)y * WIDTH;

	simd_put_row(j->dtype, sum, WIDTH, left < SIMD_COLS ? left : SIMD_COLS,
		(char *)j->at.output + at * burn_dtype_size(j->dtype), area);
}

/* The rows of the image that a thread computes. */
struct band {
	int y0, y1;			/* rows of the output, y1 excluded */
	int in0, in1;			/* rows of the input that they need */
};

static struct band band_of(int height, int threads, int thread)
{
	const int y0 = (int)((int64_t)height * thread / threads);
	const int y1 = (int)((int64_t)height * (thread + 1) / threads);

	return (struct band){ .y0 = y0, .y1 = y1, .in0 = y0 > 0 ? y0 - 1 : 0,
		.in1 = y1 < height ? y1 + 1 : height };
}

/* Channels at a time: as many as fit in NEAR, spread evenly over the blocks. */
static int block_of(const struct burn_shape *s, int threads)
{
	const int rows = s->height / threads + 3;
	const int most = NEAR / (int)sizeof(float) / (BURN_TAPS * SIMD_COLS + rows * WIDTH);
	const int blocks = (s->channels + most - 1) / most;

	return (s->channels + blocks - 1) / blocks;
}

/* A thread's work for one group of filters. */
struct pass {
	const struct impl_job *j;
	struct band band;
	int group, block;		/* group of filters; channels at a time */
	const float *bias;		/* [COLS] */
	float *sum, *slab;		/* rows of sums; rows of a block of channels, widened */
	int wide;			/* the next row of the input to widen */
};

static const uint16_t *half_row(const struct pass *p, int first, int y)
{
	return (const uint16_t *)p->j->at.input
		+ ((size_t)first * (size_t)p->j->shape.height + (size_t)y) * WIDTH;
}

static float *wide_row(const struct pass *p, int y)
{
	return p->slab + (size_t)(y - p->band.in0) * WIDTH;
}

/* Widen the rows before `end` that were not widened beside an earlier row. */
static void widen_rows(struct pass *p, const struct conv_tile *t, int first, int end)
{
	for (; p->wide < end; p->wide++)
		for (int c = 0; c < t->channels; c++)
			simd_copy_in(p->j->dtype, half_row(p, first + c, p->wide), 0,
				wide_row(p, p->wide) + (size_t)c * t->channel, WIDTH);
}

/*
 * Choose a row to widen while row y is computed: the next one of this block of channels
 * or, at its end, one of the next block, whose place in the slab is no longer read.
 */
static void widen_beside(struct pass *p, struct conv_tile *t, int first, int y)
{
	const struct band *b = &p->band;
	const int next = p->wide - b->in1 + b->in0;	/* a row of the next block */

	t->half = NULL;
	if (p->wide < b->in1) {
		t->half = half_row(p, first, p->wide);
		t->wide = wide_row(p, p->wide++);
	} else if (next < y - 1 && first + 2 * p->block <= p->j->shape.channels) {
		t->half = half_row(p, first + p->block, next);
		t->wide = wide_row(p, next);
		p->wide++;
	}
}

/* Add one block of channels to the sums of a band. */
static void conv_block(struct pass *p, int thread, int first)
{
	const struct impl_job *j = p->j;
	const struct burn_shape *s = &j->shape;
	const struct band *b = &p->band;
	const size_t area = (size_t)s->height * WIDTH, element = burn_dtype_size(j->dtype);
	const size_t begin = (size_t)first * area, begin_band = begin + (size_t)b->in0 * WIDTH;
	const int left = s->channels - first, channels = left < p->block ? left : p->block;
	const bool last = first + channels == s->channels, widens = j->dtype != BURN_FLOAT32;
	const float *packed = j->packed;
	const float *weight = packed + ((size_t)p->group * (size_t)s->channels + (size_t)first)
		* BURN_TAPS * SIMD_COLS;
	struct conv_tile t = { .channels = channels, .weight = weight, .sum = p->sum,
		.start = first == 0 ? p->bias : NULL, .half_channel = area,
		.channel = widens ? (size_t)(b->in1 - b->in0) * WIDTH + GAP : area };
	const char *input = j->at.input;
	struct conv_ahead ahead = { .row_bytes = WIDTH * element, .channel_bytes = area * element,
		.soon = input + (begin + (size_t)(b->y0 + (widens ? 3 : 2)) * WIDTH) * element,
		.rows = input + (last ? 0 : begin_band + (size_t)p->block * area) * element,
		.weight = (const char *)(last ? packed
			: weight + (size_t)p->block * BURN_TAPS * SIMD_COLS) };
	const int64_t from = trace_now(j->trace);

	t.in = widens ? p->slab : (const float *)j->at.input + begin_band;
	t.in += (b->y0 - b->in0) * WIDTH;
	for (int y = b->y0; y < b->y1; y++) {
		t.ky0 = y == 0;
		t.ky1 = y == s->height - 1 ? 2 : 3;
		if (widens) {
			widen_rows(p, &t, first, y + t.ky1 - 1);
			widen_beside(p, &t, first, y);
		}
		conv_row(t, &ahead);
		if (last)
			put_row(j, t.sum, p->group, y);
		t.in += WIDTH;
		if (!last || first > 0)
			t.sum += ROW_FLOATS;
	}
	p->wide = p->wide > b->in1 ? p->wide - b->in1 + b->in0 : b->in0;
	trace_add(j->trace, thread, last ? "multiply, put the rows" : "multiply", from);
}

static void conv_run(const struct impl_job *j, int thread)
{
	const struct burn_shape *s = &j->shape;
	struct pass p = { .j = j, .block = block_of(s, j->threads),
		.band = band_of(s->height, j->threads, thread),
		.sum = (float *)(void *)(j->work + j->work_size * (size_t)thread) };

	p.slab = p.sum + (size_t)(p.band.y1 - p.band.y0) * ROW_FLOATS;
	for (p.group = 0; p.group * SIMD_COLS < s->n; p.group++) {
		float bias[SIMD_COLS] = { 0 };
		const int left = s->n - p.group * SIMD_COLS;

		simd_copy_in(j->dtype, j->at.bias, (size_t)p.group * SIMD_COLS, bias,
			(size_t)(left < SIMD_COLS ? left : SIMD_COLS));
		p.bias = bias;
		p.wide = p.band.in0;
		for (int first = 0; first < s->channels; first += p.block)
			conv_block(&p, thread, first);
	}
}

static size_t conv_work_size(const struct burn_shape *s, enum burn_dtype t, int threads)
{
	const size_t rows = (size_t)(s->height / threads + 1);
	size_t floats = rows * ROW_FLOATS;

	if (t == BURN_BFLOAT16)
		floats += (size_t)block_of(s, threads) * ((rows + 2) * WIDTH + GAP);
	return floats * sizeof(float);
}

static size_t groups(const struct burn_shape *s)
{
	return ((size_t)s->n + SIMD_COLS - 1) / SIMD_COLS;
}

static size_t conv_pack_size(const struct burn_shape *s, enum burn_dtype t)
{
	(void)t;
	return groups(s) * (size_t)s->k * SIMD_COLS * sizeof(float);
}

static void conv_pack(const struct burn_shape *s, enum burn_dtype t, const void *weight,
	void *packed)
{
	const size_t k = (size_t)s->k;
	float *to = packed;

	for (size_t g = 0; g < groups(s); g++)
		for (size_t i = 0; i < k; i++)
			for (size_t lane = 0; lane < SIMD_COLS; lane++, to++) {
				const size_t filter = g * SIMD_COLS + lane;

				*to = 0;
				if (filter < (size_t)s->n)
					simd_copy_in(t, weight, filter * k + i, to, 1);
			}
}

const struct impl_kernel simd_conv_kernel = {
	.pack_size = conv_pack_size, .pack = conv_pack,
	.work_size = conv_work_size, .run = conv_run,
};

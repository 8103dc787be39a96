/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dot_conv.c - conv2d for dot.h: a tile is 32 filters by a row of 32 pixels.
 *
 * DOT_DEPTH channels at a time are copied to [row][DEPTH / 2][column][2] with a
 * frame of zeros, so that a block of B is the pixels under a tap, and the channels'
 * weights stay in a near cache.  Zero times an infinite weight would be NaN, but
 * padding adds no term to a sum.  If a weight is infinite, the pixels beside the
 * frame are therefore computed again, by the definition.
 */
#include "config.h"
#include "burnin/kernels/bf16.h"

#include "burnin/kernels/simd/dot.h"
#include "burnin/kernels/simd/simd.h"

#include <math.h>
#include <string.h>

enum {
	WIDTH = DOT_COLS, FRAMED = WIDTH + 2,
	ROW = DOT_DEPTH * FRAMED,	/* elements of a row of a block */
	LINE = 64			/* bytes before the packed weights: is one not finite? */
};

/* The rows of the image that a thread computes. */
struct band {
	int first, end;
};

static int blocks_of(const struct burn_shape *s)
{
	return (s->channels + DOT_DEPTH - 1) / DOT_DEPTH;
}

static int groups_of(const struct burn_shape *s)
{
	return (s->n + DOT_ROWS - 1) / DOT_ROWS;
}

size_t dot_conv_pack_size(const struct burn_shape *s, enum burn_dtype t)
{
	(void)t;
	return LINE + (size_t)groups_of(s) * (size_t)blocks_of(s) * BURN_TAPS * DOT_BLOCK
		* sizeof(uint16_t);
}

/* [filters / ROWS][channels / DEPTH][3][3] blocks; zeros for missing filters and channels. */
void dot_conv_pack(const struct burn_shape *s, enum burn_dtype t, const void *weight,
	void *packed)
{
	const uint16_t *from = weight;
	uint16_t *to = (uint16_t *)packed + LINE / sizeof(uint16_t);
	const size_t size = dot_conv_pack_size(s, t);
	bool infinite = false;

	memset(packed, 0, size);
	for (int n = 0; n < s->n; n++)
		for (int c = 0; c < s->channels; c++)
			for (int tap = 0; tap < BURN_TAPS; tap++, from++) {
				const int block = (n / DOT_ROWS * blocks_of(s) + c / DOT_DEPTH)
					* BURN_TAPS + tap;
				const int k = c % DOT_DEPTH, row = n % DOT_ROWS;

				to[(size_t)block * DOT_BLOCK + (size_t)(row * DOT_DEPTH + k)]
					= *from;
				infinite |= !isfinite(bf16_widen(*from));
			}
	memset(packed, infinite, 1);
}

static struct band band_of(int height, int threads, int thread)
{
	return (struct band){ (int)((int64_t)height * thread / threads),
		(int)((int64_t)height * (thread + 1) / threads) };
}

static size_t slab_elements(int rows)
{
	return (size_t)(rows + 2) * ROW;
}

size_t dot_conv_work_size(const struct burn_shape *s, enum burn_dtype t, int threads)
{
	const int rows = s->height / threads + 1;

	(void)t;
	return slab_elements(rows) * sizeof(uint16_t)
		+ (size_t)rows * DOT_ROWS * WIDTH * sizeof(float);
}

/* Copy a block of channels of the band and the rows beside it; the frame stays zero. */
static void copy_block(const struct impl_job *j, const struct band *b, int block, int depth,
	uint16_t *slab)
{
	static const uint16_t none[WIDTH];
	const struct burn_shape *s = &j->shape;
	const size_t channel = (size_t)s->height * WIDTH;
	const int first = b->first > 0 ? b->first - 1 : 0;
	const int end = b->end < s->height ? b->end + 1 : s->height;

	for (int k = 0; k < depth; k += 2) {
		const int c = block * DOT_DEPTH + k;
		const uint16_t *from = (const uint16_t *)j->at.input + (size_t)c * channel;
		uint16_t *to = slab + (size_t)(first - b->first + 1) * ROW + k * FRAMED + 2;

		for (int y = first; y < end; y++, to += ROW)
			dot_zip(c < s->channels ? from + y * WIDTH : none,
				c + 1 < s->channels ? from + channel + y * WIDTH : none, to);
	}
}

static float sum_of(const struct impl_job *j, int filter, int y, int x)
{
	const struct burn_shape *s = &j->shape;
	const uint16_t *input = j->at.input, *weight = j->at.weight;
	float sum = bf16_widen(((const uint16_t *)j->at.bias)[filter]);

	for (int c = 0; c < s->channels; c++)
		for (int tap = 0; tap < BURN_TAPS; tap++) {
			const int iy = y + tap / 3 - 1, ix = x + tap % 3 - 1;

			if (iy < 0 || iy >= s->height || ix < 0 || ix >= WIDTH)
				continue;
			sum += bf16_widen(input[((size_t)c * (size_t)s->height + (size_t)iy)
					* WIDTH + (size_t)ix])
				* bf16_widen(weight[((size_t)filter * (size_t)s->channels
					+ (size_t)c) * BURN_TAPS + (size_t)tap]);
		}
	return sum;
}

static int filters_of(const struct burn_shape *s, int group)
{
	const int left = s->n - group * DOT_ROWS;

	return left < DOT_ROWS ? left : DOT_ROWS;
}

static uint16_t *out_of(const struct impl_job *j, int group, int y)
{
	const struct burn_shape *s = &j->shape;

	return (uint16_t *)j->at.output + ((size_t)group * DOT_ROWS * (size_t)s->height
		+ (size_t)y) * WIDTH;
}

static void put_row(const struct impl_job *j, const float *sum, int group, int y)
{
	const size_t area = (size_t)j->shape.height * WIDTH;

	for (int i = 0; i < filters_of(&j->shape, group); i++)
		simd_copy_out(BURN_BFLOAT16, sum + i * WIDTH, out_of(j, group, y),
			(size_t)i * area, WIDTH);
}

/* Compute the pixels beside the frame again, by the definition. */
static void mend_row(const struct impl_job *j, int group, int y)
{
	const bool whole = y == 0 || y == j->shape.height - 1;
	const size_t area = (size_t)j->shape.height * WIDTH;

	for (int i = 0; i < filters_of(&j->shape, group); i++)
		for (int x = 0; x < WIDTH; x += whole ? 1 : WIDTH - 1)
			out_of(j, group, y)[(size_t)i * area + (size_t)x]
				= bf16_round(sum_of(j, group * DOT_ROWS + i, y, x));
}

static void start_sums(const struct impl_job *j, int group, float *sum)
{
	const uint16_t *bias = (const uint16_t *)j->at.bias + group * DOT_ROWS;
	const int filters = filters_of(&j->shape, group);

	for (int i = 0; i < DOT_ROWS; i++, sum += WIDTH) {
		const float start = i < filters ? bf16_widen(bias[i]) : 0;

		for (int x = 0; x < WIDTH; x++)
			sum[x] = start;
	}
}

void dot_conv(const struct impl_job *j, int thread, const struct dot_loop *loop)
{
	const struct burn_shape *s = &j->shape;
	const struct band b = band_of(s->height, j->threads, thread);
	const int rows = b.end - b.first, all = blocks_of(s);
	const size_t tile = DOT_ROWS * WIDTH;
	float *sum = (float *)(void *)(j->work + j->work_size * (size_t)thread);
	uint16_t *slab = (uint16_t *)(sum + (size_t)rows * tile);
	const uint16_t *weight = (const uint16_t *)j->packed + LINE / sizeof(uint16_t);
	const bool infinite = *(const char *)j->packed != 0;

	memset(slab, 0, slab_elements(rows) * sizeof(*slab));
	for (int group = 0; group < groups_of(s); group++) {
		const bool direct = loop->direct && filters_of(s, group) == DOT_ROWS;

		for (int block = 0; block < all; block++) {
			const bool last = block + 1 == all;
			const int left = s->channels - block * DOT_DEPTH;
			const int depth = loop->direct && last ? (left + 1) / 2 * 2 : DOT_DEPTH;
			const uint16_t *at[BURN_TAPS];
			int64_t from = trace_now(j->trace);

			copy_block(j, &b, block, depth, slab);
			trace_add(j->trace, thread, "copy the input", from);
			from = trace_now(j->trace);
			for (int y = 0; y < rows; y++) {
				float *to = sum + (size_t)y * tile;
				uint16_t *out = out_of(j, group, b.first + y);

				for (int tap = 0; tap < BURN_TAPS; tap++)
					at[tap] = slab + (y + tap / 3) * ROW + tap % 3 * 2;
				if (block == 0)
					start_sums(j, group, to);
				loop->taps(&(struct dot_taps){
					.sum = to, .a = weight + (size_t)(group * all + block)
						* BURN_TAPS * DOT_BLOCK,
					.b = at, .b_row = 2 * FRAMED, .depth = depth,
					.out = last && direct ? out : NULL,
					.out_row = (size_t)s->height * WIDTH });
				if (last && !direct)
					put_row(j, to, group, b.first + y);
				if (last && infinite)
					mend_row(j, group, b.first + y);
			}
			trace_add(j->trace, thread, "multiply", from);
		}
	}
}

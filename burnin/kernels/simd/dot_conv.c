/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dot_conv.c - conv2d for dot.h: a tile is a row of 32 pixels by 32 filters.
 *
 * A few blocks of DOT_DEPTH channels at a time are copied to [channels / DEPTH]
 * [row][column][DEPTH] with a frame of zeros, so that the rows of a block of A
 * are the pixels under a tap.  Zero times an infinite weight would be NaN, but
 * padding is no term of a sum: such weights make the frame's neighbours be
 * computed once more, by the definition.
 */
#include "config.h"
#include "burnin/kernels/bf16.h"
#include "burnin/kernels/simd/dot.h"
#include "burnin/kernels/simd/simd.h"

#include <math.h>
#include <string.h>

enum {
	WIDTH = 32, FRAMED = WIDTH + 2,
	BLOCKS = 2,			/* of channels at a time: their weights stay near */
	LINE = 64			/* bytes ahead of the packed weights: is one infinite? */
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
	return (s->n + DOT_COLS - 1) / DOT_COLS;
}

size_t dot_conv_pack_size(const struct burn_shape *s, enum burn_dtype t)
{
	(void)t;
	return LINE + (size_t)groups_of(s) * (size_t)blocks_of(s) * BURN_TAPS * DOT_BLOCK_B
		* sizeof(uint16_t);
}

/* [filters / COLS][channels / DEPTH][3][3] blocks; zeros where there is no filter or channel. */
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
				const int block = (n / DOT_COLS * blocks_of(s) + c / DOT_DEPTH)
					* BURN_TAPS + tap;
				const int k = c % DOT_DEPTH, col = n % DOT_COLS;

				to[(size_t)block * DOT_BLOCK_B
					+ (size_t)((k / 2 * DOT_COLS + col) * 2 + k % 2)] = *from;
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
	return (size_t)BLOCKS * (size_t)(rows + 2) * FRAMED * DOT_DEPTH;
}

size_t dot_conv_work_size(const struct burn_shape *s, enum burn_dtype t, int threads)
{
	const int rows = s->height / threads + 1;

	(void)t;
	return slab_elements(rows) * sizeof(uint16_t)
		+ (size_t)rows * WIDTH * DOT_COLS * sizeof(float);
}

/* 16 pixels of DOT_DEPTH channels, of which `channels` are there, to [pixel][DOT_DEPTH]. */
static void copy_pixels(const uint16_t *from, size_t channel, size_t channels,
	uint16_t *to)
{
	static const uint16_t none[SIMD_LANES];
	simd_vec v[SIMD_LANES];

	for (int i = 0; i < SIMD_LANES; i++) {
		const size_t even = 2 * (size_t)i, odd = even + 1;

		v[i] = simd_pairs(even < channels ? from + even * channel : none,
			odd < channels ? from + odd * channel : none);
	}
	simd_transpose(v);
	for (int i = 0; i < SIMD_LANES; i++)
		memcpy(to + i * DOT_DEPTH, &v[i], sizeof(v[i]));
}

/* A block of channels of the band and the rows beside it; the frame is zero and stays so. */
static void copy_block(const struct impl_job *j, const struct band *b, int block, uint16_t *slab)
{
	const struct burn_shape *s = &j->shape;
	const size_t channel = (size_t)s->height * WIDTH;
	const uint16_t *input = (const uint16_t *)j->at.input
		+ (size_t)block * DOT_DEPTH * channel;
	const size_t channels = (size_t)(s->channels - block * DOT_DEPTH);

	for (int y = b->first - 1; y <= b->end; y++, slab += FRAMED * DOT_DEPTH) {
		if (y < 0 || y >= s->height)
			continue;
		for (int x = 0; x < WIDTH; x += SIMD_LANES)
			copy_pixels(input + y * WIDTH + x, channel, channels,
				slab + (x + 1) * DOT_DEPTH);
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

static void put_row(const struct impl_job *j, const float *sum, int group, int y)
{
	const struct burn_shape *s = &j->shape;
	const bool infinite = *(const char *)j->packed != 0, whole = y == 0 || y == s->height - 1;
	const int filter = group * DOT_COLS, left = s->n - filter;
	const int filters = left < DOT_COLS ? left : DOT_COLS;
	const size_t area = (size_t)s->height * WIDTH;
	uint16_t *to = (uint16_t *)j->at.output + (size_t)filter * area + (size_t)y * WIDTH;

	simd_put_row(j->dtype, sum, WIDTH, filters, to, area);
	for (int i = 0; infinite && i < filters; i++)
		for (int x = 0; x < WIDTH; x += whole ? 1 : WIDTH - 1)
			to[(size_t)i * area + (size_t)x] = bf16_round(sum_of(j, filter + i, y, x));
}

static void start_sums(const struct impl_job *j, int group, int rows, float *sum)
{
	const uint16_t *bias = j->at.bias;

	for (int i = 0; i < DOT_COLS; i++) {
		const int filter = group * DOT_COLS + i;

		sum[i] = filter < j->shape.n ? bf16_widen(bias[filter]) : 0;
	}
	for (int pixel = 1; pixel < rows * WIDTH; pixel++)
		memcpy(sum + pixel * DOT_COLS, sum, DOT_COLS * sizeof(*sum));
}

void dot_conv(const struct impl_job *j, int thread, const struct dot_loop *loop)
{
	const struct burn_shape *s = &j->shape;
	const struct band b = band_of(s->height, j->threads, thread);
	const int rows = b.end - b.first, all = blocks_of(s);
	const int depth = all > 1 ? DOT_DEPTH : (s->channels + 1) / 2 * 2;
	const size_t plane = (size_t)(rows + 2) * FRAMED * DOT_DEPTH;
	float *sum = (float *)(void *)(j->work + j->work_size * (size_t)thread);
	uint16_t *slab = (uint16_t *)(sum + (size_t)rows * WIDTH * DOT_COLS);
	const uint16_t *weight = (const uint16_t *)j->packed + LINE / sizeof(uint16_t);

	memset(slab, 0, slab_elements(rows) * sizeof(*slab));
	for (int group = 0; group < groups_of(s); group++) {
		start_sums(j, group, rows, sum);
		for (int first = 0; first < all; first += BLOCKS) {
			const int n = all - first < BLOCKS ? all - first : BLOCKS;
			const uint16_t *a[BLOCKS * BURN_TAPS];
			int64_t from = trace_now(j->trace);

			for (int i = 0; i < n; i++)
				copy_block(j, &b, first + i, slab + (size_t)i * plane);
			trace_add(j->trace, thread, "copy the input", from);
			from = trace_now(j->trace);
			for (int y = 0; y < rows; y++) {
				for (int i = 0; i < n * BURN_TAPS; i++)
					a[i] = slab + (size_t)(i / BURN_TAPS) * plane
						+ (size_t)((y + i % BURN_TAPS / 3) * FRAMED
							+ i % 3) * DOT_DEPTH;
				loop->tile(&(struct dot_tile){
					.sum = sum + (size_t)y * WIDTH * DOT_COLS,
					.a = a, .a_row = DOT_DEPTH,
					.b = weight + (size_t)(group * all + first) * BURN_TAPS
						* DOT_BLOCK_B, .blocks = n * BURN_TAPS,
					.depth = depth, .last = depth, .ahead = weight });
			}
			trace_add(j->trace, thread, "multiply", from);
		}
		for (int y = 0; y < rows; y++)
			put_row(j, sum + (size_t)y * WIDTH * DOT_COLS, group, b.first + y);
	}
}

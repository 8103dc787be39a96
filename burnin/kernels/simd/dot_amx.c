/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dot_amx.c - AMX-BF16: a tile register holds 16 rows of 64 bytes, so that a
 * tile of the result takes four registers, and a block of A or B two.
 */
#include "config.h"
#include "burnin/kernels/cpu.h"

#include "burnin/kernels/simd/dot.h"
#include "burnin/kernels/simd/simd.h"

#include <immintrin.h>

enum {
	TILE_ROWS = 16, TILE_BYTES = 64,
	TILE_TERMS = TILE_BYTES / 2,	/* of a row of A */
	STRESS_ROWS = 96, STRESS_COLS = 64,
	TILE_FLOPS = TILE_ROWS * (TILE_BYTES / 4) * (TILE_BYTES / 2) * 2	/* of a product */
};

/* As ldtilecfg reads it. */
struct tile_config {
	uint8_t palette, start_row, reserved[14];
	uint16_t row_bytes[16];
	uint8_t rows[16];
};
_Static_assert(sizeof(struct tile_config) == 64, "as the processor reads it");

/*
 * All eight registers at full size.  This is not built on the stack: gcc's header declares that
 * ldtilecfg reads eight bytes, so the compiler may leave out the stores of the others.
 */
static const struct tile_config whole = {
	.palette = 1,
	.row_bytes = { TILE_BYTES, TILE_BYTES, TILE_BYTES, TILE_BYTES, TILE_BYTES, TILE_BYTES,
		TILE_BYTES, TILE_BYTES },
	.rows = { TILE_ROWS, TILE_ROWS, TILE_ROWS, TILE_ROWS, TILE_ROWS, TILE_ROWS, TILE_ROWS,
		TILE_ROWS },
};

static void configure(void)
{
	_tile_loadconfig(&whole);
}

/* A tile of sums, in registers 0 to 3; row: floats from row to row. */
static void load_sums(const float *c, size_t row)
{
	const float *low = c + TILE_ROWS * row;

	_tile_loadd(0, c, row * sizeof(*c));
	_tile_loadd(1, c + TILE_ROWS, row * sizeof(*c));
	_tile_loadd(2, low, row * sizeof(*c));
	_tile_loadd(3, low + TILE_ROWS, row * sizeof(*c));
}

static void clear_sums(void)
{
	_tile_zero(0);
	_tile_zero(1);
	_tile_zero(2);
	_tile_zero(3);
}

static void store_sums(float *c, size_t row)
{
	float *low = c + TILE_ROWS * row;

	_tile_stored(0, c, row * sizeof(*c));
	_tile_stored(1, c + TILE_ROWS, row * sizeof(*c));
	_tile_stored(2, low, row * sizeof(*c));
	_tile_stored(3, low + TILE_ROWS, row * sizeof(*c));
}

/* Registers 4, 5: upper and lower rows of A; 6, 7: columns of B.  Rows in bytes. */
static void add_block(const uint16_t *a, const uint16_t *low, size_t a_row, const uint16_t *b,
	size_t b_row)
{
	_tile_loadd(4, a, a_row);
	_tile_loadd(6, b, b_row);
	_tile_loadd(7, b + TILE_BYTES / sizeof(*b), b_row);
	_tile_dpbf16ps(0, 4, 6);
	_tile_dpbf16ps(1, 4, 7);
	_tile_loadd(5, low, a_row);
	_tile_dpbf16ps(2, 5, 6);
	_tile_dpbf16ps(3, 5, 7);
}

static void taps(const struct dot_taps *t)
{
	enum { ROW = DOT_DEPTH * sizeof(uint16_t) };

	load_sums(t->sum, DOT_COLS);
	for (int i = 0; i < BURN_TAPS; i++) {
		const uint16_t *a = t->a + i * DOT_BLOCK;

		add_block(a, a + TILE_ROWS * DOT_DEPTH, ROW, t->b[i], t->b_row * sizeof(uint16_t));
	}
	store_sums(t->sum, DOT_COLS);
}

static void pass(const struct dot_pass *p)
{
	const size_t row = p->a_row * sizeof(uint16_t);
	const uint16_t *a = p->a;
	float *sum = p->sum;

	for (int i = 0; i < p->passes; i++, a += DOT_ROWS * p->a_row, sum += DOT_ROWS * DOT_COLS) {
		if (p->fresh)
			clear_sums();
		else
			load_sums(sum, DOT_COLS);
		for (int k = 0; k < p->depth; k += TILE_TERMS)
			add_block(a + k, a + k + TILE_ROWS * p->a_row, row, p->b + k * DOT_COLS,
				2 * DOT_COLS * sizeof(uint16_t));
		store_sums(sum, DOT_COLS);
	}
}

/* Registers only: four sums, enough to hide the latency of one. */
static uint64_t peak(unsigned rounds)
{
	enum { TURNS = 8, SUMS = 4 };
	static const uint16_t halves[TILE_ROWS * TILE_BYTES / 2] = { 0x3f00 };

	configure();
	clear_sums();
	_tile_loadd(4, halves, TILE_BYTES);
	_tile_loadd(5, halves, TILE_BYTES);
	_tile_loadd(6, halves, TILE_BYTES);
	_tile_loadd(7, halves, TILE_BYTES);
	for (unsigned r = 0; r < rounds * TURNS; r++) {
		_tile_dpbf16ps(0, 4, 6);
		_tile_dpbf16ps(1, 4, 7);
		_tile_dpbf16ps(2, 5, 6);
		_tile_dpbf16ps(3, 5, 7);
	}
	_tile_release();
	return (uint64_t)rounds * TURNS * SUMS * TILE_FLOPS;
}

/*
 * The burn's panels: runs of A's rows, pairs of B's columns.  Many terms at a time save loads and
 * stores of sums; few terms keep the part of B in the first-level cache.
 */
static void stress_tile(const void *panel_a, const void *panel_b, int kc, float *c, size_t c_row)
{
	enum { PART = 512, SIDE = 2 * TILE_ROWS };

	configure();
	for (int k = 0; k < kc; k += PART)
		for (int col = 0; col < STRESS_COLS; col += SIDE)
			for (int row = 0; row < STRESS_ROWS; row += SIDE) {
				const uint16_t *a = (const uint16_t *)panel_a + k * STRESS_ROWS
					+ row * TILE_TERMS;
				const uint16_t *b = (const uint16_t *)panel_b + k * STRESS_COLS
					+ col * 2;
				float *sums = c + (size_t)row * c_row + col;

				if (k == 0)
					clear_sums();
				else
					load_sums(sums, c_row);
				for (int i = k; i < kc && i < k + PART; i += TILE_TERMS) {
					add_block(a, a + TILE_ROWS * TILE_TERMS, TILE_BYTES, b,
						STRESS_COLS * 2 * sizeof(*b));
					a += STRESS_ROWS * TILE_TERMS;
					b += STRESS_COLS * TILE_TERMS;
				}
				store_sums(sums, c_row);
			}
	_tile_release();
}

static const struct impl_stress stress = {
	.rows = STRESS_ROWS, .cols = STRESS_COLS, .run_a = TILE_TERMS, .run_b = 2, .pads = true,
	.tile = stress_tile, .check = &simd_check,
};

static const struct dot_loop loop = { .taps = taps, .pass = pass, .rows = DOT_ROWS,
	.terms = TILE_TERMS };

static void conv(const struct impl_job *j, int thread)
{
	configure();
	dot_conv(j, thread, &loop);
	_tile_release();
}

static void gemm(const struct impl_job *j, int thread)
{
	configure();
	dot_gemm(j, thread, &loop);
	_tile_release();
}

static const struct impl_kernel conv_kernel = { dot_conv_pack_size, dot_conv_pack,
	dot_conv_work_size, conv };
static const struct impl_kernel gemm_kernel = { .work_size = dot_gemm_work_size, .run = gemm };

const struct impl impl_amx = {
	.name = "amx", .version = "v3", .needs = CPU_AVX512 | CPU_AVX512_BF16 | CPU_AMX_BF16,
	.help = "AMX-BF16: tiles of bfloat16; denormals count as zero", .flushes = true,
	.peak = peak, .stress = &stress,
	.kernels = {
		[BURN_CONV2D] = { [BURN_BFLOAT16] = &conv_kernel },
		[BURN_MATMUL] = { [BURN_BFLOAT16] = &gemm_kernel },
	},
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dot_amx.c - AMX-BF16: a tile register holds 16 rows of 64 bytes, so that a
 * tile of the result is four of them, and a block of A or B two.
 */
#include "config.h"
#include "burnin/kernels/cpu.h"
#include "burnin/kernels/simd/dot.h"

#include <immintrin.h>

enum { TILES = 8, TILE_ROWS = 16, TILE_BYTES = 64 };

/* As ldtilecfg reads it. */
struct tile_config {
	uint8_t palette, start_row, reserved[14];
	uint16_t row_bytes[16];
	uint8_t rows[16];
};
_Static_assert(sizeof(struct tile_config) == 64, "as the processor reads it");

static void configure(void)
{
	struct tile_config c = { .palette = 1 };

	for (int i = 0; i < TILES; i++) {
		c.row_bytes[i] = TILE_BYTES;
		c.rows[i] = TILE_ROWS;
	}
	_tile_loadconfig(&c);
}

/* Registers 0 to 3: the sums; 4, 5: upper and lower rows of A; 6, 7: columns of B. */
static void tile(const struct dot_tile *t)
{
	enum { ROW = DOT_COLS * sizeof(float), LOW = TILE_ROWS * DOT_COLS, RIGHT = DOT_COLS / 2 };
	const uint16_t *b = t->b;
	const size_t a_row = t->a_row * sizeof(*b);

	_tile_loadd(0, t->sum, ROW);
	_tile_loadd(1, t->sum + RIGHT, ROW);
	_tile_loadd(2, t->sum + LOW, ROW);
	_tile_loadd(3, t->sum + LOW + RIGHT, ROW);
	for (int i = 0; i < t->blocks; i++, b += DOT_BLOCK_B) {
		_tile_loadd(4, t->a[i], a_row);
		_tile_loadd(6, b, 2 * TILE_BYTES);
		_tile_loadd(7, b + DOT_COLS, 2 * TILE_BYTES);
		_tile_dpbf16ps(0, 4, 6);
		_tile_dpbf16ps(1, 4, 7);
		_tile_loadd(5, t->a[i] + TILE_ROWS * t->a_row, a_row);
		_tile_dpbf16ps(2, 5, 6);
		_tile_dpbf16ps(3, 5, 7);
	}
	_tile_stored(0, t->sum, ROW);
	_tile_stored(1, t->sum + RIGHT, ROW);
	_tile_stored(2, t->sum + LOW, ROW);
	_tile_stored(3, t->sum + LOW + RIGHT, ROW);
}

static void conv(const struct impl_job *j, int thread)
{
	configure();
	dot_conv(j, thread, tile);
	_tile_release();
}

static void gemm(const struct impl_job *j, int thread)
{
	configure();
	dot_gemm(j, thread, tile);
	_tile_release();
}

static const struct impl_kernel conv_kernel = { dot_conv_pack_size, dot_conv_pack,
	dot_conv_work_size, conv };
static const struct impl_kernel gemm_kernel = { .work_size = dot_gemm_work_size, .run = gemm };

const struct impl impl_amx = {
	.name = "amx", .version = "v3", .needs = CPU_AVX512 | CPU_AVX512_BF16 | CPU_AMX_BF16,
	.help = "AMX-BF16: tiles of bfloat16; denormals count as zero", .flushes = true,
	.kernels = {
		[BURN_CONV2D] = { [BURN_BFLOAT16] = &conv_kernel },
		[BURN_MATMUL] = { [BURN_BFLOAT16] = &gemm_kernel },
	},
};

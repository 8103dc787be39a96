/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_burnin_amx.c - the AMX kernels with their instructions done in C, as the
 * manual defines them: what they load from where, and which sums come out.  The
 * instructions themselves need a processor that has them.
 */
#include "config.h"
#include "base/mem.h"
#include "burnin/kernels/bf16.h"
#include "burnin/kernels/cpu.h"
#include "burnin/kernels/simd/dot.h"

#include <immintrin.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct tile_register {
	unsigned char bytes[16][64];
} tiles[8];
static unsigned char config[64];
static int multiplied;

static void load_config(const void *from)
{
	memcpy(config, from, sizeof(config));
}

static void release(void)
{
	memset(config, 0, sizeof(config));
}

/* Every register is 16 rows of 64 bytes, or the instruction would fault. */
static void assert_configured(int tile)
{
	uint16_t bytes;

	memcpy(&bytes, config + 16 + 2 * tile, sizeof(bytes));
	assert_int_equal(config[0], 1);
	assert_int_equal(bytes, 64);
	assert_int_equal(config[48 + tile], 16);
}

static void load(int tile, const void *from, size_t step)
{
	assert_configured(tile);
	for (size_t r = 0; r < 16; r++)
		memcpy(tiles[tile].bytes[r], (const char *)from + r * step, 64);
}

static void store(int tile, void *to, size_t step)
{
	assert_configured(tile);
	for (size_t r = 0; r < 16; r++)
		memcpy((char *)to + r * step, tiles[tile].bytes[r], 64);
}

static void zero(int tile)
{
	assert_configured(tile);
	memset(&tiles[tile], 0, sizeof(tiles[tile]));
}

static float pair(int tile, int row, int at, int which)
{
	uint16_t v;

	memcpy(&v, tiles[tile].bytes[row] + 4 * at + 2 * which, sizeof(v));
	return bf16_widen(v);
}

static void multiply(int c, int a, int b)
{
	for (int row = 0; row < 16; row++)
		for (int k = 0; k < 16; k++)
			for (int col = 0; col < 16; col++) {
				float sum;

				memcpy(&sum, tiles[c].bytes[row] + 4 * col, sizeof(sum));
				sum += pair(a, row, k, 0) * pair(b, k, col, 0);
				sum += pair(a, row, k, 1) * pair(b, k, col, 1);
				memcpy(tiles[c].bytes[row] + 4 * col, &sum, sizeof(sum));
			}
	multiplied++;
}

#undef _tile_loadconfig
#undef _tile_release
#undef _tile_loadd
#undef _tile_stored
#undef _tile_dpbf16ps
#undef _tile_zero
#define _tile_loadconfig load_config
#define _tile_release release
#define _tile_loadd load
#define _tile_stored store
#define _tile_dpbf16ps multiply
#define _tile_zero zero
#include "burnin/kernels/simd/dot_amx.c"

/* Of up to 64, as a burn has them: sums are exact. */
static void *integers(size_t n)
{
	uint16_t *v = calloc(n ? n : 1, sizeof(*v));

	assert_non_null(v);
	for (size_t i = 0; i < n; i++)
		v[i] = bf16_round((float)((rand() & 1 ? -1 : 1) * (1 << rand() % 7)));
	return v;
}

static void run(const struct impl *i, const struct burn_shape *s, const struct burn_operands *at)
{
	struct team *team;
	struct plan plan;
	struct error e;

	assert_int_equal(team_open(&team, 1, false, &e), 0);
	assert_int_equal(plan_open(&plan, i, s, BURN_BFLOAT16, team, &e), 0);
	plan_pack(&plan, at->weight);
	/* What the first run leaves in its memory is no part of the second's sums. */
	plan_run(&plan, at);
	plan_run(&plan, at);
	plan_close(&plan);
	team_close(team);
}

static void tiles_give_the_sums_of_the_definition(void **state)
{
	static const struct burn_shape shapes[] = {
		{ BURN_CONV2D, 8, 32, 32, 1024, 32, 72 },
		{ BURN_CONV2D, 67, 3, 32, 96, 37, 603 },	/* three blocks, two groups, odd */
		{ BURN_MATMUL, 0, 0, 0, 64, 64, 1024 },
		{ BURN_MATMUL, 0, 0, 0, 37, 45, 531 },
		{ BURN_MATMUL, 0, 0, 0, 580, 70, 531 },
	};
	struct impl in_c = impl_amx;

	(void)state;
	in_c.needs &= ~(unsigned)CPU_AMX_BF16;
	if (in_c.needs & ~cpu_features())
		skip();
	for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
		const struct burn_shape *s = &shapes[i];
		const size_t n = burn_elements(s, BURN_OUTPUT);
		void *input = integers(burn_elements(s, BURN_INPUT));
		void *weight = integers(burn_elements(s, BURN_WEIGHT));
		void *bias = integers(burn_elements(s, BURN_BIAS));
		uint16_t *want = integers(n), *is = integers(n);

		multiplied = 0;
		run(impl_find("naive"), s, &(struct burn_operands){ input, weight, bias, want });
		assert_int_equal(multiplied, 0);
		run(&in_c, s, &(struct burn_operands){ input, weight, bias, is });
		assert_true(multiplied > 0);
		assert_memory_equal(is, want, n * sizeof(*is));
		free(input);
		free(weight);
		free(bias);
		free(want);
		free(is);
	}
}

static void the_load_of_a_burn_gives_the_sums_of_the_definition(void **state)
{
	enum { M = STRESS_ROWS, N = STRESS_COLS, TERMS = 1024, STEP = N + 16 };
	uint16_t *a = integers(M * TERMS), *b = integers(N * TERMS);
	float *c = malloc(M * STEP * sizeof(*c));

	(void)state;
	assert_non_null(c);
	memset(c, 0x5a, M * STEP * sizeof(*c));
	stress.tile(a, b, TERMS, c, STEP);
	for (int row = 0; row < M; row++)
		for (int col = 0; col < N; col++) {
			float want = 0;

			for (int k = 0; k < TERMS; k++)
				want += bf16_widen(a[(k / stress.run_a * M + row) * stress.run_a
						+ k % stress.run_a])
					* bf16_widen(b[(k / stress.run_b * N + col) * stress.run_b
						+ k % stress.run_b]);
			assert_true(c[row * STEP + col] == want);
		}
	/* What is no part of the result is not written. */
	for (int row = 0; row < M; row++)
		for (size_t i = 0; i < (STEP - N) * sizeof(*c); i++)
			assert_int_equal(((unsigned char *)(c + row * STEP + N))[i], 0x5a);
	free(a);
	free(b);
	free(c);
}

static void the_peak_counts_what_it_multiplies(void **state)
{
	uint64_t flops;

	(void)state;
	multiplied = 0;
	flops = impl_amx.peak(3);
	assert_true(multiplied > 0);
	assert_int_equal(flops, 2 * 16 * 16 * 32 * (uint64_t)multiplied);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_load_of_a_burn_gives_the_sums_of_the_definition),
		cmocka_unit_test(the_peak_counts_what_it_multiplies),
		cmocka_unit_test(tiles_give_the_sums_of_the_definition),
	};

	srand(42);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_burnin_case.c - the burn-in's workload table and the bfloat16 that it is carried in.
 */
#include "config.h"
#include "base/mem.h"
#include "burnin/kernels/bf16.h"
#include "burnin/kernels/case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void the_table_is_the_sweep_of_the_guide(void **state)
{
	static const int channels[BURN_CASES] = { 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3072,
		4096, 5120, 6144, 7168, 8192 };

	(void)state;
	for (int i = 0; i < BURN_CASES; i++) {
		assert_int_equal(burn_cases[i].channels, channels[i]);
		assert_int_equal(burn_cases[i].k, channels[i] * 3 * 3);
		assert_ptr_equal(burn_case_find(channels[i]), &burn_cases[i]);
	}
	assert_null(burn_case_find(9));
	assert_null(burn_case_find(0));
}

static void shapes_are_those_of_the_guide(void **state)
{
	static const struct {
		enum burn_op op;
		enum burn_role role;
		const char *name;
		int n;
		size_t dims[4];
	} rows[] = {
		{ BURN_CONV2D, BURN_INPUT, "input", 4, { 1, 16, 32, 32 } },
		{ BURN_CONV2D, BURN_WEIGHT, "weight", 4, { 32, 16, 3, 3 } },
		{ BURN_CONV2D, BURN_BIAS, "bias", 1, { 32 } },
		{ BURN_CONV2D, BURN_OUTPUT, "output", 4, { 1, 32, 32, 32 } },
		{ BURN_MATMUL, BURN_INPUT, "A", 2, { 1024, 144 } },
		{ BURN_MATMUL, BURN_WEIGHT, "B", 2, { 144, 32 } },
		{ BURN_MATMUL, BURN_OUTPUT, "output", 2, { 1024, 32 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct burn_shape s = burn_shape_of(burn_case_find(16), rows[i].op);
		size_t dims[4], all = 1;

		assert_string_equal(burn_role_name(rows[i].op, rows[i].role), rows[i].name);
		assert_int_equal(burn_dims(&s, rows[i].role, dims), rows[i].n);
		for (int k = 0; k < rows[i].n; k++) {
			assert_int_equal(dims[k], rows[i].dims[k]);
			all *= dims[k];
		}
		assert_int_equal(burn_elements(&s, rows[i].role), all);
	}
	assert_null(burn_role_name(BURN_MATMUL, BURN_BIAS));
	assert_int_equal(burn_elements(&(struct burn_shape){ .op = BURN_MATMUL, .m = 4, .n = 4,
		.k = 4 }, BURN_BIAS), 0);
}

static void work_and_memory_are_counted_by_the_definition(void **state)
{
	struct burn_shape conv = burn_shape_of(burn_case_find(8192), BURN_CONV2D);
	struct burn_shape mm = burn_shape_of(burn_case_find(8), BURN_MATMUL);

	(void)state;
	assert_int_equal(burn_flops(&conv), 2ULL * 1024 * 32 * 73728);
	assert_int_equal(burn_bytes(&conv, BURN_FLOAT32),
		4ULL * (8192 * 1024 + 32 * 73728 + 32 + 32 * 1024));
	assert_int_equal(burn_bytes(&conv, BURN_BFLOAT16) * 2, burn_bytes(&conv, BURN_FLOAT32));
	assert_int_equal(burn_state_size(&conv), 32 * 73728 + 32);
	assert_int_equal(burn_flops(&mm), 2ULL * 1024 * 32 * 72);
	assert_int_equal(burn_bytes(&mm, BURN_FLOAT32), 4ULL * (1024 * 72 + 72 * 32 + 1024 * 32));
	assert_int_equal(burn_state_size(&mm), 72 * 32);
	assert_int_equal(burn_pad_tile(72), 96);
	assert_int_equal(burn_pad_tile(144), 160);
	assert_int_equal(burn_pad_tile(288), 288);
}

static void bfloat16_rounds_to_nearest_even(void **state)
{
	static const struct {
		float from;
		uint16_t to;
	} rows[] = {
		{ 1.0f, 0x3f80 }, { -1.0f, 0xbf80 }, { 0.0f, 0 }, { -0.0f, 0x8000 },
		{ 0x1.01p0f, 0x3f80 }, { 0x1.010002p0f, 0x3f81 }, { 0x1.03p0f, 0x3f82 },
		{ 0x1.fep0f, 0x3fff }, { 0x1.ffp0f, 0x4000 }, { 0x1.fffffep127f, 0x7f80 },
		{ 0x1.fep127f, 0x7f7f }, { 0x1p-133f, 1 }, { 0x1p-134f, 0 }, { 0x1.8p-134f, 1 },
		{ INFINITY, 0x7f80 }, { -INFINITY, 0xff80 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(bf16_round(rows[i].from), rows[i].to);
	assert_true(isnan(bf16_widen(bf16_round(NAN))));
	for (uint32_t h = 0; h < 0x10000; h++)
		if (!isnan(bf16_widen((uint16_t)h)))
			assert_int_equal(bf16_round(bf16_widen((uint16_t)h)), h);
}

static void a_signalling_nan_stays_a_nan(void **state)
{
	uint32_t bits = 0x7f800001;
	float f;

	(void)state;
	memcpy(&f, &bits, sizeof(f));
	assert_true(isnan(bf16_widen(bf16_round(f))));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_is_the_sweep_of_the_guide),
		cmocka_unit_test(shapes_are_those_of_the_guide),
		cmocka_unit_test(work_and_memory_are_counted_by_the_definition),
		cmocka_unit_test(bfloat16_rounds_to_nearest_even),
		cmocka_unit_test(a_signalling_nan_stays_a_nan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

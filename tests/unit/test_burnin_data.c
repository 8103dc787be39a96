/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_burnin_data.c - the burn-in's random inputs, golden results, files and comparison.
 *
 * The hashes of drawn numbers were taken from PyTorch 1.13 (Debian 12, AVX2);
 * tests/cli/cli_burnin.sh asks PyTorch itself where it is installed.
 */
#include "config.h"
#include "base/mem.h"
#include "burnin/kernels/bf16.h"
#include "burnin/reference/compare.h"
#include "burnin/reference/data.h"
#include "burnin/reference/golden.h"
#include "burnin/reference/refdir.h"
#include "burnin/reference/array.h"
#include "burnin/reference/sha256.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void sha256_is_that_of_the_standard(void **state)
{
	static const struct {
		const char *text, *hash;
	} rows[] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
			"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	};
	static const char of_million[] =
		"cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
	char out[SHA256_TEXT], *million = malloc(1000000);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		sha256_text(rows[i].text, strlen(rows[i].text), out);
		assert_string_equal(out, rows[i].hash);
	}
	assert_non_null(million);
	memset(million, 'a', 1000000);
	sha256_text(million, 1000000, out);
	assert_string_equal(out, of_million);
	free(million);
}

static void the_first_numbers_are_those_that_pytorch_prints(void **state)
{
	static const double few[] = { 0.33669036626815796, 0.12880940735340118, 0.23446236550807953,
		0.23033303022384644, -1.1228563785552979, -0.18632829189300537 };
	static const double many[] = { 1.9269152879714966, 1.4872840642929077, 0.9007171988487244,
		-2.1055209636688232, 0.6784184575080872, -1.2345448732376099 };
	struct randn g;
	float out[32];

	(void)state;
	randn_seed(&g, 42);
	randn_fill(&g, out, 12);
	for (size_t i = 0; i < ARRAY_LEN(few); i++)
		assert_true(out[i] >= (float)few[i] && out[i] <= (float)few[i]);
	for (int portable = 0; portable < 2; portable++) {
		randn_seed(&g, 42);
		g.portable = portable;
		randn_fill(&g, out, 32);
		for (size_t i = 0; i < ARRAY_LEN(many); i++)
			assert_true(out[i] >= (float)many[i] && out[i] <= (float)many[i]);
	}
}

/* randn(2, 2, 4, 4), randn(3, 2, 3, 3), randn(3): whole blocks, a tail drawn anew, few numbers. */
static void three_tensors_of_one_generator_have_pytorchs_bits(void **state)
{
	static const char expected[] =
		"caa107299632179c4fbde572df3b14b79547b2bd561b510a33810a15eb232698";
	struct randn g;
	float out[64 + 54 + 3];
	char hash[SHA256_TEXT];

	(void)state;
	for (int portable = 0; portable < 2; portable++) {
		randn_seed(&g, 42);
		g.portable = portable;
		randn_fill(&g, out, 64);
		randn_fill(&g, out + 64, 54);
		randn_fill(&g, out + 118, 3);
		sha256_text(out, sizeof(out), hash);
		assert_string_equal(hash, expected);
	}
}

static void a_million_numbers_have_pytorchs_bits_with_and_without_fma(void **state)
{
	static const char expected[] =
		"bc00ca174f73a1aa37ed9a252b5ed12b4ae9410209515e6420c8e28a35489562";
	size_t n = 1 << 20;
	float *out = malloc(n * sizeof(float));
	char hash[SHA256_TEXT];
	struct randn g;

	(void)state;
	assert_non_null(out);
	for (int portable = 0; portable < 2; portable++) {
		randn_seed(&g, 42);
		g.portable = portable;
		randn_fill(&g, out, n);
		sha256_text(out, n * sizeof(float), hash);
		assert_string_equal(hash, expected);
	}
	free(out);
}

/* A sum that double rounds to half way between two floats lies beside it. */
static void a_fused_operation_is_rounded_once(void **state)
{
	static const struct {
		float a, b, c, sum;
	} rows[] = {
		{ 0x1.000002p0f, 0x1.fffffcp-25f, 0x1.000002p0f, 0x1.000002p0f },
		{ -0x1.000002p0f, 0x1.fffffcp-25f, -0x1.000002p0f, -0x1.000002p0f },
		{ 0x1.000002p0f, 0x1.000002p-24f, 1, 0x1.000002p0f },
		{ 0x1p-60f, 1, 0x1.8p0f, 0x1.8p0f }, { 1, 1, 0x1p-60f, 1 }, { 1, -1, 1, 0 },
	};
	struct randn g;
	static float v[3 * 4096];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		float sum = randn_fuse(rows[i].a, rows[i].b, rows[i].c);

		assert_memory_equal(&sum, &rows[i].sum, sizeof(sum));
	}
	randn_seed(&g, 3);
	randn_fill(&g, v, ARRAY_LEN(v));
	for (size_t i = 0; i < 4096; i++) {
		float sum = randn_fuse(v[i], v[i + 4096], v[i + 8192]);
		float exact = fmaf(v[i], v[i + 4096], v[i + 8192]);

		assert_memory_equal(&sum, &exact, sizeof(sum));
	}
}

static void every_case_begins_with_a_fresh_generator(void **state)
{
	struct data a, b;

	(void)state;
	data_init(&a, burn_case_find(8), BURN_FLOAT32);
	data_init(&b, burn_case_find(16), BURN_FLOAT32);
	data_draw(&a);
	data_draw(&b);
	assert_memory_equal(a.values[BURN_CONV2D][BURN_INPUT], b.values[BURN_CONV2D][BURN_INPUT],
		8 * 1024 * sizeof(float));
	data_clear(&a);
	data_clear(&b);
}

static void bfloat16_inputs_are_the_same_numbers_rounded(void **state)
{
	struct data a, b;
	size_t n = 1024 * 72;

	(void)state;
	data_init(&a, burn_case_find(8), BURN_FLOAT32);
	data_init(&b, burn_case_find(8), BURN_BFLOAT16);
	data_draw(&a);
	data_draw(&b);
	for (size_t i = 0; i < n; i++) {
		uint16_t h = bf16_round(a.values[BURN_MATMUL][BURN_INPUT][i]);
		float wide = bf16_widen(h);

		assert_int_equal(b.narrow[BURN_MATMUL][BURN_INPUT][i], h);
		assert_memory_equal(&b.values[BURN_MATMUL][BURN_INPUT][i], &wide, sizeof(wide));
	}
	data_clear(&a);
	data_clear(&b);
}

/* The definition, one output at a time. */
static double defined_sum(const struct data *d, enum burn_op op, size_t m, size_t n)
{
	const struct burn_shape *s = &d->shapes[op];
	const float *in = d->values[op][BURN_INPUT], *w = d->values[op][BURN_WEIGHT];
	double sum = 0;

	if (op == BURN_MATMUL) {
		for (size_t k = 0; k < (size_t)s->k; k++)
			sum += (double)in[m * (size_t)s->k + k] * w[k * (size_t)s->n + n];
		return sum;
	}
	for (int c = 0; c < s->channels; c++) {
		for (int tap = 0; tap < 9; tap++) {
			int y = (int)m / s->width + tap / 3 - 1;
			int x = (int)m % s->width + tap % 3 - 1;
			bool inside = y >= 0 && y < s->height && x >= 0 && x < s->width;
			size_t at = inside ? (size_t)((c * s->height + y) * s->width + x) : 0;

			sum += (inside ? (double)in[at] : 0) *
			       w[n * (size_t)s->k + (size_t)(c * 9 + tap)];
		}
	}
	return sum + d->values[op][BURN_BIAS][n];
}

static void golden_results_are_the_definition_bit_for_bit(void **state)
{
	(void)state;
	for (int i = 0; i < BURN_OPS * BURN_DTYPES; i++) {
		enum burn_op op = (enum burn_op)(i % BURN_OPS);
		enum burn_dtype t = (enum burn_dtype)(i / BURN_OPS);
		struct data d;

		data_init(&d, burn_case_find(64), t);
		data_draw(&d);
		data_golden(&d, op, 3);
		for (size_t m = 0; m < 1024; m += 7) {
			for (size_t n = 0; n < 32; n++) {
				size_t at = op == BURN_CONV2D ? n * 1024 + m : m * 32 + n;
				double sum = defined_sum(&d, op, m, n);
				float want = t == BURN_FLOAT32 ?
					(float)sum : bf16_widen(golden_round_bfloat16(sum));

				assert_memory_equal(&d.values[op][BURN_OUTPUT][at], &want,
					sizeof(want));
			}
		}
		data_clear(&d);
	}
}

static void odd_shapes_and_thread_counts_do_not_change_a_bit(void **state)
{
	static const int sizes[][3] = { { 1, 1, 1 }, { 5, 3, 300 }, { 33, 17, 253 }, { 7, 40, 9 },
		{ 64, 32, 252 } };
	struct randn g;
	float *a = malloc(64 * 400 * sizeof(float)), *b = malloc(400 * 64 * sizeof(float)),
	      one[64 * 64], many[64 * 64];

	(void)state;
	assert_true(a && b);
	randn_seed(&g, 1);
	randn_fill(&g, a, 64 * 400);
	randn_fill(&g, b, 400 * 64);
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		int m = sizes[i][0], n = sizes[i][1], k = sizes[i][2];
		struct burn_shape s = burn_matmul(m, n, k);
		double sum = 0;

		golden_run(&s, BURN_FLOAT32, &(struct burn_operands){ a, b, NULL, one }, 1);
		golden_run(&s, BURN_FLOAT32, &(struct burn_operands){ a, b, NULL, many }, 64);
		assert_memory_equal(one, many, (size_t)(m * n) * sizeof(float));
		for (int x = 0; x < k; x++)
			sum += (double)a[(m - 1) * k + x] * b[x * n + n - 1];
		assert_true(one[m * n - 1] >= (float)sum && one[m * n - 1] <= (float)sum);
	}
	free(a);
	free(b);
}

/* 2^60 swallows each 1 that is added while it is there: any other order gives another sum. */
static void terms_are_added_with_k_ascending(void **state)
{
	enum { K = 64 * 9 };
	struct burn_shape mm = burn_matmul(5, 3, K), conv = burn_conv2d(64, 4, 32, 2);
	static float a[5 * K], b[K * 3], w[2 * K], in[64 * 4 * 32], bias[2] = { 0 }, out[256];

	(void)state;
	for (int k = 0; k < K; k++) {
		float term = k == 0 ? 0x1p60f : k == K - 10 ? -0x1p60f : 1;

		for (int i = 0; i < 5; i++)
			a[i * K + k] = term;
		for (int i = 0; i < 3; i++)
			b[k * 3 + i] = 1;
		w[k] = w[K + k] = term;
	}
	for (size_t i = 0; i < ARRAY_LEN(in); i++)
		in[i] = 1;
	golden_run(&mm, BURN_FLOAT32, &(struct burn_operands){ a, b, NULL, out }, 1);
	for (int i = 0; i < 15; i++)
		assert_true(out[i] >= 9 && out[i] <= 9);
	golden_run(&conv, BURN_FLOAT32, &(struct burn_operands){ in, w, bias, out }, 1);
	assert_true(out[33] >= 9 && out[33] <= 9);
	assert_true(out[128 + 94] >= 9 && out[128 + 94] <= 9);
}

static void a_small_convolution_with_odd_sides_is_the_definition(void **state)
{
	struct burn_shape s = burn_conv2d(3, 5, 7, 2);
	float in[3 * 5 * 7], w[2 * 27], bias[2] = { 0.5f, -2 }, out[2 * 35];
	struct data d = { .shapes = { [BURN_CONV2D] = s },
		.values = { [BURN_CONV2D] = { in, w, bias, NULL } } };
	struct randn g;

	(void)state;
	randn_seed(&g, 7);
	randn_fill(&g, in, ARRAY_LEN(in));
	randn_fill(&g, w, ARRAY_LEN(w));
	golden_run(&s, BURN_FLOAT32, &(struct burn_operands){ in, w, bias, out }, 2);
	for (size_t m = 0; m < 35; m++)
		for (size_t n = 0; n < 2; n++) {
			float want = (float)defined_sum(&d, BURN_CONV2D, m, n);

			assert_memory_equal(&out[n * 35 + m], &want, sizeof(want));
		}
}

static void special_numbers_pass_through_as_the_standard_says(void **state)
{
	struct burn_shape s = burn_matmul(6, 1, 2);
	const float a[] = { NAN, 1, INFINITY, 1, INFINITY, -INFINITY, 0x1p-149f, 0, 0x1p127f,
		0x1p127f, -0.0f, 0 };
	const float b[] = { 1, 1 };
	float out[6];
	uint32_t bits;

	(void)state;
	golden_run(&s, BURN_FLOAT32, &(struct burn_operands){ a, b, NULL, out }, 1);
	memcpy(&bits, &out[0], sizeof(bits));
	assert_int_equal(bits, 0x7fc00000);
	assert_true(isinf(out[1]) && out[1] > 0);
	memcpy(&bits, &out[2], sizeof(bits));
	assert_int_equal(bits, 0x7fc00000);
	memcpy(&bits, &out[3], sizeof(bits));
	assert_int_equal(bits, 1);
	assert_true(isinf(out[4]) && out[4] > 0);
	memcpy(&bits, &out[5], sizeof(bits));
	assert_int_equal(bits, 0);
}

static void padding_makes_no_nan_of_an_infinite_weight(void **state)
{
	struct burn_shape s = burn_conv2d(1, 2, 32, 1);
	float in[64], w[9] = { INFINITY, 1, 1, 1, 1, 1, 1, 1, 1 }, bias[1] = { 0 }, out[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(in); i++)
		in[i] = 1;
	golden_run(&s, BURN_FLOAT32, &(struct burn_operands){ in, w, bias, out }, 2);
	assert_true(out[0] >= 4 && out[0] <= 4);	/* the corner: four of nine are inside */
	assert_true(out[31] >= 4 && out[31] <= 4);
	assert_true(out[32] >= 4 && out[32] <= 4);
	assert_true(isinf(out[33]) && isinf(out[63]));
}

static void a_result_is_rounded_to_bfloat16_once(void **state)
{
	static const struct {
		double from;
		uint16_t to;
	} rows[] = {
		{ 1.0, 0x3f80 }, { 0, 0 },
		/* Half way and less than a float's digit more: twice rounded it would be even. */
		{ 0x1.01p0 + 0x1p-40, 0x3f81 }, { 0x1.01p0, 0x3f80 },
		{ 0x1.03p0 - 0x1p-40, 0x3f81 },
		{ -0x1.01p0 - 0x1p-40, 0xbf81 }, { -0x1.03p0 + 0x1p-40, 0xbf81 },
		{ 0x1p-134 + 0x1p-180, 1 }, { 0x1p-134, 0 }, { 0x1p-200, 0 }, { -0x1p-200, 0x8000 },
		{ 0x1p200, 0x7f80 }, { 0x1.ff7p127, 0x7f80 }, { 0x1.fefp127, 0x7f7f },
		{ -INFINITY, 0xff80 }, { NAN, 0x7fc0 }, { -NAN, 0x7fc0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(golden_round_bfloat16(rows[i].from), rows[i].to);
}

static void an_ulp_is_the_step_to_the_next_larger_number(void **state)
{
	static const struct {
		enum burn_dtype t;
		float x;
		double ulp;
	} rows[] = {
		{ BURN_BFLOAT16, 1, 0x1p-7 }, { BURN_BFLOAT16, -1, 0x1p-7 },
		{ BURN_BFLOAT16, 0x1.fep0f, 0x1p-7 }, { BURN_BFLOAT16, 0, 0x1p-133 },
		{ BURN_BFLOAT16, 0x1.fep127f, 0x1p120 }, { BURN_FLOAT32, 1, 0x1p-23 },
		{ BURN_FLOAT32, 0, 0x1p-149 }, { BURN_FLOAT32, 0x1.fffffep127f, 0x1p104 },
		{ BURN_FLOAT32, 0.75f, 0x1p-24 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		double ulp = compare_ulp(rows[i].t, rows[i].x);

		assert_true(ulp >= rows[i].ulp && ulp <= rows[i].ulp);
	}
}

static void differences_are_measured_in_each_way(void **state)
{
	const float golden[] = { 1, 2, -3, 4 }, other[] = { 1, 2.03125f, -3, 4 };
	struct compare c;

	(void)state;
	compare_run(BURN_BFLOAT16, BURN_FLOAT32, golden, golden, 4, &c);
	assert_int_equal(c.different, 0);
	assert_true(c.pcc >= 1 && c.max_ulp <= 0 && compare_passes(&c, 1, -1));
	compare_run(BURN_BFLOAT16, BURN_FLOAT32, golden, other, 4, &c);
	assert_int_equal(c.different, 1);
	assert_int_equal(c.worst, 1);
	assert_true(fabs(c.max_ulp - 2) < 1e-12);
	assert_true(fabs(c.mean_ulp - 0.5) < 1e-12);
	assert_true(fabs(c.max_abs - 0.03125) < 1e-12);
	assert_true(fabs(c.relative - 0.03125 / sqrt(30)) < 1e-12);
	assert_true(fabs(c.pcc - 0.9999866696041568) < 1e-12);
	assert_true(compare_passes(&c, 0.999, -1));
	assert_false(compare_passes(&c, 0.99999, -1));
}

static void what_a_correlation_cannot_see_fails_all_the_same(void **state)
{
	const float golden[] = { 1, 2, -3, 4 };
	const struct {
		float other[4];
		bool passes;
	} rows[] = {
		{ { 2, 4, -6, 8 }, false },		/* a factor */
		{ { 1.5f, 2.5f, -2.5f, 4.5f }, false },	/* an offset */
		{ { 0, 0, 0, 0 }, false },
		{ { 5, 5, 5, 5 }, false },
		{ { -1, -2, 3, -4 }, false },
		{ { 1, 2, NAN, 4 }, false },
		{ { 1, 2, -3, INFINITY }, false },
		{ { 1.0001f, 2, -3, 4 }, true },
	};
	const float holes[] = { NAN, 2, -INFINITY, 4 };
	struct compare c;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		compare_run(BURN_FLOAT32, BURN_FLOAT32, golden, rows[i].other, 4, &c);
		assert_int_equal(compare_passes(&c, 0.999, -1), rows[i].passes);
	}
	compare_run(BURN_FLOAT32, BURN_FLOAT32, holes, holes, 4, &c);
	assert_true(compare_passes(&c, 0.999, -1));
	compare_run(BURN_FLOAT32, BURN_FLOAT32, holes, golden, 4, &c);
	assert_int_equal(c.non_finite, 2);
	assert_false(compare_passes(&c, 0, -1));
	compare_run(BURN_FLOAT32, BURN_FLOAT32, golden, golden, 0, &c);
	assert_false(compare_passes(&c, 0, -1));
}

/* One element alone, or a bias that is the same everywhere, correlates with nothing. */
static void a_constant_is_judged_by_the_rest(void **state)
{
	static const float golden[] = { 3.1f, 3.1f, 3.1f, 3.1f };
	static const struct {
		float other[4];
		bool passes;
	} rows[] = {
		{ { 3.1000004f, 3.1f, 3.1f, 3.1f }, true },
		{ { 3.1000004f, 3.1000004f, 3.1000004f, 3.1000004f }, true },
		{ { 3.2f, 3.2f, 3.2f, 3.2f }, false },
		{ { 0, 3.1f, 3.1f, 3.1f }, false },
		{ { -3.1f, -3.1f, -3.1f, -3.1f }, false },
		{ { NAN, 3.1f, 3.1f, 3.1f }, false },
	};
	struct compare c;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (size_t n = 1; n <= ARRAY_LEN(golden); n++) {
			compare_run(BURN_FLOAT32, BURN_FLOAT32, golden, rows[i].other, n, &c);
			if (!isnan(c.pcc) || compare_passes(&c, 0.999, -1) != rows[i].passes)
				fail_msg("row %zu, %zu elements", i, n);
		}
}

/* Few among many: neither the correlation nor the relative error sees them. */
static void a_few_wrong_elements_among_many_fail(void **state)
{
	enum { N = 32768, ROW = 32 };
	static float golden[N], other[N];
	static const enum burn_dtype types[] = { BURN_FLOAT32, BURN_BFLOAT16 };
	static const struct {
		const char *what;
		int n;
		float factor, offset;
		bool passes;
	} rows[] = { { "a sign", 1, -1, 0, false }, { "a lost row", ROW, 0, 0, false },
		{ "garbage", 8, 1, 4, false }, { "a lost element", 1, 0, 0, false },
		{ "noise", N, 1.001f, 0, true } };

	(void)state;
	for (size_t i = 0; i < N; i++)
		golden[i] = 8 * sinf((float)i);
	for (size_t t = 0; t < ARRAY_LEN(types); t++)
		for (size_t k = 0; k < ARRAY_LEN(rows); k++) {
			struct compare c;

			memcpy(other, golden, sizeof(other));
			for (int i = 0; i < rows[k].n; i++) {
				float *x = &other[(1 + i) % N];

				*x = *x * rows[k].factor + rows[k].offset;
			}
			compare_run(types[t], BURN_FLOAT32, golden, other, N, &c);
			if (c.pcc < 0.999 || c.relative > 2 * sqrt(0.002))
				fail_msg("%s is seen by the others", rows[k].what);
			if (compare_passes(&c, 0.999, -1) != rows[k].passes)
				fail_msg("%s in %s", rows[k].what, burn_dtype_name(types[t]));
		}
}

static const char *write_file(const char *path, const char *bytes, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
	return path;
}

static void arrays_come_back_as_they_were_written(void **state)
{
	const float numbers[6] = { 1, -0.0f, NAN, INFINITY, 0x1p-149f, 3.25f };
	const size_t dims[] = { 2, 3 };
	char path[] = "/tmp/tt-smi-npy-XXXXXX";
	float *values = NULL;
	struct error e;

	(void)state;
	assert_true(mkstemp(path) >= 0);
	assert_int_equal(npy_write(path, dims, 2, numbers, &e), -EEXIST);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(npy_write(path, dims, 2, numbers, &e), 0);
	assert_int_equal(npy_read(path, dims, 1, &values, &e), -EDOM);
	assert_int_equal(npy_read(path, dims, 2, &values, &e), 0);
	assert_memory_equal(values, numbers, sizeof(numbers));
	free(values);
	unlink(path);
}

static void what_is_no_such_array_is_refused_with_a_reason(void **state)
{
	static const struct {
		const char *header, *reason;
		size_t data, dims[2];
	} rows[] = {
		{ "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", "'<f8'", 8, { 1 } },
		{ "{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "'>f4'", 4, { 1 } },
		{ "{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }", "Fortran", 4, { 1 } },
		{ "{'descr': '<f4', 'shape': (1,), }", "lacks", 4, { 1 } },
		{ "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "needs 8", 4, { 2 } },
		{ "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "has 8 bytes", 8, { 1 } },
		{ "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999,9), }", "needs", 4, { 99999999999, 9 } },
		{ "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999,9), }", "another shape", 4,
			{ 9 } },
		{ "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "tuple", 4, { 1 } },
		{ "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}", "key", 4, { 1 } },
		{ "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)", "dictionary", 4, { 1 } },
		{ "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), } 1", "stands after", 4, { 1 } },
	};
	char path[] = "/tmp/tt-smi-npy-XXXXXX", bytes[256];
	float *values = NULL;
	struct error e;

	(void)state;
	assert_true(mkstemp(path) >= 0);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t len = strlen(rows[i].header);

		memcpy(bytes, "\x93NUMPY\x01\x00", 8);
		bytes[8] = (char)len;
		bytes[9] = 0;
		memcpy(bytes + 10, rows[i].header, len);
		memset(bytes + 10 + len, 0, rows[i].data);
		write_file(path, bytes, 10 + len + rows[i].data);
		assert_true(npy_read(path, rows[i].dims, rows[i].dims[1] ? 2 : 1, &values, &e) < 0);
		assert_non_null(strstr(e.text, rows[i].reason));
		assert_non_null(strstr(e.text, path));
		assert_null(values);
	}
	assert_true(npy_read(write_file(path, "no", 2), rows[0].dims, 1, &values, &e) < 0);
	unlink(path);
	assert_int_equal(npy_read(path, rows[0].dims, 1, &values, &e), -ENOENT);
	assert_true(npy_read("/tmp", rows[0].dims, 1, &values, &e) < 0);
}

static void a_file_name_says_case_operation_and_type(void **state)
{
	static const struct {
		const char *path;
		int channels;
		enum burn_op op;
		enum burn_dtype t;
	} rows[] = {
		{ "a/bfloat16/k0072_ic008_conv2d_output.npy", 8, BURN_CONV2D, BURN_BFLOAT16 },
		{ "float32/k73728_ic8192_matmul_output.npy", 8192, BURN_MATMUL, BURN_FLOAT32 },
		{ "notfloat32/k0072_ic008_matmul_output.npy", 8, BURN_MATMUL, BURN_DTYPES },
		{ "k0576_ic064_conv2d_output.npy", 64, BURN_CONV2D, BURN_DTYPES },
	};
	const struct burn_case *c;
	enum burn_dtype t;
	enum burn_op op;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		assert_true(refdir_parse_output(rows[i].path, &c, &op, &t));
		assert_int_equal(c->channels, rows[i].channels);
		assert_int_equal(op, rows[i].op);
		assert_int_equal(t, rows[i].t);
	}
	assert_false(refdir_parse_output("k0072_ic008_conv2d_input.npy", &c, &op, &t));
	assert_false(refdir_parse_output("k0072_ic016_conv2d_output.npy", &c, &op, &t));
	assert_false(refdir_parse_output("", &c, &op, &t));
}

static const struct {
	int channels;
	enum burn_op op;
	const char *hash;
} stepwise_rows[] = {
	{ 8, BURN_CONV2D, "21da69724ced5adfb1d3ec946be1dd08720129ae7bd05dafd4688e448f35f9a9" },
	{ 8, BURN_MATMUL, "8008e1357c3ab1f090cced96a742d1af89bd17e75ae81674b948ac176264ca85" },
	{ 64, BURN_CONV2D, "ad17c5225bbb8de8308e2ee8610c0c2f5810ff696da8a3ef5899070d5c0375eb" },
	{ 64, BURN_MATMUL, "72bfc721d8d3ca8546d2f98d198d2792da120919835e0e192e41dd43c0f6466f" },
};

/* Taken from PyTorch 1.13 on a Haswell that QEMU emulates, and without oneDNN on a Zen 5. */
static void stepwise_results_have_the_bits_of_pytorch_without_avx512(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(stepwise_rows); i++)
		for (int threads = 1; threads < 4; threads += 2) {
			const enum burn_op op = stepwise_rows[i].op;
			char hash[SHA256_TEXT];
			struct data d;
			float *out;

			data_init(&d, burn_case_find(stepwise_rows[i].channels), BURN_BFLOAT16);
			data_draw(&d);
			out = refdir_stepwise(&d, op, threads);
			sha256_text(out, sizeof(*out) * burn_elements(&d.shapes[op], BURN_OUTPUT),
				hash);
			assert_string_equal(hash, stepwise_rows[i].hash);
			free(out);
			data_clear(&d);
		}
}

/* Write outputs that follow none of our rules into a new folder and verify it. */
static bool verifies(struct data *d)
{
	static const struct metadata_card card = { .device = "", .chip = "", .board = "",
		.firmware = "", .cores = "", .phases = 4 };
	const struct burn_choice which = { .cases = 1u << (d->c - burn_cases),
		.dtypes = 1u << BURN_BFLOAT16 };
	char dir[] = "/tmp/tt-smi-refdir-XXXXXX", line[64], path[REFDIR_PATH];
	struct refdir_check check;
	uint64_t bytes;
	struct error e;

	assert_non_null(mkdtemp(dir));
	assert_int_equal(refdir_create(dir, &which, &e), 0);
	assert_int_equal(refdir_write(dir, d, 1, &card, &bytes, &e), 0);
	assert_int_equal(refdir_verify(dir, BURN_BFLOAT16, d->c, 2, &check, &e), 0);
	assert_false(check.meta.our_outputs);
	assert_int_equal(refdir_path(dir, BURN_BFLOAT16, d->c, BURN_MATMUL, "output", path, &e), 0);
	assert_int_equal(refdir_is_foreign(path, BURN_BFLOAT16, d->c), 1);
	assert_int_equal(refdir_is_foreign("output.npy", BURN_BFLOAT16, d->c), -ENOENT);
	snprintf(line, sizeof(line), "rm -r %s", dir);
	assert_int_equal(system(line), 0);
	return refdir_passes(&check, 0.999);
}

static void check_stepwise_folder(int channels)
{
	struct data d;

	data_init(&d, burn_case_find(channels), BURN_BFLOAT16);
	data_draw(&d);
	for (int op = 0; op < BURN_OPS; op++)
		d.values[op][BURN_OUTPUT] = refdir_stepwise(&d, (enum burn_op)op, 2);
	assert_true(verifies(&d));
	for (int op = 0; op < BURN_OPS; op++)
		for (unsigned bit = 16; bit < 32; bit += 5) {
			float *place = &d.values[op][BURN_OUTPUT][12345 + bit], kept = *place;
			uint32_t bits;

			memcpy(&bits, place, sizeof(bits));
			bits ^= 1u << bit;
			memcpy(place, &bits, sizeof(bits));
			assert_false(verifies(&d));
			*place = kept;
		}
	assert_true(verifies(&d));
	data_clear(&d);
}

static void a_stepwise_folder_passes_and_no_bit_of_its_results_may_flip(void **state)
{
	(void)state;
	check_stepwise_folder(8);
	check_stepwise_folder(64);
}

static void metadata_is_read_as_it_was_written(void **state)
{
	struct metadata m = { .c = burn_case_find(16), .dtype = BURN_BFLOAT16 }, back = m;
	struct strbuf text = { 0 };
	struct error e;

	(void)state;
	for (int i = 0; i < BURN_OPS * BURN_ROLES; i++)
		if (i % BURN_ROLES != BURN_OUTPUT &&
			burn_role_name((enum burn_op)(i / BURN_ROLES),
				(enum burn_role)(i % BURN_ROLES)))
			sha256_text(&i, sizeof(i), m.hashes[i / BURN_ROLES][i % BURN_ROLES]);
	metadata_put(&text, &m);
	assert_int_equal(metadata_parse(text.text, text.len, &back, &e), 0);
	assert_memory_equal(back.hashes, m.hashes, sizeof(m.hashes));
	assert_true(back.our_inputs && back.our_outputs);
	back.c = burn_case_find(8);
	assert_int_equal(metadata_parse(text.text, text.len, &back, &e), -EINVAL);
	back = m;
	back.dtype = BURN_FLOAT32;
	assert_int_equal(metadata_parse(text.text, text.len, &back, &e), -EINVAL);
	strbuf_clear(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sha256_is_that_of_the_standard),
		cmocka_unit_test(the_first_numbers_are_those_that_pytorch_prints),
		cmocka_unit_test(three_tensors_of_one_generator_have_pytorchs_bits),
		cmocka_unit_test(a_million_numbers_have_pytorchs_bits_with_and_without_fma),
		cmocka_unit_test(a_fused_operation_is_rounded_once),
		cmocka_unit_test(every_case_begins_with_a_fresh_generator),
		cmocka_unit_test(bfloat16_inputs_are_the_same_numbers_rounded),
		cmocka_unit_test(golden_results_are_the_definition_bit_for_bit),
		cmocka_unit_test(odd_shapes_and_thread_counts_do_not_change_a_bit),
		cmocka_unit_test(terms_are_added_with_k_ascending),
		cmocka_unit_test(a_small_convolution_with_odd_sides_is_the_definition),
		cmocka_unit_test(special_numbers_pass_through_as_the_standard_says),
		cmocka_unit_test(padding_makes_no_nan_of_an_infinite_weight),
		cmocka_unit_test(a_result_is_rounded_to_bfloat16_once),
		cmocka_unit_test(an_ulp_is_the_step_to_the_next_larger_number),
		cmocka_unit_test(differences_are_measured_in_each_way),
		cmocka_unit_test(what_a_correlation_cannot_see_fails_all_the_same),
		cmocka_unit_test(a_constant_is_judged_by_the_rest),
		cmocka_unit_test(a_few_wrong_elements_among_many_fail),
		cmocka_unit_test(arrays_come_back_as_they_were_written),
		cmocka_unit_test(what_is_no_such_array_is_refused_with_a_reason),
		cmocka_unit_test(a_file_name_says_case_operation_and_type),
		cmocka_unit_test(stepwise_results_have_the_bits_of_pytorch_without_avx512),
		cmocka_unit_test(a_stepwise_folder_passes_and_no_bit_of_its_results_may_flip),
		cmocka_unit_test(metadata_is_read_as_it_was_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

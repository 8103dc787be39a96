/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_burnin_kernels.c - every implementation, type, shape and number of threads gives
 * the sums of the definition, computed here in double.
 */
#include "config.h"
#include "base/mem.h"
#include "burnin/kernels/bf16.h"
#include "burnin/kernels/cpu.h"
#include "burnin/reference/golden.h"
#include "burnin/kernels/impl.h"
#include "burnin/kernels/team.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

enum {
	GUARD = 64,		/* elements around the result, which must stay unwritten */
	PAGE = 64 << 10		/* whole pages on any processor */
};

/*
 * Tensors of one operation, in both directions; the input begins at an odd
 * address.  An element behind each a page begins that cannot be read.
 */
struct tensors {
	struct burn_shape shape;
	enum burn_dtype dtype;
	char *memory[BURN_ROLES];	/* of the result: its guard */
	size_t mapped[BURN_ROLES];
	void *map[BURN_ROLES];
	struct burn_operands at;
};

static double get(const void *p, enum burn_dtype t, size_t i)
{
	return element_get(t, p, i);
}

/* Whole numbers, small enough that every sum is exact in both types' accumulators. */
static double small_integer(void)
{
	return rand() % 7 - 3;
}

/* All digits of a double count; the other types round it. */
static double fraction(void)
{
	return (rand() % 20001 - 10000) / 7919.0;
}

/* Memory of so many bytes that ends where no more can be read. */
static char *map_to_edge(struct tensors *x, int role, size_t bytes)
{
	const size_t whole = (bytes + PAGE - 1) / PAGE * PAGE;
	char *p = mmap(NULL, whole + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		-1, 0);

	assert_true(p != MAP_FAILED);
	assert_int_equal(mprotect(p + whole, PAGE, PROT_NONE), 0);
	x->map[role] = p;
	x->mapped[role] = whole + PAGE;
	return p + whole - bytes;
}

static void tensors_init(struct tensors *x, const struct burn_shape *s, enum burn_dtype t,
	double (*value)(void))
{
	void *at[BURN_ROLES] = { 0 };

	*x = (struct tensors){ .shape = *s, .dtype = t };
	for (int role = 0; role < BURN_ROLES; role++) {
		const size_t n = burn_elements(s, (enum burn_role)role), size = burn_dtype_size(t);
		const size_t around = role == BURN_OUTPUT ? GUARD : 1, all = n + 2 * around;

		if (!n)
			continue;
		x->memory[role] = map_to_edge(x, role, all * size);
		memset(x->memory[role], 0x5a, all * size);
		at[role] = x->memory[role] + around * size;
		for (size_t i = 0; i < n && role != BURN_OUTPUT; i++)
			element_set(t, at[role], i, value());
	}
	x->at = (struct burn_operands){ .input = at[BURN_INPUT], .weight = at[BURN_WEIGHT],
		.bias = at[BURN_BIAS], .output = at[BURN_OUTPUT] };
}

static void tensors_clear(struct tensors *x)
{
	for (int role = 0; role < BURN_ROLES; role++)
		if (x->map[role])
			munmap(x->map[role], x->mapped[role]);
}

static void assert_guards(const struct tensors *x)
{
	const size_t n = burn_elements(&x->shape, BURN_OUTPUT) * burn_dtype_size(x->dtype);
	const size_t guard = GUARD * burn_dtype_size(x->dtype);

	for (size_t i = 0; i < guard; i++) {
		assert_int_equal(x->memory[BURN_OUTPUT][i], 0x5a);
		assert_int_equal(x->memory[BURN_OUTPUT][guard + n + i], 0x5a);
	}
}

static void run(const struct impl *i, struct tensors *x, int threads)
{
	struct team *team;
	struct plan plan;
	struct error e;

	assert_int_equal(team_open(&team, threads, false, &e), 0);
	assert_int_equal(plan_open(&plan, i, &x->shape, x->dtype, team, &e), 0);
	plan_pack(&plan, x->at.weight);
	plan_run(&plan, &x->at);
	plan_run(&plan, &x->at);	/* nothing of the first run is left in the second */
	plan_close(&plan);
	team_close(team);
	assert_guards(x);
}

static long double conv_sum(const struct tensors *x, size_t filter, int y, int col, double *size)
{
	const struct burn_shape *s = &x->shape;
	long double sum = get(x->at.bias, x->dtype, filter);

	*size = fabs((double)sum);
	for (int c = 0; c < s->channels; c++)
		for (int tap = 0; tap < BURN_TAPS; tap++) {
			const int iy = y + tap / 3 - 1, ix = col + tap % 3 - 1;
			long double term;

			if (iy < 0 || iy >= s->height || ix < 0 || ix >= s->width)
				continue;
			term = (long double)get(x->at.input, x->dtype,
				(size_t)((c * s->height + iy) * s->width + ix))
				* (long double)get(x->at.weight, x->dtype,
				(filter * (size_t)s->channels + (size_t)c) * BURN_TAPS
				+ (size_t)tap);
			sum += term;
			*size += fabs((double)term);
		}
	return sum;
}

/* The i-th result in more digits than any type has, and the sum of its terms' sizes. */
static long double expected(const struct tensors *x, size_t i, double *size)
{
	const struct burn_shape *s = &x->shape;
	const size_t n = (size_t)s->n, k = (size_t)s->k, pixels = (size_t)s->m;
	long double sum = 0;

	if (s->op == BURN_CONV2D)
		return conv_sum(x, i / pixels, (int)(i % pixels) / s->width,
			(int)(i % pixels) % s->width, size);
	*size = 0;
	for (size_t j = 0; j < k; j++) {
		const long double term = (long double)get(x->at.input, x->dtype, i / n * k + j)
			* (long double)get(x->at.weight, x->dtype, j * n + i % n);

		sum += term;
		*size += fabs((double)term);
	}
	return sum;
}

/* Of each path one, whole and odd: tiles, blocks, panels, one of everything. */
static const struct burn_shape shapes[] = {
	{ BURN_CONV2D, 8, 32, 32, 1024, 32, 72 },	/* the smallest case */
	{ BURN_CONV2D, 1, 32, 32, 1024, 32, 9 },
	{ BURN_CONV2D, 25, 7, 32, 224, 37, 225 },	/* odd */
	{ BURN_CONV2D, 225, 7, 32, 224, 5, 2025 },	/* blocks of channels, the last smaller */
	{ BURN_CONV2D, 228, 7, 32, 224, 5, 2052 },	/* equal blocks */
	{ BURN_CONV2D, 49, 2, 32, 64, 1, 441 },
	{ BURN_CONV2D, 3, 1, 32, 32, 70, 27 },
	{ BURN_MATMUL, 0, 0, 0, 1024, 32, 72 },		/* the smallest case */
	{ BURN_MATMUL, 0, 0, 0, 1, 1, 1 },
	{ BURN_MATMUL, 0, 0, 0, 37, 5, 301 },		/* narrow, odd */
	{ BURN_MATMUL, 0, 0, 0, 64, 32, 600 },		/* narrow, whole */
	{ BURN_MATMUL, 0, 0, 0, 32, 256, 300 },		/* flat */
	{ BURN_MATMUL, 0, 0, 0, 19, 133, 129 },		/* flat, odd */
	{ BURN_MATMUL, 0, 0, 0, 112, 96, 385 },		/* packed, whole; a block and a term */
	{ BURN_MATMUL, 0, 0, 0, 131, 157, 100 },	/* packed, odd */
	{ BURN_MATMUL, 0, 0, 0, 555, 69, 531 },		/* blocks of rows, runs of k, panels, odd */
	{ BURN_MATMUL, 0, 0, 0, 1, 300, 40 },
	{ BURN_MATMUL, 0, 0, 0, 300, 1, 40 },
};

/* Call fn for every shape, type and implementation that this processor can run. */
static void each_of(const struct burn_shape *list, size_t n,
	void (*fn)(const struct burn_shape *, enum burn_dtype, const struct impl *))
{
	for (size_t s = 0; s < n; s++)
		for (int t = 0; t < BURN_COMPUTED; t++)
			for (int i = 0; impls[i]; i++)
				if (impl_usable(impls[i], list[s].op, (enum burn_dtype)t))
					fn(&list[s], (enum burn_dtype)t, impls[i]);
}

static void each(void (*fn)(const struct burn_shape *, enum burn_dtype, const struct impl *))
{
	each_of(shapes, ARRAY_LEN(shapes), fn);
}

static size_t results(const struct tensors *x)
{
	return burn_elements(&x->shape, BURN_OUTPUT);
}

/* A double as the type holds it. */
static double rounded(long double v, enum burn_dtype t)
{
	if (t == BURN_FLOAT64)
		return (double)v;
	return t == BURN_FLOAT32 ? (double)(float)v : (double)bf16_widen(bf16_round((float)v));
}

static int combinations;
static double (*value)(void) = small_integer;

/* The same operands for each implementation, so that what they give is computed once. */
static const double *wanted(struct tensors *x, const struct burn_shape *s, enum burn_dtype t)
{
	static const struct burn_shape *last_shape;
	static enum burn_dtype last_type;
	static double (*last_value)(void);
	static double *want;
	double size;

	srand(42);
	tensors_init(x, s, t, value);
	if (s == last_shape && t == last_type && value == last_value)
		return want;
	last_shape = s;
	last_type = t;
	last_value = value;
	free(want);
	want = calloc(results(x), sizeof(*want));
	assert_non_null(want);
	for (size_t i = 0; i < results(x); i++)
		want[i] = rounded(expected(x, i, &size), t);
	return want;
}

static void exact(const struct burn_shape *s, enum burn_dtype t, const struct impl *impl)
{
	struct tensors x;
	const double *want = wanted(&x, s, t);

	for (int threads = 1; threads <= 3; threads++) {
		run(impl, &x, threads);
		for (size_t i = 0; i < results(&x); i++)
			if (get(x.at.output, t, i) != want[i])
				fail_msg("%s, %s, %d x %d x %d, %d threads: [%zu] is %g, not %g",
					impl->name, burn_dtype_name(t), s->m, s->n, s->k, threads,
					i, get(x.at.output, t, i), want[i]);
		combinations++;
	}
	tensors_clear(&x);
}

/* Sums of whole numbers are exact: all implementations must give the same bits. */
static void every_implementation_is_exact_on_integers(void **state)
{
	(void)state;
	each(exact);
	assert_true(combinations >= (int)ARRAY_LEN(shapes) * BURN_COMPUTED * 2 * 3);
}

/* A burn's operands: whole numbers of up to 64, whose sums are large and still exact. */
static double large_integer(void)
{
	return (rand() & 1 ? -1 : 1) * (1 << rand() % 7);
}

static void operands_of_a_burn_are_exact(void **state)
{
	static const struct burn_shape of_a_burn[] = {
		{ BURN_CONV2D, 128, 2, 32, 64, 32, 1152 },
		{ BURN_MATMUL, 0, 0, 0, 112, 64, 1024 },
	};

	(void)state;
	value = large_integer;
	each_of(of_a_burn, ARRAY_LEN(of_a_burn), exact);
	value = small_integer;
}

/* |error| <= K x half a unit x sum of |terms|; half a unit more where bfloat16 is rounded to. */
static void bounded(const struct burn_shape *s, enum burn_dtype t, const struct impl *impl)
{
	struct tensors x;

	tensors_init(&x, s, t, fraction);
	run(impl, &x, 2);
	for (size_t i = 0; i < results(&x); i += 7) {
		double size;
		const long double want = expected(&x, i, &size);
		double bound = (s->k + 1) * size * (t == BURN_FLOAT64 ? 0x1p-53 : 0x1p-24);

		if (t == BURN_BFLOAT16)
			bound += (fabs((double)want) + bound) * 0x1p-8;
		assert_true(fabs((double)(get(x.at.output, t, i) - want)) <= bound);
	}
	tensors_clear(&x);
}

static void sums_of_fractions_stay_within_their_bound(void **state)
{
	(void)state;
	each(bounded);
}

static void same_bits(const struct burn_shape *s, enum burn_dtype t, const struct impl *impl)
{
	struct tensors x;
	size_t size;
	char *one;

	tensors_init(&x, s, t, fraction);
	size = results(&x) * burn_dtype_size(t);
	one = malloc(size);
	assert_non_null(one);
	run(impl, &x, 1);
	memcpy(one, x.at.output, size);
	for (int threads = 2; threads <= 7; threads += 5) {
		memset(x.at.output, 0, size);
		run(impl, &x, threads);
		assert_memory_equal(one, x.at.output, size);
	}
	free(one);
	tensors_clear(&x);
}

static void the_number_of_threads_changes_no_bit(void **state)
{
	(void)state;
	each(same_bits);
}

static double tiny(void)
{
	return 0x1p-130;
}

/* 2^-130 is a denormal of both types; a sum of n of them, each times one, is n x 2^-130. */
static void denormal(const struct burn_shape *s, enum burn_dtype t, const struct impl *impl)
{
	struct tensors x;
	char *weight;

	if (impl->flushes || (double)s->m * s->n * s->k > 600000)
		return;		/* denormals are slow */
	tensors_init(&x, s, t, tiny);
	weight = x.memory[BURN_WEIGHT] + burn_dtype_size(t);
	for (size_t i = 0; i < burn_elements(s, BURN_WEIGHT); i++)
		element_set(t, weight, i, 1);
	run(impl, &x, 2);
	for (size_t i = 0; i < results(&x); i++) {
		double size;
		const double want = rounded(expected(&x, i, &size), t);

		assert_true(want > 0);
		assert_true(get(x.at.output, t, i) == want);
	}
	tensors_clear(&x);
}

static void denormals_are_kept(void **state)
{
	(void)state;
	each(denormal);
}

/* Denormals in, or about to come out, are zero; what is normal is not. */
static void flushed(const struct burn_shape *s, enum burn_dtype t, const struct impl *impl)
{
	struct tensors x;

	if (!impl->flushes || t != BURN_BFLOAT16 || s->op != BURN_MATMUL)
		return;
	for (int products = 0; products < 2; products++) {
		char *in, *weight;

		tensors_init(&x, s, t, tiny);
		in = x.memory[BURN_INPUT] + burn_dtype_size(t);
		weight = x.memory[BURN_WEIGHT] + burn_dtype_size(t);
		for (size_t i = 0; i < burn_elements(s, BURN_WEIGHT); i++)
			element_set(t, weight, i, products ? 0x1p-40f : 1);
		for (size_t i = 0; i < burn_elements(s, BURN_INPUT) && products; i++)
			element_set(t, in, i, 0x1p-100f);	/* products of 2^-140 */
		run(impl, &x, 2);
		for (size_t i = 0; i < results(&x); i++)
			assert_true(get(x.at.output, t, i) == 0);
		element_set(t, in, 0, 0x1p-60f);
		element_set(t, weight, 0, 0x1p-60f);
		run(impl, &x, 2);
		assert_true(get(x.at.output, t, 0) == 0x1p-120f);
		tensors_clear(&x);
	}
}

static void denormals_are_zero_where_an_implementation_says_so(void **state)
{
	(void)state;
	each(flushed);
}

static void special(const struct burn_shape *s, enum burn_dtype t, const struct impl *impl)
{
	struct tensors x;
	struct burn_operands golden_at;
	char *in, *weight;
	void *golden;

	tensors_init(&x, s, t, fraction);
	golden_at = x.at;
	in = x.memory[BURN_INPUT] + burn_dtype_size(t);
	weight = x.memory[BURN_WEIGHT] + burn_dtype_size(t);
	element_set(t, in, burn_elements(s, BURN_INPUT) / 2, NAN);
	/* A signalling one, of the lowest bit alone, must not be rounded to infinity. */
	if (t == BURN_BFLOAT16)
		((uint16_t *)(void *)in)[burn_elements(s, BURN_INPUT) / 2] = 0xff81;
	/* The first term of a row of A is behind the last one of the row before. */
	if (s->op == BURN_MATMUL)
		element_set(t, in, (size_t)(s->m / 2) * (size_t)s->k, NAN);
	element_set(t, weight, 0, INFINITY);
	element_set(t, weight, burn_elements(s, BURN_WEIGHT) - 1, -INFINITY);
	golden = malloc(results(&x) * burn_dtype_size(t));
	assert_non_null(golden);
	golden_at.output = golden;
	golden_run(s, t, &golden_at, 2);
	run(impl, &x, 2);
	for (size_t i = 0; i < results(&x); i++) {
		double size;
		const double want = (double)expected(&x, i, &size);
		const double is = get(x.at.output, t, i);

		assert_int_equal(isnan(want) != 0, isnan(get(golden, t, i)) != 0);
		assert_int_equal(isinf(want) != 0, isinf(get(golden, t, i)) != 0);

		assert_int_equal(isnan(want) != 0, isnan(is) != 0);
		if (isinf(want))
			assert_true(is == want);
		else
			assert_int_equal(isinf(is), 0);
	}
	free(golden);
	tensors_clear(&x);
}

/*
 * What is not a number stays in the sums that it belongs to; padding is no term
 * of a sum, here and in the golden results.
 */
static void nan_and_infinity_go_where_the_definition_says(void **state)
{
	(void)state;
	each(special);
}

/* What plan_open() says of a shape, with e. */
static int opened(const struct impl *impl, const struct burn_shape *s, struct error *e)
{
	struct team *team;
	struct plan plan;
	int err;

	assert_int_equal(team_open(&team, 1, false, e), 0);
	err = plan_open(&plan, impl, s, BURN_FLOAT32, team, e);
	plan_close(&plan);
	team_close(team);
	return err;
}

static void what_cannot_be_run_is_refused(void **state)
{
	const struct burn_shape wide = burn_conv2d(8, 32, 33, 32), none = burn_matmul(1, 0, 1);
	struct team *team;
	struct error e;
	struct impl alien = *impl_find("naive");

	(void)state;
	assert_int_equal(team_open(&team, 0, false, &e), -EINVAL);
	assert_int_equal(team_open(&team, TEAM_MAX + 1, false, &e), -EINVAL);
	assert_int_equal(opened(&alien, &wide, &e), -EINVAL);
	assert_string_equal(e.text, "conv2d: a width of 33, not 32");
	assert_int_equal(opened(&alien, &none, &e), -EINVAL);
	alien.name = "alien";
	alien.needs = 1u << 30;
	assert_int_equal(opened(&alien, &shapes[0], &e), -EOPNOTSUPP);
	assert_string_equal(e.text, "alien: not on this processor for conv2d in float32");
	assert_null(impl_find("alien"));
}

/* The kernel's own list of flags is the outside reference. */
static void features_are_those_that_the_kernel_lists(void **state)
{
	static const struct {
		const char *flags[3];
		unsigned feature;
	} known[] = {
		{ { " avx2 ", " fma " }, CPU_AVX2_FMA },
		{ { " avx512f ", " avx512bw ", " avx512vl " }, CPU_AVX512 },
		{ { " avx512_bf16 " }, CPU_AVX512_BF16 },
		{ { " amx_tile ", " amx_bf16 " }, CPU_AMX_BF16 },
	};
	char line[8192], *list = NULL;
	FILE *f = fopen("/proc/cpuinfo", "r");
	unsigned level;

	(void)state;
	assert_non_null(f);
	assert_int_equal(cpu_read_level(&level, NULL), 0);
	while (!list && fgets(line, sizeof(line), f))
		if (!strncmp(line, "flags", 5) || !strncmp(line, "Features", 8))
			list = line;
	fclose(f);
	if (!list)
		skip();
	list[strcspn(list, "\n")] = ' ';
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		bool all = true;

		for (size_t k = 0; k < ARRAY_LEN(known[i].flags) && known[i].flags[k]; k++)
			all = all && strstr(list, known[i].flags[k]);
		assert_int_equal((cpu_features() & known[i].feature) != 0,
			all && (level & known[i].feature));
	}
}

static void a_level_allows_what_lower_ones_do_and_one_feature_more(void **state)
{
	static const struct {
		const char *name;
		unsigned x86;
	} rows[] = {
		{ "baseline", 0 }, { "avx2", CPU_AVX2_FMA },
		{ "avx512", CPU_AVX2_FMA | CPU_AVX512 },
		{ "bf16", CPU_AVX2_FMA | CPU_AVX512 | CPU_AVX512_BF16 },
		{ "amx", CPU_AVX2_FMA | CPU_AVX512 | CPU_AVX512_BF16 | CPU_AMX_BF16 },
		{ "", ~(unsigned)CPU_NEON },
	};
	static const char *const unknown[] = { "avx", "AVX2", "avx2 ", "0" };
	const char *before = getenv("TT_SMI_CPU_LEVEL");
	char *kept = before ? strdup(before) : NULL;
	unsigned set;
	struct error e;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		setenv("TT_SMI_CPU_LEVEL", rows[i].name, 1);
		assert_int_equal(cpu_read_level(&set, &e), 0);
		assert_int_equal(set & ~(unsigned)CPU_NEON, rows[i].x86);
	}
	for (size_t i = 0; i < ARRAY_LEN(unknown); i++) {
		setenv("TT_SMI_CPU_LEVEL", unknown[i], 1);
		assert_int_equal(cpu_read_level(&set, &e), -EINVAL);
		assert_non_null(strstr(e.text, unknown[i]));
	}
	unsetenv("TT_SMI_CPU_LEVEL");
	assert_int_equal(cpu_read_level(&set, &e), 0);
	assert_int_equal(set, ~0u);
	if (kept)
		setenv("TT_SMI_CPU_LEVEL", kept, 1);
	free(kept);
}

/* Tiles need the instructions, the saved state and the kernel's leave, or are not offered. */
static void tiles_are_refused_where_the_system_does_not_give_them(void **state)
{
	const struct impl *amx = impl_find("amx");
	const bool may = (cpu_features() & CPU_AMX_BF16) && cpu_ask_tiles();
	const struct burn_shape s = burn_matmul(32, 32, 32);
	struct team *team;
	struct plan plan;
	struct error e;

	(void)state;
	if (!amx)
		skip();
	assert_int_equal(impl_usable(amx, BURN_MATMUL, BURN_BFLOAT16), may);
	assert_false(impl_usable(amx, BURN_MATMUL, BURN_FLOAT32));
	assert_int_equal(team_open(&team, 1, false, &e), 0);
	assert_int_equal(plan_open(&plan, amx, &s, BURN_BFLOAT16, team, &e),
		may ? 0 : -EOPNOTSUPP);
	plan_close(&plan);
	team_close(team);
	impl_force(amx);
	assert_int_equal(impl_best(BURN_MATMUL, BURN_BFLOAT16) == amx, may);
	impl_force(NULL);
}

static void one_can_be_forced(void **state)
{
	(void)state;
	impl_force(impl_find("portable"));
	assert_string_equal(impl_best(BURN_CONV2D, BURN_FLOAT32)->name, "portable");
	impl_force(NULL);
	for (int op = 0; op < BURN_OPS; op++)
		for (int t = 0; t < BURN_DTYPES; t++) {
			const struct impl *best = impl_best((enum burn_op)op, (enum burn_dtype)t);

			assert_true(impl_usable(best, (enum burn_op)op, (enum burn_dtype)t));
			assert_string_not_equal(best->version, "v1");
			assert_ptr_equal(best, impl_best((enum burn_op)op, (enum burn_dtype)t));
		}
}

enum { ASKING = 4 };

static void ask(void *arg, int thread)
{
	const struct impl *(*best)[BURN_OPS][BURN_DTYPES] = arg;

	for (int op = 0; op < BURN_OPS; op++)
		for (int t = 0; t < BURN_DTYPES; t++)
			best[thread][op][t] = impl_best((enum burn_op)op, (enum burn_dtype)t);
}

/* It has to be the first: the choice is made once. */
static void threads_that_ask_at_once_have_one_answer(void **state)
{
	const struct impl *best[ASKING][BURN_OPS][BURN_DTYPES] = { 0 };

	(void)state;
	team_once(ASKING, ask, best);
	for (int i = 0; i < ASKING; i++)
		for (int op = 0; op < BURN_OPS; op++)
			for (int t = 0; t < BURN_DTYPES; t++) {
				assert_non_null(best[i][op][t]);
				assert_ptr_equal(best[i][op][t], best[0][op][t]);
				assert_ptr_equal(best[i][op][t], impl_best((enum burn_op)op,
					(enum burn_dtype)t));
			}
}

static void count(void *arg, int thread)
{
	_Atomic int *calls = arg;

	calls[thread]++;
}

static void each_thread_of_a_pool_works_once_a_round(void **state)
{
	enum { THREADS = 5, ROUNDS = 2000 };

	(void)state;
	for (int pinned = 0; pinned < 2; pinned++) {
		_Atomic int calls[THREADS] = { 0 };
		const int before = team_processors();
		struct team *team;
		struct error e;

		assert_int_equal(team_open(&team, THREADS, pinned, &e), 0);
		assert_int_equal(team_processors(), pinned ? 1 : before);
		for (int i = 0; i < ROUNDS; i++) {
			team_run(team, count, calls);
			for (int t = 0; t < THREADS; t++)
				assert_int_equal(calls[t], i + 1);
		}
		team_close(team);
		assert_int_equal(team_processors(), before);
	}
}

static void work_of_more_threads_than_there_can_be_is_done_in_turn(void **state)
{
	static const int threads[] = { 1, 3, TEAM_MAX + 1 };
	static _Atomic int calls[TEAM_MAX + 1];

	(void)state;
	for (int i = 0; i < (int)ARRAY_LEN(threads); i++) {
		team_once(threads[i], count, calls);
		for (int t = 0; t < threads[i]; t++)
			assert_int_equal(calls[t], i + 1 - (t >= threads[0]) - (t >= threads[1]));
	}
}

static void large_memory_is_zero_and_aligned(void **state)
{
	static const size_t sizes[] = { 0, 1, 4096, 1 << 20, (1 << 21) + 1, 5 << 20 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		char *p = pages_alloc(sizes[i]);

		assert_non_null(p);
		assert_int_equal((uintptr_t)p % (sizes[i] >= 1 << 20 ? 2 << 20 : 4096), 0);
		for (size_t k = 0; k < sizes[i]; k++)
			assert_int_equal(p[k], 0);
		memset(p, 1, sizes[i]);
		pages_free(p, sizes[i]);
	}
	assert_null(pages_alloc(SIZE_MAX / 2 + 1));
	pages_free(NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_that_ask_at_once_have_one_answer),
		cmocka_unit_test(every_implementation_is_exact_on_integers),
		cmocka_unit_test(operands_of_a_burn_are_exact),
		cmocka_unit_test(sums_of_fractions_stay_within_their_bound),
		cmocka_unit_test(the_number_of_threads_changes_no_bit),
		cmocka_unit_test(denormals_are_kept),
		cmocka_unit_test(denormals_are_zero_where_an_implementation_says_so),
		cmocka_unit_test(nan_and_infinity_go_where_the_definition_says),
		cmocka_unit_test(what_cannot_be_run_is_refused),
		cmocka_unit_test(features_are_those_that_the_kernel_lists),
		cmocka_unit_test(a_level_allows_what_lower_ones_do_and_one_feature_more),
		cmocka_unit_test(tiles_are_refused_where_the_system_does_not_give_them),
		cmocka_unit_test(one_can_be_forced),
		cmocka_unit_test(each_thread_of_a_pool_works_once_a_round),
		cmocka_unit_test(work_of_more_threads_than_there_can_be_is_done_in_turn),
		cmocka_unit_test(large_memory_is_zero_and_aligned),
	};

	srand(42);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

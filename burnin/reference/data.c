/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/reference/data.h"

#include "base/mem.h"
#include "burnin/kernels/bf16.h"
#include "burnin/kernels/cpu.h"
#include "burnin/reference/golden.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * MT19937 and Box-Muller as PyTorch computes them with AVX2.  Logarithm, sine and cosine are the
 * single-precision polynomials of the Cephes library.  1 % of the numbers depend on which products
 * are rounded before they are added.  So each fused operation is written as fused(), and the room
 * is compiled with -ffp-contract=off, so that everything else is rounded.
 */

#ifdef __FAST_MATH__
#error "-ffast-math makes other bits"
#endif
_Static_assert(FLT_EVAL_METHOD % 16 == 0, "float and double are computed as such");

#define INLINE static inline __attribute__((always_inline))

void randn_seed(struct randn *g, uint32_t seed)
{
	*g = (struct randn){ .used = RANDN_WORDS };
	g->words[0] = seed;
	for (uint32_t i = 1; i < RANDN_WORDS; i++)
		g->words[i] = 1812433253u * (g->words[i - 1] ^ g->words[i - 1] >> 30) + i;
}

static void twist(uint32_t *w)
{
	for (int i = 0; i < RANDN_WORDS; i++) {
		int next = i + 1 < RANDN_WORDS ? i + 1 : 0;
		int far = i + 397 < RANDN_WORDS ? i + 397 : i + 397 - RANDN_WORDS;
		uint32_t y = (w[i] & 0x80000000) | (w[next] & 0x7fffffff);

		w[i] = w[far] ^ y >> 1 ^ (0x9908b0df & -(y & 1));
	}
}

static uint32_t draw_word(struct randn *g)
{
	uint32_t y;

	if (g->used == RANDN_WORDS) {
		twist(g->words);
		g->used = 0;
	}
	y = g->words[g->used++];
	y ^= y >> 11;
	y ^= y << 7 & 0x9d2c5680;
	y ^= y << 15 & 0xefc60000;
	return y ^ y >> 18;
}

/* [0, 1) in steps of 2^-24. */
static void draw_uniforms(struct randn *g, float *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = (float)(draw_word(g) & 0xffffff) * 0x1p-24f;
}

/* The code below selects by masks, so that a compiler vectorises it without any option. */
INLINE uint32_t bits_of(float f)
{
	uint32_t u;

	memcpy(&u, &f, sizeof(u));
	return u;
}

INLINE float float_of(uint32_t u)
{
	float f;

	memcpy(&f, &u, sizeof(f));
	return f;
}

/*
 * a * b + c, rounded once.  The product is exact in double; the sum is made odd
 * where it is not exact, so that rounding it to float is the only rounding.
 */
INLINE float fused_soft(float a, float b, float c)
{
	double p = (double)a * b, s = p + c, back = s - p;
	double lost = (p - (s - back)) + (c - back);
	int64_t u;

	memcpy(&u, &s, sizeof(u));
	if (lost != 0 && (u & 1) == 0)
		u += (lost > 0) == (s > 0) ? 1 : -1;
	memcpy(&s, &u, sizeof(s));
	return (float)s;
}

float randn_fuse(float a, float b, float c)
{
	return fused_soft(a, b, c);
}

INLINE float fused(bool hard, float a, float b, float c)
{
	return hard ? __builtin_fmaf(a, b, c) : fused_soft(a, b, c);
}

/* ln x for 2^-24 <= x <= 1. */
INLINE float log_cephes(bool hard, float x)
{
	uint32_t m = (bits_of(x) & 0x7fffff) | 0x3f000000;
	uint32_t small = -(uint32_t)(m < 0x3f3504f3);	/* all ones below the root of a half */
	float e = (float)((int)(bits_of(x) >> 23) - 126 + (int)small), z, y;

	x = (float_of(m) - 1.0f) + float_of(m & small);
	z = x * x;
	y = 7.0376836292e-2f;
	y = fused(hard, y, x, -1.1514610310e-1f);
	y = fused(hard, y, x, 1.1676998740e-1f);
	y = fused(hard, y, x, -1.2420140846e-1f);
	y = fused(hard, y, x, 1.4249322787e-1f);
	y = fused(hard, y, x, -1.6668057665e-1f);
	y = fused(hard, y, x, 2.0000714765e-1f);
	y = fused(hard, y, x, -2.4999993993e-1f);
	y = fused(hard, y, x, 3.3333331174e-1f);
	y = y * x;
	y = fused(hard, y, z, e * -2.12194440e-4f);
	y = fused(hard, -z, 0.5f, y);
	return fused(hard, e, 0.693359375f, x + y);
}

/* Sine and cosine of 0 <= x < 2 pi: reduced to a quarter of pi, then one polynomial each. */
INLINE void sincos_cephes(bool hard, float x, float *sine, float *cosine)
{
	int octant = ((int)(x * 1.27323954473516f) + 1) & ~1;
	float y = (float)octant, z, c, s;
	uint32_t flip_s = (uint32_t)(octant & 4) << 29;
	uint32_t flip_c = (uint32_t)(~(octant - 2) & 4) << 29;
	uint32_t swap = -((uint32_t)octant >> 1 & 1), differ;

	x = fused(hard, y, -0.78515625f, x);
	x = fused(hard, y, -2.4187564849853515625e-4f, x);
	x = fused(hard, y, -3.77489497744594108e-8f, x);
	z = x * x;
	c = fused(hard, 2.443315711809948e-5f, z, -1.388731625493765e-3f);
	c = fused(hard, c, z, 4.166664568298827e-2f);
	c = fused(hard, c * z, z, -(z * 0.5f)) + 1.0f;
	s = fused(hard, -1.9515295891e-4f, z, 8.3321608736e-3f);
	s = fused(hard, s, z, -1.6666654611e-1f);
	s = fused(hard, s * z, x, x);
	differ = (bits_of(s) ^ bits_of(c)) & swap;
	*sine = float_of(bits_of(s) ^ differ ^ flip_s);
	*cosine = float_of(bits_of(c) ^ differ ^ flip_c);
}

/* Blocks of 16 uniforms to 16 normals: number j pairs with number j + 8. */
INLINE void transform(bool hard, float *d, size_t blocks)
{
	for (; blocks > 0; blocks--, d += 16) {
		for (int j = 0; j < 8; j++) {
			float r = __builtin_sqrtf(-2.0f * log_cephes(hard, 1.0f - d[j])), s, c;

			sincos_cephes(hard, 6.28318530717958647692f * d[j + 8], &s, &c);
			d[j] = r * c;
			d[j + 8] = r * s;
		}
	}
}

static void transform_portable(float *d, size_t blocks)
{
	transform(false, d, blocks);
}

/* Off x86-64 the compiler knows whether the machine has it; fmaf() is exact in any case. */
#ifdef FP_FAST_FMAF
enum { ALWAYS_FMA = 1 };
#else
enum { ALWAYS_FMA = 0 };
#endif

#ifdef __x86_64__
__attribute__((target("avx2,fma")))
#endif
static void transform_fma(float *d, size_t blocks)
{
	transform(true, d, blocks);
}

static double draw_uniform(struct randn *g)
{
	uint64_t high = draw_word(g), low = draw_word(g);

	return (double)((high << 32 | low) & 0x1fffffffffffff) * 0x1p-53;
}

static double draw_normal(struct randn *g)
{
	double u1, u2, r, angle;

	if (g->has_spare) {
		g->has_spare = false;
		return g->spare;
	}
	u1 = draw_uniform(g);
	u2 = draw_uniform(g);
	r = sqrt(-2.0 * log1p(-u2));
	angle = 2.0 * 3.14159265358979323846 * u1;
	g->spare = r * sin(angle);
	g->has_spare = true;
	return r * cos(angle);
}

void randn_fill(struct randn *g, float *out, size_t n)
{
	const bool has_fma = ALWAYS_FMA || (cpu_features() & CPU_AVX2_FMA);
	void (*blocks)(float *, size_t) =
		has_fma && !g->portable ? transform_fma : transform_portable;

	if (n < 16) {
		for (size_t i = 0; i < n; i++)
			out[i] = (float)draw_normal(g);
		return;
	}
	draw_uniforms(g, out, n);
	blocks(out, n / 16);
	if (n % 16 != 0) {
		draw_uniforms(g, out + n - 16, 16);
		blocks(out + n - 16, 1);
	}
}

/* The tensors. */

void data_init(struct data *d, const struct burn_case *c, enum burn_dtype t)
{
	*d = (struct data){ .c = c, .dtype = t };
	for (int op = 0; op < BURN_OPS; op++)
		d->shapes[op] = burn_shape_of(c, (enum burn_op)op);
}

void data_init_shape(struct data *d, const struct burn_shape *s, enum burn_dtype t)
{
	*d = (struct data){ .dtype = t };
	for (int op = 0; op < BURN_OPS; op++)
		d->shapes[op].op = (enum burn_op)op;
	d->shapes[s->op] = *s;
}

void data_clear(struct data *d)
{
	for (int op = 0; op < BURN_OPS; op++) {
		for (int role = 0; role < BURN_ROLES; role++) {
			free(d->values[op][role]);
			free(d->narrow[op][role]);
			free(d->wide[op][role]);
			d->values[op][role] = NULL;
			d->narrow[op][role] = NULL;
			d->wide[op][role] = NULL;
		}
	}
}

static void round_inputs(struct data *d)
{
	d->dtype = BURN_BFLOAT16;
	for (int op = 0; op < BURN_OPS; op++) {
		for (int role = 0; role < BURN_OUTPUT; role++) {
			size_t n = burn_elements(&d->shapes[op], (enum burn_role)role);
			float *v = d->values[op][role];

			for (size_t i = 0; i < n; i++)
				v[i] = bf16_widen(bf16_round(v[i]));
		}
		free(d->values[op][BURN_OUTPUT]);
		d->values[op][BURN_OUTPUT] = NULL;
	}
	(void)data_narrow(d);
}

void data_draw(struct data *d)
{
	struct randn g;

	data_clear(d);
	randn_seed(&g, BURN_SEED);
	for (int op = 0; op < BURN_OPS; op++) {
		for (int role = 0; role < BURN_OUTPUT; role++) {
			size_t n = burn_elements(&d->shapes[op], (enum burn_role)role);

			if (n == 0)
				continue;
			d->values[op][role] = mem_realloc(NULL, n * sizeof(float));
			randn_fill(&g, d->values[op][role], n);
		}
	}
	if (d->dtype == BURN_BFLOAT16)
		round_inputs(d);
}

static double *widen(const float *v, const float *below, size_t n)
{
	double *wide = mem_realloc(NULL, n * sizeof(*wide));

	for (size_t i = 0; i < n; i++)
		wide[i] = (double)v[i] + (double)below[i] * 0x1p-24;
	return wide;
}

void data_turn(struct data *d, enum burn_dtype t)
{
	d->dtype = t;
	if (t == BURN_BFLOAT16)
		round_inputs(d);
	for (int op = 0; op < BURN_OPS && t == BURN_FLOAT64; op++)
		for (int role = 0; role < BURN_OUTPUT; role++) {
			const size_t n = burn_elements(&d->shapes[op], (enum burn_role)role);
			float *below;

			if (n == 0)
				continue;
			below = data_draw_elements(BURN_FLOAT32, BURN_SEED + 1, n);
			free(d->wide[op][role]);
			d->wide[op][role] = widen(d->values[op][role], below, n);
			free(below);
		}
}

void *data_draw_elements(enum burn_dtype t, uint32_t seed, size_t n)
{
	float *v = mem_realloc(NULL, 2 * n * sizeof(*v));
	struct randn g;

	randn_seed(&g, seed);
	randn_fill(&g, v, n);
	if (t == BURN_FLOAT64) {
		double *wide;

		randn_fill(&g, v + n, n);
		wide = widen(v, v + n, n);
		free(v);
		return wide;
	}
	for (size_t i = 0; i < n && t == BURN_BFLOAT16; i++)
		((uint16_t *)v)[i] = bf16_round(v[i]);
	return v;
}

static bool narrow_one(const float *v, uint16_t *out, size_t n)
{
	uint32_t lost = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t bits;

		memcpy(&bits, &v[i], sizeof(bits));
		out[i] = (uint16_t)(bits >> 16);
		lost |= bits & 0xffff;
	}
	return lost == 0;
}

bool data_narrow(struct data *d)
{
	bool exact = true;

	for (int op = 0; op < BURN_OPS; op++) {
		for (int role = 0; role < BURN_OUTPUT; role++) {
			size_t n = burn_elements(&d->shapes[op], (enum burn_role)role);

			if (n == 0 || !d->values[op][role])
				continue;
			free(d->narrow[op][role]);
			d->narrow[op][role] = mem_realloc(NULL, n * sizeof(uint16_t));
			exact &= narrow_one(d->values[op][role], d->narrow[op][role], n);
		}
	}
	return exact;
}

static const void *input_of(const struct data *d, enum burn_op op, enum burn_role role)
{
	if (d->dtype == BURN_FLOAT64)
		return d->wide[op][role];
	return d->dtype == BURN_BFLOAT16 ? (const void *)d->narrow[op][role]
					 : (const void *)d->values[op][role];
}

struct burn_operands data_operands(const struct data *d, enum burn_op op, void *output)
{
	return (struct burn_operands){ .input = input_of(d, op, BURN_INPUT),
		.weight = input_of(d, op, BURN_WEIGHT),
		.bias = input_of(d, op, BURN_BIAS),
		.output = output };
}

float *data_compute(const struct data *d, enum burn_op op, int threads)
{
	size_t n = burn_elements(&d->shapes[op], BURN_OUTPUT);
	float *out = mem_realloc(NULL, n * sizeof(float));
	uint16_t *half = mem_realloc(NULL, n * sizeof(uint16_t));
	bool narrow = d->dtype == BURN_BFLOAT16;
	struct burn_operands o = data_operands(d, op, narrow ? (void *)half : (void *)out);

	golden_run(&d->shapes[op], d->dtype, &o, threads);
	for (size_t i = 0; narrow && i < n; i++)
		out[i] = bf16_widen(half[i]);
	free(half);
	return out;
}

void data_golden(struct data *d, enum burn_op op, int threads)
{
	free(d->values[op][BURN_OUTPUT]);
	d->values[op][BURN_OUTPUT] = data_compute(d, op, threads);
}

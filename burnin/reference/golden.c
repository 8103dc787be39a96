/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * golden.c - a small GEMM in double that never changes the order of a sum.
 *
 * The product of two floats is exact in double, so it does not matter whether
 * the compiler fuses it with the addition; for float64 it must not.  Vectors run
 * across columns and tiles across rows.  k is cut into blocks only for the caches;
 * the sums stay double in between.
 */
#include "config.h"
#include "burnin/reference/golden.h"

#include "base/mem.h"
#include "burnin/kernels/bf16.h"
#include "burnin/kernels/cpu.h"
#include "burnin/kernels/team.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifdef __FAST_MATH__
#error "-ffast-math makes other bits"
#endif
_Static_assert(FLT_EVAL_METHOD % 16 == 0, "float and double are computed as such");

#define INLINE static inline __attribute__((always_inline))

enum { LANES = 4, PANEL = 2 * LANES, ROWS = 4, DEPTH = 28 * BURN_TAPS };

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

struct job {
	const struct burn_shape *shape;
	enum burn_dtype dtype;
	const struct burn_operands *o;
	int threads;
};

/* What one thread works on: rows first to end, a block of DEPTH terms at a time. */
struct band {
	const struct job *job;
	int first, end, panels;	/* a panel has PANEL columns */
	lanes (*b)[2];		/* panels x DEPTH: the block of the weights */
	lanes (*sums)[2];	/* groups x panels x ROWS */
	double a[DEPTH][ROWS];
	bool infinite;		/* a weight is, or is NaN: zeros of the padding would count */
};

/* Where the nine taps of output pixel m are in a channel of the input; -1 is outside. */
static void find_taps(const struct burn_shape *s, int m, int at[static BURN_TAPS])
{
	for (int tap = 0; tap < BURN_TAPS; tap++) {
		int y = m / s->width + tap / 3 - 1, x = m % s->width + tap % 3 - 1;

		at[tap] = y < 0 || y >= s->height || x < 0 || x >= s->width ? -1 : y * s->width + x;
	}
}

/* k0 and depth are multiples of BURN_TAPS. */
INLINE void take_pixels(enum burn_dtype t, const struct burn_shape *s, const void *input, int m,
	int k0, int depth, double (*a)[ROWS])
{
	int at[BURN_TAPS];

	find_taps(s, m, at);
	for (int k = 0; k < depth; k += BURN_TAPS) {
		size_t plane = (size_t)((k0 + k) / BURN_TAPS) * (size_t)s->m;

		for (int tap = 0; tap < BURN_TAPS; tap++)
			a[k + tap][0] = at[tap] < 0 ?
				0 : element_get(t, input, plane + (size_t)at[tap]);
	}
}

INLINE void take_row(enum burn_dtype t, const struct burn_shape *s, const void *input, int m,
	int k0, int depth, double (*a)[ROWS])
{
	size_t at = (size_t)m * (size_t)s->k + (size_t)k0;

	if (s->op == BURN_CONV2D) {
		take_pixels(t, s, input, m, k0, depth, a);
		return;
	}
	for (int k = 0; k < depth; k++)
		a[k][0] = element_get(t, input, at + (size_t)k);
}

/* Rows beyond the last are left as they are: their sums are not used. */
static void take_rows(struct band *b, int row, int k0, int depth)
{
	const struct job *j = b->job;

	for (int r = 0; r < ROWS && row + r < b->end; r++) {
		double (*a)[ROWS] = (double (*)[ROWS]) & b->a[0][r];

		if (j->dtype == BURN_BFLOAT16)
			take_row(BURN_BFLOAT16, j->shape, j->o->input, row + r, k0, depth, a);
		else if (j->dtype == BURN_FLOAT64)
			take_row(BURN_FLOAT64, j->shape, j->o->input, row + r, k0, depth, a);
		else
			take_row(BURN_FLOAT32, j->shape, j->o->input, row + r, k0, depth, a);
	}
}

/* Like add_terms(), but skips padding. */
static double sum_inside(const struct job *j, int m, int n)
{
	const struct burn_shape *s = j->shape;
	int at[BURN_TAPS];
	double sum = 0;

	find_taps(s, m, at);
	for (int k = 0; k < s->k; k++) {
		size_t plane = (size_t)(k / BURN_TAPS) * (size_t)s->m;
		int tap = k % BURN_TAPS;

		if (at[tap] >= 0)
			sum += element_get(j->dtype, j->o->input, plane + (size_t)at[tap]) *
			       element_get(j->dtype, j->o->weight,
				       (size_t)n * (size_t)s->k + (size_t)k);
	}
	return sum;
}

static void take_weights(struct band *b, int k0, int depth)
{
	const struct job *j = b->job;
	const struct burn_shape *s = j->shape;
	bool conv = s->op == BURN_CONV2D;

	for (int col = 0; col < b->panels * PANEL; col++) {
		size_t step = conv ? 1 : (size_t)s->n;
		size_t at = conv ? (size_t)col * (size_t)s->k + (size_t)k0
				 : (size_t)k0 * (size_t)s->n + (size_t)col;
		lanes (*to)[2] = b->b + col / PANEL * DEPTH;

		for (int k = 0; k < depth; k++) {
			double w = col >= s->n ?
				0 : element_get(j->dtype, j->o->weight, at + (size_t)k * step);

			to[k][col / LANES % 2][col % LANES] = w;
			b->infinite |= !isfinite(w);
		}
	}
}

/* ROWS x 2 sums stay in registers during the loop. */
INLINE void add_terms(double (*a)[ROWS], lanes (*b)[2], int depth, lanes (*sums)[2])
{
	lanes s00 = sums[0][0], s01 = sums[0][1], s10 = sums[1][0], s11 = sums[1][1];
	lanes s20 = sums[2][0], s21 = sums[2][1], s30 = sums[3][0], s31 = sums[3][1];

	for (int k = 0; k < depth; k++) {
		s00 += a[k][0] * b[k][0];
		s01 += a[k][0] * b[k][1];
		s10 += a[k][1] * b[k][0];
		s11 += a[k][1] * b[k][1];
		s20 += a[k][2] * b[k][0];
		s21 += a[k][2] * b[k][1];
		s30 += a[k][3] * b[k][0];
		s31 += a[k][3] * b[k][1];
	}
	sums[0][0] = s00, sums[0][1] = s01, sums[1][0] = s10, sums[1][1] = s11;
	sums[2][0] = s20, sums[2][1] = s21, sums[3][0] = s30, sums[3][1] = s31;
}

static void add_terms_plain(double (*a)[ROWS], lanes (*b)[2], int depth, lanes (*sums)[2])
{
	add_terms(a, b, depth, sums);
}

#ifdef __x86_64__
__attribute__((target("avx2")))
#endif
static void add_terms_wide(double (*a)[ROWS], lanes (*b)[2], int depth, lanes (*sums)[2])
{
	add_terms(a, b, depth, sums);
}

/* Truncate to a float, and make it odd if it is not exact, so that only the last step rounds. */
uint16_t golden_round_bfloat16(double sum)
{
	float f = (float)sum;
	uint32_t u;

	if (isnan(sum))
		return 0x7fc0;
	memcpy(&u, &f, sizeof(u));
	if (fabs((double)f) > fabs(sum))
		u--;
	memcpy(&f, &u, sizeof(f));
	if ((double)f != sum)
		u |= 1;
	memcpy(&f, &u, sizeof(f));
	return bf16_round(f);
}

static void put_results(const struct band *b)
{
	const struct job *j = b->job;
	const struct burn_shape *s = j->shape;

	/* Any NaN becomes the same one. */
	for (int m = b->first; m < b->end; m++) {
		for (int n = 0; n < s->n; n++) {
			int row = m - b->first, tile = row / ROWS * b->panels + n / PANEL;
			double sum = b->sums[tile * ROWS + row % ROWS][n / LANES % 2][n % LANES];
			size_t at = s->op == BURN_CONV2D ? (size_t)n * (size_t)s->m + (size_t)m
							 : (size_t)m * (size_t)s->n + (size_t)n;

			if (b->infinite && s->op == BURN_CONV2D)
				sum = sum_inside(j, m, n);
			if (j->o->bias)
				sum += element_get(j->dtype, j->o->bias, (size_t)n);
			if (j->dtype == BURN_BFLOAT16)
				((uint16_t *)j->o->output)[at] = golden_round_bfloat16(sum);
			else if (j->dtype == BURN_FLOAT64)
				((double *)j->o->output)[at] = isnan(sum) ? (double)NAN : sum;
			else
				((float *)j->o->output)[at] = isnan(sum) ? (float)NAN : (float)sum;
		}
	}
}

/* n pairs of vectors, all 0. */
static void *lanes_new(size_t n)
{
	void *p = aligned_alloc(sizeof(lanes), n * 2 * sizeof(lanes));

	if (!p)
		abort();
	memset(p, 0, n * 2 * sizeof(lanes));
	return p;
}

static void work_band(void *arg, int i)
{
	const struct job *job = arg;
	const struct burn_shape *s = job->shape;
	void (*add)(double (*)[ROWS], lanes (*)[2], int, lanes (*)[2]) =
		cpu_features() & CPU_AVX2_FMA ? add_terms_wide : add_terms_plain;
	struct band *b = mem_calloc(1, sizeof(*b));
	int groups;

	b->job = job;
	b->first = (int)((int64_t)s->m * i / job->threads);
	b->end = (int)((int64_t)s->m * (i + 1) / job->threads);
	b->panels = (s->n + PANEL - 1) / PANEL;
	groups = (b->end - b->first + ROWS - 1) / ROWS;
	b->b = lanes_new((size_t)b->panels * DEPTH);
	b->sums = lanes_new((size_t)(groups * b->panels) * ROWS + 1);
	for (int k0 = 0; k0 < s->k; k0 += DEPTH) {
		int depth = s->k - k0 < DEPTH ? s->k - k0 : DEPTH;

		take_weights(b, k0, depth);
		for (int g = 0; g < groups; g++) {
			take_rows(b, b->first + g * ROWS, k0, depth);
			for (int p = 0; p < b->panels; p++)
				add(b->a, b->b + p * DEPTH, depth,
					b->sums + (g * b->panels + p) * ROWS);
		}
	}
	put_results(b);
	free(b->b);
	free(b->sums);
	free(b);
}

void golden_run(const struct burn_shape *s, enum burn_dtype t, const struct burn_operands *o,
	int threads)
{
	const int most = s->m < TEAM_MAX ? s->m : TEAM_MAX;
	struct job job = { s, t, o, threads < most ? threads : most };

	team_once(job.threads, work_band, &job);
}

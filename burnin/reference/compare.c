/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/reference/compare.h"

#include "base/mem.h"
#include "burnin/kernels/bf16.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDINGS = 16, BEFORE_AND_AFTER = 2 };

static double square(enum burn_dtype t, const void *at, size_t i)
{
	const double x = element_get(t, at, i);

	return x * x;
}

/* Sum the squares of the pixels under the taps, over all channels; the 1 is for the bias. */
static void square_pixels(struct bound *b, const void *input)
{
	const struct burn_shape *s = &b->shape;
	const size_t m = (size_t)s->m;
	double *all = mem_calloc(m, sizeof(*all));

	for (size_t i = 0; i < m * (size_t)s->channels; i++)
		all[i % m] += square(b->dtype, input, i);
	for (int p = 0; p < s->m; p++)
		for (int i = 0; i < BURN_TAPS; i++) {
			const int y = p / s->width + i / 3 - 1, x = p % s->width + i % 3 - 1;

			if (y >= 0 && y < s->height && x >= 0 && x < s->width)
				b->rows[p] += all[y * s->width + x];
		}
	free(all);
	for (int p = 0; p < s->m; p++)
		b->rows[p] += 1;
}

void bound_init(struct bound *b, const struct burn_shape *s, enum burn_dtype t,
	const struct burn_operands *at)
{
	const size_t m = (size_t)s->m, n = (size_t)s->n, k = (size_t)s->k;
	const bool conv = s->op == BURN_CONV2D;

	*b = (struct bound){ .shape = *s, .dtype = t, .rows = mem_calloc(m, sizeof(double)),
		.cols = mem_calloc(n, sizeof(double)) };
	if (conv)
		square_pixels(b, at->input);
	for (size_t i = 0; i < m * k && !conv; i++)
		b->rows[i / k] += square(t, at->input, i);
	for (size_t i = 0; i < n * k; i++)
		b->cols[conv ? i / k : i % n] += square(t, at->weight, i);
	for (size_t i = 0; i < n && conv; i++)
		b->cols[i] += square(t, at->bias, i);
	for (size_t i = 0; i < m; i++)
		b->rows[i] = sqrt(b->rows[i]);
	for (size_t i = 0; i < n; i++)
		b->cols[i] = sqrt(b->cols[i]);
}

void bound_clear(struct bound *b)
{
	free(b->rows);
	free(b->cols);
	memset(b, 0, sizeof(*b));
}

/* How far the i-th elements of two results may differ. */
static double may_differ(const struct bound *b, size_t i, double one, double other)
{
	const size_t m = (size_t)b->shape.m, n = (size_t)b->shape.n;
	const bool conv = b->shape.op == BURN_CONV2D;
	const int roundings = b->shape.k + BEFORE_AND_AFTER;
	const double unit = b->dtype == BURN_FLOAT64 ? 0x1p-53 : 0x1p-24;
	const double may = 2 * (roundings < MOST_ROUNDINGS ? roundings : MOST_ROUNDINGS) * unit
		* b->rows[conv ? i % m : i / n] * b->cols[conv ? i / m : i % n];

	return b->dtype == BURN_BFLOAT16 ? may + (fabs(one) + fabs(other)) * 0x1.02p-8 : may;
}

void bound_compare(const struct bound *b, const void *one, const void *other,
	struct bound_result *out)
{
	const size_t all = burn_elements(&b->shape, BURN_OUTPUT);

	*out = (struct bound_result){ 0 };
	for (size_t i = 0; i < all; i++) {
		const double x = element_get(b->dtype, one, i);
		const double y = element_get(b->dtype, other, i);
		const double far = fabs(x - y);
		const double share = !isfinite(far) ? INFINITY :
			far > 0 ? far / may_differ(b, i, x, y) : 0;

		if (far > out->max_abs || !isfinite(far))
			out->max_abs = far;
		if (share > out->share) {
			out->share = share;
			out->place = i;
		}
	}
}

bool bound_holds(const struct bound_result *r)
{
	return r->share <= 1;
}

#define USUAL_PCC 0.999
#define STRAY 64		/* times the noise: too much for a sum of many small errors */

/* A type's numbers: digits after the first, and the range of the first one's exponent. */
static const struct {
	int digits, least, most;
} formats[BURN_TYPES] = {
	[BURN_BFLOAT16] = { 7, -126, 127 },
	[BURN_FLOAT16] = { 10, -14, 15 },
	[BURN_FLOAT32] = { 23, -126, 127 },
	[BURN_FLOAT64] = { 52, -1022, 1023 },
};

double compare_ulp(enum burn_dtype t, double x)
{
	int exponent;

	if (t == BURN_INTEGER)
		return 1;
	if (!isfinite(x))
		return NAN;
	exponent = x == 0 ? formats[t].least : ilogb(x);
	if (exponent > formats[t].most)
		return NAN;
	return ldexp(1, (exponent < formats[t].least ? formats[t].least : exponent) -
		formats[t].digits);
}

const struct compare_tolerance compare_tolerances[BURN_TYPES] = {
	[BURN_FLOAT64] = { 1e-9, 1e-9 },
	[BURN_FLOAT32] = { 0.01, 0.01 },
	[BURN_FLOAT16] = { 0.02, 0.02 },
	[BURN_BFLOAT16] = { 0.1, 0.05 },
	[BURN_INTEGER] = { 0, 0 },
};

/* As in tt-metal, a value that is not finite counts as 0. */
static double finite_or_zero(double x)
{
	return isfinite(x) ? x : 0;
}

/* form: the element type in which numbers are stored. */
static bool is_constant(enum burn_dtype form, const void *v, size_t n)
{
	const double first = n > 0 ? finite_or_zero(element_get(form, v, 0)) : 0;

	for (size_t i = 1; i < n; i++)
		if (finite_or_zero(element_get(form, v, i)) != first)
			return false;
	return true;
}

static double correlation(enum burn_dtype form, const void *a, const void *b, size_t n)
{
	double mean_a = 0, mean_b = 0, aa = 0, bb = 0, ab = 0, r;

	if (is_constant(form, a, n))
		return NAN;
	for (size_t i = 0; i < n; i++) {
		mean_a += finite_or_zero(element_get(form, a, i)) / (double)n;
		mean_b += finite_or_zero(element_get(form, b, i)) / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		double x = finite_or_zero(element_get(form, a, i)) - mean_a;
		double y = finite_or_zero(element_get(form, b, i)) - mean_b;

		aa += x * x;
		bb += y * y;
		ab += x * y;
	}
	if (!(aa > 0) || !(bb > 0))
		return 0;
	r = ab / (sqrt(aa) * sqrt(bb));
	return r > 1 ? 1 : r < -1 ? -1 : r;
}

static double root_mean_square(enum burn_dtype form, const void *v, size_t n)
{
	double squares = 0;
	size_t counted = 0;

	for (size_t i = 0; i < n; i++) {
		const double x = element_get(form, v, i);

		squares += finite_or_zero(x) * finite_or_zero(x);
		counted += isfinite(x) ? 1 : 0;
	}
	return counted > 0 ? sqrt(squares / (double)counted) : 0;
}

/* ulp is NaN if the type has no such number; that counts in the last bin. */
static int bin_of(double ulp)
{
	int bin = 0;

	while (bin < COMPARE_BINS - 1 && !(ulp <= (bin == 0 ? 0 : ldexp(1, bin - 1))))
		bin++;
	return bin;
}

/* The difference as a share of what an element of this golden size may differ by. */
static double share_of(const struct compare *c, double golden, double far)
{
	const double may = c->base + compare_tolerances[c->type].relative * fabs(golden);

	return may > 0 ? far / may : INFINITY;
}

/* True if the sign or the exponent differs, and by more than the noise explains. */
static bool is_stray(const struct compare *c, double golden, double far)
{
	return far / compare_ulp(c->type, golden) > ldexp(1, formats[c->type].digits) &&
	       far > STRAY * c->noise;
}

static void note_difference(struct compare *out, size_t i, double golden, double far)
{
	const double ulp = far / compare_ulp(out->type, golden);
	const double share = share_of(out, golden, far);

	out->mean_ulp += ulp;
	out->histogram[bin_of(ulp)]++;
	out->different++;
	if (far > out->max_abs) {
		out->max_abs = far;
		out->farthest = i;
	}
	if (share > out->worst_share) {
		out->worst_share = share;
		out->worst_place = i;
	}
	if (ulp > out->max_ulp) {
		out->max_ulp = ulp;
		out->worst = i;
	}
}

static bool compare_is_same(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

void compare_run(enum burn_dtype t, enum burn_dtype form, const void *golden,
	const void *calculated, size_t n, struct compare *out)
{
	double squares = 0, golden_squares = 0, calm_squares = 0;
	size_t counted = 0, calm = 0;

	*out = (struct compare){ .n = n, .type = t,
		.base = compare_tolerances[t].absolute * root_mean_square(form, golden, n) };
	for (size_t i = 0; i < n; i++) {
		const double g = element_get(form, golden, i), c = element_get(form, calculated, i);
		const double far = fabs(c - g);

		if (!isfinite(g) || !isfinite(c)) {
			const bool same = compare_is_same(g, c);

			out->different += !same;
			out->non_finite += !same;
			out->histogram[same ? 0 : COMPARE_BINS - 1]++;
			continue;
		}
		counted++;
		golden_squares += g * g;
		if (!is_stray(out, g, far)) {
			calm_squares += far * far;
			calm++;
		}
		if (g == c) {
			out->histogram[0]++;
			continue;
		}
		squares += far * far;
		note_difference(out, i, g, far);
	}
	out->noise = calm > 0 ? sqrt(calm_squares / (double)calm) : 0;
	for (size_t i = 0; i < n && out->different > 0; i++) {
		const double g = element_get(form, golden, i), c = element_get(form, calculated, i);

		out->strays += isfinite(g) && isfinite(c) && is_stray(out, g, fabs(c - g));
	}
	out->mean_ulp = counted > 0 ? out->mean_ulp / (double)counted : 0;
	out->relative = squares > 0 ? sqrt(squares) / sqrt(golden_squares) : 0;
	out->pcc = out->different == 0 ? 1 : correlation(form, golden, calculated, n);
}

/* The factor by which a pcc below the usual one widens the tolerances. */
static double widening(double pcc)
{
	const double wider = sqrt((1 - pcc) / (1 - USUAL_PCC));

	return wider > 1 ? wider : 1;
}

bool compare_is_wrong(const struct compare *c, double golden, double calculated, double pcc,
	double ulp)
{
	const double far = fabs(calculated - golden);

	if (compare_is_same(golden, calculated))
		return false;
	return !isfinite(golden) || !isfinite(calculated) ||
	       is_stray(c, golden, far) || !(share_of(c, golden, far) <= widening(pcc)) ||
	       (ulp >= 0 && !(far / compare_ulp(c->type, golden) <= ulp));
}

bool compare_passes(const struct compare *c, double pcc, double ulp)
{
	return c->n > 0 && c->non_finite == 0 && c->strays == 0 && !(c->pcc < pcc) &&
	       c->relative <= 2 * sqrt(2 * (1 - pcc)) && c->worst_share <= widening(pcc) &&
	       (ulp < 0 || c->max_ulp <= ulp);
}

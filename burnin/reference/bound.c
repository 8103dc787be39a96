/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/reference/bound.h"

#include "base/mem.h"
#include "burnin/kernels/element.h"

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

	return b->dtype == BURN_BFLOAT16 ?
		may + (fabs(one) + fabs(other)) * 0x1.02p-8 : may;
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

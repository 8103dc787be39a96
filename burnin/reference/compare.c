/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/reference/compare.h"

#include <math.h>
#include <string.h>

#define USUAL_PCC 0.999

double compare_ulp(enum burn_dtype t, float x)
{
	uint32_t step = t == BURN_BFLOAT16 ? 0x10000 : 1, largest = 0x7f800000 - step, bits, next;
	float low, high;

	x = fabsf(x);
	memcpy(&bits, &x, sizeof(bits));
	bits &= ~(step - 1);
	if (bits > largest)
		return NAN;
	if (bits == largest)
		bits -= step;
	next = bits + step;
	memcpy(&low, &bits, sizeof(low));
	memcpy(&high, &next, sizeof(high));
	return (double)high - (double)low;
}

const struct compare_tolerance compare_tolerances[BURN_DTYPES] = {
	[BURN_FLOAT32] = { 0.01, 0.01 },
	[BURN_BFLOAT16] = { 0.1, 0.05 },
};

/* Counted as tt-metal does: what is not finite takes part as 0. */
static double finite_or_zero(float x)
{
	return isfinite(x) ? (double)x : 0;
}

static double correlation(const float *a, const float *b, size_t n)
{
	double mean_a = 0, mean_b = 0, aa = 0, bb = 0, ab = 0, r;

	for (size_t i = 0; i < n; i++) {
		mean_a += finite_or_zero(a[i]) / (double)n;
		mean_b += finite_or_zero(b[i]) / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		double x = finite_or_zero(a[i]) - mean_a, y = finite_or_zero(b[i]) - mean_b;

		aa += x * x;
		bb += y * y;
		ab += x * y;
	}
	if (!(aa > 0) || !(bb > 0))
		return 0;
	r = ab / (sqrt(aa) * sqrt(bb));
	return r > 1 ? 1 : r < -1 ? -1 : r;
}

static double root_mean_square(const float *v, size_t n)
{
	double squares = 0;
	size_t counted = 0;

	for (size_t i = 0; i < n; i++) {
		squares += finite_or_zero(v[i]) * finite_or_zero(v[i]);
		counted += isfinite(v[i]) ? 1 : 0;
	}
	return counted > 0 ? sqrt(squares / (double)counted) : 0;
}

void compare_run(enum burn_dtype t, const float *golden, const float *calculated, size_t n,
	struct compare *out)
{
	const struct compare_tolerance *may = &compare_tolerances[t];
	const double base = may->absolute * root_mean_square(golden, n);
	double sum = 0, squares = 0, golden_squares = 0;
	size_t counted = 0;

	*out = (struct compare){ .n = n };
	for (size_t i = 0; i < n; i++) {
		float g = golden[i], c = calculated[i];
		double far, ulp, share;

		if (!isfinite(g) || !isfinite(c)) {
			bool same = g == c || (isnan(g) && isnan(c));

			out->different += !same;
			out->non_finite += !same;
			continue;
		}
		counted++;
		golden_squares += (double)g * g;
		if (g == c)
			continue;
		far = fabs((double)c - (double)g);
		ulp = far / compare_ulp(t, g);
		sum += ulp;
		squares += far * far;
		out->different++;
		if (far > out->max_abs)
			out->max_abs = far;
		share = far / (base + may->relative * fabs((double)g));
		if (share > out->worst_share) {
			out->worst_share = share;
			out->worst_place = i;
		}
		if (ulp > out->max_ulp) {
			out->max_ulp = ulp;
			out->worst = i;
		}
	}
	out->mean_ulp = counted > 0 ? sum / (double)counted : 0;
	out->relative = squares > 0 ? sqrt(squares) / sqrt(golden_squares) : 0;
	out->pcc = out->different == 0 ? 1 : correlation(golden, calculated, n);
}

bool compare_passes(const struct compare *c, double pcc)
{
	const double wider = sqrt((1 - pcc) / (1 - USUAL_PCC));

	return c->n > 0 && c->non_finite == 0 && c->pcc >= pcc &&
	       c->relative <= 2 * sqrt(2 * (1 - pcc)) &&
	       c->worst_share <= (wider > 1 ? wider : 1);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inputs are functions of a seed and an index, so a word that a flipped bit
 * destroyed can be made again and named.
 */
#include "config.h"
#include "burnin/host/burn_set.h"

#include "base/mem.h"
#include "burnin/kernels/bf16.h"
#include "burnin/kernels/team.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A set with all its data fits 1 MiB of second-level cache: data from further
 * away would cost the clock too.  More channels or terms would leave fewer
 * results to verify, and sums that are no longer exact.
 */
enum {
	CHANNELS = 432, HEIGHT = 8, WIDTH = 32, FILTERS = 32,		/* conv2d */
	FRAMED_HEIGHT = HEIGHT + 2, FRAMED_WIDTH = WIDTH + 2,
	ROWS = 112, COLS = 64, TERMS = 1024,				/* matmul */
	CONV_REGIONS = 5, MATMUL_REGIONS = 3
};

enum pattern { RANDOM, ALTERNATING, SINGLE, ONES, CHECKER, WALKING };

static const char *const names[BURN_PATTERNS] = {
	[RANDOM] = "random", [ALTERNATING] = "alternating signs", [SINGLE] = "single large",
	[ONES] = "all ones", [CHECKER] = "checkerboard", [WALKING] = "walking bit",
};

/* At most 127 in size: exact in bfloat16, and TERMS or CHANNELS x 9 products sum below 2^24. */
static int value(enum pattern p, uint64_t seed, size_t i)
{
	switch (p) {
	case RANDOM:
		break;
	case ALTERNATING:
		return i & 1 ? -5 : 5;
	case SINGLE:
		return i % 61 == seed % 61 ? 127 : 1;
	case ONES:
		return 1;
	case CHECKER:
		return (i ^ i / WIDTH) & 1 ? -7 : 7;
	case WALKING:
		return 1 << i % 7;
	}
	return (int)(impl_mix(seed + i) % 15) - 7;
}

/* Weights share the patterns "all ones" and "walking bit"; otherwise they are random. */
static int16_t *set_draw(const struct burn_set *s, bool weight, size_t n)
{
	const enum pattern own = (enum pattern)s->pattern_id;
	const enum pattern p = weight && own != ONES && own != WALKING ? RANDOM : own;
	int16_t *v = mem_calloc(n, sizeof(*v));

	for (size_t i = 0; i < n; i++)
		v[i] = (int16_t)value(p, impl_mix(s->seed + weight), i);
	return v;
}

/*
 * Nearly all the work of making a set is done here, and each burn makes dozens.  Checking every
 * access would take most of the time of a test under sanitizers.  The callers of these two have
 * already read or written all the memory that they access.
 */
#define UNCHECKED __attribute__((no_sanitize("address"), no_sanitize("undefined")))

/* Add one row of pixels times one weight. */
UNCHECKED static void add_row(int32_t *restrict sum, const int16_t *restrict in, int16_t w)
{
	for (int x = 0; x < WIDTH; x++)
		sum[x] += w * in[x];
}

/* Multiply a row of A by a column of B. */
UNCHECKED static int32_t dot(const int16_t *restrict a, const int16_t *restrict b)
{
	int32_t sum = 0;

	for (int k = 0; k < TERMS; k++)
		sum += a[k] * b[k];
	return sum;
}

/* in: the input in a frame of zeros. */
static void conv_filter(const struct burn_set *s, const int16_t *in, const int16_t *w, int bias,
	int filter)
{
	int32_t sum[HEIGHT * WIDTH];

	for (int i = 0; i < HEIGHT * WIDTH; i++)
		sum[i] = bias;
	for (int c = 0; c < CHANNELS; c++)
		for (int tap = 0; tap < BURN_TAPS; tap++)
			for (int y = 0; y < HEIGHT; y++)
				add_row(sum + y * WIDTH,
					in + (c * FRAMED_HEIGHT + y + tap / 3) * FRAMED_WIDTH
						+ tap % 3,
					w[c * BURN_TAPS + tap]);
	for (int i = 0; i < HEIGHT * WIDTH; i++)
		element_set(s->dtype, s->expected, (size_t)(filter * HEIGHT * WIDTH + i), sum[i]);
}

static void build_conv(struct burn_set *s)
{
	int16_t *in = set_draw(s, false, burn_elements(&s->shape, BURN_INPUT));
	int16_t *w = set_draw(s, true, burn_elements(&s->shape, BURN_WEIGHT));
	int16_t *framed = mem_calloc(CHANNELS * FRAMED_HEIGHT * FRAMED_WIDTH, sizeof(*framed));

	for (size_t i = 0; i < burn_elements(&s->shape, BURN_INPUT); i++) {
		element_set(s->dtype, s->regions[0].at, i, in[i]);
		framed[(i / WIDTH + i / (HEIGHT * WIDTH) * 2 + 1) * FRAMED_WIDTH
			+ i % WIDTH + 1] = in[i];
	}
	for (size_t i = 0; i < burn_elements(&s->shape, BURN_WEIGHT); i++)
		element_set(s->dtype, s->regions[1].at, i, w[i]);
	for (int f = 0; f < FILTERS; f++) {
		element_set(s->dtype, s->regions[2].at, (size_t)f, f - FILTERS / 2);
		conv_filter(s, framed, w + f * CHANNELS * BURN_TAPS, f - FILTERS / 2, f);
	}
	plan_pack(&s->plan, s->at.weight);
	free(framed);
	free(in);
	free(w);
}

/* n lines (rows of A, columns of B) of TERMS values, `lines` per panel, interleaved in runs. */
static void put_panels(void *to, size_t lines, size_t run, const int16_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < TERMS; k++) {
			const size_t panel = i / lines * TERMS * lines;
			const size_t at = panel + (k / run * lines + i % lines) * run + k % run;

			element_set(run > 1 ? BURN_BFLOAT16 : BURN_FLOAT32, to, at,
				v[i * TERMS + k]);
		}
}

static void build_matmul(struct burn_set *s)
{
	const struct impl_stress *x = s->impl->stress;
	const size_t m = (size_t)s->shape.m, n = (size_t)s->shape.n;
	int16_t *a = set_draw(s, false, m * TERMS), *b = set_draw(s, true, n * TERMS);

	put_panels(s->a, (size_t)x->rows, (size_t)x->run_a, a, m);
	put_panels(s->b, (size_t)x->cols, (size_t)x->run_b, b, n);
	for (size_t r = 0; r < m; r++)
		for (size_t c = 0; c < n; c++)
			element_set(s->dtype, s->expected, r * n + c,
				dot(a + r * TERMS, b + c * TERMS));
	free(a);
	free(b);
}

static void build(struct burn_set *s)
{
	if (s->op == BURN_CONV2D)
		build_conv(s);
	else
		build_matmul(s);
	for (int i = 0; i < s->n_regions; i++)
		s->regions[i].sum = s->impl->stress->check->sum(s->regions[i].at,
			s->regions[i].bytes / sizeof(uint32_t));
	memset(s->output, 0xa5, s->out_bytes);
}

static void *add_region(struct burn_set *s, enum burn_what what, void *at, size_t bytes)
{
	struct burn_region *r = &s->regions[s->n_regions++];

	*r = (struct burn_region){ .what = what, .at = at ? at : pages_alloc(bytes),
		.bytes = bytes };
	return r->at;
}

/* Rounded down to whole tiles of the implementation. */
static struct burn_shape shape_of(enum burn_op op, const struct impl *i)
{
	const int rows = i->stress->rows, cols = i->stress->cols;

	return op == BURN_CONV2D ? burn_conv2d(CHANNELS, HEIGHT, WIDTH, FILTERS) :
		burn_matmul(ROWS / rows * rows, COLS / cols * cols, TERMS);
}

static int open_conv(struct burn_set *s, struct team *team, struct error *e)
{
	const size_t element = burn_dtype_size(s->dtype);
	int err;

	s->flops = s->impl->stress->pads ? burn_flops(&s->shape)
		: 2ULL * CHANNELS * FILTERS * (3 * HEIGHT - 2) * (3 * WIDTH - 2);
	s->at.input = add_region(s, BURN_IS_INPUT, NULL,
		burn_elements(&s->shape, BURN_INPUT) * element);
	s->at.weight = add_region(s, BURN_IS_WEIGHT, NULL,
		burn_elements(&s->shape, BURN_WEIGHT) * element);
	s->at.bias = add_region(s, BURN_IS_BIAS, NULL,
		burn_elements(&s->shape, BURN_BIAS) * element);
	err = plan_open(&s->plan, s->impl, &s->shape, s->dtype, team, e);
	if (err == 0)
		add_region(s, BURN_IS_PACKED, s->plan.packed, s->plan.packed_size);
	return err;
}

/* Bytes in a row of A or a column of B. */
static size_t line_bytes(const struct burn_set *s)
{
	return TERMS * (s->impl->stress->run_b > 1 ? sizeof(uint16_t) : sizeof(float));
}

/* The best one that has a load, not only kernels; one that was forced by name is kept. */
const struct impl *burn_set_impl(enum burn_op op, enum burn_dtype t)
{
	const struct impl *best = impl_best(op, t);

	if (best->stress || best == impl_forced())
		return best;
	for (int i = 0; impls[i]; i++)
		if (impls[i]->stress && impl_usable(impls[i], op, t))
			best = impls[i];
	return best;
}

int burn_set_open(struct burn_set *s, int kind, int pattern, uint64_t seed, struct team *team,
	struct error *e)
{
	int err = 0;

	*s = (struct burn_set){ .op = (enum burn_op)(kind / BURN_DTYPES),
		.dtype = (enum burn_dtype)(kind % BURN_DTYPES), .pattern_id = pattern,
		.seed = impl_mix(seed + (uint64_t)(kind * BURN_PATTERNS + pattern)) };
	s->impl = burn_set_impl(s->op, s->dtype);
	if (!s->impl->stress)
		return fail(e, -EOPNOTSUPP, "%s: this implementation has no load", s->impl->name);
	s->shape = shape_of(s->op, s->impl);
	if (s->op == BURN_CONV2D) {
		err = open_conv(s, team, e);
	} else {
		s->flops = burn_flops(&s->shape);
		s->a = add_region(s, BURN_IS_PANELS_A, NULL, (size_t)s->shape.m * line_bytes(s));
		s->b = add_region(s, BURN_IS_PANELS_B, NULL, (size_t)s->shape.n * line_bytes(s));
		s->c = pages_alloc(burn_elements(&s->shape, BURN_OUTPUT) * sizeof(float));
	}
	if (err < 0)
		return err;
	s->out_bytes = burn_elements(&s->shape, BURN_OUTPUT) * burn_dtype_size(s->dtype);
	s->output = pages_alloc(s->out_bytes);
	s->expected = add_region(s, BURN_IS_EXPECTED, NULL, s->out_bytes);
	s->at.output = s->output;
	s->plan.job.at = s->at;
	for (int i = 0; i < s->n_regions; i++)
		if (!s->regions[i].at)
			err = -ENOMEM;
	if (err < 0 || !s->output || (s->op == BURN_MATMUL && !s->c))
		return fail(e, -ENOMEM, "%s in %s: out of memory", burn_op_name(s->op),
			burn_dtype_name(s->dtype));
	build(s);
	return 0;
}

void burn_set_close(struct burn_set *s)
{
	for (int i = 0; i < s->n_regions; i++)
		if (s->regions[i].at != s->plan.packed)
			pages_free(s->regions[i].at, s->regions[i].bytes);
	pages_free(s->output, s->out_bytes);
	pages_free(s->c, burn_elements(&s->shape, BURN_OUTPUT) * sizeof(float));
	plan_close(&s->plan);
	memset(s, 0, sizeof(*s));
}

void burn_set_run(struct burn_set *s)
{
	const struct impl_stress *x = s->impl->stress;
	const size_t m = (size_t)s->shape.m, n = (size_t)s->shape.n, line = line_bytes(s);
	float *c = s->dtype == BURN_FLOAT32 ? s->output : s->c;

	if (s->op == BURN_CONV2D) {
		plan_run(&s->plan, &s->at);
		return;
	}
	for (size_t row = 0; row < m; row += (size_t)x->rows)
		for (size_t col = 0; col < n; col += (size_t)x->cols)
			x->tile((char *)s->a + row * line, (char *)s->b + col * line, TERMS,
				c + row * n + col, n);
	if (s->dtype == BURN_BFLOAT16)
		x->check->narrow(c, s->output, m * n);
}

void *burn_set_sums(const struct burn_set *s, size_t *bytes)
{
	*bytes = s->op == BURN_CONV2D ? s->plan.work_total
		: burn_elements(&s->shape, BURN_OUTPUT) * sizeof(float);
	if (s->op == BURN_CONV2D)
		return s->plan.job.work;
	return s->dtype == BURN_FLOAT32 ? NULL : s->c;
}

bool burn_set_equal(struct burn_set *s)
{
	const size_t words = s->out_bytes / sizeof(uint32_t);

	return s->impl->stress->check->equal(s->output, s->expected, words);
}

/* Make everything again and report each word that differs from the old copy, or that none does. */
static void rebuild(struct burn_set *s, burn_set_found *found, void *arg)
{
	uint32_t *old[BURN_REGIONS];
	bool any = false;

	for (int i = 0; i < s->n_regions; i++) {
		old[i] = mem_calloc(1, s->regions[i].bytes);
		memcpy(old[i], s->regions[i].at, s->regions[i].bytes);
	}
	build(s);
	for (int i = 0; i < s->n_regions; i++) {
		const uint32_t *now = s->regions[i].at;

		for (size_t k = 0; k < s->regions[i].bytes / sizeof(*now); k++)
			if (now[k] != old[i][k]) {
				found(arg, s->regions[i].what, k, old[i][k], now[k]);
				any = true;
			}
		free(old[i]);
	}
	if (!any)
		found(arg, BURN_IS_SUM_ONCE, 0, 0, 0);
}

int burn_set_check(struct burn_set *s, burn_set_found *found, void *arg)
{
	for (int i = 0; i < s->n_regions; i++) {
		const struct burn_region *r = &s->regions[i];

		if (s->impl->stress->check->sum(r->at, r->bytes / sizeof(uint32_t)) == r->sum)
			continue;
		rebuild(s, found, arg);
		return i;
	}
	return s->n_regions;
}

size_t burn_set_words(int kind, const struct impl *i)
{
	const struct burn_shape s = shape_of((enum burn_op)(kind / BURN_DTYPES), i);

	return burn_elements(&s, BURN_OUTPUT);
}

int burn_set_regions(int kind)
{
	return kind / BURN_DTYPES == BURN_CONV2D ? CONV_REGIONS : MATMUL_REGIONS;
}

const char *burn_set_pattern(int pattern)
{
	return pattern >= 0 && pattern < BURN_PATTERNS ? names[pattern] : "";
}

void burn_set_case(int kind, const struct impl *i, char *out, size_t size)
{
	const struct burn_shape s = shape_of((enum burn_op)(kind / BURN_DTYPES), i);

	if (s.op == BURN_CONV2D)
		snprintf(out, size, "%d channels, %d x %d, %d filters of 3 x 3", CHANNELS, HEIGHT,
			WIDTH, FILTERS);
	else
		snprintf(out, size, "%d x %d by %d x %d, packed", s.m, s.k, s.k, s.n);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_burnin_gradient.c - gradients are what mathematics says they are, every implementation
 * computes the same, and the bound that versions are held to is neither too narrow nor too wide.
 */
#include "config.h"
#include "base/mem.h"
#include "burnin/kernels/bf16.h"
#include "burnin/kernels/case.h"
#include "burnin/kernels/impl.h"
#include "burnin/reference/compare.h"
#include "burnin/reference/data.h"
#include "burnin/reference/golden.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct burn_shape shapes[] = {
	{ BURN_CONV2D, 8, 32, 32, 1024, 32, 72 },	/* the smallest case */
	{ BURN_CONV2D, 1, 1, 32, 32, 1, 9 },
	{ BURN_CONV2D, 5, 7, 32, 224, 37, 45 },		/* odd */
	{ BURN_MATMUL, 0, 0, 0, 1, 1, 1 },
	{ BURN_MATMUL, 0, 0, 0, 7, 5, 13 },
	{ BURN_MATMUL, 0, 0, 0, 16, 32, 32 },
	{ BURN_MATMUL, 0, 0, 0, 1, 33, 300 },
	{ BURN_MATMUL, 0, 0, 0, 131, 1, 65 },
	{ BURN_MATMUL, 0, 0, 0, 65, 129, 257 },
};

/* The operands of a forward pass, a gradient of its result, and room for results. */
struct pass {
	struct burn_shape shape;
	enum burn_dtype dtype;
	void *at[BURN_ROLES];
	void *result;
};

/* Whole numbers, small enough that every sum of theirs is exact. */
static void *integers(enum burn_dtype t, size_t n)
{
	void *p = calloc(n + 1, burn_dtype_size(t));

	assert_non_null(p);
	for (size_t i = 0; i < n; i++)
		element_set(t, p, i, rand() % 5 - 2);
	return p;
}

static void pass_init(struct pass *p, const struct burn_shape *s, enum burn_dtype t)
{
	*p = (struct pass){ .shape = *s, .dtype = t };
	for (int role = 0; role < BURN_ROLES; role++)
		p->at[role] = integers(t, burn_elements(s, (enum burn_role)role));
	p->result = integers(t, burn_elements(s, BURN_OUTPUT));
}

static void pass_clear(struct pass *p)
{
	for (int role = 0; role < BURN_ROLES; role++)
		free(p->at[role]);
	free(p->result);
}

static struct burn_operands operands(const struct pass *p)
{
	return (struct burn_operands){ p->at[BURN_INPUT], p->at[BURN_WEIGHT],
		p->shape.op == BURN_CONV2D ? p->at[BURN_BIAS] : NULL, p->at[BURN_OUTPUT] };
}

/* By the definition, on so many threads. */
static void *defined(const struct pass *p, enum burn_role by, int threads)
{
	struct gradient g = { .of = p->shape, .dtype = p->dtype, .at = operands(p),
		.result = p->result, .by = by, .threads = threads };

	g.output = integers(p->dtype, burn_elements(&p->shape, by));
	for (int i = 0; i < threads; i++)
		gradient_define(&g, i);
	return g.output;
}

static double *forward(const struct pass *p)
{
	struct burn_operands at = operands(p);

	at.output = calloc(burn_elements(&p->shape, BURN_OUTPUT), sizeof(double));
	assert_non_null(at.output);
	golden_run(&p->shape, BURN_FLOAT64, &at, 2);
	return at.output;
}

/*
 * The operation is linear in each operand: what a step V of one of them changes in Y, along dY,
 * is what the gradient by it says along V: <dY, f(X + V) - f(X)> = <g, V>.
 */
static void check_step(const struct burn_shape *s, enum burn_role by)
{
	const size_t n = burn_elements(s, by), results = burn_elements(s, BURN_OUTPUT);
	double *step, *before, *after, *g, along_result = 0, along_step = 0;
	struct pass p;

	pass_init(&p, s, BURN_FLOAT64);
	step = integers(BURN_FLOAT64, n);
	g = defined(&p, by, 1);
	before = forward(&p);
	for (size_t i = 0; i < n; i++)
		((double *)p.at[by])[i] += step[i];
	after = forward(&p);
	for (size_t i = 0; i < results; i++)
		along_result += ((double *)p.result)[i] * (after[i] - before[i]);
	for (size_t i = 0; i < n; i++)
		along_step += g[i] * step[i];
	assert_true(along_result == along_step);
	free(step);
	free(before);
	free(after);
	free(g);
	pass_clear(&p);
}

static void a_gradient_says_what_a_step_changes(void **state)
{
	(void)state;
	for (size_t s = 0; s < ARRAY_LEN(shapes); s++)
		for (int by = BURN_INPUT; by <= BURN_WEIGHT; by++)
			for (int again = 0; again < 3; again++)
				check_step(&shapes[s], (enum burn_role)by);
}

/* The operation of a gradient, on one implementation. */
static void run(const struct impl *i, const struct gradient_operation *o, enum burn_dtype t)
{
	struct team *team;
	struct plan plan;
	struct error e;

	assert_int_equal(team_open(&team, 2, false, &e), 0);
	assert_int_equal(plan_open(&plan, i, &o->shape, t, team, &e), 0);
	plan_pack(&plan, o->at.weight);
	plan_run(&plan, &o->at);
	plan_close(&plan);
	team_close(team);
}

static int compared;

static void check_gradient(const struct burn_shape *s, enum burn_dtype t, enum burn_role by)
{
	const size_t size = burn_elements(s, by) * burn_dtype_size(t);
	struct gradient_operation o;
	struct gradient g;
	struct pass p;
	void *want;

	pass_init(&p, s, t);
	want = defined(&p, by, 3);
	g = (struct gradient){ .of = *s, .dtype = t, .at = operands(&p), .result = p.result,
		.by = by, .output = calloc(1, size) };
	assert_non_null(g.output);
	gradient_make(&o, &g);
	assert_int_equal(burn_elements(&o.shape, BURN_OUTPUT), burn_elements(s, by));
	for (int i = 0; impls[i]; i++) {
		if (!impl_usable(impls[i], o.shape.op, t))
			continue;
		memset(g.output, 0x5a, size);
		run(impls[i], &o, t);
		for (size_t k = 0; k < burn_elements(s, by); k++)
			if (element_get(t, g.output, k) != element_get(t, want, k))
				fail_msg("%s, %s, %s of %d x %d x %d: [%zu]", impls[i]->name,
					burn_dtype_name(t), gradient_name(s->op, by), s->m, s->n,
					s->k, k);
		compared++;
	}
	gradient_clear(&o);
	free(g.output);
	free(want);
	pass_clear(&p);
}

static void every_implementation_computes_the_gradients_of_the_definition(void **state)
{
	(void)state;
	for (size_t s = 0; s < ARRAY_LEN(shapes); s++)
		for (int t = 0; t < BURN_COMPUTED; t++)
			for (int by = BURN_INPUT; by <= BURN_WEIGHT; by++)
				check_gradient(&shapes[s], (enum burn_dtype)t, (enum burn_role)by);
	assert_true(compared >= (int)ARRAY_LEN(shapes) * BURN_COMPUTED * 2 * 2);
}

/* An operation on drawn operands, and its result by the plainest implementation. */
struct drawn {
	struct data d;
	struct burn_shape shape;
	struct burn_operands at;
	struct bound bound;
	size_t n;
};

static void drawn_init(struct drawn *x, const struct burn_shape *s, enum burn_dtype t)
{
	*x = (struct drawn){ .shape = *s, .n = burn_elements(s, BURN_OUTPUT) };
	data_init_shape(&x->d, s, BURN_FLOAT32);
	data_draw(&x->d);
	data_turn(&x->d, t);
	x->at = data_operands(&x->d, s->op, calloc(x->n, burn_dtype_size(t)));
	assert_non_null(x->at.output);
	bound_init(&x->bound, s, t, &x->at);
	run(impls[0], &(struct gradient_operation){ .shape = *s, .at = x->at }, t);
}

static void drawn_clear(struct drawn *x)
{
	free(x->at.output);
	bound_clear(&x->bound);
	data_clear(&x->d);
}

static void what_is_right_lies_within_the_bound(void **state)
{
	(void)state;
	for (size_t s = 0; s < ARRAY_LEN(shapes); s++)
		for (int t = 0; t < BURN_COMPUTED; t++) {
			struct bound_result r;
			struct drawn x;
			void *golden;

			drawn_init(&x, &shapes[s], (enum burn_dtype)t);
			golden = calloc(x.n, burn_dtype_size((enum burn_dtype)t));
			assert_non_null(golden);
			for (int i = 0; impls[i]; i++) {
				struct gradient_operation o = { .shape = x.shape, .at = x.at };

				if (!impl_usable(impls[i], x.shape.op, (enum burn_dtype)t))
					continue;
				o.at.output = golden;
				run(impls[i], &o, (enum burn_dtype)t);
				bound_compare(&x.bound, x.at.output, golden, &r);
				assert_true(bound_holds(&r));
				assert_true(r.share < (t == BURN_BFLOAT16 ? 1 : 0.5));
			}
			free(golden);
			drawn_clear(&x);
		}
}

/* The i-th result becomes v: whether that is seen, and laid to its place. */
static bool is_seen(const struct drawn *x, size_t i, double v)
{
	const enum burn_dtype t = x->bound.dtype;
	const size_t bytes = x->n * burn_dtype_size(t);
	struct bound_result r;
	void *other = malloc(bytes);

	assert_non_null(other);
	memcpy(other, x->at.output, bytes);
	element_set(t, other, i, v);
	bound_compare(&x->bound, x->at.output, other, &r);
	free(other);
	assert_true(bound_holds(&r) || r.place == i);
	return !bound_holds(&r);
}

/* What a wrong kernel does: a sign, a term that is lost, a word of nothing. */
static void what_is_wrong_does_not(void **state)
{
	(void)state;
	for (size_t s = 0; s < ARRAY_LEN(shapes); s++)
		for (int t = 0; t < BURN_COMPUTED; t++) {
			struct drawn x;
			size_t i;
			double y;

			drawn_init(&x, &shapes[s], (enum burn_dtype)t);
			i = x.n / 2;
			y = element_get((enum burn_dtype)t, x.at.output, i);
			assert_false(is_seen(&x, i, y));
			assert_true(is_seen(&x, i, NAN));
			assert_true(is_seen(&x, i, INFINITY));
			assert_true(is_seen(&x, i, 0));
			assert_true(is_seen(&x, i, -y));
			if (t != BURN_BFLOAT16)
				assert_true(is_seen(&x, i, y + 0.01));
			assert_true(is_seen(&x, i, y * 1.05));
			drawn_clear(&x);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_gradient_says_what_a_step_changes),
		cmocka_unit_test(every_implementation_computes_the_gradients_of_the_definition),
		cmocka_unit_test(what_is_right_lies_within_the_bound),
		cmocka_unit_test(what_is_wrong_does_not),
	};

	srand(42);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

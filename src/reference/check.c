/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check.c - -b check: every implementation, compared with the golden results, and the versions with
 * one another, element by element: the results, and the gradients of the backward pass.  v1 is
 * computed whatever --impl chooses, because gradients have no golden results and are compared with
 * those of v1.
 */
#include "config.h"
#include "src/reference/reference.h"

#include "base/mem.h"
#include "burnin/kernels/bf16.h"
#include "burnin/kernels/cpu.h"
#include "burnin/reference/compare.h"
#include "burnin/reference/golden.h"
#include "src/say.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { VERSIONS = 3 };

struct check {
	struct kernels kernels;		/* first: kernels_run() has this one */
	struct reference_count n;
};

/* The largest difference between two versions: for v3, of the implementation that is farthest. */
struct pair {
	const struct impl *with;	/* NULL: none was compared */
	struct bound_result result;
};

/* One tensor that all implementations compute: a result, or a gradient. */
struct product {
	const char *name;		/* "y", "dX" */
	struct burn_shape shape;
	enum burn_dtype dtype;
	struct burn_operands at;
	const struct gradient *gradient;	/* NULL: a result */
	const void *golden;		/* NULL: there is none */
	void *kept[VERSIONS];		/* results of the plainer versions */
	struct bound bound;
	struct pair pairs[VERSIONS][VERSIONS];
};

static double norm(enum burn_dtype t, const void *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += element_get(t, v, i) * element_get(t, v, i);
	return sqrt(sum);
}

static int version_of(const struct impl *i)
{
	return i->version[1] - '1';
}

/* Compute to output; false: it could not be run, and we said why. */
static bool compute_output(struct check *c, const struct impl *i, const struct product *p,
	void *output)
{
	struct burn_operands at = p->at;
	struct plan plan;

	at.output = output;
	if (p->gradient && version_of(i) == 0) {
		struct gradient by_definition = *p->gradient;

		by_definition.output = output;
		by_definition.threads = team_threads(c->kernels.team);
		team_run(c->kernels.team, gradient_define, &by_definition);
		return true;
	}
	if (!kernels_plan(&c->kernels, &plan, i, &p->shape, p->dtype, at.weight))
		return false;
	plan_run(&plan, &at);
	plan_close(&plan);
	return true;
}

static void print_row(struct check *c, const struct impl *i, const struct product *p,
	const void *output, size_t n)
{
	char pcc[REFERENCE_PCC];
	struct compare cmp;
	bool good;

	printf("  %s %-10s ||%s|| = %-*.15g", i->version, i->name, p->name, p->golden ? 20 : 0,
		norm(p->dtype, output, n));
	if (p->golden) {
		compare_run(p->dtype, p->dtype, p->golden, output, n, &cmp);
		good = compare_passes(&cmp, c->kernels.j->pcc, c->kernels.j->ulp);
		reference_judge(&c->n, good);
		printf(" == golden: %s (%.1e), ULP max %.4g mean %.3g, PCC %s, %.3g of the "
		       "tolerance: %s", good ? "True" : "False", cmp.max_abs, cmp.max_ulp,
			cmp.mean_ulp, reference_pcc(cmp.pcc, pcc), cmp.worst_share,
			good ? "pass" : "FAIL");
	}
	putchar('\n');
	if (p->golden && cmp.non_finite)
		printf("     %zu NaN or infinite\n", cmp.non_finite);
	fflush(stdout);
}

/* Compare the output with the result of each plainer version. */
static void compare_versions(struct product *p, const struct impl *i, const void *output)
{
	for (int v = 0; v < version_of(i); v++) {
		struct pair *pair = &p->pairs[v][version_of(i)];
		struct bound_result r;

		if (!p->kept[v])
			continue;
		bound_compare(&p->bound, p->kept[v], output, &r);
		if (!pair->with || r.share > pair->result.share)
			*pair = (struct pair){ .with = i, .result = r };
	}
}

static void check_impl(struct check *c, const struct impl *i, struct product *p, bool chosen)
{
	const size_t n = burn_elements(&p->shape, BURN_OUTPUT);
	void *output = mem_calloc(n, burn_dtype_size(p->dtype));

	if (!compute_output(c, i, p, output)) {
		c->n.broken++;
		free(output);
		return;
	}
	if (chosen)
		print_row(c, i, p, output, n);
	compare_versions(p, i, output);
	if (version_of(i) < VERSIONS - 1 && !p->kept[version_of(i)])
		p->kept[version_of(i)] = output;
	else
		free(output);
}

static void print_pairs(struct check *c, const struct product *p)
{
	for (int v = 0; v < VERSIONS; v++)
		for (int w = v + 1; w < VERSIONS; w++) {
			const struct pair *pair = &p->pairs[v][w];
			const bool good = bound_holds(&pair->result);

			if (!pair->with)
				continue;
			reference_judge(&c->n, good);
			printf("  v%d_%s == v%d_%s: %s (%.1e), %.3g of the bound, %s: %s\n", v + 1,
				p->name, w + 1, p->name, good ? "True" : "False",
				pair->result.max_abs, pair->result.share, pair->with->name,
				good ? "pass" : "FAIL");
			if (!good)
				printf("     element %zu is the farthest\n", pair->result.place);
		}
}

static void check_product(struct check *c, struct product *p)
{
	const uint32_t chosen = c->kernels.j->o->impls;

	bound_init(&p->bound, &p->shape, p->dtype, &p->at);
	for (int i = 0; impls[i] && !stop_check(&c->kernels.stop); i++)
		if (impl_usable(impls[i], p->shape.op, p->dtype) &&
			(!chosen || chosen & 1u << i || i == 0))
			check_impl(c, impls[i], p, !chosen || chosen & 1u << i);
	print_pairs(c, p);
	for (int v = 0; v < VERSIONS; v++)
		free(p->kept[v]);
	bound_clear(&p->bound);
}

static void check_gradients(struct check *c, const struct data *d, enum burn_op op)
{
	struct gradient g = { .of = d->shapes[op], .dtype = d->dtype,
		.at = data_operands(d, op, NULL) };
	void *result = data_draw_elements(d->dtype, BURN_SEED + 2,
		burn_elements(&g.of, BURN_OUTPUT));

	g.result = result;
	for (int by = BURN_INPUT; by <= BURN_WEIGHT && !stop_check(&c->kernels.stop); by++) {
		struct gradient_operation o;
		struct product p;

		g.by = (enum burn_role)by;
		gradient_make(&o, &g);
		p = (struct product){ .name = gradient_name(op, g.by), .shape = o.shape,
			.dtype = d->dtype, .at = o.at, .gradient = &g };
		check_product(c, &p);
		gradient_clear(&o);
	}
	free(result);
}

static void check_op(struct kernels *k, const struct data *d, enum burn_op op)
{
	struct check *c = (struct check *)k;
	const size_t n = burn_elements(&d->shapes[op], BURN_OUTPUT);
	void *golden = mem_calloc(n, burn_dtype_size(d->dtype));
	const struct burn_operands at = data_operands(d, op, golden);
	struct product p = { .name = "y", .shape = d->shapes[op], .dtype = d->dtype, .at = at,
		.golden = golden };
	char name[KERNELS_NAME];

	golden_run(&p.shape, p.dtype, &at, k->j->threads);
	printf("%s, %s, %s\n", burn_op_name(op), burn_dtype_name(d->dtype),
		kernels_name(d, name));
	printf("     %-10s ||y|| = %.15g\n", "golden", norm(p.dtype, golden, n));
	check_product(c, &p);
	free(golden);
	check_gradients(c, d, op);
}

/* Name what this processor lacks, so that no implementation is left out in silence. */
static void print_processor(int threads)
{
	char names[64];

	printf("%d threads; this processor: %s\n", threads,
		cpu_feature_names(cpu_features(), names, sizeof(names)));
	for (int i = 0; impls[i]; i++)
		if (impls[i]->needs & ~cpu_features())
			printf("not checked: %s needs %s\n", impls[i]->name,
				cpu_feature_names(impls[i]->needs, names, sizeof(names)));
	printf("bound of a pair: 2 u min(K + 2, 16) ||a|| ||b||, u 2^-24, of float64 2^-53; "
	       "bfloat16: and 2^-8 of both\n");
}

enum exit_code reference_check(const struct reference_job *j)
{
	struct check c = { .n = { 0 } };
	bool stopped;
	enum exit_code code;

	if (!kernels_open(&c.kernels, j, true))
		return EXIT_FAILED;
	print_processor(j->threads);
	kernels_run(&c.kernels, check_op);
	stopped = kernels_close(&c.kernels);
	code = reference_verdict(&c.n, "check", "checked", stopped);
	if (!stopped && c.n.passed + c.n.failed + c.n.broken == 0)
		say_as(CODE_UNSUPPORTED, "--impl: none of the implementations chosen computes this "
			"on this processor");
	return code;
}

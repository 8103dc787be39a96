/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check.c - --burnin check, and --burnin compare of any two files.
 */
#include "config.h"

#include "base/mem.h"
#include "base/text.h"
#include "burnin/kernels/bf16.h"
#include "burnin/kernels/case.h"
#include "burnin/kernels/cpu.h"
#include "burnin/kernels/impl.h"
#include "burnin/reference/array.h"
#include "burnin/reference/compare.h"
#include "burnin/reference/data.h"
#include "burnin/reference/golden.h"
#include "src/burnin/burnin.h"
#include "src/say.h"
#include "src/stop.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two files of arrays: how far the second is from the first, and where it is wrong. */

enum { PLACES = 12, TEXT_MOST = 320 };	/* wrong elements that are listed */

struct file_pair {
	const struct array_file *files;	/* golden, calculated */
	size_t at[2];
	double *values[2];
	struct compare c;
};

static const struct pickle_tensor *tensor_of(const struct file_pair *p, int side)
{
	return &p->files[side].arrays[p->at[side]].t;
}

/* The index of an element as "[3, 17]", from its number in C order. */
static const char *name_place(const struct pickle_tensor *t, size_t place, char out[static 200])
{
	size_t index[ARRAY_DIMS] = { 0 };
	int n = 1;

	for (int d = t->n_dims - 1; d >= 0; d--) {
		index[d] = place % t->dims[d];
		place /= t->dims[d];
	}
	snprintf(out, 200, "[");
	for (int d = 0; d < t->n_dims; d++)
		n += snprintf(out + n, 200 - (size_t)n, "%s%zu", d ? ", " : "", index[d]);
	snprintf(out + n, 200 - (size_t)n, "]");
	return out;
}

static void put_shape(const struct pickle_tensor *t, char out[static 200])
{
	int n = snprintf(out, 200, "%s", array_types[t->type].name);

	for (int d = 0; d < t->n_dims; d++)
		n += snprintf(out + n, 200 - (size_t)n, "%s%zu", d ? "x" : " ", t->dims[d]);
}

/* The type with fewer digits: both arrays have at least these. */
static enum burn_dtype coarser(const struct file_pair *p)
{
	const enum burn_dtype a = array_types[tensor_of(p, 0)->type].as,
			      b = array_types[tensor_of(p, 1)->type].as;

	if (a == BURN_INTEGER || b == BURN_INTEGER)
		return a == BURN_INTEGER ? b : a;
	return compare_ulp(a, 1) > compare_ulp(b, 1) ? a : b;
}

static void print_histogram(const struct compare *c)
{
	printf("  %13s  of %zu elements\n", "ULP", c->n);
	for (int i = 0; i < COMPARE_BINS; i++) {
		const bool last = i == COMPARE_BINS - 1;

		if (c->histogram[i] > 0)
			printf("  %s %10.0f  %zu\n", i == 0 ? "  " : last ? "> " : "<=",
				i == 0 ? 0 : ldexp(1, last ? i - 2 : i - 1), c->histogram[i]);
	}
}

/* Print the smallest box that holds all wrong elements: a lost row is one index in a dimension. */
static void print_box(const struct pickle_tensor *t, const size_t *low, const size_t *high)
{
	printf("  all of them lie within [");
	for (int d = 0; d < t->n_dims; d++) {
		printf("%s%zu", d ? ", " : "", low[d]);
		if (high[d] > low[d])
			printf("-%zu", high[d]);
	}
	printf("]\n");
}

static void widen_box(const struct pickle_tensor *t, size_t place, bool first, size_t *low,
	size_t *high)
{
	for (int d = t->n_dims - 1; d >= 0; d--) {
		const size_t i = place % t->dims[d];

		low[d] = first || i < low[d] ? i : low[d];
		high[d] = first || i > high[d] ? i : high[d];
		place /= t->dims[d];
	}
}

static void print_wrong(const struct file_pair *p, double pcc, double ulp)
{
	const struct pickle_tensor *t = tensor_of(p, 0);
	size_t low[ARRAY_DIMS] = { 0 }, high[ARRAY_DIMS] = { 0 }, n = 0;
	char place[200];

	for (size_t i = 0; i < p->c.n; i++) {
		const double g = p->values[0][i], v = p->values[1][i];

		if (!compare_is_wrong(&p->c, g, v, pcc, ulp))
			continue;
		if (n < PLACES)
			printf("  wrong at %s: %.9g is %.9g, %.4g ULP\n", name_place(t, i, place),
				g, v, fabs(v - g) / compare_ulp(p->c.type, g));
		widen_box(t, i, n == 0, low, high);
		n++;
	}
	printf("  %zu of %zu elements wrong: further off than %g rms + %g of themselves, or by "
		"more than\n  themselves and far more than the others", n, p->c.n,
		compare_tolerances[p->c.type].absolute, compare_tolerances[p->c.type].relative);
	if (ulp >= 0)
		printf(", or than %g ULP", ulp);
	printf("\n");
	if (n > 1 && t->n_dims > 0)
		print_box(t, low, high);
}

static void print_pair(const struct file_pair *p, const struct burnin_job *j, bool passes)
{
	const struct compare *c = &p->c;
	char place[200], pcc[BURNIN_PCC_TEXT];

	if (c->different == 0) {
		printf("  %zu elements, all equal: pass\n", c->n);
		return;
	}
	printf("  %zu of %zu elements differ, PCC %s, relative error %.3g\n", c->different, c->n,
		burnin_pcc_text(c->pcc, pcc), c->relative);
	printf("  largest error %.6g at %s; ULP of %s: mean %.4g", c->max_abs,
		name_place(tensor_of(p, 0), c->farthest, place), burn_dtype_name(c->type),
		c->mean_ulp);
	printf(", largest %.6g at %s\n", c->max_ulp,
		name_place(tensor_of(p, 0), c->worst, place));
	if (c->non_finite)
		printf("  %zu NaN or infinite where the other is not the same\n", c->non_finite);
	print_histogram(c);
	print_wrong(p, j->pcc, j->ulp);
	printf("  %s\n", passes ? "pass" : "FAIL");
}

static int read_values(struct file_pair *p, const char *const *paths, struct error *e)
{
	struct error why;

	for (int side = 0; side < 2; side++) {
		const int r = array_read(&p->files[side], p->at[side], &p->values[side], &why);

		if (r < 0)
			return fail_because(e, r, &why, "%s: %s", paths[side], why.text);
	}
	return 0;
}

static bool has_shape(const struct file_pair *p)
{
	const struct pickle_tensor *a = tensor_of(p, 0), *b = tensor_of(p, 1);

	return a->n_dims == b->n_dims &&
	       memcmp(a->dims, b->dims, sizeof(a->dims[0]) * (size_t)a->n_dims) == 0;
}

/* 1: they agree, 0: they do not; -errno. */
static int compare_pair(const struct burnin_job *j, struct file_pair *p, const char *const *paths,
	struct error *e)
{
	char shapes[2][200], name[TEXT_MOST];
	bool passes = false;
	int r;

	put_shape(tensor_of(p, 0), shapes[0]);
	put_shape(tensor_of(p, 1), shapes[1]);
	printf("%s%s%s and %s\n", text_plain(name, sizeof(name), tensor_of(p, 0)->name),
		*tensor_of(p, 0)->name ? ": " : "", shapes[0], shapes[1]);
	if (!has_shape(p)) {
		printf("  another shape: FAIL\n");
		return 0;
	}
	r = read_values(p, paths, e);
	if (r == 0) {
		compare_run(coarser(p), p->values[0], p->values[1], tensor_of(p, 0)->elements,
			&p->c);
		passes = compare_passes(&p->c, j->pcc, j->ulp);
		if (p->c.n == 0)
			r = fail(e, -ENODATA, "%s: has no elements to compare", paths[0]);
		else
			print_pair(p, j, passes);
	}
	free(p->values[0]);
	free(p->values[1]);
	return r < 0 ? r : passes;
}

/* Find the array of the same name; if each file has only one array, take that. */
static bool find_other(const struct array_file *files, struct file_pair *p)
{
	const char *name = files[0].arrays[p->at[0]].t.name;

	if (files[0].n == 1 && files[1].n == 1)
		return true;
	for (p->at[1] = 0; p->at[1] < files[1].n; p->at[1]++)
		if (strcmp(files[1].arrays[p->at[1]].t.name, name) == 0)
			return true;
	return false;
}

static enum exit_code compare_opened(const struct burnin_job *j, const struct array_file *files,
	const char *const *paths)
{
	size_t passed = 0, failed = 0, broken = 0;
	char name[TEXT_MOST];
	struct error e;

	for (size_t i = 0; i < files[0].n; i++) {
		struct file_pair p = { .files = files, .at = { i, 0 } };
		int r = 0;

		if (find_other(files, &p))
			r = compare_pair(j, &p, paths, &e);
		else
			printf("'%s' is only in the first: FAIL\n",
				text_plain(name, sizeof(name), files[0].arrays[i].t.name));
		if (r < 0)
			say_error(&e);
		passed += r > 0;
		failed += r == 0;
		broken += r < 0;
	}
	if (files[1].n > files[0].n) {
		printf("%zu more arrays in the second: FAIL\n", files[1].n - files[0].n);
		failed++;
	}
	printf("compare: %zu passed, %zu failed, %zu could not be compared\n", passed, failed,
		broken);
	return exit_judged(failed > 0, broken > 0);
}

enum exit_code burnin_compare_files(const struct burnin_job *j)
{
	const char *const *paths = j->args;
	struct array_file files[2] = { { .fd = -1 }, { .fd = -1 } };
	enum exit_code code = exit_judged(false, true);
	struct error e;

	if (j->n_args != 2 || j->chosen) {
		say_as(CODE_CONFLICT, "compare of two files takes two, and neither --cases nor "
			"--dtype");
		return EXIT_USAGE;
	}
	if (array_open(paths[0], &files[0], &e) < 0 || array_open(paths[1], &files[1], &e) < 0)
		say_error(&e);
	else
		code = compare_opened(j, files, paths);
	array_close(&files[0]);
	array_close(&files[1]);
	return code;
}

/*
 * Every implementation, compared with the golden results, and the versions with one another,
 * element by element: the results, and the gradients of the backward pass.  v1 is computed whatever
 * --impl chooses, because gradients have no golden results and are compared with those of v1.
 */

enum { VERSIONS = 3 };

struct check {
	const struct burnin_job *j;
	struct team *team;
	struct stop stop;
	int passed, failed, broken;
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
	struct error e;
	int r = 0;

	at.output = output;
	if (p->gradient && version_of(i) == 0) {
		struct gradient by_definition = *p->gradient;

		by_definition.output = output;
		by_definition.threads = team_threads(c->team);
		team_run(c->team, gradient_define, &by_definition);
		return true;
	}
	r = plan_open(&plan, i, &p->shape, p->dtype, c->team, &e);
	if (r == 0) {
		plan_pack(&plan, at.weight);
		plan_run(&plan, &at);
	} else {
		say_error(&e);
	}
	plan_close(&plan);
	return r == 0;
}

static void count_verdict(struct check *c, bool good)
{
	if (good)
		c->passed++;
	else
		c->failed++;
}

static void print_row(struct check *c, const struct impl *i, const struct product *p,
	const void *output, size_t n)
{
	char pcc[BURNIN_PCC_TEXT];
	struct compare cmp;
	bool good;

	printf("  %s %-10s ||%s|| = %-*.15g", i->version, i->name, p->name, p->golden ? 20 : 0,
		norm(p->dtype, output, n));
	if (p->golden) {
		compare_elements(p->dtype, p->golden, output, n, &cmp);
		good = compare_passes(&cmp, c->j->pcc, c->j->ulp);
		count_verdict(c, good);
		printf(" == golden: %s (%.1e), ULP max %.4g mean %.3g, PCC %s, %.3g of the "
		       "tolerance: %s", good ? "True" : "False", cmp.max_abs, cmp.max_ulp,
			cmp.mean_ulp, burnin_pcc_text(cmp.pcc, pcc), cmp.worst_share,
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
		c->broken++;
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
			count_verdict(c, good);
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
	const uint32_t chosen = c->j->o->impls;

	bound_init(&p->bound, &p->shape, p->dtype, &p->at);
	for (int i = 0; impls[i] && !stop_check(&c->stop); i++)
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
	for (int by = BURN_INPUT; by <= BURN_WEIGHT && !stop_check(&c->stop); by++) {
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

static void check_op(struct check *c, const struct data *d, enum burn_op op)
{
	const size_t n = burn_elements(&d->shapes[op], BURN_OUTPUT);
	void *golden = mem_calloc(n, burn_dtype_size(d->dtype));
	const struct burn_operands at = data_operands(d, op, golden);
	struct product p = { .name = "y", .shape = d->shapes[op], .dtype = d->dtype, .at = at,
		.golden = golden };
	char name[48];

	golden_run(&p.shape, p.dtype, &at, c->j->threads);
	printf("%s, %s, %s\n", burn_op_name(op), burn_dtype_name(d->dtype),
		burnin_item_name(d, name, sizeof(name)));
	printf("     %-10s ||y|| = %.15g\n", "golden", norm(p.dtype, golden, n));
	check_product(c, &p);
	free(golden);
	check_gradients(c, d, op);
}

static void check_item(struct check *c, struct data *d)
{
	data_draw(d);
	for (size_t i = 0; i < BURN_COMPUTED; i++) {
		if (!c->j->which.dtypes[burnin_types[i]])
			continue;
		data_turn(d, burnin_types[i]);
		for (int op = 0; op < BURN_OPS && !stop_check(&c->stop); op++)
			if (d->shapes[op].m > 0)
				check_op(c, d, (enum burn_op)op);
	}
	data_clear(d);
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

enum exit_code burnin_check(const struct burnin_job *j)
{
	struct check c = { .j = j };
	struct data d;
	bool stopped;
	struct error e;

	if (!burnin_items_fit(j, true))
		return EXIT_FAILED;
	/* Do this before there are threads, which a signal could reach otherwise. */
	stop_open_printing(&c.stop, true);
	if (team_open(&c.team, j->threads, false, &e) < 0) {
		say_error(&e);
		stop_close(&c.stop);
		return EXIT_FAILED;
	}
	print_processor(j->threads);
	for (size_t i = 0; i < burnin_items(j) && !stop_check(&c.stop); i++)
		if (burnin_item(j, i, &d))
			check_item(&c, &d);
	stopped = stop_check(&c.stop);
	stop_close(&c.stop);
	team_close(c.team);
	printf("check: %d passed, %d failed, %d could not be checked%s\n", c.passed, c.failed,
		c.broken, stopped ? "; stopped" : "");
	if (!stopped && c.passed + c.failed + c.broken == 0)
		say_as(CODE_UNSUPPORTED, "--impl: none of the implementations chosen computes this "
			"on this processor");
	return exit_judged(c.failed > 0, c.broken > 0 || c.passed == 0 || stopped);
}

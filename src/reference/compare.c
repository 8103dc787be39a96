/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare.c - -b compare of any two files of arrays: how far the second is from the first, and
 * where it is wrong.
 */
#include "config.h"
#include "src/reference/reference.h"

#include "base/mem.h"
#include "base/text.h"
#include "burnin/reference/array.h"
#include "burnin/reference/compare.h"
#include "src/say.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 12 };	/* wrong elements that are listed */

struct file_pair {
	const struct array_file *files;	/* golden, calculated */
	size_t at[2];
	double *values[2];
	struct compare c;
};

static const struct array *tensor_of(const struct file_pair *p, int side)
{
	return &p->files[side].arrays[p->at[side]];
}

/* The index of an element as "[3, 17]", from its number in C order. */
static const char *name_place(const struct array *t, size_t place, char out[static 200])
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

static void put_shape(const struct array *t, char out[static 200])
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
static void print_box(const struct array *t, const size_t *low, const size_t *high)
{
	printf("  all of them lie within [");
	for (int d = 0; d < t->n_dims; d++) {
		printf("%s%zu", d ? ", " : "", low[d]);
		if (high[d] > low[d])
			printf("-%zu", high[d]);
	}
	printf("]\n");
}

static void widen_box(const struct array *t, size_t place, bool first, size_t *low,
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
	const struct array *t = tensor_of(p, 0);
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

static void print_pair(const struct file_pair *p, const struct reference_job *j, bool passes)
{
	const struct compare *c = &p->c;
	char place[200], pcc[REFERENCE_PCC];

	if (c->different == 0) {
		printf("  %zu elements, all equal: pass\n", c->n);
		return;
	}
	printf("  %zu of %zu elements differ, PCC %s, relative error %.3g\n", c->different, c->n,
		reference_pcc(c->pcc, pcc), c->relative);
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

static int read_values(struct file_pair *p, const char *const paths[2], struct error *e)
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
	const struct array *a = tensor_of(p, 0), *b = tensor_of(p, 1);

	return a->n_dims == b->n_dims &&
	       memcmp(a->dims, b->dims, sizeof(a->dims[0]) * (size_t)a->n_dims) == 0;
}

/* 1: they agree, 0: they do not; -errno. */
static int compare_pair(const struct reference_job *j, struct file_pair *p, struct error *e)
{
	char shapes[2][200];
	bool passes = false;
	int r;

	put_shape(tensor_of(p, 0), shapes[0]);
	put_shape(tensor_of(p, 1), shapes[1]);
	say_result("%s%s%s and %s", tensor_of(p, 0)->name, *tensor_of(p, 0)->name ? ": " : "",
		shapes[0], shapes[1]);
	if (!has_shape(p)) {
		printf("  another shape: FAIL\n");
		return 0;
	}
	r = read_values(p, j->args, e);
	if (r == 0) {
		compare_run(coarser(p), BURN_FLOAT64, p->values[0], p->values[1],
			tensor_of(p, 0)->elements, &p->c);
		passes = compare_passes(&p->c, j->pcc, j->ulp);
		if (p->c.n == 0)
			r = fail(e, -ENODATA, "%s: has no elements to compare", j->args[0]);
		else
			print_pair(p, j, passes);
	}
	free(p->values[0]);
	free(p->values[1]);
	return r < 0 ? r : passes;
}

/* Pointers into one list of arrays; of the same name, the first in the list comes first. */
static int by_name(const void *a, const void *b)
{
	const struct array *const *x = a, *const *y = b;
	const int r = strcmp((*x)->name, (*y)->name);

	return r ? r : (*x > *y) - (*x < *y);
}

static const struct array **sort_names(const struct array_file *f)
{
	const struct array **sorted = mem_calloc(f->n + 1, sizeof(*sorted));

	for (size_t i = 0; i < f->n; i++)
		sorted[i] = &f->arrays[i];
	qsort(sorted, f->n, sizeof(*sorted), by_name);
	return sorted;
}

/* Find the array of the same name; if each file has only one array, take that. */
static bool find_other(struct file_pair *p, const struct array **sorted)
{
	const char *name = tensor_of(p, 0)->name;
	size_t low = 0, high = p->files[1].n;

	if (p->files[0].n == 1 && high == 1)
		return true;
	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (strcmp(sorted[mid]->name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == p->files[1].n || strcmp(sorted[low]->name, name) != 0)
		return false;
	p->at[1] = (size_t)(sorted[low] - p->files[1].arrays);
	return true;
}

static enum exit_code compare_opened(const struct reference_job *j, const struct array_file *files)
{
	const struct array **sorted = sort_names(&files[1]);
	struct reference_count n = { 0 };
	struct error e;

	for (size_t i = 0; i < files[0].n; i++) {
		struct file_pair p = { .files = files, .at = { i, 0 } };
		int r = 0;

		if (find_other(&p, sorted))
			r = compare_pair(j, &p, &e);
		else
			say_result("'%s' is only in the first: FAIL", files[0].arrays[i].name);
		if (r >= 0) {
			reference_judge(&n, r > 0);
			continue;
		}
		say_error(&e);
		n.broken++;
	}
	free(sorted);
	if (files[1].n > files[0].n) {
		printf("%zu more arrays in the second: FAIL\n", files[1].n - files[0].n);
		n.failed++;
	}
	return reference_verdict(&n, "compare", "compared", false);
}

enum exit_code reference_compare_files(const struct reference_job *j)
{
	struct array_file files[2] = { { .fd = -1 }, { .fd = -1 } };
	enum exit_code code = exit_judged(false, true);
	struct error e;

	if (j->n_args != 2 || j->chosen) {
		say_as(CODE_CONFLICT, "compare of two files takes two, and neither --cases nor "
			"--dtype");
		return EXIT_USAGE;
	}
	if (array_open(j->args[0], &files[0], &e) < 0 ||
		array_open(j->args[1], &files[1], &e) < 0)
		say_error(&e);
	else
		code = compare_opened(j, files);
	array_close(&files[0]);
	array_close(&files[1]);
	return code;
}

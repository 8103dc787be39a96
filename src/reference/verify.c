/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verify.c - -b verify of a folder of reference data, and -b compare with one.
 */
#include "config.h"
#include "src/reference/reference.h"

#include "burnin/reference/compare.h"
#include "src/say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The correlation and the farthest element both decide: each misses faults that the other sees. */
static void print_comparison(enum burn_dtype t, const struct compare *c)
{
	const struct compare_tolerance *may = &compare_tolerances[t];
	char pcc[REFERENCE_PCC];

	if (c->different == 0)
		printf("%zu equal\n", c->n);
	else
		printf("%zu of %zu differ, ULP max %.6g mean %.4g, abs %.4g, rel %.3g, PCC %s, "
			"[%zu] %.3g of %g rms + %g |golden|%s",
			c->different, c->n, c->max_ulp, c->mean_ulp, c->max_abs, c->relative,
			reference_pcc(c->pcc, pcc), c->worst_place, c->worst_share,
			may->absolute, may->relative, c->non_finite ? "" : "\n");
	if (c->non_finite)
		printf(", %zu NaN or infinite\n", c->non_finite);
	if (c->strays)
		printf("  %zu off by more than themselves, and by far more than the others\n",
			c->strays);
}

static void print_check(const struct refdir_check *c, double pcc)
{
	const struct metadata *m = &c->meta;

	for (int op = 0; op < BURN_OPS; op++) {
		reference_print_case(m->dtype, m->c);
		printf("%s output: ", burn_op_name((enum burn_op)op));
		print_comparison(m->dtype, &c->outputs[op]);
		if (c->stepwise[op] && c->odd[op] == 0)
			puts("  equal if each product and sum is rounded to bfloat16, as by "
			     "PyTorch before 2.1 without AVX-512");
		else if (c->stepwise[op])
			printf("  %zu wrong: all others are those of PyTorch before 2.1 without "
			       "AVX-512\n", c->odd[op]);
		for (int role = 0; role < BURN_OUTPUT; role++) {
			if (c->hash_ok[op][role])
				continue;
			reference_print_case(m->dtype, m->c);
			printf("%s %s: SHA-256 does not match the metadata\n",
				burn_op_name((enum burn_op)op),
				burn_role_name((enum burn_op)op, (enum burn_role)role));
		}
	}
	reference_print_case(m->dtype, m->c);
	printf("inputs: %s%s; %s\n", c->exact ? "" : "NOT numbers that the type has, ",
		!m->our_inputs ? "drawn by another rule, held to their hashes" :
		c->drawn_ok ? "drawn again, equal" : "NOT what the rule draws",
		refdir_passes(c, pcc) ? "pass" : "FAIL");
}

/* What is judged, and how that goes. */
struct verify {
	const struct reference_job *j;
	struct reference_count n;
};

/* The cases that must be in dir.  *odd: what is wrong with config.json if it is ours; NULL. */
static struct burn_choice expected(struct verify *v, const char *dir, const char **odd)
{
	const struct reference_job *j = v->j;
	struct burn_choice which = j->which, listed;
	struct error e;
	bool ours;
	int r = refdir_lists(dir, &listed, &ours, &e);

	*odd = NULL;
	if (j->chosen) {
		if (r == -ENOENT)
			refdir_lists(j->args[0], &listed, &ours, &e);
		/* What no option chooses is what config.json lists, if it lists any. */
		if (!j->o->typed[OPT_CASES] && listed.cases)
			which.cases = listed.cases;
		if (!j->o->typed[OPT_DTYPE] && listed.dtypes)
			which.dtypes = listed.dtypes;
		return which;
	}
	if (r == -ENOENT)
		*odd = "has no config.json: it was not finished";
	else if (r == 0 && !ours)
		*odd = "its config.json is not the one that its data were written with";
	if (r < 0 && r != -ENOENT) {
		say_error(&e);
		v->n.failed += r == -EBADMSG;
		v->n.broken += r != -EBADMSG;
	}
	return listed;
}

/* Count what is not there, if it had to be; op: an output, BURN_OPS: all of the case. */
static void count_lack(struct verify *v, const char *dir, const struct burn_choice *must,
	enum burn_dtype t, int i, enum burn_op op)
{
	if (!burn_choice_has(must, t, i))
		return;
	v->n.broken++;
	say_as(CODE_NOT_FOUND, "%s: lacks %s k%04d_ic%03d%s%s", dir, burn_dtype_name(t),
		burn_cases[i].k, burn_cases[i].channels, op < BURN_OPS ? " output of " : "",
		op < BURN_OPS ? burn_op_name(op) : "");
}

static bool has_case(const struct reference_job *j, enum burn_dtype t, int i)
{
	return burn_choice_has(&j->which, t, i) && refdir_has(j->args[0], t, &burn_cases[i]);
}

static bool has_any(const struct reference_job *j)
{
	for (int i = 0; i < BURN_CASES * BURN_DTYPES; i++)
		if (has_case(j, (enum burn_dtype)(i % BURN_DTYPES), i / BURN_DTYPES))
			return true;
	return false;
}

enum exit_code reference_verify(const struct reference_job *j)
{
	struct verify v = { .j = j };
	bool ours = false;
	const char *odd;
	struct burn_choice must;
	struct error e;

	if (!has_any(j)) {
		say_as(CODE_NOT_FOUND, "%s: no reference data of these cases there", j->args[0]);
		return exit_judged(false, true);
	}
	must = expected(&v, j->args[0], &odd);
	for (int i = 0; i < BURN_CASES * BURN_DTYPES; i++) {
		enum burn_dtype t = (enum burn_dtype)(i % BURN_DTYPES);
		const struct burn_case *c = &burn_cases[i / BURN_DTYPES];
		struct refdir_check check;

		if (!has_case(j, t, i / BURN_DTYPES)) {
			count_lack(&v, j->args[0], &must, t, i / BURN_DTYPES, BURN_OPS);
			continue;
		}
		if (refdir_verify(j->args[0], t, c, j->threads, &check, &e) < 0) {
			v.n.broken++;
			say_error(&e);
			continue;
		}
		ours = ours || check.meta.our_inputs;
		print_check(&check, j->pcc);
		fflush(stdout);
		reference_judge(&v.n, refdir_passes(&check, j->pcc));
	}
	if (ours && odd) {
		v.n.broken++;
		say_as(CODE_INVALID, "%s: %s", j->args[0], odd);
	}
	return reference_verdict(&v.n, j->args[0], "checked", false);
}

/* For a file whose folder does not show its type: the only one that --dtype leaves, if any. */
static enum burn_dtype only_dtype(const struct reference_job *j)
{
	const uint32_t chosen = j->which.dtypes;

	return chosen == 1u << BURN_FLOAT32 ? BURN_FLOAT32 :
	       chosen == 1u << BURN_BFLOAT16 ? BURN_BFLOAT16 : BURN_DTYPES;
}

/* Two results of one operation, and their files. */
struct result_pair {
	const char *reference, *path;
	const float *golden, *calculated;
	struct compare c;
	const char *stepwise;		/* the one of them that was rounded at each step; NULL */
	int foreign;			/* its refdir_is_foreign() */
};

/*
 * Judge a bfloat16 result that is too far off: PyTorch before 2.1 rounds each product and sum
 * without AVX-512, and then its bits are known.  If it is the golden one that was rounded so,
 * compare with what is rounded once.  Its metadata decide: by our own rule it is wrong, and
 * without them it is not known who computed it.
 */
static enum verdict judge_stepwise(const struct reference_job *j, struct result_pair *p,
	struct data *d, enum burn_op op)
{
	const size_t n = burn_elements(&d->shapes[op], BURN_OUTPUT);
	struct compare calculated, golden;
	float *computed;
	struct error e;

	if (refdir_read_op(j->args[0], d, op, &e) < 0)
		return VERDICT_FAIL;
	computed = refdir_stepwise(d, op, j->threads);
	compare_run(d->dtype, BURN_FLOAT32, computed, p->calculated, n, &calculated);
	compare_run(d->dtype, BURN_FLOAT32, computed, p->golden, n, &golden);
	free(computed);
	if (calculated.different > 0 && (golden.different > 0 || !data_narrow(d)))
		return VERDICT_FAIL;
	p->stepwise = calculated.different > 0 ? "golden" : "calculated";
	p->foreign = refdir_is_foreign(calculated.different > 0 ? p->reference : p->path,
		d->dtype, d->c);
	if (calculated.different > 0) {
		computed = data_compute(d, op, j->threads);
		compare_run(d->dtype, BURN_FLOAT32, computed, p->calculated, n, &p->c);
		free(computed);
		if (!compare_passes(&p->c, j->pcc, j->ulp))
			return VERDICT_FAIL;
	}
	return p->foreign < 0 ? VERDICT_INCOMPLETE : p->foreign ? VERDICT_PASS : VERDICT_FAIL;
}

static void judge_pair(struct verify *v, struct result_pair *p, const struct burn_case *c,
	enum burn_op op, enum burn_dtype t)
{
	const struct reference_job *j = v->j;
	const struct burn_shape s = burn_shape_of(c, op);
	enum verdict verdict = VERDICT_PASS;

	compare_run(t, BURN_FLOAT32, p->golden, p->calculated, burn_elements(&s, BURN_OUTPUT),
		&p->c);
	if (!compare_passes(&p->c, j->pcc, j->ulp)) {
		struct data d;

		data_init(&d, c, t);
		/* --ulp asks for more than the bits of another rule. */
		verdict = t == BURN_BFLOAT16 && j->ulp < 0 ? judge_stepwise(j, p, &d, op) :
			VERDICT_FAIL;
		data_clear(&d);
	}
	reference_print_case(t, c);
	printf("%s %s: ", burn_op_name(op), verdict == VERDICT_PASS ? "pass" :
		verdict_word(verdict));
	print_comparison(t, &p->c);
	if (p->stepwise)
		printf("  the %s result is equal if each product and sum is rounded to bfloat16, "
			"as by PyTorch before 2.1 without AVX-512%s\n", p->stepwise,
			p->foreign < 0 ? "; it has no metadata" : p->foreign ? "" :
			"; its metadata name another rule");
	if (verdict == VERDICT_INCOMPLETE)
		v->n.broken++;
	else
		reference_judge(&v->n, verdict == VERDICT_PASS);
}

static int compare_values(struct verify *v, const char *path, const struct burn_case *c,
	enum burn_op op, enum burn_dtype t, struct error *e)
{
	const struct reference_job *j = v->j;
	struct burn_shape s = burn_shape_of(c, op);
	float *golden, *calculated;
	char reference[REFDIR_PATH];
	int r = refdir_path(j->args[0], t, c, op, burn_role_name(op, BURN_OUTPUT), reference, e);

	if (r == 0)
		r = refdir_read(reference, &s, BURN_OUTPUT, t, &golden, e);
	if (r < 0)
		return r;
	/* Computed results may have more digits than the type; only golden ones must fit it. */
	r = refdir_read(path, &s, BURN_OUTPUT, BURN_FLOAT32, &calculated, e);
	if (r == 0) {
		judge_pair(v, &(struct result_pair){ .reference = reference, .path = path,
			.golden = golden, .calculated = calculated }, c, op, t);
		free(calculated);
	}
	free(golden);
	return r;
}

static void compare_file(struct verify *v, const char *path)
{
	const struct reference_job *j = v->j;
	const struct burn_case *c;
	enum burn_dtype t;
	enum burn_op op;
	struct error e;
	int r;

	if (!refdir_parse_output(path, &c, &op, &t))
		r = fail(&e, -EINVAL, "%s: is not named like k0072_ic008_conv2d_output.npy", path);
	else if (t == BURN_DTYPES && (t = only_dtype(j)) == BURN_DTYPES)
		r = fail_as(&e, CODE_NEEDS_OPTION, -EINVAL, "%s: is in no folder float32 or "
			"bfloat16; say --dtype", path);
	else if (!burn_choice_has(&j->which, t, (int)(c - burn_cases)))
		return;
	else
		r = compare_values(v, path, c, op, t, &e);
	if (r < 0) {
		v->n.broken++;
		say_error(&e);
	}
}

/* Compare all outputs in another directory of this layout. */
static void compare_dir(struct verify *v, const char *dir)
{
	const char *odd;
	const struct burn_choice must = expected(v, dir, &odd);
	char path[REFDIR_PATH];

	for (int k = 0; k < BURN_CASES * BURN_DTYPES * BURN_OPS; k++) {
		const enum burn_op op = (enum burn_op)(k % BURN_OPS);
		const enum burn_dtype t = (enum burn_dtype)(k / BURN_OPS % BURN_DTYPES);
		const int i = k / BURN_OPS / BURN_DTYPES;

		if (refdir_path(dir, t, &burn_cases[i], op, burn_role_name(op, BURN_OUTPUT),
			path, NULL) == 0 && access(path, F_OK) == 0)
			compare_file(v, path);
		else
			count_lack(v, dir, &must, t, i, op);
	}
}

enum exit_code reference_compare(const struct reference_job *j)
{
	struct verify v = { .j = j };
	struct stat st;

	if (stat(j->args[0], &st) == 0 && !S_ISDIR(st.st_mode))
		return reference_compare_files(j);
	for (size_t i = 1; i < j->n_args; i++) {
		const struct reference_count before = v.n;

		if (stat(j->args[i], &st) == 0 && S_ISDIR(st.st_mode))
			compare_dir(&v, j->args[i]);
		else
			compare_file(&v, j->args[i]);
		if (memcmp(&before, &v.n, sizeof(before)) == 0) {
			v.n.broken++;
			say_as(CODE_NOT_FOUND, "%s: has no result of the chosen cases", j->args[i]);
		}
	}
	return reference_verdict(&v.n, j->args[0], "checked", false);
}

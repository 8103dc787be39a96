/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check.c - --burnin check: every implementation against the golden results.
 */
#include "config.h"
#include "base/mem.h"
#include "burnin/kernels/bf16.h"
#include "burnin/reference/compare.h"
#include "burnin/kernels/cpu.h"
#include "burnin/reference/data.h"
#include "burnin/kernels/impl.h"
#include "src/burnin/burnin.h"
#include "src/say.h"
#include "src/stop.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check {
	const struct burnin_job *j;
	struct team *team;
	struct stop stop;
	int passed, failed, broken;
};

static double norm(const float *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)v[i] * (double)v[i];
	return sqrt(sum);
}

/* The implementation's results in float32 form; NULL if it could not be run. */
static float *results_of(struct check *c, const struct impl *i, const struct data *d,
	enum burn_op op)
{
	const size_t n = burn_elements(&d->shapes[op], BURN_OUTPUT);
	void *output = mem_calloc(n, burn_dtype_size(d->dtype));
	const struct burn_operands at = data_operands(d, op, output);
	float *wide = NULL;
	struct plan plan;
	struct error e;

	if (plan_open(&plan, i, &d->shapes[op], d->dtype, c->team, &e) < 0) {
		say("%s", e.text);
	} else {
		plan_pack(&plan, at.weight);
		plan_run(&plan, &at);
		wide = mem_calloc(n, sizeof(*wide));
		for (size_t k = 0; k < n; k++)
			wide[k] = d->dtype == BURN_FLOAT32 ? ((float *)output)[k]
				: bf16_widen(((uint16_t *)output)[k]);
	}
	plan_close(&plan);
	free(output);
	return wide;
}

static void check_impl(struct check *c, const struct impl *i, const struct data *d, enum burn_op op)
{
	const size_t n = burn_elements(&d->shapes[op], BURN_OUTPUT);
	float *wide = results_of(c, i, d, op);
	struct compare cmp;
	bool good;

	if (!wide) {
		c->broken++;
		return;
	}
	compare_floats(d->dtype, d->values[op][BURN_OUTPUT], wide, n, &cmp);
	good = compare_passes(&cmp, c->j->pcc, c->j->ulp);
	printf("  %s %-10s ||y|| = %-20.15g == golden: %-5s (%.1e), ULP max %.4g mean %.3g,"
	       " PCC %.9f, %.3g of the tolerance: %s%s\n", i->version, i->name, norm(wide, n),
		cmp.different ? "False" : "True", cmp.max_abs, cmp.max_ulp,
		cmp.mean_ulp, cmp.pcc, cmp.worst_share, good ? "pass" : "FAIL", impl_note(i));
	if (cmp.non_finite)
		printf("     %zu NaN or infinite\n", cmp.non_finite);
	fflush(stdout);
	if (good)
		c->passed++;
	else
		c->failed++;
	free(wide);
}

static void check_op(struct check *c, struct data *d, enum burn_op op)
{
	const size_t n = burn_elements(&d->shapes[op], BURN_OUTPUT);

	data_golden(d, op, c->j->threads);
	printf("%s, %s, %d input channels, K %d\n", burn_op_name(op), burn_dtype_name(d->dtype),
		d->c->channels, d->c->k);
	printf("     %-10s ||y|| = %.15g\n", "golden", norm(d->values[op][BURN_OUTPUT], n));
	for (int i = 0; impls[i] && !stop_check(&c->stop); i++)
		if (impl_usable(impls[i], op, d->dtype) &&
			(!c->j->o->impls || c->j->o->impls & 1u << i))
			check_impl(c, impls[i], d, op);
}

/* float32 first: it is rounded in place. */
static void check_case(struct check *c, const struct burn_case *which)
{
	struct data d;

	data_init(&d, which, BURN_FLOAT32);
	data_draw(&d);
	for (int i = 0; i < BURN_DTYPES; i++) {
		const enum burn_dtype t = i == 0 ? BURN_FLOAT32 : BURN_BFLOAT16;

		if (!c->j->which.dtypes[t])
			continue;
		if (t == BURN_BFLOAT16)
			data_round(&d);
		for (int op = 0; op < BURN_OPS && !stop_check(&c->stop); op++)
			check_op(c, &d, (enum burn_op)op);
	}
	data_clear(&d);
}

/* What this program has and this processor lacks is said, not left out in silence. */
static void print_processor(int threads)
{
	char names[64];

	printf("%d threads; this processor: %s\n", threads,
		cpu_feature_names(cpu_features(), names, sizeof(names)));
	for (int i = 0; impls[i]; i++)
		if (impls[i]->needs & ~cpu_features())
			printf("not checked: %s%s needs %s\n", impls[i]->name, impl_note(impls[i]),
				cpu_feature_names(impls[i]->needs, names, sizeof(names)));
}

enum exit_code burnin_check(const struct burnin_job *j)
{
	struct check c = { .j = j };
	bool stopped;
	struct error e;

	/* Before there are threads, which a signal would else reach. */
	stop_open_printing(&c.stop, true);
	if (team_open(&c.team, j->threads, false, &e) < 0) {
		say("%s", e.text);
		stop_close(&c.stop);
		return EXIT_FAILED;
	}
	print_processor(j->threads);
	for (int i = 0; i < BURN_CASES && !stop_check(&c.stop); i++)
		if (j->which.cases[i])
			check_case(&c, &burn_cases[i]);
	stopped = stop_check(&c.stop);
	stop_close(&c.stop);
	team_close(c.team);
	printf("check: %d passed, %d failed, %d could not be checked%s\n", c.passed, c.failed,
		c.broken, stopped ? "; stopped" : "");
	if (c.failed > 0)
		return EXIT_NEGATIVE;
	return c.broken > 0 || c.passed == 0 || stopped ? EXIT_FAILED : EXIT_DONE;
}

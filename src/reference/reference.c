/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/reference/reference.h"

#include "base/file.h"
#include "base/text.h"
#include "burnin/host/burn_room.h"
#include "burnin/kernels/team.h"
#include "src/say.h"

#include <math.h>
#include <stdio.h>

struct reference_job reference_job_of(const struct options *o)
{
	return (struct reference_job){ .o = o, .which = { o->cases, o->dtypes },
		.chosen = o->typed[OPT_CASES] || o->typed[OPT_DTYPE],
		.pcc = (double)o->pcc / OPTION_DECIMALS, .ulp = (double)o->ulp / OPTION_DECIMALS,
		.threads = team_processors(),
		.args = o->n_targets > 0 ? o->targets + 1 : NULL,
		.n_args = o->n_targets > 0 ? o->n_targets - 1 : 0 };
}

const char *reference_output(const struct reference_job *j, const char *name, const char *suffix,
	char own[static REFDIR_PATH])
{
	if (j->n_args > 0)
		return j->args[0];
	if (file_free_name(name, suffix, own, REFDIR_PATH) == 0)
		return own;
	say_as(CODE_EXISTS, "%s%s: no free name", name, suffix);
	return NULL;
}

void reference_print_case(enum burn_dtype t, const struct burn_case *c)
{
	printf("%-8s k%04d_ic%03d ", burn_dtype_name(t), c->k, c->channels);
}

const char *reference_pcc(double pcc, char text[static REFERENCE_PCC])
{
	if (isnan(pcc))
		return "- (golden is constant)";
	snprintf(text, REFERENCE_PCC, "%.9f", pcc);
	return text;
}

void reference_judge(struct reference_count *n, bool passes)
{
	n->passed += passes;
	n->failed += !passes;
}

enum exit_code reference_verdict(const struct reference_count *n, const char *what,
	const char *done, bool stopped)
{
	say_result("%s: %d passed, %d failed, %d could not be %s%s", what, n->passed, n->failed,
		n->broken, done, stopped ? "; stopped" : "");
	return exit_judged(n->failed > 0, n->broken > 0 || n->passed == 0 || stopped);
}

static size_t count_items(const struct reference_job *j)
{
	return j->o->shapes.n > 0 ? j->o->shapes.n : BURN_CASES;
}

/* Make empty tensors of item i, to be drawn; false: it was not chosen. */
static bool make_item(const struct reference_job *j, size_t i, struct data *d)
{
	const struct option_shapes *s = &j->o->shapes;

	if (s->n > 0) {
		const struct burn_shape shape = burn_matmul(s->of[i].m, s->of[i].n, s->of[i].k);

		data_init_shape(d, &shape, BURN_FLOAT32);
		return true;
	}
	data_init(d, &burn_cases[i], BURN_FLOAT32);
	return j->which.cases & 1u << i;
}

const char *kernels_name(const struct data *d, char name[static KERNELS_NAME])
{
	const struct burn_shape *s = &d->shapes[BURN_MATMUL];

	if (d->c)
		snprintf(name, KERNELS_NAME, "%d input channels, K %d", d->c->channels, d->c->k);
	else
		snprintf(name, KERNELS_NAME, "%d x %d x %d", s->m, s->k, s->n);
	return name;
}

/* Bytes that one operation needs in addition to its tensors in float32. */
static uint64_t need_of_operation(const struct burn_shape *s, enum burn_dtype t, bool gradients)
{
	enum { KEPT = 3 };			/* results at a time: of v1, v2 and one v3 */
	uint64_t most = KEPT * burn_elements(s, BURN_OUTPUT) * burn_dtype_size(t);

	most += burn_elements(s, BURN_OUTPUT) * (burn_dtype_size(t) + sizeof(double));
	for (int by = BURN_INPUT; by <= BURN_WEIGHT && gradients; by++) {
		const struct burn_shape g = gradient_shape(s, (enum burn_role)by);
		const uint64_t need = burn_bytes(&g, t)
			+ (KEPT - 1) * burn_elements(&g, BURN_OUTPUT) * burn_dtype_size(t);

		most = need > most ? need : most;
	}
	return burn_bytes(s, t) + most;
}

static uint64_t need_of(const struct reference_job *j, const struct data *d, bool gradients)
{
	uint64_t all = 0, most = 0;

	for (int op = 0; op < BURN_OPS; op++)
		all += burn_bytes(&d->shapes[op], BURN_FLOAT32);
	for (int t = 0; t < BURN_COMPUTED; t++)
		for (int op = 0; op < BURN_OPS && j->which.dtypes & 1u << t; op++) {
			const uint64_t need = d->shapes[op].m > 0 ? need_of_operation(
				&d->shapes[op], (enum burn_dtype)t, gradients) : 0;

			most = need > most ? need : most;
		}
	return all + most;
}

/* Whether there is enough memory for each item, before anything is drawn; if not, say so. */
static bool all_fit(const struct reference_job *j, bool gradients)
{
	uint64_t free_bytes;
	const char *by;
	struct error e;

	if (burn_room_free("", &free_bytes, &by, &e) < 0)
		return true;
	for (size_t i = 0; i < count_items(j); i++) {
		struct data d;
		char name[KERNELS_NAME];
		const bool chosen = make_item(j, i, &d);
		const uint64_t need = chosen ? need_of(j, &d, gradients) : 0;

		if (need > free_bytes) {
			say_as(CODE_NO_MEMORY, "%s: needs %.1f GiB of memory, and %.1f GiB can be "
				"had (%s)", kernels_name(&d, name), (double)need / 0x1p30,
				(double)free_bytes / 0x1p30, by);
			return false;
		}
	}
	return true;
}

bool kernels_open(struct kernels *k, const struct reference_job *j, bool gradients)
{
	struct error e;

	*k = (struct kernels){ .j = j };
	if (!all_fit(j, gradients))
		return false;
	/* Do this before there are threads, which a signal could reach otherwise. */
	stop_open_printing(&k->stop);
	if (team_open(&k->team, j->threads, false, &e) == 0)
		return true;
	say_error(&e);
	stop_close(&k->stop);
	return false;
}

bool kernels_close(struct kernels *k)
{
	const bool stopped = stop_check(&k->stop);

	stop_close(&k->stop);
	team_close(k->team);
	return stopped;
}

bool kernels_next(struct kernels *k, size_t *i, struct data *d)
{
	while (*i < count_items(k->j) && !stop_check(&k->stop))
		if (make_item(k->j, (*i)++, d)) {
			data_draw(d);
			return true;
		}
	return false;
}

void kernels_run(struct kernels *k,
	void (*run)(struct kernels *k, const struct data *d, enum burn_op op))
{
	/* data_turn() can make each from float32 in this order: it rounds to bfloat16 in place. */
	static const enum burn_dtype types[] = { BURN_FLOAT32, BURN_FLOAT64, BURN_BFLOAT16 };
	struct data d;

	for (size_t i = 0; kernels_next(k, &i, &d); data_clear(&d))
		for (size_t t = 0; t < BURN_COMPUTED; t++) {
			if (!(k->j->which.dtypes & 1u << types[t]))
				continue;
			data_turn(&d, types[t]);
			for (int op = 0; op < BURN_OPS && !stop_check(&k->stop); op++)
				if (d.shapes[op].m > 0)
					run(k, &d, (enum burn_op)op);
		}
}

bool kernels_plan(struct kernels *k, struct plan *p, const struct impl *i,
	const struct burn_shape *s, enum burn_dtype t, const void *weight)
{
	struct error e;

	if (plan_open(p, i, s, t, k->team, &e) < 0) {
		say_error(&e);
		k->broken = true;
		plan_close(p);
		return false;
	}
	p->job.trace = k->trace;
	plan_pack(p, weight);
	return true;
}

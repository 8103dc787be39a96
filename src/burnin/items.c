/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * items.c - the items that check, bench and profile compute: cases of the reference data, or
 * the matmuls of --shape.  Their need of memory is checked before anything is drawn.
 */
#include "config.h"
#include "src/burnin/burnin.h"

#include "burnin/host/burn_room.h"
#include "burnin/kernels/case.h"
#include "burnin/kernels/team.h"
#include "src/say.h"

#include <math.h>
#include <stdio.h>

const enum burn_dtype burnin_types[BURN_COMPUTED] = {
	BURN_FLOAT32, BURN_FLOAT64, BURN_BFLOAT16
};

struct burnin_job burnin_job_of(const struct options *o)
{
	struct burnin_job j = { .o = o, .chosen = o->cases || o->dtypes,
		.pcc = (double)o->pcc / OPTION_DECIMALS,
		.ulp = (double)o->ulp / OPTION_DECIMALS, .threads = team_processors(),
		.args = o->n_targets > 0 ? o->targets + 1 : NULL,
		.n_args = o->n_targets > 0 ? o->n_targets - 1 : 0 };

	for (int i = 0; i < BURN_CASES; i++)
		j.which.cases[i] = !o->cases || o->cases & 1u << i;
	for (int t = 0; t < BURN_COMPUTED; t++)
		j.which.dtypes[t] = o->dtypes ? o->dtypes & 1u << t : t < BURN_DTYPES;
	return j;
}

size_t burnin_items(const struct burnin_job *j)
{
	return j->o->shapes.n > 0 ? j->o->shapes.n : BURN_CASES;
}

bool burnin_item(const struct burnin_job *j, size_t i, struct data *d)
{
	const struct option_shapes *s = &j->o->shapes;

	if (s->n > 0) {
		const struct burn_shape shape = burn_matmul(s->of[i].m, s->of[i].n, s->of[i].k);

		data_init_shape(d, &shape, BURN_FLOAT32);
		return true;
	}
	data_init(d, &burn_cases[i], BURN_FLOAT32);
	return j->which.cases[i];
}

const char *burnin_item_name(const struct data *d, char *buf, size_t size)
{
	const struct burn_shape *s = &d->shapes[BURN_MATMUL];

	if (d->c)
		snprintf(buf, size, "%d input channels, K %d", d->c->channels, d->c->k);
	else
		snprintf(buf, size, "%d x %d x %d", s->m, s->k, s->n);
	return buf;
}

const char *burnin_pcc_text(double pcc, char text[BURNIN_PCC_TEXT])
{
	if (isnan(pcc))
		return "- (golden is constant)";
	snprintf(text, BURNIN_PCC_TEXT, "%.9f", pcc);
	return text;
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

static uint64_t need_of(const struct burnin_job *j, const struct data *d, bool gradients)
{
	uint64_t all = 0, most = 0;

	for (int op = 0; op < BURN_OPS; op++)
		all += burn_bytes(&d->shapes[op], BURN_FLOAT32);
	for (int t = 0; t < BURN_COMPUTED; t++)
		for (int op = 0; op < BURN_OPS && j->which.dtypes[t]; op++) {
			const uint64_t need = d->shapes[op].m > 0 ? need_of_operation(
				&d->shapes[op], (enum burn_dtype)t, gradients) : 0;

			most = need > most ? need : most;
		}
	return all + most;
}

bool burnin_items_fit(const struct burnin_job *j, bool gradients)
{
	uint64_t free_bytes;
	const char *by;
	struct error e;

	if (burn_room_free("", &free_bytes, &by, &e) < 0)
		return true;
	for (size_t i = 0; i < burnin_items(j); i++) {
		struct data d;
		char name[48];
		const bool chosen = burnin_item(j, i, &d);
		const uint64_t need = chosen ? need_of(j, &d, gradients) : 0;

		if (need > free_bytes) {
			say_as(CODE_NO_MEMORY, "%s: needs %.1f GiB of memory, and %.1f GiB can be "
				"had (%s)", burnin_item_name(&d, name, sizeof(name)),
				(double)need / 0x1p30, (double)free_bytes / 0x1p30, by);
			return false;
		}
	}
	return true;
}

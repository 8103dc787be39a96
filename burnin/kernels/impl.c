/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/kernels/impl.h"

#include "base/clock.h"
#include "burnin/kernels/cpu.h"
#include "burnin/kernels/kernels.h"
#include "burnin/kernels/pages.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

enum { TRIAL_CHANNELS = 64, TRIALS = 3 };	/* some tenths of a ms each */

const struct impl *const impls[] = {
	&impl_naive,
	&impl_portable,
#ifdef BURNIN_X86
	&impl_avx2,
	&impl_avx512,
	&impl_avx512bf16,
	&impl_amx,
#endif
#ifdef BURNIN_NEON
	&impl_neon,
#endif
	NULL
};

const struct impl *impl_find(const char *name)
{
	for (int i = 0; impls[i]; i++)
		if (!strcmp(impls[i]->name, name))
			return impls[i];
	return NULL;
}

bool impl_usable(const struct impl *i, enum burn_op op, enum burn_dtype t)
{
	return i->kernels[op][t] && (i->needs & ~cpu_features()) == 0
		&& (!(i->needs & CPU_AMX_BF16) || cpu_ask_tiles());
}

/* ns of the fastest of a few runs on a case of 38 MFLOP, one thread; INT64_MAX if it cannot run. */
static int64_t trial(const struct impl *i, enum burn_op op, enum burn_dtype t)
{
	const struct burn_shape s = burn_shape_of(burn_case_find(TRIAL_CHANNELS), op);
	size_t sizes[BURN_ROLES];
	void *at[BURN_ROLES] = { 0 };
	int64_t best = INT64_MAX;
	struct team *team = NULL;
	struct plan plan = { 0 };
	bool ready = team_open(&team, 1, false, NULL) == 0;

	for (int r = 0; r < BURN_ROLES; r++) {
		sizes[r] = burn_elements(&s, (enum burn_role)r) * burn_dtype_size(t);
		at[r] = pages_alloc(sizes[r]);
		ready = ready && at[r];
	}
	if (ready && plan_open(&plan, i, &s, t, team, NULL) == 0) {
		const struct burn_operands o = { at[BURN_INPUT], at[BURN_WEIGHT], at[BURN_BIAS],
			at[BURN_OUTPUT] };

		plan_pack(&plan, o.weight);
		for (int k = 0; k < TRIALS; k++) {
			const int64_t from = clock_steady();

			plan_run(&plan, &o);
			if (clock_steady() - from < best)
				best = clock_steady() - from;
		}
	}
	plan_close(&plan);
	for (int r = 0; r < BURN_ROLES; r++)
		pages_free(at[r], sizes[r]);
	team_close(team);
	return best;
}

/*
 * Implementations later in the table are wider.  An earlier one is chosen only if
 * it is clearly faster, so that a busy machine does not change the choice.
 */
static const struct impl *fastest(enum burn_op op, enum burn_dtype t)
{
	const struct impl *best = &impl_naive;
	int64_t best_time = 0;
	int vectors = 0;

	for (int i = 0; impls[i]; i++)
		if (impl_usable(impls[i], op, t)) {
			vectors += strcmp(impls[i]->version, "v3") == 0;
			best = impls[i];
		}
	if (vectors < 2)
		return best;
	best_time = trial(best, op, t) / 5 * 4;
	for (int i = 0; impls[i]; i++) {
		int64_t took;

		if (!impl_usable(impls[i], op, t) || strcmp(impls[i]->version, "v3") != 0)
			continue;
		took = trial(impls[i], op, t);
		if (took < best_time) {
			best = impls[i];
			best_time = took;
		}
	}
	return best;
}

/* Set by impl_force(). */
static const struct impl *_Atomic forced;

void impl_force(const struct impl *i)
{
	atomic_store(&forced, i);
}

const struct impl *impl_forced(void)
{
	return atomic_load(&forced);
}

/* Two threads may time it at once; the first result stays. */
const struct impl *impl_best(enum burn_op op, enum burn_dtype t)
{
	static const struct impl *_Atomic chosen[BURN_OPS][BURN_COMPUTED];
	const struct impl *wanted = impl_forced(), *mine, *first = NULL;

	if (wanted && impl_usable(wanted, op, t))
		return wanted;
	if ((mine = atomic_load(&chosen[op][t])))
		return mine;
	mine = fastest(op, t);
	return atomic_compare_exchange_strong(&chosen[op][t], &first, mine) ? mine : first;
}

int plan_open(struct plan *p, const struct impl *i, const struct burn_shape *s, enum burn_dtype t,
	struct team *team, struct error *e)
{
	const struct impl_kernel *kernel = i->kernels[s->op][t];
	const int threads = team_threads(team);
	size_t line = 64;

	memset(p, 0, sizeof(*p));
	if (!impl_usable(i, s->op, t))
		return fail(e, -EOPNOTSUPP, "%s: not on this processor for %s in %s", i->name,
			burn_op_name(s->op), burn_dtype_name(t));
	if (s->m < 1 || s->n < 1 || s->k < 1)
		return fail(e, -EINVAL, "%s: a dimension below 1", burn_op_name(s->op));
	if (s->op == BURN_CONV2D && s->width != 32)
		return fail(e, -EINVAL, "conv2d: a width of %d, not 32", s->width);
	p->impl = i;
	p->team = team;
	p->job = (struct impl_job){ .shape = *s, .dtype = t, .threads = threads };
	p->job.work_size = (kernel->work_size(s, t, threads) + line - 1) / line * line;
	p->work_total = p->job.work_size * (size_t)threads;
	p->job.work = pages_alloc(p->work_total);
	if (kernel->pack_size) {
		p->packed_size = kernel->pack_size(s, t);
		p->packed = pages_alloc(p->packed_size);
	}
	if (!p->job.work || (kernel->pack_size && !p->packed))
		return fail(e, -ENOMEM, "%s with K = %d: out of memory", burn_op_name(s->op), s->k);
	return 0;
}

void plan_close(struct plan *p)
{
	pages_free(p->job.work, p->work_total);
	pages_free(p->packed, p->packed_size);
	memset(p, 0, sizeof(*p));
}

static const struct impl_kernel *kernel_of(const struct plan *p)
{
	return p->impl->kernels[p->job.shape.op][p->job.dtype];
}

void plan_pack(struct plan *p, const void *weight)
{
	p->job.packed = weight;
	if (p->packed) {
		const int64_t from = trace_now(p->job.trace);

		kernel_of(p)->pack(&p->job.shape, p->job.dtype, weight, p->packed);
		trace_add(p->job.trace, 0, "pack the weight", from);
		p->job.packed = p->packed;
	}
}

static void run_thread(void *arg, int thread)
{
	const struct plan *p = arg;

	const int64_t from = trace_now(p->job.trace);

	kernel_of(p)->run(&p->job, thread);
	trace_add(p->job.trace, thread, burn_op_name(p->job.shape.op), from);
}

void plan_run(struct plan *p, const struct burn_operands *at)
{
	p->job.at = *at;
	team_run(p->team, run_thread, p);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/impl.h"

#include "burnin/cpu.h"
#include "burnin/kernels.h"
#include "burnin/pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct impl *const impls[] = {
	&impl_naive,
	&impl_portable,
#ifdef BURNIN_X86
	&impl_avx2,
	&impl_avx512,
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
	return i->kernels[op][t] && (i->needs & ~cpu_features()) == 0;
}

const struct impl *impl_best(enum burn_op op, enum burn_dtype t)
{
	const char *wanted = getenv("TT_SMI_BURNIN_IMPL");
	const struct impl *best = wanted ? impl_find(wanted) : NULL;

	if (best && impl_usable(best, op, t))
		return best;
	for (int i = 0; impls[i]; i++)
		if (impl_usable(impls[i], op, t))
			best = impls[i];
	return best;
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

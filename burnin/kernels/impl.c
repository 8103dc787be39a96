/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/kernels/impl.h"

#include "base/clock.h"
#include "base/mem.h"
#include "burnin/kernels/bf16.h"
#include "burnin/kernels/case.h"
#include "burnin/kernels/cpu.h"
#include "burnin/kernels/team.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

/*
 * The plain definition, v1.  It is slow; it is here to be read, and to be compared with the others,
 * so that their errors show.
 */

/* A sum of float64 is double, of the other types float. */
struct sum {
	float narrow;
	double wide;
};

static float get_float(enum burn_dtype t, const void *p, size_t i)
{
	return t == BURN_BFLOAT16 ? bf16_widen(((const uint16_t *)p)[i]) : ((const float *)p)[i];
}

static struct sum begin_sum(enum burn_dtype t, const void *p, size_t i)
{
	if (t == BURN_FLOAT64)
		return (struct sum){ .wide = ((const double *)p)[i] };
	return (struct sum){ .narrow = get_float(t, p, i) };
}

/* One term: element i of a times element k of b. */
static void add(struct sum *s, enum burn_dtype t, const void *a, size_t i, const void *b, size_t k)
{
	if (t == BURN_FLOAT64)
		s->wide += ((const double *)a)[i] * ((const double *)b)[k];
	else
		s->narrow += get_float(t, a, i) * get_float(t, b, k);
}

static void put(enum burn_dtype t, void *p, size_t i, const struct sum *s)
{
	if (t == BURN_FLOAT64)
		((double *)p)[i] = s->wide;
	else if (t == BURN_BFLOAT16)
		((uint16_t *)p)[i] = bf16_round(s->narrow);
	else
		((float *)p)[i] = s->narrow;
}

static size_t no_work(const struct burn_shape *s, enum burn_dtype t, int threads)
{
	(void)s, (void)t, (void)threads;
	return 0;
}

static bool is_inside(const struct burn_shape *s, int y, int x)
{
	return y >= 0 && y < s->height && x >= 0 && x < s->width;
}

/* Where pixel (y, x) of channel c of an image is. */
static size_t pixel(const struct burn_shape *s, int c, int y, int x)
{
	return ((size_t)c * (size_t)s->height + (size_t)y) * (size_t)s->width + (size_t)x;
}

/* Where a filter's tap (ky, kx) for channel c is. */
static size_t tap(const struct burn_shape *s, int filter, int c, int ky, int kx)
{
	return (((size_t)filter * (size_t)s->channels + (size_t)c) * 3 + (size_t)ky) * 3
		+ (size_t)kx;
}

/* One output of conv2d: the sum over channels and the 3 x 3 taps that lie on the image. */
static struct sum conv_at(const struct impl_job *j, int filter, int y, int x)
{
	const struct burn_shape *s = &j->shape;
	struct sum sum = begin_sum(j->dtype, j->at.bias, (size_t)filter);

	for (int c = 0; c < s->channels; c++)
		for (int ky = 0; ky < 3; ky++)
			for (int kx = 0; kx < 3; kx++)
				if (is_inside(s, y + ky - 1, x + kx - 1))
					add(&sum, j->dtype, j->at.input,
						pixel(s, c, y + ky - 1, x + kx - 1), j->packed,
						tap(s, filter, c, ky, kx));
	return sum;
}

/* The threads share the rows of the image. */
static void conv_run(const struct impl_job *j, int thread)
{
	const struct burn_shape *s = &j->shape;

	for (int filter = 0; filter < s->n; filter++)
		for (int y = thread; y < s->height; y += j->threads)
			for (int x = 0; x < s->width; x++) {
				const struct sum sum = conv_at(j, filter, y, x);

				put(j->dtype, j->at.output, pixel(s, filter, y, x), &sum);
			}
}

static void matmul_run(const struct impl_job *j, int thread)
{
	const size_t m = (size_t)j->shape.m, n = (size_t)j->shape.n, k = (size_t)j->shape.k;

	for (size_t r = (size_t)thread; r < m; r += (size_t)j->threads)
		for (size_t c = 0; c < n; c++) {
			struct sum sum = { 0 };

			for (size_t i = 0; i < k; i++)
				add(&sum, j->dtype, j->at.input, r * k + i, j->at.weight,
					i * n + c);
			put(j->dtype, j->at.output, r * n + c, &sum);
		}
}

static const struct impl_kernel conv2d = { .work_size = no_work, .run = conv_run };
static const struct impl_kernel matmul = { .work_size = no_work, .run = matmul_run };

const struct impl impl_naive = {
	.name = "naive", .version = "v1", .help = "the definition, one sum after another",
	.kernels = {
		[BURN_CONV2D] = { &conv2d, &conv2d, &conv2d },
		[BURN_MATMUL] = { &matmul, &matmul, &matmul },
	},
};

/* dX at pixel (y, x): the sum over all outputs that read the pixel. */
static struct sum conv_input_at(const struct gradient *g, int c, int y, int x)
{
	const struct burn_shape *s = &g->of;
	struct sum sum = { 0 };

	for (int filter = 0; filter < s->n; filter++)
		for (int ky = 0; ky < 3; ky++)
			for (int kx = 0; kx < 3; kx++)
				if (is_inside(s, y - ky + 1, x - kx + 1))
					add(&sum, g->dtype, g->result,
						pixel(s, filter, y - ky + 1, x - kx + 1),
						g->at.weight, tap(s, filter, c, ky, kx));
	return sum;
}

/* dW at a tap: the sum over all pixels that it is multiplied with. */
static struct sum conv_weight_at(const struct gradient *g, int filter, int c, int ky, int kx)
{
	const struct burn_shape *s = &g->of;
	struct sum sum = { 0 };

	for (int y = 0; y < s->height; y++)
		for (int x = 0; x < s->width; x++)
			if (is_inside(s, y + ky - 1, x + kx - 1))
				add(&sum, g->dtype, g->result, pixel(s, filter, y, x),
					g->at.input, pixel(s, c, y + ky - 1, x + kx - 1));
	return sum;
}

static void conv_input(const struct gradient *g, int thread)
{
	const struct burn_shape *s = &g->of;

	for (int c = thread; c < s->channels; c += g->threads)
		for (int y = 0; y < s->height; y++)
			for (int x = 0; x < s->width; x++) {
				const struct sum sum = conv_input_at(g, c, y, x);

				put(g->dtype, g->output, pixel(s, c, y, x), &sum);
			}
}

static void conv_weight(const struct gradient *g, int thread)
{
	const struct burn_shape *s = &g->of;

	for (int c = thread; c < s->channels; c += g->threads)
		for (int filter = 0; filter < s->n; filter++)
			for (int i = 0; i < BURN_TAPS; i++) {
				const struct sum sum = conv_weight_at(g, filter, c, i / 3, i % 3);

				put(g->dtype, g->output, tap(s, filter, c, i / 3, i % 3), &sum);
			}
}

/* dA[r][i]: over the columns c, dC[r][c] B[i][c]. */
static void matmul_input(const struct gradient *g, int thread)
{
	const size_t m = (size_t)g->of.m, n = (size_t)g->of.n, k = (size_t)g->of.k;

	for (size_t r = (size_t)thread; r < m; r += (size_t)g->threads)
		for (size_t i = 0; i < k; i++) {
			struct sum sum = { 0 };

			for (size_t c = 0; c < n; c++)
				add(&sum, g->dtype, g->result, r * n + c, g->at.weight, i * n + c);
			put(g->dtype, g->output, r * k + i, &sum);
		}
}

/* dB[i][c]: over the rows r, A[r][i] dC[r][c]. */
static void matmul_weight(const struct gradient *g, int thread)
{
	const size_t m = (size_t)g->of.m, n = (size_t)g->of.n, k = (size_t)g->of.k;

	for (size_t i = (size_t)thread; i < k; i += (size_t)g->threads)
		for (size_t c = 0; c < n; c++) {
			struct sum sum = { 0 };

			for (size_t r = 0; r < m; r++)
				add(&sum, g->dtype, g->at.input, r * k + i, g->result, r * n + c);
			put(g->dtype, g->output, i * n + c, &sum);
		}
}

void gradient_define(void *gradient, int thread)
{
	static void (*const by[BURN_OPS][2])(const struct gradient *g, int thread) = {
		[BURN_CONV2D] = { [BURN_INPUT] = conv_input, [BURN_WEIGHT] = conv_weight },
		[BURN_MATMUL] = { [BURN_INPUT] = matmul_input, [BURN_WEIGHT] = matmul_weight },
	};
	const struct gradient *g = gradient;

	by[g->of.op][g->by](g, thread);
}

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
const size_t impls_len = ARRAY_LEN(impls) - 1;

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

/* An earlier one, which is narrower, has to be clearly faster: a busy machine changes nothing. */
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

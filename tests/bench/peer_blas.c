/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * peer_blas.c - OpenBLAS and BLIS by their C interface.
 */
#include "config.h"
#include "tests/bench/peer.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111 };

typedef void sgemm(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a,
	int lda, const float *b, int ldb, float beta, float *c, int ldc);

struct call {
	sgemm *fn;
	struct burn_shape s;
	struct burn_operands at;
};

void peer_prepare(int threads)
{
	char n[16];

	snprintf(n, sizeof(n), "%d", threads);
	setenv("OMP_NUM_THREADS", n, 1);
	/* Awake for some ms after their work; then they sleep and leave the processor to others. */
	setenv("GOMP_SPINCOUNT", "50000", 1);
	/*
	 * Each thread stays on its own processor, theirs and ours: a scheduler that saw all of
	 * them busy a moment ago wakes two on one.  libgomp asks at once which ones there are.
	 */
	if (threads > 1) {
		cpu_set_t all;

		setenv("OMP_PROC_BIND", "true", 1);
		setenv("OMP_PLACES", "threads", 1);
		sched_getaffinity(0, sizeof(all), &all);
		dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL);
		/* It has bound us already; our own team is yet to be spread. */
		sched_setaffinity(0, sizeof(all), &all);
	}
}

static void *open_blas(const char *library, const struct burn_shape *s, enum burn_dtype t,
	const struct burn_operands *at)
{
	void *lib = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	struct call *c;
	void *symbol = lib ? dlsym(lib, "cblas_sgemm") : NULL;

	if (!symbol || s->op != BURN_MATMUL || t != BURN_FLOAT32)
		return NULL;
	c = calloc(1, sizeof(*c));
	if (c)
		*c = (struct call){ .s = *s, .at = *at };
	if (c)
		*(void **)&c->fn = symbol;
	return c;
}

static void *open_openblas(const struct burn_shape *s, enum burn_dtype t,
	const struct burn_operands *at)
{
	return open_blas("libopenblas.so.0", s, t, at);
}

static void *open_blis(const struct burn_shape *s, enum burn_dtype t,
	const struct burn_operands *at)
{
	return open_blas("libblis.so.4", s, t, at);
}

static void run_blas(void *handle)
{
	const struct call *c = handle;

	c->fn(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, c->s.m, c->s.n, c->s.k, 1, c->at.input, c->s.k,
		c->at.weight, c->s.n, 0, c->at.output, c->s.n);
}

const struct peer peer_openblas = { "OpenBLAS", open_openblas, run_blas, free };
const struct peer peer_blis = { "BLIS", open_blis, run_blas, free };

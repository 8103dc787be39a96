/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn_set.h - one set of operands of the burn, with the expected results and
 * checksums of everything that stays the same.
 */
#pragma once

#include "burnin/host/burn.h"
#include "burnin/kernels/impl.h"

enum { BURN_PATTERNS = 6 };

struct burn_region {
	enum burn_what what;
	void *at;
	size_t bytes;
	uint64_t sum;
};

struct burn_set {
	enum burn_op op;
	enum burn_dtype dtype;
	int pattern_id;
	uint64_t seed;
	const struct impl *impl;
	struct burn_shape shape;
	uint64_t flops;			/* computed per run */
	struct plan plan;		/* conv2d */
	struct burn_operands at;	/* conv2d */
	void *a, *b;			/* matmul: panels */
	float *c;			/* matmul: sums before they are rounded */
	void *output, *expected;
	size_t out_bytes;
	struct burn_region regions[BURN_REGIONS];
	int n_regions;
};

/* A wrong word; got and want are equal where it is right when it is read again. */
typedef void burn_set_found(void *arg, enum burn_what what, uint64_t index, uint32_t got,
	uint32_t want);

/* The first call makes the choice; it must not run in several threads at once. */
const struct impl *burn_set_impl(enum burn_op op, enum burn_dtype t);

/* team: one thread, borrowed. */
int burn_set_open(struct burn_set *s, int kind, int pattern, uint64_t seed, struct team *team,
	struct error *e);
void burn_set_close(struct burn_set *s);

void burn_set_run(struct burn_set *s);

/* Where partial sums are kept; NULL: only in registers and the output. */
void *burn_set_sums(const struct burn_set *s, size_t *bytes);

/* True if the output is as expected; then it is destroyed, so that it cannot pass again. */
bool burn_set_equal(struct burn_set *s);

/*
 * Verify all checksums; returns how many were right.  At the first wrong one, make everything
 * again and call found for each word that had changed, or once if none had.
 */
int burn_set_check(struct burn_set *s, burn_set_found *found, void *arg);

/* Words in a result, and checksums in a set, of this kind: to check a worker's counts against. */
size_t burn_set_words(int kind, const struct impl *i);
int burn_set_regions(int kind);

const char *burn_set_pattern(int pattern);

/* "128 channels, 32 x 32": its size, in words. */
void burn_set_case(int kind, const struct impl *i, char *out, size_t size);

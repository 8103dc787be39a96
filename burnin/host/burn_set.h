/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn_set.h - one set of operands of the burn, with what is expected of them
 * and checksums of all that stays the same.
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
	uint64_t flops;			/* that are computed */
	struct plan plan;		/* conv2d */
	struct burn_operands at;	/* conv2d */
	void *a, *b;			/* matmul: panels */
	float *c;			/* matmul: the sums that are rounded */
	void *output, *expected;
	size_t out_bytes;
	struct burn_region regions[BURN_REGIONS];
	int n_regions;
};

/* A word that is not what it should be. */
typedef void burn_set_found(void *arg, enum burn_what what, uint64_t index, uint32_t got,
	uint32_t want);

/* Chosen once, by the first call: not for several threads at once. */
const struct impl *burn_set_impl(enum burn_op op, enum burn_dtype t);

/* team: of one thread, borrowed. */
int burn_set_open(struct burn_set *s, int kind, int pattern, uint64_t seed, struct team *team,
	struct error *e);
void burn_set_close(struct burn_set *s);

void burn_set_run(struct burn_set *s);

/* Where sums wait while they are made; NULL: in registers and the output alone. */
void *burn_set_sums(const struct burn_set *s, size_t *bytes);

/* True if the output is as expected; then it is destroyed, so that it cannot pass again. */
bool burn_set_equal(struct burn_set *s);

/*
 * Verify all checksums; returns how many.  Where one is wrong everything is made again, and
 * found is called for each word that had changed.
 */
int burn_set_check(struct burn_set *s, burn_set_found *found, void *arg);

/* Words of a result, and checksums of a set, of this kind: what a worker's counts are held to. */
size_t burn_set_words(int kind, const struct impl *i);
int burn_set_regions(int kind);

const char *burn_set_pattern(int pattern);

/* "128 channels, 32 x 32": its size, in words. */
void burn_set_case(int kind, const struct impl *i, char *out, size_t size);

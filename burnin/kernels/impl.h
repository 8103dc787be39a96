/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * impl.h - the implementations of conv2d (3 x 3, stride 1, padding 1, batch 1)
 * and matmul, in one table, and one way to run any of them.
 *
 * Layouts, element types and operands are those of burnin/kernels/case.h.  Padding adds
 * no terms to a sum, so that an infinite weight beside it makes no NaN.  NaN and
 * infinity propagate through a sum as in IEEE 754.  Denormals are neither flushed
 * nor taken as zero, except where an implementation says so.  Sums are float, or
 * double for float64; the result is rounded once.  The number of threads changes no bit.
 */
#pragma once

#include "base/error.h"
#include "burnin/kernels/case.h"
#include "burnin/kernels/team.h"
#include "burnin/kernels/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A kernel's argument: one operation, with memory for it. */
struct impl_job {
	struct burn_shape shape;
	enum burn_dtype dtype;
	struct burn_operands at;	/* conv2d: weight is the one that was packed */
	const void *packed;		/* conv2d: what pack() made, or the weight itself */
	char *work;			/* of thread 0; the others' follow, work_size apart */
	size_t work_size;
	int threads;
	struct trace *trace;		/* NULL unless the phases are traced */
};

/* How one implementation does one operation on one type.  All sizes are bytes. */
struct impl_kernel {
	/* Both NULL: packs nothing. */
	size_t (*pack_size)(const struct burn_shape *s, enum burn_dtype t);
	void (*pack)(const struct burn_shape *s, enum burn_dtype t, const void *weight,
		void *packed);
	size_t (*work_size)(const struct burn_shape *s, enum burn_dtype t, int threads);
	void (*run)(const struct impl_job *job, int thread);
};

/* Work that the burn does beside its load, and that has to be cheap. */
struct impl_check {
	/* As bf16_round() of sums of products of bfloat16. */
	void (*narrow)(const float *from, uint16_t *to, size_t n);
	/* True if all are equal; then each word of got is inverted, to be wrong if it stays. */
	bool (*equal)(uint32_t *got, const uint32_t *want, size_t n);
	uint64_t (*sum)(const uint32_t *at, size_t n);	/* differs if a word differs */
};

/*
 * What the burn needs of an implementation beside its kernels: matmul of panels
 * that stay packed, so that every byte read can be verified.
 */
struct impl_stress {
	int rows, cols;			/* of a tile */
	int run_a, run_b;		/* panels: [k / run][lines][run]; bfloat16 if above 1 */
	bool pads;			/* conv2d multiplies the zeros of a frame as well */
	/* c, rows of c_row floats: sums over k < kc of a[k][rows] x b[k][cols]; kc is whole runs */
	void (*tile)(const void *a, const void *b, int kc, float *c, size_t c_row);
	const struct impl_check *check;
};

/* Bursts of memory: word i of burst b is table[b % IMPL_TABLE][i] xor impl_key() of b. */
enum { IMPL_BURST = 64, IMPL_TABLE = 4096 / IMPL_BURST };	/* bytes; bursts */
/* Bursts that are fetched ahead: of a list, and in order. */
enum { IMPL_AHEAD = 48, IMPL_NEAR = 8 };
/* Bursts of a page (a host may give a guest no larger ones); and so many more that a list has. */
enum { IMPL_PAGE = IMPL_TABLE, IMPL_LISTED = 2 * IMPL_PAGE };

enum impl_key {
	IMPL_KEY_NONE,
	IMPL_KEY_RANDOM,		/* a function of seed and b */
	IMPL_KEY_ADDRESS,		/* the address of the burst */
	IMPL_KEY_MARK			/* the low byte of b in each byte */
};

struct impl_bursts {
	uint64_t *at;			/* aligned to IMPL_BURST, as is the table */
	const uint64_t *table;
	enum impl_key kind;
	uint64_t seed;
};

/* splitmix64 */
static inline uint64_t impl_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

static inline uint64_t impl_key(const struct impl_bursts *m, enum impl_key kind, uint64_t burst)
{
	const uint64_t x = (m->seed + burst) * 0xd1342543de82ef95;

	switch (kind) {
	case IMPL_KEY_NONE:
		break;
	case IMPL_KEY_RANDOM:		/* the table is random too */
		return x ^ x >> 32;
	case IMPL_KEY_ADDRESS:
		return (uint64_t)(uintptr_t)m->at + burst * IMPL_BURST;
	case IMPL_KEY_MARK:
		return (burst & 0xff) * 0x0101010101010101;
	}
	return 0;
}

/*
 * n bursts, whole pages: those from `from` on or, if `which` is not NULL, those that it lists,
 * page by page.
 * The list has IMPL_LISTED further entries: the bursts that come next, to be prefetched.
 */
struct impl_memory {
	void (*fill)(const struct impl_bursts *m, uint64_t from, const uint64_t *which, size_t n);
	/* True if all are as they were filled; wrong: bits that differ in any of the bursts. */
	bool (*compare)(const struct impl_bursts *m, uint64_t from, const uint64_t *which, size_t n,
		uint64_t wrong[IMPL_BURST / 8]);
	/* The same traffic in order and nothing else; at: the first burst of a page. */
	void (*plain_fill)(uint64_t *at, size_t bursts, uint64_t value);
	uint64_t (*plain_read)(const uint64_t *at, size_t bursts);	/* returns the or of all */
};

struct impl {
	const char *name;		/* "avx512" */
	const char *version;		/* "v1" naive, "v2" portable, "v3" SIMD */
	const char *help;
	unsigned needs;			/* set of enum cpu_feature */
	bool flushes;			/* bfloat16: denormals count as zero */
	/* The peak of the instructions: multiply-adds in registers; returns how many flops. */
	uint64_t (*peak)(unsigned rounds);	/* NULL: none of its own */
	const struct impl_stress *stress;	/* NULL: no load of its own */
	const struct impl_memory *memory;	/* NULL: none of its own */
	const struct impl_kernel *kernels[BURN_OPS][BURN_COMPUTED];	/* NULL: not offered */
};

/* All that this program was built with, the plainest first; ends with NULL. */
extern const struct impl *const impls[];
extern const size_t impls_len;	/* without the NULL */

/* NULL if there is none of this name. */
const struct impl *impl_find(const char *name);

/* Whether this processor can run it for this operation and type. */
bool impl_usable(const struct impl *i, enum burn_op op, enum burn_dtype t);

/*
 * The one set by impl_force() if it is usable, else the fastest usable one.  If
 * features leave a choice, they are timed for some ms, once in a process.  Any
 * thread may call it.
 */
const struct impl *impl_best(enum burn_op op, enum burn_dtype t);
void impl_force(const struct impl *i);		/* NULL: the fastest again */
const struct impl *impl_forced(void);

/* One operation made ready to run many times: memory is allocated once. */
struct plan {
	const struct impl *impl;
	struct impl_job job;
	struct team *team;
	void *packed;
	size_t packed_size, work_total;
};

/*
 * -EINVAL: a width that is not 32 for conv2d, a dimension below 1;
 * -EOPNOTSUPP: not on this processor; -ENOMEM.  The caller keeps the team.
 */
int plan_open(struct plan *p, const struct impl *i, const struct burn_shape *s, enum burn_dtype t,
	struct team *team, struct error *e);
void plan_close(struct plan *p);	/* also after a failed plan_open() */

/*
 * Prepare conv2d's weight.  It has to stay where it is, since some implementations
 * read it from there.  matmul packs its operands while it runs.
 */
void plan_pack(struct plan *p, const void *weight);
void plan_run(struct plan *p, const struct burn_operands *at);

/* By name, for the table and the tests; those that this build lacks are not defined. */

extern const struct impl impl_naive;
extern const struct impl impl_portable;
extern const struct impl impl_avx2;
extern const struct impl impl_avx512;
extern const struct impl impl_avx512bf16;
extern const struct impl impl_amx;
extern const struct impl impl_neon;

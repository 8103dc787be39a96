/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * row.h - one row of bench_burnin: an operation on a shape, ours beside other libraries.
 *
 * The clock of a processor moves, and others share its units; so a sample says little by
 * itself.  Just before and after each the peak of the multiply-adds is sampled, and what counts
 * is the share of it, where the two agree.  Ratios are of samples of the same round, which
 * follow each other within milliseconds.
 */
#pragma once

#include "burnin/kernels/impl.h"
#include "tests/bench/peer.h"

/* Runners: ours, the peers from 1 to ROW_PEERS, and ours in float32 beside bfloat16. */
enum { ROW_PEERS = 3, ROW_OWN, ROW_RUNNERS };
enum { ROW_TRIES = 4, ROW_ROUNDS_MOST = 100, ROW_LEAST = 5 };

enum row_end { ROW_ABSENT, ROW_RAN, ROW_CRASHED };

struct row_sample {
	double rate;			/* GFLOP/s */
	double before, after;		/* the peak beside it, GFLOP/s */
	bool lost;			/* a thread of it lost its processor meanwhile */
};

struct row_runner {
	enum row_end end;
	struct row_sample samples[ROW_TRIES * ROW_ROUNDS_MOST];	/* one a round */
};

struct row {
	struct row_runner of[ROW_RUNNERS];	/* [0] is ours */
	int rounds;			/* that were run */
	int running;			/* whose turn it is: who crashed, if it ends there */
	double round_trip;		/* ns of a line of memory between two threads, or 0 */
	char trouble[200];		/* why there is nothing of ours */
};

struct row_work {
	struct burn_shape shape;
	enum burn_dtype dtype;
	const struct impl *ours, *peak;	/* peak: whose multiply-adds are the measure */
	const struct peer *const *peers;	/* ROW_RUNNERS - 1, ROW_OWN the last */
	int threads;
	int rounds;			/* to be whole; ROW_TRIES times as many are tried */
};

/*
 * In a process of its own, again without whoever made that one crash; so row is of mem_share()
 * and the caller has no threads.  false: nothing of ours (row->trouble).
 */
bool row_measure(const struct row_work *w, struct row *row);

/* Tensors with values in them, of which none is ever given back. */
struct burn_operands row_operands(const struct burn_shape *s, enum burn_dtype t);

/* The peaks beside the sample agree, and its processors were its own. */
bool row_counts(const struct row_sample *s);
int row_whole_rounds(const struct row *row);	/* in which everybody's sample counts */

/* Medians of the samples that count; 0: fewer than ROW_LEAST. */
double row_rate(const struct row_runner *r, int rounds);
double row_share(const struct row_runner *r, int rounds);	/* of the peak beside it */

/* Ours over another's, of the rounds in which both count. */
struct row_ratio {
	double median;			/* 0: of fewer than ROW_LEAST rounds */
	double spread;			/* half the distance of the quartiles */
	int rounds;
};
struct row_ratio row_compare(const struct row_runner *ours, const struct row_runner *other,
	int rounds);

/* The peer with the greatest share of the peak; 0: none has one. */
int row_best_peer(const struct row *row);

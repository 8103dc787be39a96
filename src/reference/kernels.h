/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernels.h - what check, bench and profile share: the items that they compute, which are cases or
 * the matmuls of --shape, the memory that these need, and the threads.
 */
#pragma once

#include "burnin/kernels/impl.h"
#include "burnin/kernels/team.h"
#include "burnin/reference/data.h"
#include "src/reference/reference.h"
#include "src/stop.h"

#include <stdbool.h>
#include <stddef.h>

struct kernels {
	const struct reference_job *j;
	struct team *team;
	struct stop stop;
	struct trace *trace;	/* for kernels_plan(); NULL: none */
	bool broken;		/* an operation could not be run, and we said why */
};

/*
 * Start the threads.  False: they cannot be had, or not the memory for each item, with its
 * gradients or without, and we said so.
 */
bool kernels_open(struct kernels *k, const struct reference_job *j, bool gradients);

/* End the threads; true: the command was stopped. */
bool kernels_close(struct kernels *k);

/* Draw the next chosen item from *i on, in float32; false: there is none, or we are stopped. */
bool kernels_next(struct kernels *k, size_t *i, struct data *d);

/* Call run() for each operation of each item in each chosen type, until we are stopped. */
void kernels_run(struct kernels *k,
	void (*run)(struct kernels *k, const struct data *d, enum burn_op op));

/* Open a plan and pack its weight; false: it cannot be run, and we said why. */
bool kernels_plan(struct kernels *k, struct plan *p, const struct impl *i,
	const struct burn_shape *s, enum burn_dtype t, const void *weight);

enum { KERNELS_NAME = 48 };

/* "8 input channels, K 72", "16 x 32 x 32" */
const char *kernels_name(const struct data *d, char name[static KERNELS_NAME]);

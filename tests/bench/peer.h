/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * peer.h - other people's matrix libraries, loaded where they are installed.  Which of
 * their kernels they use is for the environment to say: bench_burnin.sh tries each.
 */
#pragma once

#include "burnin/kernels/case.h"

#include <stdbool.h>

/* One operation made ready; conv2d's weight is packed, as ours is. */
struct peer {
	const char *name;
	/* NULL: the library or the operation is not there */
	void *(*open)(const struct burn_shape *s, enum burn_dtype t,
		const struct burn_operands *at);
	void (*run)(void *handle);
	void (*close)(void *handle);
};

extern const struct peer peer_openblas, peer_blis, peer_dnnl;

/* Before anything is loaded: they have so many threads. */
void peer_prepare(int threads);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn_cover.h - whether the load did all that was asked of it, by its own counts.
 */
#pragma once

#include "burnin/host/burn.h"

/* How many workers there are, whatever became of our own number. */
int burn_workers(const struct burn *b);

/* With which implementation a kind of work ran; NULL: not known. */
const struct impl *burn_impl(const struct burn *b, int kind);

/*
 * Counts what was done into r->ledger.  What falls short, and what contradicts itself, is the
 * reason of an INCOMPLETE burn that would else pass; a mismatch that was kept is FAIL in any
 * case, whatever became of its count.
 */
void burn_cover(const struct burn *b, int threads, int64_t time, struct burn_result *r);

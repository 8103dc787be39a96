/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn_cover.h - whether the load did all that was asked of it, by its own counts.
 */
#pragma once

#include "burnin/host/burn.h"

/* Number of workers, limited to those that the shared memory has room for. */
int burn_workers(const struct burn *b);

/* The implementation that a kind of work ran with; NULL: not known. */
const struct impl *burn_impl(const struct burn *b, int kind);

/*
 * Count the work done into r->ledger.  A burn that would pass becomes INCOMPLETE if a count falls
 * short or contradicts itself.  r->errors becomes at least the number of mismatches kept, so that
 * these fail the burn even if their count was damaged.
 */
void burn_cover(const struct burn *b, int threads, int64_t time, struct burn_result *r);

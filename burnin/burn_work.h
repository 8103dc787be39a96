/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn_work.h - the load itself, as it runs in the child.
 */
#pragma once

#include "burnin/burn.h"

/* Until the rounds are done or shared->stop; the exit status: 0 unless it could not run. */
int burn_work(const struct burn_config *c, struct burn_shared *shared);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn_fault.h - faults that tests inject into a load: a flipped bit of an
 * operand or a result, and the ways in which a process can end.
 */
#pragma once

#include "burnin/host/burn.h"
#include "burnin/host/burn_set.h"

/*
 * Called before each block, and `after` it: when its result is complete but not
 * yet compared.  True if a bit was flipped.
 */
bool burn_fault_inject(const struct burn_fault *f, const struct burn_set *s, bool after);
